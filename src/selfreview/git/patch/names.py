"""The names of a file in the headers of a unified diff."""

from __future__ import annotations

import re

from selfreview.errors import PatchError

_TIMESTAMP = re.compile(rb"\t[^\t]*$")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPES = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_PAIRS = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"w/"), (b"c/", b"i/"), (b"o/", b"w/"), (b"1/", b"2/"))
_PREFIXES = (*_PAIRS, *((right, left) for left, right in _PAIRS))
"""Pairs that git writes before names: the default and those of ``diff.mnemonicPrefix``; reversed by ``git diff -R``."""


def names_of_header(header: bytes) -> tuple[bytes | None, bytes | None]:
    """Return both names of ``diff --git``, for a file of which nothing else tells the name."""
    if header.startswith(b'"'):
        end = _quoted(header)
        old, new = unquote(end[0]), unquote(header[end.end() + 1 :])
    else:  # both names are the same then: cut it in the middle
        middle = len(header) // 2
        old, new = header[:middle], header[middle + 1 :]
    return strip_prefix(old, new)


def names_of_lines(old: bytes, new: bytes) -> tuple[bytes | None, bytes | None]:
    """Return both names of the ``---`` and ``+++`` lines; None for ``/dev/null``."""
    return strip_prefix(_name(old), _name(new))


def _name(text: bytes) -> bytes | None:
    if text.startswith(b'"'):
        return unquote(_quoted(text)[0])
    name = _TIMESTAMP.sub(b"", text)
    return None if name == b"/dev/null" else name


def _quoted(text: bytes) -> re.Match[bytes]:
    match = _QUOTED.match(text)
    if match is None:
        raise PatchError(f"a quoted name does not end: {text[:60].decode('utf-8', 'replace')!a}")
    return match


def strip_prefix(old: bytes | None, new: bytes | None) -> tuple[bytes | None, bytes | None]:
    """Take a pair of prefixes off, only where both names carry their half."""
    for left, right in _PREFIXES:
        fits = (old is None or old.startswith(left)) and (new is None or new.startswith(right))
        if fits and (old or new):
            return (old[len(left) :] if old else old), (new[len(right) :] if new else new)
    if old is not None and new is not None and old != new and old.removesuffix(b".orig") == new:
        old = new
    return old, new


def unquote(name: bytes) -> bytes:
    """Undo git's quoting of odd names."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([_ESCAPES[code[0]] if len(code) == 1 else int(code, 8) & 0xFF])

    return _ESCAPE.sub(plain, name[1:-1])
