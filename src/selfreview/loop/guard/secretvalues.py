"""Secrets that a fix writes."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.scan.grade import Confidence

_LONGEST = 1_000_000


def secret(patch: Patch) -> Iterator[Rejection]:
    """Reject new values that look like secrets and were in none of the edited files; in tests, only certain ones."""
    known: set[str] | None = None
    for file in patch.files:
        if not any(hunk.new for hunk in file.hunks) or len(file.new_text) > _LONGEST:
            continue
        values = _values(file, file.new_text)
        if not values:
            continue
        if known is None:
            known = {value for other in patch.files for value in _values(other, other.old_text)}
        for line, value in values.items():
            if line not in known and not any(line in other.old_text for other in patch.files):
                reason = f"Read the {value.lower()} from the environment; write no secret into a file."
                yield Rejection(file.path, "secret", reason)
                break


def _values(file: File, text: str) -> dict[str, str]:
    """Return the secrets of a text, each with what it is."""
    from selfreview.scan.secrets import scan

    least = Confidence.MEDIUM.rank if file.is_test else Confidence.LOW.rank
    found = scan(text, source=file.language is not None) if text else []
    return {match.value: match.title for match in found if match.confidence.rank >= least}
