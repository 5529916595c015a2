"""``tally``: how many issues there are, for a badge."""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Result, ReviewContext


class Tally:
    """Writes one line."""

    name = "tally"

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the status, and how many issues are open."""
        verdict = result.verdict.value if result.verdict is not None else "none"
        out.write(f"{result.status.value} {verdict} {len(result.open_issues)}\n".encode())
