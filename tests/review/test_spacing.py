"""White space that means nothing, and white space that is part of a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.issue import Category
from selfreview.review.acceptance_match import flagged_key
from selfreview.review.fingerprint import fingerprint
from selfreview.review.spacing import squeezed
from tests.review.builders import make_issue

SAME = [
    ("x=1", "\t x  =  1  "),
    ("f(a,b)", "f( a, b )"),
    ("return  y", "return y"),
    ("if x>1:", "if x > 1:"),
    ('say("a b",c)', 'say( "a b", c )'),
    ("it's(x)", "it's( x )"),
]
OTHER = [
    ('run("rm -rf /tmp/x")', 'run("rm -rf / tmp/x")'),
    ("run('a b')", "run('ab')"),
    ("run('a b')", "run('a  b')"),
    ("run(`a = b`)", "run(`a=b`)"),
    (r"run('it\'s = b')", r"run('it\'s=b')"),
    ("rm -rf /tmp/x", "rm -rf / tmp/x"),
    ("rm *.tmp", "rm * .tmp"),
    ("not x", "notx"),
    ('don\'t run("a = b")', 'don\'t run("a=b")'),
]


def names(line: str) -> tuple[str, str | None]:
    """Return both names of an issue on a line."""
    lines = ["before", line, "after"]
    mark = fingerprint(
        reviewer="one", rule="A", category=Category.LOGIC, evidence=None, path="a.py", lines=lines,
        line_start=2, line_end=2, side="new",
    )  # fmt: skip
    return mark, flagged_key(make_issue(rule="A", line_start=2, line_end=2), "a.py", lines)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_code_has_the_same_names(one: str, other: str) -> None:
    assert names(one) == names(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_code_has_other_names(one: str, other: str) -> None:
    assert all(first != second for first, second in zip(names(one), names(other), strict=True))


@pytest.mark.parametrize("quote", ["'", '"', "`"])
def test_a_quote_without_an_end_is_looked_for_once(quote: str) -> None:
    """Looked for anew from each that follows, these would take an hour."""
    endless = quote + f"\\{quote}" * 400_000
    assert squeezed(f"{endless}  = a") == f"{endless}=a"
    below = f"f({quote}a  = b{quote})"
    assert squeezed(f"{endless}\n{below}") == f"{endless} {below}"


@given(st.text(alphabet=" \t'\"`\\=(ab/", max_size=40))
def test_nothing_but_white_space_goes_and_once_is_enough(line: str) -> None:
    short = squeezed(line)
    assert "".join(short.split()) == "".join(line.split())
    assert squeezed(short) == short
