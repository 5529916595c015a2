"""The library apprise itself, over real HTTP."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import Any

import pytest

from selfreview.api import NotifyContext
from selfreview.errors import NotifyError, UnsureError
from selfreview.pullrequest.notifiers import apprise as module
from selfreview.pullrequest.notifiers.apprise import URLS, AppriseNotifier
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import notice
from tests.pullrequest.notifiers.slackd import HttpServer, Reply

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # the library's own
CONFIG = MemoryConfig(default_config(module))


def send(urls: str) -> Any:
    assert AppriseNotifier().unavailable(CONFIG, {URLS: urls}) is None
    return AppriseNotifier().send(notice(text="*some* <b>text</b>"), NotifyContext(CONFIG, {URLS: urls}))


def where(server: HttpServer) -> str:
    return server.url.replace("http://", "json://me:verysecretpart@")


def test_every_service_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with HttpServer() as one, HttpServer() as two:
        assert send(f"{where(one)} {where(two)}") == ()
    for server in (one, two):
        (seen,) = server.seen
        assert seen.json["title"] == "octo/app#7 is ready for a person"
        assert "*some* <b>text</b>" in seen.json["message"]
    assert capfd.readouterr() == ("", "")


def test_a_service_that_fails(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    with caplog.at_level(logging.DEBUG), HttpServer(Reply(500)) as server, pytest.raises(UnsureError) as caught:
        send(where(server))
    assert caught.value.message == "the service did not confirm the message"
    assert "verysecretpart" not in caplog.text + "".join(capfd.readouterr())


def test_an_address_that_is_none() -> None:
    with pytest.raises(NotifyError, match="address 2") as caught:
        send("json://localhost nothing://verysecretpart")
    assert "verysecretpart" not in caught.value.message


def test_what_it_lacks() -> None:
    assert AppriseNotifier().unavailable(CONFIG, {}) == f"{URLS} is not set"


def test_without_the_library() -> None:
    script = (
        "import sys; from importlib.machinery import PathFinder\n"
        "class Hidden(PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        "        return None if name == 'apprise' else super().find_spec(name, path, target)\n"
        "sys.meta_path = [m for m in sys.meta_path if m is not PathFinder] + [Hidden]\n"
        "from selfreview.pullrequest.notifiers.apprise import AppriseNotifier\n"
        f"print(AppriseNotifier().unavailable(None, {{{URLS!r}: 'json://x'}}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout == "apprise is not installed: pip install '.[notify]' in the checkout of selfreview\n"
