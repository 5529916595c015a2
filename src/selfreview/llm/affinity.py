"""Order of changed files by relation: files that use one another, a test and its source, files of one folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfreview.llm.reference import Reference

_RECENT = 4
"""Number of preceding files that a file is compared with."""
_TEST = re.compile(r"^test_|_(test|tests|spec)$|[.-](test|spec)$|(Test|Tests|Spec)$")


def together(paths: Iterable[str], references: Mapping[str, Sequence[Reference]]) -> list[str]:
    """Order paths so that related files are adjacent; the same for any order given."""
    left = sorted(paths)
    linked = {path: {reference.path for reference in references.get(path, ())} for path in left}
    subjects = {path: _subject(path) for path in left}
    folders = {path: path.rpartition("/")[0] for path in left}

    def closeness(path: str, recent: Sequence[str]) -> int:
        best = 0
        for other in recent:
            if other in linked[path] or path in linked[other] or subjects[path] == subjects[other]:
                return 2
            best = max(best, int(folders[path] == folders[other]))
        return best

    ordered: list[str] = []
    while left:
        recent = ordered[-_RECENT:]
        ordered.append(max(left, key=lambda path: closeness(path, recent)))  # the first of equals
        left.remove(ordered[-1])
    return ordered


def _subject(path: str) -> str:
    """Return ``app`` for ``src/app.py``, ``tests/test_app.py`` and ``AppTest.java``."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return _TEST.sub("", stem).lstrip("_").lower() or path
