"""Where statements that span lines begin and end."""

from __future__ import annotations

import pytest

from selfreview.llm.context.reference import around, decorators, head

PYTHON = """\
first(
    1,
)
result = outer(
    inner(2),
    keep=")",  # not the end :(
    last={
        "a": 3,
    },
)
after(
    4,
)

def f(
    a,
):
    pass
"""


@pytest.mark.parametrize(("number", "expected"), [(1, (1, 3)), (4, (4, 10)), (5, (4, 10)), (8, (4, 10)), (9, (4, 13))])
def test_a_statement_is_whole_and_so_is_what_stands_around_it(number, expected):
    assert around(PYTHON.splitlines(), number, 2) == expected


def test_a_block_of_braces_is_no_part_of_a_statement():
    lines = ["function f() {", "  compute(", "    1);", "  if (compute(2)) {", "    go();", "  }", "}"]
    assert around(lines, 3, 0) == (2, 3)
    assert around(lines, 4, 0) == (4, 4)
    assert around(["use({", "  a: compute(1),", "});"], 2, 0) == (1, 3)


def test_what_is_too_far_is_not_followed():
    assert around(["f(", *["1,"] * 50, ")"], 1, 0) == (1, 1)


def test_decorators_and_head():
    lines = ["@once", "@route(", "    '/x',", ")", "def f(", "    a,", "):", "    pass"]
    assert (decorators(lines, 1), head(lines, 1)) == (range(1, 5), range(5, 8))
    assert (decorators(lines, 8), head(lines, 8)) == (range(8, 8), range(8, 9))
