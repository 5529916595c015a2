"""A patch as a terminal shows it: coloured, with everything invisible made visible."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.reporters._excerpt import shown
from selfreview.reporters._paint import Paint

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def patch_lines(text: str, paint: Paint) -> Iterator[str]:
    """Yield the lines of a unified diff of git, without their line feeds."""
    in_head = True
    for line in text.removesuffix("\n").split("\n"):
        # A removed line of SQL or Lua that is a comment begins as the name of a file does: "--- ".
        in_head = line.startswith("diff ") or (in_head and not line.startswith("@@"))
        style = "bold" if in_head and line.startswith(("diff ", "+++", "---")) else _STYLES.get(line[:1])
        yield paint(shown(line), style) if style else shown(line)
