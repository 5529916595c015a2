"""Silent review for the baseline."""

from __future__ import annotations

import dataclasses

from selfreview.app.change import open_change, open_requested, read_change
from selfreview.app.loading import demand_on
from selfreview.app.policies import HOOK, known_in_tree
from selfreview.app.reports import stop_if_interrupted
from selfreview.app.review import remember, review
from selfreview.app.run import LOAD, select_reviewers
from selfreview.app.state import ConfiguredRun, LocatedRun, Opened, RepoSource, ReviewedRun, RunPolicy, Terms
from selfreview.errors import GitError
from selfreview.git.collect_change import collect
from selfreview.git.revisions import head_of
from selfreview.git.scope import Resolved, ScopeRequest
from selfreview.model.change import Scope
from selfreview.model.issue import Issue
from selfreview.model.result import Result
from selfreview.review.accepted_issues import flagged_key, renamed
from selfreview.review.anchor import by_path
from selfreview.review.baseline import BaselineEntry, Known

BASELINE = LOAD | select_reviewers | read_change | review | remember | stop_if_interrupted
"""The stages of a review for the baseline."""


class BaselineScan:
    """A review for the baseline: of the change, or of the whole tree as if it were new; nothing is stored or reported.

    Args:
        whole: Whether the whole tree is reviewed.

    Attributes:
        policy: The policy of its run.
        result: The result, once :meth:`keep` was called.
        stale: The fingerprints of the baseline's entries that match nothing any more.
        moved: The issues that entries were found in by their lines alone, by the entries' fingerprints.
    """

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self.policy: RunPolicy = dataclasses.replace(HOOK, remembers=False, load=self._load, open=self._open)
        self.result = Result()
        self.stale: set[str] = set()
        self.moved: dict[str, Issue] = {}
        self._known_by: dict[str, tuple[str, str | None]] = {}

    def _load(self, run: LocatedRun) -> Terms:
        """Load what counts for a hook, but no acceptance: those of one person on a branch do not belong there."""
        return dataclasses.replace(HOOK.load(run), known=self._known, accepted=lambda _run, _store: {})

    def _open(self, run: ConfiguredRun) -> Opened:
        """Open the change, or the whole tree."""
        if not isinstance(run.source, RepoSource):
            raise GitError("a baseline needs a repository")
        demand_on(run.config, "no baseline is written")
        if not self._whole:
            return open_requested(run)
        repo = run.source.repo
        head = head_of(repo)
        scope = Scope(mode="branch", head=head.commit, branch=head.branch, uncommitted=True)
        request = ScopeRequest(paths=run.paths)
        return open_change(repo, request, collect(repo, request, Resolved(scope, repo.empty_tree(), None)))

    def _known(self, run: ConfiguredRun) -> Known:
        """Return the baseline of the working tree."""

        def note(entry: BaselineEntry) -> None:
            self.stale.add(entry.fingerprint)

        def move(entry: BaselineEntry, issue: Issue) -> None:
            self.moved[entry.fingerprint] = issue

        whole = self._whole and not run.request.paths
        return known_in_tree(run)._replace(whole=whole, on_stale=note, on_moved=move)

    def keep(self, run: ReviewedRun) -> None:
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
