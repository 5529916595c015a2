"""The hidden mark by which a comment of ours is known again on a forge, whatever else is lost.

It is the comment's first line, so that a quotation of the comment does not carry it.
"""

from __future__ import annotations

import re

_MARK = r"[\w:=./@-]+"
_FIRST_LINE = re.compile(rf"\s*<!-- selfreview:({_MARK}) -->", re.ASCII)


def hidden(mark: str) -> str:
    """Return the line that carries a mark.

    Raises:
        ValueError: If the mark holds anything else than ASCII word characters, ``:``, ``=``, ``.``, ``/``, ``@`` and
            ``-``.
    """
    if not re.fullmatch(_MARK, mark, re.ASCII):
        raise ValueError(f"no mark can be {mark!r}")
    return f"<!-- selfreview:{mark} -->"


def mark_of(body: str) -> str | None:
    """Return the mark that a comment carries, or None."""
    match = _FIRST_LINE.match(body)
    return match[1] if match else None
