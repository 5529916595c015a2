"""``concise``: ``file:line:col: severity: text [reviewer/rule]``, one line an open issue, for editors and scripts.

What else has to be said begins with ``selfreview:`` and matches no editor's pattern for a place: an error, what was
not reviewed, what was and how deeply, what else keeps it from passing, issues that do not count. Notes, and what a
refinement did, are in the other formats.
"""

from __future__ import annotations

from typing import BinaryIO

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.text.escape import quiet


class Reporter:
    """The ``concise`` format."""

    name = "concise"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,  # noqa: ARG002
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write one line an issue; see :class:`selfreview.api.Reporter`."""
        from selfreview.reporters._concise import report  # loaded by who asks for this format alone

        out.write("".join(f"{quiet(line)}\n" for line in report(result)).encode("utf-8"))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``concise`` format."""
    registry.add(Reporter())
