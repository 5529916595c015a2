"""The policy of a gate: what the base says counts, and no change loosens its own review."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence

import msgspec

from selfreview.api import Change, ConfigView, Registry, Result, Reviewer
from selfreview.app.change import open_requested
from selfreview.app.gate.base import BaseSettings, Head, Trusted, trusted_base
from selfreview.app.gate.loading import is_of_files, load_base, read_baselines
from selfreview.app.loading import Project, check_rules, find_repo, load_project
from selfreview.app.policies import keys, open_session
from selfreview.app.request import RunRequest
from selfreview.app.session import LiveSession
from selfreview.app.state import (
    Branch,
    CheckRule,
    ConfiguredRun,
    LocatedRun,
    Opened,
    OpenedRun,
    RepoSource,
    RunPolicy,
    Terms,
)
from selfreview.app.ui import Ui
from selfreview.ci import detect
from selfreview.config import LoadOptions
from selfreview.config.sources import RepoReader
from selfreview.errors import GitError, UsageError
from selfreview.git.private_folder import sweep_folders
from selfreview.git.repo import Repo, discover_bare
from selfreview.git.revisions import Base, CheckedOut, behind, checked_out, only_commit
from selfreview.plugins.finder import LOCAL_NAME as LOCAL
from selfreview.review.fingerprint import ID, is_fingerprint
from selfreview.review.marks import OwnMarks
from selfreview.review.select_reviewers import Selected, select
from selfreview.review.self_exclusions import count_new_code, read_excluded, take_back

_CHECKS = CheckRule(True, "it would run code of the change", "gate --allow-head-code allows that", insists=True)


def gate_policy(
    *, required: Sequence[str] = (), accepted: Sequence[str] = (), allows_head_code: bool = False
) -> RunPolicy:
    """Return the policy of a gate: nobody waits, and the change may be a stranger's.

    Configuration, baseline and trust are those of the base.

    Args:
        required: Reviewers without which the result is incomplete, besides those of the base.
        accepted: Fingerprints of issues that may pass.
        allows_head_code: Whether commands of the base may run, which may run code of the change.

    Raises:
        UsageError: If a fingerprint is none.
    """
    for mark in accepted:
        if not is_fingerprint(mark):
            hint = "give v1: and 32 hex digits, as selfreview show and the JSON verdict print them"
            if mark.startswith(ID):
                hint += "; an id such as this is only the beginning, and several issues may share it"
            raise UsageError(f"--accept {mark!r} is not a fingerprint", hint=hint)
    demands = _Demands(required, accepted, allows_head_code)
    return RunPolicy(
        where="gate",
        find_repo=_find_repo,
        load=demands.load,
        open=open_requested,
        begin_session=_begin_session,
    )


def _find_repo(request: RunRequest, ui: Ui) -> Repo:
    """Find the repository, which needs no working tree for what reads commits only.

    Raises:
        GitError: If there is none.
    """
    return discover_bare(request.folder, os.environ) or find_repo(request.folder, ui, completes=False)


def _find_head(repo: Repo, name: str) -> tuple[Head, CheckedOut | None]:
    """Find the revision under review once for the whole run, so that HEAD cannot come to mean another one meanwhile.

    Returns:
        The revision, and what is checked out, where that is it.

    Raises:
        ScopeError: If the name can mean several.
    """
    if name == "HEAD":
        now = checked_out(repo.git)
        return Head(name, now.commit), now
    commit = only_commit(repo.git, name)
    return Head(commit or name, commit), None


def _begin_session(run: OpenedRun, branch: Branch) -> LiveSession | None:
    """Begin a session that is not stored where the base has checks, for they run within one."""
    if not run.config.table("checks"):
        return None
    sweep_folders()
    live = open_session(run, branch, kept=False)
    live.begin()
    return live


@dataclasses.dataclass(frozen=True)
class _Demands:
    """The demands of the caller of a gate; see :func:`gate_policy`."""

    required: Sequence[str]
    accepted: Sequence[str]
    head_code: bool

    def load(self, run: LocatedRun) -> Terms:
        """Load plugins and configuration of the base's tip, and decide what counts."""
        request, ui = run.request, run.ui
        if not isinstance(run.source, RepoSource):
            raise GitError("a gate needs a repository")
        repo = run.source.repo
        head, now = _find_head(repo, request.head or "HEAD")
        base = trusted_base(repo, request.base, head, detect(os.environ))
        ui.note(f"note: compared with {base.name}, whose configuration is used ({base.commit[:12]})")
        if base.fork is not False:
            origin = "this change comes" if base.fork else "it is not known whether this change comes"
            ui.note(
                f"note: {origin} from a fork, so it is treated as a fork's: "
                "suppressions and exclusions that it adds do not count"
            )
        if base.fork is None:
            ui.note("hint: if it is a branch of this repository, set SELFREVIEW_CI_FORK=false, with SELFREVIEW_CI_BASE")
        request = msgspec.structs.replace(request, base=base.commit, head=head.commit or head.name, no_fix=True)
        given_keys = keys(dataclasses.replace(run, request=request))

        def load_from(
            read: RepoReader, /, *, trusted: bool, local: bool = True, overrides: Sequence[str] = ()
        ) -> Project:
            options = LoadOptions(
                keys=given_keys,
                plugins=[*request.plugins, *([] if local else [f"no:{LOCAL}"])],
                overrides=[*overrides, *request.overrides],
                trusted=trusted,
                read_repo_file=read,
                head_code=self.head_code,
            )
            return load_project(repo, ui, options)

        tip = head.commit or base.commit
        loaded = load_base(repo.git, base.commit, tip, load_from, head_code=self.head_code)
        known = read_baselines(repo.git, base.commit, tip, loaded.value.config["baseline"])
        found = (loaded.note, known.note, behind(repo, Base(base.name, base.commit, base.meaning), tip))
        notes = [note for note in found if note is not None]
        for note in notes:
            ui.note(f"note: {note}")
        rules = _Rules(
            demands=self,
            lenient=_is_lenient(base, loaded.value.config, distrusts=loaded.note is not None),
            broken={**known.broken, **loaded.broken},
            repaired=loaded.changed if loaded.note is not None else None,
            unsure=loaded.unsure,
        )
        return Terms(
            project=loaded.value,
            request=request,
            select=rules.select,
            checks=_CHECKS,
            accepted=lambda _run, _store: dict.fromkeys(self.accepted, "accepted by --accept"),
            known=lambda _run: known.value,
            checked_out=now,
            attributes=base.commit,
            settings=BaseSettings(repo, base.commit),
            own_marks=OwnMarks.LIST if rules.lenient else OwnMarks.IGNORE,
            reconsider=rules.reconsider,
            less=["issues (--accept)"] if self.accepted else [],
            closing_notes=lambda result: [*notes, *self._in_vain(result)],
        )

    def _in_vain(self, result: Result) -> list[str]:
        """Return a note of each ``--accept`` that matches no issue."""
        found = {issue.fingerprint for issue in result.issues}
        return [f"--accept {mark} matches no issue of this change" for mark in self.accepted if mark not in found]


def _is_lenient(base: Trusted, config: ConfigView, *, distrusts: bool) -> bool:
    """Return whether exclusions and suppressions by the change are honoured: its author could merge it anyway."""
    return base.fork is False and not distrusts and config["self_suppressions"] == "list"


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Rules:
    """The rules of a gate on what a change does to its own review.

    Attributes:
        demands: What the caller asks for.
        lenient: Whether exclusions and suppressions by the change are honoured.
        broken: By path, what is wrong with a file that only the change breaks.
        repaired: The files of settings that the change edits, where only a part of the base's loads; else None.
        unsure: Whether the change may be what repairs them, and nobody knows without running code of it.
    """

    demands: _Demands
    lenient: bool
    broken: Mapping[str, str]
    repaired: Sequence[str] | None
    unsure: bool

    def reconsider(self, change: Change, opened: Opened, config: ConfigView) -> tuple[Change, Mapping[str, str]]:
        """Put back into the review what only the change itself excludes from it."""
        change, claims = take_back(change, opened.content, config["exclude"])
        if not self.lenient:
            change = read_excluded(change, opened.content, config["exclude"], config.table("per_file_ignores"))
        return count_new_code(change, opened.content), claims if self.lenient else {}

    def select(self, run: ConfiguredRun, reviewers: Registry[Reviewer], uploads: bool) -> Selected:
        """Select the reviewers, and one that examines what the change does to its own review."""
        from selfreview.reviewers.gate import GateReviewer

        check_rules(run.project, reviewers, lambda place: not is_of_files(place))  # of the base's, that is done
        insisted = self.demands.required
        selected = select(reviewers, run.config, run.request.reviewers, uploads=uploads, insisted=insisted)
        reviewer = GateReviewer(
            lenient=self.lenient,
            broken=self.broken,
            repaired=self.repaired,
            unsure=self.unsure,
            reviewers=self._taking_part(run.config, selected.reviewers),
        )
        return selected._replace(reviewers=(*selected.reviewers, reviewer))

    def _taking_part(self, config: ConfigView, reviewers: Sequence[Reviewer]) -> list[Reviewer] | None:
        """Return the reviewers that may run, or None where checks may, too, whose tools are unknown."""
        if self.demands.head_code:
            return None if config.table("checks") else list(reviewers)
        withheld = config.table("command")
        return [reviewer for reviewer in reviewers if reviewer.name not in withheld]
