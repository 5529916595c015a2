"""One refinement: every open issue goes to the first fixer that takes it, and every patch through the guard."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from selfreview.api import (
    Attempt,
    Change,
    ConfigView,
    Document,
    Fix,
    FixAnswer,
    Fixer,
    FixOutcome,
    FixRequest,
    Issue,
    Occasion,
)
from selfreview.git.attributes import marked_files
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry
from selfreview.guard import Bounds, Edited, Held, examine, split
from selfreview.guard.paths import is_hook
from selfreview.model.issue import DEFAULT_THRESHOLD
from selfreview.model.refinement import FixerReport
from selfreview.model.result import Iteration, Result
from selfreview.model.usage import Usage
from selfreview.model.wire import display_path
from selfreview.refine.call_fixer import FixerContext, ask, masked, would_take
from selfreview.refine.leftovers import EscapeCheck, Ignored, Normaliser
from selfreview.refine.stages import FixerStage, FixerStages
from selfreview.refine.tracking import Key, LineMap, key_of


class AttemptLog(NamedTuple):
    """Attempt of a fixer at one issue; the report has its outcome, also where it is reverted later.

    Attributes:
        key: What the issue is about.
        issue: Its id.
        words: Its description.
        iteration: Number of the refinement.
        report: How the fixer's part went.
    """

    key: Key
    issue: str
    words: str
    iteration: int
    report: FixerReport

    @property
    def false_positive(self) -> FixAnswer | None:
        """The fixer's answer that the issue is a false positive, where it gave a reason; else None."""
        answers = [answer for answer in self.report.answers if answer.issue == self.issue]
        last = answers[-1] if answers and self.report.error is None else None
        return last if last is not None and last.outcome is FixOutcome.FALSE_POSITIVE and last.why.strip() else None

    @property
    def attempt(self) -> Attempt:
        """The attempt in words, for a fixer to read."""
        report = self.report
        words = [f"{answer.outcome}: {answer.why}" for answer in report.answers if answer.issue == self.issue]
        answer = words[-1] if words else report.error or "it did not report on this issue"
        kept = f"its edit of {', '.join(report.files)} was kept" if report.files else "nothing was kept"
        kept = "it edited nothing" if report.edited_nothing else kept
        refused = f"; rejected: {'; '.join(report.rejected)}" if report.rejected else ""
        if report.held:
            refused += f"; waits for a person: {'; '.join(report.held)}"
        return Attempt(self.iteration, self.issue, f"{report.name} said {answer}; {kept}{refused}")


_MAX_FILES = 500


@dataclasses.dataclass(frozen=True, kw_only=True)
class Materials:
    """Input of fixers besides the issues.

    Attributes:
        change: The change before the first refinement.
        requirements, guidelines: What it is meant to do, and what the repository asks for.
        threshold: What blocks, in words.
        occasion: What reviewers of the pull request said, where that is what is answered.
    """

    change: Change
    requirements: Sequence[Document] = ()
    guidelines: Sequence[Document] = ()
    threshold: str = DEFAULT_THRESHOLD
    occasion: Occasion | None = None


class HeldFix(NamedTuple):
    """A fixer's edits of which some wait for a person.

    Attributes:
        report: How its part went.
        edits: All of them.
        held: Those that wait.
    """

    report: FixerReport
    edits: Sequence[Edited]
    held: Sequence[Held]


class _Round(NamedTuple):
    number: int
    deadline: float
    rejected: Sequence[str]


@dataclasses.dataclass(frozen=True)
class GitPlaces:
    """Places that git reads or runs, which no fixer may change.

    Attributes:
        folders: Git folders of the person's repository.
        hooks: Files, and folders of files, of the workspace that git takes for hooks.
    """

    folders: Sequence[Path]
    hooks: Sequence[str] = ()


class FixerHost(Protocol):
    """Host of fixers: it makes their contexts, and is notified of what they do."""

    def context(self, deadline: float) -> FixerContext:
        """Return the context of a fixer that has time until then, on the monotonic clock."""

    def began(self, fixer: str, issues: int) -> None:
        """Take notice that a fixer begins, with how many issues."""

    def spend(self, usage: Usage) -> None:
        """Record what an attempt cost, as soon as that is known."""

    def crashed(self, part: str, error: BaseException) -> str | None:
        """Write a report of a fixer or a rule that crashed, and return where."""


class Refiner:
    """Refines a workspace.

    Args:
        workspace: The workspace.
        fixers: Who fixes, in order of preference.
        config: The configuration.
        materials: What fixers are given.
        git: Places that no fixer may change.
        host: Makes the contexts of fixers, and is notified.

    Attributes:
        workspace: The workspace.
        stages: What the guard let pass.
        held: Edits that wait for a person, oldest first.
    """

    def __init__(
        self,
        workspace: Workspace,
        fixers: Sequence[Fixer],
        config: ConfigView,
        materials: Materials,
        *,
        git: GitPlaces,
        host: FixerHost,
    ) -> None:
        self.workspace = workspace
        self._fixers = [*(f for f in fixers if f.is_mechanical), *(f for f in fixers if not f.is_mechanical)]
        self._config = config
        self._materials = materials
        self._escapes = EscapeCheck(git.folders, workspace)
        self._hooks = git.hooks
        self._host = host
        self.stages = FixerStages(workspace)
        self.held: list[HeldFix] = []
        self._reviewed: dict[str, Sequence[str]] = {}  # the text that the issues' lines are of, by path
        self._tried: list[AttemptLog] = []

    @property
    def under_review(self) -> frozenset[str]:
        """The paths of the change that were reviewed before the first refinement."""
        return frozenset(file.path for file in self._materials.change.reviewable)

    def takes(self, issue: Issue) -> bool:
        """Return whether any fixer would still try an issue."""
        return any(self._would(fixer, issue) for fixer in self._fixers)

    def false_positive(self, issue: Issue, fixer: str | None = None) -> AttemptLog | None:
        """Return the attempt in which a fixer, or any, called an issue a false positive and gave a reason, or None."""
        key = key_of(issue)
        same = [tried for tried in self._tried if tried.key == key and tried.words == issue.description]
        mine = (tried for tried in same if fixer in (None, tried.report.name))
        return next((tried for tried in mine if tried.false_positive is not None), None)

    def may_do_better(self, report: FixerReport) -> bool:
        """Return whether to retry a fixer without edits: not if it is mechanical, or deferred or refuted all issues."""
        thinks = any(fixer.name == report.name and not fixer.is_mechanical for fixer in self._fixers)
        final = (FixOutcome.NEEDS_PERSON, FixOutcome.FALSE_POSITIVE)
        answered = {answer.issue for answer in report.answers if answer.outcome in final}
        return thinks and report.edited_nothing and not answered.issuperset(report.issues)

    def begin(self, work: Sequence[Issue]) -> None:
        """Begin a refinement of issues whose lines are those of the workspace as it is now."""
        self.stages.begin()
        self._reviewed = {issue.file: self._lines(issue.file) for issue in work}

    def resume(self, files: Mapping[str, Entry | None], first: Result, earlier: Sequence[Iteration]) -> None:
        """Resume from the state of an earlier run.

        Args:
            files: What it made of files, which is in the workspace by now.
            first: The review before it.
            earlier: Its iterations.
        """
        self.stages.resume(files)
        reviews = [first, *(iteration.review for iteration in earlier)]
        for number, (iteration, before) in enumerate(zip(earlier, reviews, strict=False), 1):
            keys = {issue.id: (key_of(issue), issue.id, issue.description) for issue in before.issues}
            for report in iteration.refinement.fixers:
                self._tried += [AttemptLog(*keys[i], number, report) for i in report.issues if i in keys]

    def disown(self, gone: Sequence[FixerStage], guilty: Mapping[FixerStage, Sequence[str]]) -> None:
        """Record that stages were reverted, for the fixers that get the issues again.

        Args:
            gone: The stages.
            guilty: Why, for those that it was because of; others only went on in files of theirs.
        """
        because = ", ".join(dict.fromkeys(stage.report.name for stage in guilty))
        for stage in gone:
            stage.report.rejected += guilty.get(
                stage, (f"reverted together with what {because} did in the same files",)
            )
            stage.report.files = []
        innocent = [stage.report for stage in gone if stage not in guilty]
        # An edit that is known to be right, and only stood on another, is worth to be made again.
        self._tried = [
            t for t in self._tried if not (any(t.report is r for r in innocent) and self._is_known(t.report))
        ]

    def refine(
        self, work: Sequence[Issue], iteration: int, deadline: float, rejected: Sequence[str] = ()
    ) -> list[FixerReport]:
        """Have the fixers try issues, worst first.

        Args:
            work: The issues, of those that this refinement began with.
            iteration: Number of the refinement.
            deadline: On the monotonic clock.
            rejected: Why what they did a moment ago was not kept as a whole.
        """
        this = _Round(iteration, deadline, rejected)
        remaining = list(work)
        reports: list[FixerReport] = []
        for fixer in self._fixers:
            mine = [issue for issue in remaining if self._would(fixer, issue)]
            if not mine or deadline - time.monotonic() <= 0:
                continue
            report = self._run(fixer, mine, this)
            reports.append(report)
            done = self._done(fixer, report)
            self._tried += [AttemptLog(key_of(issue), issue.id, issue.description, iteration, report) for issue in mine]
            remaining = [issue for issue in remaining if issue.id not in done]
        return reports

    def _would(self, fixer: Fixer, issue: Issue) -> bool:
        key = key_of(issue)
        if fixer.is_mechanical and any(t.key == key and t.report.name == fixer.name for t in self._tried):
            return False  # it would do the same again
        if self.false_positive(issue, fixer.name) is not None:
            return False  # a person, or another model, is to say whether it is one
        if fixer.is_mechanical and is_hook(issue.file, self._hooks):
            return False  # the guard would throw all away that it does
        return would_take(fixer, issue, self._config)

    def _is_known(self, report: FixerReport) -> bool:
        return any(fixer.is_mechanical for fixer in self._fixers if fixer.name == report.name)

    @staticmethod
    def _done(fixer: Fixer, report: FixerReport) -> set[str]:
        """Return which issues need no other fixer in this iteration."""
        if not report.files:
            return set()
        answered = {answer.issue for answer in report.answers if answer.outcome is not FixOutcome.NOT_ADDRESSED}
        return answered if fixer.is_mechanical else set(report.issues)

    def _run(self, fixer: Fixer, issues: Sequence[Issue], this: _Round) -> FixerReport:
        report = FixerReport(name=fixer.name, issues=[issue.id for issue in issues], rejected=list(this.rejected))
        began = time.monotonic()
        self._host.began(fixer.name, len(issues))
        reasons = list(this.rejected)
        for _ in range(1 if fixer.is_mechanical else 2):
            normaliser = Normaliser(self.workspace)
            around = None if fixer.is_mechanical else self._escapes.snapshot()
            self.stages.demand(normaliser.tree)  # what came since would pass as having been there
            ignored = None if fixer.is_mechanical else Ignored(self.workspace)
            if not fixer.is_mechanical:
                self.workspace.refresh_view()
            looks = {} if fixer.is_mechanical else self.workspace.looks()
            fix = self._ask(fixer, self._request(issues, this, reasons), this.deadline)
            unreadable = normaliser.normalise()
            if not unreadable and self.workspace.undisturbed(looks, normaliser.tree):
                unreadable = normaliser.normalise()
            if ignored is not None and (lost := ignored.restore()):
                fix.notes = f"{fix.notes}\n{lost}".lstrip()
            if around is not None and (escaped := self._escapes.since(around)) is not None:
                fix.error = "; ".join(filter(None, (escaped[0], fix.error)))
                fix.hint = "; ".join(filter(None, (escaped[1], fix.hint)))
            _note(report, fix)
            if fix.usage is not None:
                self._host.spend(fix.usage)
            reasons = unreadable or self._judge(normaliser.tree, fix, fixer, issues, report)
            if not reasons:
                break
            report.rejected += reasons
        report.duration_ms = round((time.monotonic() - began) * 1000)
        return report

    def _request(self, issues: Sequence[Issue], this: _Round, rejected: Sequence[str]) -> FixRequest:
        files = {issue.file for issue in issues}
        maps = {path: LineMap(self._reviewed[path], self._lines(path)) for path in files}
        placed = [moved for issue in issues if (moved := maps[issue.file].issue(issue)) is not None]
        keys = {key_of(issue) for issue in issues}
        return FixRequest(
            issues=placed,
            attempts=[tried.attempt for tried in self._tried if tried.key in keys],
            rejected=rejected,
            requirements=self._materials.requirements,
            guidelines=self._materials.guidelines,
            iteration=this.number,
            threshold=self._materials.threshold,
            occasion=self._materials.occasion,
        )

    def _ask(self, fixer: Fixer, request: FixRequest, deadline: float) -> Fix:
        if not request.issues:
            return Fix()
        return ask(fixer, request, self._config, self._host.context, deadline, crash_report=self._host.crashed)

    def _judge(self, before: str, fix: Fix, fixer: Fixer, issues: Sequence[Issue], report: FixerReport) -> list[str]:
        """Keep the edits of a fixer, or take them back and return the reason."""
        after = self.workspace.tree()
        paths = self.workspace.changed(before, after)
        if len(paths) > _MAX_FILES:
            self.workspace.restore({path: self.stages.was(path) for path in paths}, before)
            return [f"it changed {len(paths)} files; a fix of these issues needs a few"]
        edits = [Edited(path, self.stages.was(path), self.workspace.take(after, path)) for path in paths]
        if fix.error is None and edits:
            bounds = Bounds(
                change=self._materials.change,
                issues=issues,
                config=self._config,
                reasons=fix.reasons,
                marked=marked_files(self.workspace.repo.git, paths),
                hooks=self._hooks,
            )
            reasons = [
                f"{display_path(r.path)}: {r.reason} ({r.rule})" for r in examine(edits, bounds, self._host.crashed)
            ]
            if not reasons:
                return self._keep(edits, bounds, fixer, report, (before, after))
        else:
            reasons = []
        self.workspace.restore({edit.path: edit.old for edit in edits}, before)
        return reasons

    def _keep(
        self, edits: Sequence[Edited], bounds: Bounds, fixer: Fixer, report: FixerReport, trees: tuple[str, str]
    ) -> list[str]:
        """Keep edits but for those that wait for a person; return why nothing is kept."""
        before, after = trees
        original = {edit.path: self.workspace.at(self.workspace.start, edit.path) for edit in edits}
        parts = split(edits, bounds, original)
        free = list(parts.free)
        self.held = [fix for fix in self.held if fix.report is not report]
        report.held = [describe_held(held) for held in parts.held]
        if parts.held:
            paths = {held.path for held in parts.held}
            self.held = [fix for fix in self.held if paths.isdisjoint(held.path for held in fix.held)]
            self.held.append(HeldFix(report, tuple(edits), parts.held))
            if free and examine(free, bounds, self._host.crashed):
                free = []  # without what waits it is no whole edit any more
            if not free:
                self.workspace.restore({edit.path: edit.old for edit in edits}, before)
                return [] if fixer.is_mechanical else [f"{why} ({_OWNED})" for why in report.held]
            after = self.stages.replace({edit.path: edit.old for edit in edits} | {e.path: e.new for e in free})
        report.files = sorted(display_path(edit.path) for edit in free)
        done = frozenset(self._done(fixer, report))
        self.stages.add(FixerStage(report, {edit.path: edit for edit in free}, done), after)
        return []

    def restore_held(self, fixes: Sequence[HeldFix]) -> list[Held]:
        """Put edits that wait for a person into the workspace, and return which: those that still fit."""
        found: list[Held] = []
        for fix in fixes:
            now = {edit.path: self.workspace.read(edit.path) for edit in fix.edits}
            if any(now[edit.path] not in (edit.old, edit.new) for edit in fix.edits):
                continue
            tree = self.stages.replace({edit.path: edit.new for edit in fix.edits})
            edits = {edit.path: edit._replace(old=now[edit.path]) for edit in fix.edits}
            self.stages.add(FixerStage(msgspec.structs.replace(fix.report), edits, frozenset()), tree)
            found += fix.held
        return list(dict.fromkeys(found))

    def _lines(self, path: str) -> Sequence[str]:
        entry = self.workspace.read(path)
        return () if entry is None else entry.lines


def describe_held(held: Held) -> str:
    """Return an edit that waits, with its place and why it does."""
    return f"{display_path(held.path)}:{held.line}: {held.why}"


_OWNED = "tests that are there belong to the person: correct the code, and write new tests beside them"


def _note(report: FixerReport, fix: Fix) -> None:
    """Add a fixer's answers to its report; a second attempt replaces the first but for its cost."""
    report.answers = [msgspec.structs.replace(answer, why=masked(answer.why)) for answer in fix.answers]
    report.notes = masked(fix.notes)
    report.error = masked(fix.error) if fix.error is not None else None
    report.hint = masked(fix.hint) if fix.hint is not None else None
    report.over_budget, report.outage = fix.over_budget, fix.outage or msgspec.UNSET
    if fix.usage is not None:
        if report.usage is None:
            report.usage = fix.usage
        else:
            report.usage.add(fix.usage)
