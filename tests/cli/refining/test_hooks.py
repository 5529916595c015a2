"""Refinement and git's hooks through real commits: whoever stops whom says so, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.git import hooks as git_hooks
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.cli.refining.test_applying import until
from tests.conftest import Ran, Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="hooks that are shell scripts")


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


def hook(lab: Lab, script: str) -> None:
    """Give the repository a pre-commit hook that notes where it runs."""
    said = lab.outside / "told-hook"
    path = lab.person.write(".git/hooks/pre-commit", f'#!/bin/sh\npwd >> "{said}"\n{script}\n')
    path.chmod(0o755)


def hook_ran(lab: Lab) -> list[str]:
    said = lab.outside / "told-hook"
    return said.read_text().splitlines() if said.exists() else []


def commit(lab: Lab, **environment: str) -> Ran:
    """Commit what is staged, with the hooks that there are."""
    done = subprocess.run(
        ["git", "commit", "--quiet", "--message", "mine"],
        cwd=lab.person.root,
        env={**os.environ, **lab.environment, **environment},
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ran.of(done)


def test_a_hook_that_formats_stops_the_commit_once(lab: Lab) -> None:
    """It runs for the person's commit alone; what it wrote can be undone by nobody but them."""
    hook(lab, "grep -q formatted app.py && exit 0; echo '# formatted' >> app.py; exit 1")
    lab.person.git("add", "app.py")
    assert lab.refine("--apply", "--stage").code == ExitCode.PASSED
    assert hook_ran(lab) == []
    assert commit(lab).code == 1
    assert (lab.person.root / "app.py").read_bytes() == MENDED + b"# formatted\n"
    assert lab.person.git("show", ":app.py").encode() + b"\n" == MENDED
    refused = lab.call("undo")
    assert (refused.code, "app.py is not what it was when it was applied" in refused.err) == (ExitCode.USAGE, True)
    lab.person.git("add", "app.py")
    assert commit(lab).code == 0
    assert hook_ran(lab) == [str(lab.person.root)] * 2
    assert lab.person.git("status", "--porcelain") == "?? note.txt"


def test_a_hook_that_rejects_all_leaves_the_refinement_staged(lab: Lab) -> None:
    hook(lab, "echo 'not today' >&2; exit 1")
    lab.person.git("add", "app.py")
    before = lab.snapshot()
    assert lab.refine("--apply", "--stage").code == ExitCode.PASSED
    assert hook_ran(lab) == []
    refused = commit(lab)
    assert (refused.code, refused.err) == (1, "not today\n")
    assert lab.person.git("show", ":app.py").encode() + b"\n" == MENDED
    (lab.outside / "told-hook").unlink()
    assert lab.call("undo").code == ExitCode.PASSED
    assert lab.snapshot() == before


def test_a_commit_that_is_reviewed_while_a_refinement_goes_on(lab: Lab) -> None:
    """The hook reviews and refines nothing; the refinement does not notice, or refuses what was edited since."""
    folder = lab.person.root / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    git_hooks.install(git_hooks.find(folder, "pre-commit"), git_hooks.render("pre-commit", sys.executable))
    lab.use("waits")
    lab.person.git("add", "app.py")
    process = lab.start("--apply")
    until(process, lab.outside / "waiting")
    stopped = commit(lab, SELFREVIEW_PLUGINS="marks")
    assert stopped.code == 1, stopped
    assert "selfreview stopped the commit; selfreview run --staged looks again" in stopped.err
    assert "app.py:2" in stopped.err
    assert (lab.person.root / "app.py").read_bytes() == APP
    (lab.outside / "go").touch()
    out, err = process.communicate(timeout=100)
    assert process.returncode == ExitCode.PASSED, err
    assert json.loads(out)["patch"]["applied"]
    assert (lab.person.root / "app.py").read_bytes() == MENDED
    assert lab.person.git("log", "--format=%s", "main..") == ""
    assert lab.workspaces == []


def test_a_fixer_that_commits_in_the_workspace(lab: Lab) -> None:
    """What it commits there is of no repository of the person's; what it wrote counts."""
    hook(lab, "exit 1")
    script = lab.outside / "commits.py"
    good = Path(__file__).parent / "agent.py"
    script.write_text(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, {str(good)!r}, {str(lab.outside)!r}, 'good'], check=True)\n"
        "subprocess.run(['git', '-c', 'user.name=Agent', '-c', 'user.email=agent@localhost', 'commit', '-qam', 'mine'],"
        " check=True, stdout=sys.stderr)\n"
    )
    config = Path(os.environ["SELFREVIEW_CONFIG_DIR"]) / "config.toml"
    text = config.read_text().replace(json.dumps([sys.executable, str(good), str(lab.outside), "good"]),
                                      json.dumps([sys.executable, str(script)]))  # fmt: skip
    config.write_text(text)
    assert str(script) in text
    head = lab.person.git("rev-parse", "HEAD")
    ran = lab.refine("--apply")
    assert ran.code == ExitCode.PASSED, ran
    assert (lab.person.root / "app.py").read_bytes() == MENDED
    assert (lab.person.git("rev-parse", "HEAD"), hook_ran(lab)) == (head, [])


def test_a_check_that_starts_a_run_of_its_workspace_is_refused(lab: Lab) -> None:
    """Else that would call the check again, which would start a run, and so on."""
    again = json.dumps([sys.executable, "-m", "selfreview", "run"])
    lab.use("good", f"[checks.again]\nrun = {again}\n")
    ran = lab.refine("--apply")
    assert ran.code != ExitCode.PASSED
    assert "a tool of a run cannot start another run of the same tree" in json.dumps(ran.json)


@pytest.mark.parametrize("what", ["merge", pytest.param("cherry-pick", marks=pytest.mark.long), "rebase"])
def test_what_git_is_in_the_middle_of_goes_on(lab: Lab, what: str) -> None:
    """A conflict that is not resolved is told; one that is can be refined, and git goes on where it was."""
    space = lab.person
    space.commit("mine", **{"app.py": APP, "both.txt": "mine\n"})
    space.git("checkout", "--quiet", "main")
    space.commit("theirs", **{"both.txt": "theirs\n"})
    space.git("checkout", "--quiet", "work")
    with pytest.raises(subprocess.CalledProcessError):
        space.git(what, "main")
    unmerged = space.git("ls-files", "--unmerged")
    refused = lab.refine("--apply", "--stage")
    assert refused.code == ExitCode.USAGE
    assert "unresolved merge conflicts: both.txt" in refused.err
    assert space.git("ls-files", "--unmerged") == unmerged
    space.write("both.txt", "ours\n")
    space.git("add", "both.txt")
    states = ("MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REBASE_HEAD", "rebase-merge/done", "HEAD", "ORIG_HEAD")
    before = {name: path.read_bytes() for name in states if (path := space.root / ".git" / name).exists()}
    index = space.git("ls-files", "--stage")
    ran = lab.refine("--apply", "--stage", "--base", "main")
    assert ran.code == ExitCode.PASSED, ran
    assert (space.root / "app.py").read_bytes() == MENDED
    assert lab.call("undo").code == ExitCode.PASSED
    assert space.git("ls-files", "--stage") == index
    assert lab.call("apply", "--stage", ran.json["patch"]["id"]).code == ExitCode.PASSED
    assert {name: (space.root / ".git" / name).read_bytes() for name in before} == before
    space.git("-c", "core.editor=true", what, "--continue")
    assert space.git("show", "HEAD:app.py").encode() + b"\n" == MENDED
