"""Names of issues: what changes a fingerprint, and what does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import selfreview
from selfreview.model.issue import Category
from selfreview.review.accepted_issues import flagged_key
from selfreview.review.fingerprint import ID, MARK, Identity, id_of, ids_of, is_fingerprint, is_id, is_name, squeezed
from tests.review.builders import make_issue

LINES = ["def f():", "    x = 1", "    return y", "", "z = 2"]


def mark(**changes: Any) -> str:
    fields: dict[str, Any] = {
        "reviewer": "ruff", "rule": "F821", "category": Category.LOGIC, "evidence": "    return y", "path": "a.py",
        "lines": LINES, "line_start": 3, "line_end": 3, "side": "new",
    }  # fmt: skip
    return Identity(**{**fields, **changes}).fingerprint()


def test_lines_moving_change_nothing() -> None:
    moved = ["# a new comment", "import os", "", *LINES]
    assert mark(lines=moved, line_start=6, line_end=6) == mark()


def test_white_space_changes_nothing() -> None:
    spaced = [line.replace("    ", "\t") + "  " for line in LINES]
    assert mark(lines=spaced) == mark()


def test_each_part_counts() -> None:
    variants = [
        mark(),
        mark(reviewer="rules"),
        mark(rule="F822"),
        mark(path="b.py"),
        mark(side="old"),
        mark(occurrence=1),
        mark(lines=[*LINES[:2], "    return w", *LINES[3:]]),
        mark(line_start=0, line_end=0),
    ]
    assert len(set(variants)) == len(variants)


def test_without_a_rule_category_and_quote_stand_in() -> None:
    assert mark(rule=None) != mark(rule=None, evidence="another line")
    assert mark(rule=None) != mark(rule=None, category=Category.SECURITY)
    assert mark(rule=None) == mark(rule=None, evidence="return  y")
    assert mark() == mark(evidence="another line")


def test_what_a_gate_says_is_said_of_one_state_of_a_file() -> None:
    def of(evidence: str | None) -> str:
        return mark(reviewer="gate", rule="suppression", line_start=0, line_end=0, evidence=evidence)

    assert len({of("100644 a"), of("100644 b"), of(None)}) == 3


def test_what_a_rule_says_of_all_that_a_file_holds_is_said_of_one_state_of_it() -> None:
    def of(evidence: str | None, line: int = 0) -> str:
        return mark(reviewer="secrets", line_start=line, line_end=line, evidence=evidence)

    assert len({of("content a"), of("content b"), of(None)}) == 3
    assert of("content a", 1) == of("content b", 1)


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
    mark = Identity(
        reviewer="one", rule="A", category=Category.LOGIC, evidence=None, path="a.py", lines=lines,
        line_start=2, line_end=2, side="new",
    ).fingerprint()  # fmt: skip
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


def test_ids_and_fingerprints_are_known_from_one_another_and_from_rules() -> None:
    whole = mark()
    assert is_fingerprint(whole)
    assert is_id(id_of(whole))
    assert whole.removeprefix(MARK).startswith(id_of(whole).removeprefix(ID))
    assert [is_name(text) for text in (whole, id_of(whole), ID, "F821", "ruff/F821")] == [True] * 3 + [False] * 2
    assert not any(map(is_id, (whole, ID + "1234567", ID + "1234567g")))
    assert not any(map(is_fingerprint, (id_of(whole), whole[:-1], whole + "0")))


def test_an_id_names_one_issue_of_those_that_it_is_shown_with() -> None:
    near = MARK + "0" * 31
    assert ids_of([near + "1", MARK + "1" * 32]) == [ID + "0" * 8, ID + "1" * 8]
    assert ids_of([near + "1", near + "2"]) == [ID + "0" * 31 + "1", ID + "0" * 31 + "2"]


def test_no_other_module_makes_or_takes_apart_the_names_of_issues() -> None:
    root = Path(selfreview.__file__).parent
    found = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if any(named(path))}
    assert found == {"review/fingerprint.py"}


def named(path: Path) -> Iterator[str]:
    """Yield the texts in a module that begin as a name of an issue does."""
    text = path.read_text(encoding="utf-8")
    if ID not in text and MARK not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith((ID, MARK)):
            yield node.value
