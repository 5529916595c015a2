"""``selfreview gate``: review a change in CI."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import click

from selfreview.api import Change, Registry, Reviewer
from selfreview.ci import detect
from selfreview.cli import console, offered
from selfreview.cli.change import Opened
from selfreview.cli.common import Session, find_repo_or_bare, load_session
from selfreview.cli.gatebase import trusted_base
from selfreview.cli.gateloading import baselines, settle
from selfreview.cli.gatesettings import BaseSettings
from selfreview.cli.outputs import Output
from selfreview.cli.review_options import review_options
from selfreview.cli.run import Run
from selfreview.cli.session import LiveSession, open_session
from selfreview.config.files import RepoReader
from selfreview.errors import GitError, UsageError
from selfreview.git.base import behind
from selfreview.git.names import commit_of, only_commit
from selfreview.git.privatefolder import sweep_folders
from selfreview.git.repo import Repo
from selfreview.model.result import Result
from selfreview.plugins.local import NAME as LOCAL
from selfreview.review.baseline import Known
from selfreview.review.context import Workbench
from selfreview.review.marks import OwnMarks
from selfreview.review.select import Selected, select
from selfreview.review.self_exclusions import count_new_code, read_excluded, take_back
from selfreview.review.verdict import Threshold
from selfreview.store import ReviewStore

_FIXED: Mapping[str, Any] = {
    "staged": False,
    "commit": None,
    "range_": None,
    "diff": None,
    "no_fix": True,
    "max_iterations": None,
    "fixers": (),
    "apply": False,
    "stage": False,
}
"""Options of ``run`` that a gate does not have."""

_SHOWN = 3
"""Fingerprints that the hint on ``--accept`` has; the JSON verdict has all."""

_FINGERPRINT = re.compile(r"v\d+:[0-9a-f]{32}")


@click.command(name="gate")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=offered.files)
@click.option(
    "--base",
    metavar="REF",
    shell_complete=offered.revisions,
    help="What to compare with, and whose configuration counts; by default the CI's.",
)
@click.option(
    "--head", metavar="REV", shell_complete=offered.revisions, default="HEAD", help="What to review; by default HEAD."
)
@click.option("--collect-only", is_flag=True, help="Print what would be reviewed; call no reviewer.")
@click.option("--require", "required", multiple=True, metavar="REVIEWER", shell_complete=offered.reviewers,
              help="Without this reviewer the result is incomplete; repeatable.")  # fmt: skip
@click.option("--accept", "accepted", multiple=True, metavar="FINGERPRINT", shell_complete=offered.fingerprints,
              help="Let this issue pass, and list it as accepted; repeatable.")  # fmt: skip
@click.option("--allow-head-code", is_flag=True,
              help="Let the base's [command.NAME] tools run, which may run code of the change.")  # fmt: skip
@review_options
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Review a change in CI, and fail it at the severity threshold.

    A gate edits nothing and asks nothing. It reviews commits, never the working tree, and reads its configuration from
    the tip of the base: no change loosens its own review.
    """
    return Gate(paths, options).execute()


class Gate(Run):
    """One invocation of ``selfreview gate``."""

    def __init__(self, paths: Sequence[str], options: dict[str, Any]) -> None:
        for mark in options["accepted"]:
            if not _FINGERPRINT.fullmatch(mark):
                hint = "it is v1: and 32 hex digits, as the JSON verdict and selfreview show have it"
                if mark.startswith("sr-"):
                    hint = f"an id is only its beginning, which another issue may have, too; {hint}"
                raise UsageError(f"--accept {mark!r} is not a fingerprint", hint=hint)
        given = {**options, **_FIXED, "formats": options["formats"] or ("terminal",)}
        # As for a hook, nobody is there to be asked, and no session of a branch is lived.
        super().__init__(paths, given, hook=True)

    def _repo(self) -> Repo:
        return find_repo_or_bare()

    def _load(self) -> Session:
        if self.repo is None:
            raise GitError("a gate needs a repository")
        repo, options = self.repo, self.options
        if options["head"] != "HEAD":
            options["head"] = only_commit(repo.git, options["head"]) or options["head"]
        base = trusted_base(repo, options["base"], options["head"], detect(os.environ))
        console.note(f"note: compared with {base.name}, whose configuration counts ({base.commit[:12]})")
        options["base"] = self.attributes = base.commit
        self.settings = BaseSettings(repo, base.commit)
        self._fork = base.fork
        if base.fork is None:
            console.note("note: nobody says whether this is a fork's, so what it says of its own review does not count")
            hint = "SELFREVIEW_CI_FORK=false, with SELFREVIEW_CI_BASE, says that it is a branch of this repository"
            console.note(f"hint: {hint}")
        head = commit_of(repo.git, options["head"]) or base.commit
        settled = settle(repo.git, base.commit, head, self._load_from, head_code=options["allow_head_code"])
        known = baselines(repo.git, base.commit, head, settled.value.loaded.config["baseline"])
        self._broken = {**known.broken, **settled.broken}
        self._known, self._distrusts, self._unsure = known.value, settled.note is not None, settled.unsure
        notes = (settled.note, known.note, behind(repo, base.name, head, commit=base.commit))
        self._notes = [note for note in notes if note is not None]
        for note in self._notes:
            console.note(f"note: {note}")
        return settled.value

    def _load_from(
        self, read: RepoReader, /, *, trusted: bool, local: bool = True, overrides: Sequence[str] = ()
    ) -> Session:
        return load_session(
            self.repo,
            options=self._keys(),
            plugins=[*self.options["plugins"], *([] if local else [f"no:{LOCAL}"])],
            overrides=[*overrides, *self.options["overrides"]],
            trusted=trusted,
            read_repo_file=read,
            head_code=self.options["allow_head_code"],
        )

    @property
    def checks(self) -> bool:
        """Yes: the base's checks take part; without ``--allow-head-code`` they are listed as skipped."""
        return True

    @property
    def insists(self) -> bool:
        """Yes: options of a gate can ask for more, and not for less than the base requires."""
        return True

    @property
    def why_withheld(self) -> tuple[str, str]:
        """The reason why a check may not run, and the option that allows it."""
        return "it would run code of the change", "gate --allow-head-code allows that"

    @property
    def stage(self) -> str:
        """The stage that plugins get with an error: ``gate``."""
        return "gate"

    @property
    def warns_incomplete(self) -> bool:
        """No: a gate does not let an incomplete review pass."""
        return False

    @property
    def _lenient(self) -> bool:
        """Return whether exclusions and suppressions by the change are honoured: its author could merge it anyway."""
        return self._fork is False and not self._distrusts and self.config["self_suppressions"] == "list"

    def select(self, reviewers: Registry[Reviewer], chosen: Sequence[str], *, uploads: bool) -> Selected:
        """Return the reviewers, and one that examines what the change does to its own review."""
        from selfreview.reviewers.gate import GateReviewer

        selected = select(reviewers, self.config, chosen, uploads=uploads, insisted=self.options["required"])
        reviewer = GateReviewer(
            lenient=self._lenient,
            broken=self._broken,
            partly=self._distrusts,
            unsure=self._unsure,
            reviewers=self._taking_part(selected.reviewers),
        )
        return selected._replace(reviewers=(*selected.reviewers, reviewer))

    def _taking_part(self, reviewers: Sequence[Reviewer]) -> list[Reviewer] | None:
        """Return the reviewers that may run, or None where checks may, too, whose tools are unknown."""
        if self.options["allow_head_code"]:
            return None if self.config.table("checks") else list(reviewers)
        withheld = self.config.table("command")
        return [reviewer for reviewer in reviewers if reviewer.name not in withheld]

    def reconsider(self, change: Change, opened: Opened) -> Change:
        """Put back into the review what only the change itself excludes from it."""
        self.own_marks = OwnMarks.LIST if self._lenient else OwnMarks.IGNORE
        change, claims = take_back(change, opened.content, self.config["exclude"])
        if self._lenient:
            self.claimed = {**self.claimed, **claims}
        else:
            change = read_excluded(change, opened.content, self.config["exclude"])
        return count_new_code(change, opened.content)

    def asks_less(self, bench: Workbench, selected: Selected, *, uploads: bool) -> list[str]:
        """Return the ways in which the call asks for less; in a gate, ``--accept`` counts as one."""
        accepted = ["issues (--accept)"] if self.options["accepted"] else []
        return [*super().asks_less(bench, selected, uploads=uploads), *accepted]

    def begin(self, bench: Workbench, kept: ReviewStore, stack: ExitStack) -> LiveSession | None:  # noqa: ARG002
        """Return a session that is not stored where the base has checks, for they run within one, or None."""
        if self.repo is None or not self.config.table("checks"):
            return None
        sweep_folders()
        lived = open_session(self.repo, bench.change.scope, kept, self.manager, self.config, kept=False)
        lived.begin()
        return lived

    def known(self, bench: Workbench) -> Known:  # noqa: ARG002 - commits are all that counts
        """Return the base's baseline, and the entries that the change adds."""
        return self._known

    def accepted(self, kept: ReviewStore, bench: Workbench) -> Mapping[str, str]:  # noqa: ARG002 - no session counts
        """Return why issues were accepted, by fingerprint."""
        return dict.fromkeys(self.options["accepted"], "accepted by --accept")

    def finish(self, result: Result, bench: Workbench, outputs: Sequence[Output]) -> None:
        """Report the result, and each ``--accept`` that matches no issue."""
        found = {issue.fingerprint for issue in result.issues}
        vain = [mark for mark in self.options["accepted"] if mark not in found]
        result.notes += self._notes
        result.notes += [f"--accept {mark} matches no issue of this change" for mark in vain]
        super().finish(result, bench, outputs)
        threshold = Threshold(self.config["severity_threshold"])
        blocking = [issue for issue in result.issues if threshold.blocks(issue) and not issue.is_check]
        if blocking:
            marks = ", ".join(f"{one.id} {one.fingerprint}" for one in blocking[:_SHOWN])
            more = f", and {len(blocking) - _SHOWN} more in --format json:FILE" if len(blocking) > _SHOWN else ""
            console.note(
                f"hint: one that a maintainer has looked at passes with gate --accept FINGERPRINT: {marks}{more}"
            )
