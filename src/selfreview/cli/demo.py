"""``selfreview demo``: the main job on a sample repository that it creates."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from selfreview.errors import ExitCode, GitError, UsageError
from selfreview.git.run import Git, git_environment
from selfreview.resources import folder

_SAMPLE = "demo"
_WHO = {"NAME": "selfreview demo", "EMAIL": "demo@localhost"}


@click.command(name="demo")
@click.option("--keep", metavar="FOLDER", help="Create the sample in FOLDER, which must not exist, and leave it there.")
def command(keep: str | None) -> int:
    """Create a small repository with a change that holds some mistakes, and review it."""
    target = Path(keep).absolute() if keep else Path(tempfile.mkdtemp(prefix="selfreview-demo-")) / "shop"
    if target.exists():
        raise UsageError(f"{target} exists already", hint="name a folder that does not")
    try:
        _create(target)
        click.echo(f"A sample repository, with a change on the branch 'discounts': {target}\n$ selfreview run\n")
        code = _review(target)
        click.echo(f"\nThat was exit code {code}: {_meaning(code)}.")
        if keep:
            click.echo(f"Look around: cd {target} && selfreview show ISSUE")
        else:
            click.echo("Look around in it: selfreview demo --keep FOLDER")
    finally:
        if not keep:
            shutil.rmtree(target.parent, ignore_errors=True)
    # Finding the sample's mistakes is what a demo is to do; anything else is a failure of it.
    return int(ExitCode.PASSED) if code == ExitCode.ISSUES else code or int(ExitCode.INTERNAL_ERROR)


def _create(target: Path) -> None:
    """Make the repository: ``base`` is committed on main, ``change`` lies over it on a branch, partly committed."""
    source = folder("templates") / _SAMPLE
    target.mkdir(parents=True)
    _git(target, "init", "--quiet", "--initial-branch=main")
    _copy(source / "base", target)
    _git(target, "add", "--all")
    _git(target, "commit", "--quiet", "--message=Sell things")
    _git(target, "switch", "--quiet", "--create", "discounts")
    _copy(source / "change", target)
    _git(target, "add", "shop")
    _git(target, "commit", "--quiet", "--message=Give discounts")


def _copy(source: Path, target: Path) -> None:
    """Copy a tree; ``.sample`` is taken off the names, which keeps other tools away from the mistakes."""
    for path in sorted(source.rglob("*.sample")):
        place = target / path.relative_to(source).with_suffix("")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())


def _git(folder_: Path, *args: str) -> None:
    env = git_environment({k: v for k, v in os.environ.items() if not k.startswith("GIT_")})
    for role in ("AUTHOR", "COMMITTER"):
        env.update({f"GIT_{role}_{key}": value for key, value in _WHO.items()})
    program = Git(folder_, env).program
    settings = ["-c", "commit.gpgSign=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.autocrlf=false"]
    try:
        subprocess.run([program, *settings, *args], cwd=folder_, env=env, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise GitError(f"git {args[0]} failed: {error.stderr.decode('utf-8', 'replace').strip()}") from error


def _review(target: Path) -> int:
    """Run the real command line, as a person would."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "SELFREVIEW_"))}
    env["SELFREVIEW_CONFIG_DIR"] = str(target / ".git" / "no-configuration")  # the sample's result is the same for all
    sys.stdout.flush()
    return subprocess.run([sys.executable, "-m", "selfreview", "run"], cwd=target, env=env, check=False).returncode


def _meaning(code: int) -> str:
    return {
        ExitCode.PASSED: "the change passed",
        ExitCode.ISSUES: "issues at or above the threshold",
        ExitCode.INCOMPLETE: "the change could not be reviewed",
    }.get(ExitCode(code) if code in set(ExitCode) else ExitCode.INTERNAL_ERROR, "something went wrong")
