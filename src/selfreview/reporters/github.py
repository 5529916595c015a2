"""``github``: annotations for GitHub Actions, with the step's summary and outputs."""

from __future__ import annotations

import os
from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol


class Reporter:
    """The ``github`` format."""

    name = "github"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,  # noqa: ARG002
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write workflow commands, and to the files that GitHub names; see :class:`selfreview.api.Reporter`.

        Raises:
            OutputError: If one of these files cannot be written.
        """
        from selfreview.reporters import _github as github  # loaded by who asks for this format alone

        out.write("".join(f"{line}\n" for line in github.lines(result)).encode("utf-8"))
        github.write_files(result, os.environ)


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``github`` format."""
    registry.add(Reporter())
