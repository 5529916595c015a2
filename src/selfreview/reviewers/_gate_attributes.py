"""Attributes of git by which a checkout has another text than the one that was reviewed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.api import Category, ChangedFile, FileStatus, Finding, ReviewContext, Severity, Side
from selfreview.loop.guard.gitfolder import plain_path

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
        told = _changing(after)
        gone = any(_MENTIONED.search(line) for line in set(before) - set(after))
        if told and (gone or not set(told) <= set(_changing(before))):
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
