"""From the command line's scope to a change and its content."""

from __future__ import annotations

import os
import posixpath
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from selfreview.cli.common import current_folder
from selfreview.errors import UsageError
from selfreview.git.attributes import marked_files
from selfreview.git.collect import Collected, collect, elsewhere, is_wanted, left_out
from selfreview.git.content import Content, RepoContent
from selfreview.git.repo import Repo
from selfreview.git.scope import Request
from selfreview.model.change import Change, path_from_bytes


class Opened(NamedTuple):
    """A change with its content; the content is to be closed.

    Attributes:
        change: What is under review.
        content: Its text.
        collected: How it was collected, or None for a bare patch.
    """

    change: Change
    content: Content
    collected: Collected | None


def open_patch(source: str, paths: Sequence[str]) -> Opened:
    """Read a unified diff from a file, or from standard input for ``-``.

    Args:
        source: A file, or ``-``.
        paths: Limit to these, as the patch names them; a folder stands for what is below.

    Raises:
        UsageError: If it cannot be read.
        PatchError: If it is none.
    """
    from selfreview.git.patch import PatchContent, parse_patch

    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror or error}") from error
    patch = parse_patch(data)
    change = patch.change
    if paths:
        wanted = tuple(posixpath.normpath(path) for path in paths)
        files = tuple(file for file in change.files if is_wanted(file, wanted))
        others = len(change.files) - len(files)
        scope = msgspec.structs.replace(change.scope, partial=True, left_out=(elsewhere(others),) if others else ())
        change = msgspec.structs.replace(change, scope=scope, files=files)
    return Opened(change, PatchContent(patch), None)


def open_change(
    repo: Repo,
    request: Request,
    collected: Collected | None = None,
    *,
    attributes: str | None = None,
    tells_left_out: bool = False,
) -> Opened:
    """Collect a change from a repository, unless that was done.

    Args:
        repo: The repository.
        request: What was asked for.
        collected: The change, where that was done.
        attributes: The commit whose ``.gitattributes`` say what is generated or vendored; by default what is there.
        tells_left_out: Whether it is looked for what the scope leaves out of the working tree.
    """
    collected = collect(repo, request) if collected is None else collected
    change = collected.change
    notes = [*change.scope.notes, *_uncommitted_note(collected), *_progress_note(repo)]
    left = left_out(repo, collected) if tells_left_out else ()
    if collected.elsewhere:
        left = (*left, elsewhere(collected.elsewhere, merge=not change.scope.partial))
    scope = msgspec.structs.replace(change.scope, notes=tuple(notes), left_out=left)
    marked = marked_files(collected.git, [file.path for file in change.files], attributes)
    files = tuple(
        msgspec.structs.replace(file, excluded=file.excluded or marked[file.path]) if file.path in marked else file
        for file in change.files
    )
    change = msgspec.structs.replace(change, scope=scope, files=files)
    return Opened(change, RepoContent(repo, collected), collected)


def with_tree(change: Change, tree: str | None) -> Change:
    """Return the change with the id of the tree under review."""
    return msgspec.structs.replace(change, scope=msgspec.structs.replace(change.scope, tree=tree))


def _uncommitted_note(collected: Collected) -> list[str]:
    """Say how much of a branch's change is not committed."""
    total = len(collected.change.files)
    dirty = sum(1 for file in collected.change.files if file.path in collected.uncommitted)
    if collected.resolved.scope.mode != "branch" or not dirty:
        return []
    if dirty == total:
        return ["nothing of this is committed yet"]
    return [f"{dirty} of {total} files hold changes that are not committed yet"]


def _progress_note(repo: Repo) -> list[str]:
    what = repo.in_progress()
    return [f"a {what} is in progress"] if what else []


def repo_paths(repo: Repo, paths: Sequence[str]) -> tuple[str, ...]:
    """Turn paths from the command line into paths from the top level.

    Raises:
        UsageError: If one is outside of the repository, or neither there nor known to git.
    """
    here = current_folder()
    result = []
    for text in paths:
        absolute = Path(os.path.normpath(here / text))
        # The folder above is resolved, the last part is not: a link is reviewed as a link.
        try:
            relative = (absolute.parent.resolve() / absolute.name).relative_to(repo.root.resolve())
        except ValueError:
            if absolute.resolve() != repo.root.resolve():
                raise UsageError(f"{text!r} is outside of the repository {repo.root}") from None
            relative = Path()
        name = path_from_bytes(os.fsencode(relative.as_posix()))
        name = "" if name == "." else name
        if not os.path.lexists(absolute) and not _tracked(repo, name):
            raise UsageError(f"there is no file or folder {text!r}", hint="paths are relative to the current folder")
        result.append(name)
    return tuple(result)


def _tracked(repo: Repo, name: str) -> bool:
    """Return whether the index, HEAD or history contains a path that is missing from the working tree."""
    raw = name.encode("utf-8", "surrogateescape")
    if repo.git.run(["ls-files", "-z", "--", raw]):
        return True
    return bool(repo.git.line([b"rev-list", b"-1", b"--all", b"--", raw]))
