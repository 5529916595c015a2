"""Applying a refinement to the person's tree, only where they ask for it."""

from __future__ import annotations

import msgspec

from selfreview.app.outputs import use_color
from selfreview.app.patch_text import printed
from selfreview.app.repository import tell_unstaged
from selfreview.app.state import RunState
from selfreview.app.ui import Ui
from selfreview.apply.applier import Applier
from selfreview.apply.patches import Patch, PatchStore
from selfreview.errors import SelfreviewError
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result
from selfreview.model.wire import display_path
from selfreview.refine.compare import open_with_duplicates, pair
from selfreview.refine.recorder import Recorder
from selfreview.refine.refinement_result import RefinementResult
from selfreview.reporters import words
from selfreview.reporters.terminal.code import patch_lines
from selfreview.reporters.terminal.paint import Paint
from selfreview.review.privacy import SafeContext
from selfreview.store.runs import utc_now
from selfreview.text.escape import quiet
from selfreview.text.layout import plural


def settle(
    run: RunState, patches: PatchStore, recorder: Recorder, refined: RefinementResult, patch: Patch
) -> KeptPatch:
    """Apply a patch if the person wants it, and report the outcome.

    Args:
        run: The run.
        patches: Where it is kept.
        recorder: The session.
        refined: How refinement went.
        patch: Its patch, or the one that waits for a person.

    Raises:
        PluginError: If a plugin that decides raises.
    """
    if refined.held is not None and refined.stop is Stop.HELD:
        kept = refined.held.describe()
        kept.reason = _veto(run, kept, recorder) or _undecided(run, refined.held, refined)
        if kept.reason is None:
            return _apply(run, patches, recorder, refined.held)
        wish = _wish(run)
        if refined.patch is None or wish == "never" or (wish == "ask" and not run.ui.is_interactive):
            return kept
        patch = refined.patch
    kept = patch.describe()
    kept.reason = _veto(run, kept, recorder) or _unwanted(run, patch, refined)
    return kept if kept.reason is not None else _apply(run, patches, recorder, patch)


def _apply(run: RunState, patches: PatchStore, recorder: Recorder, patch: Patch) -> KeptPatch:
    """Apply a patch that is wanted, and note the outcome."""
    assert run.repo is not None  # noqa: S101 - what is refined is in a repository
    kept = patch.describe()
    try:
        applier = Applier(run.repo, patches, run.ui.uninterrupted)
        apply_patch(applier, patch, recorder, run.ui, staged=run.request.stage)
    except SelfreviewError as error:  # be it git that cannot say what is staged: the report must not get lost
        kept.reason = error.message
        run.ui.warn(f"the patch is not applied: {error.message}")
        if error.hint:
            run.ui.note(f"hint: {error.hint}")
        return kept
    kept.applied, kept.staged = True, run.request.stage and not applier.unstaged
    return kept


def apply_patch(applier: Applier, patch: Patch, recorder: Recorder, ui: Ui, *, staged: bool) -> None:
    """Apply a patch, recording events for its start and its end; report files that were not staged.

    Raises:
        ApplyError: If it is refused; nothing was changed.
        StoreError: If what was kept is damaged.
        Interrupted: If that was asked for meanwhile; it is done all the same.
    """
    recorder.note("patch.applying", patch=patch.id, staged=staged)
    try:
        applier.apply(patch, staged=staged, at=utc_now())
    except SelfreviewError as error:
        recorder.note("patch.refused", patch=patch.id, reason=error.message)
        raise
    except KeyboardInterrupt:  # before it began as well
        done = applier.applied()
        if done is not None and done.patch == patch.id:
            _applied(recorder, patch, reason="it was interrupted")
        else:
            recorder.note("patch.refused", patch=patch.id, reason="it was interrupted")
        raise
    _applied(recorder, patch, staged=staged)
    tell_unstaged(applier.unstaged, ui)


def _applied(recorder: Recorder, patch: Patch, **data: object) -> None:
    """Record that a patch is applied and no longer pending."""
    if recorder.session.patch == patch.id:
        recorder.session.patch = None
    recorder.note("patch.applied", patch=patch.id, **data)


def _veto(run: RunState, kept: KeptPatch, recorder: Recorder) -> str | None:
    answer = run.manager.call("selfreview_before_apply", patch=kept, session=recorder.session, config=run.config)
    return None if answer is None else f"a plugin forbids it: {answer}"


def _unwanted(run: RunState, patch: Patch, refined: RefinementResult) -> str | None:
    """Return why the person declines a patch, after asking where that is possible, or None."""
    wish = _wish(run)
    if wish == "always":
        return None
    if wish == "never":
        return f"apply = never ({run.config.origin('apply')})"
    if not run.ui.is_interactive:
        return "not asked: there is no terminal"
    color = use_color(run.config["color"], is_terminal=True)
    _show_issues(run, patch, refined, color=color)
    with run.stopwatch.paused():
        agreed = ask(patch, _state_of(patch, refined), run.ui, color=color)
    return None if agreed else "you answered no"


def _wish(run: RunState) -> str:
    return "always" if run.request.apply else str(run.config["apply"])


def _state_of(patch: Patch, refined: RefinementResult) -> Result:
    """Return the review of the state that a patch leads to."""
    return refined.iterations[patch.manifest.iteration - 1].review if patch.manifest.held else refined.result


def _undecided(run: RunState, patch: Patch, refined: RefinementResult) -> str | None:
    """Return why a patch that edits the person's tests goes on waiting, after a question where possible, or None."""
    free = f"; without these edits: selfreview apply {refined.patch.id}" if refined.patch is not None else ""
    waits = f"it edits existing tests, which needs your approval: {'; '.join(patch.manifest.held)}{free}"
    if _wish(run) != "ask" or not run.ui.is_interactive:
        return waits
    run.ui.note("The patch edits existing tests, so it waits for your approval:")
    for why in patch.manifest.held:
        run.ui.note(f"  {why}")
    declined = _unwanted(run, patch, refined)
    return None if declined is None else f"{declined}; {waits}"


def _show_issues(run: RunState, patch: Patch, refined: RefinementResult, *, color: bool) -> None:
    """Show the open issues, and which of them the patch fixes: nobody can decide on a patch by its lines alone."""
    from selfreview.reporters.terminal.report import before_question

    kept = msgspec.structs.replace(patch.describe(), applied=True)
    result = msgspec.structs.replace(run.result, iterations=refined.iterations, patch=kept)
    context = SafeContext(run.bench, run.privacy, 60.0)
    run.ui.show(quiet(line) for line in before_question(result, context, color=color, width=run.ui.columns))
    if run.ui.is_terminal:
        again = pair(open_with_duplicates(result), open_with_duplicates(_state_of(patch, refined)))
        run.shown = {*(issue.id for issue in result.open_issues), *again.values()}


def ask(patch: Patch, refined: Result, ui: Ui, *, color: bool) -> bool:
    """Show a patch without its secrets and ask whether to apply it.

    Args:
        patch: The patch.
        refined: The review of the state that it leads to.
        ui: Where a person is asked.
        color: Whether colours are wanted.
    """
    files = patch.manifest.files
    passes = "passes" if refined.passed else "does not pass"
    ui.note(
        f"A refinement changes {plural(len(files), 'file')}. With it {words.count_open(refined)} would be left, "
        f"and the change {passes} the review."
    )
    lines = list(patch_lines(printed(patch), Paint(color)))
    is_short = len(lines) <= _SHOWN_LINES
    if is_short:
        ui.show(lines)
    else:
        for file in files:
            what = "new" if file.old is None else "removed" if file.new is None else "changed"
            ui.note(f"  {what}: {display_path(file.name)}")
    answers = "y: yes, n: no [y/N]" if is_short else "y: yes, n: no, d: show all of it [y/N/d]"
    while True:
        word = ui.ask(f"Apply it to your tree? {answers}")
        if word in ("y", "yes"):
            return True
        if word == "d":
            ui.show(lines)
        elif word in (None, "", "n", "no"):
            return False


_SHOWN_LINES = 60
