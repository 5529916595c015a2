"""The brief of an agent: the context of its review besides the change, and its private copy of the tree."""

from __future__ import annotations

import contextlib
import dataclasses
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

from selfreview import resources
from selfreview.api import Document, ReviewContext, Side
from selfreview.git.worktree_files import native
from selfreview.llm.context import exclusions
from selfreview.llm.context.exclusions import Exclusions
from selfreview.llm.context.guidelines import Instructions, guidelines, requirements
from selfreview.llm.context.view import submodules
from selfreview.llm.transport.confinement import agent_settings, instructs, keeps_secrets, withheld
from selfreview.model.wire import display_path
from selfreview.reviewers.tools.program import digest

_IMPORT = re.compile(r"@((?:\\\s|\S){1,300})")
"""An import of another file in instructions, as Claude Code and Gemini read it, and the text behind it."""
_DEEPEST = 6
"""Files that bring in one another: as many as agents follow, and one more."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Brief:
    """Context of a review besides the change.

    Attributes:
        guidelines: How the project's code is written, as its documents say it; in a gate, those of the base.
        requirements: What the change is meant to do.
        exclusions: What is not reported.
        instructions: The files that agents take for instructions, by path, as they count for this change.
        absent: Files that instructions bring in and that were not there before the change: an agent is not given them.
        held: Instructions that the change edits: their content from before it counts.
        notes: Notes for the report.
        submodules: A line for each that the change moves to another commit.
        key: Digest of all of it.
    """

    guidelines: tuple[Document, ...]
    requirements: tuple[Document, ...]
    exclusions: Exclusions
    instructions: Mapping[str, bytes]
    absent: Set[str]
    held: tuple[str, ...]
    notes: tuple[str, ...]
    submodules: tuple[str, ...]
    key: bytes


def gather(context: ReviewContext) -> Brief:
    """Gather the context, so that no change writes the instructions for its own review.

    Raises:
        ConfigError: If the person's own exclusions are broken.
        GitError: If git fails.
    """
    source, config = Instructions(context), context.config
    there = {*context.list_paths(), *context.list_paths(Side.OLD)}
    found, absent = _with_imports(
        source, [path for path in there if instructs(path) and agent_settings(path) is None], there
    )
    text = exclusions.load(source, resources.read("templates", f"prompts/{exclusions.FILE}").decode())
    named = config.origin("requirements") == "command line"
    rules, required = tuple(guidelines(source)), tuple(requirements(source, config["requirements"], named=named))
    parts: list[str | bytes] = [text]
    for document in (*rules, *required):
        parts += [document.path, document.text]
    for path, data in sorted(found.items()):
        parts += [path, data]
    moved = submodules(context)
    parts += moved
    return Brief(
        guidelines=rules,
        requirements=required,
        exclusions=Exclusions.parse(text),
        instructions=found,
        absent=absent,
        held=tuple(map(display_path, dict.fromkeys(source.held))),
        notes=tuple(source.notes),
        submodules=moved,
        key=digest(parts),
    )


def _with_imports(
    source: Instructions, paths: Iterable[str], there: Set[str]
) -> tuple[dict[str, bytes], frozenset[str]]:
    """Return the content of instructions and of the files that they bring in by ``@path``, and which have none."""
    found: dict[str, bytes] = {}
    names = {path.casefold(): path for path in there if not keeps_secrets(path) and agent_settings(path) is None}
    seen = wanted = set(paths)
    for _ in range(_DEEPEST):
        new = source.read(sorted(wanted))
        found |= new
        wanted = {path for file, data in new.items() for path in _imported(file, data, names)} - seen
        seen = seen | wanted
        if not wanted:
            break
    return found, frozenset(seen - found.keys())


def _imported(file: str, data: bytes, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the files of the tree that instructions may bring in, whatever ends a path for an agent."""
    folder = posixpath.dirname(file)
    for run in _IMPORT.findall(data.decode("utf-8", "surrogateescape")):
        name = re.sub(r"\\(\s)", r"\1", run).casefold()
        for end in range(1, len(name) + 1):
            path = names.get(posixpath.normpath(posixpath.join(folder.casefold(), name[:end])))
            if path is not None:
                yield path


LARGEST = 20 * 1024 * 1024
"""Bytes of the largest file that is copied."""

_FILES_AT_ONCE = 500
_BYTES_AT_ONCE = 32 * 1024 * 1024


def copy_tree(
    context: ReviewContext, folder: Path, instructions: Mapping[str, bytes], absent: Set[str] = frozenset()
) -> list[str]:
    """Write every file of the tree to a folder, but for agents' settings, keepers of secrets, and very large files.

    A link becomes a file that holds its target's name, so that nothing leads out of the folder.

    Args:
        context: The change.
        folder: An empty folder.
        instructions: The files that agents take for instructions, as they count for this change.
        absent: Files that are left out.

    Returns:
        The paths that are left out because they are too large.

    Raises:
        GitError: If git fails.
    """
    for path, data in instructions.items():
        _write(folder, path, data)
    too_large = []
    shown = (
        path for path in context.list_paths() if _is_shown(path) and path not in instructions and path not in absent
    )
    for paths in _batches(shown, context.config.root):
        for path, data in context.read_paths(paths).items():
            if len(data) > LARGEST:
                too_large.append(path)
            else:
                _write(folder, path, data)
    return too_large


def _is_shown(path: str) -> bool:
    return not instructs(path) and not keeps_secrets(path) and withheld(path) is None


def _write(folder: Path, path: str, data: bytes) -> None:
    target = native(folder, path)
    # A folder in which there were instructions may have become a file, or the other way round: the instructions stay.
    with contextlib.suppress(FileExistsError, IsADirectoryError, NotADirectoryError):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _batches(paths: Iterable[str], root: Path | None) -> Iterator[list[str]]:
    """Split paths so that one batch fits into memory, as far as the sizes in the person's own tree tell."""
    batch: list[str] = []
    size = 0
    for path in paths:
        expected = _size(root, path)
        if batch and (len(batch) == _FILES_AT_ONCE or size + expected > _BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += expected
    if batch:
        yield batch


def _size(root: Path | None, path: str) -> int:
    """Return a file's size in a tree; one that is not there counts as one of many in a batch."""
    try:
        return _BYTES_AT_ONCE // _FILES_AT_ONCE if root is None else native(root, path).lstat().st_size
    except (OSError, ValueError):
        return _BYTES_AT_ONCE // _FILES_AT_ONCE
