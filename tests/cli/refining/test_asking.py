"""The question whether to apply: what is shown before it, and what the answers do."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from selfreview.cli.applying import ask
from selfreview.git.entry import Entry
from selfreview.loop.patches import Patch, PatchStore
from tests.loop.lab import AT

LONG = "".join(f"+line {number}\n" for number in range(80))


def patch_of(folder: Path, diff: str, old: bytes = b"a\n", new: bytes = b"b\n") -> Patch:
    files = {"app.py": (Entry("100644", old), Entry("100644", new))}
    return PatchStore(folder).keep(files, diff.encode(), at=AT, iteration=1)


def test_all_of_a_long_patch_is_shown_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("what\nd\ny\n"))
    assert ask(patch_of(tmp_path, LONG + "+\tx\x1b[2J\n"))
    told = capsys.readouterr().err
    before, whole, rest = told.split("[y/N/d] ")[0], told.split("[y/N/d] ")[2], told.split("[y/N/d] ")[3:]
    assert "  changed: app.py\n" in before
    assert "line 0" not in before
    assert whole.startswith("+line 0\n+line 1\n")
    assert "+line 79\n+   x\\x1b[2J\n" in whole
    assert "\\n" not in told
    assert rest == [""]
    assert told.count("y: yes, n: no, d: show all of it [y/N/d]") == 3


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "No\n"])
def test_no_word_but_yes_applies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert not ask(patch_of(tmp_path, "+short\n"))
    assert "+short\n" in capsys.readouterr().err


def test_the_help_says_what_the_letters_mean(capsys: pytest.CaptureFixture[str]) -> None:
    from selfreview.cli.main import execute

    execute(["run", "--help"])
    assert "d: show the whole patch" in " ".join(capsys.readouterr().out.split())
