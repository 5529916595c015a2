"""Every tool, failing in every way: the result is never an empty list of findings."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Reviewer
from selfreview.errors import ToolError, ToolTimeout
from selfreview.reviewers import hadolint, shellcheck, zizmor
from selfreview.reviewers.command import CommandReviewer
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.semgrep import SemgrepReviewer
from selfreview.reviewers.tools.reviewer import ToolReviewer
from tests.reviewers.command.test_formats import diagnostic
from tests.reviewers.command.test_formats import document as rdjson
from tests.reviewers.command.test_sarif import log, result
from tests.reviewers.fakes import printer, program, run
from tests.reviewers.test_semgrep import document as semgrep_document
from tests.reviewers.test_semgrep import match
from tests.reviewers.test_zizmor import audit

FILES = {
    "a.py": "x = 1\n",
    "a.sh": "#!/bin/sh\n",
    "Dockerfile": "FROM x:1\n",
    ".github/workflows/a.yml": "on: push\n",
    "src/a.js": "x\n",
    "a.go": "x\n",
}
OTHERS = {".semgrep.yml": "rules: []\n"}


def command(format_: str) -> Callable[[Path], Reviewer]:
    """Return what makes a configured command of a format."""
    table: dict[str, Any] = {"format": format_}
    if format_ == "pattern":
        table["pattern"] = r"(?P<file>\S+):(?P<line>\d+):(?P<message>.*)"
    return lambda tool: CommandReviewer("tool", {**table, "run": [str(tool), "{files}"]})


PLACE = {"row": 1, "column": 1}
RUFF = {"code": "F821", "filename": "a.py", "location": PLACE, "end_location": PLACE, "message": "m"}
RANGE = {"line": 1, "column": 1, "endLine": 1, "endColumn": 1}
COMMENT = {"file": "a.sh", **RANGE, "level": "info", "code": 1, "message": "m"}
ENTRY = {"code": "DL1", "file": "Dockerfile", "line": 1, "column": 1, "level": "info", "message": "m"}

TOOLS: dict[str, tuple[Callable[[Path], Reviewer], bytes]] = {
    "ruff": (RuffReviewer, json.dumps([RUFF]).encode()),
    "shellcheck": (functools.partial(ToolReviewer, shellcheck.RECORD), json.dumps({"comments": [COMMENT]}).encode()),
    "hadolint": (functools.partial(ToolReviewer, hadolint.RECORD), json.dumps([ENTRY]).encode()),
    "zizmor": (functools.partial(ToolReviewer, zizmor.RECORD), json.dumps([audit("x")]).encode()),
    "semgrep": (SemgrepReviewer, json.dumps(semgrep_document(match())).encode()),
    "sarif": (command("sarif"), json.dumps(log(result())).encode()),
    "rdjson": (command("rdjson"), rdjson(diagnostic())),
    "rdjsonl": (command("rdjsonl"), json.dumps(diagnostic()).encode()),
    "pattern": (command("pattern"), b"a.go:1:m"),
}
DOCUMENTS = sorted(set(TOOLS) - {"pattern"})
every = pytest.mark.parametrize("name", TOOLS)


def make(name: str, tool: Path) -> Reviewer:
    """Make a tool's reviewer with another executable."""
    return TOOLS[name][0](tool)


@every
def test_what_is_whole_is_a_finding(name: str, tmp_path: Path) -> None:
    """The other tests of this file would pass for the wrong reason without it."""
    assert len(run(make(name, printer(tmp_path, TOOLS[name][1])), FILES, others=OTHERS).findings) == 1


def ends(name: str, folder: Path, end: str) -> Reviewer:
    """Make a tool's reviewer with an executable that prints a whole report and then does something else."""
    return make(name, printer(folder, TOOLS[name][1], end=end))


@every
@pytest.mark.parametrize("status", [3, 70, 139, 255])
def test_a_crash(name: str, status: int, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="it went wrong"):
        run(ends(name, tmp_path, f"echo it went wrong >&2; exit {status}"), FILES, others=OTHERS)


@every
def test_a_kill(name: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="killed by SIGKILL"):
        run(ends(name, tmp_path, "kill -9 $$"), FILES, others=OTHERS)


@every
def test_a_hang(name: str, tmp_path: Path) -> None:
    with pytest.raises(ToolTimeout):
        run(ends(name, tmp_path, "exec sleep 60"), FILES, others=OTHERS, timeout=0.1)


@every
def test_too_much(name: str, tmp_path: Path) -> None:
    body = "block = b'[' * 1_000_000\nfor _ in range(100): sys.stdout.buffer.write(block)"
    with pytest.raises(ToolError, match="more than"):
        run(make(name, program(tmp_path, body)), FILES, others=OTHERS)


@every
def test_what_cannot_be_started(name: str, tmp_path: Path) -> None:
    broken = tmp_path / "tool"
    broken.write_bytes(b"\x7fELF this is none")
    broken.chmod(0o755)
    with pytest.raises(ToolError, match="cannot be started"):
        run(make(name, broken), FILES, others=OTHERS)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("output", [b"oops", b"\xff\xfe\xfd", b"null", b"3", b'"text"', b"[[]]", b"[null]", b"{}{}"])
def test_garbage(name: str, output: bytes, tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        run(make(name, printer(tmp_path, output)), FILES, others=OTHERS)


@pytest.mark.parametrize("name", sorted(set(DOCUMENTS) - {"rdjsonl"}))
def test_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        run(make(name, printer(tmp_path, b" \n")), FILES, others=OTHERS)


@pytest.mark.parametrize("name", ["shellcheck", "hadolint", "zizmor", "semgrep"])
def test_nothing_but_the_reason(name: str, tmp_path: Path) -> None:
    tool = program(tmp_path, "sys.stderr.write('cannot open the shared library')")
    with pytest.raises(ToolError, match="printed no report: cannot open the shared library"):
        run(make(name, tool), FILES, others=OTHERS)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_half_a_document(name: str, part: float, tmp_path: Path) -> None:
    whole = TOOLS[name][1]
    with pytest.raises(ToolError):
        run(make(name, printer(tmp_path, whole[: int(len(whole) * part)])), FILES, others=OTHERS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_number_where_text_is_expected(name: str, tmp_path: Path) -> None:
    whole = TOOLS[name][1]
    for message in (b'"m"', b'"eval is bad"', b'"it is bad"', b'"do not"'):
        whole = whole.replace(message, b"3")
    with pytest.raises(ToolError):
        run(make(name, printer(tmp_path, whole)), FILES, others=OTHERS)
