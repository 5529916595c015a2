"""Files that a change itself calls generated, vendored or excluded, where nobody did before."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

import msgspec

from selfreview.git.content import Content
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan
from selfreview.model.issue import Side
from selfreview.review import excluded_files
from selfreview.review.excluded_files import BY_CONFIGURATION, matcher
from selfreview.syntax.file_kinds import is_test
from selfreview.syntax.languages import has_no_name, language_of, language_of_script, may_be_script

_WORKFLOW = re.compile(r"(?:^|/)\.(?:github|gitea|forgejo)/(?:workflows|actions)/", re.IGNORECASE)
_SAME = {".yml": ".yaml", ".htm": ".html", ".jpeg": ".jpg"}
_EXECUTABLE = "100755"
_STUB = ".pyi"
"""Ending of what Python never runs."""


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

    return excluded_files.exclude(change, decide), claims


def read_excluded(change: Change, content: Content, patterns: Sequence[str], partly: Iterable[str]) -> Change:
    """Include files that the base excludes by a guess, where the author of the change is not trusted.

    A vendored or generated file may be changed as freely as any other. One that leaves such a name, or one that is
    excluded by configuration, was reviewed by nobody, and by some rules not at all where configuration ignores them
    there: all its lines count as added.

    Args:
        change: The change with its excluded files marked.
        content: Its text.
        patterns: The patterns of files that are not reviewed, which the change has no say in.
        partly: Those of files in which some rules are ignored, the same.
    """
    matches = matcher(patterns)
    ignored = [matcher([pattern]) for pattern in partly]

    def reread(file: ChangedFile) -> ChangedFile:
        if file.excluded in excluded_files.GUESSED and file.excluded != excluded_files.LOCKED:
            return msgspec.structs.replace(file, excluded=None)
        before = msgspec.structs.replace(file, path=file.path_at_base, old_path=None)
        if (
            file.excluded is None
            and file.old_path is not None
            and (
                matches(before.path)
                or excluded_files.by_name(before) is not None
                or any(ignores(before.path) and not ignores(file.path) for ignores in ignored)
            )
        ):
            return _all_added(file, content)
        return file

    return msgspec.structs.replace(change, files=tuple(map(reread, change.files)))


def count_new_code(change: Change, content: Content) -> Change:
    """Count all lines as added in files that only their new name, or the executable bit, makes code.

    Nobody reviewed it as such: a text is no code, a test's data need not be safe. An honest move keeps the language.

    Args:
        change: The change with its excluded files marked.
        content: Its text.
    """

    def recount(file: ChangedFile) -> ChangedFile:
        if file.excluded is not None or file.status not in (FileStatus.RENAMED, FileStatus.MODIFIED):
            return file
        renamed = file.old_path is not None
        new_bit = file.new_mode == _EXECUTABLE != file.old_mode
        if not (renamed or new_bit) or file.is_symlink or file.is_submodule or file.binary:
            return file
        anew = is_test(file.path_at_base) and not is_test(file.path)
        if not (anew or _is_obeyed_anew(file) or _turns_into_code(file, content)):
            return file
        added = _all_added(file, content)
        if not renamed:
            return msgspec.structs.replace(file, spans=added.spans)
        # Of a copy nothing was there before; its old name is kept, for what is gone from there counts, too.
        return msgspec.structs.replace(added, status=FileStatus.COPIED, old_path=file.old_path)

    return msgspec.structs.replace(change, files=tuple(map(recount, change.files)))


def _turns_into_code(file: ChangedFile, content: Content) -> bool:
    now = _language(file, content, Side.NEW)
    was_stub = file.path_at_base.endswith(_STUB) and not file.path.endswith(_STUB)
    return now is not None and (was_stub or now != _language(file, content, Side.OLD))


def _is_obeyed_anew(file: ChangedFile) -> bool:
    """Return whether another tool reads a file under its new name: as a workflow, or as another kind of file."""
    if _WORKFLOW.search(file.path) and not _WORKFLOW.search(file.path_at_base):
        return True
    return language_of(file.path) is None and _kind(file.path) != _kind(file.path_at_base)


def _kind(path: str) -> str:
    name = posixpath.basename(path).lower()
    stem, extension = posixpath.splitext(name)
    return _SAME.get(extension, extension) or stem


def _language(file: ChangedFile, content: Content, side: Side) -> str | None:
    """Return the language of one side of a file, as its name, its mode and its first line say."""
    path, mode = (file.path_at_base, file.old_mode) if side is Side.OLD else (file.path, file.new_mode)
    named = language_of(path)
    then = msgspec.structs.replace(file, path=path, old_path=None, new_mode=mode)
    if named is not None or not may_be_script(then):
        return named
    data = content.read(file, side)
    first = (data or b"").partition(b"\n")[0].decode("utf-8", "surrogateescape")
    return language_of_script(first, shell=has_no_name(then))


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
    """Return whether a file, as it is at the base, would not be excluded for the same reason."""
    if file.excluded == BY_CONFIGURATION:
        return file.path_at_base != file.path and not excluded_before
    if file.excluded not in excluded_files.GUESSED:
        return False
    if file.excluded == excluded_files.LOCKED and excluded_files.is_script(file, Side.NEW, content):
        return False  # it is none, and is reviewed as any script
    if file.status is FileStatus.ADDED:
        return True
    now = msgspec.structs.replace(file, excluded=None)
    before = msgspec.structs.replace(now, path=file.path_at_base, old_path=None)
    named = excluded_files.by_name(now)
    if named is not None and named == excluded_files.by_name(before):
        return False
    if named is None and file.old_path is not None and file.old_oid != file.new_oid:
        return True  # its content alone says so, which is not what the base had under another name
    data = content.read(file, Side.OLD)
    if data is None:
        return True
    guessed = excluded_files.by_content(data[: excluded_files.HEAD_BYTES], 0, 1) or excluded_files.is_minified(
        before.path, data
    )
    return not guessed
