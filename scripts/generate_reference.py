"""Fill in the parts of ``docs/reference`` that are made from the code.

python -m scripts.generate_reference

A part stands between ``<!-- generated: NAME -->`` and ``<!-- end of NAME -->``; all else on a page is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from scripts.reference import builtins, commands, events, hooks, keys, rules, verdict

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
PARTS: Mapping[str, Callable[[], str]] = {
    "commands": commands.commands,
    "events": events.kinds,
    "exit codes": builtins.exit_codes,
    "formats": builtins.formats,
    "hooks": hooks.hooks,
    "keys": keys.keys,
    "plugins": builtins.plugins,
    "rules": rules.rules,
    "tables": keys.tables,
    "verdict": verdict.verdict,
}
_PART = re.compile(r"(<!-- generated: ([a-z ]+) -->\n)(.*?)(<!-- end of \2 -->)", re.DOTALL)


def generated(text: str) -> str:
    """Return a page with its parts made anew."""
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[part[2]]()}\n\n{part[4]}", text)


def parts_of(text: str) -> list[str]:
    """Return the names of a page's generated parts."""
    return [name for _, name, _, _ in _PART.findall(text)]


def main() -> int:
    """Write every page whose parts are stale; return the exit status."""
    for page in sorted(FOLDER.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = generated(text)
        if new != text:
            page.write_text(new, encoding="utf-8", newline="\n")
            sys.stdout.write(f"{page}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
