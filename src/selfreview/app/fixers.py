"""Selection of the fixers of a run, and checks of the options that concern them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from selfreview.api import ConfigView, Fixer, Registry, capabilities
from selfreview.app.loading import fixers_of
from selfreview.app.request import RunRequest
from selfreview.app.state import ConfiguredRun, RepoSource
from selfreview.errors import UsageError
from selfreview.plugins.attribution import added_file
from selfreview.review.select_reviewers import AUTO, MODEL_REVIEWER


def check_options(run: ConfiguredRun) -> None:
    """Refuse options of an impossible refinement, before anything is reviewed.

    Raises:
        UsageError: If options exclude each other, or a fixer that is named does not exist or cannot take part.
    """
    request, config = run.request, run.config
    _refuse_within(run)
    if request.is_patch:
        given = _given(request, "apply", "stage", "fixers", "max_iterations")
        if given:
            raise UsageError(
                f"--diff excludes {given}: a bare patch is only reviewed",
                hint="to refine a change, review it in its repository",
            )
    if request.no_fix:
        given = _given(request, "apply", "stage", "fixers")
        if given:
            raise UsageError(f"--no-fix excludes {given}: nothing is refined", hint="leave out one or the other")
    elif request.fixers or config["fixers"] != AUTO:
        select_fixers(fixers_of(run.manager, config), config, request.fixers, uploads=False)


def _refuse_within(run: ConfiguredRun) -> None:
    """Refuse a run within a tool of a run on the same tree, which would be called again without end."""
    within = os.environ.get("SELFREVIEW_WITHIN")
    if not within or not isinstance(run.source, RepoSource):
        return
    root = run.source.repo.root.resolve()
    if root in (Path(within).resolve(), *Path(within).resolve().parents):
        raise UsageError(
            "a tool of a run cannot start another run of the same tree",
            hint="remove selfreview from what your checks, fixers or reviewers run",
        )


def _given(request: RunRequest, *names: str) -> str:
    """Return those options that were used, as typed: ``--apply, --stage and --fixer``."""
    written = {"fixers": "--fixer", "max_iterations": "--max-iterations"}
    used = [written.get(name, f"--{name}") for name in names if getattr(request, name) not in (False, (), None)]
    return " and ".join(part for part in (", ".join(used[:-1]), *used[-1:]) if part)


def select_fixers(
    registry: Registry[Fixer], config: ConfigView, chosen: Sequence[str], *, uploads: bool
) -> tuple[list[Fixer], list[str]]:
    """Select fixers by command line, else by configuration.

    Args:
        registry: All fixers.
        config: The configuration.
        chosen: Names from the command line; ``auto`` stands for the automatic set: those that only make edits that are
            known to be right, and a model where the person agreed to send code to one.
        uploads: Whether they did.

    Returns:
        The fixers, in order, and sentences about those that cannot take part.

    Raises:
        UsageError: If a name is no fixer, or one from the command line cannot take part.
    """
    configured = config["fixers"]
    listed = [AUTO] if configured == AUTO else list(configured)
    names = chosen or listed
    where = "--fixer" if chosen else config.origin("fixers")
    automatic = [fixer.name for fixer in registry if fixer.is_mechanical]
    automatic += [MODEL_REVIEWER] if uploads and MODEL_REVIEWER in registry else []
    fixers: list[Fixer] = []
    notes: list[str] = []
    wanted = (each for given in names for each in (automatic if given == AUTO else [given]))
    for name in dict.fromkeys(wanted):
        fixer = registry.get(name)
        if fixer is None:
            hint = f"there are {', '.join(registry.names())}"
            if (agent := name.removeprefix("agent-")) in config.table("agents"):
                hint = f"agents.{agent} has no fix: give it the command line that fixes"
            raise UsageError(f"there is no fixer {name!r} ({where})", hint=hint)
        why = capabilities.of_fixer(fixer).why_unavailable(config)
        if why is None:
            fixers.append(fixer)
        elif name in chosen:
            others = "leave --fixer out for those that can, or --no-fix to refine nothing"
            raise UsageError(f"the fixer {name} cannot be used: {why}", hint=others)
        elif name in listed or added_file(fixer):  # ours need a key or a tool that few have; a plugin was installed
            notes.append(f"the fixer {name} cannot be used: {why}")
    return fixers, notes
