"""Optional parts of plugins: what a reviewer, a fixer or an agent can do beyond its protocol, read in one place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from selfreview.api.agent import Agent, AgentCommand, AgentTask
from selfreview.api.config import ConfigView
from selfreview.api.context import Review, ReviewContext
from selfreview.api.fixer import Fixer
from selfreview.api.reviewer import Estimate, Reviewer, RuleInfo
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Finding

MAX_SECONDS = 1_000_000
"""Seconds that a plugin may ask for: as many as the configuration takes."""

P = TypeVar("P")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReviewerCapabilities:
    """Optional parts of a reviewer, as :class:`~selfreview.api.Reviewer` describes them.

    Attributes:
        requests: The requests to a model that ``selfreview show --prompt`` shows; only our own reviewer has it.
    """

    timeout: float | None = None
    sees_excluded: bool = False
    unavailable: Callable[[], tuple[str, str] | None] | None = None
    file_key: Callable[[ChangedFile, ReviewContext], bytes] | None = None
    estimate: Callable[[Sequence[ChangedFile], ReviewContext], Estimate] | None = None
    notes: Callable[[ReviewContext], Sequence[str]] | None = None
    review_commits: Callable[[ReviewContext], Sequence[Finding]] | None = None
    verify: Callable[[Sequence[Finding], ReviewContext], Review] | None = None
    requests: Callable[..., Sequence[Any]] | None = None
    rules: Callable[[], Sequence[RuleInfo]] | None = None

    def why_unavailable(self) -> tuple[str, str] | None:
        """Return why the reviewer can do nothing here, and a hint, or None."""
        return None if self.unavailable is None else self.unavailable()

    def known_rules(self) -> Sequence[RuleInfo]:
        """Return the rules that the reviewer lists; none where it lists none, and may name any."""
        return () if self.rules is None else self.rules()

    def seconds(self, default: float) -> float:
        """Return how long the reviewer may take; raises TypeError where its timeout is no number of seconds."""
        return _seconds("reviewer", self.timeout, default)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FixerCapabilities:
    """Optional parts of a fixer, as :class:`~selfreview.api.Fixer` describes them."""

    timeout: Callable[[ConfigView], float] | None = None
    unavailable: Callable[[ConfigView], str | None] | None = None

    def why_unavailable(self, config: ConfigView) -> str | None:
        """Return why the fixer cannot take part, or None."""
        return None if self.unavailable is None else self.unavailable(config)

    def seconds(self, config: ConfigView) -> float:
        """Return how long the fixer may take; raises TypeError where its timeout is no number of seconds."""
        own = None if self.timeout is None else self.timeout(config)
        return _seconds("fixer", own, float(config["fixer_timeout"]))


@dataclasses.dataclass(frozen=True, kw_only=True)
class AgentCapabilities:
    """Optional parts of an agent, as :class:`~selfreview.api.Agent` describes them."""

    fix_argv: Sequence[str] | None = None
    command: Callable[[AgentTask], AgentCommand] | None = None
    oldest: str | None = None
    install: str | None = None
    credentials: Sequence[str] = ()
    state: Sequence[str] = ()
    sandboxes: bool = False


def of_reviewer(reviewer: Reviewer | None) -> ReviewerCapabilities:
    """Return the optional parts of a reviewer; none where there is no reviewer."""
    return _read(ReviewerCapabilities, reviewer)


def of_fixer(fixer: Fixer) -> FixerCapabilities:
    """Return the optional parts of a fixer."""
    return _read(FixerCapabilities, fixer)


def of_agent(agent: Agent) -> AgentCapabilities:
    """Return the optional parts of an agent."""
    return _read(AgentCapabilities, agent)


def _read(kind: Callable[..., P], plugin: object) -> P:
    return kind(**{f.name: getattr(plugin, f.name, f.default) for f in dataclasses.fields(kind)})  # type: ignore[arg-type]


def _seconds(kind: str, own: object, default: float) -> float:
    if own is None:
        return default
    if isinstance(own, bool) or not isinstance(own, (int, float)) or not 0 < own <= MAX_SECONDS:
        raise TypeError(f"the {kind}'s timeout must be a number of seconds above 0, not {own!r}")
    return float(own)
