"""File format: line endings, byte order mark, mode."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from selfreview.git.entry import LINK
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pointing import is_pointed_at


def file_format(patch: Patch) -> Iterator[Rejection]:
    """Reject changed line endings, byte order marks or modes of a file, where no issue is about them."""
    for file in patch.files:
        if file.old is None or file.new is None or LINK in (file.old.mode, file.new.mode):
            continue
        what = next(_differences(file, patch), None)
        if what is not None:
            reason = f"Keep the file's {what} as it was; change only the lines that the fix needs."
            yield Rejection(file.path, "file-format", reason)


def _differences(file: File, patch: Patch) -> Iterator[str]:
    assert file.old is not None  # noqa: S101 - the caller has looked
    assert file.new is not None  # noqa: S101
    old, new = file.old.data, file.new.data
    last = len(file.old_lines)
    first_line = is_pointed_at(file, patch.bounds, 1, 1)
    if file.old.mode != file.new.mode and not first_line:
        yield "mode"
    if not file.old_text or not file.new_text:
        return
    if old.startswith(codecs.BOM_UTF8) != new.startswith(codecs.BOM_UTF8) and not first_line:
        yield "byte order mark"
    if _ends_changed(file) and not is_pointed_at(file, patch.bounds, 0, 0):
        yield "kind of line ends"
    ends = old.endswith(b"\n"), new.endswith(b"\n")
    if (
        ends[0] != ends[1]
        and _last_line(old) == _last_line(new)
        and not is_pointed_at(file, patch.bounds, last - 1, last)
    ):
        yield "end (with or without a final line break)"


def _ends_changed(file: File) -> bool:
    """Return whether an otherwise equal line has another line ending, or new lines have one that no line had."""
    old, new = file.old_text.split("\n")[:-1], file.new_text.split("\n")[:-1]
    kinds = {line.endswith("\r") for line in old}
    if kinds and not {line.endswith("\r") for line in new} <= kinds:
        return True
    if len(kinds) < 2:
        return False
    starts = [(hunk.old_start - 1, hunk.new_start - 1, len(hunk.old), len(hunk.new)) for hunk in file.hunks]
    there = here = 0
    for old_start, new_start, old_size, new_size in (*starts, (len(old), len(new), 0, 0)):
        if any(a.endswith("\r") != b.endswith("\r")
               for a, b in zip(old[there:old_start], new[here:new_start], strict=False)):  # fmt: skip
            return True
        there, here = old_start + old_size, new_start + new_size
    return False


def _last_line(data: bytes) -> bytes:
    return data.rstrip(b"\r\n").rpartition(b"\n")[2]
