"""Encoding: binary content, and text whose meaning is hidden by its encoding."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from selfreview.git.entry import LINK, Entry
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?")
_UTF8 = frozenset({"utf8", "u8", "utf", "ascii", "us-ascii"})
"""Other names of UTF-8 and of its beginning; so are all that begin with ``utf-8-``."""
_DECEIVING = {
    "java": (re.compile(r"\\u+00(?:0[aAdD]|2[2aAfF]|5[cC])"), "the Unicode escape of a quote, slash or line end"),
    "c": (re.compile(r"//[^\n]*(?:\\|\?\?/)[ \t]*$", re.MULTILINE), "the end of the comment that continues it"),
    "cpp": (re.compile(r"//[^\n]*(?:\\|\?\?/)[ \t]*$", re.MULTILINE), "the end of the comment that continues it"),
}
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


def hidden_code(patch: Patch) -> Iterator[Rejection]:
    """Reject what makes a text mean something else than it shows.

    That is a new declaration of an encoding other than UTF-8, by which a comment can be code, an escape that ends a
    comment or a string of Java, and a comment of C that goes on in the next line.
    """
    for file in patch.files:
        if file.new is None or file.new.mode == LINK:
            continue
        declared = _declared(file.new)
        if declared not in (None, "utf-8", _declared(file.old)):
            reason = f"Write the file in UTF-8, and do not declare the encoding {declared}."
            yield Rejection(file.path, "encoding", reason)
            continue
        for language, (pattern, what) in _DECEIVING.items():
            if file.language == language and len(pattern.findall(file.new_text)) > len(pattern.findall(file.old_text)):
                yield Rejection(file.path, "hidden-code", f"Take out {what}: it does not mean what it looks like.")


def _declared(entry: Entry | None) -> str | None:
    """Return the encoding that the first two lines of a text declare, as Python and Ruby read them."""
    data = entry.data if entry is not None and entry.mode != LINK else b""
    for line in re.split(rb"\r\n|\r|\n", data.removeprefix(codecs.BOM_UTF8), maxsplit=2)[:2]:
        match = _CODING.match(line)
        if match is not None:
            name = match[1].decode("ascii").lower().replace("_", "-")
            return "utf-8" if name in _UTF8 or name.startswith("utf-8-") else name
        if not _BLANK.fullmatch(line):
            return None
    return None


def _is_utf8(entry: Entry) -> bool:
    try:
        entry.data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
