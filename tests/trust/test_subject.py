"""The code and commands that a repository wants to run, under one digest."""

from __future__ import annotations

import datetime

import pytest

from selfreview.trust.subject import canonical, code_lines, executable_content


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ("x", b"s1:x"),
        ("\udcff", b"s3:\xed\xb3\xbf"),
        (b"x", b"b1:x"),
        (1, b"v5:int:1"),
        (True, b"v9:bool:True"),
        (1.0, b"v9:float:1.0"),
        (datetime.time(7, 32), b"v25:time:datetime.time(7, 32)"),
        ([], b"a0:"),
        (["x", []], b"a7:s1:xa0:"),
        (("x", []), b"a7:s1:xa0:"),
        ({"\udcff": 1}, b"t14:k3:\xed\xb3\xbfv5:int:1"),
        ({"b": 1, "a": "x"}, b"t20:k1:as1:xk1:bv5:int:1"),
    ],
)
def test_the_form_of_a_value_stays_what_it_is(value: object, data: bytes) -> None:
    assert canonical(value) == data


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


def described(conf: bytes | None, **tables: object) -> list[str]:
    subject = executable_content(conf, tables)
    assert subject is not None
    return subject.describe()


@pytest.mark.parametrize(
    ("conf", "count"),
    [(b"", "1 line"), (b"x", "1 line"), (b"x\n", "1 line"), (b"x\ny", "2 lines"), (b"x\ny\n", "2 lines")],
)
def test_code_is_told_by_its_lines(conf: bytes, count: str) -> None:
    assert described(conf) == [f"selfreview_conf.py: {count} of Python"]


def test_every_value_has_a_line_and_odd_keys_are_quoted() -> None:
    table = {"b-2_c": 1, "-": 2, "_": 3, "a.b": 4, "ä": 5, "": 6, "deep": {"x": {"y": ["z"]}, "empty": {}}}
    assert described(None, command=table) == [
        "command.'' = 6",
        "command.'-' = 2",
        "command.'_' = 3",
        "command.'a.b' = 4",
        "command.b-2_c = 1",
        "command.deep.empty = {}",
        "command.deep.x.y = ['z']",
        "command.'ä' = 5",
    ]


def test_a_digest_stays_what_it_is() -> None:
    """Were it to change, every person would be asked about everything again."""
    digests = [executable_content(conf, {"checks": {"test": "make"}}) for conf in (b"x = 1\n", None)]
    assert [subject.digest for subject in digests if subject is not None] == [
        "49171e56765f2247234c1394e19ab18ab314cd69b9afc8bcf3289f4200e7f7b2",
        "1db42d63d8b7d06718291be44d53b6264d989941a30ee299ee53623188b8ea43",
    ]
