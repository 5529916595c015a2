"""What ``selfreview doctor`` says about the command lines of coding agents."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from selfreview.api import Agent
from selfreview.cli.checks import Check
from selfreview.cli.common import load_session
from selfreview.cli.registering import agents_of
from selfreview.errors import ToolError
from selfreview.git.repo import Repo

_TIMEOUT_S = 30.0


def agents(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Say of each agent whether it is installed, of which version, and how it is signed in: it is asked for no more."""
    loaded = load_session(repo, plugins=plugins, overrides=overrides).loaded
    for agent in agents_of(loaded.manager, loaded.config):
        yield _check(agent, repo.root if repo is not None else None)


def _check(agent: Agent, root: Path | None) -> Check:
    from selfreview.git.privatefolder import PrivateFolder
    from selfreview.llm.agents import known, sign_in
    from selfreview.proc import Runner
    from selfreview.programs import find_program

    label, install = f"agent-{agent.name}", getattr(agent, "install", None)
    program = find_program(agent.argv[0], root, os.environ)
    if program is None:
        return Check(None, f"{label}: not installed (optional)", install)
    if agent.allowed_by is not None:
        return Check(True, f"{label}: {agent.allowed_by}")
    runs = SimpleNamespace(run=functools.partial(Runner().run, timeout=_TIMEOUT_S))
    try:
        with PrivateFolder("agent-version") as folder:
            version, _ = known(agent, program, runs, Path(folder))
    except ToolError as error:
        return Check(None, f"{label}: {error.message}", error.hint)
    told = f"{label}: {program}" + (f", version {'.'.join(map(str, version))}" if version else "")
    found = _signed_in(agent)
    if found is None:
        return Check(None, f"{told}, no key and no sign-in found", sign_in(agent))
    return Check(True, f"{told}, {found}" if found else told)


def _signed_in(agent: Agent) -> str | None:
    """Return how an agent is signed in as far as files and variables tell, and None where they tell of nothing."""
    from selfreview.llm.agents import keys_of

    keys, files = keys_of(agent), getattr(agent, "credentials", ())
    if any(Path(file).expanduser().is_file() for file in files):
        return "signed in"
    given = next((name for name in keys if os.environ.get(name)), None)
    return f"with {given}" if given else None if keys or files else ""
