"""``selfreview undo``: take back what was applied last."""

from __future__ import annotations

import click

from selfreview.cli.overriding import decision, overriding
from selfreview.cli.session import patches_folder
from selfreview.loop.apply import Applier
from selfreview.loop.patches import PatchStore
from selfreview.store.runs import utc_now
from selfreview.text.layout import plural


@click.command(name="undo")
def command() -> None:
    """Restore every file of the refinement that was applied last, byte by byte.

    Only where none of them was edited since; all of it or nothing.
    """
    with overriding(begin=True) as (lived, repo, _, _):
        patch = Applier(repo, PatchStore(patches_folder(repo))).undo(utc_now())
        lived.session.patch = patch.id
        lived.recorder.decide(decision(repo, "undo", patch.id))
    click.echo(f"taken back: {plural(len(patch.manifest.files), 'file')} restored; selfreview apply puts it in again")
