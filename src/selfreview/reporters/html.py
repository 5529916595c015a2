"""``html``: a page of its own, with filters, the code and the refinements; it needs no network and no server."""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import PatchSource
from selfreview.api.reporter import Reporter as ReporterProtocol


class Reporter:
    """The ``html`` format.

    Args:
        patches: Gives the patches of refinements; None shows none.
    """

    name = "html"

    def __init__(self, patches: PatchSource | None = None) -> None:
        self._patches = patches

    def with_patches(self, patches: PatchSource) -> Reporter:
        """Return the format with the patches of refinements; see :class:`selfreview.api.reporter.PatchReporter`."""
        return Reporter(patches)

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write the page; see :class:`selfreview.api.Reporter`."""
        from selfreview.reporters._html_page import write  # loaded, and jinja2 with it, by who asks for this format

        write(result, out, context, self._patches)


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``html`` format."""
    registry.add(Reporter())
