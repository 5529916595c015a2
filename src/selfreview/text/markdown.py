"""Text as Markdown shows it: nothing in it can be markup, a mention or a reference."""

from __future__ import annotations

import html
import re

from selfreview.text.escape import visible

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$^=:>])")
_REFERENCE = re.compile(r"([@#])(?=\w)")


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, no HTML, no mention of a person or an issue."""
    safe = _MARKUP.sub(r"\\\1", visible(text))
    return _REFERENCE.sub("\\1\u200b", html.escape(safe, quote=False).replace("\\#", "#"))


def code(text: str) -> str:
    """Return text as a code span, whatever backticks it holds."""
    safe = visible(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", safe)), default=0) + 1)
    pad = " " if safe.startswith("`") or safe.endswith("`") or not safe else ""
    return f"{fence}{pad}{safe}{pad}{fence}"
