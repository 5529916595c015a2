"""Resume from what an earlier run kept before it was interrupted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from selfreview.apply.patches import FileState, Patch, PatchStore, write_durably
from selfreview.errors import GitError, SelfreviewError, StoreError
from selfreview.git.repo import Repo
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry, make_room
from selfreview.model.event import Event
from selfreview.model.result import Iteration
from selfreview.model.session import SessionState
from selfreview.model.wire import from_json, kept_json

_FILE = "iteration.json"


class Earlier(NamedTuple):
    """An iteration of an earlier run, and the patch that leads from the beginning to the state after it."""

    iteration: Iteration
    patch: Patch


def remember(patch: Patch, iteration: Iteration) -> None:
    """Keep an iteration with its patch, durably.

    Raises:
        StoreError: If it cannot be written.
    """
    try:
        write_durably(patch.folder / _FILE, kept_json(iteration))
    except OSError as error:
        raise StoreError(f"an iteration cannot be kept in {patch.folder}: {error.strerror or error}") from error


def broken_off(events: Iterable[Event]) -> list[str]:
    """Return the ids of the patches of a session's last run, one for each iteration that it went through.

    Args:
        events: The session's, oldest first.
    """
    found: list[str] = []
    resumes = False
    for event in events:
        data = event.data
        begins = data.get("previous") == SessionState.PENDING_SELF_REVIEW
        if event.kind == "session.state_changed" and begins and data.get("new") == SessionState.SELF_REVIEWING:
            found, resumes = found if resumes else [], False  # until it has gone on, it may break off as well
        elif event.kind == "person.resume":
            resumes = True
        elif event.kind == "session.resumed":
            found = msgspec.convert(data["patches"], list[str])
        elif event.kind == "session.refinement_completed" and data.get("patch") is not None:
            found.append(str(data["patch"]))
    return found


def recall(patches: PatchStore, names: Sequence[str]) -> list[Earlier]:
    """Return the kept iterations of these ids, up to the first that cannot be read."""
    found: list[Earlier] = []
    for name in names:
        try:
            patch = patches.get(name)
            found.append(Earlier(from_json((patch.folder / _FILE).read_bytes(), Iteration), patch))
        except (OSError, msgspec.MsgspecError, SelfreviewError):
            break
    return found


def enter(workspace: Workspace, earlier: Earlier, person: Repo) -> dict[str, Entry | None] | None:
    """Bring a workspace that is at its beginning to where an earlier iteration ended.

    Args:
        workspace: The workspace.
        earlier: The iteration.
        person: The person's repository, with whose files it begins.

    Returns:
        What that made of files; or None, and nothing is changed, where it did not begin with the same tree.

    Raises:
        GitError: If the workspace cannot be written.
        StoreError: If what was kept is damaged.
    """
    changes = earlier.patch.manifest.files
    before = {change.name: workspace.at(workspace.start, change.name) for change in changes}
    if not all(_is(change.old, workspace.original(change.name, person)) for change in changes):
        return None
    after = {change.name: earlier.patch.entry(change.new) for change in changes}
    try:
        for path in after:
            make_room(workspace.root, path)
        workspace.write(after)
    except OSError as error:
        raise GitError(f"the workspace cannot be brought to where it was: {error}") from error
    tree = workspace.tree()
    if tree == earlier.iteration.refinement.tree:
        return {path: workspace.take(tree, path) for path in after}
    workspace.restore(before, workspace.start)
    return None


def _is(state: FileState | None, entry: Entry | None) -> bool:
    return entry is None if state is None else state.is_of(entry)
