"""A program watches pull requests, and is told of every event."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import SUGGESTED, suggest

PROGRAM = """
import contextlib, json, sys
from pathlib import Path
from selfreview.app.pr.request import WatchRequest
from selfreview.app.pr.watch import watching
from selfreview.app.ui import SilentUi

def tell(event, number=None, **about):
    events.append([event, number, about.get("outcome")])

events = []
asked = WatchRequest(folder=Path(sys.argv[1]), overrides=["auto_address_review_comments=true"])
with watching(asked, lambda name: contextlib.nullcontext(tell), ui=SilentUi()) as watch:
    code = watch.run(once=True)
print(json.dumps([code, events]))
"""


def test_news_is_answered_and_told(connected: Lab) -> None:
    pull = connected.open()
    suggest(connected, pull)
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, connected.workspace.root],
        env={**os.environ, **connected.environment}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran
    code, events = json.loads(ran.stdout)
    assert code == 0
    assert [one for one in events if one[0] in ("begun", "ended")] == [
        ["begun", pull.number, None],
        ["ended", pull.number, "fixed"],
    ]
    assert events[-1][0] == "stopped"
    assert connected.file() == SUGGESTED
