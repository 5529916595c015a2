"""``selfreview demo``: the main job on a sample repository that it creates."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from selfreview.cli import completions, console
from selfreview.errors import ExitCode, GitError, UsageError
from selfreview.git.run import Git, git_environment
from selfreview.resources import folder

_SAMPLE = "demo"
_WHO = {"NAME": "selfreview demo", "EMAIL": "demo@localhost"}


_MENDED = ("return grams // 1000", "return -(-grams // 1000)")


@click.command(name="demo")
@click.option(
    "--keep",
    metavar="FOLDER",
    shell_complete=completions.folders,
    help="Create the sample in FOLDER, which must not exist, and leave it there.",
)
def command(keep: str | None) -> int:
    """Create a small repository with some mistakes in two changes, review them, and fix one."""
    target = Path(keep).absolute() if keep else Path(tempfile.mkdtemp(prefix="selfreview-demo-")) / "shop"
    if target.exists():
        raise UsageError(f"{target} exists already", hint="name a folder that does not")
    try:
        _create(target)
        console.say(f"A sample repository, with a change on the branch 'discounts': {target}")
        reviewed = _show(target, "run", "--no-fix")
        refined = _refine(target)
        if keep:
            console.say(f"\nLook around: cd {target} && selfreview show ISSUE")
        else:
            console.say("\nLook around in it: selfreview demo --keep FOLDER")
    finally:
        if not keep:
            shutil.rmtree(target.parent, ignore_errors=True)
    # Finding and mending the sample's mistakes is what a demo is to do; anything else is a failure of it.
    codes = (reviewed, *refined)
    if codes == (ExitCode.ISSUES, ExitCode.ISSUES, ExitCode.PASSED, ExitCode.PASSED):
        return int(ExitCode.PASSED)
    return next(
        (code for code in codes if code not in (ExitCode.ISSUES, ExitCode.PASSED)), int(ExitCode.INTERNAL_ERROR)
    )


def _refine(target: Path) -> tuple[int, int, int]:
    """Refine a second change: tools fix a part, and a hand-made fix what only a test finds; then undo the former."""
    _git(target, "add", "--all")
    _git(target, "commit", "--quiet", "--message=Print receipts")
    _git(target, "switch", "--quiet", "--create", "parcels", "main")
    _copy(folder("templates") / _SAMPLE / "parcels", target)
    console.say("\nThe branch 'parcels' has mistakes that tools can fix, and one that only a test finds.")
    first = _show(target, "run", "--apply")
    rates = target / "shop" / "rates.py"
    old, new = (text.encode() for text in _MENDED)
    rates.write_bytes(rates.read_bytes().replace(old, new))
    console.say("\nWhat only the test finds is for you, or for a model. Fixed by hand, in shop/rates.py:")
    console.say("-    {}\n+    {}".format(*_MENDED))
    second = _show(target, "run")
    third = _show(target, "undo")
    return first, second, third


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


def _show(target: Path, *arguments: str) -> int:
    """Run the real command line, as a person would, and say what its exit code means."""
    console.say(f"\n$ selfreview {' '.join(arguments)}\n")
    settings = target / ".git" / "configuration"  # the sample's result is the same for all
    settings.mkdir(exist_ok=True)
    test = json.dumps([sys.executable, "-m", "unittest", "-q", "tests.test_parcels"])
    (settings / "config.toml").write_text(f"[checks]\nunittest = {test}\n" if _has_parcels(target) else "", "utf-8")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "SELFREVIEW_"))}
    env["SELFREVIEW_CONFIG_DIR"] = str(settings)
    # A container that runs as some user has no home folder that can be written.
    env["SELFREVIEW_DATA_DIR"], env["XDG_CACHE_HOME"] = str(settings / "data"), str(settings / "cache")
    sys.stdout.flush()
    argv = [sys.executable, "-P", "-m", "selfreview", *arguments]
    code = subprocess.run(argv, cwd=target, env=env, check=False).returncode
    if arguments[0] == "run":
        console.say(f"\nThat was exit code {code}: {_meaning(code)}.")
    return code


def _has_parcels(target: Path) -> bool:
    return (target / "tests" / "test_parcels.py").exists()


def _meaning(code: int) -> str:
    return {
        ExitCode.PASSED: "the change passed",
        ExitCode.ISSUES: "issues at or above the threshold",
        ExitCode.INCOMPLETE: "the change could not be reviewed",
    }.get(ExitCode(code) if code in set(ExitCode) else ExitCode.INTERNAL_ERROR, "something went wrong")
