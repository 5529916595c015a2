"""``sarif``: SARIF 2.1.0, for code scanning and for viewers."""

from __future__ import annotations

import os
from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol


class Reporter:
    """The ``sarif`` format."""

    name = "sarif"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write one log with one run; see :class:`selfreview.api.Reporter`."""
        from selfreview.reporters._sarif import log  # loaded by who asks for this format alone

        fails = context is not None and context.config["on_incomplete"] == "fail"
        out.write(log(result, os.environ, incomplete_fails=fails))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``sarif`` format."""
    registry.add(Reporter())
