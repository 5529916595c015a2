"""``selfreview trust`` shows what it is asked to trust, all of it and as Python reads it."""

from __future__ import annotations

import os
import sys

import pytest

from selfreview.errors import ExitCode
from selfreview.trust.subject import code_lines
from tests.conftest import Workspace
from tests.nursery import start_program

CONF = "import os\n\n\ndef run() -> None:\n\tos.system('make\x1b[2K')\n"
TABLES = '[command.lint]\nrun = ["./lint", "{files}"]\nformat = "sarif"\n'


def test_the_code_and_the_tables_are_shown_before_they_are_trusted(workspace: Workspace) -> None:
    workspace.write("selfreview_conf.py", CONF)
    workspace.write("selfreview.toml", TABLES)
    for arguments in (["trust", "--show"], ["trust"]):
        ran = workspace.selfreview(*arguments)
        assert ran.code == ExitCode.PASSED
        assert "command.lint.run = ['./lint', '{files}']" in ran.out
        assert "  1 | import os\n  2 |\n  3 |\n  4 | def run() -> None:\n" in ran.out
        assert "  5 |     os.system('make\\x1b[2K')\n" in ran.out
    assert ran.out.index("def run") < ran.out.index("It is trusted now")


def test_it_takes_plugins_and_keys_as_the_other_commands_do(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", TABLES)
    assert workspace.selfreview("trust", "--show", "-o", "jobs=1", "-p", "no:semgrep").code == ExitCode.PASSED
    assert "unknown key nonsense" in workspace.selfreview("trust", "-o", "nonsense=1").err
    listed = workspace.selfreview("trust", "--list")
    assert (listed.out, listed.err) == ("", "No repository is trusted yet.\n")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (b"", []),
        (b"x = 1", ["1 | x = 1"]),
        (b"\xef\xbb\xbfx = 1\r\ny = 2\r\n", ["1 | x = 1", "2 | y = 2"]),
        (b"# fine\rimport os\n", ["1 | # fine", "2 | import os"]),
        ("x = '\u202e'\n".encode(), ["1 | x = '<U+202E>'"]),
        (b"# coding: utf-7\n# +AAo-import os\n", ["1 | # coding: utf-7", "2 | #", "3 | import os"]),
        (b"x = '\xff'\n", ["1 | x = '\\xff'"]),
        (b"# coding: nonsense\n\rx\n", ["1 | # coding: nonsense", "2 | \\rx"]),
        (b"x\n" * 10, [*(f" {n} | x" for n in range(1, 10)), "10 | x"]),
    ],
)
def test_code_is_shown_as_python_reads_it(source: bytes, shown: list[str]) -> None:
    assert code_lines(source) == shown


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")
@pytest.mark.parametrize(("lines", "answer"), [(3, "y"), (3, "n"), (200, "y")])
def test_on_a_terminal_a_person_is_asked(workspace: Workspace, lines: int, answer: str) -> None:
    import pty

    workspace.write("selfreview_conf.py", "x = 1\n" * lines)
    pager = workspace.root.parent / "pager"
    pager.write_text('#!/bin/sh\necho PAGED\nexec cat "$@"\n')
    pager.chmod(0o755)
    master, slave = pty.openpty()
    env = {**os.environ, "PAGER": str(pager), "LINES": "24", "TERM": "xterm"}
    child = start_program(["trust"], cwd=workspace.root, env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    os.write(master, f"{answer}\n".encode())
    said = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other side is closed
            break
        said += piece
    os.close(master)
    code = child.wait(60)
    assert b"May this run on your machine?" in said
    assert (b"PAGED" in said) == (lines > 24)
    assert code == (ExitCode.PASSED if answer == "y" else ExitCode.USAGE)
    trusted = workspace.selfreview("trust", "--list").out != ""
    assert trusted == (answer == "y")
