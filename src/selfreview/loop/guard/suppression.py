"""Comments that tell a checker to look away."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.silencers import KINDS, counts

_BLANKET = 100
"""Weight of a mark that names no rule: naming one instead is less, dropping the names is more."""
_SEPARATOR = re.compile(r"[\w@/.-]+")


def suppression(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that silences more than before; marks on lines that came from another file do not count."""
    gone = sum((_lines(file.old_text) - _lines(file.new_text) for file in patch.files), collections.Counter[str]())
    for file in patch.files:
        kept = _without(file.new_text, (_lines(file.new_text) - _lines(file.old_text)) & gone)
        old, new = _weigh(file.old_text), _weigh(kept)
        more = sorted(name for name, weight in new.items() if weight > old[name] and counts(name, file.path, kept))
        if more:
            reason = f"Fix what is reported instead of silencing it: take out the new {more[0]}."
            yield Rejection(file.path, "suppression", reason)


def _weigh(text: str) -> dict[str, int]:
    weights: dict[str, int] = collections.Counter()
    for name, pattern in KINDS:
        for match in pattern.finditer(text):
            rules = match.groupdict().get("rules")
            weights[name] += len(_SEPARATOR.findall(rules)) if rules else _BLANKET
    return weights


def _lines(text: str) -> collections.Counter[str]:
    found = (line.strip() for line in text.split("\n"))
    return collections.Counter(line for line in found if any(pattern.search(line) for _, pattern in KINDS))


def _without(text: str, moved: collections.Counter[str]) -> str:
    if not moved:
        return text
    kept, left = [], moved.copy()
    for line in text.split("\n"):
        if left[line.strip()] > 0:
            left[line.strip()] -= 1
        else:
            kept.append(line)
    return "\n".join(kept)
