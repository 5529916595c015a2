"""Take issues back from plugins: what they add or rewrite goes through the same steps as what reviewers report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from selfreview.errors import PluginError
from selfreview.model.change import Change
from selfreview.model.issue import Finding, Issue, IssueStatus
from selfreview.model.wire import base64_path
from selfreview.review.anchor import TextOf, anchor, by_path
from selfreview.review.triage import Names, merge_duplicates, order, shorten_ids

_HOOK = "selfreview_modify_issues"
_WHERE_AND_WHAT = ("file", "side", "line_start", "line_end", "rule", "category", "evidence", "reviewer", "commit")
"""Fields that determine an issue's place and fingerprint."""


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

    def settle(self, clean: Callable[[Issue], Issue]) -> list[Issue]:
        """Return the issues as plugins left them: validated, anchored, fingerprinted, without secrets, merged anew.

        Args:
            clean: Takes secrets out of an issue.

        Raises:
            PluginError: If one was removed, or holds values that an issue cannot hold.
        """
        if not set(map(id, self._given)) <= set(map(id, self.issues)):
            raise PluginError(f"a plugin removed an issue in {_HOOK}", hint="set its status and status_reason instead")
        pairs = [(_valid(issue), self._before.get(id(issue))) for issue in _once(self.issues)]
        settled: list[Issue] = []
        names = Names(b.fingerprint for issue, b in pairs if b is not None and not _moved(issue, b))
        for issue, before in pairs:
            if before is not None and not _moved(issue, before):
                issue.id, issue.fingerprint, issue.path_bytes = before.id, before.fingerprint, before.path_bytes
                if issue.status is IssueStatus.DUPLICATE and issue.status_reason == before.status_reason:
                    issue.status, issue.status_reason = IssueStatus.OPEN, None  # merged again below
            else:
                self._place(issue, before, names)
            issue.also_reported_by = []
            settled.append(clean(issue))
        settled.sort(key=lambda issue: order(issue, issue.reviewer, issue.line_start))
        shorten_ids(settled)
        merge_duplicates(settled)
        return settled

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
            issue.status, issue.status_reason = anchored.status, anchored.reason


def _once(issues: Iterable[Issue]) -> list[Issue]:
    """Return each object once: a plugin may have put one in twice."""
    return list({id(issue): issue for issue in issues}.values())


def _moved(issue: Issue, before: Issue) -> bool:
    return any(getattr(issue, name) != getattr(before, name) for name in _WHERE_AND_WHAT)


def _valid(issue: Issue) -> Issue:
    """Return a copy whose values are of the declared types; structs check nothing that is put into them."""
    try:
        return msgspec.convert(msgspec.to_builtins(issue), Issue)
    except (msgspec.ValidationError, TypeError) as error:
        raise PluginError(f"a plugin made an issue in {_HOOK} that is none: {error}") from error
