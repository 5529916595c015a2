"""Code that nobody reads in a change: binary, linked, in git-lfs, or converted by attributes when it is checked out."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from selfreview.api import Category, ChangedFile, FileStatus, Finding, ReviewContext, Severity, Side
from selfreview.guard.paths import plain_path
from selfreview.model.change import path_from_bytes
from selfreview.model.wire import display_path
from selfreview.syntax.file_kinds import is_named_as_binary, is_named_as_text

_LFS_POINTER = b"version https://git-lfs"
_LFS_POINTERS = (_LFS_POINTER, b"version https://hawser.github.com/", b"version http://git-media.io/", b"# git-media")
_EXECUTABLE = "100755"
_LFS_DATA = re.compile(r"(?!package|composer|tsconfig|\.)[^/]*\.(?:json|xml|svg)", re.IGNORECASE)
"""Texts that often are large data."""
_COMMON_MAGIC = (
    b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"PK\x03\x04", b"\x1f\x8b",
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"\0asm", b"!<arch>\n", b"%PDF",
)  # fmt: skip
"""Magic numbers of the most common binary formats: where a shell might run the file, no others are accepted."""
_PROBE = 8000
"""Git looks at this many bytes for a NUL."""
_CI_FOLDER = re.compile(
    r"(?:^|/)\.(?:github|gitea|forgejo|gitlab|circleci|buildkite|woodpecker|husky|githooks)(?:/|$)", re.IGNORECASE
)


def unread_code(context: ReviewContext, *, lenient: bool) -> Iterator[Finding]:
    """Yield a finding for every file of the change that is run or used as settings and that no reviewer can read.

    Args:
        context: What is under review.
        lenient: Whether the author could merge the change anyway: a link is then only listed.
    """
    files = context.change.files
    yield from _unread_binaries([file for file in files if _may_hide(file)], context)
    yield from _pointers(files, context)
    for file in files:
        if _is_new_link(file) and (is_named_as_text(file.path) or _CI_FOLDER.search(file.path)):
            target = display_path(path_from_bytes(context.read(file) or b""))
            yield _finding(
                file,
                Severity.LOW if lenient else Severity.MEDIUM,
                f"A symbolic link to {target} stands for code or settings: under this name, nobody reviewed it.",
                "Put the file itself here, or have a person look at it.",
                "linked-code",
            )


def _may_hide(file: ChangedFile) -> bool:
    """Return whether a binary file may be text to the programs that use it."""
    there = file.binary and file.status is not FileStatus.DELETED and not (file.is_symlink or file.is_submodule)
    return there and (file.new_mode == _EXECUTABLE or not is_named_as_binary(file.path))


def _unread_binaries(files: Sequence[ChangedFile], context: ReviewContext) -> Iterator[Finding]:
    new = context.read_paths([file.path for file in files])
    old = context.read_paths([file.path_at_base for file in files if file.status is not FileStatus.ADDED], Side.OLD)
    for file in files:
        before = old.get(file.path_at_base) if file.status is not FileStatus.COPIED else None
        severity = _severity(file, new.get(file.path, b""), before)
        if severity is not None:
            yield _finding(
                file,
                severity,
                "Nobody reviewed this file: a NUL byte makes it binary, though it is text to whoever runs or reads it.",
                "Take out the NUL bytes, or save the file as UTF-8.",
                "unreadable",
            )


def _pointers(files: Sequence[ChangedFile], context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for each text or program whose content git-lfs brings when it is checked out."""
    for file in files:
        runs = file.new_mode == _EXECUTABLE
        if file.binary or file.is_symlink or file.is_submodule or not (runs or is_named_as_text(file.path)):
            continue
        if not _is_pointer(context.read(file)) or file.status is FileStatus.DELETED:
            continue
        was_so = file.path == file.path_at_base and _is_pointer(context.read(file, Side.OLD))
        listed = was_so or (not runs and _LFS_DATA.fullmatch(posixpath.basename(file.path)))
        yield _finding(
            file,
            Severity.LOW if listed else Severity.MEDIUM,
            "Nobody reviewed this file: it is a pointer of git-lfs, which puts another text in its place.",
            "Commit the text itself, or have a person look at it.",
            "unreadable",
        )


def _is_pointer(data: bytes | None) -> bool:
    return data is not None and data[:1024].lstrip().startswith(_LFS_POINTERS)


def _severity(file: ChangedFile, data: bytes, before: bytes | None) -> Severity | None:
    """Return how bad it is that a binary file is not read, or None where it is what it seems to be."""
    if is_named_as_binary(file.path):
        return Severity.MEDIUM if _is_script(file, data) else None
    was_text = before is not None and b"\0" not in before[:_PROBE] and not before.startswith(_LFS_POINTER)
    if was_text and before:
        return Severity.MEDIUM
    if is_named_as_text(file.path):
        was_so = before is not None and not was_text and is_named_as_text(file.path_at_base)
        return Severity.LOW if was_so else Severity.MEDIUM
    # A shell runs an executable file that the kernel does not know.
    runs = data.startswith(b"#!") or (file.new_mode == _EXECUTABLE and not data.startswith(_COMMON_MAGIC))
    return Severity.MEDIUM if runs else None


def _is_script(file: ChangedFile, data: bytes) -> bool:
    """Return whether a file with a binary's name is run as a script: a shell accepts a first line of text."""
    first = data[:_PROBE].partition(b"\n")[0]
    runs = (
        file.new_mode == _EXECUTABLE
        and b"\n" in data[:_PROBE]
        and first.isascii()
        and first.decode().strip().isprintable()
    )
    return data.startswith(b"#!") or (runs and not data.startswith(_COMMON_MAGIC))


def _is_new_link(file: ChangedFile) -> bool:
    if not file.is_symlink or file.status is FileStatus.DELETED:
        return False
    return file.old_mode != file.new_mode or file.path != file.path_at_base or file.old_oid != file.new_oid


def _finding(file: ChangedFile, severity: Severity, what: str, fix: str, rule: str) -> Finding:
    return Finding(
        file=file.path,
        line_start=0,
        severity=severity,
        category=Category.SECURITY,
        description=what,
        suggested_fix=fix,
        rule=rule,
        unreviewed=severity.at_least(Severity.MEDIUM),
    )


_NAME = ".gitattributes"
_MENTIONED = re.compile(r"[ \t\r][-!]?(working-tree-encoding|filter|ident|export-subst)(?:=([^ \t\r]*))?(?=[ \t\r]|$)")
_HARMLESS_FILTER = "lfs"
"""Filter of git-lfs, which leaves alone what is no pointer; a pointer in the place of code is reported."""
_SAME_TEXT = re.compile(
    r"utf-?8|utf-?(?:16|32)(?:[bl]e)?(?:-bom)?|us-ascii|ascii|iso-?8859-\d{1,2}|latin-?\d|(?:windows|cp)-?125\d",
    re.IGNORECASE,
)
"""Encodings in which a text stays the same text."""


def converted(context: ReviewContext, *, lenient: bool) -> Iterator[Finding]:
    """Yield a finding for every file of attributes that has git check out another text than it stores.

    Args:
        context: What is under review.
        lenient: Whether the author could merge the change anyway.
    """
    files = [file for file in context.change.files if _is_attributes(file)]
    new = context.read_paths([file.path for file in files])
    old = context.read_paths([file.path for file in files if file.status is not FileStatus.ADDED], Side.OLD)
    for file in files:
        before = _lines(old.get(file.path, b""))
        after = _lines(new.get(file.path, b""))
        changing = _changing(after)
        gone = any(_MENTIONED.search(line) for line in set(before) - set(after))
        if changing and (gone or not set(changing) <= set(_changing(before))):
            yield Finding(
                file=file.path,
                line_start=0,
                severity=Severity.MEDIUM if lenient else Severity.HIGH,
                category=Category.SECURITY,
                description="The change has git check out another text than was reviewed, by working-tree-encoding, "
                "filter, ident or export-subst.",
                suggested_fix="Store files as they are to be used.",
                rule="converted-text",
                unreviewed=True,
            )


def _is_attributes(file: ChangedFile) -> bool:
    name = plain_path(file.path).rpartition("/")[2].casefold()
    return name == _NAME and file.status is not FileStatus.DELETED


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\0", "")
    lines = (line.strip(" \t\r") for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def _changing(lines: Sequence[str]) -> list[str]:
    """Return the lines of attributes that make git change a text."""
    return [line for line in lines if any(map(_changes, _MENTIONED.finditer(line)))]


def _changes(match: re.Match[str]) -> bool:
    name, value = match[1], match[2]
    if match[0].lstrip()[0] in "-!":
        return False
    if name == "filter":
        return bool(value) and value != _HARMLESS_FILTER
    if name == "working-tree-encoding":
        return bool(value) and _SAME_TEXT.fullmatch(value) is None
    return value is None or value == "true"
