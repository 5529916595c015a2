"""Run the reviewers side by side, each behind an error boundary and under its own deadline.

Whatever a reviewer does becomes an outcome that fails closed.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from selfreview.api import Finding, Review, Reviewer, capabilities
from selfreview.errors import SelfreviewError, ToolTimeout
from selfreview.model.change import ChangedFile
from selfreview.model.issue import GATE, Category, Issue, IssueStatus, Severity
from selfreview.model.result import Depth, ReviewerStatus
from selfreview.plugins.attribution import describe
from selfreview.review.cache import FindingCache
from selfreview.review.context import RunContext, Workbench
from selfreview.review.privacy import Privacy
from selfreview.review.tasks import Clean, Entries, Outcome, Settings, Task, crashed, failed, no_entries
from selfreview.review.verdict import Draft

_Reviewed = tuple[Review, bool, Entries]
"""A review, whether all of it came from the cache, and what is new for it."""


def outcome_of(task: Task, bench: Workbench, settings: Settings) -> Outcome:
    """Run one task; never raises."""
    start = time.monotonic()
    try:
        review, cached, entries = _review(task, bench, settings)
        _check(review, task)
    except SelfreviewError as error:
        review = Review(status=ReviewerStatus.FAILED, error=error.message, hint=error.hint)
        cached, entries = False, no_entries
    except BaseException as error:  # noqa: BLE001 - the boundary: native code raises BaseException (a Rust panic)
        return failed(task, error, settings, _milliseconds(start))
    return Outcome(task, review, _milliseconds(start), cached, entries)


def _milliseconds(start: float) -> int:
    return round((time.monotonic() - start) * 1000)


def sees_excluded(task: Task, bench: Workbench) -> bool:
    """Return whether a reviewer asks for changes without files for it, because it looks at excluded files' names."""
    return bool(task.capabilities.sees_excluded) and any(f.excluded for f in bench.change.files)


def reviews_commits(task: Task, bench: Workbench) -> bool:
    """Return whether there are commits to review one by one, and a reviewer that does so."""
    return bench.commits is not None and task.capabilities.review_commits is not None


def _review(task: Task, bench: Workbench, settings: Settings) -> _Reviewed:
    """Have a reviewer look at the files, and then at the commits, where it does."""
    if task.fault is not None:
        raise task.fault
    context = RunContext(bench, task.capabilities.seconds(settings.timeout))
    cache = FindingCache(settings.blobs, task.reviewer, context) if settings.blobs is not None else None
    if task.files or sees_excluded(task, bench):
        review, cached, entries = _of_files(task, context, cache, settings)
    else:
        review, cached, entries = Review(status=ReviewerStatus.NOT_APPLICABLE), True, no_entries
    if not reviews_commits(task, bench) or review.status not in (ReviewerStatus.OK, ReviewerStatus.NOT_APPLICABLE):
        return review, cached, entries
    more, known, more_entries = _of_commits(task, bench, context, cache)

    def both_entries(clean: Clean) -> Mapping[bytes, bytes]:
        return {**entries(clean), **more_entries(clean)}

    both = msgspec.structs.replace(
        review,
        status=ReviewerStatus.OK if more.findings else review.status,
        findings=[*review.findings, *more.findings],
        gaps=[*review.gaps, *more.gaps],
    )
    return both, cached and known, both_entries


def _of_commits(task: Task, bench: Workbench, context: RunContext, cache: FindingCache | None) -> _Reviewed:
    """Return the cached review of the commits, or review them."""
    review_commits = task.capabilities.review_commits
    assert bench.commits is not None and review_commits is not None  # noqa: S101, PT018 - else there is nothing to review
    known = cache.known_of_commits(bench.commits.key) if cache is not None else None
    if known is not None:
        return Review(findings=known), True, no_entries
    try:
        review = Review(findings=list(review_commits(context)))
    except SelfreviewError as error:
        late = "raise reviewer_timeout, or review the commits in parts: --range A..B"
        hint = late if isinstance(error, ToolTimeout) else error.hint
        gap = f"not every commit was looked at: {error.message}"
        return Review(gaps=[f"{gap} ({hint})" if hint else gap]), False, no_entries
    _check_kinds(review)
    entries = no_entries if cache is None else lambda clean: cache.entries_of_commits(clean(review))
    return review, not context.committed_lines(), entries


def _of_files(task: Task, context: RunContext, cache: FindingCache | None, settings: Settings) -> _Reviewed:
    """Return the cached reviews of the files, and review the others."""
    known = cache.known(task.files) if cache is not None else {}
    unknown = [file for file in task.files if file.path not in known]
    finished: set[str] = set()

    def keep_part(files: Sequence[ChangedFile], review: Review) -> None:
        finished.update(file.path for file in files)
        settings.watcher.advanced(task.reviewer.name, len(finished), len(unknown))
        if cache is not None:
            _keep_part(cache, context, files, review)

    context.keeper = keep_part
    entries: Entries = no_entries
    if not unknown and known:
        review = Review()
    else:
        review = _without_crashes(_ask(task, unknown, context), task, settings)
        if cache is not None:
            entries = _entries(cache, unknown, review)
    notes_of = task.capabilities.notes
    if notes_of is not None and review.status is not ReviewerStatus.SKIPPED:
        review = msgspec.structs.replace(review, notes=[*notes_of(context), *review.notes])
    findings = [finding for entry in known.values() for finding in entry.findings]
    if review.status.incomplete:
        return msgspec.structs.replace(review, findings=[*findings, *review.findings]), False, entries
    if review.status is ReviewerStatus.SKIPPED:
        return review, False, entries
    hints = dict.fromkeys([*(entry.hint for entry in known.values()), review.hint])
    merged = msgspec.structs.replace(
        review,
        status=ReviewerStatus.OK if known else review.status,
        findings=[*findings, *review.findings],
        hint="; ".join(hint for hint in hints if hint) or None,
        not_applicable=[*(path for path, entry in known.items() if not entry.applicable), *review.not_applicable],
        text_only={**{path: entry.text_only for path, entry in known.items() if entry.text_only}, **review.text_only},
    )
    return merged, not unknown, entries


def _keep_part(cache: FindingCache, context: RunContext, files: Sequence[ChangedFile], review: Review) -> None:
    """Cache a part of a review before it is known where there are secrets: all of it is scanned."""
    from selfreview.review.privacy import Privacy

    cache.keep(files, Privacy(context.bench, []).review(review))


def _ask(task: Task, files: list[ChangedFile], context: RunContext) -> Review:
    """Call the reviewer; a tool's failure becomes its answer, so that results from the cache still count."""
    try:
        review = task.reviewer.review(files, context)
    except ToolTimeout as error:
        return Review(status=ReviewerStatus.TIMED_OUT, error=error.message, hint=error.hint)
    except SelfreviewError as error:
        from selfreview.llm.transport.request import ModelError

        outage = error.outage if isinstance(error, ModelError) else None
        return Review(status=ReviewerStatus.FAILED, error=error.message, hint=error.hint, outage=outage)
    if not isinstance(review, Review):
        raise TypeError(f"review() returned {type(review).__name__}, not a Review")
    _check_kinds(review)
    return review


def _without_crashes(review: Review, task: Task, settings: Settings) -> Review:
    """Return a review as one that failed, where the reviewer met a defect in some of the files."""
    if not review.crashes:
        return review
    whole = crashed(task, next(iter(review.crashes.values())), settings)
    unreviewed = {**review.unreviewed, **dict.fromkeys(review.crashes, whole.error or "")}
    return msgspec.structs.replace(
        review, status=whole.status, error=whole.error, hint=whole.hint, outage=None, unreviewed=unreviewed, crashes={}
    )


def _check_kinds(review: Review) -> None:
    for finding in review.findings:
        # Structs do not check what a plugin puts into them, and a plain word would fail far from here.
        Severity(finding.severity), Category(finding.category)
        if type(finding.severity) is not Severity or type(finding.category) is not Category:
            raise TypeError("a finding's severity and category must be Severity and Category, not text")


def _entries(cache: FindingCache, files: Sequence[ChangedFile], review: Review) -> Entries:
    return lambda clean: cache.entries(files, clean(review))


def _check(review: Review, task: Task) -> None:
    """Refuse contradictory answers."""
    if review.status is not ReviewerStatus.OK and review.findings and not review.status.incomplete:
        raise TypeError(f"review() returned findings together with the status {review.status}")
    unknown = (set(review.unreviewed) | set(review.text_only)) - {file.path for file in task.files}
    if unknown:
        raise TypeError(f"review() names {sorted(unknown)[0]!r}, which it was not given")


GRACE_S = 2.0
"""Seconds past its deadline that a reviewer may take to come back by itself."""

LAST_WORDS_S = 0.5
"""Seconds that reviewers have to come back with what they found when a person interrupts."""

INTERRUPTED = "interrupted before it was done"


def run_all(tasks: Sequence[Task], bench: Workbench, settings: Settings) -> list[Outcome]:
    """Run all tasks and return their outcomes in the same order; never raises for what a reviewer does.

    A reviewer that does not come back is left behind in its daemon thread: its children are killed with the run.
    Where the person interrupts, what is not done counts as failed, and the bench says so.
    """
    outcomes: dict[int, Outcome] = {}
    waiting: deque[int] = deque()
    for index, task in enumerate(tasks):
        if task.files or task.fault is not None or sees_excluded(task, bench) or reviews_commits(task, bench):
            waiting.append(index)
        else:
            nothing = Review(status=ReviewerStatus.NOT_APPLICABLE)
            outcomes[index] = Outcome(task, nothing, 0, cached=False, entries=no_entries)
    outcomes.update(_Crew(tasks, bench, settings).work(waiting))
    return [outcomes[index] for index in range(len(tasks))]


class _Crew:
    """Threads at work. Only the thread that calls :meth:`work` starts, awaits and gives up on them.

    So a place is taken when a task is started and free when its outcome is there, whoever made the outcome.
    """

    def __init__(self, tasks: Sequence[Task], bench: Workbench, settings: Settings) -> None:
        self._tasks = tasks
        self._bench = bench
        self._settings = settings
        self._done: queue.SimpleQueue[tuple[int, Outcome] | None] = queue.SimpleQueue()  # None: the run is cancelled
        self._ends: dict[int, float] = {}

    def work(self, waiting: deque[int]) -> dict[int, Outcome]:
        """Run tasks, at most ``jobs`` at once, until each of them has an outcome."""
        outcomes: dict[int, Outcome] = {}
        given = list(waiting)
        self._bench.on_stop(lambda: self._done.put(None))
        try:
            while waiting or self._ends:
                while waiting and len(self._ends) < self._settings.jobs:
                    self._start(waiting[0])
                    waiting.popleft()
                outcomes.update(self._await())
        except KeyboardInterrupt:
            self._bench.interrupted = True
            self._bench.stop()
            outcomes.update(self._last_words())
            # The interrupt may have come between the end of a task and the note that it has ended.
            return outcomes | {i: self._stopped(self._tasks[i]) for i in given if i not in outcomes}
        return outcomes

    def _await(self) -> dict[int, Outcome]:
        """Return the next outcome that counts, or those of tasks whose time is over."""
        patience = max(min(self._ends.values()) - time.monotonic(), 0.0)
        try:
            done = self._done.get(timeout=patience)
        except queue.Empty:
            return self._give_up()
        if done is None:
            raise KeyboardInterrupt
        index, outcome = done
        # What comes too late was given up.
        return {index: outcome} if self._ends.pop(index, None) is not None else {}

    def _start(self, index: int) -> None:
        task = self._tasks[index]
        self._ends[index] = time.monotonic() + self._limit(task) + GRACE_S
        threading.Thread(target=self._run, args=(index, task), daemon=True, name=task.reviewer.name).start()

    def _limit(self, task: Task) -> float:
        try:
            return task.capabilities.seconds(self._settings.timeout)
        except TypeError:
            return self._settings.timeout  # the task itself reports it

    def _run(self, index: int, task: Task) -> None:
        """Work in a thread; whatever is raised, by the watcher too, the outcome is delivered."""
        try:
            there = task.capabilities.why_unavailable() is None  # else its start is not reported
            if there:
                self._settings.watcher.started(task.reviewer.name)
            outcome = outcome_of(task, self._bench, self._settings)
            if there or outcome.review.status.incomplete:
                self._settings.watcher.finished(task.reviewer.name, outcome.review.status)
        except BaseException as error:  # noqa: BLE001 - the boundary: a thread that dies in silence is waited for
            outcome = failed(task, error, self._settings)
        self._done.put((index, outcome))

    def _give_up(self) -> dict[int, Outcome]:
        """Return the outcomes of tasks whose time is over."""
        now = time.monotonic()
        late = [index for index, end in self._ends.items() if end <= now]
        for index in late:
            del self._ends[index]
        return {index: self._late(self._tasks[index]) for index in late}

    def _last_words(self) -> dict[int, Outcome]:
        """Return the outcomes of tasks that return at once when they are stopped, with what they have."""
        outcomes: dict[int, Outcome] = {}
        end = time.monotonic() + LAST_WORDS_S
        while self._ends:
            try:
                done = self._done.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            if done is None:
                continue
            index, outcome = done
            if self._ends.pop(index, None) is not None:
                outcomes[index] = outcome
                if outcome.review.status is ReviewerStatus.FAILED:
                    # A tool that the run has just killed says that it was killed, which is not why.
                    outcome.review.error, outcome.review.hint = INTERRUPTED, None
        return outcomes

    def _stopped(self, task: Task) -> Outcome:
        """Return the outcome of a task that the person did not wait for."""
        review = Review(status=ReviewerStatus.FAILED, error=INTERRUPTED)
        return Outcome(task, review, 0, cached=False, entries=no_entries)

    def _late(self, task: Task) -> Outcome:
        limit, name = self._limit(task), task.reviewer.name
        hint = f"raise {'reviewer_timeout' if limit == self._settings.timeout else 'its timeout'}"
        review = Review(
            status=ReviewerStatus.TIMED_OUT,
            error=f"did not finish within {limit:g} s",
            # The gate's own reviewer is no plugin: nothing leaves it out.
            hint=hint if name == GATE else f"{hint}, or leave it out with -p no:{name}",
        )
        try:
            self._settings.watcher.finished(name, review.status)
        except Exception as error:  # noqa: BLE001 - the boundary: as for a task that comes back
            return failed(task, error, self._settings)
        return Outcome(task, review, round((limit + GRACE_S) * 1000), cached=False, entries=no_entries)


_NOT_REFUTED = "verification does not refute it"


def close_refuted(
    result: Draft,
    issues: Sequence[Issue],
    reviewers: Sequence[Reviewer],
    bench: Workbench,
    privacy: Privacy,
    *,
    settings: Settings,
) -> None:
    """Dismiss those issues that a verifier refutes; they stay so for later reviews of the same content.

    What a static reviewer reports, alone or as well, and what nobody can verify, stays as it is.

    Args:
        result: The review that holds the issues; gets what it cost, and why something could not be verified.
        issues: The issues.
        reviewers: Those that took part, with what is left of the budget.
        bench: What was reviewed.
        privacy: Keeps secrets out of reasons.
        settings: How reviewers are run.
    """
    dismissed = False
    for reviewer in reviewers:
        mine = [issue for issue in issues if issue.reviewer == reviewer.name and not issue.also_reported_by]
        optional = capabilities.of_reviewer(reviewer)
        if not mine or reviewer.depth is not Depth.MODEL or optional.verify is None:
            continue
        context = RunContext(bench, optional.seconds(settings.timeout))
        findings = [msgspec.convert(issue, Finding, from_attributes=True) for issue in mine]
        try:
            review = optional.verify(findings, context)
            verified = list(zip(mine, review.findings, strict=True))
        except Exception as error:  # noqa: BLE001 - the boundary: a reviewer's fault closes nothing, and is told
            why = error.message if isinstance(error, SelfreviewError) else describe(error)
            result.notes.append(f"{reviewer.name} could not verify what a fixer calls a false positive: {why}")
            continue
        if review.usage is not None:
            result.usage.add(review.usage)
        result.notes += [f"{reviewer.name}: {privacy.words(note)}" for note in review.notes]
        for issue, finding in verified:
            if finding.status is IssueStatus.DISMISSED:
                issue.status, issue.status_reason = finding.status, privacy.words(finding.status_reason)
                dismissed = True
            elif not review.notes:
                issue.status_reason = _NOT_REFUTED
        if dismissed and settings.blobs is not None:
            files = [file for file in bench.change.reviewable if reviewer.selects(file)]
            FindingCache(settings.blobs, reviewer, context).amend(files, _marked(mine))


def _marked(issues: Sequence[Issue]) -> Callable[[Finding], Finding]:
    closed = {_about(issue): issue for issue in issues if issue.status is IssueStatus.DISMISSED}

    def amended(finding: Finding) -> Finding:
        issue = closed.get(_about(finding))
        if issue is None or finding.status is not IssueStatus.OPEN:
            return finding
        return msgspec.structs.replace(finding, status=issue.status, status_reason=issue.status_reason)

    return amended


def _about(issue: Issue | Finding) -> tuple[object, ...]:
    return issue.file, issue.severity, issue.category, issue.description
