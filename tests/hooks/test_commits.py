"""Real commits: the hook reviews what git is about to take, all of it and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfreview.proc import Runner
from tests.conftest import Workspace
from tests.hooks.hooked import BAD, Hooked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Git for Windows brings the shell")


def test_a_clean_commit_passes(repo: Hooked) -> None:
    repo.write("a.txt", "fine\n")
    repo.git("add", "a.txt")
    said = repo.passes("commit", "-m", "clean")
    ours = [line for line in said.splitlines() if "selfreview" in line]
    assert ours == ["selfreview: passed, 1 file, 1 by a text scan only, no model, so logic was not read"]


def test_a_bad_commit_is_stopped_and_says_how_to_go_on(repo: Hooked) -> None:
    repo.write("a.txt", BAD)
    repo.git("add", "a.txt")
    said = repo.stopped("commit", "-m", "bad")
    assert "a.txt:1" in said
    assert "SELFREVIEW_SKIP=1 git commit" in said
    assert "skipped" in repo.passes("commit", "-m", "bad", SELFREVIEW_SKIP="1")


def test_a_comment_for_another_tool_that_names_the_same_lets_a_commit_pass(repo: Hooked) -> None:
    for mark, go in (("noqa", repo.stopped), ("noqa: S307", repo.passes)):
        repo.write("a.py", f"def f(text):\n    return eval(text)  # {mark}\n")
        repo.git("add", "a.py")
        go("commit", "-m", mark, SELFREVIEW_REVIEWERS="rules")


def test_only_the_staged_part_counts(repo: Hooked) -> None:
    repo.write("a.txt", "fine\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", BAD)
    repo.write("untracked.txt", BAD)
    repo.passes("commit", "-m", "the clean part")


def test_the_staged_part_counts_although_the_tree_is_clean(repo: Hooked) -> None:
    repo.write("a.txt", BAD)
    repo.git("add", "a.txt")
    repo.write("a.txt", "fine\n")
    repo.stopped("commit", "-m", "the bad part")


def test_commit_all(repo: Hooked) -> None:
    repo.write("README.md", BAD)
    assert "README.md:1" in repo.stopped("commit", "-a", "-m", "all")


def test_commit_of_a_path_takes_that_path(repo: Hooked) -> None:
    repo.commit(**{"a.txt": "a\n", "b.txt": "b\n"})
    repo.write("a.txt", BAD)
    repo.git("add", "a.txt")
    repo.write("b.txt", "fine\n")
    repo.passes("commit", "-m", "b", "b.txt")
    assert "a.txt:1" in repo.stopped("commit", "-m", "a", "a.txt")


def test_amending_reviews_what_is_added(repo: Hooked) -> None:
    repo.commit(**{"a.txt": "a\n"})
    repo.write("b.txt", BAD)
    repo.git("add", "b.txt")
    assert "b.txt:1" in repo.stopped("commit", "--amend", "-m", "more")
    repo.git("reset", "-q", "--hard")
    repo.passes("commit", "--amend", "-m", "other words")


def test_from_a_folder_below(repo: Hooked) -> None:
    repo.write("sub/a.txt", BAD)
    repo.git("add", "sub")
    assert "sub/a.txt:1" in repo.stopped("commit", "-m", "below", cwd=repo.root / "sub")


def test_in_a_linked_worktree(repo: Hooked) -> None:
    repo.git("worktree", "add", "-q", "-b", "linked", "../linked")
    repo.write("main.txt", BAD)
    repo.git("add", "main.txt")
    linked = Hooked(Workspace(repo.root.parent / "linked"))
    linked.write("linked.txt", "fine\n")
    linked.git("add", "linked.txt")
    linked.passes("commit", "-m", "clean")
    linked.write("linked.txt", BAD)
    assert "linked.txt:1" in linked.stopped("commit", "-a", "-m", "bad")


def test_with_the_git_directory_named_by_a_variable(repo: Hooked, tmp_path: Path) -> None:
    repo.write("a.txt", BAD)
    repo.git("add", "a.txt")
    where = {"GIT_DIR": str(repo.root / ".git"), "GIT_WORK_TREE": str(repo.root)}
    assert "a.txt:1" in repo.stopped("commit", "-m", "bad", cwd=tmp_path, **where)


def test_nothing_staged(repo: Hooked) -> None:
    repo.write("a.txt", BAD)
    assert repo.passes("commit", "--quiet", "--allow-empty", "-m", "empty") == ""


def test_the_first_commit(repo: Hooked) -> None:
    repo.git("switch", "-q", "--orphan", "fresh")
    repo.write("a.txt", BAD)
    repo.git("add", "a.txt")
    assert "against the empty tree" in repo.stopped("commit", "-m", "first")


def test_a_repository_with_sha256(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    repo = Hooked(Workspace(root))
    repo.git("init", "-q", "--object-format=sha256", "--initial-branch=main")
    repo.install()
    repo.write("a.txt", BAD)
    repo.git("add", "a.txt")
    repo.stopped("commit", "-m", "first")
    repo.write("a.txt", "fine\n")
    repo.passes("commit", "-a", "-m", "first")
    assert repo.passes("commit", "--quiet", "--allow-empty", "-m", "empty") == ""


class TestMerges:
    """Others' work has been reviewed; what the merge adds has not."""

    @pytest.fixture
    def merging(self, repo: Hooked) -> Hooked:
        repo.commit(**{"both.txt": "mine\n"})
        repo.git("switch", "-q", "main")
        repo.commit(**{"both.txt": "theirs\n", "theirs.txt": BAD})
        repo.git("switch", "-q", "work")
        repo.hooked("merge", "--no-edit", "main")
        assert repo.git("ls-files", "--unmerged")
        return repo

    def test_a_bad_resolution_is_stopped(self, merging: Hooked) -> None:
        merging.git("add", "both.txt")
        said = merging.stopped("commit", "--no-edit")
        assert "both.txt:1" in said
        assert "theirs.txt" not in said

    def test_a_clean_one_passes(self, merging: Hooked) -> None:
        merging.write("both.txt", "ours\n")
        merging.git("add", "both.txt")
        merging.passes("commit", "--no-edit")

    def test_a_change_on_top_is_seen(self, merging: Hooked) -> None:
        merging.write("both.txt", "ours\n")
        merging.write("sub/on top.txt", BAD)
        merging.git("add", "--all")
        assert "sub/on top.txt:1" in merging.stopped("commit", "--no-edit")

    def test_one_side_as_it_is_needs_no_review(self, merging: Hooked) -> None:
        merging.write("both.txt", "theirs\n")
        merging.git("add", "both.txt")
        assert "takes every file as one side has it" in merging.passes("commit", "--no-edit")


def test_an_error_stops_the_commit(repo: Hooked) -> None:
    repo.write("a.txt", "fine\n")
    repo.write("selfreview.toml", "severity_treshold = 'low'\n")
    repo.git("add", "--all")
    assert "error: " in repo.stopped("commit", "-m", "bad configuration")


def test_code_of_the_repository_is_not_imported(repo: Hooked) -> None:
    for name in ("selfreview", "click", "json"):
        repo.write(f"{name}.py", "raise SystemExit(0)\n")
    repo.write("a.txt", BAD)
    repo.git("add", "--all")
    repo.stopped("commit", "-m", "bad")


def test_a_tool_of_a_review_that_commits_starts_no_other_review(repo: Hooked) -> None:
    repo.write("a.txt", BAD)
    repo.git("add", "--all")
    who = ["-c", "user.name=Test Tool", "-c", "user.email=tool@localhost"]
    done = Runner().run(["git", *who, "commit", "-m", "from within"], cwd=repo.root, timeout=60)
    assert done.stderr == b"selfreview: skipped, because SELFREVIEW_SKIP is set\n"
