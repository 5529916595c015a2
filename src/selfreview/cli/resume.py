"""``selfreview resume``; see :mod:`selfreview.cli.again`."""

from __future__ import annotations

from selfreview.cli.again import resume as command

__all__ = ["command"]
