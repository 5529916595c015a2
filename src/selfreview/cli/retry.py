"""``selfreview retry``; see :mod:`selfreview.cli.again`."""

from __future__ import annotations

from selfreview.cli.again import retry as command

__all__ = ["command"]
