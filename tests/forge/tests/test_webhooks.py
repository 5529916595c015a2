"""What the forge tells of its own accord."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs

import pytest


class Ear:
    """Listens; answers with ``status``."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.status = 202
        ear = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                ear.heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(ear.status)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"

    @property
    def events(self) -> list[tuple[str, str]]:
        return [(headers["x-github-event"], json.loads(body).get("action")) for headers, body in self.heard]


@pytest.fixture
def ear() -> Iterator[Ear]:
    made = Ear()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_a_review_and_its_comments_are_signed_events_of_their_own(scene, ear):
    scene.forge.webhooks_to(ear.url, "s3cret")
    review = scene.pull.review(scene.bob, "PENDING", "No.")
    comment = scene.pull.inline(scene.bob, "a.py", 3, "Why?", review=review)
    review.submit("CHANGES_REQUESTED")
    scene.pull.comment(scene.eve, "Hm.")
    scene.forge.flush_webhooks()
    assert ear.events == [
        ("pull_request_review", "submitted"),
        ("pull_request_review_comment", "created"),
        ("issue_comment", "created"),
    ]
    for headers, body in ear.heard:
        digest = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
        assert headers["x-hub-signature-256"] == f"sha256={digest}"
    told = [json.loads(body) for _headers, body in ear.heard]
    assert (told[0]["review"]["state"], told[0]["pull_request"]["number"]) == ("changes_requested", 1)
    assert (told[1]["comment"]["id"], told[1]["sender"]["login"]) == (comment.id, "bob")
    assert told[2]["issue"]["pull_request"]["url"].endswith("/repos/octo/app/pulls/1")


def test_something_told_again_has_the_same_id_and_what_is_lost_can_be_told_late(scene, ear):
    hook = scene.forge.webhooks_to(ear.url, events=["issue_comment"])
    hook.lost = True
    scene.pull.comment(scene.eve, "Hm.")
    scene.pull.push()
    scene.forge.flush_webhooks()
    assert ear.heard == []
    (delivery,) = hook.deliveries
    scene.repository.allow(scene.ann, "admin")
    (lost,) = scene.get(f"hooks/{hook.id}/deliveries")
    assert (lost["guid"], lost["status_code"], lost["event"]) == (delivery.guid, 0, "issue_comment")
    assert scene.ask("POST", f"hooks/{hook.id}/deliveries/{lost['id']}/attempts").status_code == 202
    scene.forge.flush_webhooks()
    ear.status = 500
    delivery.again()
    scene.forge.flush_webhooks()
    told = scene.get(f"hooks/{hook.id}/deliveries?per_page=2")
    assert [(one["status_code"], one["redelivery"]) for one in told] == [(500, True), (202, True)]
    assert scene.ask("GET", f"hooks/{hook.id}/deliveries", token="t1").status_code == 404
    assert [headers["x-github-delivery"] for headers, _body in ear.heard] == [delivery.guid] * 2
    assert "x-hub-signature-256" not in ear.heard[0][0]
    assert delivery.statuses == [None, 202, 500]


def test_checks_pushes_and_states_are_told_and_a_form_is_another_way_to_send(scene, ear):
    scene.forge.webhooks_to(ear.url, "s", form=True)
    run = scene.repository.check("unit", None, scene.pull.head_sha)
    run.finish("failure")
    scene.repository.status("ci/old", "error", scene.pull.head_sha)
    scene.pull.push()
    scene.pull.label("x")
    scene.pull.request_review(scene.bob)
    scene.pull.close()
    scene.forge.flush_webhooks()
    told = [json.loads(parse_qs(body.decode())["payload"][0]) for _headers, body in ear.heard]
    assert [
        (headers["x-github-event"], one.get("action")) for (headers, _body), one in zip(ear.heard, told, strict=True)
    ] == [
        ("check_run", "created"),
        ("check_run", "completed"),
        ("status", None),
        ("pull_request", "synchronize"),
        ("pull_request", "labeled"),
        ("pull_request", "review_requested"),
        ("pull_request", "closed"),
    ]
    assert told[1]["check_run"]["conclusion"] == "failure"
    assert told[5]["requested_reviewer"]["login"] == "bob"


def test_nobody_listening_is_noted(scene, ear):
    hook = scene.forge.webhooks_to("http://127.0.0.1:1/hook")
    scene.pull.close()
    scene.forge.flush_webhooks()
    assert hook.deliveries[0].statuses == [None]
