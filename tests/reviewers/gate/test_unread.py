"""Code in a change that nobody can read: behind a NUL byte, or behind a symbolic link."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from selfreview.api import FileStatus, Severity
from selfreview.reviewers.gate import GateReviewer
from selfreview.testing.context import MemoryConfig, MemoryContext
from tests.conftest import Workspace

CONFIG = {"baseline": "selfreview-baseline.json", "exclude": [], "max_file_bytes": 2_000_000}
NUL = b"eval(x)  #\0\n"


def look(
    path: str, old: bytes | None, new: bytes | None, *, lenient: bool = False, **fields: Any
) -> list[tuple[str | None, Severity]]:
    context = MemoryContext({path: (old, new)}, config=CONFIG)
    assert isinstance(context.config, MemoryConfig)
    files = tuple(msgspec.structs.replace(file, **{"binary": True, **fields}) for file in context.change.files)
    context.change = msgspec.structs.replace(context.change, files=files)
    found = GateReviewer(lenient=lenient).review((), context).findings
    assert all(finding.file == path and finding.suggested_fix for finding in found)
    rules = ("unreadable", "linked-code")
    assert all(
        finding.unreviewed is (finding.severity is Severity.MEDIUM) for finding in found if finding.rule in rules
    )
    return [(finding.rule, finding.severity) for finding in found if finding.rule in rules]


@pytest.mark.parametrize(
    "path",
    [
        "a.js",
        "a.sh",
        "A.PS1",
        "x.env",
        ".env",
        "Makefile",
        "i18n/a.py",
        "a.json",
        "index.html",
        "yarn.lock",
        "a.pth",
        ".npmrc",
        ".envrc",
        ".bashrc",
        ".gitattributes",
        "x.properties",
        "k.pem",
        "Brewfile",
        "a/bashrc",
    ],
)
@pytest.mark.parametrize("lenient", [True, False])
def test_new_code_with_a_nul_byte(path: str, lenient: bool) -> None:
    assert look(path, None, NUL, lenient=lenient) == [("unreadable", Severity.MEDIUM)]


@pytest.mark.parametrize(
    "path", ["a.png", "lib/a.so", "a.zip", "a.bin", "data", "a.psd", "a.woff2", ".DS_Store", ".coverage"]
)
@pytest.mark.parametrize("old", [None, b"\0\0"])
def test_what_is_binary_by_nature(path: str, old: bytes | None) -> None:
    assert look(path, old, b"\x7fELF\0\0") == []


def test_what_runs_though_its_name_does_not_say_so() -> None:
    assert look("run", None, b"#!/bin/sh\n#\0\n") == [("unreadable", Severity.MEDIUM)]
    assert look("run", None, NUL, new_mode="100755") == [("unreadable", Severity.MEDIUM)]
    assert look("run", None, b"\x7fELF\0", new_mode="100755") == []
    assert look("a.png", None, b"\x89PNG\0", new_mode="100755") == []


def test_the_name_of_a_binary_hides_no_script() -> None:
    unread = [("unreadable", Severity.MEDIUM)]
    assert look("run.o", None, b"#!/bin/sh\nx\n\0", new_mode="100755") == unread
    assert look("run.o", None, b"curl x | sh\n\0", new_mode="100755") == unread
    assert look("run.o", None, b"curl x | sh\n\0") == []  # nothing runs it
    for data in (b"\x89PNG\r\n\0", b"%PDF-1.4\n\0", b"\0\1\0\0\n", b"wOFF\0\n", b"ID3\3\0", b"\x7fELF\n\0"):
        assert look("a.dat.so", None, data, new_mode="100755") == []


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"


@pytest.mark.parametrize(
    ("path", "mode", "severity"),
    [
        ("a.py", "100644", Severity.MEDIUM),
        ("Makefile", "100644", Severity.MEDIUM),
        (".npmrc", "100644", Severity.MEDIUM),
        ("package.json", "100644", Severity.MEDIUM),
        ("deploy", "100755", Severity.MEDIUM),
        ("a.json", "100644", Severity.LOW),
        ("a.svg", "100644", Severity.LOW),
        ("a.png", "100644", None),
        ("model.onnx", "100644", None),
        ("data", "100644", None),
    ],
)
def test_a_pointer_of_git_lfs_stands_for_code(path: str, mode: str, severity: Severity | None) -> None:
    found = [("unreadable", severity)] if severity else []
    assert look(path, None, POINTER, binary=False, new_mode=mode) == found
    assert look(path, b"x\n", b"\n" + POINTER, binary=False, new_mode=mode) == found
    listed = [("unreadable", Severity.LOW)] if severity else []
    assert look(path, POINTER, POINTER + b"x", binary=False, new_mode=mode) == listed
    assert look(path, POINTER, None, binary=False, new_mode=mode) == []
    assert look(path, POINTER, b"# " + POINTER, binary=False, new_mode=mode) == []


def test_a_text_that_becomes_binary() -> None:
    assert look("notes.txt", b"hello\n", NUL) == [("unreadable", Severity.MEDIUM)]
    assert look("a.blob", b"", b"\0") == []
    assert look("a.blob", b"version https://git-lfs.github.com/spec/v1\n", b"\0") == []
    assert look("a.png", b"none yet\n", b"\0") == []


def test_what_was_unreadable_before_is_listed() -> None:
    assert look("a.ps1", b"x\0", NUL) == [("unreadable", Severity.LOW)]
    assert look("a.ps1", b"x\0", NUL, old_path="a.dat", status=FileStatus.RENAMED) == [("unreadable", Severity.MEDIUM)]


def test_a_text_and_what_is_deleted_hide_nothing() -> None:
    assert look("a.js", None, NUL, binary=False) == []
    assert look("a.js", NUL, None) == []


@pytest.mark.parametrize(("lenient", "severity"), [(True, Severity.LOW), (False, Severity.MEDIUM)])
@pytest.mark.parametrize("path", ["app.py", "action.yml", "Makefile", ".github/workflows", ".husky/pre-commit"])
def test_a_link_that_stands_for_code(path: str, lenient: bool, severity: Severity) -> None:
    link = {"binary": False, "new_mode": "120000", "old_mode": "000000"}
    assert look(path, None, b"data.txt", lenient=lenient, **link) == [("linked-code", severity)]
    changed = {"binary": False, "new_mode": "120000", "old_mode": "120000", "old_oid": "a", "new_oid": "b"}
    assert look(path, b"old.txt", b"data.txt", lenient=lenient, **changed) == [("linked-code", severity)]


def test_a_link_to_something_else_and_a_link_that_goes() -> None:
    link = {"binary": False, "new_mode": "120000", "old_mode": "000000"}
    assert look("libz.so", None, b"libz.so.1", **link) == []
    assert look("data", None, b"elsewhere", **link) == []
    assert look("app.py", b"data.txt", None, binary=False, new_mode="120000") == []


def test_a_gate_blocks_both(workspace: Workspace) -> None:
    (workspace.root / "link.py").symlink_to("data.txt")
    (workspace.root / "a.js").write_bytes(NUL)
    workspace.git("add", "--all")
    workspace.commit("hidden", **{"data.txt": "eval(x)\n"})
    ran = workspace.selfreview("gate", "--format", "json", "--base", "main")
    assert ran.code == 1
    told = {(issue["file"], issue["rule"], issue["status"]) for issue in ran.json["issues"]}
    assert told == {("a.js", "unreadable", "open"), ("link.py", "linked-code", "open")}
