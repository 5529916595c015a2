"""Selection of the reviewers that take part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from selfreview.api import (
    ChangedFile,
    ConfigView,
    Depth,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    ReviewerStatus,
    capabilities,
)
from selfreview.errors import UsageError

AUTO = "auto"
"""The name that stands for the automatic set, in configuration and on the command line."""

MODEL_REVIEWER = "claude"
"""The reviewer that joins the automatic set once the person has agreed to send code to a model."""


class Selected(NamedTuple):
    """The reviewers of a run.

    Attributes:
        reviewers: In order of registration.
        required: Names without which the result is incomplete.
        limited: Whether the command line left out some that the configuration asks for.
        registered: The names of all reviewers that there are.
    """

    reviewers: tuple[Reviewer, ...]
    required: frozenset[str]
    limited: bool
    registered: frozenset[str] = frozenset()


def select(
    registry: Registry[Reviewer],
    config: ConfigView,
    chosen: Sequence[str],
    *,
    uploads: bool = False,
    insisted: Sequence[str] | None = None,
) -> Selected:
    """Select by command line, else by configuration.

    Args:
        registry: All reviewers.
        config: The configuration.
        chosen: Names from the command line; ``auto`` stands for the automatic set.
        uploads: Whether the person agreed to send code to a model, so that the automatic set holds one.
        insisted: What is required besides, for a gate: there, nobody who is required can be left out. None: whoever
            names reviewers has these alone, and the result is one of a part.

    Raises:
        UsageError: If a name is no reviewer, or a model from the command line is forbidden or cannot be asked.
    """
    listed, demanded = _listed(config), list(config["required_reviewers"])
    for names, where in (
        (chosen, "--reviewer"),
        (listed, config.origin("reviewers")),
        (sorted(demanded), config.origin("required_reviewers")),
        (insisted or (), "--require"),
    ):
        _check(names, where, registry)
    demanded += insisted or ()
    automatic = [r.name for r in registry if r.default or (uploads and r.name == MODEL_REVIEWER)]
    wanted = {*_expand(listed, automatic), *demanded}
    taking_part = set(_expand(chosen, automatic)) if chosen else wanted
    demanded += _required_commands(config, wanted | taking_part)
    if AUTO in chosen or insisted is not None:
        taking_part |= set(demanded)
    named = frozenset(chosen) - {AUTO}
    required = frozenset(demanded) | named
    if config["offline"]:
        _refuse_offline(named, registry, config)
    _refuse_unavailable(named, registry)
    reviewers = tuple(_withheld_offline(r, config) for r in registry if r.name in taking_part)
    return Selected(reviewers, required, not wanted <= taking_part, frozenset(registry.names()))


def unregistered(config: ConfigView, known: Collection[str]) -> tuple[str, str] | None:
    """Return the first name of no reviewer that the configuration lists, and where it stands, or None.

    Args:
        config: The configuration.
        known: The names of all reviewers that there are.
    """
    for key, names in (("reviewers", _listed(config)), ("required_reviewers", config["required_reviewers"])):
        for name in names:
            if name != AUTO and name not in known:
                return name, config.origin(key)
    return None


def _listed(config: ConfigView) -> list[str]:
    configured = config["reviewers"]
    return [AUTO] if configured == AUTO else list(configured)


def _check(names: Iterable[str], where: str, registry: Registry[Reviewer]) -> None:
    for name in names:
        if name != AUTO and name not in registry:
            known = ", ".join([AUTO, *registry.names()])
            raise UsageError(f"there is no reviewer named {name!r} ({where})", hint=f"there are: {known}")


def _expand(names: Sequence[str], automatic: Sequence[str]) -> list[str]:
    return [name for item in names for name in (automatic if item == AUTO else [item])]


def _required_commands(config: ConfigView, names: Iterable[str]) -> list[str]:
    return [name for name, table in config.table("command").items() if table.get("required") and name in names]


def _refuse_offline(named: Iterable[str], registry: Registry[Reviewer], config: ConfigView) -> None:
    for name in sorted(named):
        reviewer = registry.get(name)
        if reviewer is not None and reviewer.depth is Depth.MODEL:
            raise UsageError(
                f"the reviewer {name!r} sends code to a model, which offline forbids ({config.origin('offline')})",
                hint=f"{_without_offline(config.origin('offline'))}, or leave out --reviewer {name}",
            )


def _without_offline(origin: str) -> str:
    if origin == "command line":
        return "leave out --offline"
    return "unset SELFREVIEW_OFFLINE" if "SELFREVIEW_" in origin else f"change offline in {origin}"


def _refuse_unavailable(named: Iterable[str], registry: Registry[Reviewer]) -> None:
    for name in sorted(named):
        reviewer = registry.get(name)
        if reviewer is not None and reviewer.depth is Depth.MODEL:
            why = capabilities.of_reviewer(reviewer).why_unavailable()
            if why is not None:
                raise UsageError(f"the reviewer {name!r} cannot be used: {why[0]}", hint=why[1])


def _withheld_offline(reviewer: Reviewer, config: ConfigView) -> Reviewer:
    if not config["offline"] or reviewer.depth is not Depth.MODEL:
        return reviewer
    origin = config.origin("offline")
    where = "--offline" if origin == "command line" else f"offline = true, {origin}"
    return Withheld(reviewer, f"it sends code to a model, which is forbidden ({where})", "run it without offline")


class Withheld:
    """Stands in for a reviewer.

    Args:
        reviewer: Who may not take part.
        reason, hint: Why, and what to do about it, in one line each.
    """

    default = False

    def __init__(self, reviewer: Reviewer, reason: str, hint: str) -> None:
        self._reviewer = reviewer
        self._reason, self._hint = reason, hint
        self.name = reviewer.name
        self.depth = reviewer.depth

    def selects(self, file: ChangedFile) -> bool:
        """Take what the reviewer would take."""
        return self._reviewer.selects(file)

    def unavailable(self) -> tuple[str, str]:
        """Return why it may not take part, and what to do about it."""
        return self._reason, self._hint

    def cache_key(self, _context: ReviewContext) -> None:
        """Keep nothing, and take nothing that was kept."""
        return

    def review(self, _files: Sequence[ChangedFile], _context: ReviewContext) -> Review:
        """Return a review without findings."""
        return Review(status=ReviewerStatus.SKIPPED, error=self._reason, hint=self._hint)
