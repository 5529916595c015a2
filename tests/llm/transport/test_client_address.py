"""What answers where a model's server should: told with the address and what to do, and not asked in vain again."""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Iterator

import pytest

from selfreview.llm.transport.client import ClientSettings, SdkClient
from selfreview.llm.transport.failures import of_exception
from selfreview.llm.transport.request import Fault, ModelError, ModelRequest
from selfreview.testing.messages import MessagesServer, Raw, Status
from tests.conftest import Workspace

KEY = "test-key-0123456789"
PAGE = b"<!DOCTYPE html><html><body>Sign in to use this network</body></html>"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture
def free_port() -> Iterator[int]:
    """A port that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def refused(base_url: str, attempts: int = 4, *, outage: bool = True) -> ModelError:
    settings = ClientSettings(deadline=time.monotonic() + 60, first_wait_s=0.001, base_url=base_url, attempts=attempts)
    client = SdkClient(settings)
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    request = ModelRequest(name="find:1/1", system="s", user="u", schema=schema, model="claude-x", max_tokens=64)
    with pytest.raises(ModelError) as caught:
        client.send(request)
    client.close()
    error = caught.value
    assert "\n" not in error.message
    assert KEY not in error.message
    assert (error.outage is not None) == outage, "a fix would take it for a matter of the code"
    return error


ELSE = [
    (Raw(body=PAGE, content_type="text/html; charset=utf-8"), "a web page", 200),
    (Raw(body=b"", content_type="text/html"), "a web page", 200),
    (Raw(body=b"", code=204, content_type=""), "nothing", 204),
    (Raw(body=b"{}", content_type="application/json"), "another JSON", 200),
    (Raw(body=b"", content_type="application/json"), "another JSON", 200),
    (Raw(body=b'{"choices": [{"message": {"content": "x"}}]}', content_type="application/json"), "another JSON", 200),
    (Raw(body=b"It works!", content_type="text/plain"), "plain text", 200),
    (Raw(body=b"\x89PNG", content_type="image/png"), "something else (image/png)", 200),
    *((Raw(body=PAGE, code=code, content_type="text/html"), "a web page", code) for code in (400, 401, 403, 404, 405)),
]


@pytest.mark.parametrize(("answer", "what", "code"), ELSE, ids=lambda value: str(value)[:50])
def test_what_is_no_such_server_is_said_to_be_what_it_is(answer: Raw, what: str, code: int) -> None:
    with MessagesServer([answer]) as server:
        error = refused(server.base_url)
        address = f"{server.base_url}/v1/messages"
    assert (error.fault, len(server.requests)) == (Fault.NO_MODEL, 1)
    assert f"{address} answered with {what}, and not as the Messages API (status {code})" in error.message
    assert "claude.base_url" in str(error.hint)
    assert "<" not in error.message


@pytest.mark.parametrize(
    "answer",
    [
        Raw(body=b'{"detail": "Not Found"}', code=404, content_type="application/json"),
        Raw(body=b"404 page not found", code=404, content_type="text/plain"),
        Raw(body=b'{"detail": "Method Not Allowed"}', code=405, content_type="application/json"),
        Status(code=404, message="Not found"),
    ],
    ids=repr,
)
def test_a_path_where_nothing_is_does_not_blame_the_model(answer: Raw | Status) -> None:
    with MessagesServer([answer]) as server:
        error = refused(server.base_url)
    assert (error.fault, len(server.requests)) == (Fault.NO_MODEL, 1)
    assert f"{server.base_url}/v1/messages" in error.message
    assert "knows no model" not in error.message


def test_a_prefix_twice_is_seen() -> None:
    with MessagesServer([Status(code=404, message="Not found")]) as server:
        error = refused(f"{server.base_url}/v1")
    assert f"{server.base_url}/v1/v1/messages" in error.message
    assert error.hint == "take /v1 off the end of claude.base_url or ANTHROPIC_BASE_URL: it is added"


@pytest.mark.parametrize("code", [502, 503, 504])
def test_a_gateway_without_its_server_is_tried_again(code: int) -> None:
    with MessagesServer([Raw(body=PAGE, code=code, content_type="text/html")] * 2) as server:
        error = refused(server.base_url, attempts=2)
    assert (error.fault, len(server.requests)) == (Fault.UNAVAILABLE, 2)
    assert f"status {code} from {server.base_url}/v1/messages, after 2 attempts" in error.message


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Status(code=401), "does not accept the credentials"),
        (Status(code=429), "is not available"),
        (Status(code=302), "redirects to"),
    ],
    ids=repr,
)
def test_every_status_is_told_with_its_address(answer: Status, said: str) -> None:
    with MessagesServer([answer]) as server:
        error = refused(server.base_url, attempts=1)
    assert said in error.message
    assert f"{server.base_url}/v1/messages" in error.message
    assert str(answer.code) in error.message


def test_where_nobody_listens(free_port: int) -> None:
    error = refused(f"http://127.0.0.1:{free_port}", attempts=2)
    assert f"http://127.0.0.1:{free_port}/v1/messages: " in error.message
    assert error.message.endswith("Connection refused, after 2 attempts")


def test_a_name_and_a_password_in_the_address_are_not_shown(free_port: int) -> None:
    error = refused(f"http://me:hunter2secret@127.0.0.1:{free_port}/there?token=abcdef", attempts=1)
    assert "127.0.0.1" in error.message
    assert not re.search("hunter2|abcdef|me:", error.message)


def test_https_where_http_is_spoken_is_not_tried_again() -> None:
    with MessagesServer() as server:
        error = refused(server.base_url.replace("http:", "https:"))
    assert error.fault is Fault.NO_MODEL
    assert "check https or http" in str(error.hint)
    assert "attempts" not in error.message


@pytest.mark.parametrize("base_url", ["127.0.0.1:8080", "localhost", "ftp://127.0.0.1"])
def test_an_address_without_http_is_not_tried_again(base_url: str) -> None:
    error = refused(base_url)
    assert error.fault is Fault.NO_MODEL
    assert "https://" in str(error.hint)


@pytest.mark.parametrize(
    ("raised", "hint", "again"),
    [
        (ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] self-signed"), "SSL_CERT_FILE", False),
        (ssl.SSLEOFError(8, "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF"), "network", True),
        (socket.gaierror(-2, "Name or service not known"), "check the name", False),
        (socket.gaierror(-3, "Temporary failure in name resolution"), "network", True),
        (OSError("407 Proxy Authentication Required"), "HTTPS_PROXY", False),
        (OSError("503 Service Unavailable"), "network", True),
    ],
    ids=repr,
)
def test_what_another_attempt_cannot_change(raised: OSError, hint: str, again: bool) -> None:
    failure = of_exception(raised, "claude-x", (), "https://models.example.com/v1/messages?x=y")
    assert failure is not None
    assert (failure.again, hint in str(failure.hint)) == (again, True)
    assert "https://models.example.com/v1/messages: " in failure.message


def test_a_proxy_that_takes_no_request_of_that_size_is_not_the_wrong_place() -> None:
    with MessagesServer([Raw(body=PAGE, code=413, content_type="text/html")]) as server:
        assert refused(server.base_url, outage=False).fault == Fault.TOO_LONG


@pytest.mark.parametrize(
    "said",
    ["Your account violated our usage policy and is disabled", "claude-x is not allowed, see our content policy"],
)
def test_a_policy_about_who_asks_is_not_one_about_what_is_asked(said: str) -> None:
    with MessagesServer([Status(code=403, type="permission_error", message=said)]) as server:
        assert refused(server.base_url, outage=False).fault == Fault.FORBIDDEN


def test_a_review_says_it_in_one_line(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    with MessagesServer(default=Raw(body=PAGE, content_type="text/html")) as server:
        ran = workspace.selfreview("run", "--reviewer", "claude", ANTHROPIC_BASE_URL=server.base_url)
    assert ran.code == 5
    assert "answered with a web page" in " ".join(ran.out.split())
    assert server.base_url in ran.out
    assert len(server.requests) == 1
