"""Which lines are those of one statement."""

from __future__ import annotations

import re

import pytest

from selfreview.syntax import statements
from selfreview.syntax.statements import continued, statement


def lines_of(text: str) -> tuple[list[str], int]:
    """Return the lines of a text, and which one ends with ``<``."""
    lines = text.strip("\n").split("\n")
    number = next(number for number, line in enumerate(lines, 1) if line.endswith("<"))
    lines[number - 1] = lines[number - 1].removesuffix("<")
    return lines, number


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("a<\nb\n", 1, 1),
        ("x(\nf(<\n  a,\n)\ny", 2, 4),
        ("f(<\n  g(1),\n  [2,\n  3],\n)\ny", 1, 5),
        ("f(\n  a,\n)<\ny", 1, 3),
        ("y\nf[\n  a(1),\n]<\ny", 2, 4),
        ("f(\n  a,<\n  b,\n)", 2, 2),
        ("f(\n  g(<\n    a),\n  b,\n)", 2, 3),
        ("x = a + \\\n    b + \\\n    c<\ny", 1, 3),
        ("x = a + \\<\n    b\ny", 1, 2),
        ("x = (a + \\\n    b<\n    )\ny", 1, 3),
        ('q = f"""<\n(a\n"""\ny', 1, 3),
        ("q = '''<\na'''\ny", 1, 2),
        ("q = `<\n${a}\n`\ny", 1, 3),
        ('q = """(""" + f(<\na)\ny', 1, 2),
        ("it('(', () => {<\n  a();\n});", 1, 1),
        ("it('(', function () {<\n  a();\n});", 1, 1),
        ("it('a', () => {\n  a();\n});<", 3, 3),
        ("each(a) do |x|<\n  b\nend", 1, 1),
        ("if (a(b,\n  c)) {<\n  d\n}", 1, 2),
        ("run({<\n  a: b,\n});\ny", 1, 3),
        ("run(a, {<\n  a: b,\n});\ny", 1, 3),
        ("x = {<\n  a: b,\n}", 1, 1),
        ("f(a, \")\", '(')<\nb", 1, 1),
        ('f("(\\"(")<\nb', 1, 1),
        ("f(')\\')',<\nb)\nc", 1, 2),
        ("f(a)  # (<\nb)", 1, 1),
        ("f(a)  // (<\nb)", 1, 1),
        ("f(a,  # )<\nb)\nc", 1, 2),
        ("f('http://(',<\nb)\nc", 1, 2),
        ("fn f<'a>(<\nb: u8)\nc", 1, 2),
        ("def f(<\n  a,\n):\n  b", 1, 3),
        ("f(<", 1, 1),
        (")<\na", 1, 1),
    ],
)
def test_a_statement_is_told_by_its_brackets_quotes_and_backslashes(text: str, first: int, last: int) -> None:
    assert statement(*lines_of(text)) == range(first, last + 1)


def test_one_that_does_not_end_is_its_first_line() -> None:
    ends = ["f(", *["a,"] * 58, ")"]
    assert statement(ends, 1) == range(1, 61)
    assert statement(ends, 60) == range(1, 61)
    for far in (["f(", *["a,"] * 59, ")"], ["q = '''", *["("] * 100]):
        assert statement(far, 1) == range(1, 2)
    assert statement(["f(", *["a,"] * 59, ")"], 61) == range(61, 62)


def test_only_backslashes_continue_a_line() -> None:
    assert continued(["a", "b \\", "c( \\ ", "d", "e)"], 3) == range(2, 5)
    assert continued(["a \\", "b"], 2) == continued(["a \\", "b \\"], 1) == range(1, 3)
    assert continued(["a(", "b)"], 1) == range(1, 2)


def test_lines_of_quotes_take_no_long_time() -> None:
    """Were each quote read on to the end of the line, this would take minutes."""
    for line in ('"' + '\\"' * 500_000, "'" + "\\'" * 500_000, "'''" * 300_000 + "'", "(" * 500_000, " {" * 500_000):
        assert statement([line, "b"], 1).start == 1


def test_a_line_is_searched_for_a_block_once_for_all_statements_around(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    class Block:
        def finditer(self, text: str, at: int) -> list[re.Match[str]]:
            searched.append(text[at:])
            return []

    monkeypatch.setattr(statements, "_BLOCK", Block())
    lines = [f"only_here_{number}(" for number in range(200)]
    assert [statement(lines, number).start for number in range(1, 201)] == [*range(1, 201)]
    assert len(searched) == 200
