"""Deliberate faults of the forge."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Mapping, Sequence

from tests.forge.recorded import ForgeRequest


@dataclasses.dataclass
class Fault:
    """A deliberate fault.

    Attributes:
        method: Of the requests that are concerned; ``*`` is any.
        pattern: Of their paths, as a shell has it; ``*`` also stands for ``/``.
        status: What they are answered with; None resets the connection.
        message: What the answer says.
        headers: What else it says.
        times: How often it still goes wrong; None is always.
        after_effect: Whether what was asked for is done, and only the answer is lost.
        delay_s: Seconds to wait first; with ``harmless`` that is all.
        harmless: Whether the request is answered as usual after that.
        errors: What the answer says of single values.
        hits: How often it went wrong.
    """

    method: str
    pattern: str
    status: int | None = 502
    message: str = ""
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    times: int | None = 1
    after_effect: bool = False
    delay_s: float = 0.0
    harmless: bool = False
    errors: Sequence[Mapping[str, str]] = ()
    hits: int = 0

    def fits(self, request: ForgeRequest) -> bool:
        """Return whether the fault applies to a request."""
        if self.times is not None and self.hits >= self.times:
            return False
        return self.method in {"*", request.method} and fnmatch.fnmatchcase(request.path, self.pattern)


class Faults:
    """The faults of a forge, in the order in which they were added."""

    def __init__(self) -> None:
        self._all: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        """Add a fault."""
        self._all.append(fault)
        return fault

    def take(self, request: ForgeRequest) -> Fault | None:
        """Return the fault of a request, and count it."""
        for fault in self._all:
            if fault.fits(request):
                fault.hits += 1
                return fault
        return None

    def clear(self) -> None:
        """Remove all faults."""
        self._all.clear()
