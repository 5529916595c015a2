"""Which reviewers take part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from selfreview.api import ConfigView, Registry, Reviewer
from selfreview.errors import UsageError


class Selected(NamedTuple):
    """The reviewers of a run.

    Attributes:
        reviewers: In order of registration.
        required: Names without which the result is incomplete.
        limited: Whether the command line chose them, so that the result is of a part only.
    """

    reviewers: tuple[Reviewer, ...]
    required: frozenset[str]
    limited: bool


def select(registry: Registry[Reviewer], config: ConfigView, chosen: Sequence[str]) -> Selected:
    """Select by command line, else by configuration.

    Raises:
        UsageError: If a name is no reviewer.
    """
    configured = config["reviewers"]
    automatic = [reviewer.name for reviewer in registry if reviewer.default]
    names = list(chosen) or (automatic if configured == "auto" else list(configured))
    required = (
        frozenset(config["required_reviewers"]) | frozenset(_required_commands(config, names)) | frozenset(chosen)
    )
    for name, where in (
        [(n, "--reviewer") for n in chosen]
        + [(n, config.origin("reviewers")) for n in names]
        + [(n, config.origin("required_reviewers")) for n in sorted(config["required_reviewers"])]
    ):
        if name not in registry:
            known = ", ".join(registry.names())
            raise UsageError(f"there is no reviewer named {name!r} ({where})", hint=f"there are: {known}")
    if not chosen:
        names += sorted(required - set(names))
    return Selected(tuple(r for r in registry if r.name in names), required, bool(chosen))


def _required_commands(config: ConfigView, names: Sequence[str]) -> list[str]:
    return [name for name, table in config.table("command").items() if table.get("required") and name in names]
