"""``selfreview apply``: put a kept refinement into the tree."""

from __future__ import annotations

import click

from selfreview.app.applying import apply_patch
from selfreview.app.decisions import decision
from selfreview.app.loading import patches_folder
from selfreview.cli import console, offered
from selfreview.cli.overriding import overriding
from selfreview.cli.terminal import Terminal
from selfreview.errors import UsageError
from selfreview.loop.apply import Applier
from selfreview.loop.patches import PatchStore
from selfreview.text.layout import plural


@click.command(name="apply")
@click.argument("patch", required=False, metavar="[PATCH]", shell_complete=offered.patches)
@click.option("--stage", is_flag=True, help="Stage it, too.")
def command(patch: str | None, stage: bool) -> None:
    """Apply the refinement that the last run kept, or the kept patch named.

    Only where every file of it still is what was reviewed; all of it or nothing. selfreview undo takes it back.
    """
    with overriding(begin=True) as (lived, repo, loaded, _):
        name = patch or lived.session.patch
        if name is None:
            raise UsageError("no refinement waits to be applied", hint="selfreview run makes one where it can")
        patches = PatchStore(patches_folder(repo))
        found = patches.get(name)
        forbidden = loaded.loaded.manager.call(
            "selfreview_before_apply", patch=found.describe(), session=lived.session, config=loaded.loaded.config
        )
        if forbidden is not None:
            raise UsageError(f"a plugin forbids it: {forbidden}")
        applier = Applier(repo, patches)
        apply_patch(applier, found, lived.recorder, Terminal(), staged=stage)
        lived.recorder.decide(decision(repo, "apply", found.id))
    files = plural(len(found.manifest.files), "file")
    staged = " and staged" if stage and not applier.unstaged else ""
    console.say(f"applied {found.id}: {files} changed{staged}; selfreview undo takes it back")
