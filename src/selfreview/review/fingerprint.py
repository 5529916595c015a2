"""Names of issues: fingerprints, which stay when lines move, files are renamed, or meaningless white space changes.

An id is the beginning of a fingerprint, as long as it takes to tell the issues of one result apart.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.model.issue import GATE, Category

_AROUND = 1
MARK = "v1:"
ID = "sr-"
_DIGITS = 32
_SHORTEST = 8
_WHOLE = re.compile(rf"v\d+:[0-9a-f]{{{_DIGITS}}}")
_WHOLE_ID = re.compile(rf"{ID}[0-9a-f]{{{_SHORTEST},64}}")


def fingerprint_of(identity: str) -> str:
    """Return the fingerprint of what identifies an issue."""
    return MARK + hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def ids_of(fingerprints: Sequence[str]) -> list[str]:
    """Return the ids of issues shown together: of at least 8 digits, as short as they can be and differ."""
    digits = [digits_of(fingerprint) for fingerprint in fingerprints]
    lengths = range(_SHORTEST, _DIGITS)
    length = next((n for n in lengths if len({name[:n] for name in digits}) == len(digits)), _DIGITS)
    return [ID + name[:length] for name in digits]


def id_of(fingerprint: str) -> str:
    """Return the id of an issue that is shown with no other."""
    return ids_of([fingerprint])[0]


def digits_of(name: str) -> str:
    """Return the digits of an id or of a fingerprint, or of the beginning of one; nothing of another name."""
    return name.removeprefix(ID).removeprefix(MARK) if is_name(name) else ""


def is_name(text: str) -> bool:
    """Return whether a text is an id or a fingerprint, or the beginning of one, and not the name of a rule."""
    return text.startswith((ID, MARK))


def is_id(text: str) -> bool:
    """Return whether a text is a whole id."""
    return _WHOLE_ID.fullmatch(text) is not None


def is_fingerprint(text: str) -> bool:
    """Return whether a text is a whole fingerprint, of any version."""
    return _WHOLE.fullmatch(text) is not None


class Identity(NamedTuple):
    """Input of a fingerprint: the parts of an issue that identify it.

    Attributes:
        reviewer, rule: Who reports what; without a rule (a model) the category and the quoted line stand in. What
            a gate, or a rule, says of a file as a whole is of one state of it, where its evidence names that.
        category: See above.
        evidence: See above.
        path: The file's path at the base, so that a rename changes nothing.
        lines: The lines of the side that the issue is on.
        line_start, line_end: Where it stands, 0 for the file as a whole.
        side: ``"new"`` or ``"old"``.
        occurrence: Which of several that would otherwise be the same, from 0.
    """

    reviewer: str
    rule: str | None
    category: Category
    evidence: str | None
    path: str
    lines: Sequence[str]
    line_start: int
    line_end: int
    side: str
    occurrence: int = 0

    def fingerprint(self) -> str:
        """Return the fingerprint, ``v1:`` and 32 hex digits."""
        what = self.rule if self.rule is not None else f"{self.category}:{squeezed(self.evidence or '')}"
        if self.evidence is not None and (self.reviewer == GATE or (self.rule is not None and self.line_start <= 0)):
            what = f"{what}:{squeezed(self.evidence)}"
        code = ""
        if self.line_start > 0:
            first, last = max(self.line_start - 1 - _AROUND, 0), min(self.line_end + _AROUND, len(self.lines))
            code = "\n".join(filter(None, (squeezed(line) for line in self.lines[first:last])))
        parts = [self.reviewer, what, self.path, self.side, code, str(self.occurrence)]
        return fingerprint_of("\0".join(parts))


_PARTS = re.compile(r"""(?P<quote>["'`]) | \s*(?P<mark>[][(){},;=+<>!&|])\s* | \s+""", re.VERBOSE)
_REST = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*+{quote}") for quote in "\"'`"}
"""Rest of a string behind its opening quote, by that quote."""


@functools.lru_cache(maxsize=256)  # one long line may have thousands of issues
def squeezed(line: str) -> str:
    """Return a line without indentation, trailing space, and white space around brackets and operators.

    White space between words is one space, and that between quotes stays: there it is part of a value. So it stays
    beside slashes, dashes, dots and stars too, which are a path's or a pattern's more often than an operator. A quote
    that ends nowhere in the line, such as an apostrophe, begins no string.
    """
    line = line.strip()
    endless: dict[str, int] = {}
    found, at = [], 0
    while match := _PARTS.search(line, at):
        found.append(line[at : match.start()])
        at = match.end()
        quote = match["quote"]
        if quote is None:
            found.append(match["mark"] or " ")
            continue
        # One that has no end has none behind any of its kind that follows either, for each of these is escaped.
        found.append(quote)
        if at > endless.get(quote, 0):
            rest = _REST[quote].match(line, at)
            if rest is not None:
                found.append(rest.group())
                at = rest.end()
            else:
                end = line.find("\n", at)
                endless[quote] = end if end >= 0 else len(line)
    return "".join([*found, line[at:]])
