"""``json``: the whole result as one JSON document, always indented by two spaces, on a terminal and in a file alike."""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.model import wire


class Reporter:
    """The ``json`` format."""

    name = "json"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,  # noqa: ARG002
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write one document and a line feed; see :class:`selfreview.api.Reporter`."""
        out.write(wire.document(result))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``json`` format."""
    registry.add(Reporter())
