"""The code that a person is asked to trust, as Python reads it."""

from __future__ import annotations

import pytest

from selfreview.trust.code import code_lines


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (b"", []),
        (b"\n", ["1 |"]),
        (b"x = 1", ["1 | x = 1"]),
        (b"\xef\xbb\xbfx = 1\r\ny = 2\r\n", ["1 | x = 1", "2 | y = 2"]),
        (b"# fine\rimport os\n", ["1 | # fine", "2 | import os"]),
        ("x = '\u202e'\n".encode(), ["1 | x = '<U+202E>'"]),
        (b"# coding: utf-7\n# +AAo-import os\n", ["1 | # coding: utf-7", "2 | #", "3 | import os"]),
        (b"x = '\xff'\r\n", ["1 | x = '\\xff'"]),
        (b"# coding: nonsense\n\rx\n", ["1 | # coding: nonsense", "2 | \\rx"]),
        (b"# coding: nonsense\r\nx\r\n", ["1 | # coding: nonsense", "2 | x"]),
        (b"\xef\xbb\xbfx = '\xff'\n", ["1 | x = '\\xff'"]),
        (b"if x:\n\ty\n", ["1 | if x:", "2 |     y"]),
        (b"x\n" * 10, [*(f" {n} | x" for n in range(1, 10)), "10 | x"]),
    ],
)
def test_code_is_shown_with_nothing_hidden(source: bytes, shown: list[str]) -> None:
    assert code_lines(source) == shown
