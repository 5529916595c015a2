"""What each commit adds, held against what git says of every commit by itself."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfreview.api import CommittedLines
from selfreview.errors import GitError, ToolError, ToolTimeout
from selfreview.git import commit_lines as reading
from selfreview.git.commit_lines import Commits, log_arguments, parse_log
from selfreview.git.objects import read_blobs
from selfreview.git.repo import discover
from selfreview.model.change import FileStatus, path_bytes
from selfreview.proc import Runner
from tests.conftest import Workspace

LINES = [
    b"plain", b"", b"commit 0123456789", b"diff --git a/x b/x", b"diff --cc x", b"+++ b/x", b"--- a/x", b"@@ -1 +1 @@",
    b"@@@ -1 -1 +1 @@@", b"\\ No newline at end of file", b"+", b"-", b" ", b"a\rb\r", b"new file mode 120000",
    b"rename to y", b"index 1..2 120000", b"\xff\xfe", b"\x1b[31m", b"Binary files a/x and b/x differ",
]  # fmt: skip
NAMES = [
    "plain.txt",
    "a b.py",
    "tab\there",
    'quo"te',
    "new\nline",
    "back\\slash",
    "sub/b/x",
    "b/x",
    "ü.txt",
    "commit 1",
]


def parsed(workspace: Workspace, *revisions: str) -> list[CommittedLines]:
    git = discover(workspace.root, os.environ).git
    said = git.run(log_arguments(revisions or ["--all"]))
    return list(parse_log(said, lambda oids: read_blobs(git, oids)))


def output(workspace: Workspace, *args: str) -> bytes:
    return subprocess.run(["git", *args], cwd=workspace.root, check=True, capture_output=True).stdout


def grow(workspace: Workspace, rng: random.Random) -> None:
    """Commit, rename, delete and merge at random."""
    for number in range(40):
        for name in rng.sample(NAMES, rng.randint(1, 3)):
            path = workspace.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_bytes().split(b"\n") if path.is_file() else []
            at = rng.randint(0, len(lines))
            lines[at : at + rng.randint(0, 2)] = rng.choices(LINES, k=rng.randint(0, 4))
            path.write_bytes(b"\n".join(lines))
        workspace.commit(f"diff --git a/{number} b/{number}\n\n+commit {number}")
        if number % 9 == 4:
            workspace.git("switch", "--quiet", "--create", f"side-{number}", "HEAD~2")
        if number % 9 == 8:
            workspace.git("merge", "--quiet", "--no-commit", "--no-ff", "--strategy=ours", "work")
            workspace.commit("merge", **{"merged.txt": f"{number}\n"})
            workspace.git("switch", "--quiet", "--force-create", "work")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_every_line_is_of_its_file_and_as_many_are_there_as_git_counts(workspace: Workspace, seed: int) -> None:
    grow(workspace, random.Random(seed))
    parts = parsed(workspace)
    counted = 0
    for part in parts:
        content = output(workspace, "cat-file", "blob", f"{part.commit}:{part.path}") + b"\n"
        for start, lines in part.hunks:
            there = content.split(b"\n")[start - 1 : start - 1 + lines.count(b"\n")]
            assert lines == b"".join(line + b"\n" for line in there)
    for commit in workspace.git("rev-list", "--all", "--no-merges").split():
        numbers = output(workspace, "show", "--numstat", "-z", "--find-renames", "--format=", commit)
        expected = sum(int(entry.split(b"\t")[0]) for entry in numbers.split(b"\0") if entry.count(b"\t") >= 2)
        assert sum(lines.count(b"\n") for p in parts if p.commit == commit for _, lines in p.hunks) == expected
        counted += expected
    assert counted > 100
    assert {path_bytes(name) for name in NAMES} == {path_bytes(part.path) for part in parts} & {*map(path_bytes, NAMES)}


def test_of_a_merge_what_no_parent_has(workspace: Workspace) -> None:
    workspace.commit("one", **{"a.txt": "1\n2\n3\n"})
    workspace.git("switch", "--quiet", "--create", "side")
    workspace.commit("side", **{"a.txt": "1\nside\n2\n3\n", "s.txt": "side\n"})
    workspace.git("switch", "--quiet", "work")
    workspace.commit("work", **{"a.txt": "1\n2\nwork\n3\n"})
    workspace.git("merge", "--quiet", "--no-commit", "--strategy=ours", "side")
    merge = workspace.commit("merge", **{"a.txt": "1\nside\nmine\n2\nwork\n3\nlast\n", "n.txt": "new\n"})
    parts = [part for part in parsed(workspace) if part.commit == merge]
    assert {part.path: part.hunks for part in parts} == {
        "a.txt": ((3, b"mine\n"), (7, b"last\n")),
        "n.txt": ((1, b"new\n"),),
    }


@pytest.mark.parametrize("hider", [b"\0", b""], ids=["a NUL byte", "an attribute"])
def test_of_a_merge_what_no_parent_has_of_a_file_that_git_does_not_show(workspace: Workspace, hider: bytes) -> None:
    workspace.write(".git/info/attributes", "" if hider else "* -diff\n")
    name = 'a "b".bin'
    workspace.commit("one", **{name: b"1\n2\n3\n" + hider})
    workspace.git("switch", "--quiet", "--create", "side")
    workspace.commit("side", **{name: b"1\nside\n2\n3\n" + hider})
    workspace.git("switch", "--quiet", "work")
    workspace.commit("work", **{name: b"1\n2\nwork\n3\n" + hider})
    workspace.git("merge", "--quiet", "--no-commit", "--strategy=ours", "side")
    merge = workspace.commit("merge", **{name: b"1\nside\nmine\nand\n2\nwork\n3\nlast" + hider, "new": b"1\n" + hider})
    parts = [part for part in parsed(workspace) if part.commit == merge]
    assert {part.path: (part.status, part.hunks) for part in parts} == {
        name: (FileStatus.MODIFIED, ((3, b"mine\nand\n"), (8, b"last" + hider + b"\n"))),
        "new": (FileStatus.ADDED, ((1, b"1\n" + (hider + b"\n" if hider else b"")),)),
    }


def test_the_name_that_a_file_has_by_now(workspace: Workspace) -> None:
    text = "".join(f"line {n}\n" for n in range(20))
    workspace.commit("one", **{"a.txt": text})
    workspace.git("mv", "a.txt", "b c.txt")
    workspace.commit("two", **{"b c.txt": text + "more\n"})
    workspace.git("mv", "b c.txt", "d.txt")
    workspace.commit("three")
    parts = parsed(workspace, "HEAD", "^main")
    assert [(part.path, part.path_now, part.status) for part in parts] == [
        ("a.txt", "d.txt", FileStatus.ADDED),
        ("b c.txt", "d.txt", FileStatus.RENAMED),
    ]


BEGIN = b"commit 1\n\ndiff --git a/x b/x\n"


@pytest.mark.parametrize(
    "data",
    [
        b"fatal: no\n",
        BEGIN + b"+++ b/x\n@@ nonsense\n+x\n",
        BEGIN + b"Binary files a/x and b/x differ\n",
        BEGIN + b"index 1..2 100644\nBinary files differ\n",
        b"commit 1\n\ndiff --cc x\nindex 1,2..3\nBinary files differ\n",  # without the blob
        b"commit 1\n\ndiff --combined x\nindex 1,2..3\n",
    ],
)
def test_what_is_not_understood_is_refused(data: bytes) -> None:
    with pytest.raises(GitError, match=r"not understood|has not got"):
        list(parse_log(data, lambda _: {}))


def test_what_is_known_of_commits_counts_only_where_they_are_read_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: Any = SimpleNamespace(resolved=SimpleNamespace(commits=("HEAD", "^main")))
    repo: Any = None
    commits = Commits(repo=repo, collected=collected, excluded=lambda _: None)
    before = commits.key
    assert before == commits.key
    other = tmp_path / "commits.py"
    other.write_bytes(Path(reading.__file__).read_bytes() + b"# reads more\n")
    monkeypatch.setattr(reading, "__file__", str(other))
    assert commits.key != before


@pytest.mark.parametrize(
    ("limit", "timeout", "kind", "hint"),
    [(10, 60.0, ToolError, "review the commits in parts: --range A..B"), (10**6, 0.0, ToolTimeout, None)],
)
def test_too_much_to_read_has_a_way_out_and_every_other_failure_stays_what_it_is(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, limit: int, timeout: float, kind: type, hint: str | None
) -> None:
    workspace.commit("one", **{"one.txt": "one\n"})
    repo = discover(workspace.root, os.environ)
    nothing: Any = None
    collected: Any = SimpleNamespace(git=repo.git, resolved=SimpleNamespace(commits=("HEAD",)))
    monkeypatch.setattr(reading, "MAX_BYTES", limit)
    commits = Commits(repo=repo, collected=collected, excluded=lambda _: None)
    with pytest.raises(ToolError) as caught:
        commits.read(nothing, nothing, Runner(), timeout)
    assert (type(caught.value), caught.value.hint) == (kind, hint)
