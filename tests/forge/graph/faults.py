"""Deliberate refusals of parts of answers."""

from __future__ import annotations

import dataclasses
import fnmatch

from tests.forge.graph.table import refusal


@dataclasses.dataclass
class GraphFault:
    """A part of answers that is refused: it is null, beside an error.

    Attributes:
        path: As in the answer, with aliases: ``repository.p7``; as a shell has it.
        kind: The error's type, such as ``FORBIDDEN``.
        times: How often it still is; None is always.
        hits: How often it was.
    """

    path: str
    kind: str
    message: str
    times: int | None
    hits: int = 0


class GraphFaults:
    """The parts of answers that are refused."""

    def __init__(self) -> None:
        self._all: list[GraphFault] = []

    def add(self, fault: GraphFault) -> GraphFault:
        """Add a refusal."""
        self._all.append(fault)
        return fault

    def clear(self) -> None:
        """Remove all refusals."""
        self._all.clear()

    def check(self, path: str) -> None:
        """Refuse a part of an answer if it is to be refused.

        Raises:
            GraphQLError: Then.
        """
        for fault in self._all:
            left = fault.times is None or fault.hits < fault.times
            if left and fnmatch.fnmatchcase(path, fault.path):
                fault.hits += 1
                raise refusal(fault.kind, fault.message)
