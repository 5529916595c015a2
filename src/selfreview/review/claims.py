"""What a change says of its own files: that they are generated, vendored or excluded, where nobody said so before."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from selfreview.git.content import Content
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan
from selfreview.model.issue import Side
from selfreview.review import ignore
from selfreview.review.prepare import BY_CONFIGURATION, matcher


def take_back(change: Change, content: Content, patterns: Sequence[str]) -> tuple[Change, dict[str, str]]:
    """Take back exclusions that only the change itself brings about.

    Args:
        change: The change with its excluded files marked.
        content: Its text.
        patterns: The patterns of files that are not reviewed, which the change has no say in.

    Returns:
        The change, in which these files are not excluded, and by path what it claims of them.
    """
    matches = matcher(patterns)
    claims: dict[str, str] = {}

    def decide(file: ChangedFile) -> str | None:
        if file.excluded is not None and _is_claim(file, content, matches(file.path_at_base)):
            claims[file.path] = f"only this change makes it {file.excluded}"
            return None
        return file.excluded

    return ignore.exclude(change, decide), claims


def read_excluded(change: Change, content: Content, patterns: Sequence[str]) -> Change:
    """Have reviewed what the base excludes by a guess, where whoever wrote the change may not be believed.

    A vendored or generated file may be changed as freely as any other. One that leaves such a name, or one that is
    excluded by configuration, was reviewed by nobody: all its lines count as added.

    Args:
        change: The change with its excluded files marked.
        content: Its text.
        patterns: The patterns of files that are not reviewed, which the change has no say in.
    """
    matches = matcher(patterns)

    def reread(file: ChangedFile) -> ChangedFile:
        if file.excluded in ignore.GUESSED and file.excluded != ignore.LOCKED:
            return msgspec.structs.replace(file, excluded=None)
        before = msgspec.structs.replace(file, path=file.path_at_base, old_path=None)
        if (
            file.excluded is None
            and file.old_path is not None
            and (matches(before.path) or ignore.by_name(before) is not None)
        ):
            return _all_added(file, content)
        return file

    return msgspec.structs.replace(change, files=tuple(map(reread, change.files)))


def _all_added(file: ChangedFile, content: Content) -> ChangedFile:
    data = content.read(file, Side.NEW)
    lines = data.count(b"\n") + (not data.endswith(b"\n")) if data else 0
    return msgspec.structs.replace(
        file,
        status=FileStatus.ADDED,
        old_path=None,
        old_mode="000000",
        old_oid=None,
        spans=(HunkSpan(0, 0, 1, lines),) if lines else (),
    )


def _is_claim(file: ChangedFile, content: Content, excluded_before: bool) -> bool:
    """Whether a file would not be excluded by the same reason as the base has it."""
    if file.excluded == BY_CONFIGURATION:
        return file.path_at_base != file.path and not excluded_before
    if file.excluded not in ignore.GUESSED:
        return False
    if file.status is FileStatus.ADDED:
        return True
    now = msgspec.structs.replace(file, excluded=None)
    before = msgspec.structs.replace(now, path=file.path_at_base, old_path=None)
    named = ignore.by_name(now)
    if named is not None and named == ignore.by_name(before):
        return False
    if named is None and file.old_path is not None and file.old_oid != file.new_oid:
        return True  # its content alone says so, which is not what the base had under another name
    data = content.read(file, Side.OLD)
    if data is None:
        return True
    guessed = ignore.by_content(data[: ignore.HEAD_BYTES], 0, 1) or ignore.is_minified(before.path, data)
    return not guessed
