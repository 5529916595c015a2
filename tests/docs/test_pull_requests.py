"""The page on what ``selfreview pr`` prints for machines, against what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.feedback.watching.deciding import Why
from selfreview.testing.forge import FakeGitHub
from tests.conftest import Workspace
from tests.docs.pages import DOCS, ROOT
from tests.feedback.lab import Lab
from tests.feedback.stories import suggest

PAGE = (DOCS / "reference" / "pull-requests.md").read_text(encoding="utf-8")
_BY_NAME = {"opinions"}
"""Objects whose keys are names of people."""


def keys(value: Any) -> Iterator[str]:
    """Yield the keys of all objects in a document."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            if key not in _BY_NAME:
                yield from keys(part)
    elif isinstance(value, list):
        for part in value:
            yield from keys(part)


@pytest.mark.parametrize("command", ["status", "feedback", "fix"])
def test_every_key_of_a_document_is_on_the_page(workspace: Workspace, tmp_path: Path, command: str) -> None:
    with FakeGitHub() as forge:
        lab = Lab(workspace, forge, tmp_path)
        pull = lab.open()
        suggest(lab, pull)
        pull.review(lab.rev, "CHANGES_REQUESTED", "Please.")
        pull.comment(lab.rev, "Well.")
        ran = lab.pr(command, str(pull.number), "--format", "json")
    known = set(re.findall(r"`(\w+)`", PAGE))
    assert sorted(set(keys(ran.json)) - known) == []


def test_every_event_is_on_the_page_and_no_other() -> None:
    cli = ROOT / "src" / "selfreview" / "cli"
    sources = [*(ROOT / "src/selfreview/feedback/watching").glob("*.py"), *cli.glob("pr_watch*.py")]
    told = {
        name
        for path in sources
        for name in re.findall(r"(?:\btold|_tell|_say_once|\bsay)\(\s*\"(\w+)\"", path.read_text(encoding="utf-8"))
    }
    told = (told | {why.value for why in Why}) - {"seen"}  # which only the table draws
    table = PAGE.partition("| event |")[2]
    listed = {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    }
    assert listed == told
