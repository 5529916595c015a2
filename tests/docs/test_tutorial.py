"""What the tutorial has its reader do works, and prints what it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs import pages
from tests.nursery import run_program

TEXT = (pages.DOCS / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(?:console|python title="([\w./]+)")\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def steps() -> Iterator[tuple[str, str, str]]:
    """Yield ``("write", name, content)`` and ``("run", command, output)`` in the order of the page."""
    for name, body in BLOCK.findall(TEXT):
        if name:
            yield "write", name, body
            continue
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
            yield "run", command, output


def plain(text: str) -> str:
    """Return a text without what differs from run to run: times, and the filling whose length depends on them."""
    return re.sub(r"=+", "=", re.sub(r"\b\d+\.\d+s\b", "TIME", text)).strip()


def shows(said: str, printed: str) -> bool:
    """Whether a text is what the page says, in which an ellipsis stands for any text."""
    pattern = ".*".join(re.escape(part) for part in plain(said).split("…"))
    return re.fullmatch(pattern, plain(printed), re.DOTALL) is not None


class Reader:
    """Somebody who types what the page says, in a shell that remembers its folder and the last exit status."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0

    def run(self, command: str) -> str:
        words = shlex.split(command)
        if words[0] == "cd":
            self.folder /= words[1]
            return ""
        if words == ["echo", "$?"]:
            return str(self.status)
        if words[0] == "selfreview":
            done = run_program(words[1:], cwd=self.folder, env=os.environ)
            self.status = done.returncode
            return (done.stdout + done.stderr).decode()
        ran = subprocess.run(
            words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        self.status = ran.returncode
        return ran.stdout


def test_it_can_be_followed(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for kind, what, text in steps():
        if kind == "write":
            (reader.folder / what).write_text(text, encoding="utf-8")
            continue
        printed = reader.run(what)
        if text or what.split()[0] != "git":
            assert shows(text, printed) or (not text and not printed), f"$ {what}\n{printed}"
        else:
            assert reader.status == 0, f"$ {what}\n{printed}"


def test_it_goes_the_whole_way() -> None:
    commands = [what for kind, what, _ in steps() if kind == "run"]
    for part in ("selfreview run --no-fix", "selfreview run --apply", "selfreview run", "selfreview hook install"):
        assert any(command.startswith(part) for command in commands)


@pytest.mark.parametrize(
    ("said", "printed", "same"),
    [
        ("a\n…\nb\n", "a\nx\ny\nb\n", True),
        ("== 0.5s ==", "=== 12.1s =", True),
        ("a\nb\n", "a\nx\nb\n", False),
        ("…\nb\n", "a\nb\nc\n", False),
    ],
)
def test_what_differs_from_the_page_is_seen(said: str, printed: str, same: bool) -> None:
    assert shows(said, printed) is same
