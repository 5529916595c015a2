"""Second thoughts on the findings of ruff in one file."""

from __future__ import annotations

import pytest

from selfreview.api import Category, Finding, Severity, SourceText
from selfreview.reviewers.ruff.judge import judge
from selfreview.reviewers.ruff.python_file import PythonFile
from selfreview.syntax.suppression_comments import KINDS


def finding(line: int, rule: str = "F821") -> Finding:
    return Finding(
        file="a.py",
        line_start=line,
        line_end=line,
        severity=Severity.HIGH,
        category=Category.LOGIC,
        description="Undefined name `x`",
        rule=rule,
    )


def test_a_comment_belongs_to_the_line_that_it_ends() -> None:
    text = 'a = """\n# no: it is text\n"""  # one\nb = "# no"\n# two\n\nc = \'#\'  # three\n'
    assert PythonFile(SourceText.from_bytes(text.encode())).comments == {3: "# one", 5: "# two", 7: "# three"}


def test_a_string_that_goes_on_ends_where_python_ends_it() -> None:
    text = 'a = "b \\\n c" """d"""\ne = f\'{\'"""\'}\'  # one\nf()\n'
    file = PythonFile(SourceText.from_bytes(text.encode()))
    assert file.comments == {3: "# one"}
    assert file.code == ["a = ", " ", "e = f  ", "f()"]


def test_as_many_findings_as_lines_take_no_long_time() -> None:
    """They would take hours if the file were read anew for each."""
    lines = 6_000
    text = "x = y  # why this is so\n" * lines + "x = y  # type: ignore[name-defined]\n"
    file = PythonFile(SourceText.from_bytes(text.encode()))
    assert all(judge(finding(line), file) is not None for line in range(1, lines + 1))
    assert judge(finding(lines + 1), file) is None
    assert all(judge(finding(line, "B006"), file) is not None for line in range(2, 20))


def told(comment: str) -> bool:
    """Whether a comment makes an undefined name no finding."""
    return judge(finding(1), PythonFile(SourceText.from_bytes(f"print(x)  {comment}\n".encode()))) is None


@pytest.mark.parametrize(
    "comment",
    [
        "# type: ignore[name-defined]",
        "#type:ignore[attr-defined, name-defined]",
        "# why  # ty:\tignore[unresolved-reference]",
        "# pyright: ignore[reportUndefinedVariable]",
        "# pylint: disable=no-member, undefined-variable",
    ],
)
def test_a_mark_for_another_tool_is_believed_where_a_gate_finds_it_too(comment: str) -> None:
    assert told(comment)
    assert any(pattern.search(comment) for _, pattern in KINDS)


@pytest.mark.parametrize(
    "comment",
    [
        "# xtype: ignore[name-defined]",
        "# foo type: ignore[name-defined]",
        "# type:\u00a0ignore[name-defined]",
        "#\u3000type: ignore[name-defined]",
        "# party: ignore[unresolved-reference]",
        "# xpyright: ignore[reportUndefinedVariable]",
        "# mypylint: disable=undefined-variable",
        "# Type: Ignore[name-defined]",
        "# type: ignore[xname-defined]",
    ],
)
def test_what_is_no_mark_is_not(comment: str) -> None:
    assert not told(comment)


def is_template(code: str) -> bool:
    return PythonFile(SourceText.from_bytes(code.encode())).is_template


@pytest.mark.parametrize(
    "code", ["import {{ name }}", "{% if x %}", "x = {%- for y in z %}", "{{}}", "}} {{ a }} {{", "{% {% if a %}"]
)
def test_a_template_has_tags(code: str) -> None:
    assert is_template(f"def f(:\n    {code}\n")


@pytest.mark.parametrize(
    "code", ["x = {1: {2: 3}}", "}} {{", "{{\n}}", "{{}", "{%if x%}", "%} {% if x", "'{{ a }}'", "# {{ a }}"]
)
def test_other_code_has_none(code: str) -> None:
    assert not is_template(f"def f(:\n    {code}\n")


@pytest.mark.parametrize(
    "part", ["'+'{{1} },", "{{", "{% if ", "{%   ", "setattr(   ", "globals(", "y==globals(),[", "globals()[x"]
)
def test_a_line_as_long_as_a_file_takes_no_long_time(part: str) -> None:
    """It would take hours, and no signal would end it, if each beginning were read to the end of the line."""
    file = PythonFile(SourceText.from_bytes(f"x = [{part * 150_000}]\n)\n".encode()))
    assert (file.is_template, file.dynamic.may_define("x")) == (False, False)
