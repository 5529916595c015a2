"""What a push would send, planned from the lines that git itself writes to a pre-push hook."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import HookError
from selfreview.git.push_ranges import Push, Update, parse_updates, plan_push
from selfreview.git.repo import discover
from tests.conftest import Workspace

NAMES = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n"), min_size=1)


class Pushing:
    """A clone of a bare remote, and what git says to its pre-push hook."""

    def __init__(self, space: Workspace, folder: Path, object_format: str = "sha1") -> None:
        self.space = space
        self.git = space.git
        self.said = folder / "said"
        hooks = folder / "hooks"
        hooks.mkdir()
        hook = hooks / "pre-push"
        hook.write_text(f'#!/bin/sh\ncat >"{self.said}"\nprintf %s "$1" >"{self.said}.remote"\nexit 1\n')
        hook.chmod(0o755)
        self.hooks = hooks
        self.remote("origin", object_format)

    def remote(self, name: str, object_format: str = "sha1") -> Path:
        path = self.space.root.parent / f"{name}.git"
        self.git("init", "--quiet", "--bare", f"--object-format={object_format}", "--initial-branch=main", str(path))
        self.git("remote", "add", name, str(path))
        return path

    def publish(self, *refs: str, remote: str = "origin") -> None:
        """Push without a hook."""
        self.git("push", "--quiet", "--no-verify", remote, *refs)

    def commit(self, name: str, content: str | None = None) -> str:
        return self.space.commit(f"change {name}", **{name: content or f"{name}\n"})

    def lines(self, *args: str) -> tuple[list[Update], str]:
        """Push up to the hook, and return what git said to it."""
        self.said.unlink(missing_ok=True)
        with pytest.raises(Exception, match="push"):
            self.git("-c", f"core.hooksPath={self.hooks}", "push", "--quiet", *args)
        return parse_updates(self.said.read_bytes()), Path(f"{self.said}.remote").read_text()

    def plan(self, *args: str) -> Push:
        updates, remote = self.lines(*args)
        return plan_push(discover(self.space.root, os.environ), updates, remote)

    def ranges(self, *args: str) -> list[tuple[str, str]]:
        plan = self.plan(*args)
        assert not plan.no_commit
        return [(item.old, item.new) for item in plan.ranges]

    @property
    def empty(self) -> str:
        return self.git("hash-object", "-t", "tree", "--stdin", stdin=b"")


@pytest.fixture
def push(workspace: Workspace, tmp_path: Path) -> Pushing:
    """The branch ``work``, at the same commit as ``main``, which is on the remote."""
    pushing = Pushing(workspace, tmp_path)
    pushing.publish("main")
    return pushing


def test_an_update_starts_where_the_remote_is(push: Pushing) -> None:
    old = push.commit("one")
    push.publish("work")
    push.commit("two")
    new = push.commit("three")
    assert push.ranges("origin", "work") == [(old, new)]
    assert push.plan("origin", "work").ranges[0].commits == 2


def test_a_new_branch_starts_where_it_left_the_remotes_branches(push: Pushing) -> None:
    main = push.git("rev-parse", "main")
    push.commit("one")
    new = push.commit("two")
    assert push.ranges("origin", "work") == [(main, new)]


def test_a_new_branch_on_top_of_a_pushed_one_starts_there(push: Pushing) -> None:
    below = push.commit("below")
    push.publish("work")
    push.git("switch", "-qc", "above")
    new = push.commit("above")
    assert push.ranges("origin", "above") == [(below, new)]


def test_the_first_push_of_all_starts_at_nothing(workspace: Workspace, tmp_path: Path) -> None:
    push = Pushing(workspace, tmp_path)
    new = push.commit("one")
    assert push.ranges("origin", "work") == [(push.empty, new)]


def test_a_branch_without_a_common_commit_starts_at_nothing(push: Pushing) -> None:
    push.git("switch", "-q", "--orphan", "pages")
    new = push.commit("page")
    assert push.ranges("origin", "pages") == [(push.empty, new)]


def test_a_deletion_brings_nothing(push: Pushing) -> None:
    push.publish("work")
    assert push.ranges("origin", ":work") == []


def test_a_deletion_beside_an_update_does_not_hide_it(push: Pushing) -> None:
    push.publish("work:gone")
    main = push.git("rev-parse", "main")
    new = push.commit("one")
    assert push.ranges("origin", ":gone", "work") == [(main, new)]


def test_several_refs_have_a_range_each(push: Pushing) -> None:
    main = push.git("rev-parse", "main")
    one = push.commit("one")
    push.git("switch", "-qc", "other", "main")
    two = push.commit("two")
    assert sorted(push.ranges("origin", "work", "other")) == sorted([(main, one), (main, two)])


def test_the_same_commits_under_two_names_are_one_range(push: Pushing) -> None:
    main = push.git("rev-parse", "main")
    new = push.commit("one")
    plan = push.plan("origin", "work:a", "work:b")
    assert [(item.old, item.new) for item in plan.ranges] == [(main, new)]
    assert sorted(plan.ranges[0].refs) == ["refs/heads/a", "refs/heads/b"]


def test_commits_that_another_branch_of_the_remote_has_bring_nothing(push: Pushing) -> None:
    push.commit("one")
    push.publish("work:elsewhere")
    push.git("fetch", "-q", "origin")
    assert push.ranges("origin", "work") == []


def test_an_amended_commit_starts_at_its_parent(push: Pushing) -> None:
    parent = push.commit("one")
    push.commit("two")
    push.publish("work")
    push.git("commit", "-q", "--amend", "-m", "better")
    assert push.ranges("--force", "origin", "work") == [(parent, push.git("rev-parse", "HEAD"))]


def test_a_rebased_branch_starts_at_its_new_base(push: Pushing) -> None:
    push.commit("one")
    push.publish("work")
    push.git("switch", "-q", "main")
    base = push.commit("upstream")
    push.publish("main")
    push.git("switch", "-q", "work")
    push.git("rebase", "-q", "main")
    assert push.ranges("--force", "origin", "work") == [(base, push.git("rev-parse", "HEAD"))]


def test_a_branch_that_is_set_back_brings_nothing(push: Pushing) -> None:
    push.commit("one")
    push.commit("two")
    push.publish("work")
    push.git("reset", "-q", "--hard", "HEAD~1")
    assert push.ranges("--force", "origin", "work") == []


def test_a_remote_commit_that_is_not_here_is_no_hindrance(push: Pushing, tmp_path: Path) -> None:
    main = push.git("rev-parse", "main")
    push.git("clone", "-q", str(tmp_path / "origin.git"), str(tmp_path / "colleague"))
    colleague = Workspace(tmp_path / "colleague")
    colleague.git("switch", "-qc", "work")
    colleague.commit("theirs", theirs="theirs\n")
    colleague.git("push", "-q", "origin", "work")
    new = push.commit("mine")
    assert push.ranges("--force", "origin", "work") == [(main, new)]


def test_a_merge_of_the_default_branch_is_seen_as_its_pull_request_shows_it(push: Pushing) -> None:
    push.commit("one")
    push.publish("work")
    push.git("switch", "-q", "main")
    base = push.commit("upstream")
    push.publish("main")
    push.git("switch", "-q", "work")
    push.git("merge", "-q", "-m", "merge", "main")
    new = push.commit("two")
    assert push.ranges("origin", "work") == [(base, new)]


def test_a_merge_into_the_default_branch_starts_where_that_was(push: Pushing) -> None:
    push.commit("one")
    push.publish("work")
    push.git("switch", "-q", "main")
    old = push.commit("meanwhile")
    push.publish("main")
    push.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    assert push.ranges("origin", "main") == [(old, push.git("rev-parse", "HEAD"))]


def test_a_merge_of_two_pushed_branches_without_a_default_branch_starts_where_the_ref_was(
    workspace: Workspace, tmp_path: Path
) -> None:
    push = Pushing(workspace, tmp_path)
    push.git("switch", "-q", "--orphan", "trunk")
    push.commit("root")
    push.git("switch", "-qc", "other")
    push.commit("two")
    push.publish("other")
    push.git("switch", "-q", "trunk")
    old = push.commit("one")
    push.publish("trunk")
    push.git("merge", "-q", "-m", "merge", "other")
    assert push.ranges("origin", "trunk") == [(old, push.git("rev-parse", "HEAD"))]


@pytest.mark.parametrize("kind", [[], ["-a", "-m", "annotated"]])
class TestTags:
    """Lightweight and annotated ones alike."""

    def test_on_a_commit_the_remote_has(self, push: Pushing, kind: list[str]) -> None:
        push.git("tag", *kind, "v1", "main")
        assert push.ranges("origin", "v1") == []

    def test_on_new_commits(self, push: Pushing, kind: list[str]) -> None:
        main = push.git("rev-parse", "main")
        new = push.commit("one")
        push.git("tag", *kind, "v1")
        assert push.ranges("origin", "v1") == [(main, new)]

    def test_beside_the_branch_that_brings_its_commits(self, push: Pushing, kind: list[str]) -> None:
        main = push.git("rev-parse", "main")
        push.commit("one")
        push.git("tag", *kind, "v1")
        new = push.commit("two")
        push.git("tag", *kind, "v2")
        assert push.ranges("origin", "v1", "v2", "work") == [(main, new)]

    def test_on_a_commit_beside_the_branch(self, push: Pushing, kind: list[str]) -> None:
        main = push.git("rev-parse", "main")
        new = push.commit("one")
        push.git("switch", "-q", "--detach")
        side = push.commit("side")
        push.git("tag", *kind, "v1")
        assert push.ranges("origin", "v1", "work") == [(main, new), (new, side)]

    def test_that_moves(self, push: Pushing, kind: list[str]) -> None:
        old = push.commit("one")
        push.git("tag", *kind, "v1")
        push.publish("v1")
        new = push.commit("two")
        push.git("tag", "--force", *kind, "v1")
        assert push.ranges("--force", "origin", "v1") == [(old, new)]


@pytest.mark.parametrize("what", ["HEAD:README.md", "HEAD^{tree}"])
def test_a_tag_on_something_else_than_a_commit_is_named(push: Pushing, what: str) -> None:
    push.git("tag", "odd", what)
    plan = push.plan("origin", "odd")
    assert plan == Push((), ("refs/tags/odd",))


class TestRemotes:
    def test_a_fork_that_is_behind_does_not_show_what_upstream_merged(self, push: Pushing) -> None:
        push.remote("fork")
        push.publish("main", remote="fork")
        push.git("switch", "-q", "main")
        upstream = push.commit("upstream")
        push.publish("main")
        push.git("switch", "-q", "-C", "work", "main")
        new = push.commit("mine")
        assert push.ranges("fork", "work") == [(upstream, new)]

    @pytest.mark.parametrize("fork", ["a-fork", "your-fork"])  # before and after "origin" in git's list
    def test_a_merge_of_upstream_pushed_to_a_fork_that_is_behind(self, push: Pushing, fork: str) -> None:
        push.remote(fork)
        push.publish("main", remote=fork)
        push.commit("mine")
        push.publish("work", remote=fork)
        push.git("switch", "-q", "main")
        upstream = push.commit("upstream")
        push.publish("main")
        push.git("switch", "-q", "work")
        push.git("merge", "-q", "-m", "merge", "main")
        assert push.ranges(fork, "work") == [(upstream, push.git("rev-parse", "HEAD"))]

    def test_a_fork_that_nothing_was_fetched_from(self, push: Pushing) -> None:
        push.remote("fork")
        main = push.git("rev-parse", "main")
        new = push.commit("mine")
        assert push.ranges("fork", "work") == [(main, new)]

    def test_a_feature_that_another_remote_has_is_new_to_this_one(self, push: Pushing) -> None:
        push.remote("fork")
        main = push.git("rev-parse", "main")
        new = push.commit("mine")
        push.publish("work")
        assert push.ranges("fork", "work") == [(main, new)]

    def test_the_default_branch_may_have_any_name(self, workspace: Workspace, tmp_path: Path) -> None:
        push = Pushing(workspace, tmp_path)
        push.publish("main:trunk")
        push.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
        push.remote("fork")
        main = push.git("rev-parse", "main")
        new = push.commit("mine")
        assert push.ranges("fork", "work") == [(main, new)]

    def test_a_url_that_a_remote_has_is_that_remote(self, push: Pushing, tmp_path: Path) -> None:
        old = push.commit("one")
        push.publish("work:other")
        push.git("fetch", "-q", "origin")
        new = push.commit("two")
        assert push.ranges(str(tmp_path / "origin.git"), "work") == [(old, new)]

    def test_a_url_that_no_remote_has(self, push: Pushing, tmp_path: Path) -> None:
        push.git("init", "-q", "--bare", str(tmp_path / "third.git"))
        main = push.git("rev-parse", "main")
        new = push.commit("one")
        assert push.ranges(str(tmp_path / "third.git"), "work") == [(main, new)]

    def test_an_unknown_remote_leaves_what_no_remote_has(self, push: Pushing) -> None:
        old = push.commit("one")
        push.publish("work")
        new = push.commit("two")
        plan = plan_push(discover(push.space.root, os.environ), [Update("HEAD", "HEAD", "")], None)
        assert [(item.old, item.new) for item in plan.ranges] == [(old, new)]


def test_sha256(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    space = Workspace(root)
    space.git("init", "-q", "--object-format=sha256", "--initial-branch=main")
    first = space.commit("first", a="a\n")
    push = Pushing(space, tmp_path, "sha256")
    assert push.ranges("origin", "main") == [(push.empty, first)]
    push.publish("main")
    second = space.commit("second", a="b\n")
    assert push.ranges("origin", "main", "main:new") == [(first, second)]
    push.publish("main:gone")
    assert push.ranges("origin", ":gone") == []


def test_what_was_pushed_may_hold_spaces(push: Pushing) -> None:
    main = push.git("rev-parse", "main")
    one = push.commit("one")
    push.commit("two")
    assert push.ranges("origin", "HEAD^{/change one}:refs/heads/part") == [(main, one)]


def test_a_shallow_clone_starts_at_its_remotes_branch(push: Pushing, tmp_path: Path) -> None:
    push.commit("one")
    push.commit("two")
    push.publish("work:main")
    push.git("clone", "-q", "--depth=1", (tmp_path / "origin.git").as_uri(), str(tmp_path / "shallow"))
    shallow = Workspace(tmp_path / "shallow")
    old = shallow.git("rev-parse", "HEAD")
    new = shallow.commit("three", three="three\n")
    update = Update(new, "refs/heads/new", "0" * 40)
    plan = plan_push(discover(shallow.root, os.environ), [update], "origin")
    assert [(item.old, item.new) for item in plan.ranges] == [(old, new)]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(NAMES, st.sampled_from(["0" * 40, "1a" * 20, "0" * 64])), max_size=5))
def test_lines_are_read_from_the_right(parts: list[tuple[str, str]]) -> None:
    said = "".join(f"{name} {oid} refs/heads/x {oid}\n" for name, oid in parts)
    expected = [Update(oid, "refs/heads/x", oid) for _, oid in parts]
    assert parse_updates(said.encode()) == expected


def test_names_are_bytes() -> None:
    zero = b"0" * 40
    (update,) = parse_updates(b"refs/heads/caf\xe9 " + zero + b" refs/heads/caf\xe9 " + zero + b"\n")
    assert update.remote_ref.encode("utf-8", "surrogateescape") == b"refs/heads/caf\xe9"


@pytest.mark.parametrize("line", ["refs/heads/x", "refs/heads/x abc", "a b c", "\0"])
def test_a_line_that_is_not_understood_stops(line: str) -> None:
    with pytest.raises(HookError, match="not understood"):
        parse_updates(f"{line}\n".encode())
