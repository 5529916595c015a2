"""Content and names of files that occur in real changes, and that plugins trip over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07\x9b31m \u202eright to left\u202c \u200bhidden\ufeff \x00\x08 \r over it"
    "\n::error::a command of a log\n%0A::set-output name=x::y ]]> --> </script><script>alert(1)</script>"
    " <img src=x onerror=alert(1)> | `code` | [link](javascript:alert(1)) & \"quoted\" 'too' \\ C:\\new\\table"
    " {{ 7*7 }} ${{ secrets.TOKEN }} $(touch pwned) \udcff"
)
"""Text that affects a reader who prints it as it is: terminals, logs of CI, XML, HTML, Markdown, shells, templates."""

CONTENTS: Mapping[str, bytes] = MappingProxyType(
    {
        "empty": b"",
        "one_line_feed": b"\n",
        "no_line_feed_at_the_end": b"name = 1",
        "carriage_returns": b"a = 1\r\nb = 2\r\n\rc = 3\r",
        "binary": bytes(range(256)) * 4,
        "not_utf8": b"# caf\xe9\nname = '\xff\xfe'\n",
        "byte_order_mark": b"\xef\xbb\xbfname = 1\n",
        "utf_16": "name = 1\n".encode("utf-16"),
        "a_huge_line": b"name = '" + b"a" * 50_000 + b"'\n",
        "deeply_nested": b"(" * 300 + b")" * 300 + b"\n",
        "odd_line_ends": "a = 1\u2028b = 2\x0bc = 3\x0cd = 4\x85e = 5\n".encode(),
        "hostile": HOSTILE.encode("utf-8", "surrogateescape") + b"\n",
    }
)
"""Contents of a file, by their oddity."""

NAMES = ("--help", "-rf", "@file", "a b;touch pwned", "$(touch pwned)", "caf\udce9", "two\nlines", " ", "'\"", "%s{}")
"""Beginnings of file names that are mistaken for options or commands, or are no text."""
