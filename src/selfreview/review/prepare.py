"""Selection of the files that are reviewed, before any reviewer starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from selfreview.git.content import Content, Probe
from selfreview.model.change import Change, ChangedFile, FileStatus
from selfreview.model.issue import Side
from selfreview.model.wire import display_path
from selfreview.review import ignore

HookCaller = Callable[..., Any]

BY_CONFIGURATION = "excluded by configuration"
_SCRIPT = b"#!"
"""Beginning of a script, which no lock file has."""


def mark_by_name(change: Change, patterns: Sequence[str], ignore_file: Callable[[ChangedFile], str | None]) -> Change:
    """Exclude files by their name and kind, by the configured patterns, and by plugins; read no content."""
    matches = matcher(patterns)

    def decide(file: ChangedFile) -> str | None:
        if file.excluded is not None:
            return file.excluded
        return (BY_CONFIGURATION if matches(file.path) else None) or ignore.by_name(file) or ignore_file(file)

    return ignore.exclude(change, decide)


def mark_by_content(change: Change, content: Content, max_bytes: int, *, whole: bool) -> tuple[Change, dict[str, str]]:
    """Exclude files by their content, and take back that a script is a lock file.

    Args:
        change: The change.
        content: Its text.
        max_bytes: Size above which a file is not reviewed.
        whole: Whether the content is needed later anyhow: it is then read now, so that what cannot be is known now.

    Returns:
        The change, and the files that should be reviewed but cannot be read, each with the reason.
    """
    unreadable: dict[str, str] = {}

    def decide(file: ChangedFile) -> str | None:
        if file.excluded is not None and file.excluded != ignore.LOCKED:
            return file.excluded
        side = Side.OLD if file.status is FileStatus.DELETED else Side.NEW
        try:
            if file.excluded is not None and not _begins_as_script(content.probe(file, side, len(_SCRIPT))):
                return file.excluded
            if whole:
                content.read(file, side)
            probe = content.probe(file, side, ignore.HEAD_BYTES)
            # The head alone could be put before code that a person wrote.
            dense = probe is not None and probe.size <= max_bytes and ignore.is_minified(file.path, probe.head)
            minified = dense and ignore.is_minified(file.path, content.read(file, side) or b"")
        except OSError as error:
            unreadable[file.path] = error.strerror or str(error)
            return f"cannot be read: {unreadable[file.path]}"
        if probe is None:
            if file.spans:
                unreadable[file.path] = f"{display_path(file.path)} is not there any more"
                return "cannot be read"
            return None
        return ignore.by_content(probe.head, probe.size, max_bytes) or ("minified" if minified else None)

    return ignore.exclude(change, decide), unreadable


def _begins_as_script(probe: Probe | None) -> bool:
    return probe is not None and probe.head.startswith(_SCRIPT)


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that matches a path against patterns, which are as in ``.gitignore``."""
    if not patterns:
        return lambda _path: False
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(patterns)
    return lambda path: bool(spec.match_file(path))
