"""The quick answer of a hook: never another one than the careful answer, and nothing imported for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from selfreview.cli import entry
from selfreview.cli.entry import answer_hook
from selfreview.git.collect_change import collect
from selfreview.git.repo import discover
from selfreview.git.scope import ScopeRequest
from tests.conftest import Workspace

ZERO = "0" * 40
OID = "1a" * 20
HEAVY = ("click", "msgspec", "pluggy", "subprocess", "dataclasses", "pathlib", "selfreview.cli.main", "selfreview.git")


def unborn(space: Workspace) -> None:
    space.git("switch", "-q", "--orphan", "fresh")


def unborn_with_a_file(space: Workspace) -> None:
    unborn(space)
    space.write("a.txt", "a\n")
    space.git("add", "a.txt")


def only_in_the_working_tree(space: Workspace) -> None:
    space.write("README.md", "changed\n")
    space.write("untracked.txt", "new\n")


def intent_to_add(space: Workspace) -> None:
    space.write("later.txt", "later\n")
    space.git("add", "--intent-to-add", "later.txt")


def staged_then_put_back_in_the_tree(space: Workspace) -> None:
    space.write("README.md", "changed\n")
    space.git("add", "README.md")
    space.write("README.md", "# Sample\n")


def mode_only(space: Workspace) -> None:
    space.git("update-index", "--chmod=+x", "README.md")


def deleted(space: Workspace) -> None:
    space.git("rm", "-q", "--cached", "README.md")


def empty_file(space: Workspace) -> None:
    space.write("empty", "")
    space.git("add", "empty")


def renamed(space: Workspace) -> None:
    space.git("mv", "README.md", "READ.md")


def submodule_that_is_ignored(space: Workspace) -> None:
    space.commit(**{".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = all\n'})
    space.git("update-index", "--add", "--cacheinfo", f"160000,{OID},sub")
    space.git("commit", "-q", "-m", "submodule")
    space.git("config", "diff.ignoreSubmodules", "all")
    space.git("update-index", "--cacheinfo", f"160000,{'2b' * 20},sub")


def attributes_and_programs(space: Workspace) -> None:
    space.commit("attributes", **{".gitattributes": "*.md -diff\n*.txt diff=quiet\n", "a.txt": "a\n"})
    space.git("config", "diff.quiet.textconv", "true")
    space.git("config", "diff.external", "true")
    space.write("a.txt", "b\n")
    space.git("add", "a.txt")


def only_white_space(space: Workspace) -> None:
    space.write("README.md", "#  Sample \n")
    space.git("add", "README.md")


def elsewhere_and_relative(space: Workspace) -> None:
    space.git("config", "diff.relative", "true")
    space.write("README.md", "changed\n")
    space.write("sub/file", "x\n")
    space.git("add", "README.md")


def skip_worktree(space: Workspace) -> None:
    space.write("README.md", "changed\n")
    space.git("add", "README.md")
    space.git("update-index", "--skip-worktree", "README.md")


def nothing(space: Workspace) -> None:
    pass


@pytest.mark.parametrize(
    ("situation", "staged"),
    [
        (nothing, False),
        (unborn, False),
        (unborn_with_a_file, True),
        (only_in_the_working_tree, False),
        (intent_to_add, False),
        (staged_then_put_back_in_the_tree, True),
        (mode_only, True),
        (deleted, True),
        (empty_file, True),
        (renamed, True),
        (submodule_that_is_ignored, True),
        (attributes_and_programs, True),
        (only_white_space, True),
        (elsewhere_and_relative, True),
        (skip_worktree, True),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no quick answer on Windows")
def test_it_agrees_with_the_careful_answer(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, situation: Callable[[Workspace], None], staged: bool
) -> None:
    situation(workspace)
    below = workspace.root / "sub"
    monkeypatch.chdir(below if below.is_dir() else workspace.root)
    collected = collect(discover(workspace.root, os.environ), ScopeRequest(staged=True))
    collected.close()
    assert bool(collected.change.files) is staged
    assert answer_hook(["pre-commit"]) is not staged


def test_the_index_is_that_of_the_commit(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.write("README.md", "changed\n")
    workspace.git("add", "README.md")
    clean = workspace.root / ".git" / "clean-index"
    monkeypatch.setenv("GIT_INDEX_FILE", str(clean))
    workspace.git("read-tree", "HEAD")
    monkeypatch.chdir(workspace.root)
    assert answer_hook(["pre-commit"])
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert not answer_hook(["pre-commit"])


def test_it_does_not_answer_when_git_fails(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    (workspace.root / ".git" / "index").write_bytes(b"not an index")
    assert not answer_hook(["pre-commit"])


def test_it_does_not_answer_when_there_is_no_git(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("PATH", str(workspace.root))
    assert not answer_hook(["pre-commit"])


def test_it_does_not_answer_when_a_range_is_named(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "main")
    assert answer_hook(["pre-commit"]), "without PRE_COMMIT it is no matter of this hook"
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert not answer_hook(["pre-commit"])


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["pre-commit", "--help"], ["pre-commit", "--fail-on", "high"], ["pre-push"],
                  ["pre-push", "--help", "origin"], ["pre-push", "origin"]],
)  # fmt: skip
def test_it_answers_only_what_it_understands(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(workspace.root)
    assert not answer_hook(arguments)


def hook(space: Workspace, *arguments: str, stdin: str = "", **env: str) -> tuple[int, str, list[str]]:
    """Run a hook as a process; return its exit code, its words, and which heavy modules it loaded."""
    code = (
        "import sys, atexit\n"
        f"atexit.register(lambda: sys.stderr.write('loaded ' + ' '.join(m for m in {HEAVY!r} if m in sys.modules)))\n"
        f"sys.argv = ['selfreview', 'hook', 'run', *{arguments!r}]\n"
        "from selfreview.cli.entry import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        cwd=space.root,
        env={**os.environ, **env},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    words, _, loaded = done.stderr.rpartition("loaded ")
    return done.returncode, done.stdout + words, loaded.split()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no quick answer on Windows")
def test_nothing_staged_loads_nothing(workspace: Workspace) -> None:
    assert hook(workspace, "pre-commit") == (0, "", [])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no quick answer on Windows")
def test_pre_commit_hears_that_nothing_was_reviewed(workspace: Workspace) -> None:
    said = "selfreview: nothing is staged, so nothing was reviewed\n"
    assert hook(workspace, "pre-commit", PRE_COMMIT="1") == (0, said, [])


@pytest.mark.parametrize(
    "lines",
    [
        f"(delete) {ZERO} refs/heads/x {OID}\n",
        f"(delete) {ZERO} refs/heads/x {OID}\n(delete) {ZERO} refs/tags/v1 {OID}\n",
        f"(delete) {'0' * 64} refs/heads/x {'1a' * 32}\n",
    ],
)
def test_deletions_load_nothing(workspace: Workspace, lines: str) -> None:
    assert hook(workspace, "pre-push", "origin", "url", stdin=lines) == (0, "", [])


def test_no_lines_at_all_are_told(workspace: Workspace) -> None:
    said = "selfreview: git names nothing to push, so nothing was reviewed\n"
    assert hook(workspace, "pre-push", "origin", "url") == (0, said, [])


@pytest.mark.parametrize("value", ["1", "yes"])
@pytest.mark.parametrize("arguments", [["pre-commit"], ["pre-push", "origin", "url"], ["pre-push", "--offline"]])
def test_skipping_loads_nothing_and_says_so(workspace: Workspace, arguments: list[str], value: str) -> None:
    workspace.write("README.md", "changed\n")
    workspace.git("add", "README.md")
    said = "selfreview: skipped, because SELFREVIEW_SKIP is set\n"
    assert hook(workspace, *arguments, SELFREVIEW_SKIP=value) == (0, said, [])


@pytest.mark.parametrize(
    "lines",
    [
        f"(delete) {ZERO} refs/heads/x {OID}\nrefs/heads/y {OID} refs/heads/y {ZERO}\n",
        "garbage\n",
        "\n",
        "(delete) 0 refs/heads/x 0\n",
        "a  b c\n",
    ],
)
def test_everything_else_is_read_again_in_full(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, lines: str
) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert not answer_hook(["pre-push", "origin", "url"])
    assert sys.stdin.buffer.read() == lines.encode()


def test_a_closed_standard_input_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert not answer_hook(["pre-push", "origin", "url"])


def test_being_interrupted_is_no_crash(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(arguments: list[str]) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "answer_hook", interrupted)
    monkeypatch.setattr(sys, "argv", ["selfreview", "hook", "run", "pre-commit"])
    with pytest.raises(SystemExit) as caught:
        entry.main()
    assert caught.value.code == 130
    assert capsys.readouterr() == ("", "error: interrupted\n")
