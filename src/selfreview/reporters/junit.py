"""``junit``: JUnit XML, for CI servers that show tests."""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol


class Reporter:
    """The ``junit`` format."""

    name = "junit"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,  # noqa: ARG002
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write one document; see :class:`selfreview.api.Reporter`."""
        from selfreview.reporters._junit import report  # loaded by who asks for this format alone

        out.write(report(result))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``junit`` format."""
    registry.add(Reporter())
