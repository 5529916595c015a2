"""Second thoughts on the findings of ruff in one file."""

from __future__ import annotations

from selfreview.api import Category, Finding, Severity, SourceText
from selfreview.reviewers._ruff_code import PythonFile
from selfreview.reviewers._ruff_judge import judge


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


def test_as_many_findings_as_lines_take_no_long_time() -> None:
    """They would take hours if the file were read anew for each."""
    lines = 6_000
    text = "x = y  # why this is so\n" * lines + "x = y  # type: ignore[name-defined]\n"
    file = PythonFile(SourceText.from_bytes(text.encode()))
    assert all(judge(finding(line), file) is not None for line in range(1, lines + 1))
    assert judge(finding(lines + 1), file) is None
    assert all(judge(finding(line, "B006"), file) is not None for line in range(2, 20))
