"""Selection of rules by the settings: what is reported, in which files, and how bad it is.

A selector names a rule, a reviewer, or both as ``reviewer/rule``; ``*`` stands for any characters of the rule. Of
several that mean an issue, the most specific one counts.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from selfreview.api import ConfigView
from selfreview.config.values import show
from selfreview.model.change import Change
from selfreview.model.issue import GATE, Finding, Issue, IssueStatus, Severity
from selfreview.review.anchor import by_path
from selfreview.review.excluded_files import matcher
from selfreview.review.marks import Mark, OwnMarks, is_markable
from selfreview.text.toml import toml_value

SELECTED, IGNORED, IN_FILES, SEVERITY = KEYS = ("select", "ignore", "per_file_ignores", "severity")
"""The keys that hold selectors."""

ALL = "*"

Rank = tuple[int, int, bool]
"""How specific a selector is for a rule, the more the greater; the last part: it names the reviewer, too."""


def rank_of(selector: str, reviewer: str, rule: str | None) -> Rank | None:
    """Return how specific a selector is for a rule of a reviewer, or None where it does not mean it.

    A rule in full is more specific than one with ``*``, which is the more so the more stands before that; least so are
    a reviewer alone, and ``*`` alone.
    """
    named, slash, pattern = selector.partition("/")
    both = bool(slash) and named == reviewer
    if selector == ALL:
        return 0, 0, False
    if selector == reviewer or (both and pattern == ALL):
        return 1, 0, True
    wanted = pattern if both else selector
    if rule is not None and rule in (selector, wanted):
        return 3, 0, both
    if rule is None or ALL not in wanted or not fnmatch.fnmatchcase(rule, wanted):
        return None
    return 2, wanted.index(ALL), both


def best_of(selectors: Iterable[str], reviewer: str, rule: str | None) -> tuple[Rank, str] | None:
    """Return the most specific of several selectors for a rule of a reviewer, or None where none means it."""
    ranked = [(rank, each) for each in selectors if (rank := rank_of(each, reviewer, rule)) is not None]
    return max(ranked, default=None)


def regrade(found: Iterable[tuple[str, Finding]], config: ConfigView) -> Iterator[tuple[str, Finding]]:
    """Give findings the severities of the settings; what a gate says, and what nobody could review, keeps its own.

    Args:
        found: Reviewer names with their findings.
        config: The configuration.
    """
    table = config.table(SEVERITY)
    for reviewer, finding in found:
        best = best_of(table, reviewer, finding.rule) if table else None
        if best is None or reviewer == GATE or finding.unreviewed:
            yield reviewer, finding
            continue
        alike = [table[name] for name in table if rank_of(name, reviewer, finding.rule) == best[0]]
        worst = max(map(Severity, alike), key=lambda severity: severity.rank)
        yield reviewer, msgspec.structs.replace(finding, severity=worst)


class Selection:
    """Marks of issues that the settings do not have reported.

    Args:
        config: The configuration.
        change: The change.
        own: What counts of what the change itself says: here, of the names that it gives to files.
    """

    def __init__(self, config: ConfigView, change: Change, own: OwnMarks) -> None:
        self._config = config
        self._select: Sequence[str] = config[SELECTED]
        self._ignore: Sequence[str] = config[IGNORED]
        self._in_files = [(matcher([pattern]), pattern, names) for pattern, names in config.table(IN_FILES).items()]
        self._files = by_path(change)
        self._own = own

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of an issue that is not selected, or is ignored."""
        if not is_markable(issue) or issue.unreviewed:
            return None
        why = self._ignored(issue) or self._ignored_in_file(issue)
        return None if why is None else Mark(IssueStatus.SUPPRESSED, why)

    def _ignored(self, issue: Issue) -> str | None:
        selected = best_of(self._select, issue.reviewer, issue.rule)
        if selected is None:
            return f"not selected by {SELECTED} ({self._config.origin(SELECTED)})"
        ignored = best_of(self._ignore, issue.reviewer, issue.rule)
        if ignored is None or ignored[0] < selected[0]:
            return None
        return f"ignored by {IGNORED} = {toml_value([ignored[1]])} ({self._config.origin(IGNORED)})"

    def _ignored_in_file(self, issue: Issue) -> str | None:
        file = self._files.get(issue.file)
        before = file.path_at_base if file is not None else issue.file
        for matches, pattern, names in self._in_files:
            best = best_of(names, issue.reviewer, issue.rule)
            # A name that only this change gives the file is its own word.
            if best is not None and matches(issue.file) and (matches(before) or self._own.applies_to(issue)):
                where = self._config.origin(IN_FILES)
                return f"ignored by {show((IN_FILES, pattern))} = {toml_value([best[1]])} ({where})"
        return None
