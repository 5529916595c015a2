"""An iteration of refinement: the fixers' reports, and the review after it."""

from __future__ import annotations

import enum

import msgspec

from selfreview.model.usage import Outage, Usage


class Stop(enum.StrEnum):
    """The reason why refinement ended."""

    PASSED = "passed"
    CAP = "cap"
    NO_CHANGE = "no_change"
    SEEN_BEFORE = "seen_before"
    NOT_SHRINKING = "not_shrinking"
    NOTHING_FIXABLE = "nothing_fixable"
    INCOMPLETE = "incomplete"
    BUDGET = "budget"
    DEADLINE = "deadline"
    INTERRUPTED = "interrupted"
    PLUGIN = "plugin"
    FAILED = "failed"
    HELD = "held"


class FixOutcome(enum.StrEnum):
    """The outcome for an issue as the fixer reports it; whether it is addressed is for the next review to say."""

    ADDRESSED = "addressed"
    FALSE_POSITIVE = "false_positive"
    NEEDS_PERSON = "needs_person"
    NOT_ADDRESSED = "not_addressed"


class FixAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A fixer's answer on an issue.

    Attributes:
        issue: The issue's id.
        outcome: What it says that it did.
        why: How it did that, or why not, as plain text.
    """

    issue: str
    outcome: FixOutcome
    why: str = ""


class FixerReport(msgspec.Struct, kw_only=True, rename="camel"):
    """The report on one fixer's part of a refinement.

    Attributes:
        name: The fixer.
        issues: Ids of the issues that it was given.
        answers: Its word on each, where it gave one.
        files: Paths that it changed and that were kept.
        rejected: Why its patch was not kept, a sentence each; of a first attempt too.
        held: Its edits of tests that were there, which wait for a person, each with its place and why.
        usage: What it cost, or None.
        error: Why it failed, in one line, or None.
        hint: What a person can do about it, or None.
        notes: What it said besides.
        over_budget: Whether it stopped because its budget is used up.
        duration_ms: Wall time in milliseconds.
        outage: Why its model could not be asked; missing where it was asked, or it has none.
    """

    name: str
    issues: list[str] = []
    answers: list[FixAnswer] = []
    files: list[str] = []
    rejected: list[str] = []
    held: list[str] = []
    notes: str = ""
    usage: Usage | None = None
    error: str | None = None
    hint: str | None = None
    over_budget: bool = False
    duration_ms: int = 0
    outage: Outage | msgspec.UnsetType = msgspec.UNSET

    @property
    def edited_nothing(self) -> bool:
        """Return whether it came to an end and left every file as it was."""
        return not (self.files or self.rejected or self.held or self.error)


class Refinement(msgspec.Struct, kw_only=True, rename="camel"):
    """An attempt at the open issues, and what the review after it says of them.

    Attributes:
        addressed_issue_ids: Issues that were open before and are not any more.
        unaddressed_issue_ids: Issues that blocked before it and are still open.
        new_issues_introduced: Ids of issues that were not there before.
        notes: What fixers said, and why something was rejected, as sentences.
        fixers: How each fixer's part went.
        files, added_lines, removed_lines: Size of this refinement's own patch.
        held: Edits of tests that were there, each with its place and why it waits. With any, this is no attempt of a
            fixer, but the best state with these edits, and it is never applied unasked.
        patch: Id of the kept patch that leads from the person's tree to the state after this refinement, or None.
        tree: Git's id of the tree after it.
        usage: What its fixers cost.
        duration_ms: Wall time in milliseconds.
    """

    addressed_issue_ids: list[str] = []
    unaddressed_issue_ids: list[str] = []
    new_issues_introduced: list[str] = []
    notes: str = ""
    fixers: list[FixerReport] = []
    files: int = 0
    added_lines: int = 0
    removed_lines: int = 0
    held: list[str] = []
    patch: str | None = None
    tree: str | None = None
    usage: Usage = msgspec.field(default_factory=Usage)
    duration_ms: int = 0
