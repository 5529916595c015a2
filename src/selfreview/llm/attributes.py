"""Where the attributes that changed lines use are set, in the same file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.llm.view import FileView

_MOST = 6
_USED = re.compile(r"\b(?:self|this|cls|Self)(?:\.|->|::)(\w+)|(?<![\w@])@(\w+)")
_SET = re.compile(r"^\s*(?:(?:self|this|cls)(?:\.|->)|@)(\w+)\s*(?::[^=]{1,80})?(?:\|\|)?=(?![=~>])")


class Setting(NamedTuple):
    """A line that sets an attribute.

    Attributes:
        line: 1-based.
        name: The attribute.
        text: The line.
    """

    line: int
    name: str
    text: str


def settings_of(view: FileView, text: SourceText) -> Iterator[Setting]:
    """Yield lines that set an attribute which a changed line uses, where they are not shown anyhow; the first of each
    attribute before any second, and a few in all.

    Args:
        view: What is shown of the file.
        text: All of its new side.
    """
    lines = [line for piece in view.pieces for line in piece.lines]
    used = {name for line in lines if line.mark != " " for pair in _USED.findall(line.text) for name in pair if name}
    if not used:
        return
    shown = {line.number for line in lines if line.number is not None}
    found = [
        Setting(number, match[1], line)
        for number, line in enumerate(text.lines, 1)
        if number not in shown and (match := _SET.match(line)) and match[1] in used
    ]
    turn: dict[str, int] = {}
    ranked = []
    for setting in found:
        turn[setting.name] = turn.get(setting.name, 0) + 1
        ranked.append((turn[setting.name], setting))
    yield from (setting for _, setting in sorted(ranked)[:_MOST])
