"""Bytes that are no text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from selfreview.git.entry import LINK, Entry
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def binary(patch: Patch) -> Iterator[Rejection]:
    """Reject NUL bytes: in a file that was text, in a new one, and in a binary one that was edited."""
    for file in patch.files:
        if file.new is None or file.new.mode == LINK or b"\0" not in file.new.data:
            continue
        same = file.old is not None and file.old.data == file.new.data
        wide = file.old is not None and file.old.data.startswith(_WIDE) and file.new.data.startswith(_WIDE)
        if not same and not wide:
            yield Rejection(file.path, "binary", "Write text only; leave binary files as they are.")


def encoding(patch: Patch) -> Iterator[Rejection]:
    """Reject bytes that are not UTF-8 in a file that was, or in a new one."""
    for file in patch.files:
        if file.new is None or file.new.mode == LINK or b"\0" in file.new.data or _is_utf8(file.new):
            continue
        if file.old is None or _is_utf8(file.old):
            yield Rejection(file.path, "encoding", "Write the file as valid UTF-8, as it was before.")


def _is_utf8(entry: Entry) -> bool:
    try:
        entry.data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
