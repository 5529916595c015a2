"""The edit of a fix cycle, and the self-review of what is pushed: a run's stages, for review feedback."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from selfreview.api import FixAnswer, FixOutcome, Issue, IssueStatus, Judged, Occasion
from selfreview.app.checks import Checks
from selfreview.app.fixers import select_fixers
from selfreview.app.loading import fixers_of
from selfreview.app.policies import PERSON, person_terms
from selfreview.app.reports import stop_if_interrupted
from selfreview.app.review import remember
from selfreview.app.run import REVIEW, execute
from selfreview.app.session import LiveSession
from selfreview.app.state import (
    Branch,
    LocatedRun,
    OpenedRun,
    RepoSource,
    Reviewed,
    ReviewedRun,
    Run,
    RunPolicy,
    SessionRun,
    Terms,
    live_session,
)
from selfreview.app.workspace_refinement import Plan, Refinery
from selfreview.app.workspace_review import WorkspaceReviewer
from selfreview.config.sources import commit_reader
from selfreview.errors import LimitError, ModelAwayError
from selfreview.fixers.mechanical import EditFixer
from selfreview.git.workspace import Workspace
from selfreview.model.issue import CHECK_PREFIX
from selfreview.model.refinement import FixerReport, Stop
from selfreview.model.result import Depth, Iteration, Result, ResultStatus, ReviewerReport
from selfreview.model.wire import display_path
from selfreview.proc import Runner
from selfreview.pullrequest.feedback.issues import REVIEWER, key_of
from selfreview.pullrequest.fix_outcome import Fixed
from selfreview.pullrequest.quota import Limit, away_of, limit_of
from selfreview.refine.fixing import Refiner
from selfreview.refine.progress import brought
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.refinement_result import RefinementResult, Scale
from selfreview.refine.scratch import scratch
from selfreview.refine.tracking import LineMap, LineTracker, open_with_duplicates, pair
from selfreview.review.verdict import Draft, Threshold

_BEFORE = "it was on the branch before the feedback"
_NAMED_ISSUES = 3
_SHOWN_CHARACTERS = 200
ROUNDS = 2
"""Refinements within one cycle: a fix that brings a new issue, or leaves one open, is tried once more."""


class _Aside(Recorder):
    """A session of the loop within a cycle, without notices: the branch's own session has a state of its own.

    Attributes:
        branch: Of the branch's own session, which is told of the reviews; None: nobody is.
    """

    branch: Recorder | None = None

    def reviewed(self, result: Result) -> None:
        """Record a review in the branch's own session."""
        if self.branch is not None:
            self.branch.reviewed(result)

    def _tell(self, hook: str, **arguments: object) -> None:
        """Send no notice."""


def feedback_policy(base_settings: str | None, recorder: Recorder | None = None) -> RunPolicy:
    """Return the policy of a person's run on the branch of a pull request, whose own session keeps its state.

    Nothing is remembered, and nobody is notified: the fix cycle does both.

    Args:
        base_settings: The commit whose configuration counts, for a pull request of somebody else; None: the tree's.
        recorder: Of the branch's own session, which is told of each review; None: nobody is.
    """

    def load(run: LocatedRun) -> Terms:
        if base_settings is None or not isinstance(run.source, RepoSource):
            return person_terms(run)
        return person_terms(run, commit_reader(run.source.repo.git, base_settings))

    def begin(run: OpenedRun, branch: Branch) -> LiveSession:  # noqa: ARG001 - it is not the branch's own
        session = new_session(run.bench.change.scope.branch or "", "", run.config["max_iterations"])
        aside = _Aside(session, None, run.manager, run.config, run.observer_failed)
        aside.branch = recorder
        live = LiveSession(aside, tracked=False)
        live.begin()
        return live

    return dataclasses.replace(
        PERSON, remembers=False, tells_completion=False, notifies=False, load=load, begin_session=begin
    )


def fix_feedback(run: Run, issues: Sequence[Issue], occasion: Occasion) -> Fixed:
    """Fix review feedback in a workspace; nothing is applied.

    Args:
        run: The run, with a :func:`feedback_policy`; its request names the base of the pull request.
        issues: The feedback, as issues.
        occasion: What fixers are told of it.

    Raises:
        KeyboardInterrupt: If it was interrupted.
        SelfreviewError: If this machine failed, and there is no patch: that is no answer to anybody.
    """
    fix = _Fix(issues, occasion)
    execute(run, REVIEW | fix.fix | remember | stop_if_interrupted)
    return fix.fixed


def check_fix(run: Run, before: str) -> str | None:
    """Review the checked-out commit before the push of a fix that hooks edited or that was rebased, with the checks.

    Args:
        run: The run, with a :func:`feedback_policy`.
        before: The commit before the fix: what is found there already does not count.

    Returns:
        What is wrong, as a sentence, or None.

    Raises:
        LimitError: If whoever reviews it may not be asked for now.
        ModelAwayError: If they could not be asked.
    """
    found: list[str] = []

    def check(run: ReviewedRun) -> ReviewedRun:
        if (live := live_session(run)) is not None:
            found.extend(_check(live, before))
        return run

    execute(run, REVIEW | check | remember | stop_if_interrupted)
    return "; ".join(found) or None


def _check(run: SessionRun, before: str) -> list[str]:
    """Compare the review with that of the state before the fix, and run the checks."""
    run.live.decided(run.result)
    run.live.recorder.reviewed(run.result)
    runner = Runner()
    checks = Checks(run, runner)
    found = _new_problems(run, before)
    if not found and checks.runnable:
        try:
            with scratch(run.opened.repo, run.opened.collected, run.ui.uninterrupted) as workspace:
                checks.begin(workspace, run.opened.repo.root)
                with run.engine.revise(run.result) as draft:
                    checks.judge(draft, run.bench.change)
        finally:
            runner.kill_all()
    failed = [issue for issue in run.result.open_issues if issue.reviewer.startswith(CHECK_PREFIX)]
    return [*found, *(issue.description.split("\n")[0] for issue in failed)]


def _new_problems(run: SessionRun, before: str) -> list[str]:
    """Return issues that block and gaps of the review that were absent before the fix."""
    result, threshold = run.result, run.threshold
    if result.status is ResultStatus.COMPLETE and not threshold.blocking(result.issues):
        return []
    unasked = of_review(result)
    if unasked.limit is not None:
        raise LimitError(unasked.limit.why, wait_s=unasked.limit.wait_s)
    if unasked.away is not None:
        raise ModelAwayError(unasked.away)
    request = msgspec.structs.replace(run.request, head=before)
    earlier = Run(request=request, policy=run.policy, ui=run.ui, scope=run.scope.nested())
    first = execute(earlier, REVIEW | remember | stop_if_interrupted).result
    with scratch(run.opened.repo, run.opened.collected, run.ui.uninterrupted) as workspace:
        track = LineTracker(workspace, before, workspace.start)
        written = workspace.lines_written(before, workspace.start)
        new = brought(first, result, threshold.blocking(result.issues), written, track)
    scale = Scale(threshold, first)
    return [*(f"{issue.file}: {issue.description.splitlines()[0]}" for issue in new), *scale.gaps(result)]


class _Fix:
    """The refinement that fixes feedback, as a stage.

    Attributes:
        fixed: What came of it.
    """

    def __init__(self, issues: Sequence[Issue], occasion: Occasion) -> None:
        self._issues = issues
        self._occasion = occasion
        self._reports: list[FixerReport] = []
        self.fixed = Fixed(patch=None)

    def fix(self, run: ReviewedRun) -> ReviewedRun:
        """Fix the feedback, starting from the review of the branch."""
        live = live_session(run)
        return run if live is None else self._fix(live)

    def _fix(self, run: SessionRun) -> SessionRun:
        if (limit := of_review(run.result).limit) is not None:
            self.fixed = Fixed(patch=None, limit=limit)
            return run
        live, result = run.live, run.result
        self._before = open_with_duplicates(result)
        self._complete = result.status is ResultStatus.COMPLETE
        with run.engine.revise(result) as draft:
            for issue in draft.open_issues:
                issue.status, issue.status_reason = IssueStatus.ACCEPTED, _BEFORE
            draft.issues += self._issues
        reviewer = WorkspaceReviewer(run)
        run.scope.whole.callback(reviewer.close)
        registry = fixers_of(run.manager, run.config)
        fixers, notes = select_fixers(registry, run.config, run.request.fixers, uploads=run.uploads)
        plan = Plan(
            fixers=[EditFixer(REVIEWER), *fixers],
            iterations=ROUNDS,
            threshold=run.threshold,
            occasion=self._occasion,
            adjust=self._adjust,
        )
        refinery = Refinery(
            run,
            reviewer,
            plan=plan,
            recorder=live.recorder,
        )
        refined = refinery.refine(Reviewed(result, run.bench, run.privacy), live.decided)
        if refined is not None and refined.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt  # what there is until then is no answer to anybody
        fixed, ran = self._judge(refined, run, notes), refined.iterations if refined is not None else ()
        thinking = {fixer.name for fixer in fixers if not fixer.is_mechanical}
        unasked = of_fix(ran, thinking, reviews=fixed.patch is None)
        failed = refinery.failed if refined is None else refined.failed
        if failed is not None and fixed.patch is None:
            raise failed
        self.fixed = dataclasses.replace(fixed, limit=unasked.limit, away=unasked.away)
        return run

    def _adjust(self, result: Draft, workspace: Workspace, refiner: Refiner) -> None:
        """Turn a review into one of the feedback: earlier issues count as accepted, unaddressed feedback as open."""
        known = set(pair(self._before, open_with_duplicates(result)).values())
        for issue in result.open_issues:
            if issue.id in known:
                issue.status, issue.status_reason = IssueStatus.ACCEPTED, _BEFORE
        now = {id(stage.report): stage.report for stage in refiner.stages.all}
        # What was taken back has no files any more.
        earlier = {id(report): report for report in self._reports if report.files}
        self._reports = list((earlier | now).values())
        done = _answers(self._reports, self._issues)
        maps: dict[str, LineMap] = {}
        for issue in self._issues:
            answer = done.get(issue.id)
            if answer is not None and answer.outcome is FixOutcome.ADDRESSED:
                continue
            if issue.file not in maps:
                maps[issue.file] = LineMap(
                    _lines(workspace, workspace.start, issue.file), _lines(workspace, None, issue.file)
                )
            moved = maps[issue.file].issue(issue)
            result.issues.append(moved if moved is not None else _as_whole(issue))

    def _judge(self, refined: RefinementResult | None, run: SessionRun, notes: Sequence[str]) -> Fixed:
        """Return the outcome, with a patch only where the review after it finds no new issue that blocks."""
        if refined is None:
            return Fixed(patch=None, why=(*notes, *run.result.notes) or ("no fixer can do what is asked for",))
        answers = _last_answers(refined, self._issues)
        found = _why_withheld(refined, run.threshold)
        open_ = {issue.id for issue in refined.result.open_issues}
        by_key = {
            key_of(issue): _unless_open(answers[issue.id], open_, found[0] if found else _why_open(refined, issue.id))
            for issue in self._issues
            if issue.id in answers
        }
        words = list(refined.notes)
        held = refined.held_after or refined.held
        if held is not None:
            edits = "; ".join(held.manifest.held)
            words.append(f"edits of tests that are there wait for a person: {edits} (selfreview apply {held.id})")
        words += [line for iteration in refined.iterations for line in _rejections(iteration.refinement.fixers)]
        if refined.patch is None:
            not_done = [answer for answer in by_key.values() if answer.outcome is not FixOutcome.ADDRESSED]
            reasons = [answer.why for answer in not_done if answer.why]
            end = () if found or refined.stop is Stop.CAP else (refined.why,)  # the cap of cycles is another one
            return Fixed(patch=None, answers=by_key, why=tuple(dict.fromkeys((*found, *words, *reasons, *end))))
        if found:
            return Fixed(patch=None, answers=by_key, why=(*found, *words))
        if self._complete and refined.gaps:
            why = ("the self-review of the fix is incomplete", *refined.gaps)
            return Fixed(patch=None, answers=by_key, why=why)
        applied = _applied(refined)
        keys_ = frozenset(key_of(issue) for issue in self._issues if issue.id in applied)
        return Fixed(patch=refined.patch, answers=by_key, applied=keys_, why=tuple(words))


def _answers(reports: Sequence[FixerReport], issues: Sequence[Issue]) -> dict[str, FixAnswer]:
    """Return the fixers' answers on issues, of this and earlier refinements, whose edits are kept."""
    return {answer.issue: answer for report in reports for answer in _said(report, issues)}


def _said(report: FixerReport, issues: Sequence[Issue]) -> Iterator[FixAnswer]:
    """Return a fixer's answers on issues; an agent that ends without a report is known by what it wrote."""
    wrote = report.issues if report.files and not report.answers else ()
    answers = report.answers or [FixAnswer(issue=name, outcome=FixOutcome.ADDRESSED) for name in wrote]
    mine = {issue.id for issue in issues}
    return (answer for answer in answers if answer.issue in mine)


def _applied(refined: RefinementResult) -> set[str]:
    """Return the issues whose own edits, the reviewers' suggestions, were made up to the best state."""
    return {
        answer.issue
        for iteration in refined.iterations[: refined.best or len(refined.iterations)]
        for report in iteration.refinement.fixers
        if report.name == REVIEWER
        for answer in report.answers
        if answer.outcome is FixOutcome.ADDRESSED
    }


def _last_answers(refined: RefinementResult, issues: Sequence[Issue]) -> dict[str, FixAnswer]:
    """Return the last answer of fixers on each issue, up to the best state, or of all where there is none."""
    last = refined.best or len(refined.iterations)
    found: dict[str, FixAnswer] = {}
    for iteration in refined.iterations[:last]:
        for answer in (answer for report in iteration.refinement.fixers for answer in _said(report, issues)):
            earlier = found.get(answer.issue)
            if earlier is None or earlier.outcome is not FixOutcome.ADDRESSED:
                found[answer.issue] = answer
    return found


def _why_withheld(refined: RefinementResult, threshold: Threshold) -> list[str]:
    """Return why a fix is withheld: a sentence with the new issues that block, or nothing."""
    number = refined.best or len(refined.iterations)
    if not refined.brought.get(number):
        return []
    found = threshold.blocking(refined.iterations[number - 1].review.issues)
    names = [_named(issue) for issue in found if issue.reviewer != REVIEWER]
    more = f"; and {len(names) - _NAMED_ISSUES} more" if len(names) > _NAMED_ISSUES else ""
    return [f"nothing is pushed, because the self-review of the fix finds {'; '.join(names[:_NAMED_ISSUES])}{more}"]


def _named(issue: Issue) -> str:
    place = f"{display_path(issue.file)}:{issue.line_start}" if issue.line_start else display_path(issue.file)
    return f"{place}: {' '.join(issue.description.split())[:_SHOWN_CHARACTERS]}"


def _why_open(refined: RefinementResult, name: str) -> str:
    """Return why an issue that a fixer reported as addressed is still open."""
    reports = [report for each in refined.iterations for report in each.refinement.fixers if name in report.issues]
    idle = all(report.edited_nothing for report in reports)
    return "no fixer changed anything for it" if idle else "its edit could not be kept"


def _unless_open(answer: FixAnswer, open_: set[str], why: str) -> FixAnswer:
    """Return an answer, changed to not addressed where its issue is still open."""
    if answer.outcome is FixOutcome.ADDRESSED and answer.issue in open_:
        return FixAnswer(issue=answer.issue, outcome=FixOutcome.NOT_ADDRESSED, why=why)
    return answer


def _rejections(reports: Sequence[Any]) -> list[str]:
    lines = []
    for report in reports:
        lines += [f"{report.name}: {report.error}"] if report.error else []
        lines += [f"{report.name}: rejected: {reason}" for reason in dict.fromkeys(report.rejected)]
    return lines


def _as_whole(issue: Issue) -> Issue:
    """Return an issue whose lines are gone as an issue of the whole file."""
    return msgspec.structs.replace(issue, line_start=0, line_end=0, edits=[], evidence=None)


def _lines(workspace: Workspace, tree: str | None, path: str) -> Sequence[str]:
    if not path:
        return ()  # of what is said about no file
    entry = workspace.read(path) if tree is None else workspace.at(tree, path)
    return () if entry is None else entry.lines


def occasion(number: int, url: str, work: Sequence[Judged], prompt: str) -> Occasion:
    """Return the context of the pull request for fixers.

    Args:
        number, url: Of the pull request.
        work: What reviewers ask for.
        prompt: What the person's configuration adds.
    """
    from selfreview.pullrequest.feedback.issues import material

    lines = [
        "Address each comment above specifically.",
        "Address each review comment. Do not modify code unrelated to the review feedback.",
        "Understand what is asked for, implement it, and run the tests where you can.",
        "Do not commit and do not push, open no pull request and write no comment: that is done for you, on the "
        "existing branch, when your edit has passed the review and the checks.",
    ]
    instructions = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    return Occasion(
        heading=f"You are addressing code review feedback for PR #{number} ({url})",
        material=material(work),
        instructions=f"{instructions}\n{prompt}".strip(),
    )


class Unasked(NamedTuple):
    """The reason why models and agents could not be asked.

    Attributes:
        limit: The quota that is used up, or None.
        away: Why a model or an agent could not be asked, as a sentence, or None.
    """

    limit: Limit | None = None
    away: str | None = None


def of_review(*results: Result) -> Unasked:
    """Return why models and agents could not review, where that made a review incomplete."""
    return _combined(
        [
            _unasked(reviewer)
            for result in results
            if result.status is not ResultStatus.COMPLETE
            for reviewer in result.reviewers
            if reviewer.error and reviewer.depth is Depth.MODEL
        ]
    )


def of_fix(iterations: Sequence[Iteration], thinking: Collection[str], *, reviews: bool) -> Unasked:
    """Return why no model or agent could fix, or review the fix.

    Where one of them was asked, what it said of the feedback counts, whatever became of the others.

    Args:
        iterations: What was done.
        thinking: Names of the fixers that are models or agents.
        reviews: Whether there is no patch, which may be for want of a review.
    """
    last = {
        fixer.name: fixer
        for each in iterations
        for fixer in each.refinement.fixers
        if fixer.name in thinking and fixer.issues
    }
    unasked = [_unasked(fixer) for fixer in last.values()]
    if last and Unasked() not in unasked:
        return _combined(unasked)
    return of_review(*(each.review for each in iterations if each.refinement.files)) if reviews else Unasked()


def _unasked(report: ReviewerReport | FixerReport) -> Unasked:
    """Return why a reviewer's or a fixer's model could not be asked; nothing where it was."""
    if not report.error:
        return Unasked()
    outage = report.outage or None
    return Unasked(limit_of(report.error, outage, time.time()), away_of(report.error, outage))


def _combined(unasked: Sequence[Unasked]) -> Unasked:
    """Return the limit with the longest wait, and the first model that is away."""
    limits = [each.limit for each in unasked if each.limit is not None]
    away = next((each.away for each in unasked if each.away is not None), None)
    return Unasked(max(limits, key=lambda limit: limit.wait_s, default=None), away)
