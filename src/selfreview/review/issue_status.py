"""The issues of a review after plugins' changes, each with its status: open, or taken out of the count by a mark."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from selfreview.api import ConfigView
from selfreview.errors import PluginError
from selfreview.model.change import Change
from selfreview.model.issue import OWN, Finding, Issue, IssueStatus
from selfreview.model.wire import base64_path
from selfreview.plugins.manager import PluginManager
from selfreview.review.accepted_issues import Accepted, flagged_key
from selfreview.review.anchor import TextOf, anchor, by_path
from selfreview.review.baseline import Baseline, Known
from selfreview.review.context import Workbench
from selfreview.review.marks import Claimed, Mark, OwnMarks, first_mark
from selfreview.review.privacy import Privacy
from selfreview.review.selection import Selection, regrade
from selfreview.review.suppressions import Suppressions
from selfreview.review.tasks import FinishedFiles
from selfreview.review.tool_comments import ToolComments
from selfreview.review.triage import Names, merge_duplicates, order, shorten_ids, to_issues

_HOOK = "selfreview_modify_issues"
_where_and_what = operator.attrgetter(
    "file", "side", "line_start", "line_end", "rule", "category", "evidence", "reviewer", "commit"
)
"""Return the fields that determine an issue's place and fingerprint."""


class Amendment:
    """Changes that plugins make to issues, and their validation.

    Args:
        issues: The issues as they are before.
        change: The change.
        text_of: Returns a file's text on one side.
    """

    def __init__(self, issues: Sequence[Issue], change: Change, text_of: TextOf) -> None:
        self.issues = list(issues)
        self._given = list(issues)  # held, so that no id is used again while they are compared
        self._before = {id(issue): msgspec.structs.replace(issue) for issue in issues}
        self._files = by_path(change)
        self._text_of = text_of

    def finish(self, clean: Callable[[Issue], Issue]) -> list[Issue]:
        """Return the issues as plugins left them: validated, anchored, fingerprinted, without secrets, merged anew.

        Args:
            clean: Takes secrets out of an issue.

        Raises:
            PluginError: If one was removed, or holds values that an issue cannot hold.
        """
        if not set(map(id, self._given)) <= set(map(id, self.issues)):
            raise PluginError(f"a plugin removed an issue in {_HOOK}", hint="set its status and status_reason instead")
        pairs = [(_valid(issue), self._before.get(id(issue))) for issue in _once(self.issues)]
        finished: list[Issue] = []
        names = Names(b.fingerprint for issue, b in pairs if b is not None and not _moved(issue, b))
        for issue, before in pairs:
            if before is not None and not _moved(issue, before):
                issue.id, issue.fingerprint, issue.path_bytes = before.id, before.fingerprint, before.path_bytes
                if issue.status is IssueStatus.DUPLICATE and issue.status_reason == before.status_reason:
                    issue.reopen()  # merged again below
            else:
                self._place(issue, before, names)
            issue.also_reported_by = []
            finished.append(clean(issue))
        finished.sort(key=lambda issue: order(issue, issue.reviewer, issue.line_start))
        shorten_ids(finished)
        merge_duplicates(finished)
        return finished

    def _place(self, issue: Issue, before: Issue | None, names: Names) -> None:
        """Anchor and name an issue; a status that the plugin chose stands."""
        finding = msgspec.convert(issue, Finding, from_attributes=True)
        anchored = anchor(finding, self._files, self._text_of)
        file = self._files.get(issue.file) if issue.commit is None else None
        issue.fingerprint = names.give(issue.reviewer, anchored, file, self._text_of)
        issue.file = file.path if file is not None else issue.file
        issue.path_bytes = base64_path(issue.file)
        issue.line_start, issue.line_end, issue.evidence = anchored.line_start, anchored.line_end, anchored.evidence
        ours = issue.status is IssueStatus.OPEN or (
            before is not None
            and issue.status in (IssueStatus.OUT_OF_SCOPE, IssueStatus.DUPLICATE)
            and issue.status is before.status
        )
        if ours:
            issue.reopen(anchored.status, anchored.reason)


def _once(issues: Iterable[Issue]) -> list[Issue]:
    """Return each object once: a plugin may have put one in twice."""
    return list({id(issue): issue for issue in issues}.values())


def _moved(issue: Issue, before: Issue) -> bool:
    return bool(_where_and_what(issue) != _where_and_what(before))


def _valid(issue: Issue) -> Issue:
    """Return a copy whose values are of the declared types; structs check nothing that is put into them."""
    try:
        return msgspec.convert(msgspec.to_builtins(issue), Issue)
    except (msgspec.ValidationError, TypeError) as error:
        raise PluginError(f"a plugin made an issue in {_HOOK} that is none: {error}") from error


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
            Selection(bench.config, bench.change, marking.own),
            self._suppressions,
            ToolComments(bench.change, bench.text, marking.own),
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


class StatusAssignment:
    """Assignment of a status to each issue.

    Args:
        manager: The plugins that are asked.
        config: The configuration that they are given.
        marking: What may take issues out of the count.
        bench: What was reviewed.
        privacy: Keeps secrets out of reasons.
    """

    def __init__(
        self, manager: PluginManager, config: ConfigView, marking: Marking, bench: Workbench, privacy: Privacy
    ) -> None:
        self._manager = manager
        self._config = config
        self._bench = bench
        self._privacy = privacy
        self._markers = marking.of(bench)

    def assign(self, issues: list[Issue], looked: FinishedFiles) -> list[Issue]:
        """Give every issue its status; return them with those that the marks themselves are.

        Raises:
            PluginError: If a plugin answers something that is no status.
        """
        self._markers.look(issues)
        self._assign(issues)
        leftovers = ((OWN, finding) for finding in self._markers.leftovers(issues, looked))
        found = list(regrade(leftovers, self._config))
        if not found:
            return issues
        own = [self._privacy.clean(issue) for issue in to_issues(found, self._bench.change, self._bench.text)]
        self._assign(own)
        before = {issue.id: issue for issue in issues}
        issues = sorted([*issues, *own], key=lambda issue: order(issue, issue.reviewer, issue.line_start))
        shorten_ids(issues)
        for issue in issues:
            if issue.duplicate_of is not None:
                issue.merge_into(before[issue.duplicate_of])
        return issues

    def _assign(self, issues: Sequence[Issue]) -> None:
        whole = {issue.id for issue in issues if self._mark(issue)}
        statuses = {issue.id: issue.status for issue in issues}
        for issue in issues:
            if issue.status is not IssueStatus.DUPLICATE or issue.duplicate_of in whole:
                continue
            merged = statuses.get(issue.duplicate_of or "")
            if merged is IssueStatus.OPEN or (merged is IssueStatus.ACCEPTED and self._markers.is_accepted(issue)):
                continue
            # What it was merged into does not count any more, so it stands for itself.
            issue.reopen()
            self._mark(issue)

    def _mark(self, issue: Issue) -> bool:
        """Give an open issue its status: plugins first, then what marks it.

        Returns:
            Whether that holds for what was merged into it too.
        """
        self._ask(issue)
        mark = self._markers.mark(issue) if issue.is_open else None
        if mark is not None:
            issue.status, issue.status_reason = mark.status, self._privacy.words(mark.reason)
        return mark is not None and mark.merged

    def _ask(self, issue: Issue) -> None:
        """Let plugins give an open issue another status."""
        if not issue.is_open:
            return
        answer = self._manager.call("selfreview_issue_status", issue=issue, config=self._config)
        if answer is None:
            return
        try:
            status, reason = answer
            issue.status, issue.status_reason = IssueStatus(status), self._privacy.words(str(reason))
        except (TypeError, ValueError) as error:
            raise PluginError(
                f"a plugin answered selfreview_issue_status with {answer!r}",
                hint="answer (IssueStatus, reason) or None",
            ) from error
