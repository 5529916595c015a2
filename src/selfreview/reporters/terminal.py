"""``terminal``: the report that a developer reads."""

from __future__ import annotations

from collections.abc import Collection
from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.text.escape import quiet


class Reporter:
    """The ``terminal`` format.

    Args:
        told: Ids of the issues that the same terminal shows already, before the question about the patch; None: it
            was not asked.
    """

    name = "terminal"

    def __init__(self, told: Collection[str] | None = None) -> None:
        self._told = told

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the report; see :class:`selfreview.api.Reporter`."""
        from selfreview.reporters._report import report  # nothing else pays for its nine modules

        lines = report(result, context, color=color, width=width, told=self._told)
        out.write("".join(f"{quiet(line)}\n" for line in lines).encode("utf-8"))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``terminal`` format."""
    registry.add(Reporter())
