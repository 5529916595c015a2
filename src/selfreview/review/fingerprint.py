"""Fingerprints of issues, which stay when lines move, files are renamed, or meaningless white space changes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from selfreview.model.issue import GATE, Category
from selfreview.review.spacing import squeezed

_AROUND = 1
VERSION = "v1"


def fingerprint(
    *, reviewer: str, rule: str | None, category: Category, evidence: str | None, path: str,
    lines: Sequence[str], line_start: int, line_end: int, side: str, occurrence: int = 0,
) -> str:  # fmt: skip
    """Return an issue's fingerprint, ``v1:`` and 32 hex digits.

    Args:
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
    what = rule if rule is not None else f"{category}:{squeezed(evidence or '')}"
    if evidence is not None and (reviewer == GATE or (rule is not None and line_start <= 0)):
        what = f"{what}:{squeezed(evidence)}"
    code = ""
    if line_start > 0:
        first, last = max(line_start - 1 - _AROUND, 0), min(line_end + _AROUND, len(lines))
        code = "\n".join(filter(None, (squeezed(line) for line in lines[first:last])))
    parts = [reviewer, what, path, side, code, str(occurrence)]
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{VERSION}:{digest[:32]}"
