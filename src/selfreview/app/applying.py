"""Applying a refinement to the person's tree, only where they ask for it."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from selfreview.app.loading import patches_folder, tell_unstaged
from selfreview.app.patch_text import printed
from selfreview.app.state import RefinedRun
from selfreview.app.ui import PatchOffer, Ui
from selfreview.apply.applier import Applier
from selfreview.apply.journal import Journal
from selfreview.apply.patches import Patch, PatchStore
from selfreview.errors import SelfreviewError
from selfreview.model.event import PatchApplied, PatchApplying, PatchRefused
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result
from selfreview.model.wire import utc_now
from selfreview.refine.recorder import Recorder
from selfreview.refine.tracking import open_with_duplicates, pair
from selfreview.review.privacy import SafeContext


class Applying:
    """The decision on the patch of a refinement, and its apply.

    Args:
        run: The run.

    Attributes:
        shown: Ids of the issues that the person has seen before a question; None: was not asked.
    """

    def __init__(self, run: RefinedRun) -> None:
        self._run = run
        self._recorder = run.live.recorder
        self._patches = PatchStore(patches_folder(run.opened.repo))
        self._wish = "always" if run.request.apply else str(run.config["apply"])
        self.shown: Collection[str] | None = None

    def decide(self, patch: Patch) -> KeptPatch:
        """Apply a patch if the person wants it, and return what became of it.

        Args:
            patch: The patch of the refinement, or the one that waits for a person.

        Raises:
            PluginError: If a plugin that decides raises.
        """
        refined, is_interactive = self._run.refined, self._run.ui.is_interactive
        if refined.held is not None and refined.stop is Stop.HELD:
            kept = refined.held.describe()
            kept.reason = self._veto(kept) or self._undecided(refined.held)
            if kept.reason is None:
                return self._apply(refined.held)
            if refined.patch is None or self._wish == "never" or (self._wish == "ask" and not is_interactive):
                return kept
            patch = refined.patch
        kept = patch.describe()
        kept.reason = self._veto(kept) or self._unwanted(patch)
        return kept if kept.reason is not None else self._apply(patch)

    def applied(self) -> Journal | None:
        """Return the journal of the patch that is applied, or None."""
        return self._applier().applied()

    def _applier(self) -> Applier:
        return Applier(self._run.opened.repo, self._patches, self._run.ui.uninterrupted)

    def _apply(self, patch: Patch) -> KeptPatch:
        """Apply a patch that is wanted, and note the outcome."""
        run, kept = self._run, patch.describe()
        try:
            applier = self._applier()
            apply_patch(applier, patch, self._recorder, run.ui, staged=run.request.stage)
        except SelfreviewError as error:  # be it git that cannot say what is staged: the report must not get lost
            kept.reason = error.message
            run.ui.warn(f"the patch is not applied: {error.message}")
            if error.hint:
                run.ui.note(f"hint: {error.hint}")
            return kept
        kept.applied, kept.staged = True, run.request.stage and not applier.unstaged
        return kept

    def _veto(self, kept: KeptPatch) -> str | None:
        run = self._run
        answer = run.manager.call(
            "selfreview_before_apply", patch=kept, session=self._recorder.session, config=run.config
        )
        return None if answer is None else f"a plugin forbids it: {answer}"

    def _unwanted(self, patch: Patch) -> str | None:
        """Return why the person declines a patch, after asking where that is possible, or None."""
        run = self._run
        if self._wish == "always":
            return None
        if self._wish == "never":
            return f"apply = never ({run.config.origin('apply')})"
        if not run.ui.is_interactive:
            return "not asked: there is no terminal"
        offer = self._offer(patch)
        if run.ui.is_terminal:
            again = pair(open_with_duplicates(offer.before), open_with_duplicates(offer.after))
            self.shown = {*(issue.id for issue in offer.before.open_issues), *again.values()}
        with run.stopwatch.paused():
            agreed = run.ui.ask_to_apply(offer)
        return None if agreed else "you answered no"

    def _offer(self, patch: Patch) -> PatchOffer:
        run = self._run
        kept = msgspec.structs.replace(patch.describe(), applied=True)
        return PatchOffer(
            before=msgspec.structs.replace(run.result, iterations=run.refined.iterations, patch=kept),
            after=self._state_of(patch),
            text=printed(patch),
            files=patch.manifest.files,
            context=SafeContext(run.bench, run.privacy, 60.0),
            color=run.config["color"],
        )

    def _state_of(self, patch: Patch) -> Result:
        """Return the review of the state that a patch leads to."""
        refined = self._run.refined
        return refined.iterations[patch.manifest.iteration - 1].review if patch.manifest.held else refined.result

    def _undecided(self, patch: Patch) -> str | None:
        """Return why a patch that edits the person's tests still waits, after a question where possible, or None."""
        free = self._run.refined.patch
        without = f"; without these edits: selfreview apply {free.id}" if free is not None else ""
        held = patch.manifest.held
        waits = f"it edits existing tests, which needs your approval: {'; '.join(held)}{without}"
        if self._wish != "ask" or not self._run.ui.is_interactive:
            return waits
        self._run.ui.note("The patch edits existing tests, so it waits for your approval:")
        for why in held:
            self._run.ui.note(f"  {why}")
        declined = self._unwanted(patch)
        return None if declined is None else f"{declined}; {waits}"


def apply_patch(applier: Applier, patch: Patch, recorder: Recorder, ui: Ui, *, staged: bool) -> None:
    """Apply a patch, recording events for its start and its end; report files that were not staged.

    Raises:
        ApplyError: If it is refused; nothing was changed.
        StoreError: If what was kept is damaged.
        Interrupted: If that was asked for meanwhile; it is done all the same.
    """
    recorder.note(PatchApplying(patch=patch.id, staged=staged))
    try:
        applier.apply(patch, staged=staged, at=utc_now())
    except SelfreviewError as error:
        recorder.note(PatchRefused(patch=patch.id, reason=error.message))
        raise
    except KeyboardInterrupt:  # before it began as well
        done = applier.applied()
        if done is not None and done.patch == patch.id:
            _applied(recorder, PatchApplied(patch=patch.id, reason="it was interrupted"))
        else:
            recorder.note(PatchRefused(patch=patch.id, reason="it was interrupted"))
        raise
    _applied(recorder, PatchApplied(patch=patch.id, staged=staged))
    tell_unstaged(applier.unstaged, ui)


def _applied(recorder: Recorder, applied: PatchApplied) -> None:
    """Record that a patch is applied and no longer pending."""
    if recorder.session.patch == applied.patch:
        recorder.session.patch = None
    recorder.note(applied)
