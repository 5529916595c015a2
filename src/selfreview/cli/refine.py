"""``selfreview refine``; see :mod:`selfreview.cli.again`."""

from __future__ import annotations

from selfreview.cli.again import refine as command

__all__ = ["command"]
