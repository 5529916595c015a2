"""Make text from elsewhere safe to print: nothing in it can move the cursor, reorder a line or hide.

Paths, descriptions, tool messages and source lines all come from the change or from a tool, and none of them may
draw on a person's terminal or pretend to be the report.
"""

from __future__ import annotations

import functools
import re

from selfreview.text.masking import masking

_UNSAFE = (
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters, C0 and C1
    "\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"  # invisible, or changing what follows
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # fillers and selectors that print as nothing
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero width, line separators, bidirectional controls
    "\ud800-\udfff\ufe00-\ufe0d\ufff0-\ufffb\ufffe\uffff"  # surrogates, variation selectors, annotations
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags: text that no terminal shows
    "]"
)
LOG_COMMANDS = ("##[", "##vso[", "##teamcity[")
"""Prefixes of commands that CI services read anywhere in a line."""

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@functools.cache
def _unsafe() -> re.Pattern[str]:
    # Compiling takes a millisecond, and most reports are plain ASCII.
    return re.compile(_UNSAFE)


def _show(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"<U+{code:04X}>"


def visible(text: str) -> str:
    r"""Return text as one line in which every invisible or controlling character can be seen.

    Control characters and bytes that are not UTF-8 become ``\x1b``, all others ``<U+202E>``. Values that this program
    signs in with are hidden.
    """
    text = masking().hide(text)
    if text.isascii() and text.isprintable():
        return text
    return _unsafe().sub(_show, text)


def quiet(line: str) -> str:
    """Return a line in which CI services find no command: they read ``::name`` at its start, ``##[name]`` anywhere.

    Values that this program signs in with are hidden.

    Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands,
    https://learn.microsoft.com/en-us/azure/devops/pipelines/scripts/logging-commands and
    https://www.jetbrains.com/help/teamcity/service-messages.html
    """
    line = masking().hide(line)
    for command in LOG_COMMANDS:
        line = line.replace(command, f"# {command[1:]}")
    text = line.lstrip()
    return f"{line[: len(line) - len(text)]}:\\{text[1:]}" if text.startswith("::") else line


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return match[0] if code == 0x0A else f"\\u{code:04x}"


def json_safe(document: bytes) -> bytes:
    r"""Return an encoded JSON document in which the same characters stand as ``\u`` escapes; it decodes to the same.

    So do the commands of CI services: ``#`` stands within strings only. Values that this program signs in with are
    hidden.
    """
    document = masking().hide_in_json(document)
    for command in map(str.encode, LOG_COMMANDS):
        document = document.replace(command, b"\\u0023" + command[1:])  # see quiet
    if document.isascii() and b"\x7f" not in document:
        return document
    return _unsafe().sub(_json_escape, document.decode("utf-8")).encode("utf-8")


_ACTIVE = re.compile(r"@(?=\w)|!(?=\[)|\](?=\()|<(?=[A-Za-z/!?])|`(?=``)|~(?=~~)")


def readable(text: str) -> str:
    """Return a text whose lines stay lines, and in which every other character that controls or hides can be seen."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))


def inert(text: str) -> str:
    """Return readable text for those who may take it for Markdown: no mention, image, link, tag or block of code.

    It looks the same where it is taken for plain text.
    """
    return _ACTIVE.sub(lambda match: f"{match[0]}\u200b", readable(text))
