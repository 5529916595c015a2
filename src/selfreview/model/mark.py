"""The hidden mark that identifies our own comment on a forge, whatever else is lost.

It is the comment's first line, so that a quotation of the comment does not carry it. What would end the line early, or
not be read back, is written as in an address (``%23`` for ``#``): ids of other forges may hold anything.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator

_MARK = re.compile(r"<!-- selfreview:([\w:=./@#%-]+) -->", re.ASCII)


def hidden(mark: str) -> str:
    """Return the line that carries a mark.

    Raises:
        ValueError: If the mark is empty.
    """
    if not mark:
        raise ValueError("no mark can be empty")
    plain = urllib.parse.quote(mark, safe=":=./@", errors="surrogatepass")
    return f"<!-- selfreview:{plain.replace('~', '%7E').replace('--', '-%2D')} -->"


def mark_of(body: str) -> str | None:
    """Return the mark that a comment carries, or None."""
    match = _MARK.match(body.lstrip())
    return _read(match[1]) if match else None


def marks_in(body: str) -> Iterator[str]:
    """Yield all marks in a text, wherever they stand."""
    for match in _MARK.finditer(body):
        yield _read(match[1])


def _read(written: str) -> str:
    try:
        return urllib.parse.unquote(written, errors="surrogatepass")
    except UnicodeDecodeError:  # we did not write that
        return written
