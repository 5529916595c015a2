"""Special files: neither regular file, link nor folder."""

from __future__ import annotations

from collections.abc import Iterable

from selfreview.loop.guard.model import Rejection


def special_files(paths: Iterable[str]) -> list[Rejection]:
    """Reject a FIFO, a socket or a device: no patch can hold one, and whoever opens one may wait for ever.

    Args:
        paths: Where they were; nothing is there any more, so that the tree can be read.
    """
    reason = "Leave no FIFO, socket or device behind, and put none in place of a file."
    return [Rejection(path, "special-file", reason) for path in paths]
