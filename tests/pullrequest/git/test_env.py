"""What the repository's hooks are, and do, while a fix is committed."""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from selfreview.app.loading import patches_folder
from selfreview.apply.applier import Applier
from selfreview.apply.patches import Patch, PatchStore
from selfreview.errors import ExitCode, GitError
from selfreview.git import run
from selfreview.git.repo import discover
from selfreview.git.worktree_files import Entry
from selfreview.model.wire import utc_now
from selfreview.pullrequest.git import env as git_env
from selfreview.pullrequest.git.branch import Branch
from selfreview.pullrequest.git.landing import Landing
from selfreview.pullrequest.git.trailers import message
from selfreview.pullrequest.git.transient_errors import transient_reason
from tests.conftest import Workspace
from tests.fixers.talks import call, edit, says
from tests.forge import PullRequest
from tests.pullrequest.lab import APP, Lab, report
from tests.pullrequest.stories import (
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    push_there,
    said_by,
    suggest,
    talk,
)

pytestmark = pytest.mark.long

CHECK = "#!/bin/sh\necho checked > /dev/null\n"
TEST = "from app import name\n\n\ndef test_name():\n    assert name() == 'the app'\n"
HOOK = "#!/bin/sh\n. tools/hooks/check.sh\n"


def hooked(lab: Lab, setting: str) -> PullRequest:
    """Have a branch that brings hooks, one of which starts a script beside it that somebody wants to do more."""
    configure(lab)
    for name, text in (("pre-commit", HOOK), ("check.sh", CHECK)):
        path = lab.workspace.write(f"tools/hooks/{name}", text)
        path.chmod(0o755)
    lab.workspace.git("add", ".")
    lab.workspace.commit("hooks")
    lab.workspace.git("push", "--quiet")
    lab.workspace.git("config", "core.hooksPath", setting)
    return lab.open()


def hook(lab: Lab, text: str, name: str = "pre-commit") -> None:
    """Have git run a hook in the clone."""
    path = lab.workspace.write(f".git/hooks/{name}", f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def is_as_before(lab: Lab, head: str, mode: int, *, waits: bool = False) -> bool:
    """Whether the tree, the index and the branch are what they were, and a fix is remembered only where it waits."""
    file = lab.workspace.root / "app.py"
    clean = lab.workspace.git("status", "--porcelain") == "" and file.read_text() == APP
    pending = lab.workspace.root / ".git" / "selfreview" / "cycle.json"
    return (
        clean
        and file.stat().st_mode == mode
        and lab.workspace.git("rev-parse", "HEAD") == head
        and pending.exists() == waits
    )


@pytest.mark.parametrize(
    "deed",
    [
        "echo '# formatted' >> app.py",
        "echo '# formatted' >> app.py; git add app.py",
        "rm app.py",
        "chmod +x app.py",
        "echo '# formatted' > new && mv new app.py",
    ],
)
def test_a_hook_that_edits_and_refuses_leaves_nothing_of_it(lab: Lab, deed: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    head, mode = lab.workspace.git("rev-parse", "HEAD"), (lab.workspace.root / "app.py").stat().st_mode
    hook(lab, f"{deed}\necho 'reformatted app.py' >&2\necho\necho '1 file was changed: add it'\nexit 1")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert "reformatted app.py / 1 file was changed: add it" in ran.err
    assert is_as_before(lab, head, mode)
    (lab.workspace.root / ".git" / "hooks" / "pre-commit").unlink()
    assert lab.workspace.selfreview("reset").code == 0
    again = fix(lab, pull)
    assert again.code == ExitCode.PASSED, again
    assert lab.file() == SUGGESTED


def land(lab: Lab) -> tuple[Landing, Patch, str]:
    """Return what lands a fix, the fix, and its message."""
    branch = Branch(discover(lab.workspace.root, os.environ), "origin", "topic", os.environ)
    branch.fetch("main")
    patches = PatchStore(patches_folder(branch.repo))
    entries = Entry("100644", APP.encode()), Entry("100644", SUGGESTED.encode())
    patch = patches.keep({"app.py": entries}, b"a diff", at="2026-01-01T00:00:00Z", iteration=1)
    landing = Landing(
        branch,
        Applier(branch.repo, patches, nullcontext),
        "octo/app#1",
        "refs/remotes/origin/main",
        hooks=True,
        now=utc_now,
    )
    return landing, patch, message("Mend it", [], request="octo/app#1", cycle=1, keys=["inline:1@ab"], authors=())


@pytest.mark.parametrize("name", ["pre-commit", "post-commit"])
def test_a_hook_that_does_not_end_is_ended(lab: Lab, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(git_env, "LONGEST_S", 3.0)
    landing, patch, text = land(lab)
    file = lab.workspace.root / "app.py"
    head, mode = lab.workspace.git("rev-parse", "HEAD"), file.stat().st_mode
    hook(lab, "sleep 3600", name)
    with pytest.raises(GitError, match="git commit did not finish within 3 s") as caught:
        landing.commit(patch, text)
    assert transient_reason(caught.value) == "git took too long"
    if name == "pre-commit":
        assert is_as_before(lab, head, mode, waits=True)
        hook(lab, "exit 0", name)
    else:  # the commit is there, and is what the next cycle goes on with
        assert file.read_text() == SUGGESTED
    assert landing.recover(lambda keys: False) is None
    (commit,) = landing.unpushed()
    assert commit.sha == lab.workspace.git("rev-parse", "HEAD")
    assert lab.workspace.git("status", "--porcelain") == ""


def test_a_rebase_that_does_not_end_is_taken_back(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_env, "LONGEST_S", 5.0)
    branch = Branch(discover(lab.workspace.root, os.environ), "origin", "topic", os.environ)
    push_there(lab, "other.py", "x = 1\n")
    lab.workspace.write("mine.py", "y = 1\n")
    lab.workspace.git("add", ".")
    lab.workspace.commit("mine")
    branch.fetch()
    before = branch.head()
    hook(lab, "sleep 3600", "post-rewrite")
    lab.workspace.git("config", "core.hooksPath", ".git/hooks")
    monkeypatch.setattr(run, "_SETTINGS", [one for one in run._SETTINGS if "hooksPath" not in one])
    with pytest.raises(GitError, match="git rebase did not finish"):
        branch.rebase(before)
    assert branch.repo.in_progress() is None
    assert branch.why_not_free() is None


def test_what_it_made_of_a_file_can_be_seen(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, "grep -q '# formatted' app.py || echo '# formatted' >> app.py; exit 1")
    ran = fix(lab, pull)
    command = re.search(r"what it made of app.py is shown by: git (cat-file -p \w+)", ran.err)
    assert command is not None, ran
    assert lab.workspace.git(*command[1].split()) == (SUGGESTED + "# formatted\n").strip()


def test_other_files_that_were_edited_meanwhile_stay_and_are_named(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, "echo mine > wip.txt; echo '# formatted' >> app.py; exit 1")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.workspace.git("status", "--porcelain") == "?? wip.txt"
    assert (lab.workspace.root / "wip.txt").read_text() == "mine\n"
    assert "wip.txt was edited meanwhile, by the hook or by somebody, and left so" in ran.err


def test_a_file_that_a_fix_adds_is_taken_away_with_what_was_made_of_it(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full, and test it.")
    hook(lab, "for file in *.py; do echo '# formatted' >> $file; done; exit 1")
    deed = says(edit("app.py", '"app"', '"the app"'), call("create_file", path="test_app.py", content=TEST))
    with model(lab, [*talk(deed=deed), report()]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.workspace.git("status", "--porcelain") == ""
    assert "what it made of test_app.py is shown by" in ran.err


def test_a_folder_in_the_place_of_a_file_is_not_taken_away(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, "rm -rf app.py; mkdir app.py; echo mine > app.py/wip; echo no room; exit 1")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert (lab.workspace.root / "app.py" / "wip").read_text() == "mine\n"
    assert "no room" in ran.err
    assert "the fix is still in the tree" in pull.comments[-1].body


def test_a_hook_whose_message_says_nothing_of_the_fix_leaves_nothing_of_what_it_formatted(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    head, mode = lab.workspace.git("rev-parse", "HEAD"), (lab.workspace.root / "app.py").stat().st_mode
    hook(lab, "echo '# formatted' >> app.py; git add app.py")
    hook(lab, "echo nothing > $1", "commit-msg")
    ran = fix(lab, pull)
    assert "takes away" in pull.comments[-1].body
    assert is_as_before(lab, head, mode), ran


@pytest.mark.parametrize("how", ["suggested", "fixed"])
@pytest.mark.parametrize("where", ["relative", "absolute", "linked"])
def test_what_a_fixer_writes_is_no_hook_of_its_own_commit(lab: Lab, tmp_path: Path, how: str, where: str) -> None:
    proof = tmp_path / "proof"
    root = lab.workspace.root
    pull = hooked(lab, "tools/hooks" if where == "relative" else str(root / "tools" / "hooks"))
    if where == "linked":
        lab.workspace.git("checkout", "--quiet", "main")
        lab.workspace.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "topic")
        lab.workspace.git("config", "core.hooksPath", str(tmp_path / "linked" / "tools" / "hooks"))
        lab.workspace = Workspace(tmp_path / "linked")
    evil = f"touch '{proof}'"
    if how == "suggested":
        suggest(lab, pull, 2, evil, path="tools/hooks/check.sh")
        deed = says(edit("README.md", "no such", "text"))
    else:
        pull.inline(lab.rev, "tools/hooks/check.sh", 2, "Have it leave a proof.")
        deed = says(edit("tools/hooks/check.sh", "echo checked > /dev/null", evil))
    with model(lab, [*talk(deed=deed), deed, report()]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert not proof.exists()
    assert not commits(lab)
    assert len(calls_for_a_person(lab, pull)) == 1
    assert lab.workspace.git("status", "--porcelain") == ""


def changed_there(lab: Lab, proof: Path, name: str) -> None:
    """Have somebody else push a hook that leaves a proof."""
    there = lab.remote.parent / "theirs"
    url = str(lab.remote)
    subprocess.run(["git", "clone", "--quiet", "--branch", "topic", url, str(there)], check=True)
    (there / "tools" / "hooks" / name).write_text(f"#!/bin/sh\ntouch '{proof}'\n")
    (there / "tools" / "hooks" / name).chmod(0o755)
    theirs = Workspace(there)
    theirs.git("add", ".")
    theirs.commit("Theirs")
    theirs.git("push", "--quiet")


@pytest.mark.parametrize("name", ["pre-commit", "check.sh", "commit-msg"])
@pytest.mark.parametrize("linked", [False, True])
def test_a_hook_that_others_changed_is_not_run_before_the_person_has_pulled_it(
    lab: Lab, tmp_path: Path, name: str, linked: bool
) -> None:
    proof = tmp_path / "proof"
    pull = hooked(lab, "tools/hooks")
    if linked:
        lab.workspace.git("config", "--unset", "core.hooksPath")
        for one in ("pre-commit", "check.sh", "commit-msg"):
            (lab.workspace.root / ".git" / "hooks" / one).symlink_to(lab.workspace.root / "tools" / "hooks" / one)
    suggest(lab, pull)
    changed_there(lab, proof, name)
    head = lab.workspace.git("rev-parse", "HEAD")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert f"tools/hooks/{name}" in ran.out
    assert "pull" in ran.out
    assert (lab.workspace.git("rev-parse", "HEAD"), proof.exists()) == (head, False)
    assert not said_by(pull, lab.dev.login)
    lab.workspace.git("pull", "--quiet")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert (lab.file(), proof.exists()) == (SUGGESTED, True)


def test_what_others_pushed_beside_hooks_is_no_matter(lab: Lab) -> None:
    pull = hooked(lab, "tools/hooks")
    suggest(lab, pull)
    push_there(lab, "tools/other.sh", CHECK)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == SUGGESTED


def test_a_hook_that_others_change_while_a_fix_is_made_does_not_run_at_its_push(lab: Lab, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    pull = hooked(lab, "tools/hooks")
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk(during=lambda: changed_there(lab, proof, "pre-push"))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "tools/hooks/pre-push" in ran.out
    assert (commits(lab), proof.exists()) == ([], False)
    assert not said_by(pull, lab.dev.login)
    lab.workspace.git("pull", "--quiet", "--rebase")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert (len(commits(lab)), proof.exists()) == (1, True)
