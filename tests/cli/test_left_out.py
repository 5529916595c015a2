"""What a review leaves out of the work that is there is told in a line, and as data."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Workspace


@pytest.fixture
def busy(workspace: Workspace) -> Workspace:
    """A branch with two commits, a staged file, two with more in the tree, and an untracked folder."""
    for name in ("one", "two"):
        workspace.commit(name, **{f"{name}.py": "x = 1\n"})
    workspace.write("staged.py", "x = 1\n")
    workspace.git("add", "staged.py")
    workspace.write("one.py", "x = 2\n")
    workspace.write("two.py", "x = 2\n")
    for name in ("a", "b", "c"):
        workspace.write(f"new/{name}.py", "x = 1\n")
    return workspace


def left_out(document: Any) -> dict[str, int]:
    return {one["what"]: one["count"] for one in document["coverage"]["leftOut"]}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (["--staged"], {"unstaged files": 2, "untracked files": 3}),
        (["--head", "HEAD"], {"uncommitted files": 3, "untracked files": 3}),
        (["--base", "main", "--head", "HEAD~1"], {"later commit": 1, "uncommitted files": 3, "untracked files": 3}),
        (["--commit", "HEAD~1"], {"later commit": 1, "uncommitted files": 3, "untracked files": 3}),
        (["--range", "main..HEAD"], {"uncommitted files": 3, "untracked files": 3}),
        (["one.py"], {"changed files elsewhere": 5}),
        (["--staged", "staged.py"], {"unstaged files": 2, "untracked files": 3}),
        (
            ["--head", "HEAD", "new", "two.py"],
            {"uncommitted files": 3, "untracked files": 3, "changed file elsewhere": 1},
        ),
        ([], {}),
    ],
)
def test_each_scope_says_what_it_leaves_out(busy: Workspace, scope: list[str], expected: dict[str, int]) -> None:
    assert left_out(busy.review("--no-fix", *scope)) == expected
    said = " ".join(busy.selfreview("run", "--no-fix", *scope).out.split())
    line = ", ".join(f"{count} {what}" for what, count in expected.items())
    assert (f"not reviewed: {line}" in said) if expected else ("not reviewed" not in said)


def test_nothing_is_staged_and_something_is_not(workspace: Workspace) -> None:
    workspace.write("new.py", "x = 1\n")
    done = workspace.selfreview("run", "--staged")
    assert done.out == ("nothing to review: no changes in the index against HEAD; not reviewed: 1 untracked file\n"), (
        done.err
    )


def test_another_branch_leaves_nothing_of_the_working_tree_out(busy: Workspace) -> None:
    busy.git("branch", "other", "main")
    busy.git("update-ref", "refs/heads/other", busy.git("commit-tree", "HEAD^{tree}", "-p", "main", "-m", "x").strip())
    assert left_out(busy.review("--base", "main", "--head", "other")) == {}


def test_what_would_be_reviewed_comes_with_what_would_not(busy: Workspace) -> None:
    said = busy.selfreview("run", "--staged", "--collect-only")
    assert "\nnot reviewed: 2 unstaged files, 3 untracked files\n" in said.out
    document = busy.review("--staged", "--collect-only")
    assert {"what": "unstaged files", "count": 2} in document["leftOut"]


def test_a_bare_patch_in_part(busy: Workspace) -> None:
    patch = busy.git("diff", "main", "HEAD")
    (busy.root / ".git" / "x.patch").write_text(patch)
    document = busy.review("--diff", str(busy.root / ".git" / "x.patch"), "one.py")
    assert left_out(document) == {"changed file elsewhere": 1}


def test_a_refinement_forgets_none_of_it(workspace: Workspace) -> None:
    workspace.write("app.py", "import requests\n\nGOT = requests.get('https://host', verify=False, timeout=9)\n")
    workspace.git("add", "--all")
    workspace.write("new.py", "x = 1\n")
    document = workspace.review("--staged", "--apply", "--stage")
    assert document["patch"]["applied"]
    assert left_out(document) == {"untracked file": 1}


class TestMerges:
    @pytest.fixture
    def merged(self, workspace: Workspace) -> Workspace:
        """A branch that has merged main, with a merge commit as its head."""
        workspace.commit("mine", **{"both.txt": "mine\n"})
        workspace.git("switch", "-q", "main")
        workspace.commit("theirs", **{"both.txt": "theirs\n", "theirs.txt": "theirs\n"})
        workspace.git("switch", "-q", "work")
        workspace.git("merge", "-q", "-s", "ours", "--no-commit", "main")
        workspace.write("both.txt", "ours\n")
        workspace.write("theirs.txt", "theirs\n")
        workspace.git("add", "--all")
        return workspace

    def test_a_commit_that_is_one_says_what_it_was_compared_with(self, merged: Workspace) -> None:
        merged.git("commit", "-q", "-m", "merge")
        document = merged.review("--commit", "HEAD")
        assert not document["scope"]["partial"]
        assert "HEAD is a merge, compared with its first parent: all that it merged counts as new" in document["notes"]
        assert document["scope"]["files"] == 2

    def test_a_hook_says_which_of_its_files_it_looked_at(self, merged: Workspace) -> None:
        document = merged.selfreview("hook", "run", "pre-commit", "--format", "json").json
        assert not document["scope"]["partial"]
        [note] = [note for note in document["notes"] if "merge," in note]
        assert note == "of this merge, only the files that are as in none of the merged commits were reviewed"
        assert left_out(document) == {"changed file taken from one side": 1}
        assert document["scope"]["files"] == 1
        said = merged.selfreview("hook", "run", "pre-commit")
        assert "partial" not in said.out + said.err

    def test_a_merge_that_edits_all_that_it_takes_leaves_nothing_out(self, merged: Workspace) -> None:
        merged.write("theirs.txt", "edited\n")
        merged.git("add", "--all")
        assert left_out(merged.selfreview("hook", "run", "pre-commit", "--format", "json").json) == {}

    def test_paths_are_still_a_part(self, merged: Workspace) -> None:
        document = merged.review("--staged", "both.txt")
        assert document["scope"]["partial"]
        assert "partial: only the files under the paths given were reviewed" in document["notes"]
