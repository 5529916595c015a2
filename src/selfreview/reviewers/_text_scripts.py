"""Names that mix letters of several scripts to look like another name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.reviewers._text_hit import Hit

_PAIRS = (
    "a\u0430 c\u0441 e\u0435 o\u043e p\u0440 x\u0445 y\u0443 i\u0456 s\u0455 j\u0458 h\u04bb d\u0501 q\u051b w\u051d "
    "A\u0410 B\u0412 C\u0421 E\u0415 H\u041d I\u0406 J\u0408 K\u041a M\u041c O\u041e P\u0420 S\u0405 T\u0422 X\u0425 "
    "Y\u0423 "
    "A\u0391 B\u0392 E\u0395 Z\u0396 H\u0397 I\u0399 K\u039a M\u039c N\u039d O\u039f P\u03a1 T\u03a4 Y\u03a5 X\u03a7 "
    "o\u03bf "
)
LOOKALIKES = {pair[1]: pair[0] for pair in _PAIRS.split()}
"""Cyrillic and Greek letters drawn like a Latin one. The small letters of formulas (alpha, nu, rho) are not."""

_NAME = re.compile(r"[^\W\d]\w*")
_LATIN = re.compile(r"[A-Za-z]")


def mixed_names(lines: Sequence[str]) -> Iterator[Hit]:
    """Yield names made of Latin letters and others that all look Latin; one hit a line."""
    for number, line in enumerate(lines, 1):
        if line.isascii():
            continue
        for match in _NAME.finditer(line):
            name = match[0]
            if name.isascii() or not _LATIN.search(name):
                continue
            foreign = [char for char in name if not char.isascii()]
            if all(char in LOOKALIKES for char in foreign):
                plain = "".join(LOOKALIKES.get(char, char) for char in name)
                script = "Greek" if "\u0370" <= foreign[0] <= "\u03ff" else "Cyrillic"
                what = f"The name {name} looks like {plain} but holds {script} letters (U+{ord(foreign[0]):04X})"
                yield Hit("mixed-script-name", number, match.start() + 1, what)
                break
