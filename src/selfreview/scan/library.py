"""The embedded secret scanner, reached through its Python binding.

The library cannot be interrupted and takes time in proportion to the length of a line for every secret on it, so it
is only ever given windows of bounded size; :mod:`selfreview.scan.secrets` makes them.
"""

from __future__ import annotations

import itertools
import os
import re
from typing import NamedTuple

from selfreview.errors import ToolError

_HINT = "reinstall selfreview, or run without the secrets reviewer (-p no:secrets)"
_MARKERS = ("gitleaks:allow", "betterleaks:allow")
_LONGEST_RUN = 300
"""Characters of base64 in one piece: the library weighs a value in time that grows with the square of its length."""
_BREAK = "_"
"""Ends a base64 value without being the end of a word."""
_REST = re.compile(r"[A-Za-z0-9+/=]*")
_LONG_RUN = re.compile(rf"(?<![A-Za-z0-9+/.])[A-Za-z0-9+/]{{{_LONGEST_RUN},}}")  # after a dot: part of a web token


class RawMatch(NamedTuple):
    """One hit of the library, as offsets in code points of the text that it was given."""

    rule: str
    title: str
    confidence: str
    start: int
    end: int


def has_library() -> bool:
    """Return whether the library is installed; it has no wheels for some platforms.

    Raises:
        ToolError: If it is installed and cannot be imported.
    """
    try:
        import betterleaks  # noqa: F401 - one that is broken must not pass for one that is not there
    except ModuleNotFoundError as error:
        if error.name == "betterleaks":
            return False
        raise ToolError(f"the secret scanner cannot be imported: {error}", hint=_HINT) from error
    except (ImportError, OSError) as error:
        raise ToolError(f"the secret scanner cannot be imported: {error}", hint=_HINT) from error
    return True


def library_stamp() -> str:
    """Return what identifies the library: versions, and the file's path, size and modification time.

    Raises:
        ToolError: If it is installed and cannot be imported.
    """
    from pathlib import Path

    if not has_library():
        return "none"
    import betterleaks

    parts = [betterleaks.__version__, betterleaks.__upstream_version__, os.environ.get("BETTERLEAKS_LIB_PATH", "")]
    folder = Path(betterleaks.__file__).parent
    for path in sorted([*folder.glob("*.so"), *folder.glob("*.dylib"), *folder.glob("*.dll")]):
        status = path.stat()
        parts.append(f"{path}:{status.st_size}:{status.st_mtime_ns}")
    return "\n".join(parts)


def scan_window(text: str) -> list[RawMatch]:
    """Scan one window of text.

    Args:
        text: Any text without lone surrogates; offsets of the answer count in it.

    Raises:
        ToolError: If the library cannot be loaded, or fails.
        ImportError: If it is not there; see :func:`has_library`.
    """
    import betterleaks

    shown = _neutral(text)
    try:
        found = betterleaks.scan_string(shown)
    except (betterleaks.BetterleaksError, OSError) as error:
        # Never the library's own words, not even as the cause: they could quote the text.
        raise ToolError(f"the secret scanner failed ({type(error).__name__})", hint=_HINT) from None
    if not found:
        return []
    starts = line_starts(text)
    matches = []
    for item in found:
        place = item.location
        start = _offset(text, starts, place.start_line, place.start_column - 1)
        end = max(start, _offset(text, starts, place.end_line, place.end_column))
        # The place is the whole match's; the value is at its end: after a name that may be the same word.
        value = shown.rfind(item.match.value, max(0, start - 1), end + 1) if item.match.value else -1
        if value >= 0:
            start, end = value, value + len(item.match.value)
        if shown[end : end + 1] == _BREAK != text[end : end + 1]:
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
        matches.append(RawMatch(item.rule_id, item.description, item.confidence, start, end))
    return matches


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line of a text starts; lines end at line feeds only."""
    return [0, *itertools.accumulate(len(line) + 1 for line in text.split("\n")[:-1])]


def _neutral(text: str) -> str:
    """Take away, at the same length, what would end the scan early or switch it off for a line."""
    text = _LONG_RUN.sub(_broken, text.replace("\0", " "))
    for marker in _MARKERS:
        text = text.replace(marker, marker.replace(":", "_"))
    return text


def _broken(run: re.Match[str]) -> str:
    """Put a character that is not of base64 at the end of every piece of a run."""
    pieces = [run[0][i : i + _LONGEST_RUN - 1] for i in range(0, len(run[0]), _LONGEST_RUN)]
    return _BREAK.join(pieces).ljust(len(run[0]), _BREAK)


def _offset(text: str, starts: list[int], line: int, column: int) -> int:
    """Turn a 1-based line and a 0-based byte column into an offset in code points."""
    if line < 1 or line > len(starts):
        return len(text)
    first = starts[line - 1]
    last = starts[line] - 1 if line < len(starts) else len(text)
    content = text[first:last]
    if content.isascii():
        return first + min(max(column, 0), len(content))
    return first + len(content.encode("utf-8", "replace")[: max(column, 0)].decode("utf-8", "ignore"))
