"""New suppression comments, which tell a checker to look away."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator, Sequence

from selfreview.loop.guard.livelines import live
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.silenced import silenced
from selfreview.loop.guard.silencers import KINDS, counts

_BLANKET = 100
"""Weight of a suppression comment that names no rule: naming one instead is less, dropping the names is more."""
_MAKES_NAMES = re.compile(
    r"\b(?:globals|vars)\(\)|(?:(?<![\w.])(?<!def )|\bbuiltins\.)exec\(|\bsetattr\(\s*sys\.modules"
)
"""Code that defines names dynamically, so that none can be proved undefined."""
_SEPARATOR = re.compile(r"[\w@/.-]+")


def suppression(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that silences more than before, or other code; comments moved from another file do not count."""
    lines = {file.path: (_lines(file.old_text), _lines(file.new_text)) for file in patch.files}
    gone = sum((old - new for old, new in lines.values()), collections.Counter[str]())
    shifted = _shifted([file for file in patch.files if any(lines[file.path])])
    for file in patch.files:
        before, after = lines[file.path]
        kept = _without(file.new_text, (after - before) & gone)
        old, new = _weigh(file.old_text), _weigh(kept)
        more = sorted(name for name, weight in new.items() if weight > old[name] and counts(name, file.path, kept))
        if more:
            reason = f"Fix what is reported instead of silencing it: take out the new {more[0]}."
            yield Rejection(file.path, "suppression", reason)
        elif file.path in shifted:
            reason = f"Leave each {shifted[file.path]}, and where it ends, with its code, and fix what is reported."
            yield Rejection(file.path, "suppression", reason)
        elif file.language == "python" and _makes_names(file.new_lines) > _makes_names(file.old_lines):
            reason = "Do without globals(), vars() or exec(): no name can be told to be undefined where they are."
            yield Rejection(file.path, "suppression", reason)


def _makes_names(lines: Sequence[str]) -> int:
    """Return how many lines of code make names that no definition shows."""
    return sum(_MAKES_NAMES.search(line) is not None for line in live("python", lines))


def _shifted(files: Sequence[File]) -> dict[str, str]:
    """Return the kind of a suppression comment that now is about other code, by path.

    What stood beside code that stays is not free for other code; what stood beside code that is gone is, for the code
    may have become another, and so is what came with its code from another file.
    """
    sides = {
        file.path: (silenced(file.old_path, file.old_lines), silenced(file.path, file.new_lines)) for file in files
    }
    gone = {path: new.gone_since(old) for path, (old, new) in sides.items()}
    everywhere = sum(gone.values(), collections.Counter[tuple[str, str]]())
    found = {}
    for path, (old, new) in sides.items():
        come = new.beside - old.beside - everywhere
        free = collections.Counter(kind for kind, _ in gone[path].elements())
        more = collections.Counter(kind for kind, _ in come.elements()) - free
        kinds = [*new.more_than(old), *more]
        if kinds:
            found[path] = kinds[0]
    return found


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
