"""The base that nobody named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.errors import ExitCode, ScopeError
from selfreview.git.repo import Repo, discover
from selfreview.git.revisions import checked_out, commit_of, discover_base, meanings, named_base, only_commit
from tests.conftest import Workspace

BAD = 'def load(items=[]):\n    return f"{itmes}"\n'


@pytest.fixture
def repo(workspace: Workspace) -> Repo:
    """A remote's ``main``, and a change on ``work``."""
    workspace.git("update-ref", "refs/remotes/origin/main", "main")
    workspace.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    workspace.git("tag", "v1", "main")
    workspace.commit("bad", **{"app.py": BAD})
    return discover(workspace.root, os.environ)


@pytest.mark.parametrize("shadow", ["refs/tags/origin/main", "refs/heads/origin/main", "refs/tags/main"])
def test_a_shadow_of_the_base_is_refused_by_a_gate_and_not_taken_by_a_run(
    workspace: Workspace, repo: Repo, shadow: str
) -> None:
    name = shadow.removeprefix("refs/tags/").removeprefix("refs/heads/")
    workspace.git("update-ref", shadow, "HEAD")
    ran = workspace.here("gate", "--base", name)
    best = "refs/heads/main" if name == "main" else "refs/remotes/origin/main"
    assert ran.code == ExitCode.USAGE
    assert f"error: '{name}' can mean {best} or {shadow}, which are different commits\n" in ran.err
    assert f"hint: say {best}, in full\n" in ran.err
    assert named_base(repo, name).commit == only_commit(repo.git, best)
    assert workspace.here("gate", "--base", best).code == ExitCode.ISSUES


def test_the_head_of_a_gate_may_not_be_shadowed_either(workspace: Workspace, repo: Repo) -> None:
    workspace.git("tag", "work", "main")
    assert workspace.here("gate", "--base", "main", "--head", "work").code == ExitCode.USAGE
    assert workspace.here("gate", "--base", "main", "--head", "refs/heads/work").code == ExitCode.ISSUES


@pytest.mark.parametrize(
    "name", ["main", "origin/main", "origin", "v1", "heads/main", "HEAD~1", "work^", "v1^0", "refs/tags/v1", ":/bad"]
)
def test_a_name_that_means_one_thing(repo: Repo, name: str) -> None:
    expected = repo.git.line(["rev-parse", "HEAD" if name == ":/bad" else "main"])
    assert only_commit(repo.git, name) == expected


def test_an_id_is_what_it_says(workspace: Workspace, repo: Repo) -> None:
    """Even where a branch has that name; a short one is then refused."""
    commit = workspace.git("rev-parse", "main")
    assert only_commit(repo.git, commit) == only_commit(repo.git, commit[:10]) == commit
    workspace.git("update-ref", f"refs/heads/{commit[:10]}", "HEAD")
    workspace.git("update-ref", f"refs/tags/{commit}", "HEAD")
    assert only_commit(repo.git, commit) == commit
    with pytest.raises(ScopeError, match="can mean"):
        only_commit(repo.git, commit[:10])


def test_a_full_ref_is_no_tag_of_that_name(workspace: Workspace, repo: Repo) -> None:
    workspace.git("update-ref", "refs/tags/refs/remotes/origin/gone", "HEAD")
    assert meanings(repo.git, "refs/remotes/origin/gone") == []


def test_shadows_of_the_same_commit_are_no_matter(workspace: Workspace, repo: Repo) -> None:
    workspace.git("tag", "origin/main", "main")
    assert only_commit(repo.git, "origin/main") == workspace.git("rev-parse", "main")
    assert only_commit(repo.git, "nowhere") is None
    assert only_commit(repo.git, "^main") is None
    assert commit_of(repo.git, "^main") is None


def test_a_replaced_commit_does_not_deceive_a_gate(workspace: Workspace, repo: Repo) -> None:
    workspace.git("replace", "HEAD", "main")
    assert workspace.here("gate", "--base", "main").code == ExitCode.ISSUES
    workspace.git("replace", "--delete", workspace.git("rev-parse", "HEAD"))
    head, main = workspace.git("rev-parse", "HEAD"), workspace.git("rev-parse", "main")
    (workspace.root / ".git" / "info").mkdir(exist_ok=True)
    (workspace.root / ".git" / "info" / "grafts").write_text(f"{main} {head}\n{head}\n")
    assert workspace.here("gate", "--base", "main").code == ExitCode.ISSUES


def test_history_that_crosses_over_is_refused_by_a_gate_and_told_by_a_run(workspace: Workspace) -> None:
    """The branch takes back what the base has mended, and against one of both merge bases that does not show."""
    workspace.git("switch", "-q", "main")
    workspace.commit("bad", **{"v.py": BAD})
    workspace.git("switch", "-q", "-C", "work")
    theirs = workspace.commit("x", **{"x.py": "LIMIT = 3\n"})
    workspace.git("switch", "-q", "main")
    workspace.git("rm", "-q", "v.py")
    workspace.git("commit", "-q", "-m", "mend it")
    mended = workspace.git("rev-parse", "HEAD")
    workspace.git("merge", "-q", "--no-edit", theirs)
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "-s", "ours", "-m", "merge", mended)
    ran = workspace.here("gate", "--base", "main")
    assert ran.code == ExitCode.USAGE
    assert "error: main and HEAD have several merge bases" in ran.err
    assert "hint: merge main into the change, or rebase it" in ran.err
    assert "main has 2 merge bases with this" in workspace.here("run", "--base", "main").out
    workspace.git("merge", "-q", "--no-edit", "main")
    assert workspace.here("gate", "--base", "main").code in (ExitCode.PASSED, ExitCode.ISSUES)


def test_a_remote_head_that_dangles_is_mended_by_the_hint(workspace: Workspace, tmp_path: Path) -> None:
    workspace.git("clone", "--quiet", "--bare", "--branch", "main", ".", str(tmp_path / "remote.git"))
    workspace.git("-C", str(tmp_path / "remote.git"), "symbolic-ref", "HEAD", "refs/heads/main")
    workspace.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    workspace.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.here("run")
    assert ran.code == ExitCode.USAGE
    assert "error: origin/HEAD points at 'origin/master', which does not exist here\n" in ran.err
    (hint,) = [line for line in ran.err.splitlines() if line.startswith("hint: ")]
    commands = hint.removeprefix("hint: ").partition(",")[0].split(" && ")
    assert commands[-1] == "git remote set-head origin --auto"
    for command in commands:
        workspace.git(*command.split()[1:])
    assert workspace.review()["scope"]["base"] == "origin/main"


def _single_branch(workspace: Workspace, tmp_path: Path) -> None:
    """Make the workspace one that knows of its remote only the branch that is checked out."""
    remote = tmp_path / "remote.git"
    workspace.git("clone", "--quiet", "--bare", ".", str(remote))
    workspace.git("-C", str(remote), "symbolic-ref", "HEAD", "refs/heads/main")
    workspace.git("remote", "add", "-t", "work", "origin", str(remote))
    workspace.git("fetch", "--quiet", "origin")
    workspace.git("branch", "--quiet", "-D", "main")


def test_the_only_branch_of_a_clone_is_not_taken_for_the_default_one(workspace: Workspace, tmp_path: Path) -> None:
    workspace.commit("limit", **{"app.py": "LIMIT = 3\n"})
    _single_branch(workspace, tmp_path)
    for arguments in ((), ("--base", "origin/main")):
        ran = workspace.here("run", *arguments)
        assert ran.code == ExitCode.USAGE, ran
        assert ("names no commit" if arguments else "error: no base found") in ran.err
        assert "hint: git fetch origin +refs/heads/main:refs/remotes/origin/main" in ran.err
    workspace.git("fetch", "--quiet", "origin", "+refs/heads/main:refs/remotes/origin/main")
    assert workspace.review()["scope"]["base"] == "origin/main"
    assert "hint: --base origin/main" in workspace.here("run", "--base", "main").err


def test_the_only_branch_is_the_default_one_where_nothing_was_fetched(workspace: Workspace) -> None:
    workspace.git("branch", "--quiet", "-D", "main")
    assert workspace.here("run").code == ExitCode.PASSED
    workspace.git("remote", "add", "origin", "nowhere.git")
    assert workspace.here("run").code == ExitCode.PASSED


def test_what_is_checked_out_whatever_else_is_called_so(workspace: Workspace, repo: Repo) -> None:
    head = workspace.git("rev-parse", "HEAD")
    assert checked_out(repo.git) == (head, "work")
    assert repo.git.trees == {head: workspace.git("rev-parse", "HEAD^{tree}")}
    for shadow in ("refs/heads/HEAD", "refs/tags/HEAD"):
        workspace.git("update-ref", shadow, "main")
        assert checked_out(repo.git) == (head, "work")
        workspace.git("update-ref", "-d", shadow)
    workspace.git("checkout", "--quiet", "--detach")
    assert checked_out(repo.git) == (head, None)
    workspace.git("switch", "--quiet", "--orphan", "new")
    assert checked_out(repo.git) == (None, "new")


@pytest.mark.parametrize("own", ["fork", "a.b", "team/x"])
def test_the_base_is_of_the_remote_that_the_branch_is_of(workspace: Workspace, repo: Repo, own: str) -> None:
    """Whatever it is called; a ref that a remote left behind is none of a remote."""
    head = workspace.git("rev-parse", "HEAD")
    workspace.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
    for remote in ("origin", own, "other"):
        workspace.git("config", f"remote.{remote}.url", "/nowhere")
        workspace.git("update-ref", f"refs/remotes/{remote}/main", "main")
    assert discover_base(repo, head, "work").name == "origin/main"
    workspace.git("config", "branch.Work.remote", "other")
    workspace.git("config", "branch.work.remote", own)
    assert discover_base(repo, head, "work").name == f"{own}/main"
    workspace.git("config", "--remove-section", f"remote.{own}")
    assert discover_base(repo, head, "work").name == "origin/main"


def test_a_remotes_head_that_leads_nowhere_is_told(workspace: Workspace, repo: Repo) -> None:
    workspace.git("config", "remote.origin.url", "/nowhere")
    workspace.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    with pytest.raises(ScopeError, match="origin/HEAD points at 'origin/gone', which does not exist here"):
        discover_base(repo, workspace.git("rev-parse", "HEAD"), "work")
