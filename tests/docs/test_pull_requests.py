"""The page on what ``selfreview pr`` prints for machines, against what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from selfreview.pullrequest.watching.schedule import Why
from tests.conftest import Workspace
from tests.docs.pages import DOCS, ROOT
from tests.forge import FakeGitHub
from tests.pullrequest.lab import Lab, publish
from tests.pullrequest.stories import suggest

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
        publish(workspace, tmp_path / "remote.git")
        lab = Lab(workspace, forge, tmp_path)
        pull = lab.open()
        suggest(lab, pull)
        pull.review(lab.rev, "CHANGES_REQUESTED", "Please.")
        pull.comment(lab.rev, "Well.")
        ran = lab.pr(command, str(pull.number), "--format", "json")
    known = set(re.findall(r"`(\w+)`", PAGE))
    assert sorted(set(keys(ran.json)) - known) == []


def test_what_is_printed_where_the_forge_is_busy_has_the_same_keys(workspace: Workspace, tmp_path: Path) -> None:
    with FakeGitHub() as forge:
        publish(workspace, tmp_path / "remote.git")
        lab = Lab(workspace, forge, tmp_path)
        pull = lab.open()
        usual = lab.pr("fix", str(pull.number), "--format", "json")
        lab.forge.limit("*", "*", retry_after=4000, times=None)
        busy = lab.pr("fix", str(pull.number), "--format", "json")
    assert (usual.code, busy.code) == (ExitCode.PASSED, ExitCode.INCOMPLETE)
    rows = PAGE.partition("`pr fix`:")[2].partition("A pull request (`request`)")[0].splitlines()
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")}
    assert set(busy.json) == set(usual.json) == listed
    null = next(row for row in rows if row.startswith("| `busy`")).partition("(")[2].partition(")")[0]
    assert {key for key, value in busy.json.items() if value is None} == {*re.findall(r"`(\w+)`", null)}
    assert (usual.json["busy"], busy.json["busy"]) == (False, True)
    assert f"hint: {busy.json['hint']}" in busy.err


def test_every_event_is_on_the_page_and_no_other() -> None:
    folder = ROOT / "src/selfreview"
    sources = [*(folder / "pullrequest/watching").glob("*.py"), *(folder / "app/pr").glob("w*.py")]
    told = {
        name
        for path in sources
        for name in re.findall(
            r"(?:\btold|_tell|\btell|_say_once|\bsay)\(\s*\"(\w+)\"", path.read_text(encoding="utf-8")
        )
    }
    told = (told | {why.value for why in Why}) - {"seen"}  # which only the table draws
    table = PAGE.partition("| event |")[2]
    listed = {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    }
    assert listed == told
