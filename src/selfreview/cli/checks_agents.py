"""Checks of ``selfreview doctor`` for the command lines of coding agents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from selfreview.api import Agent, ConfigView
from selfreview.app.registries import agents_of
from selfreview.cli.checks import Check
from selfreview.cli.common import load_session
from selfreview.errors import ToolError
from selfreview.git.repo import Repo
from selfreview.review.select import AUTO

_TIMEOUT_S = 30.0
_NAMING = ("fixers", "reviewers", "required_reviewers")
"""Settings that name agents."""


def agents(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Check of each agent that it is installed, its version and its sign-in; nothing else of it is run.

    One that the settings name and that cannot work fails. Whether it is signed in, a file or variable only suggests.
    """
    loaded = load_session(repo, plugins=plugins, overrides=overrides).loaded
    config = loaded.config
    keys = () if config["offline"] else _NAMING
    named = {name: config.origin(key) for key in keys if config[key] != AUTO for name in config[key]}
    for agent in agents_of(loaded.manager, config):
        yield _check(agent, config, named.get(f"agent-{agent.name}"))


def _check(agent: Agent, config: ConfigView, origin: str | None) -> Check:
    from selfreview.git.privatefolder import PrivateFolder
    from selfreview.llm.transport.agents import installed_version, sign_in, with_deadline
    from selfreview.proc import Runner
    from selfreview.programs import find_program

    label, install = f"agent-{agent.name}", getattr(agent, "install", None)
    bad, needed = (None, "optional") if origin is None else (False, f"named in {origin}")
    if agent.allowed_by is not None and not config.may_run(agent.allowed_by):
        return Check(bad, f"{label}: not trusted yet, so it does not run ({needed})", 'run "selfreview trust"')
    program = find_program(agent.argv[0], config.root, os.environ)
    if program is None:
        return Check(bad, f"{label}: not installed, or may not be executed ({needed})", install)
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

    if getattr(agent, "sandboxes", False):
        return "held by its own sandbox"
    return "held by the system (Landlock)" if confinement_of(config, agent).enforced else "held by itself alone"


def _signed_in(agent: Agent) -> str | None:
    """Return the sign-in of an agent as far as files and variables show one, else None; nothing where it needs none."""
    from selfreview.llm.transport.agents import keys_of

    keys, files = keys_of(agent), getattr(agent, "credentials", ())
    if any(Path(file).expanduser().is_file() for file in files):
        return "signed in"
    given = next((name for name in keys if os.environ.get(name)), None)
    return f"with {given}" if given else None if keys or files else ""


def _folders(agent: Agent) -> str:
    """Return the folders in which a sign-in was looked for."""
    folders = (str(Path(file).expanduser().parent) for file in getattr(agent, "credentials", ()))
    return f"{' or '.join(dict.fromkeys(folders)) or 'a file'}; a keychain may hold one"
