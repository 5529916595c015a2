"""Lines that plugins add above and below the terminal report."""

from __future__ import annotations

import sys
from collections.abc import Callable

from selfreview.api import ConfigView, Result
from selfreview.plugins.manager import PluginManager

Report = Callable[[str, str, BaseException], None]


class Lines:
    """A :class:`selfreview.api.TerminalWriter` on standard output."""

    def line(self, text: str = "") -> None:
        """Write one line, in which control characters are visible and CI services find no command."""
        from selfreview.text.escape import quiet, visible

        try:
            sys.stdout.buffer.write(quiet(visible(text)).encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            return  # the reader has what it wanted

    def section(self, title: str) -> None:
        """Write a heading."""
        self.line(f"--- {title} ---")


def show_header(manager: PluginManager, config: ConfigView, report: Report) -> None:
    """Write the lines that plugins return from ``selfreview_report_header``."""
    lines = Lines()
    for text in manager.call_observers("selfreview_report_header", report=report, config=config):
        lines.line(str(text))


def show_summary(manager: PluginManager, config: ConfigView, result: Result, report: Report) -> None:
    """Let plugins write below the report in ``selfreview_terminal_summary``."""
    manager.call_observers("selfreview_terminal_summary", report=report, terminal=Lines(), result=result, config=config)
