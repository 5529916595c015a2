"""A file's lines without comments and texts."""

from __future__ import annotations

import pytest

from selfreview.guard.suppression import LONGEST, live


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["a = 1  # why", "b"], ["a = 1  ", "b"]),
        (["a = 'x # y' + b", "b"], ["a =  + b", "b"]),
        (["a = 'x", "b'"], ["a = ", "b"]),
        ([r"a = 'x\'y'.b"], ["a = .b"]),
        ([r'a = "x\"y".b'], ["a = .b"]),
        (['"""one', "two's", 'three""" + a', "b"], ["", "", " + a", "b"]),
        (["'''one", "two", "''' + a", "b"], ["", "", " + a", "b"]),
        (["a", '"""one', "two"], ["a", "", ""]),
        (["a = 'x \\", " y' + b", "c"], ["a = ", " + b", "c"]),
        (["a = f'{'\"\"\"'}'", 'b = \'"""\'  # c', "d"], ["a = f", "b =   ", "d"]),
        (["a = '''" + "x" * LONGEST, "b", "''' + c"], ["a = '''" + "x" * LONGEST, "", " + c"]),
    ],
)
def test_lines_of_python_keep_their_places(lines: list[str], code: list[str]) -> None:
    assert live("python", lines) == code


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["f(); // why", "g();"], [["f();"], ["g();"]]),
        (["/* one", "two */ f();", "g();"], [[], ["f();"], ["g();"]]),
        (["f('one \\", "two three'); g();", "h();"], [["f('", "\\"], ["');", "g();"], ["h();"]]),
        (["f(); // \udc80 why", "g();"], [["f();"], ["g();"]]),
    ],
)
def test_lines_of_other_languages_do_so_too(lines: list[str], words: list[list[str]]) -> None:
    assert [line.split() for line in live("javascript", lines)] == words


@pytest.mark.parametrize(("language", "mark"), [("python", "#"), ("javascript", "//")])
def test_a_line_that_is_too_long_is_all_code(language: str, mark: str) -> None:
    comment = f"a {mark} " + "b" * (2_000 - len(mark) - 3)
    assert len(comment) == LONGEST == 2_000
    assert [line.split() for line in live(language, [comment, f"c {mark} d"])] == [["a"], ["c"]]
    assert live(language, [f"{comment}b", f"c {mark} d"])[0] == f"{comment}b"
    assert live(language, [f"{comment}b", f"c {mark} d"])[1].split() == ["c"]
