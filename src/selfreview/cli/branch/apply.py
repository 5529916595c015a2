"""``selfreview apply`` and ``undo``: put a kept refinement into the tree, and take it back."""

from __future__ import annotations

import click

from selfreview.app.applying import apply_patch
from selfreview.app.decisions import decision
from selfreview.app.loading import patches_folder, tell_unstaged
from selfreview.apply.applier import Applier, named
from selfreview.apply.journal import Journal
from selfreview.apply.patches import PatchStore
from selfreview.cli import completions, console
from selfreview.cli.common import overriding
from selfreview.cli.terminal import Terminal, uninterrupted
from selfreview.errors import UsageError
from selfreview.model.wire import display_path, utc_now
from selfreview.text.layout import plural


@click.command(name="apply")
@click.argument("patch", required=False, metavar="[PATCH]", shell_complete=completions.patches)
@click.option("--stage", is_flag=True, help="Stage the patch, too.")
def apply(patch: str | None, stage: bool) -> None:
    """Apply the patch that the last run kept, or the kept patch named.

    All of it or nothing, and only where every file is as it was reviewed. selfreview undo takes it back.
    """
    with overriding(begin=True) as (live, repo, project, _):
        name = patch or live.session.patch
        if name is None:
            raise UsageError(
                "there is no kept patch to apply", hint="selfreview run keeps one where it can fix something"
            )
        patches = PatchStore(patches_folder(repo))
        found = patches.get(name)
        forbidden = project.manager.call(
            "selfreview_before_apply", patch=found.describe(), session=live.session, config=project.config
        )
        if forbidden is not None:
            raise UsageError(f"a plugin forbids it: {forbidden}")
        applier = Applier(repo, patches, uninterrupted)
        apply_patch(applier, found, live.recorder, Terminal(), staged=stage)
        live.recorder.decide(decision(repo, "apply", found.id))
    files = plural(len(found.manifest.files), "file")
    staged = " and staged" if stage and not applier.unstaged else ""
    console.say(f"applied {found.id}: {files} changed{staged}; selfreview undo takes it back")


@click.command(name="undo")
def undo() -> None:
    """Undo the patch that was applied last: restore every file of it, byte by byte.

    All of it or nothing, and only where none of them was edited since. What was staged with it is unstaged. What was
    committed since stays in the commit and in the index.
    """
    with overriding(begin=True) as (live, repo, _, _):
        applier = Applier(repo, PatchStore(patches_folder(repo)), uninterrupted)
        last = applier.applied()
        patch = applier.undo(utc_now())
        if last is None or last.branch in (None, display_path(live.session.branch)):
            live.session.patch = patch.id  # of another branch it would be out of place
        live.recorder.decide(decision(repo, "undo", patch.id))
    tell_unstaged(applier.unstaged, Terminal(), undo=True)
    if applier.committed:
        console.note(
            f"note: committed since: {named(applier.committed)}; the commit and the index keep the refinement, "
            "only your tree is as it was"
        )
    index = ", in the index, too" if last is not None and _is_all_back(last, applier) else ""
    files = plural(len(patch.manifest.files), "file")
    console.say(f"undone: {files} restored{index}; selfreview apply applies it again")


def _is_all_back(last: Journal, applier: Applier) -> bool:
    """Return whether the index again has its former content of all files that were staged."""
    return bool(last.index) and not applier.unstaged and not applier.committed
