"""The reviewer: a plugin object that turns files of a change into findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from selfreview.api.context import Review, ReviewContext
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Category, Severity, Side
from selfreview.model.result import Depth


class Estimate(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The estimated cost of a model reviewer; verification comes on top and depends on what is found.

    Attributes:
        requests: How many.
        input_tokens: Tokens that are sent, the shared part counted each time.
        output_tokens: Tokens of usual answers.
        cost_usd: US dollars, or None where the model's price is not known.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        """Return the sum of two estimates; a price that is not known stays unknown."""
        costs = (self.cost_usd, other.cost_usd)
        return Estimate(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=None if costs[0] is None or costs[1] is None else costs[0] + costs[1],
        )


class RuleExample(msgspec.Struct, frozen=True):
    """Code that a rule is shown and tested by.

    Attributes:
        path: A file that it could be.
        code: Its text; None where the change deletes it.
        before: Its text before the change, for a rule that compares both sides.
        lines: The lines that the rule reports; 0 is the file as a whole.
        side: The side that these lines are on.
        place: ``FILE:LINE`` of an example of the repository's own.
    """

    path: str
    code: str | None
    before: str | None = None
    lines: tuple[int, ...] = ()
    side: Side = Side.NEW
    place: str | None = None


Where = Literal["everywhere", "tests", "product"]


class RuleInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One rule of a reviewer, for ``selfreview rule`` and for the settings that name rules.

    Attributes:
        id: What its findings have as ``rule``.
        severity: Severity of most of its findings; None where it is not known.
        category: Category of its findings; None where it is not known.
        summary: What it finds, in a sentence; ``…`` stands for what differs from finding to finding.
        why: Why that is bad, where the summary does not say it.
        advice: What to do instead.
        languages: Languages it looks at, by the names of ``selfreview.syntax.languages``; empty: not only some.
        where: Which files it looks at: all, tests alone, or all but tests.
        bad: Code that it reports.
        good: Code that looks alike and that it does not report.
        tested: Whether its examples are tests, to which ``selfreview rule --test`` holds the reviewer.
        has_fix: Whether its findings may bring an edit.
        unreviewed: Whether it says that nobody could review something: settings that choose rules do not let that be.
        url: Address of its documentation.
        place: ``FILE:LINE`` of a rule of the repository's own.
    """

    id: str
    severity: Severity | None = None
    category: Category | None = None
    summary: str = ""
    why: str | None = None
    advice: str | None = None
    languages: tuple[str, ...] = ()
    where: Where = "everywhere"
    bad: tuple[RuleExample, ...] = ()
    good: tuple[RuleExample, ...] = ()
    tested: bool = True
    has_fix: bool = False
    unreviewed: bool = False
    url: str | None = None
    place: str | None = None


class Reviewer(Protocol):
    """One reviewer. Instances live for one run; ``review`` is called from a worker thread.

    Attributes:
        name: What a person types after ``--reviewer``.
        depth: How deep it looks; decides what coverage it adds.
        default: Whether ``reviewers = "auto"`` takes it.
        timeout: Optional, seconds that it may take instead of what ``reviewer_timeout`` says.
        file_key: Optional, a method of a file and the context, for a reviewer that looks beyond a file: the bytes that
            stand for what else its findings in that file depend on.
        unavailable: Optional, a method without arguments: why the reviewer can do nothing here and what to do about it,
            as two lines of text, or None. It must be quick: no program is started.
        estimate: Optional, a method like ``review`` that returns an :class:`Estimate` and sends nothing.
        notes: Optional, a method of the context: sentences for a person that belong to every output, also where nothing
            is reviewed because all of it is known from the cache.
        review_commits: Optional, a method of the context that returns findings about ``context.committed_lines()``,
            each with its ``commit``; called where commits are reviewed one by one.
        verify: Optional, for a reviewer of depth ``MODEL``: a method of findings of its own and the context that has
            each of them verified by somebody who does not know how they came to be, and returns a :class:`Review` with
            all of them, in order; one is closed only where its status is ``DISMISSED`` then.
        rules: Optional, a method without arguments that returns a :class:`RuleInfo` for every rule that the reviewer
            may name: settings that name another of its rules are then an error. It may start the tool; where it cannot
            tell, it returns nothing, and any name is taken.
        sees_excluded: Optional, False where it is missing: whether ``review`` is also called without any file, when the
            change holds files that are excluded, to look at their names.
    """

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def depth(self) -> Depth:
        """The depth of the review: text, static or model."""

    @property
    def default(self) -> bool:
        """Return whether ``reviewers = "auto"`` selects it."""

    def selects(self, file: ChangedFile) -> bool:
        """Say whether the reviewer wants to see a file, by its path and status alone; no I/O."""

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Return everything but the files' own path and content (both sides) that findings depend on, or None.

        Rules, configuration, the tool's executable (path, size, modification time); the engine itself looks at the code
        of a plugin: its module, or the folder of its package. The engine then asks for each file
        once per key. It must be quick and must not start the tool. None turns caching off for this run.
        """

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Review these files.

        Raises:
            ToolError: If the tool failed or cannot be understood: the result is incomplete.
        """
