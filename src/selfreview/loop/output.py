"""The end of what a check prints, for people, models and the store."""

from __future__ import annotations

import re
from pathlib import Path

from selfreview.errors import ToolError
from selfreview.scan.redact import mask_secrets
from selfreview.text.escape import visible

LINES, CHARACTERS = 40, 4_000
"""Maximum of what is shown: lines, and characters."""
_GIST_LINES, _GIST = 2, 300
"""Maximum of what a sentence quotes of an output: lines, and characters."""
_SCANNED = 32 * 1024
"""Bytes of each stream that are searched for secrets: more than is shown, so that none is cut in two unrecognised."""
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def tail(stdout: bytes, stderr: bytes, root: Path) -> str:
    """Return the last lines of both streams, readable, without secrets and control characters.

    Where both say much, each gets half of the room.

    Args:
        stdout, stderr: What was printed.
        root: The workspace, whose paths are shown as relative ones.
    """
    try:
        first, second = _lines(stdout, root), _lines(stderr, root)
    except ToolError as error:
        return f"(its output is not shown, as it cannot be searched for secrets: {error.message})"
    room = max(LINES // 2, LINES - len(second))
    first = first[-room:]
    lines = [*first, *second[max(0, len(second) - (LINES - len(first))) :]]
    text = "\n".join(lines)
    return text if len(text) <= CHARACTERS else "…" + text[1 - CHARACTERS :]


def gist(text: str) -> str:
    """Return the end of an output, in one line: tools print their outcome last."""
    lines = [line.strip() for line in text.split("\n") if line.strip()][-_GIST_LINES:]
    line = " | ".join(lines)
    return line if len(line) <= _GIST else f"…{line[1 - _GIST :]}"


def spoken(text: str) -> str:
    """Return a fixer's text with every secret masked: it may quote files, and is kept and shown."""
    try:
        return mask_secrets(text) if text else text
    except ToolError as error:
        return f"(not shown, as it cannot be searched for secrets: {error.message})"


def _lines(output: bytes, root: Path) -> list[str]:
    text = output[-_SCANNED:].decode("utf-8", "replace")
    if len(output) > _SCANNED:
        text = text.partition("\n")[2] or text
    text = _COLOUR.sub("", text.replace("\r\n", "\n"))
    for folder in dict.fromkeys((str(root), str(root.resolve()))):
        text = text.replace(folder + "/", "").replace(folder + "\\", "")
    text = mask_secrets(text).rstrip()
    # A progress bar that was drawn over and over: what it said last.
    lines = [visible(line.rstrip("\r").rpartition("\r")[2].replace("\t", "    ")) for line in text.split("\n")]
    return lines if text else []
