"""No redirect is followed with what we send: neither a body nor a credential reaches the place that it names."""

from __future__ import annotations

import ast
import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import NotifyContext
from selfreview.errors import ExitCode, ForgeError, NotifyError, UnsureError
from selfreview.pullrequest.notifiers import apprise, slack
from selfreview.redirects import destination
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.messages import MessagesServer
from selfreview.testing.notifying import notice
from tests.conftest import Workspace
from tests.llm.scripted_answers import CLEAN, NEW, OLD
from tests.pullrequest.forges.scripted import Said, Scripted

STATUSES = (301, 302, 303, 307, 308)
KEY = "sk-test-0123456789"


class Server:
    """Answers whatever is asked with one status and ``Location``, and records what came."""

    def __init__(self, status: int = 200, location: str = "") -> None:
        self.came: list[tuple[str, dict[str, str], bytes]] = []
        came = self.came

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                came.append(
                    (self.command, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"] or 0)))
                )
                self.send_response(status)
                for name, value in (("Location", location), ("Content-Length", "0")):
                    self.send_header(name, value)
                self.end_headers()

            do_GET = do_POST  # noqa: N815 - as the base class calls it

            def log_message(self, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @classmethod
    @contextlib.contextmanager
    def running(cls, *args: Any) -> Iterator[Server]:
        server = cls(*args)
        thread = threading.Thread(target=server._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server._http.shutdown()
            thread.join()
            server._http.server_close()


@pytest.mark.parametrize("status", STATUSES)
def test_a_model_gets_its_prompt_where_the_person_said_and_nowhere_else(workspace: Workspace, status: int) -> None:
    workspace.commit("start", **{"app.py": OLD})
    workspace.git("branch", "--force", "main")
    workspace.write("app.py", NEW)
    with MessagesServer(default=CLEAN) as other:
        with Server.running(status, f"{other.base_url}/v1/messages?key=x") as server:
            ran = workspace.selfreview(
                "run", "--format", "json", "--reviewer", "claude", ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY=KEY
            )  # fmt: skip
        assert other.requests == []
    assert ran.code == ExitCode.INCOMPLETE, ran
    (report,) = ran.json["reviewers"]
    assert f"redirects to {other.base_url}/v1/messages (status {status}), where nothing is sent" in report["error"]
    assert "claude.base_url or ANTHROPIC_BASE_URL" in report["hint"]
    assert len(server.came) == 1  # it would be the same each time


def by_webhook(url: str) -> None:
    context = NotifyContext(CONFIG, {slack.WEBHOOK: f"{url}/services/T0/B0/verysecretpart"}, timeout_s=10)
    slack.SlackNotifier().send(notice(), context)


def by_bot(url: str) -> None:
    config = MemoryConfig(
        {**default_config(slack), "notify.slack.channel": "C012", "notify.slack.api_url": f"{url}/api"}
    )
    slack.SlackNotifier().send(notice(), NotifyContext(config, {slack.TOKEN: "xoxb-verysecretpart"}, timeout_s=10))


CONFIG = MemoryConfig(default_config(slack))


@pytest.mark.parametrize("send", [by_webhook, by_bot])
@pytest.mark.parametrize("status", STATUSES)
def test_a_message_goes_where_the_person_said(send: Callable[[str], None], status: int) -> None:
    with Server.running() as other, Server.running(status, f"{other.url}/verysecretpart") as server:
        with pytest.raises(NotifyError) as caught:
            send(server.url)
        assert (len(server.came), other.came) == (1, [])
    assert f"redirects to {other.url} (HTTP {status}), where nothing is sent" in caught.value.message
    assert "verysecretpart" not in caught.value.message
    assert caught.value.hint


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("more", ["", "?redirect=yes"])
def test_apprise_follows_nothing_either(status: int, more: str) -> None:
    with Server.running() as other, Server.running(status, other.url) as server:
        url = server.url.replace("http://", "json://me:verysecretpart@") + more
        with pytest.raises(UnsureError):
            apprise.AppriseNotifier().send(notice(), NotifyContext(CONFIG, {apprise.URLS: url}))
        assert (len(server.came), other.came) == (1, [])


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("status", STATUSES)
def test_a_forges_token_goes_to_the_forge_alone(method: str, status: int) -> None:
    with Server.running() as other:
        with Scripted(lambda _: Said(status, {}, {"Location": f"{other.url}/repos/o/r"})) as server:
            call = server.client().call()
            with pytest.raises(ForgeError) as caught:
                call.get("/repos/o/r") if method == "GET" else call.send("POST", "/repos/o/r", {})
        assert other.came == []
    assert status == 303 or other.url in caught.value.message


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://example.org/v1?token=abc", "http://example.org/v1"),
        ("//user:verysecret@example.org:8443/v1", "https://example.org:8443/v1"),
        ("/v2/messages", "https://api.example/v2/messages"),
        ("https://[::1]:80/", "https://[::1]:80/"),
        ("https://[::1", "an address that is none"),
        ("https://example.org:port/", "an address that is none"),
        ("https://example.org/\x1b[2J\u202e", "https://example.org/\\x1b[2J<U+202E>"),
        ("", "https://api.example/v1"),
    ],
)
def test_where_an_answer_redirects_to_is_said_without_what_is_secret(location: str, said: str) -> None:
    assert destination("https://api.example/v1", location) == said
    assert len(destination("https://api.example/v1", "/" + "x" * 500)) == 120
    assert destination("https://api.example/v1", "/services/verysecret", path=False) == "https://api.example"


def test_nothing_else_speaks_http() -> None:
    """Whoever adds a client of HTTP takes the decision from here."""
    clients = {"httpx", "httpx2", "urllib.request", "http.client", "requests", "urllib3", "aiohttp", "apprise"}
    root = Path(__file__).parents[1] / "src" / "selfreview"
    found = set()
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in clients):
            continue
        tree = ast.parse(text)
        modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        if modules & clients and "FOLLOW_REDIRECTS" not in text:
            found.add(path.relative_to(root).as_posix())
    assert found == {
        "pullrequest/watching/webhook.py",  # a server
        "llm/transport/failures.py",  # names of exceptions
    }
