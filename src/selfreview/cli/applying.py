"""Whether a refinement gets into the person's tree: by their word, and only there."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from selfreview.cli import console
from selfreview.cli.invocation import Invocation
from selfreview.cli.patchtext import printed
from selfreview.cli.recovering import tell_unstaged
from selfreview.errors import SelfreviewError
from selfreview.git.repo import Repo
from selfreview.loop.apply import Applier
from selfreview.loop.looped import Looped
from selfreview.loop.patches import Patch, PatchStore
from selfreview.loop.recorder import Recorder
from selfreview.model.result import KeptPatch
from selfreview.model.wire import display_path
from selfreview.reporters._excerpt import shown
from selfreview.store.runs import utc_now
from selfreview.text.layout import plural


def settle(invocation: Invocation, repo: Repo, patches: PatchStore, looped: Looped, recorder: Recorder) -> KeptPatch:
    """Apply a patch where the person wants that, and say what became of it.

    Args:
        invocation: The command line.
        repo: The person's repository.
        patches: Where it is kept.
        looped: How refinement went; it has a patch.
        recorder: The session.

    Raises:
        PluginError: If a plugin that decides raises.
    """
    patch = looped.patch
    assert patch is not None  # noqa: S101 - the caller has looked
    kept = patch.describe()
    kept.reason = _veto(invocation, kept, recorder) or _unwanted(invocation, patch, looped)
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
    """Apply a patch, with events for its beginning and its end, whatever that is; say what was not staged.

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
    """Note that a patch is in the tree, and waits no more."""
    if recorder.session.patch == patch.id:
        recorder.session.patch = None
    recorder.note("patch.applied", patch=patch.id, **data)


def _veto(invocation: Invocation, kept: KeptPatch, recorder: Recorder) -> str | None:
    answer = invocation.manager.call(
        "selfreview_before_apply", patch=kept, session=recorder.session, config=invocation.config
    )
    return None if answer is None else f"a plugin forbids it: {answer}"


def _unwanted(invocation: Invocation, patch: Patch, looped: Looped) -> str | None:
    """Return why the person does not want it, asking where that is possible, or None."""
    wish = "always" if invocation.options.get("apply") else invocation.config["apply"]
    if wish == "always":
        return None
    if wish == "never":
        return f"apply = never ({invocation.config.origin('apply')})"
    if not (_is_terminal() and sys.stdin is not None):
        return "nobody was asked: not on a terminal"
    return None if ask(patch, looped) else "you said no"


def ask(patch: Patch, looped: Looped | None = None) -> bool:
    """Show a patch without its secrets and ask whether to apply it. Standard output stays clean: it is the report's."""
    files = patch.manifest.files
    state = "" if looped is None else f" It {'passes' if looped.result.passed else 'does not pass'} the review."
    console.note(f"A refinement changes {plural(len(files), 'file')}.{state}")
    lines = printed(patch).removesuffix("\n").split("\n")
    is_short = len(lines) <= _SHOWN_LINES
    if is_short:
        _write(lines)
    else:
        _tell_files(patch)
    answers = "y: yes, n: no [y/N]" if is_short else "y: yes, n: no, d: show all of it [y/N/d]"
    while True:
        sys.stderr.write(f"Apply it to your tree? {answers} ")
        sys.stderr.flush()
        word = sys.stdin.readline()
        if word.strip().lower() in ("y", "yes"):
            return True
        if word.strip().lower() == "d":
            _write(lines)
        elif word.strip().lower() in ("", "n", "no"):
            return False


_SHOWN_LINES = 60


def _tell_files(patch: Patch) -> None:
    """Show of a long patch only its files."""
    for file in patch.manifest.files:
        what = "new" if file.old is None else "removed" if file.new is None else "changed"
        console.note(f"  {what}: {display_path(file.name)}")


def _write(lines: Sequence[str]) -> None:
    sys.stderr.write("".join(shown(line) + "\n" for line in lines))


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()
