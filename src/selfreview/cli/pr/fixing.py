"""The edit of a fix cycle: the review, the fixers, the guard and the checks of a run, for review feedback."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from selfreview.api import FixAnswer, FixOutcome, Issue, IssueStatus, Judged, Occasion
from selfreview.api.context import SourceText
from selfreview.cli.common import Session, load_session
from selfreview.cli.fixers import all_fixers, select_fixers
from selfreview.cli.outputs import Output
from selfreview.cli.pr.unasked import of_fix, of_review
from selfreview.cli.refinery import Plan, Refinery
from selfreview.cli.reviewing import Reviewed, WorkspaceReviewer
from selfreview.cli.run import Run
from selfreview.cli.session import LiveSession, patches_folder, report_observer
from selfreview.config.files import commit_reader
from selfreview.fixers.mechanical import EditFixer
from selfreview.git.workspace import Workspace
from selfreview.loop.compare import open_with_duplicates, pair
from selfreview.loop.fixing import Refiner
from selfreview.loop.line_map import LineMap
from selfreview.loop.patches import PatchStore
from selfreview.loop.recorder import Recorder, new_session
from selfreview.loop.refinement_result import RefinementResult, blocking
from selfreview.model.refinement import FixerReport, Stop
from selfreview.model.result import Result, ResultStatus
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.issues import REVIEWER, key_of
from selfreview.pullrequest.ports import Fixed
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.review.verdict import Draft, Threshold
from selfreview.store.reviewing import ReviewStore

_BEFORE = "it was on the branch before the feedback"
_OPTIONS: Mapping[str, Any] = {
    "head": None, "staged": False, "commit": None, "range_": None, "diff": None, "collect_only": False,
    "no_fix": False, "max_iterations": None, "fixers": (), "apply": False, "stage": False, "formats": ("json",),
    "chosen": (), "threshold": None, "max_issues": None, "strict": False, "effort": None, "requirements": (),
    "no_cache": False, "offline": False, "color": None, "durations": None, "trace_config": False, "plugins": (),
    "overrides": (),
}  # fmt: skip
"""Default options of ``run``."""
_MOST_NAMED = 3
_MOST_SHOWN = 200
ROUNDS = 2
"""Refinements within one cycle: a fix that brings a new issue, or leaves one open, is tried once more."""


class _Aside(Recorder):
    """A session of the loop within a cycle, without notices: the branch's own session has a state of its own."""

    def _tell(self, hook: str, **arguments: object) -> None:
        """Send no notice."""


class FeedbackRun(Run):
    """A run that fixes review feedback in a workspace; nothing is applied.

    Args:
        base: What the pull request is compared with.
        issues: The feedback, as issues.
        occasion: What fixers are told of it.
        options: Options of the command, over the defaults of a run.
        base_settings: The commit whose configuration counts, for a pull request of somebody else; None: the tree's.

    Attributes:
        fixed: What came of it.
    """

    def __init__(
        self,
        base: str,
        issues: Sequence[Issue],
        occasion: Occasion,
        options: Mapping[str, Any],
        *,
        base_settings: str | None,
    ) -> None:
        self._base_settings = base_settings
        self._issues = issues
        self._occasion = occasion
        self.fixed = Fixed(patch=None)
        self.failing: list[str] = []
        self._reports: list[FixerReport] = []
        super().__init__((), {**_OPTIONS, **options, "base": base})
        self.remembers = False

    def _load(self) -> Session:
        if self._base_settings is None or self.repo is None:
            return super()._load()
        return load_session(
            self.repo,
            options=self._keys(),
            plugins=self.options["plugins"],
            overrides=self.options["overrides"],
            read_repo_file=commit_reader(self.repo.git, self._base_settings),
            head_code=False,
        )

    def begin(self, bench: Workbench, kept: ReviewStore, stack: ExitStack) -> LiveSession:  # noqa: ARG002 - protocol
        """Begin a session that is not stored: the pull request's own keeps its state."""
        session = new_session(bench.change.scope.branch or "", "", self.config["max_iterations"])
        lived = LiveSession(_Aside(session, None, self.manager, self.config, report_observer), tracked=False)
        lived.begin()
        return lived

    def refine(
        self, result: Result, bench: Workbench, engine: Engine, kept: ReviewStore, lived: LiveSession, *, uploads: bool
    ) -> tuple[Result, Workbench, RefinementResult | None]:
        """Fix the feedback, starting from the review of the branch.

        Raises:
            KeyboardInterrupt: If it was interrupted.
            SelfreviewError: If this machine failed, and there is no patch: that is no answer to anybody.
        """
        assert self.repo is not None  # noqa: S101 - a pull request's branch is checked out
        assert self.collected is not None  # noqa: S101 - the same
        if (limit := of_review(result).limit) is not None:
            self.fixed = Fixed(patch=None, limit=limit)
            return result, bench, None
        self._before = open_with_duplicates(result)
        self._complete = result.status is ResultStatus.COMPLETE
        with engine.revise(result) as draft:
            for issue in draft.open_issues:
                issue.status, issue.status_reason = IssueStatus.ACCEPTED, _BEFORE
            draft.issues += self._issues
        reviewer = WorkspaceReviewer(self, self.collected, engine, uploads=uploads)
        self.close.callback(reviewer.close)
        registry = all_fixers(self, self.config)
        fixers, notes = select_fixers(registry, self.config, self.options["fixers"], uploads=uploads)
        refinery = Refinery(
            self,
            reviewer,
            plan=Plan(
                fixers=[EditFixer(REVIEWER), *fixers],
                iterations=ROUNDS,
                threshold=Threshold(self.config["severity_threshold"]),
                occasion=self._occasion,
                adjust=self._adjust,
            ),
            recorder=lived.recorder,
            patches=PatchStore(patches_folder(self.repo)),
            in_use=lambda: kept.attempt(lambda store: store.waiting_patches(), None),
        )
        looped = refinery.refine(Reviewed(result, bench, self.privacy), engine, lived.decided)
        if looped is not None and looped.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt  # what there is until then is no answer to anybody
        fixed, ran = self._judge(looped, result, notes), looped.iterations if looped is not None else ()
        thinking = {fixer.name for fixer in fixers if not fixer.is_mechanical}
        unasked = of_fix(ran, thinking, reviews=fixed.patch is None)
        failed = refinery.failed if looped is None else looped.failed
        if failed is not None and fixed.patch is None:
            raise failed
        self.fixed = dataclasses.replace(fixed, limit=unasked.limit, away=unasked.away)
        return result, bench, None

    def finish(self, result: Result, bench: Workbench, outputs: Sequence[Output]) -> None:
        """Report nothing: the cycle reports the outcome."""

    def _adjust(self, result: Draft, workspace: Workspace, refiner: Refiner) -> None:
        """Turn a review into one of the feedback: earlier issues count as accepted, unaddressed feedback as open."""
        known = set(pair(self._before, open_with_duplicates(result)).values())
        for issue in result.open_issues:
            if issue.id in known:
                issue.status, issue.status_reason = IssueStatus.ACCEPTED, _BEFORE
        now = {id(stage.report): stage.report for stage in refiner.stages.all}
        earlier = {id(one): one for one in self._reports if one.files}  # what was taken back has none any more
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

    def _judge(self, looped: RefinementResult | None, result: Result, notes: Sequence[str]) -> Fixed:
        """Return the outcome, with a patch only where the review after it finds no new issue that blocks."""
        if looped is None:
            return Fixed(patch=None, why=(*notes, *result.notes) or ("no fixer takes what is asked for",))
        answers = _said(looped, self._issues)
        found = _found(looped, Threshold(self.config["severity_threshold"]))
        open_ = {issue.id for issue in looped.result.open_issues}
        by_key = {
            key_of(issue): _unless_open(answers[issue.id], open_, found[0] if found else _why_open(looped, issue.id))
            for issue in self._issues
            if issue.id in answers
        }
        words = list(looped.notes)
        words += [line for one in looped.iterations for line in _rejections(one.refinement.fixers)]
        if looped.patch is None:
            not_done = [answer for answer in by_key.values() if answer.outcome is not FixOutcome.ADDRESSED]
            reasons = [answer.why for answer in not_done if answer.why]
            end = () if found or looped.stop is Stop.CAP else (looped.why,)  # the cap of cycles is another one
            return Fixed(patch=None, answers=by_key, why=tuple(dict.fromkeys((*found, *words, *reasons, *end))))
        if found:
            return Fixed(patch=None, answers=by_key, why=(*found, *words))
        if self._complete and looped.gaps:
            why = ("the self-review of the fix is incomplete", *looped.gaps)
            return Fixed(patch=None, answers=by_key, why=why)
        return Fixed(patch=looped.patch, answers=by_key, why=tuple(words))


def _answers(reports: Sequence[FixerReport], issues: Sequence[Issue]) -> dict[str, FixAnswer]:
    """Return the fixers' answers on issues, of this and earlier refinements, whose edits are kept."""
    mine = {issue.id for issue in issues}
    found: dict[str, FixAnswer] = {}
    for report in reports:
        for answer in report.answers:
            if answer.issue in mine:
                found[answer.issue] = answer
        if not report.answers:  # an agent that ends without a report is known by what it wrote
            for name in report.issues:
                if name in mine:
                    found[name] = FixAnswer(issue=name, outcome=FixOutcome.ADDRESSED)
    return found


def _said(looped: RefinementResult, issues: Sequence[Issue]) -> dict[str, FixAnswer]:
    """Return the last answer of fixers on each issue, up to the best state, or of all where there is none."""
    mine = {issue.id for issue in issues}
    last = looped.best or len(looped.iterations)
    found: dict[str, FixAnswer] = {}
    for one in looped.iterations[:last]:
        for report in one.refinement.fixers:
            for name in report.issues:
                if name in mine and report.files and not report.answers:
                    found[name] = FixAnswer(issue=name, outcome=FixOutcome.ADDRESSED)
            for answer in report.answers:
                earlier = found.get(answer.issue)
                better = earlier is None or earlier.outcome is not FixOutcome.ADDRESSED
                if answer.issue in mine and better:
                    found[answer.issue] = answer
    return found


def _found(looped: RefinementResult, threshold: Threshold) -> list[str]:
    """Return why a fix is withheld: a sentence with the new issues that block, or nothing."""
    number = looped.best or len(looped.iterations)
    if not looped.brought.get(number):
        return []
    found = blocking(threshold, looped.iterations[number - 1].review)
    names = [_named(issue) for issue in found if issue.reviewer != REVIEWER]
    more = f"; and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [f"nothing is pushed, for the self-review of the fix finds {'; '.join(names[:_MOST_NAMED])}{more}"]


def _named(issue: Issue) -> str:
    place = f"{display_path(issue.file)}:{issue.line_start}" if issue.line_start else display_path(issue.file)
    return f"{place}: {' '.join(issue.description.split())[:_MOST_SHOWN]}"


def _why_open(looped: RefinementResult, name: str) -> str:
    """Return why an issue that a fixer called addressed is still open."""
    reports = [one for iteration in looped.iterations for one in iteration.refinement.fixers if name in one.issues]
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
        lines += [f"{report.name}: not kept: {reason}" for reason in dict.fromkeys(report.rejected)]
    return lines


def _as_whole(issue: Issue) -> Issue:
    """Return an issue whose lines are gone as an issue of the whole file."""
    import msgspec

    return msgspec.structs.replace(issue, line_start=0, line_end=0, edits=[], evidence=None)


def _lines(workspace: Workspace, tree: str | None, path: str) -> Sequence[str]:
    if not path:
        return ()  # of what is said about no file
    entry = workspace.read(path) if tree is None else workspace.at(tree, path)
    return () if entry is None else SourceText.from_bytes(entry.data).lines


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
