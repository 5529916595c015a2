"""Silent review for the baseline."""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.app.change import open_change, read_change
from selfreview.app.loading import demand_on
from selfreview.app.policies import HookPolicy
from selfreview.app.reports import stop_if_interrupted
from selfreview.app.review import remember, review
from selfreview.app.run import load_settings, open_repository, select_reviewers
from selfreview.app.state import Opened, RunState
from selfreview.errors import GitError
from selfreview.git.collect import collect
from selfreview.git.revisions import current_branch, head_of
from selfreview.git.scope import Request, Resolved
from selfreview.model.change import Scope
from selfreview.model.issue import Issue
from selfreview.model.result import Result
from selfreview.review.acceptances import flagged_key, renamed
from selfreview.review.anchor import by_path
from selfreview.review.baseline import Entry, Known


class BaselinePolicy(HookPolicy):
    """Review for the baseline: of the change, or of the whole tree as if it were new; nothing is stored or reported.

    Args:
        whole: Whether the whole tree is reviewed.

    Attributes:
        result: The result, once it is there.
        stale: The fingerprints of the baseline's entries that match nothing any more.
        moved: The issues that entries were found in by their lines alone, by the entries' fingerprints.
    """

    remembers = False

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self.result = Result()
        self.stale: set[str] = set()
        self.moved: dict[str, Issue] = {}
        self._known_by: dict[str, tuple[str, str | None]] = {}

    def open(self, run: RunState) -> Opened:
        """Open the change, or the whole tree."""
        if run.repo is None:
            raise GitError("a baseline needs a repository")
        demand_on(run.config, "no baseline is written")
        if not self._whole:
            return super().open(run)
        request = Request(paths=run.paths)
        scope = Scope(mode="branch", head=head_of(run.repo), branch=current_branch(run.repo.git), uncommitted=True)
        collected = collect(run.repo, request, Resolved(scope, run.repo.empty_tree(), None))
        return open_change(run.repo, request, collected)

    def known(self, run: RunState) -> Known:
        """Return the baseline of the working tree."""

        def note(entry: Entry) -> None:
            self.stale.add(entry.fingerprint)

        def move(entry: Entry, issue: Issue) -> None:
            self.moved[entry.fingerprint] = issue

        whole = self._whole and not run.request.paths
        return super().known(run)._replace(whole=whole, on_stale=note, on_moved=move)

    def accepted(self, run: RunState) -> Mapping[str, str]:  # noqa: ARG002 - protocol
        """Return nothing: acceptances of one person on a branch do not belong in the baseline."""
        return {}

    def keep(self, run: RunState) -> None:
        """Keep the result, and the keys of its issues besides their fingerprints."""
        self.result = run.result
        files = by_path(run.bench.change)
        for issue in run.result.issues:
            file = files.get(issue.file)
            text = run.bench.text(file, issue.side) if file is not None and issue.line_start else None
            lines = text.lines if text is not None else ()
            key = flagged_key(issue, "", lines) if lines else None
            name = renamed(issue, file.path_at_base, file.path, lines) if file is not None else issue.fingerprint
            self._known_by[issue.fingerprint] = name, key

    def known_by(self, issue: Issue) -> tuple[str, str | None]:
        """Return the fingerprint that an issue has once its change is the base, and the key of its lines."""
        return self._known_by.get(issue.fingerprint, (issue.fingerprint, None))


def _keep(run: RunState) -> None:
    if isinstance(run.policy, BaselinePolicy):
        run.policy.keep(run)


BASELINE = (
    open_repository,
    load_settings,
    select_reviewers,
    read_change,
    review,
    remember,
    stop_if_interrupted,
    _keep,
)
"""The stages of a review for the baseline."""
