"""Path files of Python: a line that starts with ``import`` runs whenever Python starts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.api import SourceText
from selfreview.reviewers._text_hit import Hit

_IMPORT = re.compile(r"import[ \t]")


def startup_code(source: SourceText, path: str) -> Iterator[Hit]:
    """Yield the lines of a path file that run."""
    if path.lower().endswith(".pth"):
        for number, line in enumerate(source.lines, 1):
            # Python ends lines at a lone carriage return, too, and from 3.13 on wherever str.splitlines does.
            if any(map(_IMPORT.match, line.splitlines())):
                yield Hit("startup-code", number, 1, "A line that starts with “import” in a .pth file")
