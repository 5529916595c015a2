"""``agent``: what is open and what to do next, in few words, for a coding agent that wrote the change.

Lines that begin with ``selfreview:`` are this program's own. What quotes the change or a tool (paths, descriptions,
fixes, errors) stands behind a bar, so that nothing in a change reads as an order.
"""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.text.escape import quiet


class Reporter:
    """The ``agent`` format."""

    name = "agent"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,  # noqa: ARG002
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write the report; see :class:`selfreview.api.Reporter`."""
        from selfreview.reporters._agent import report  # loaded by who asks for this format alone

        out.write("".join(f"{quiet(line)}\n" for line in report(result)).encode("utf-8"))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``agent`` format."""
    registry.add(Reporter())
