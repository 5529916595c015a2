"""The policy of a gate: what the base says counts, and no change loosens its own review."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from selfreview.api import Change, ConfigView, Registry, Reviewer
from selfreview.app.gate.base import trusted_base
from selfreview.app.gate.loading import baselines, settle
from selfreview.app.gate.settings import BaseSettings
from selfreview.app.loading import Project, Source, load_project
from selfreview.app.policies import HookPolicy, keys, open_session
from selfreview.app.repository import find_repo
from selfreview.app.request import RunRequest
from selfreview.app.session import LiveSession
from selfreview.app.state import Opened, RunState
from selfreview.app.ui import Ui
from selfreview.ci import detect
from selfreview.config.files import RepoReader
from selfreview.errors import GitError, UsageError
from selfreview.git.privatefolder import sweep_folders
from selfreview.git.repo import Repo, discover_bare
from selfreview.git.revisions import behind, commit_of, only_commit
from selfreview.plugins.local import NAME as LOCAL
from selfreview.review.baseline import Known
from selfreview.review.marks import OwnMarks
from selfreview.review.select_reviewers import Selected, select
from selfreview.review.self_exclusions import count_new_code, read_excluded, take_back

_FINGERPRINT = re.compile(r"v\d+:[0-9a-f]{32}")


class GatePolicy(HookPolicy):
    """Nobody waits, and the change may be a stranger's: configuration, baseline and trust are those of the base.

    Args:
        required: Reviewers without which the result is incomplete, besides those of the base.
        accepted: Fingerprints of issues that may pass.
        allows_head_code: Whether commands of the base may run, which may run code of the change.

    Raises:
        UsageError: If a fingerprint is none.
    """

    stage = "gate"
    brief = False
    insists = True

    def __init__(
        self, *, required: Sequence[str] = (), accepted: Sequence[str] = (), allows_head_code: bool = False
    ) -> None:
        for mark in accepted:
            if not _FINGERPRINT.fullmatch(mark):
                hint = "it is v1: and 32 hex digits, as the JSON verdict and selfreview show have it"
                if mark.startswith("sr-"):
                    hint = f"an id is only its beginning, which another issue may have, too; {hint}"
                raise UsageError(f"--accept {mark!r} is not a fingerprint", hint=hint)
        self._required = required
        self._accepted = accepted
        self._head_code = allows_head_code

    def find_repo(self, request: RunRequest, ui: Ui) -> Repo:
        """Find the repository, which needs no working tree for what reads commits only.

        Raises:
            GitError: If there is none.
        """
        return discover_bare(request.folder, os.environ) or find_repo(request.folder, ui, completes=False)

    def load(self, run: RunState) -> Project:
        """Load plugins and configuration of the base's tip."""
        repo, request, ui = run.repo, run.request, run.ui
        if repo is None:
            raise GitError("a gate needs a repository")
        asked = request.head or "HEAD"
        head = asked if asked == "HEAD" else only_commit(repo.git, asked) or asked
        base = trusted_base(repo, request.base, head, detect(os.environ))
        ui.note(f"note: compared with {base.name}, whose configuration is used ({base.commit[:12]})")
        self.attributes = base.commit
        self.settings = BaseSettings(repo, base.commit)
        self._fork = base.fork
        if base.fork is None:
            ui.note(
                "note: it is not known whether this change comes from a fork, so suppressions and exclusions that it "
                "adds do not count"
            )
            ui.note("hint: if it is a branch of this repository, set SELFREVIEW_CI_FORK=false, with SELFREVIEW_CI_BASE")
        run.request = _at(request, base.commit, head)
        options = keys(run)

        def load_from(
            read: RepoReader, /, *, trusted: bool, local: bool = True, overrides: Sequence[str] = ()
        ) -> Project:
            source = Source(
                options=options,
                plugins=[*request.plugins, *([] if local else [f"no:{LOCAL}"])],
                overrides=[*overrides, *request.overrides],
                trusted=trusted,
                read_repo_file=read,
                head_code=self._head_code,
            )
            return load_project(repo, ui, source)

        tip = commit_of(repo.git, head) or base.commit
        settled = settle(repo.git, base.commit, tip, load_from, head_code=self._head_code)
        known = baselines(repo.git, base.commit, tip, settled.value.config["baseline"])
        self._broken = {**known.broken, **settled.broken}
        self._known, self._distrusts, self._unsure = known.value, settled.note is not None, settled.unsure
        notes = (settled.note, known.note, behind(repo, base.name, tip, commit=base.commit))
        self._notes = [note for note in notes if note is not None]
        for note in self._notes:
            ui.note(f"note: {note}")
        self._lenient = self._is_lenient(settled.value.config)
        self.own_marks = OwnMarks.LIST if self._lenient else OwnMarks.IGNORE
        return settled.value

    def _is_lenient(self, config: ConfigView) -> bool:
        """Return whether exclusions and suppressions by the change are honoured: its author could merge it anyway."""
        return self._fork is False and not self._distrusts and config["self_suppressions"] == "list"

    def reconsider(self, change: Change, opened: Opened, config: ConfigView) -> Change:
        """Put back into the review what only the change itself excludes from it."""
        change, claims = take_back(change, opened.content, config["exclude"])
        if self._lenient:
            self.claimed = {**self.claimed, **claims}
        else:
            change = read_excluded(change, opened.content, config["exclude"])
        return count_new_code(change, opened.content)

    def select(self, run: RunState, reviewers: Registry[Reviewer], *, uploads: bool) -> Selected:
        """Select the reviewers, and one that examines what the change does to its own review."""
        from selfreview.reviewers.gate import GateReviewer

        selected = select(reviewers, run.config, run.request.reviewers, uploads=uploads, insisted=self._required)
        reviewer = GateReviewer(
            lenient=self._lenient,
            broken=self._broken,
            partly=self._distrusts,
            unsure=self._unsure,
            reviewers=self._taking_part(run.config, selected.reviewers),
        )
        return selected._replace(reviewers=(*selected.reviewers, reviewer))

    def _taking_part(self, config: ConfigView, reviewers: Sequence[Reviewer]) -> list[Reviewer] | None:
        """Return the reviewers that may run, or None where checks may, too, whose tools are unknown."""
        if self._head_code:
            return None if config.table("checks") else list(reviewers)
        withheld = config.table("command")
        return [reviewer for reviewer in reviewers if reviewer.name not in withheld]

    def asks_less(self, run: RunState) -> list[str]:
        """Return the ways in which the request asks for less; in a gate, ``--accept`` counts as one."""
        return [*super().asks_less(run), *(["issues (--accept)"] if self._accepted else [])]

    def begin_session(self, run: RunState) -> LiveSession | None:
        """Return a session that is not stored where the base has checks, for they run within one, or None."""
        if run.repo is None or not run.config.table("checks"):
            return None
        sweep_folders()
        live = open_session(run, kept=False)
        live.begin()
        return live

    def runs_checks(self, request: RunRequest) -> bool:  # noqa: ARG002 - protocol
        """Return True: the base's checks take part; those that may not run are listed as skipped."""
        return True

    def why_withheld(self, request: RunRequest) -> tuple[str, str]:  # noqa: ARG002 - protocol
        """Return that a check would run code of the change, and what allows it."""
        return "it would run code of the change", "gate --allow-head-code allows that"

    def warns_incomplete(self, config: ConfigView) -> bool:  # noqa: ARG002 - protocol
        """Return False: a gate does not let an incomplete review pass."""
        return False

    def known(self, run: RunState) -> Known:  # noqa: ARG002 - commits are all that counts
        """Return the base's baseline, and the entries that the change adds."""
        return self._known

    def accepted(self, run: RunState) -> Mapping[str, str]:  # noqa: ARG002 - no session counts
        """Return why issues were accepted, by fingerprint."""
        return dict.fromkeys(self._accepted, "accepted by --accept")

    def finish(self, run: RunState) -> None:
        """Note what does not load, and each ``--accept`` that matches no issue."""
        found = {issue.fingerprint for issue in run.result.issues}
        vain = [mark for mark in self._accepted if mark not in found]
        run.result.notes += self._notes
        run.result.notes += [f"--accept {mark} matches no issue of this change" for mark in vain]


def _at(request: RunRequest, base: str, head: str) -> RunRequest:
    import msgspec

    return msgspec.structs.replace(request, base=base, head=head, no_fix=True)
