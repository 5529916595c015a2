"""Names that Python imports by themselves, with the module that they are from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^()]*)\)|([^\n]*))", re.MULTILINE)
_MODULE = re.compile(r"^[ \t]*import[ \t]+([^\n]*)", re.MULTILINE)
_AS = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")


def with_modules(lines: list[str], known: Collection[str]) -> list[str]:
    """Return code in which calls of some functions are written with their module, however they were imported.

    A name that the file binds to anything else as well stays as it is.

    Args:
        lines: Code without comments and texts.
        known: The functions: ``html.escape``.
    """
    code = "\n".join(lines)
    names = {name: full for name, full in _imported(code) if full in known and not _is_bound(code, name)}
    if not names:
        return lines
    calls = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?=\s*\()")
    return [calls.sub(lambda call: names[call[1]], line) for line in lines]


def _imported(code: str) -> Iterator[tuple[str, str]]:
    """Yield what a name refers to; for a module, each of its functions that is called."""
    for found in _FROM.finditer(code):
        for item in _AS.finditer(found[2] or found[3] or ""):
            yield item[2] or item[1], f"{found[1]}.{item[1]}"
    for found in _MODULE.finditer(code):
        for item in _AS.finditer(found[1]):
            if item[2]:
                for call in set(re.findall(rf"(?<![\w.]){item[2]}\.(\w+)(?=\s*\()", code)):
                    yield f"{item[2]}.{call}", f"{item[1]}.{call}"


def _is_bound(code: str, name: str) -> bool:
    name = re.escape(name.partition(".")[0])
    ways = (
        rf"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b",
        rf"^[ \t]*(?:[\w.]+[ \t]*[,=][ \t]*){{0,20}}{name}[ \t]*(?:[:,][^=\n]*)?=(?!=)",
        rf"\bdef[ \t]+\w+[ \t]*\([^()]{{0,1000}}\b{name}\b(?![.(])",
        rf"\b(?:lambda|for)[ \t][^:\n]{{0,200}}\b{name}\b(?![.(])",
        rf"\b{name}[ \t]*:=",
    )
    return re.search("|".join(ways), code, re.MULTILINE) is not None
