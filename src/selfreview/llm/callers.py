"""Callers of changed definitions, in whole statements, the program's own code before its tests."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import ReviewContext, SourceText, WordHit
from selfreview.llm.lookup import Lookup
from selfreview.llm.reference import Reference, excerpt
from selfreview.llm.statements import around
from selfreview.syntax.testfiles import is_test

_AROUND = 2
_TYPE = re.compile(r"\s*(?:[a-z]+\s+)*(?:class|struct|interface|object|impl)\b")


class Used(NamedTuple):
    """A name whose uses are of interest.

    Attributes:
        name: The name.
        why: What is said of each use.
        own: The changed file.
        shown: The lines of that file that are shown anyhow.
        most: Most places to show.
        heirs: Whether types that inherit from it are uses of it.
    """

    name: str
    why: str
    own: str
    shown: frozenset[int]
    most: int = 4
    heirs: bool = True


class Callers:
    """Lookup of uses; reads the files that hold them all at once.

    Args:
        wanted: All that will be asked for.
        lookup: Where the names are.
        context: Where to read.
    """

    def __init__(self, wanted: Iterable[Used], lookup: Lookup, context: ReviewContext) -> None:
        self._chosen = {used: _chosen(used, lookup) for used in wanted}
        paths = sorted({use.path for uses in self._chosen.values() for use in uses})
        self._texts = {path: SourceText.from_bytes(data) for path, data in context.read_paths(paths).items()}

    def of(self, used: Used) -> Iterator[Reference]:
        """Yield the places that use a name."""
        for use in self._chosen[used]:
            if use.path in self._texts:
                lines = self._texts[use.path].lines
                first, last = around(lines, use.line, _AROUND)
                yield excerpt(use.path, lines, range(first, last + 1), used.why)


def _chosen(used: Used, lookup: Lookup) -> Sequence[WordHit]:
    uses = [use for use in lookup.uses(used.name, used.own) if use.path != used.own or use.line not in used.shown]
    if not used.heirs:
        word = re.compile(rf"(?<![\"'`\w]){re.escape(used.name)}(?![\"'`\w])")
        uses = [use for use in uses if word.search(use.text) and not _TYPE.match(use.text)]
    uses.sort(key=lambda use: (use.path != used.own, use.path, use.line))
    program = [use for use in uses if not is_test(use.path)]
    tests = [use for use in uses if is_test(use.path)]
    return [*_one_a_file(program), *_one_a_file(tests)][: used.most]


def _one_a_file(uses: Iterable[WordHit]) -> Iterator[WordHit]:
    """Prefer many files to many places of one."""
    firsts: dict[str, WordHit] = {}
    others = [use for use in uses if firsts.setdefault(use.path, use) is not use]
    return itertools.chain(firsts.values(), others)
