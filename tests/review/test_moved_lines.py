"""Lines that a change only moves, by where they came from."""

from __future__ import annotations

import pytest

from selfreview.review.moved_lines import moved_lines
from selfreview.testing.context import MemoryContext

BLOCK = "def total(values):\n    return sum(values) / 2\n"
OLD_NEW = tuple[str | None, str | None]

CASES: dict[str, tuple[dict[str, OLD_NEW], dict[str, str]]] = {
    "indentation": (
        {"a.py": (BLOCK, f"class A:\n{BLOCK.replace('def', '    def').replace('    return', '        return')}")},
        {"a.py:2": "a.py:1", "a.py:3": "a.py:2"},
    ),
    "line ends": (
        {"a.py": (BLOCK, BLOCK.replace("\n", "\r\n"))},
        {"a.py:1": "a.py:1", "a.py:2": "a.py:2"},
    ),
    "one short line within a file": ({"a.py": ("x = 1\n", "if y:\n    x = 1\n")}, {"a.py:2": "a.py:1"}),
    "one short line of another file": ({"a.py": ("x = 1\n", None), "b.py": (None, "x = 1\n")}, {}),
    "into another file": (
        {"a.py": (BLOCK, None), "b.py": (None, f"import os\n{BLOCK}")},
        {"b.py:2": "a.py:1", "b.py:3": "a.py:2"},
    ),
    "what stays is no origin": ({"a.py": (BLOCK, BLOCK), "b.py": (None, BLOCK)}, {}),
    "once for each removed line": (
        {"a.py": (BLOCK, None), "b.py": (None, BLOCK), "c.py": (None, BLOCK)},
        {"b.py:1": "a.py:1", "b.py:2": "a.py:2"},
    ),
    "its own file before others": (
        {"a.py": (None, BLOCK), "b.py": (BLOCK, "import os\n" + BLOCK.replace("\n", "\r\n"))},
        {"b.py:2": "b.py:1", "b.py:3": "b.py:2"},
    ),
    "the longest block": (
        {"a.py": (f"{BLOCK}\n\nLIMIT = 1\n{BLOCK}    # of both\n", None), "b.py": (None, f"{BLOCK}    # of both\n")},
        {"b.py:1": "a.py:6", "b.py:2": "a.py:7", "b.py:3": "a.py:8"},
    ),
    "a block of twenty letters": (
        {"a.py": ("abcdefghij = 1234567890\n", None), "b.py": (None, "abcdefghij = 1234567890\n")},
        {"b.py:1": "a.py:1"},
    ),
    "a block of nineteen": (
        {"a.py": ("abcdefghij = 123456789\n", None), "b.py": (None, "abcdefghij = 123456789\n")},
        {},
    ),
    "nothing was removed": ({"a.py": (None, BLOCK)}, {}),
    "brackets are no beginning": ({"a.js": ("});\n", "});\r\n")}, {}),
}


@pytest.mark.parametrize(("files", "origins"), CASES.values(), ids=CASES)
def test_where_lines_came_from(files: dict[str, OLD_NEW], origins: dict[str, str]) -> None:
    context = MemoryContext(files)
    moved = moved_lines(context.change, context.text)
    assert {f"{path}:{line}": str(origin) for (path, line), origin in moved.items()} == origins
