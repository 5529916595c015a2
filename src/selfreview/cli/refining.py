"""From a review to what the person has afterwards: refined, applied where they want it, and told."""

from __future__ import annotations

from selfreview.cli.applying import settle
from selfreview.cli.fixers import all_fixers, select_fixers
from selfreview.cli.invocation import Invocation
from selfreview.cli.refinery import Plan, Refinery, why_not_refined
from selfreview.cli.reviewing import Reviewed, WorkspaceReviewer
from selfreview.cli.session import LiveSession, patches_folder
from selfreview.errors import SelfreviewError
from selfreview.loop.driver import Looped
from selfreview.loop.patches import PatchStore
from selfreview.model.result import Result
from selfreview.model.usage import Usage
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.review.privacy import Privacy
from selfreview.review.tasks import Settings
from selfreview.review.verdict import Threshold
from selfreview.store.reviewing import ReviewStore


class Refining:
    """Refines what was reviewed.

    Args:
        invocation: The command line.
        store: Where things are remembered.
        settings: How reviewers are run.
        lived: The session.
        uploads: Whether a model may be sent code.
        refines: Whether fixers take part, and not only checks.

    Attributes:
        privacy: What keeps secrets out of the excerpts of the result that :meth:`go_on` returned.
    """

    privacy: Privacy

    def __init__(
        self,
        invocation: Invocation,
        store: ReviewStore,
        settings: Settings,
        lived: LiveSession,
        *,
        uploads: bool,
        refines: bool,
    ) -> None:
        assert invocation.repo is not None  # noqa: S101 - the caller has looked
        assert invocation.collected is not None  # noqa: S101 - the same
        self._invocation = invocation
        self._repo = invocation.repo
        self._store = store
        self._lived = lived
        self._uploads = uploads
        self._refines = refines
        self._threshold = Threshold(invocation.config["severity_threshold"])
        self._reviewer = WorkspaceReviewer(
            invocation,
            invocation.collected,
            uploads=uploads,
            settings=settings,
            threshold=self._threshold,
            accepted=lived.accepted,
        )
        self._patches = PatchStore(patches_folder(self._repo))

    def go_on(self, first: Reviewed, engine: Engine) -> tuple[Result, Workbench, Looped | None]:
        """Check, refine and apply; return the result of the person's tree as it is then."""
        self.privacy = first.privacy
        refinery = Refinery(
            self._invocation,
            self._reviewer,
            plan=self._plan(first.result),
            recorder=self._lived.recorder,
            patches=self._patches,
            in_use=sorted(self._store.attempt(lambda store: store.waiting_patches(), set[str]())),
        )
        decided: list[Result] = []

        def note(result: Result) -> None:
            decided.append(result)
            self._lived.decided(result)

        looped = None
        try:
            looped = refinery.go_on(first, engine, note)
        except SelfreviewError as error:
            if not decided:
                note(first.result)
            else:
                self._lived.recorder.failed("refinement", error.message)
            first.result.notes.append(why_not_refined(error))
        if looped is None:
            return first.result, first.bench, None
        return *self._conclude(first, looped), looped

    def close(self) -> None:
        """Close what was opened."""
        self._reviewer.close()

    def _plan(self, result: Result) -> Plan:
        options, config = self._invocation.options, self._invocation.config
        asked = options["max_iterations"]
        iterations = config["max_iterations"] if asked is None else asked
        if not self._refines:
            return Plan(fixers=[], iterations=0, threshold=self._threshold)
        registry = all_fixers(self._invocation, config)
        fixers, notes = select_fixers(registry, config, options["fixers"], uploads=self._uploads)
        result.notes += notes
        return Plan(fixers=fixers, iterations=iterations, threshold=self._threshold)

    def _conclude(self, first: Reviewed, looped: Looped) -> tuple[Result, Workbench]:
        """Return the result of what the person has now, with the way there."""
        patch = None
        if looped.patch is not None:
            patch = settle(self._invocation, self._repo, self._patches, looped, self._lived.recorder)
        applied = patch is not None and patch.applied
        result, bench = (looped.result, first.bench) if applied else (first.result, first.bench)
        last = self._reviewer.last
        if applied and last is not None and last.result is result:
            bench, self.privacy = last.bench, last.privacy
        if result.scope is not None and first.result.scope is not None and result is not first.result:
            result.scope.notes = first.result.scope.notes
        result.iterations = looped.iterations
        for iteration in looped.iterations:
            if iteration.review is result:  # no result holds itself
                iteration.review = _without_iterations(result)
        result.stop, result.stop_reason, result.patch = looped.stop, looped.why, patch
        result.usage = _total(first.result, looped)
        return result, bench


def _without_iterations(result: Result) -> Result:
    import msgspec

    return msgspec.structs.replace(result, iterations=[], stop=None, stop_reason=None, patch=None)


def _total(first: Result, looped: Looped) -> Usage:
    total = Usage()
    for usage in (
        first.usage,
        *(iteration.review.usage for iteration in looped.iterations if iteration.review is not first),
        *(iteration.refinement.usage for iteration in looped.iterations),
    ):
        total.add(usage)
    return total
