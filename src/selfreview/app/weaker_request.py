"""Ways in which a request asks for less than the settings: such a review does not count for the branch.

The command line and the environment may ask for anything, and a person may look at a part of a change in any way. But
only a review with at least the reviewers, the files and the threshold of the settings says that the branch passed.
Which keys are looked at is in docs/explanation/refinement.md: of the others nobody can tell which value asks for less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from selfreview.api import ConfigView, Depth
from selfreview.app.loading import reviewers_of
from selfreview.app.state import OpenedRun, RepoChange
from selfreview.errors import ConfigError, ScopeError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import is_ancestor, meanings
from selfreview.git.scope import Resolved, usual_merge_base
from selfreview.model.issue import Category, Severity, lowest_blocking
from selfreview.plugins.builtins import Builtins
from selfreview.review.select_reviewers import AUTO, select
from selfreview.review.selection import KEYS as SELECTION

_EFFORTS = ("quick", "normal", "thorough")
TABLES = ("command", "agents", "checks")
"""Tables whose entries must equal those of the settings."""
_REVIEWING = ("selfreview.reviewers.", "selfreview.agents.")
"""Module prefixes of the built-in plugins whose absence reduces the review."""


def asked_less(run: OpenedRun) -> list[str]:
    """Return the ways in which a request asks for less, each in a few words."""
    config, settings = run.config, run.project.loaded.settings
    ways = list(_left_out(run))
    if isinstance(run.opened, RepoChange):
        ways += _base(run.opened.repo, run.opened.collected.resolved, config, settings, run.request.base)
    if settings is None:
        return [*ways, "settings that count only together with the call's"]
    if settings is config:
        return ways
    keys = [*_values(config, settings), *_reviewers(run, settings)]
    return [*ways, *(f"{key} ({config.origin(key)})" for key in dict.fromkeys(keys))]


def _left_out(run: OpenedRun) -> Iterator[str]:
    chosen = run.request.reviewers
    if chosen and AUTO not in chosen and run.terms.checks.take_part and run.config.table("checks"):
        yield "checks (left out by --reviewer)"
    builtin = Builtins().modules
    for record in run.manager.records():
        if record.state == "blocked" and builtin.get(record.name, _REVIEWING[0]).startswith(_REVIEWING):
            yield f"plugins (no:{record.name})"


def _base(
    repo: Repo, resolved: Resolved, config: ConfigView, settings: ConfigView | None, given: str | None
) -> Iterator[str]:
    """Yield the base if it is newer than the settings' and no other branch, on which this one would be stacked."""
    scope = resolved.scope
    configured = (settings["base"] or None) if settings is not None else None
    name = given if given is not None else config["base"]
    if name is None or name == configured or scope.mode not in ("branch", "head") or scope.merge_base is None:
        return
    try:
        usual = usual_merge_base(repo, resolved, configured)
    except ScopeError:
        return  # without this base, nothing could be reviewed at all
    if usual is None or is_ancestor(repo, scope.merge_base, usual):
        return
    own = {f"refs/heads/{scope.branch}"}
    found = next((meaning.name for meaning in meanings(repo.git, name)), "")
    stacked = found.startswith(("refs/heads/", "refs/remotes/")) and found not in own
    stacked = stacked and not (found.startswith("refs/remotes/") and found.split("/", 3)[-1] == scope.branch)
    if not stacked or scope.merge_base == scope.head:
        yield "base (command line)" if given is not None else f"base ({config.origin('base')})"


def _values(config: ConfigView, settings: ConfigView) -> Iterator[str]:
    """Yield the keys whose value asks for less."""
    if not _blocks(settings["severity_threshold"]) <= _blocks(config["severity_threshold"]):
        yield "severity_threshold"
    now, limits = config.table("max_issues"), settings.table("max_issues")
    if any(name not in now or now[name] > number for name, number in limits.items()):
        yield "max_issues"
    if settings["strict"] and not config["strict"]:
        yield "strict"
    if config["exclude"] != settings["exclude"] and (
        not set(config["exclude"]) <= set(settings["exclude"])
        or any(pattern.startswith("!") for pattern in settings["exclude"])
    ):
        yield "exclude"
    if not set(settings["rules_path"]) <= set(config["rules_path"]):
        yield "rules_path"
    yield from (key for key in SELECTION if config[key] != settings[key])
    if config["max_file_bytes"] < settings["max_file_bytes"]:
        yield "max_file_bytes"
    if config["baseline"] != settings["baseline"]:
        yield "baseline"
    effort, asked = config.get("claude.effort"), settings.get("claude.effort")
    if effort in _EFFORTS and asked in _EFFORTS and _EFFORTS.index(effort) < _EFFORTS.index(asked):
        yield "claude.effort"
    for table in TABLES:
        have = config.table(table)
        if any(have.get(name) != value for name, value in settings.table(table).items()):
            yield table


def _reviewers(run: OpenedRun, settings: ConfigView) -> Iterator[str]:
    """Yield the keys that leave out a reviewer; those that ``--reviewer`` leaves out are reported elsewhere."""
    selected = run.selected
    if not set(settings["required_reviewers"]) <= selected.required and not selected.limited:
        yield "required_reviewers"
    try:
        usual = select(reviewers_of(run.manager, settings), settings, (), uploads=run.uploads)
    except (UsageError, ConfigError):  # one of a plugin that was left out, or rules that are broken
        yield "reviewers"
        return
    taking_part = {reviewer.name for reviewer in selected.reviewers}
    if not selected.limited and not {reviewer.name for reviewer in usual.reviewers} <= taking_part:
        yield "reviewers"
    if run.config["offline"] and not settings["offline"] and any(r.depth is Depth.MODEL for r in usual.reviewers):
        yield "offline"


def _blocks(threshold: str | Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Return the categories and severities that a threshold blocks."""
    lowest = {category.value: lowest_blocking(threshold, category.value) for category in Category}
    return frozenset(
        (name, severity.value)
        for name, level in lowest.items()
        if level is not None
        for severity in Severity
        if severity.at_least(level)
    )
