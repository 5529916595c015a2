"""Applying a refinement to the person's tree, only where they ask for it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import msgspec

from selfreview.cli import console
from selfreview.cli.invocation import Invocation
from selfreview.cli.outputs import use_color
from selfreview.cli.patchtext import printed
from selfreview.cli.recovering import tell_unstaged
from selfreview.cli.reviewing import Reviewed
from selfreview.cli.stopwatch import Stopwatch
from selfreview.errors import SelfreviewError
from selfreview.git.repo import Repo
from selfreview.loop.apply import Applier
from selfreview.loop.compare import open_with_duplicates, pair
from selfreview.loop.patches import Patch, PatchStore
from selfreview.loop.recorder import Recorder
from selfreview.loop.refinement_result import RefinementResult
from selfreview.model.result import KeptPatch, Result
from selfreview.model.wire import display_path
from selfreview.reporters import words
from selfreview.reporters.terminal.code import patch_lines
from selfreview.reporters.terminal.paint import Paint
from selfreview.review.privacy import SafeContext
from selfreview.store.runs import utc_now
from selfreview.text.escape import quiet
from selfreview.text.layout import plural


def settle(
    invocation: Invocation,
    repo: Repo,
    patches: PatchStore,
    recorder: Recorder,
    *,
    first: Reviewed,
    looped: RefinementResult,
) -> KeptPatch:
    """Apply a patch if the person wants it, and report the outcome.

    Args:
        invocation: The command line.
        repo: The person's repository.
        patches: Where it is kept.
        recorder: The session.
        first: The review of the person's tree.
        looped: How refinement went; it has a patch.

    Raises:
        PluginError: If a plugin that decides raises.
    """
    patch = looped.patch
    assert patch is not None  # noqa: S101 - the caller has looked
    kept = patch.describe()
    kept.reason = _veto(invocation, kept, recorder) or _unwanted(invocation, first, patch, looped)
    if kept.reason is not None:
        return kept
    staged = bool(invocation.options.get("stage"))
    try:
        applier = applied(repo, patches, patch, recorder, staged=staged)
    except SelfreviewError as error:  # be it git that cannot say what is staged: the report must not get lost
        kept.reason = error.message
        console.warn(f"the patch is not applied: {error.message}")
        if error.hint:
            console.note(f"hint: {error.hint}")
        return kept
    kept.applied, kept.staged = True, staged and not applier.unstaged
    return kept


def applied(repo: Repo, patches: PatchStore, patch: Patch, recorder: Recorder, *, staged: bool) -> Applier:
    """Apply a patch, recording events for its start and its end; report files that were not staged.

    Raises:
        ApplyError: If it is refused; nothing was changed.
        StoreError: If what was kept is damaged.
        Interrupted: If that was asked for meanwhile; it is done all the same.
    """
    recorder.note("patch.applying", patch=patch.id, staged=staged)
    applier = Applier(repo, patches)
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
    tell_unstaged(applier.unstaged)
    return applier


def _applied(recorder: Recorder, patch: Patch, **data: object) -> None:
    """Record that a patch is applied and no longer pending."""
    if recorder.session.patch == patch.id:
        recorder.session.patch = None
    recorder.note("patch.applied", patch=patch.id, **data)


def _veto(invocation: Invocation, kept: KeptPatch, recorder: Recorder) -> str | None:
    answer = invocation.manager.call(
        "selfreview_before_apply", patch=kept, session=recorder.session, config=invocation.config
    )
    return None if answer is None else f"a plugin forbids it: {answer}"


def _unwanted(invocation: Invocation, first: Reviewed, patch: Patch, looped: RefinementResult) -> str | None:
    """Return why the person declines a patch, after asking where that is possible, or None."""
    wish = "always" if invocation.options.get("apply") else invocation.config["apply"]
    if wish == "always":
        return None
    if wish == "never":
        return f"apply = never ({invocation.config.origin('apply')})"
    if not (_is_terminal() and sys.stdin is not None):
        return "nobody was asked: not on a terminal"
    color = use_color(invocation.config["color"], is_terminal=True)
    _show_issues(invocation, first, patch, looped, color=color)
    return None if ask(patch, looped.result, invocation.stopwatch, color=color) else "you said no"


def _show_issues(
    invocation: Invocation, first: Reviewed, patch: Patch, looped: RefinementResult, *, color: bool
) -> None:
    """Show the open issues, and which of them the patch fixes: nobody can decide on a patch by its lines alone."""
    from selfreview.reporters.terminal.report import before_question

    kept = msgspec.structs.replace(patch.describe(), applied=True)
    result = msgspec.structs.replace(first.result, iterations=looped.iterations, patch=kept)
    width = shutil.get_terminal_size((80, 24)).columns
    for line in before_question(result, SafeContext(first.bench, first.privacy, 60.0), color=color, width=width):
        sys.stderr.write(quiet(line) + "\n")
    if sys.stdout.isatty():
        again = pair(open_with_duplicates(result), open_with_duplicates(looped.result))
        invocation.told = {*(issue.id for issue in result.open_issues), *again.values()}


def ask(patch: Patch, refined: Result, stopwatch: Stopwatch, *, color: bool) -> bool:
    """Show a patch without its secrets and ask whether to apply it. Standard output stays clean: it is the report's.

    Args:
        patch: The patch.
        refined: The review of the state that it leads to.
        stopwatch: Rests while the person thinks.
        color: Whether colours are wanted.
    """
    files = patch.manifest.files
    passes = "passes" if refined.passed else "does not pass"
    console.note(
        f"A refinement changes {plural(len(files), 'file')}. With it {words.count_open(refined)} would be left, "
        f"and the change {passes} the review."
    )
    lines = list(patch_lines(printed(patch), Paint(color)))
    is_short = len(lines) <= _SHOWN_LINES
    if is_short:
        _write(lines)
    else:
        _tell_files(patch)
    answers = "y: yes, n: no [y/N]" if is_short else "y: yes, n: no, d: show all of it [y/N/d]"
    while True:
        sys.stderr.write(f"Apply it to your tree? {answers} ")
        sys.stderr.flush()
        with stopwatch.paused():
            word = sys.stdin.readline()
        if word.strip().lower() in ("y", "yes"):
            return True
        if word.strip().lower() == "d":
            _write(lines)
        elif word.strip().lower() in ("", "n", "no"):
            return False


_SHOWN_LINES = 60


def _tell_files(patch: Patch) -> None:
    """Show only the names of the files of a long patch."""
    for file in patch.manifest.files:
        what = "new" if file.old is None else "removed" if file.new is None else "changed"
        console.note(f"  {what}: {display_path(file.name)}")


def _write(lines: Sequence[str]) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()
