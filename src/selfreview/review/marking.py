"""All marks of one review together, and the report of marks that are invalid or stale."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from selfreview.model.issue import Finding, Issue
from selfreview.review.acceptance_match import flagged_key
from selfreview.review.anchor import by_path
from selfreview.review.baseline import Known
from selfreview.review.baselined import Baseline
from selfreview.review.context import Workbench
from selfreview.review.finished_files import FinishedFiles
from selfreview.review.marks import Accepted, Claimed, Mark, OwnMarks, first_mark
from selfreview.review.suppressions import Suppressions


@dataclasses.dataclass(frozen=True, kw_only=True)
class Marking:
    """Sources of marks that may take issues out of the count.

    Attributes:
        accepted: Why a person accepted an issue, by its fingerprint.
        claimed: By path, what the change says of its own files, where that is honoured.
        known: The baselines.
        own: What counts of the comments and entries that the change itself adds.
    """

    accepted: Mapping[str, str] = dataclasses.field(default_factory=dict)
    claimed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    known: Known = dataclasses.field(default_factory=Known)
    own: OwnMarks = OwnMarks.COUNT

    def of(self, bench: Workbench) -> Markers:
        """Return the markers for what a bench holds."""
        return Markers(self, bench)


class Markers:
    """The markers of one review.

    Args:
        marking: What may take issues out of the count.
        bench: What is reviewed.
    """

    def __init__(self, marking: Marking, bench: Workbench) -> None:
        self._suppressions = Suppressions(bench.change, bench.text, marking.own)
        self._baseline = Baseline(marking.known, bench.change, bench.text, bench.content.find, marking.own)
        self._accepted = Accepted(marking.accepted)
        self._bench = bench
        self._markers = (
            self._accepted,
            self._suppressions,
            self._baseline,
            Claimed(marking.claimed),
        )

    def look(self, issues: Sequence[Issue]) -> None:
        """Look at all issues before the first is marked."""
        files = by_path(self._bench.change)

        def key_of(issue: Issue) -> str | None:
            file = files.get(issue.file)
            text = self._bench.text(file, issue.side) if file is not None and issue.line_start else None
            return flagged_key(issue, file.path_at_base, text.lines) if file is not None and text is not None else None

        self._accepted.look(issues, key_of)
        self._suppressions.look(issues)
        self._baseline.look(issues)

    def is_accepted(self, issue: Issue) -> bool:
        """Return whether a person accepted an issue, whatever its status."""
        return self._accepted.reason(issue) is not None

    def mark(self, issue: Issue) -> Mark | None:
        """Return what takes an open issue out of the count, or None."""
        return first_mark(self._markers, issue)

    def leftovers(self, issues: Sequence[Issue], looked: FinishedFiles) -> list[Finding]:
        """Return findings on the marks: suppressions without a reason, and marks that match nothing any more."""
        return [*self._suppressions.leftovers(issues, looked), *self._baseline.leftovers(looked)]
