"""What goes wrong on purpose, and where the forge can be reached."""

from __future__ import annotations

import socket
import time

import httpx2
import pytest

from tests.forge import FakeGitHub


def test_the_unannounced_limit_looks_as_it_does_with_and_without_a_time_to_wait(scene):
    scene.forge.limit("GET", "*/pulls/1")
    scene.forge.limit("GET", "*/pulls/1", status=429, retry_after=30)
    first, second = scene.ask("GET", "pulls/1"), scene.ask("GET", "pulls/1")
    assert (first.status_code, second.status_code) == (403, 429)
    assert "retry-after" not in first.headers
    assert second.headers["retry-after"] == "30"
    assert "secondary rate limit" in first.json()["message"]
    assert int(first.headers["x-ratelimit-remaining"]) > 0
    assert scene.ask("GET", "pulls/1").status_code == 200


def test_a_fault_concerns_its_requests_alone_as_often_as_it_is_told(scene):
    fault = scene.forge.fail("*", "/repos/*/pulls/1", status=503, times=None)
    assert [scene.ask("GET", "pulls/1").status_code for _ in range(3)] == [503] * 3
    assert scene.ask("PATCH", "pulls/1", json={"title": "x"}).status_code == 503
    assert scene.pull.title == "A change"
    assert scene.ask("GET", "pulls/1/comments").status_code == 200
    assert fault.hits == 4
    scene.forge.mend()
    assert scene.ask("GET", "pulls/1").status_code == 200


def test_a_reset_may_come_after_the_effect(scene):
    scene.forge.reset("POST", "*/comments", after_effect=True)
    with pytest.raises(httpx2.TransportError):
        scene.ask("POST", "issues/1/comments", json={"body": "x"})
    assert [one.body for one in scene.pull.comments] == ["x"]


def test_something_slow_is_answered_all_the_same_unless_the_client_gives_up(scene):
    scene.forge.slow("GET", "*/pulls/1", 60)
    began = time.monotonic()
    with pytest.raises(httpx2.ReadTimeout):
        scene.ask("GET", "pulls/1", timeout=0.05)
    assert scene.ask("GET", "pulls/1").status_code == 200
    scene.forge.slow("GET", "*/pulls/1", 0.01)
    assert scene.ask("GET", "pulls/1").status_code == 200
    assert time.monotonic() - began < 30


def test_an_enterprise_server_has_its_paths_and_its_name(scene):
    told = scene.get("/api/v3/repos/octo/app/pulls/1")
    assert told["url"] == f"{scene.forge.api_url}/api/v3/repos/octo/app/pulls/1"
    answer = scene.ask("POST", "/api/graphql", json={"query": "{ viewer { login } }"})
    assert answer.json() == {"data": {"viewer": {"login": "ann"}}}
    with FakeGitHub(host="code.example.org") as forge:
        pull = forge.repository("octo/app").pull(author=forge.user("ann"))
        answer = httpx2.get(f"{forge.api_url}/repos/octo/app/pulls/1", headers={"user-agent": "test"})
        assert answer.json()["html_url"] == f"https://code.example.org/octo/app/pull/{pull.number}"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no unix sockets")
def test_it_can_be_reached_by_a_unix_socket_as_if_it_were_the_real_one():
    with FakeGitHub(unix_socket=True) as forge:
        forge.repository("octo/app").pull(author=forge.user("ann"))
        transport = httpx2.HTTPTransport(uds=str(forge.socket))
        with httpx2.Client(transport=transport, base_url="http://api.github.com") as http:
            told = http.get("/repos/octo/app/pulls/1").json()
        assert told["url"] == "https://api.github.com/repos/octo/app/pulls/1"
    assert not forge.socket.exists()


def test_who_does_not_say_what_it_is_or_asks_for_another_version_is_refused(scene):
    assert scene.ask("GET", "pulls/1", headers={"x-github-api-version": "2022-11-28"}).status_code == 200
    assert scene.ask("GET", "pulls/1", headers={"x-github-api-version": "1999-01-01"}).status_code == 400
    with socket.create_connection(("127.0.0.1", int(scene.forge.url.rpartition(":")[2]))) as raw:
        raw.sendall(b"GET /user HTTP/1.1\r\nhost: x\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 403 ")


def test_a_token_never_shows_in_the_log(scene):
    scene.forge.token("s3cret-token", scene.ann)
    scene.ask("GET", "pulls/1", token="s3cret-token")
    (request,) = scene.forge.requests
    assert (request.authorized, request.method, request.path, request.status) == (
        True,
        "GET",
        "/repos/octo/app/pulls/1",
        200,
    )
    assert "s3cret-token" not in repr(scene.forge.requests)


def test_a_defect_of_the_fake_itself_is_told_when_it_ends():
    def use() -> None:
        with FakeGitHub() as forge:
            pull = forge.repository("octo/app").pull(author=forge.user("ann"))
            pull.comments.append(None)
            where = f"{forge.api_url}/repos/octo/app/issues/1/comments"
            assert httpx2.get(where, headers={"user-agent": "test"}).status_code == 500

    with pytest.raises(AssertionError, match="the fake forge failed"):
        use()
