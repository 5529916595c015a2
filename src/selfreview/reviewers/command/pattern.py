"""Lines of output that a regular expression matches."""

from __future__ import annotations

import re

from selfreview.errors import ToolError
from selfreview.reviewers.tools.results import Reported, Span, Spot, ToolReport

GROUPS = ("file", "line", "end_line", "column", "severity", "code", "rule", "message")
"""Named groups that mean something; ``file`` is required, ``code`` and ``rule`` are the same."""

_MAX_DIGITS = 9


def parse(data: bytes, tool: str, pattern: re.Pattern[str]) -> ToolReport:
    """Read every line that the pattern matches somewhere; other lines are passed over.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.
        pattern: With named groups of :data:`GROUPS`.

    Raises:
        ToolError: If a number that was matched is none.
    """
    matches = (pattern.search(line.rstrip("\r")) for line in data.decode("utf-8", "surrogateescape").split("\n"))
    return ToolReport(results=[_result(match, tool) for match in matches if match])


def _result(match: re.Match[str], tool: str) -> Reported:
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    line = _number(groups, "line", tool)
    span = Span(
        line=line, column=_number(groups, "column", tool), end_line=max(_number(groups, "end_line", tool), line)
    )
    return Reported(
        message=groups.get("message", match.string).strip() or match.string.strip() or "no message",
        spot=Spot(groups.get("file"), span),
        level=groups.get("severity"),
        rule=groups.get("code") or groups.get("rule"),
    )


def _number(groups: dict[str, str], name: str, tool: str) -> int:
    text = groups.get(name, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ToolError(f"the pattern of {tool} takes {text[:40]!r} for a {name} number")
    return int(text)
