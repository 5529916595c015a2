"""Silent review for the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selfreview.cli.change import Opened, open_change
from selfreview.cli.outputs import Output
from selfreview.cli.run import Run
from selfreview.cli.run_command import unasked
from selfreview.cli.switched_off import demand_on
from selfreview.errors import GitError
from selfreview.git.base import current_branch, head_of
from selfreview.git.collect import collect
from selfreview.git.scope import Request, Resolved
from selfreview.model.change import Scope
from selfreview.model.issue import Issue
from selfreview.model.result import Result
from selfreview.review.acceptance_match import flagged_key, renamed
from selfreview.review.anchor import by_path
from selfreview.review.baseline import Entry, Known
from selfreview.review.context import Workbench
from selfreview.review.verdict import Threshold


class BaselineScan(Run):
    """Review for the baseline: of the change, or of the whole tree as if it were new; no result is stored.

    Args:
        paths: Paths that limit it.
        base: What the change is compared with; by default as for ``selfreview run``.
        threshold: What blocks; by default what is configured.
        whole: Whether the whole tree is reviewed.

    Attributes:
        result: The result, once it is there.
        stale: The fingerprints of the baseline's entries that match nothing any more.
        moved: The issues that entries were found in by their lines alone, by the entries' fingerprints.
    """

    def __init__(
        self, paths: Sequence[str] = (), *, base: str | None = None, threshold: str | None = None, whole: bool = False
    ) -> None:
        super().__init__(paths, {**unasked(), "base": base, "threshold": threshold, "no_fix": True}, hook=True)
        self._whole = whole
        self.remembers = False
        self.result = Result()
        self.stale: set[str] = set()
        self.moved: dict[str, Issue] = {}
        self._known_by: dict[str, tuple[str, str | None]] = {}

    def open(self) -> Opened:
        """Open the change, or the whole tree."""
        if self.repo is None:
            raise GitError("a baseline needs a repository")
        demand_on(self.config, "no baseline is written")
        if not self._whole:
            return super().open()
        request = Request(paths=self.paths_from_root)
        scope = Scope(mode="branch", head=head_of(self.repo), branch=current_branch(self.repo.git), uncommitted=True)
        collected = collect(self.repo, request, Resolved(scope, self.repo.empty_tree(), None))
        return open_change(self.repo, request, collected)

    def known(self, bench: Workbench) -> Known:
        """Return the baseline of the working tree."""

        def note(entry: Entry) -> None:
            self.stale.add(entry.fingerprint)

        def move(entry: Entry, issue: Issue) -> None:
            self.moved[entry.fingerprint] = issue

        whole = self._whole and not self.paths
        return super().known(bench)._replace(whole=whole, on_stale=note, on_moved=move)

    def accepted(self, kept: object, bench: Workbench) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: acceptances of one person on a branch do not belong in the baseline."""
        return {}

    def finish(self, result: Result, bench: Workbench, outputs: Sequence[Output]) -> None:  # noqa: ARG002
        """Keep the result, and the keys of its issues besides their fingerprints."""
        self.result = result
        files = by_path(bench.change)
        for issue in result.issues:
            file = files.get(issue.file)
            text = bench.text(file, issue.side) if file is not None and issue.line_start else None
            lines = text.lines if text is not None else ()
            key = flagged_key(issue, "", lines) if lines else None
            name = renamed(issue, file.path_at_base, file.path, lines) if file is not None else issue.fingerprint
            self._known_by[issue.fingerprint] = name, key

    def known_by(self, issue: Issue) -> tuple[str, str | None]:
        """Return the fingerprint that an issue has once its change is the base, and the key of its lines."""
        return self._known_by.get(issue.fingerprint, (issue.fingerprint, None))

    def blocks(self, issue: Issue) -> bool:
        """Return whether an issue is open and at or above the threshold."""
        return Threshold(self.config["severity_threshold"]).blocks(issue)
