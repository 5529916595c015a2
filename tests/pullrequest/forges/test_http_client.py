"""The client: what is repeated and what never is, where a token goes, how long anything takes."""

from __future__ import annotations

import gzip
import threading
import traceback

import pytest

from selfreview.errors import BusyError, ForgeError, NotFoundError, RefusedError, TokenError, UnsureError
from selfreview.pullrequest.forges.http.answers import GatewayError
from selfreview.pullrequest.forges.http.client import CachedAnswer, Etags
from selfreview.pullrequest.forges.http.limits import Pauses
from selfreview.pullrequest.forges.http.wire import Service, Wire
from tests.pullrequest.forges.scripted import TOKEN, Asked, HalfSaid, Reset, Said, Scripted, Step, ToldClock

LIMITED = Said(403, {"message": "You have exceeded a secondary rate limit."})


@pytest.mark.parametrize("fault", [Said(502), Said(503), Said(504), Reset(), HalfSaid()])
def test_case_58_reading_is_tried_again(fault: Step) -> None:
    clock = ToldClock()
    with Scripted([fault, fault, Said(200, {"id": 1})]) as server:
        assert server.client(clock).call().get("/user") == {"id": 1}
    assert len(clock.slept) == 2
    assert 0.25 <= clock.slept[0] <= 0.75
    assert 0.5 <= clock.slept[1] <= 1.5


@pytest.mark.parametrize("fault", [Said(502), Reset(), HalfSaid()])
def test_case_58_reading_ends_after_three_tries(fault: Step) -> None:
    with Scripted([fault] * 9) as server:
        with pytest.raises(ForgeError):
            server.client().call().get("/user")
        assert len(server.asked) == 3


@pytest.mark.parametrize("fault", [Said(500), Said(502), Said(503), Said(504), Reset(), HalfSaid()])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_case_58_what_may_have_arrived_is_not_sent_again(fault: Step, method: str) -> None:
    with Scripted([fault, Said(201, {})]) as server:
        with pytest.raises(UnsureError):
            server.client().call().send(method, "/repos/o/r/issues/1/comments", {"body": "x"})
        assert len(server.asked) == 1


def test_what_is_as_good_twice_is_sent_again() -> None:
    with Scripted([Said(502), Said(201, {"id": 2})]) as server:
        assert server.client().call().send("POST", "/labels", {}, repeatable=True) == {"id": 2}


def test_a_server_that_is_not_there_was_sent_nothing() -> None:
    with Scripted([]) as server:
        client = server.client()
    with pytest.raises(ForgeError, match="cannot be reached") as caught:
        client.call().send("POST", "/user", {})
    assert not isinstance(caught.value, UnsureError)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_case_57_a_pause_that_ends_in_time_is_waited_for(method: str) -> None:
    clock = ToldClock()
    with Scripted([Said(429, {}, {"Retry-After": "7"}), Said(200, {"ok": True})]) as server:
        call = server.client(clock).call()
        assert (call.get("/x") if method == "GET" else call.send("POST", "/x", {})) == {"ok": True}
    assert clock.slept == [7]


def test_case_57_a_pause_that_takes_longer_is_told() -> None:
    clock = ToldClock()
    with Scripted([LIMITED]) as server:
        client = server.client(clock)
        with pytest.raises(BusyError) as caught:
            client.call().get("/x")
        assert caught.value.wait_s == 60
        clock.time += 20
        with pytest.raises(BusyError) as caught:
            client.call().send("POST", "/y", {})
        assert caught.value.wait_s == 40
        assert len(server.asked) == 1
    assert clock.slept == []


def test_case_57_one_pause_for_all_connections_of_a_token() -> None:
    pauses, clock = Pauses(), ToldClock()
    with Scripted([LIMITED, Said(200, {})]) as server:
        with pytest.raises(BusyError):
            server.client(clock, pauses=pauses).call().get("/x")
        with pytest.raises(BusyError):
            server.client(clock, pauses=pauses).call().query("{x}", {})
        assert server.client(clock, pauses=pauses, token="other").call().get("/x") == {}
        assert len(server.asked) == 2


def test_case_57_a_limit_of_graphql_leaves_rest_alone() -> None:
    spent = Said(
        200,
        {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700002800", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"},
    )
    with Scripted([spent, Said(200, {"id": 1})]) as server:
        client = server.client()
        with pytest.raises(BusyError) as caught:
            client.call().query("{x}", {})
        assert caught.value.wait_s == 2801
        assert client.call().get("/user") == {"id": 1}


@pytest.mark.parametrize(
    "error",
    [
        {"type": "RATE_LIMIT", "message": "API rate limit already exceeded for user ID 1."},
        {"message": "You have exceeded a secondary rate limit."},
        {"type": "UNPROCESSABLE", "message": "was submitted too quickly"},
    ],
)
def test_case_57_a_limit_of_graphql_is_known_by_its_words_too(error: dict[str, str]) -> None:
    with Scripted([Said(200, {"data": {"add": None}, "errors": [error]})]) as server:
        with pytest.raises(BusyError) as caught:
            server.client().call().mutate("mutation {add}", {})
        assert caught.value.wait_s == 60
        assert len(server.asked) == 1


def test_case_57_threads_that_are_limited_at_once_wait_once() -> None:
    pauses, clock = Pauses(), ToldClock()
    barrier = threading.Barrier(3)

    def answer(_: Asked) -> Step:
        barrier.wait(10)
        return LIMITED

    waits: list[float] = []
    with Scripted(answer) as server:
        client = server.client(clock, pauses=pauses)

        def ask() -> None:
            with pytest.raises(BusyError) as caught:
                client.call().get("/x")
            waits.append(caught.value.wait_s)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert waits == [60, 60, 60]


def test_403_says_which_right_is_missing() -> None:
    refused = Said(403, {"message": "Resource not accessible by integration"})
    with Scripted([refused]) as server, pytest.raises(RefusedError, match="not accessible") as caught:
        server.client().call().send("POST", "/x", {}, needs="pull requests: write")
    assert caught.value.hint == "the token needs the right `pull requests: write`"


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (Said(403, {}, {"X-Accepted-GitHub-Permissions": "contents=write"}), "contents=write"),
        (Said(403, {"message": "…"}, {"X-GitHub-SSO": "required; url=https://github.com/orgs/o/sso"}), "sign-on"),
        (Said(403, {"message": "Repository was archived so is read-only."}), "archived"),
    ],
)
def test_403_has_a_hint(said: Said, hint: str) -> None:
    with Scripted([said]) as server, pytest.raises(RefusedError) as caught:
        server.client().call().get("/x", needs="pull requests: write")
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, TokenError), (404, NotFoundError), (410, NotFoundError), (422, RefusedError), (409, RefusedError)],
)
def test_each_refusal_is_an_error_of_its_kind(status: int, kind: type[ForgeError]) -> None:
    body = {"message": "Validation Failed", "errors": [{"field": "head", "code": "invalid"}, "and so on"]}
    with Scripted([Said(status, body)]) as server, pytest.raises(ForgeError) as caught:
        server.client().call().send("POST", "/x", {})
    assert type(caught.value) is kind
    if status == 422:
        assert "Validation Failed; head invalid; and so on" in caught.value.message
    if status == 401:
        assert caught.value.hint


def test_pages_are_followed() -> None:
    def answer(asked: Asked) -> Step:
        page = int(asked.path.rpartition("=")[2])
        link = {"Link": f'<{server.url}/items?per_page=1&page={page + 1}>; rel="next"'} if page < 3 else {}
        return Said(200, [page], link)

    with Scripted(answer) as server:
        assert server.client().call().pages("/items?per_page=1&page=1") == [1, 2, 3]


@pytest.mark.parametrize("link", ["http://127.0.0.1:1/x", "//evil.example/x", "https://evil.example/", "http://["])
def test_a_page_elsewhere_is_not_asked_for(link: str) -> None:
    said = Said(200, [], {"Link": f'<{link}>; rel="next"'})
    with Scripted([said]) as server, pytest.raises(ForgeError, match="another server"):
        server.client().call().pages("/items")


def test_pages_that_go_in_circles_end() -> None:
    with Scripted(lambda _: Said(200, [1], {"Link": '</items>; rel="next"'})) as server:
        with pytest.raises(ForgeError, match="pages"):
            server.client().call().pages("/items")
        assert len(server.asked) == 1


def test_what_did_not_change_is_not_read_again() -> None:
    def answer(asked: Asked) -> Step:
        if asked.headers.get("if-none-match") == '"a"':
            return Said(304, None, {"ETag": '"a"'})
        return Said(200, [1], {"ETag": '"a"', "Link": '</more>; rel="next"' if asked.path == "/items" else ""})

    with Scripted(answer) as server:
        client = server.client()
        assert client.call().pages("/items") == client.call().pages("/items") == [1, 1]
        assert [one.headers.get("if-none-match") for one in server.asked] == [None, None, '"a"', '"a"']
        server.client().call().get("/items")
        assert "if-none-match" not in server.asked[-1].headers


@pytest.mark.parametrize(
    ("path", "size"),
    [("/items?per_page=2", 2), ("/items", 30), ("/items?per_page=x", 30), ("/items?per_page=" + "9" * 5_000, 30)],
)
@pytest.mark.parametrize("within", [None, "runs"])
def test_a_page_that_was_the_last_one_and_full_is_followed_when_it_is_not(
    path: str, size: int, within: str | None
) -> None:
    grown = False

    def answer(asked: Asked) -> Step:
        page = [3] if asked.path == "/more" else [1] * size
        link = {"Link": '</more>; rel="next"'} if grown and asked.path == path else {}
        if asked.headers.get("if-none-match") == f'"{len(page)}"':
            return Said(304, None, {"ETag": f'"{len(page)}"'})
        return Said(200, page if within is None else {within: page}, {"ETag": f'"{len(page)}"', **link})

    with Scripted(answer) as server:
        client = server.client()
        assert client.call().pages(path, within=within) == [1] * size
        grown = True
        for _ in range(2):
            assert client.call().pages(path, within=within) == [*[1] * size, 3]
        assert [one.headers.get("if-none-match") for one in server.asked[-2:]] == [f'"{size}"', '"1"']


def test_where_the_next_page_is_is_believed_of_what_did_not_change() -> None:
    grown = False

    def answer(asked: Asked) -> Step:
        link = {"Link": '</more>; rel="next"'} if grown and asked.path == "/items" else {}
        if asked.headers.get("if-none-match"):
            return Said(304, None, {"ETag": '"a"', **link})
        return Said(200, [1], {"ETag": '"a"', **link})

    with Scripted(answer) as server:
        client = server.client()
        assert client.call().pages("/items") == [1]
        grown = True
        assert client.call().pages("/items") == [1, 1]


def test_what_is_forgotten_takes_no_room() -> None:
    etags = Etags(max_bytes=10)
    for name in "ab":
        etags.keep(name, CachedAnswer(name, b"12345", None))
    etags.drop("a")
    etags.drop("a")
    etags.keep("c", CachedAnswer("c", b"12345", None))
    assert [etags.get(name) is not None for name in "abc"] == [False, True, True]


def test_what_was_read_is_kept_within_bounds() -> None:
    etags = Etags(max_bytes=10)
    for name in "abc":
        etags.keep(name, CachedAnswer(name, b"1234", None))
        etags.keep(name, CachedAnswer(name, b"12345", None))
    assert [etags.get(name) is not None for name in "abc"] == [False, True, True]
    assert etags.get("b")
    etags.keep("d", CachedAnswer("d", b"1234", None))
    assert [etags.get(name) is not None for name in "bcd"] == [True, False, True]


def test_a_renamed_repository_is_found_and_written_to() -> None:
    def answer(asked: Asked) -> Step:
        if asked.path.startswith("/repos/old/name"):
            below = asked.path.removeprefix("/repos/old/name")
            status = 301 if asked.method == "GET" else 307
            return Said(status, {"message": "Moved"}, {"Location": f"{server.url}/repositories/7{below}"})
        return Said(200, {"path": asked.path})

    with Scripted(answer) as server:
        client = server.client()
        call = client.call()
        assert call.send("POST", "/repos/old/name/issues/1/comments", {}) == {
            "path": "/repositories/7/issues/1/comments"
        }
        assert call.get("/repos/old/name/pulls/1?x=1") == {"path": "/repositories/7/pulls/1?x=1"}
        assert server.said == [
            "POST /repos/old/name/issues/1/comments",
            "GET /repos/old/name",
            "GET /repositories/7",
            "POST /repositories/7/issues/1/comments",
            "GET /repositories/7/pulls/1?x=1",
        ]


def test_a_repository_beside_a_renamed_one_stays_where_it_is() -> None:
    moved = Said(301, {}, {"Location": "/repositories/7"})
    with Scripted([moved, Said(200, {}), Said(200, {})]) as server:
        client = server.client()
        client.call().get("/repos/old/name")
        client.call().get("/repos/old/name-2")
        assert server.said[-1] == "GET /repos/old/name-2"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_other_server_gets_the_token(status: int, method: str) -> None:
    with Scripted(lambda _: Said(200, {})) as other:
        with Scripted(lambda _: Said(status, {}, {"Location": f"{other.url}/repos/o/r"})) as server:
            call = server.client().call()
            with pytest.raises(ForgeError, match="another server"):
                call.get("/repos/o/r") if method == "GET" else call.send("POST", "/repos/o/r", {})
        assert other.asked == []


def test_redirects_in_circles_end() -> None:
    with Scripted(lambda _: Said(302, {}, {"Location": "/user"})) as server:
        with pytest.raises(ForgeError, match="circles"):
            server.client().call().get("/user")
        assert len(server.asked) == 3


def test_an_answer_that_is_too_large_is_refused_once() -> None:
    bomb = gzip.compress(b"[" + b" " * 3_000_000 + b"]")
    with Scripted([Said(200, bomb, {"Content-Encoding": "gzip"})]) as server:
        client = server.client()
        client.wire = Wire(client.service, TOKEN, client.clock, max_bytes=1_000_000)
        with pytest.raises(ForgeError, match="larger than 1000000 bytes"):
            client.call().get("/x")
        assert len(server.asked) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000, b"\xff\xfe", b'{"a":'])
def test_an_answer_that_is_no_json_is_an_error(body: bytes) -> None:
    with Scripted([Said(200, body)]) as server, pytest.raises(ForgeError, match="JSON"):
        server.client().call().get("/x")


def test_a_success_that_cannot_be_read_may_have_been_one() -> None:
    with Scripted([Said(201, b'{"id":')]) as server, pytest.raises(UnsureError):
        server.client().call().send("POST", "/x", {})


def test_certificates_are_checked_wherever_there_are_any() -> None:
    for rest, graphql in [
        ("https://h", "https://h/g"),
        ("https://h", "http://127.0.0.1/g"),
        ("http://[::1]", "https://h"),
    ]:
        assert Service(name="G", host="h", rest=rest, graphql=graphql, headers={}).encrypted
    assert not Service(name="G", host="h", rest="http://[::1]", graphql="http://[::1]/g", headers={}).encrypted


@pytest.mark.parametrize("body", [{}, None, "x", {"items": None}])
def test_a_list_that_is_none_is_an_error(body: object) -> None:
    with Scripted([Said(200, body)]) as server, pytest.raises(ForgeError, match="without a list"):
        server.client().call().pages("/x")


def test_a_call_ends_at_its_deadline() -> None:
    clock = ToldClock()

    def answer(_: Asked) -> Step:
        clock.time += 13
        return Said(502)

    with Scripted(answer) as server:
        with pytest.raises(ForgeError):
            server.client(clock).call().get("/x")
        assert len(server.asked) == 3
        clock.time += 0
        call = server.client(clock, timeout_s=20).call()
        with pytest.raises(ForgeError):
            call.get("/x")
        assert len(server.asked) == 5


def test_a_server_that_is_silent_is_not_waited_for_longer_than_the_call_may_take() -> None:
    released = threading.Event()

    def answer(_: Asked) -> Step:
        released.wait(30)
        return Said(200, {})

    clock = ToldClock()
    with Scripted(answer) as server:
        try:
            with pytest.raises(ForgeError, match="cannot be reached"):
                server.client(clock, timeout_s=0.2).call().get("/x")
            with pytest.raises(UnsureError):
                server.client(clock, timeout_s=0.2).call().send("POST", "/x", {})
        finally:
            released.set()


def test_the_token_is_sent_and_shown_nowhere() -> None:
    def answer(asked: Asked) -> Step:
        assert asked.headers["authorization"] == f"Bearer {TOKEN}"
        return Said(403, {"message": f"no {asked.path}"})

    with Scripted(answer) as server:
        client = server.client()
        with pytest.raises(RefusedError) as caught:
            client.call().get("/x")
    shown = [repr(client), repr(client.wire), repr(client.service), repr(client.call()), str(caught.value)]
    shown += traceback.format_exception(caught.value)
    assert all(TOKEN not in text for text in shown)


def test_errors_cannot_play_with_the_terminal() -> None:
    said = Said(422, {"message": "\x1b[2J\u202eevil\n::error::x"})
    with Scripted([said]) as server, pytest.raises(RefusedError) as caught:
        server.client().call().send("POST", "/x", {})
    assert "\x1b" not in caught.value.message
    assert "\n" not in caught.value.message
    assert "\u202e" not in caught.value.message


def test_graphql_that_gives_up_is_told_apart() -> None:
    slow = {"data": None, "errors": [{"message": "Something went wrong while executing your query. This may be …"}]}
    with Scripted([Said(200, slow), Said(502)]) as server:
        client = server.client()
        for _ in range(2):
            with pytest.raises(GatewayError):
                client.call().query("{x}", {}, tries=1)


def test_a_service_knows_its_own_addresses() -> None:
    service = Service(name="G", host="h", rest="https://api.h", graphql="https://api.h/graphql", headers={})
    assert service.holds("https://api.h/x")
    for other in ("https://api.h.evil/x", "https://api.h@evil/x", "http://api.h/x", "https://api.h:444/x", "/x", ""):
        assert not service.holds(other)
