"""``selfreview hook``: install, remove and look at git's hooks."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from selfreview.cli import console
from selfreview.cli.common import find_repo
from selfreview.errors import HookError, UsageError
from selfreview.git import hooks as git_hooks
from selfreview.git.hooks import Found, HooksFolder, Kind, default_folder, hooks_folder
from selfreview.git.repo import Repo
from selfreview.text.escape import visible


class HookGroup(click.Group):
    """A command group that imports the review when a hook runs, not when one is installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return [*super().list_commands(ctx), "run", "turn"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command."""
        if cmd_name == "run":
            from selfreview.cli.review.hook_run import command as run_group

            return run_group
        if cmd_name == "turn":
            from selfreview.cli.review.hook_turn import command as turn_group

            return turn_group
        return super().get_command(ctx, cmd_name)


@click.group(name="hook", cls=HookGroup)
def command() -> None:
    """Install or remove git hooks that review what you commit and push."""


_TYPES = click.option(
    "--type", "types", multiple=True, type=click.Choice(git_hooks.TYPES), help="Only this hook; repeatable."
)


@command.command()
@_TYPES
@click.option("--force", is_flag=True, help="Install where other repositories or another tool take hooks from.")
@click.option("--print", "print_", is_flag=True, help="Print the one hook named with --type; write nothing.")
def install(types: Sequence[str], force: bool, print_: bool) -> None:
    """Install the hooks; one that is there already is kept and runs first."""
    repo = find_repo()
    folder = hooks_folder(repo)
    # What others use as well cannot name a program of this machine.
    python = None if folder.tracked or folder.shared else sys.executable
    if print_:
        if len(types) != 1:
            raise UsageError("--print shows one hook", hint=f"--type {git_hooks.TYPES[0]}")
        sys.stdout.buffer.write(git_hooks.render(types[0], python))
        return
    _check_folder(folder, force=force)
    hooks = [(git_hooks.find(folder.path, hook), git_hooks.render(hook, python)) for hook in types or git_hooks.TYPES]
    hooks = [(found, shim) for found, shim in hooks if not _said_to_run_already(found)]
    for found, _ in hooks:
        git_hooks.check_installable(found)
        if not force:
            _check_neighbour(found, folder)
    done = [line for found, shim in hooks for line in _install(found, shim)]
    for line in done:  # when it is done: nobody may read it
        console.say(line)
    if hooks:
        tell_of_both(repo)
    if folder.tracked:
        console.note(f"note: whoever uses {_show(folder.path)} gets these hooks, and needs selfreview on PATH")


def tell_of_both(repo: Repo) -> None:
    """Warn where git's own hooks and pre-commit would each review what is committed."""
    try:
        config = (repo.root / ".pre-commit-config.yaml").read_text("utf-8", "replace")
    except OSError:
        return
    folder = hooks_folder(repo).path
    ours = any(git_hooks.find(folder, hook).kind is Kind.OURS for hook in git_hooks.TYPES)
    if ours and re.search(r"^[^#\n]*\bid:\s*[\"']?selfreview\b", config, re.MULTILINE):
        console.note(
            "note: .pre-commit-config.yaml has selfreview, too: with pre-commit installed, all is reviewed twice"
        )
        console.note("hint: keep one of them: selfreview hook uninstall, or take it out of .pre-commit-config.yaml")


def _install(found: Found, shim: bytes) -> list[str]:
    """Install a hook, and return the lines that report it."""
    if found.kind is Kind.OURS and found.content == shim and found.runs:
        return [f"{_show(found.path)} is installed already"]
    could_run = found.runs
    kept = git_hooks.install(found, shim)
    lines = [f"{'updated' if found.kind is Kind.OURS else 'installed'} {_show(found.path)}"]
    if kept is not None:
        how = "it runs first" if could_run else "it is not executable, so git did not run it, nor does this one"
        lines.append(f"  the hook that was there is kept as {_show(Path(kept.name))}; {how}")
    elif found.kind is Kind.NOTHING and found.kept is not None:
        lines.append(f"  {_show(Path(found.kept.name))} is there from before; it runs first")
    return lines


def _said_to_run_already(found: Found) -> bool:
    """Report that pre-commit's hook runs ours first; with another around it, everything would be reviewed twice."""
    legacy = _kept_by_pre_commit(found)
    if legacy is None:
        return False
    console.say(f"{_show(found.path)} is pre-commit's, and runs selfreview's {_show(Path(legacy.name))} first already")
    return True


def _kept_by_pre_commit(found: Found) -> Path | None:
    """Return our shim from before ``pre-commit install``, which keeps and runs an existing hook, or None."""
    legacy = found.path.with_name(f"{found.path.name}.legacy")
    if found.kind is not Kind.PRE_COMMIT or not os.access(legacy, os.X_OK):
        return None
    try:
        return legacy if git_hooks.KEPT_SUFFIX.encode() in legacy.read_bytes() else None
    except OSError as error:
        raise HookError(f"{legacy} cannot be read: {error.strerror or error}") from error


def _check_folder(folder: HooksFolder, *, force: bool) -> None:
    """Refuse a hooks folder that is not this repository's alone.

    Raises:
        HookError: Unless forced.
    """
    if force:
        return
    where = f"{_show(folder.path)}{f' ({_show(Path(folder.setting))})' if folder.setting else ''}"
    if folder.husky:
        raise HookError(
            f"git takes hooks from {where}, which husky rewrites",
            hint='write selfreview hook run pre-commit "$@" into .husky/pre-commit, and the like into .husky/pre-push',
        )
    if folder.shared:
        raise HookError(
            f"git takes hooks from {where}, which other repositories may use too",
            hint="--force installs them there, for all of these",
        )


def _check_neighbour(found: Found, folder: HooksFolder) -> None:
    """Refuse to install where the existing hook has a better way to run selfreview.

    Raises:
        HookError: With that way as the hint.
    """
    hook = found.path.name
    if found.kind is Kind.FOREIGN and folder.tracked:
        raise HookError(
            f"{_show(found.path)} is a file of the working tree",
            hint=f'write into it: selfreview hook run {hook} "$@" || exit $?  or --force renames it and runs it first',
        )
    if found.kind is not Kind.PRE_COMMIT:
        return
    name = "selfreview" if hook == "pre-commit" else "selfreview-push"
    entry = (
        f"{{id: {name}, name: {name}, entry: selfreview hook run {hook}, language: system, "
        f"pass_filenames: false, require_serial: true, always_run: true, verbose: true, stages: [{hook}]}}"
    )
    raise HookError(
        f"{_show(found.path)} is pre-commit's",
        hint=f"write into .pre-commit-config.yaml, under repos:  - {{repo: local, hooks: [{entry}]}}  "
        "or --force keeps pre-commit's hook and runs it first",
    )


@command.command()
@_TYPES
def uninstall(types: Sequence[str]) -> None:
    """Remove the hooks, and restore what was there before."""
    folder = hooks_folder(find_repo()).path
    hooks = [git_hooks.find(folder, hook) for hook in types or git_hooks.TYPES]
    lines = []
    for found in sorted(hooks, key=lambda found: found.kind is not Kind.EDITED):  # say no before anything is done
        path = _show(found.path)
        if found.kind in (Kind.FOREIGN, Kind.PRE_COMMIT):
            lines.append(f"{path} is not selfreview's, and stays")
            continue
        if found.kind is Kind.NOTHING and found.kept is None:
            lines.append(f"{path} does not exist")
            continue
        git_hooks.uninstall(found)
        lines.append(f"put back {path} as it was before" if found.kept is not None else f"removed {path}")
    for line in lines:  # when it is done: nobody may read it
        console.say(line)


@command.command()
def status() -> None:
    """Show which hooks are installed."""
    repo = find_repo()
    folder = hooks_folder(repo)
    for hook in git_hooks.TYPES:
        found = git_hooks.find(folder.path, hook)
        console.say(f"{hook:10}  {_state(found):13}  {_show(found.path)}")
        if (legacy := _kept_by_pre_commit(found)) is not None:
            console.say(f"{'':10}  it runs selfreview's {_show(Path(legacy.name))} first")
        if found.kept is not None and found.kind is Kind.OURS:
            how = "runs first" if found.kept_runs else "is not executable, so it is not run"
            console.say(f"{'':10}  {_show(Path(found.kept.name))} {how}")
        if found.python is not None and not Path(found.python).exists():
            console.say(f"{'':10}  {found.python} is gone, so selfreview is searched on PATH; install again")
    if folder.setting is not None:
        console.say(f"git takes hooks from {_show(folder.path)} ({folder.setting})")
        unused = [hook for hook in git_hooks.TYPES if git_hooks.find(default_folder(repo), hook).kind is Kind.OURS]
        if unused and default_folder(repo) != folder.path:
            console.say(f"  and not from {_show(default_folder(repo))}, where {' and '.join(unused)} is installed")


def _state(found: Found) -> str:
    if found.kind is Kind.OURS:
        return "installed" if found.runs else "not runnable"
    names = {
        Kind.NOTHING: "not installed",
        Kind.EDITED: "changed",
        Kind.PRE_COMMIT: "pre-commit's",
        Kind.FOREIGN: "another hook",
    }
    return names[found.kind]


def _show(path: Path) -> str:
    return visible(str(path))
