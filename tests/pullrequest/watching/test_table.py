"""The table on a terminal, and the lines elsewhere."""

from __future__ import annotations

import json

import pytest

from selfreview.cli.pr.watch import Lines, Table
from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab


def test_a_table_says_where_each_stands(lab: Lab) -> None:
    pull = lab.open(title="Halve \x1b[31mnumbers")
    pull.comment(lab.rev, "Please mend this.")
    ran = lab.pr("watch", "--once", "--format", "table", COLUMNS="160")
    assert ran.code == ExitCode.PASSED, ran
    last = ran.out.split("\x1b[J")[-2]
    assert f"#{pull.number}" in last
    assert "topic" in last
    assert "has news" in last
    assert "\x1b[31m" not in ran.out
    assert "auto_address_review_comments is off, so nothing is answered" in last
    assert "1 pull request; stopped" in last


def test_it_is_drawn_over_what_was_drawn_and_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "12")
    table = Table("github.com/octo/app")
    for number in range(1, 41):
        table("seen", number, branch=f"b{number}", title="t" * 100)
    table("begun", 40)
    for _ in range(9):
        table("problem", why="x" * 100)
    table("note", 40, text="told")
    table("ended", 40, outcome="fixed", code=0, why=["one", "two"])
    frames = capsys.readouterr().out.split("\x1b[J")
    lines = frames[-2].split("\n")
    assert lines[0].startswith("\x1b[")
    shown = [line.replace("\x1b[2K", "") for line in lines]
    assert len(shown) - 1 < 12
    assert all(len(line) < 60 for line in shown[1:])
    assert any("#40" in line and "fixed: one; two" in line for line in shown)
    assert any("more" in line for line in shown)
    table("gone", 40)
    assert "#40 " not in capsys.readouterr().out


def test_lines_are_one_json_each(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = Lines()
    lines("seen", 7, title="quiet")
    lines("ended", 7, outcome="fixed", why=["\u202e\n"])
    lines("stopped", code=0)
    out = capfdbinary.readouterr().out
    first, second = out.splitlines()
    said = json.loads(first)
    assert list(said)[:3] == ["at", "event", "number"]
    assert said["why"] == ["\u202e\n"]
    assert b"\\u202e" in first
    assert json.loads(second)["event"] == "stopped"
