"""The question about the patch on a real terminal: what stands before it, in which colours, and what it costs."""

from __future__ import annotations

import io
import json
import re
import sys
import time

import pytest

from selfreview.cli.main import execute
from selfreview.errors import ExitCode
from tests.cli.terminal import on_terminal
from tests.conftest import Workspace

terminal = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")

MENDED, LEFT = "verify=False", "eval(words)"
FLAWED = f"""import requests


def get(url, words):
    {LEFT}
    return requests.get(url, {MENDED}, timeout=9)
"""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def flawed(workspace: Workspace) -> Workspace:
    """A workspace with an issue that a fixer mends, and one that is for a person."""
    workspace.write("app.py", FLAWED)
    return workspace


def plain(text: str) -> str:
    """A text without colours and without the breaks of its lines."""
    return " ".join(COLOUR.sub("", text).split())


@terminal
@pytest.mark.parametrize(("answer", "marks"), [(b"y\n", "1 high in 1 file"), (b"n\n", "2 high in 1 file")])
def test_the_issues_then_the_patch_then_the_question(flawed: Workspace, answer: bytes, marks: str) -> None:
    code, text, _ = on_terminal(["run"], flawed.root, answer, COLUMNS="100")
    assert code == ExitCode.ISSUES
    before, after = plain(text).split("[y/N]")
    issues, patch = before.split("diff --git")
    assert f"5 +│ {LEFT}" in issues
    assert f"6 +│ return requests.get(url, {MENDED}" in issues
    assert "1 addressed, 1 still open" in issues
    assert "fixed: high app.py:6" in issues
    assert "With it, 1 high in 1 file would remain, and the change does not pass the review." in issues
    assert f"- return requests.get(url, {MENDED}, timeout=9)" in patch
    assert marks in after
    assert "shown above" in after  # once in full is enough
    assert f"│ {LEFT}" not in after
    assert "refinement 1 ·" not in after


@terminal
def test_where_another_format_is_asked_for_the_issues_are_shown_all_the_same(flawed: Workspace) -> None:
    _, text, out = on_terminal(["run", "--format", "json"], flawed.root, b"n\n", piped=True)
    assert LEFT in plain(text).split("[y/N]")[0]
    assert json.loads(out)["counts"]["high"] == 2


@terminal
def test_a_report_that_goes_elsewhere_is_whole(flawed: Workspace) -> None:
    _, text, out = on_terminal(["run"], flawed.root, b"n\n", piped=True)
    assert f"│ {LEFT}" in plain(text).split("[y/N]")[0]
    assert f"│ {LEFT}" in plain(out.decode())
    assert "shown above" not in out.decode()


@terminal
@pytest.mark.parametrize(
    ("env", "options", "coloured"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        pytest.param({"TERM": "dumb"}, [], False, marks=pytest.mark.long),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, [], True),
        pytest.param({"NO_COLOR": "1", "FORCE_COLOR": "1"}, [], False, marks=pytest.mark.long),
        pytest.param({}, ["--color", "never"], False, marks=pytest.mark.long),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ],
)
def test_the_patch_has_colours_where_they_are_wanted(
    flawed: Workspace, env: dict[str, str], options: list[str], coloured: bool
) -> None:
    _, text, _ = on_terminal(["run", *options], flawed.root, b"n\n", **env)
    removed = f"-    return requests.get(url, {MENDED}, timeout=9)"
    assert removed in text
    assert (f"\x1b[31m{removed}\x1b[0m" in text) is coloured
    assert bool(COLOUR.search(text)) is coloured


@terminal
def test_control_characters_in_a_patch_stay_visible(flawed: Workspace) -> None:
    flawed.write("app.py", FLAWED.replace(f"    {LEFT}\n", f"    {LEFT}\n    # \x1b]0;x\x07 \x1b[2J \u202e\x9b2J\n"))
    _, text, _ = on_terminal(["run"], flawed.root, b"n\n")
    assert "\n     # \\x1b]0;x\\x07 \\x1b[2J <U+202E><U+009B>2J\n\x1b[31m-" in text
    assert "\x1b]" not in text


class Ponderer(io.StringIO):
    """Somebody who answers no, after hours."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._hours, real = 0, time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: real() + 3600 * self._hours)

    def isatty(self) -> bool:
        return True

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]
        self._hours += 5
        return "n\n"


@pytest.mark.parametrize("asks", ["to send", "to apply", "both"])
def test_the_time_told_is_without_what_a_person_takes_to_answer(
    flawed: Workspace, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], asks: str
) -> None:
    if asks != "to apply":
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-not-a-real-key")
    monkeypatch.chdir(flawed.root)
    monkeypatch.setattr(sys, "stdin", Ponderer(monkeypatch))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    execute(["run", "--format", "json", *(["--no-fix"] if asks == "to send" else [])])
    out, told = capsysbinary.readouterr()
    assert told.count(b"[y/N]") == (2 if asks == "both" else 1)
    assert json.loads(out)["durationMs"] < 3_600_000
