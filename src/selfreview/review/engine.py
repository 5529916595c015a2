"""From a change to a result."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import cast

import msgspec

from selfreview.api import ConfigView, Depth, Review
from selfreview.model.change import Change, ChangedFile, FileStatus
from selfreview.model.issue import Issue
from selfreview.model.result import (
    Coverage,
    DepthLines,
    Excluded,
    NotReviewed,
    Result,
    ResultStatus,
    ReviewerReport,
    ReviewerStatus,
    ScopeSummary,
    Usage,
    Verdict,
)
from selfreview.model.wire import base64_path, display_path, utc_now
from selfreview.plugins.manager import PluginManager
from selfreview.review.context import Workbench
from selfreview.review.issue_status import Amendment, Marking, StatusAssignment
from selfreview.review.moved_findings import mark_moved
from selfreview.review.privacy import Privacy
from selfreview.review.run_reviewers import run_all
from selfreview.review.select_reviewers import Selected
from selfreview.review.selection import regrade
from selfreview.review.summary import NO_MODEL, summarise
from selfreview.review.tasks import FinishedFiles, Outcome, Settings, Task, assign
from selfreview.review.triage import to_issues
from selfreview.review.verdict import STRICTNESS, Draft, Limits, Threshold, decide, tighten
from selfreview.text.layout import listing

_LAXER = {verdict: f"a plugin asked for the laxer verdict {verdict}, which is ignored" for verdict in Verdict}
"""Notes on a verdict, which are derived anew with it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Engine:
    """Reviews one change.

    Attributes:
        manager: The plugins whose hooks decide.
        config: The resolved configuration.
        selected: Who reviews.
        settings: How reviewers are run.
        threshold: What blocks.
        marking: What may take issues out of the count.
        limits: What fails a review besides issues that block.
        asked_less: Whether the call asks for less than the files of settings do.
        less: The same as sentences, which are notes of every result.
        not_run: What the settings ask for and no review runs: part of every result.
    """

    manager: PluginManager
    config: ConfigView
    selected: Selected
    settings: Settings
    threshold: Threshold
    marking: Marking = dataclasses.field(default_factory=Marking)
    limits: Limits = dataclasses.field(default_factory=Limits)
    asked_less: bool = False
    less: Sequence[str] = ()
    not_run: Sequence[ReviewerReport] = ()

    def review(self, bench: Workbench, unreadable: dict[str, str]) -> tuple[Result, Privacy]:
        """Review what the bench holds.

        Args:
            bench: The change with its excluded files marked, and its content.
            unreadable: Files that should be reviewed but cannot be read, with the reason.

        Returns:
            The result, and what keeps secrets out of excerpts.

        Raises:
            PluginError: If a deciding hook raises, or removes an issue.
        """
        result = self.empty(bench.change)
        outcomes, privacy = self._run(assign(self.selected.reviewers, bench), bench)
        outcomes = mark_moved(outcomes, bench, lambda tasks, before: self._run(tasks, before)[0])
        result.coverage = coverage_of(bench.change, outcomes)
        result.issues = self._issues(bench, outcomes, privacy)
        added = any(file.added_lines for file in bench.change.reviewable)
        if not added and not result.coverage.reviewed_files and not any(issue.is_open for issue in result.issues):
            result.status = ResultStatus.NOTHING_TO_REVIEW
        result.notes += _shallow_parts(bench, outcomes)
        result.notes += [note for outcome in outcomes for note in outcome.review.notes]
        result.notes += [
            f"{outcome.task.reviewer.name} is required, and had nothing to review"
            for outcome in outcomes
            if outcome.task.reviewer.name in self.selected.required
            and outcome.review.status is ReviewerStatus.NOT_APPLICABLE
            and _absent(outcome) is None
        ]
        result.reviewers = [*(self._report(outcome, result.issues) for outcome in outcomes), *self.not_run]
        result.model_reviewed = any(Depth.MODEL in depths for depths in seen_by_depth(outcomes).values())
        result.usage = Usage.total(outcome.review.usage for outcome in outcomes if outcome.review.usage is not None)
        gaps = self._gaps(bench.change, outcomes, unreadable)
        if gaps:
            result.status = ResultStatus.INCOMPLETE
            result.incomplete_reasons = gaps
        # One that failed took part, and is told of as what is missing.
        failed = any(o.task.reviewer.depth is Depth.MODEL and o.review.status.incomplete for o in outcomes)
        asked = result.model_reviewed or failed
        if not asked and any(o.review.status is ReviewerStatus.OK for o in outcomes):
            result.notes.append(NO_MODEL)
        self._derive(result)
        return result, privacy

    def _run(self, tasks: Sequence[Task], bench: Workbench) -> tuple[list[Outcome], Privacy]:
        """Run tasks, and cache what they find; return it, and what keeps secrets out of excerpts."""
        outcomes = run_all(tasks, bench, self.settings)
        privacy = Privacy(bench, outcomes)
        if (blobs := self.settings.blobs) is not None:  # all at once: each time the disk is waited for
            blobs.put_many({key: entry for o in outcomes for key, entry in o.entries(privacy.review).items()})
        # Before anything is derived from them: what comes from the cache was cleaned when it was kept, and both must
        # lead to the same places and fingerprints.
        return [outcome._replace(review=privacy.review(outcome.review)) for outcome in outcomes], privacy

    @contextlib.contextmanager
    def revise(self, result: Result) -> Iterator[Draft]:
        """Change a result: its verdict, counts and summary are derived from it anew when the block ends.

        Raises:
            PluginError: If a deciding hook raises.
        """
        try:
            yield cast("Draft", result)
        finally:
            self._derive(result)

    def nothing(self, change: Change, summary: str) -> Result:
        """Return the result of a review that did not take place.

        Args:
            change: What would have been reviewed.
            summary: Why it was not.
        """
        result = self.empty(change)
        result.status = ResultStatus.NOTHING_TO_REVIEW
        decide(result, self.threshold)
        result.summary = summary
        return result

    def _derive(self, result: Result) -> None:
        """Derive the verdict, the counts and the summary from a result's issues and status.

        Where something is open, or a plugin fails it, there was something to review.
        """
        decide(result, self.threshold)
        self.limits.apply(result)
        self._tighten(result)
        if result.status is ResultStatus.NOTHING_TO_REVIEW and (result.open_issues or not result.passed):
            result.status = ResultStatus.COMPLETE
        result.summary = summarise(result, self.threshold)

    def empty(self, change: Change) -> Result:
        """Return a result that names the scope and has nothing else."""
        limits = []
        if change.scope.partial:
            limits.append("partial: only the files under the paths given were reviewed")
        if self.selected.limited:
            names = ", ".join(reviewer.name for reviewer in self.selected.reviewers)
            required = sorted(self.selected.required - {reviewer.name for reviewer in self.selected.reviewers})
            without = f" (without {', '.join(required)}, though required)" if required else ""
            limits.append(f"partial: only the reviewers given took part: {names}{without}")
        scope = summarise_scope(change)
        scope.partial, scope.asked_less = bool(limits), self.asked_less
        limits += self.less
        scope.limits = limits or msgspec.UNSET
        return Result(
            severity_threshold=self.threshold.value
            if isinstance(self.threshold.value, str)
            else dict(self.threshold.value),
            timestamp=utc_now(),
            notes=[*scope.notes, *limits],
            scope=scope,
            coverage=Coverage(left_out=list(change.scope.left_out)),
        )

    def _issues(self, bench: Workbench, outcomes: Sequence[Outcome], privacy: Privacy) -> list[Issue]:
        reported = ((o.task.reviewer.name, finding) for o in outcomes for finding in o.review.findings)
        found = regrade(reported, self.config)
        issues = [privacy.clean(issue) for issue in to_issues(found, bench.change, bench.text)]
        amendment = Amendment(issues, bench.change, bench.text)
        self.manager.call("selfreview_modify_issues", issues=amendment.issues, change=bench.change, config=self.config)
        issues = amendment.finish(privacy.clean)
        statuses = StatusAssignment(self.manager, self.config, self.marking, bench, privacy)
        return statuses.assign(issues, FinishedFiles(outcomes, self.selected))

    def _report(self, outcome: Outcome, issues: Sequence[Issue]) -> ReviewerReport:
        name, review = outcome.task.reviewer.name, outcome.review
        return ReviewerReport(
            name=name,
            status=review.status,
            duration_ms=outcome.duration_ms,
            issues=sum(1 for issue in issues if issue.reviewer == name),
            cached=outcome.cached,
            usage=review.usage,
            error=review.error,
            hint=review.hint,
            depth=outcome.task.reviewer.depth,
            files=len(outcome.task.files) - len(review.unreviewed) - len(review.not_applicable),
            required=name in self.selected.required,
            outage=review.outage or msgspec.UNSET,
            gap=self._gap(outcome) or msgspec.UNSET,
        )

    def _gap(self, outcome: Outcome) -> str | None:
        """Return, as a sentence, how the part of a reviewer ended that the result is incomplete without; else None."""
        name, review = outcome.task.reviewer.name, outcome.review
        missing = review.status is ReviewerStatus.SKIPPED and name in self.selected.required
        if not (review.status.incomplete or missing):
            return None
        verb = "was skipped though required" if missing else review.status.value.replace("_", " ")
        return f"{name} {verb}: {_reason(review) or 'no reason given'}"

    def _gaps(self, change: Change, outcomes: Sequence[Outcome], unreadable: dict[str, str]) -> list[str]:
        """Return, as sentences, why the change was not reviewed as asked; nothing when it was."""
        gaps = [f"{display_path(path)} could not be read: {why}" for path, why in sorted(unreadable.items())]
        for outcome in outcomes:
            name, review = outcome.task.reviewer.name, outcome.review
            if (gap := self._gap(outcome)) is not None:
                gaps.append(gap)
            elif name in self.selected.required and (why := _absent(outcome)) is not None:
                gaps.append(f"{name} is required, and {why}")
            elif review.status is ReviewerStatus.OK and review.unreviewed:
                why = review.unreviewed[min(review.unreviewed)]
                gaps.append(f"{name} did not review {_named(review.unreviewed)}: {why}")
            gaps += [f"{name}: {gap}" for gap in review.gaps]
        seen = seen_by_depth(outcomes)
        added = [file for file in change.reviewable if file.added_lines]
        if added and not gaps and not any(file.path in seen for file in added):
            skipped = [
                f"{outcome.task.reviewer.name}: {outcome.review.error}"
                + (f" ({outcome.review.hint})" if outcome.review.hint else "")
                for outcome in outcomes
                if outcome.review.status is ReviewerStatus.SKIPPED and outcome.review.error
            ]
            why = f": {'; '.join(skipped)}" if skipped else ""
            gaps.append(f"no reviewer that was selected can review these files{why}")
        return gaps

    def _tighten(self, result: Result) -> None:
        """Let plugins make the verdict stricter, and fail what the threshold lets pass."""
        verdict = self.manager.call("selfreview_verdict", result=result, config=self.config)
        result.notes = [note for note in result.notes if note not in _LAXER.values()]
        if verdict is None:
            return
        tighten(result, verdict, self.threshold)
        if result.verdict is not None and STRICTNESS[verdict] < STRICTNESS[result.verdict]:
            result.notes.append(_LAXER[verdict])


def _reason(review: Review) -> str | None:
    """Return why a reviewer ended early, with the files that it had not finished."""
    left_out = review.unreviewed if review.status.incomplete else ()
    return f"{review.error or 'no reason given'} (not reviewed: {_named(left_out)})" if left_out else review.error


def _named(paths: Iterable[str]) -> str:
    """Name the first files of several."""
    return listing(map(display_path, sorted(paths)), 3)


def _shallow_parts(bench: Workbench, outcomes: Sequence[Outcome]) -> list[str]:
    """Say, as sentences, which parts of the change had less than a reviewer could give."""
    notes = []
    seen = seen_by_depth(outcomes)
    unseen = [file for file in bench.change.reviewable if file.added_lines and file.path not in seen]
    if unseen and len(unseen) < len(bench.change.reviewable):
        notes.append(f"no selected reviewer looked at {_named(file.path for file in unseen)}")
    why = {path: text for outcome in outcomes for path, text in outcome.review.text_only.items()}
    shallow = [path for path in why if seen.get(path) == {Depth.TEXT}]
    if shallow:
        files = listing((f"{display_path(path)} ({why[path]})" for path in shallow), 3)
        notes.append(f"only the text was searched of {files}")
    partial = [file for file in bench.change.reviewable if bench.content.is_partial(file)]
    if partial:
        files = "1 file" if len(partial) == 1 else f"{len(partial)} files"
        notes.append(
            f"a bare patch shows {files} in part, so no static reviewer saw them: run in the repository for that"
        )
    return notes


def summarise_scope(change: Change) -> ScopeSummary:
    """Return the scope as the result names it."""
    scope = change.scope
    return ScopeSummary(
        mode=scope.mode,
        base=scope.base,
        merge_base=scope.merge_base,
        head=scope.head,
        tree=scope.tree,
        branch=scope.branch,
        uncommitted=scope.uncommitted,
        partial=scope.partial,
        files=len(change.files),
        added_lines=change.added_lines,
        removed_lines=change.removed_lines,
        notes=list(scope.notes),
    )


def default_jobs(configured: int) -> int:
    """Return how many reviewers run at once: as configured, else one per processor and at least four."""
    return configured if configured > 0 else max(4, os.cpu_count() or 1)


def _absent(outcome: Outcome) -> str | None:
    """Return why a reviewer could not have looked at files that it selects, though it reports that it had no need."""
    if outcome.review.status is not ReviewerStatus.NOT_APPLICABLE or not outcome.task.files:
        return None
    why = outcome.task.capabilities.why_unavailable()
    return None if why is None else why[0]


def seen_by_depth(outcomes: Iterable[Outcome]) -> dict[str, set[Depth]]:
    """Return, by path, the depths at which reviewers finished that file."""
    seen: dict[str, set[Depth]] = {}
    for outcome in outcomes:
        review = outcome.review
        # One that ended early says which files it had not finished; without that it has finished none.
        if review.status is not ReviewerStatus.OK and not (review.status.incomplete and review.unreviewed):
            continue
        unfinished = set(outcome.review.unreviewed) | set(outcome.review.not_applicable)
        for file in outcome.task.files:
            if file.path not in unfinished:
                depth = Depth.TEXT if file.path in review.text_only else outcome.task.reviewer.depth
                seen.setdefault(file.path, set()).add(depth)
    return seen


def coverage_of(change: Change, outcomes: Sequence[Outcome]) -> Coverage:
    """Sum up what reviewers of each depth saw."""
    seen = seen_by_depth(outcomes)
    given = {file.path for o in outcomes if o.review.status is not ReviewerStatus.OK for file in o.task.files}
    given.update(*(outcome.review.unreviewed for outcome in outcomes))
    lines = dict.fromkeys(Depth, 0)
    for file in change.reviewable:
        for depth in seen.get(file.path, ()):
            lines[depth] += file.added_lines
    return Coverage(
        left_out=list(change.scope.left_out),
        files=len(change.files),
        reviewed_files=sum(1 for file in change.reviewable if seen.get(file.path)),
        added_lines=change.added_lines,
        depth=DepthLines(text=lines[Depth.TEXT], static=lines[Depth.STATIC], model=lines[Depth.MODEL]),
        text_only=[display_path(f.path) for f in change.reviewable if seen.get(f.path) == {Depth.TEXT}],
        excluded=[
            Excluded(path=display_path(file.path), why=file.excluded, path_bytes=base64_path(file.path))
            for file in change.files
            if file.excluded is not None
        ],
        not_reviewed=[
            NotReviewed(why=why, files=count)
            for why, count in Counter(_why(f, given) for f in change.files if not seen.get(f.path)).most_common()
        ],
    )


def _why(file: ChangedFile, given: Set[str]) -> str:
    """Return why nobody reviewed a file, given those that reviewers did not finish."""
    if file.excluded is not None:
        return file.excluded
    if file.path in given:
        return "given to a reviewer that took no part or did not finish"
    if file.status is FileStatus.DELETED:
        return "deleted"
    if not file.spans:
        return "moved as it was" if file.status is FileStatus.RENAMED else "without a changed line"
    return "no reviewer handles this type"
