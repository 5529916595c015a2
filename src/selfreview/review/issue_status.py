"""Status of each issue: plugins' amendments, and the marks that take it out of the count."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import ConfigView
from selfreview.errors import PluginError
from selfreview.model.issue import OWN, Issue, IssueStatus
from selfreview.plugins.manager import PluginManager
from selfreview.review.context import Workbench
from selfreview.review.finished_files import FinishedFiles
from selfreview.review.marking import Marking
from selfreview.review.privacy import Privacy
from selfreview.review.triage import order, shorten_ids, to_issues


class Standing:
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

    def settle(self, issues: list[Issue], looked: FinishedFiles) -> list[Issue]:
        """Give every issue its status; return them with those that the marks themselves are.

        Raises:
            PluginError: If a plugin answers something that is no status.
        """
        self._markers.look(issues)
        self._settle(issues)
        left = [(OWN, finding) for finding in self._markers.leftovers(issues, looked)]
        if not left:
            return issues
        leftovers = to_issues(left, self._bench.change, self._bench.text)
        leftovers = [self._privacy.clean(issue) for issue in leftovers]
        self._settle(leftovers)
        before = {issue.id: issue for issue in issues}
        issues = sorted([*issues, *leftovers], key=lambda issue: order(issue, issue.reviewer, issue.line_start))
        shorten_ids(issues)
        for issue in issues:
            if issue.duplicate_of is not None:
                issue.status_reason = f"duplicate of {before[issue.duplicate_of].id}"
        return issues

    def _settle(self, issues: Sequence[Issue]) -> None:
        whole = {issue.id for issue in issues if self._mark(issue)}
        standing = {issue.id: issue.status for issue in issues}
        for issue in issues:
            if issue.status is not IssueStatus.DUPLICATE or issue.duplicate_of in whole:
                continue
            merged = standing.get(issue.duplicate_of or "")
            if merged is IssueStatus.OPEN or (merged is IssueStatus.ACCEPTED and self._markers.is_accepted(issue)):
                continue
            # What it was merged into does not count any more, so it stands for itself.
            issue.status, issue.status_reason = IssueStatus.OPEN, None
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
