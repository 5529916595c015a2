"""A workspace holds exactly what is under review, and nothing that happens in it reaches the person's repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.git.collect_change import collect
from selfreview.git.content import tree_id
from selfreview.git.make_workspace import share
from selfreview.git.repo import discover
from selfreview.git.scope import ScopeRequest
from selfreview.git.worktree_files import Entry
from tests.conftest import Workspace as Person
from tests.refine.lab import fill, tree_of, workspace_of

IGNORED = {"ignored/cache.bin", "debug.log"}


def test_the_working_tree_byte_by_byte(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        mine = {path: what for path, what in tree_of(workspace.root).items() if path not in IGNORED}
        theirs = tree_of(scratch.root)
        executable = {path: (bool(mode & 0o100), data) for path, (mode, data) in mine.items()}
        assert {path: (bool(mode & 0o100), data) for path, (mode, data) in theirs.items()} == executable


def test_the_index_alone(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path, ScopeRequest(staged=True)) as (_, scratch):
        assert scratch.start == workspace.git("write-tree")
        assert scratch.read("both.py") == Entry("100644", b"p = 2\nq = 2\n")
        assert scratch.read("new.py") is None


def test_a_commit(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path, ScopeRequest(commit="HEAD~1")) as (_, scratch):
        assert scratch.start == workspace.git("rev-parse", "HEAD~1^{tree}")


@pytest.mark.parametrize("request_", [ScopeRequest(), ScopeRequest(staged=True), ScopeRequest(commit="HEAD")], ids=str)
def test_its_tree_is_the_one_that_was_reviewed(workspace: Person, tmp_path: Path, request_: ScopeRequest) -> None:
    fill(workspace)
    repo = discover(workspace.root, os.environ)
    collected = collect(repo, request_)
    reviewed = tree_id(repo, collected)
    collected.close()
    with workspace_of(workspace, tmp_path, request_) as (_, scratch):
        assert scratch.start == reviewed


def test_it_is_not_that_of_head_where_a_file_is_back_at_the_base(workspace: Person) -> None:
    workspace.commit("base", **{"a.py": "a = 1\n", "b.py": "b = 1\n"})
    workspace.git("branch", "-f", "main")
    workspace.commit("change", **{"a.py": "a = 2\n", "b.py": "b = 2\n"})
    workspace.write("a.py", "a = 1\n")
    repo = discover(workspace.root, os.environ)
    collected = collect(repo, ScopeRequest(base="main"))
    found = tree_id(repo, collected)
    collected.close()
    workspace.git("add", "a.py")
    assert found == workspace.git("write-tree")


def test_line_ends_that_git_would_write_otherwise(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("attributes", **{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "one\n", "b.txt": "x\n"})
    workspace.write("a.txt", b"one\ntwo\r\n")
    with workspace_of(workspace, tmp_path) as (_, scratch):
        assert scratch.read("a.txt") == Entry("100644", b"one\ntwo\r\n")
        assert scratch.at(scratch.start, "b.txt") == Entry("100644", (scratch.root / "b.txt").read_bytes())


def test_its_git_does_not_wait_for_ever(workspace: Person, tmp_path: Path) -> None:
    with workspace_of(workspace, tmp_path) as (_, scratch):
        assert scratch.repo.git.with_env(GIT_INDEX_FILE="x").timeout == 300


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    person = Person(root)
    person.git("init", "--quiet")
    person.write("a.py", "a = 1\n")
    with workspace_of(person, tmp_path) as (_, scratch):
        assert scratch.read("a.py") == Entry("100644", b"a = 1\n")


def test_a_folder_that_became_a_file_and_the_other_way_round(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("first", **{"a/b.txt": "x\n", "c": "y\n"})
    (workspace.root / "a" / "b.txt").unlink()
    (workspace.root / "a").rmdir()
    workspace.write("a", "now a file\n")
    (workspace.root / "c").unlink()
    workspace.write("c/d.txt", "now a folder\n")
    with workspace_of(workspace, tmp_path) as (_, scratch):
        assert tree_of(scratch.root) == tree_of(workspace.root)


def test_nothing_that_git_does_in_it_reaches_the_person(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    workspace.git("remote", "add", "origin", "https://token@example.invalid/x.git")
    hook = workspace.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    before = subprocess.run(["git", "for-each-ref"], cwd=workspace.root, capture_output=True, check=True).stdout
    config = (workspace.root / ".git" / "config").read_bytes()
    with workspace_of(workspace, tmp_path) as (_, scratch):
        inside = Person(scratch.root)
        assert "token" not in inside.git("config", "--list")
        inside.write("edited.py", "changed\n")
        inside.git("stash", "--include-untracked")
        inside.commit("a commit that the person's hook would refuse")
        inside.git("tag", "mine")
        inside.git("branch", "--force", "main", "HEAD")
        inside.git("gc", "--prune=now", "--quiet")
    assert subprocess.run(["git", "for-each-ref"], cwd=workspace.root, capture_output=True, check=True).stdout == before
    assert (workspace.root / ".git" / "config").read_bytes() == config
    assert workspace.git("stash", "list") == ""
    assert workspace.git("worktree", "list").count("\n") == 0
    workspace.git("fsck", "--strict")


def test_history_branches_and_tags_are_known_in_it(workspace: Person, tmp_path: Path) -> None:
    workspace.git("tag", "v1")
    workspace.commit("second", **{"a.txt": "a\n"})
    with workspace_of(workspace, tmp_path) as (_, scratch):
        inside = Person(scratch.root)
        assert inside.git("describe", "--tags") == workspace.git("describe", "--tags")
        assert inside.git("rev-parse", "main") == workspace.git("rev-parse", "main")


def test_what_was_is_known_and_can_be_restored(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        before = tree_of(scratch.root)
        edit = {"edited.py": Entry("100644", b"x\n"), "kept.txt": None, "folder/new": Entry("100755", b"#!\n"),
                "link": Entry("120000", b"edited.py"), "crlf.txt": Entry("100644", b"lf\n")}  # fmt: skip
        was = {path: scratch.at(scratch.start, path) for path in edit}
        scratch.write(edit)
        assert set(scratch.changed(scratch.start, scratch.tree())) == set(edit)
        scratch.restore(was, scratch.start)
        assert tree_of(scratch.root) == before


def test_shared_folders_are_ignored_folders_of_links(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("ignore", **{".gitignore": "modules/\n"})
    workspace.write("modules/lib/index.js", "1\n")
    with workspace_of(workspace, tmp_path) as (_, scratch):
        assert share(workspace.root, scratch.root, ["modules", "nowhere"]) == ["nowhere"]
        assert (scratch.root / "modules/lib/index.js").read_text() == "1\n"
        assert scratch.tree() == scratch.start


def _exclude(inside: Person, _: Person) -> None:
    inside.write(".git/info/exclude", "*\n")


def _assume(inside: Person, _: Person) -> None:
    inside.git("update-index", "--assume-unchanged", "kept.txt")


def _filter(inside: Person, _: Person) -> None:
    inside.git("config", "filter.f.clean", "touch ran; echo nothing")
    inside.write(".git/info/attributes", "* filter=f\n")


def _other_worktree(inside: Person, person: Person) -> None:
    inside.git("config", "core.worktree", str(person.root))


def _other_repository(inside: Person, person: Person) -> None:
    shutil.rmtree(inside.root / ".git")
    inside.write(".git", f"gitdir: {person.root / '.git'}\n")


def _none(inside: Person, _: Person) -> None:
    shutil.rmtree(inside.root / ".git")


def _lock(inside: Person, _: Person) -> None:
    inside.write(".git/index.lock", "")


@pytest.mark.parametrize("deed", [_exclude, _assume, _filter, _other_worktree, _other_repository, _none, _lock])
def test_what_is_done_to_its_git_counts_for_nothing(
    workspace: Person, tmp_path: Path, deed: Callable[[Person, Person], None]
) -> None:
    fill(workspace)
    index = (workspace.root / ".git" / "index").read_bytes()
    with workspace_of(workspace, tmp_path) as (_, scratch):
        inside = Person(scratch.root)
        deed(inside, workspace)
        inside.write("added.py", "x = 1\n")
        inside.write("kept.txt", "edited\n")
        assert scratch.changed(scratch.start, scratch.tree()) == ["added.py", "kept.txt"]
        assert not (scratch.root / "ran").exists()
        scratch.refresh_view()
        assert inside.git("status", "--porcelain", "kept.txt")
        assert inside.git("rev-parse", "HEAD") == workspace.git("rev-parse", "HEAD")
        scratch.write({"added.py": None})
    assert (workspace.root / ".git" / "index").read_bytes() == index


@pytest.mark.parametrize("inside", [False, True], ids=["a folder for a file", "a file for a folder"])
def test_a_file_is_restored_whatever_stands_in_its_place(workspace: Person, tmp_path: Path, *, inside: bool) -> None:
    fill(workspace)
    path = "folder/deep/name with space.txt" if inside else "kept.txt"
    with workspace_of(workspace, tmp_path) as (_, scratch):
        was = {path: scratch.at(scratch.start, path)}
        if inside:
            shutil.rmtree(scratch.root / "folder")
            (scratch.root / "folder").symlink_to(tmp_path)
        else:
            (scratch.root / path).unlink()
            (scratch.root / path / "deep").mkdir(parents=True)
        gone = dict.fromkeys(scratch.changed(scratch.start, scratch.tree()))
        scratch.restore({**gone, **was}, scratch.start)
        assert scratch.read(path) == was[path]
    assert tmp_path.is_dir()


def test_what_is_taken_is_what_the_tree_was_made_of(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({"edited.py": Entry("100644", b"ours\n")})
        tree = scratch.tree()
        assert scratch.take(tree, "edited.py") == Entry("100644", b"ours\n")
        assert scratch.take(tree, "gone.txt") is None
        scratch.write({"edited.py": Entry("100644", b"another's\n"), "gone.txt": Entry("100644", b"back\n")})
        for path in ("edited.py", "gone.txt"):
            with pytest.raises(GitError, match="changed while it was looked at"):
                scratch.take(tree, path)
        assert scratch.at(tree, "edited.py") == Entry("100644", b"ours\n")


@pytest.mark.parametrize("setting", ["true", "input", "false"])
def test_what_is_taken_is_as_it_was_written(workspace: Person, tmp_path: Path, setting: str) -> None:
    """Not as git would write it, be its line ends converted or not."""
    workspace.commit("files", **{"crlf.txt": b"one\r\n", "lf.txt": "one\n"})
    workspace.git("config", "core.autocrlf", setting)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        written = {path: Entry("100644", data) for path in ("crlf.txt", "lf.txt", "new.txt")
                   for data in (b"one\r\ntwo\r\n",)}  # fmt: skip
        scratch.write(written)
        tree = scratch.tree()
        assert {path: scratch.take(tree, path) for path in written} == written
        assert {path: scratch.at(tree, path) for path in written} == written


def test_what_git_does_not_see_is_written_anew(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("files", **{".gitattributes": "* text=auto\n", "a.py": "a = 1\n", "b.py": "b = 1\n"})
    with workspace_of(workspace, tmp_path) as (_, scratch):
        tree, looks = scratch.tree(), scratch.looks()
        scratch.write({"a.py": Entry("100644", b"a = 1\r\n"), "b.py": Entry("100644", b"b = 2\r\n")})
        assert scratch.changed(tree, scratch.tree()) == ["b.py"]
        scratch.undisturbed(looks, tree)
        assert (scratch.root / "a.py").read_bytes() == b"a = 1\n"
        assert (scratch.root / "b.py").read_bytes() == b"b = 2\r\n"


@pytest.mark.parametrize("setting", ["true", "input", "false"])
def test_what_was_brought_keeps_its_line_ends_in_later_trees(workspace: Person, tmp_path: Path, setting: str) -> None:
    workspace.commit("files", **{"b.py": "b = 1\n"})
    workspace.git("config", "core.autocrlf", setting)
    for name, data in {"crlf.txt": b"one\r\n", "lf.txt": b"one\n"}.items():
        workspace.write(name, data)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({"b.py": Entry("100644", b"b = 2\n")})
        tree, looks = scratch.tree(), scratch.looks()
        for name in ("crlf.txt", "lf.txt"):
            (scratch.root / name).touch()
        scratch.undisturbed(looks, tree)
        assert (scratch.root / "crlf.txt").read_bytes() == b"one\r\n"
        assert (scratch.root / "lf.txt").read_bytes() == b"one\n"


@pytest.mark.parametrize("setting", ["core.checkStat=minimal", "core.trustctime=false"])
def test_an_edit_whose_time_was_set_back_is_seen(
    workspace: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    workspace.commit("files", **{"a.py": "a = 1\n"})
    (tmp_path / "gitconfig").write_text(f"[core]\n\t{setting.removeprefix('core.')}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    with workspace_of(workspace, tmp_path) as (_, scratch):
        before, file = scratch.tree(), scratch.root / "a.py"
        stat = file.stat()
        file.write_bytes(b"a = 2\n")
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert scratch.tree() != before


def test_what_was_edited_is_found_without_the_git_of_who_edited(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        marker = tmp_path / "ran"
        config = scratch.root / ".git" / "config"
        config.write_text(config.read_text() + f'[filter "x"]\n\tclean = touch {marker}\n')
        (scratch.root / ".git" / "info").mkdir(exist_ok=True)
        (scratch.root / ".git" / "info" / "attributes").write_text("* filter=x\n")
        scratch.write({"edited.py": Entry("100644", b"a = 1\nb = 4\n"), "more.py": Entry("100644", b"m = 1\n")})
        assert sorted(scratch.edited()) == ["edited.py", "more.py"]
        assert not marker.exists()


def test_what_git_leaves_out_of_an_object_does_not_stay(workspace: Person, tmp_path: Path) -> None:
    """What stands in ``$Id$`` is in no object, so no review reads it; Python ends a comment at a lone return."""
    workspace.commit("files", **{".gitattributes": "*.py text ident\n", "a.py": "# $Id$\na = 1\n"})
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({"a.py": Entry("100644", b"# $Id: \rimport os $\r\na = 2\r\n")})
        tree = scratch.tree()
        taken = scratch.take(tree, "a.py")
        assert taken is not None
        assert b"import os" not in taken.data
        assert (scratch.root / "a.py").read_bytes() == taken.data
        assert scratch.tree() == tree
        assert scratch.at(tree, "a.py") == taken


def test_a_repository_that_was_made_in_it_is_no_edited_file(workspace: Person, tmp_path: Path) -> None:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({"inner/a.py": Entry("100644", b"a = 1\n")})
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
            subprocess.run(["git", *command], cwd=scratch.root / "inner", check=True)
        assert scratch.edited() == []
