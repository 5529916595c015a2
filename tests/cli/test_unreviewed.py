"""What nobody could review blocks at every threshold: the worst may be there."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import few

UNDEFINED = b"print(undefined_thing)\n"
HIDING: dict[str, tuple[str, bytes, str]] = {
    "its size": ("big.py", UNDEFINED + b"# pad\n" * 300, "too-large"),
    "a NUL byte": ("nul.py", UNDEFINED + b"#\0\n", "unreadable"),
    "git-lfs": ("lfs.py", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "unreadable"),
    "the length of a line": ("long.js", b"x = [eval(x), " + b"g(y), " * 5_000 + b"]\n", "line-too-long-to-review"),
    "an encoding": ("latin.py", b"# coding: latin-1\n# \xe9\n" + UNDEFINED, "other-encoding"),
    "a disguise": ("seven.py", b"# coding: utf-7\n" + UNDEFINED, "disguised-encoding"),
    "a conversion": (".gitattributes", b"*.py working-tree-encoding=UTF-7\n", "converted-text"),
}  # fmt: skip
FORK = {"SELFREVIEW_CI_FORK": "true", "SELFREVIEW_CI_BASE": "main"}
OWN = {"SELFREVIEW_CI_FORK": "false", "SELFREVIEW_CI_BASE": "main"}
HIGHEST = 'severity_threshold = "critical"\n'
BUT_ONE = 'severity_threshold = { default = "never", performance = "critical" }\n'


def gate(workspace: Workspace, settings: str, file: str, content: bytes, *args: str, **env: str) -> Ran:
    if file == "big.py":
        settings = f"max_file_bytes = 1000\n{settings}"
    workspace.git("checkout", "--quiet", "main")
    workspace.commit("settings", **{"selfreview.toml": settings})
    workspace.git("checkout", "--quiet", "-B", "work")
    (workspace.root / file).write_bytes(content)
    workspace.git("add", "--all")
    workspace.git("commit", "--quiet", "-m", "hide")
    return workspace.selfreview("gate", "--format", "json", *args, **env)


@pytest.mark.parametrize("hiding", few([*HIDING], "its size", "a NUL byte", "a disguise", "a conversion"))
def test_it_blocks_at_every_threshold(workspace: Workspace, hiding: str) -> None:
    file, content, rule = HIDING[hiding]
    ran = gate(workspace, HIGHEST, file, content, **FORK)
    assert ran.code == ExitCode.ISSUES, ran
    unread = [issue for issue in ran.json["issues"] if issue["unreviewed"]]
    assert {(issue["rule"], issue["status"]) for issue in unread} == {(rule, "open")}
    assert gate(workspace, f"# own\n{HIGHEST}", file, content, **OWN).code == ExitCode.ISSUES


def test_it_blocks_whatever_category_does_not_count(workspace: Workspace) -> None:
    file, content, _ = HIDING["an encoding"]
    assert gate(workspace, BUT_ONE, file, content, **FORK).code == ExitCode.ISSUES


def test_it_does_not_where_nothing_blocks(workspace: Workspace) -> None:
    file, content, _ = HIDING["an encoding"]
    assert gate(workspace, 'severity_threshold = "never"\n', file, content, **FORK).code == ExitCode.PASSED


@pytest.mark.parametrize("hiding", ["its size", "a NUL byte", "an encoding"])
def test_a_maintainer_can_let_it_pass(workspace: Workspace, hiding: str) -> None:
    file, content, _ = HIDING[hiding]
    ran = gate(workspace, HIGHEST, file, content, **FORK)
    marks = [issue["fingerprint"] for issue in ran.json["issues"] if issue["unreviewed"]]
    accepts = [argument for mark in marks for argument in ("--accept", mark)]
    assert gate(workspace, f"# again\n{HIGHEST}", file, content, *accepts, **FORK).code == ExitCode.PASSED
