"""``markdown``: a report to paste or to post, such as in a pull request's comment."""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.text.escape import quiet


class Reporter:
    """The ``markdown`` format."""

    name = "markdown"

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
        from selfreview.reporters._markdown import report  # loaded by who asks for this format alone

        out.write("".join(f"{quiet(part)}\n" for line in report(result) for part in line.split("\n")).encode("utf-8"))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``markdown`` format."""
    registry.add(Reporter())
