"""What a parser is given of long runs of comments, whose work grows with the square of their number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import ast_grep_py
import pytest
from ast_grep_py import SgNode, SgRoot
from hypothesis import given
from hypothesis import strategies as st

import selfreview
from selfreview.api import Finding
from selfreview.llm.answers.verification import parts_of_lines
from selfreview.llm.context.outline import outline
from selfreview.review.suppressions import Comment, Comments
from selfreview.reviewers.rules import RulesReviewer
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.parsing import eased, live_lines, parse, spared
from selfreview.testing.context import MemoryContext
from selfreview.testing.context import review as reviewed

RUN = "".join(f"    # c{number}\n" for number in range(50))
BEFORE = "def f(a):\n    b = a\n"
AFTER = "    return eval(b)\n"
LINES = ("# a", "    # é 𝄞", "\t#\x0b\u2028\xa0", "# b\r", "", "  ", "\f", "\\", "\\\r", "x = 1", "  y = \\", "if a:",
         '"""', "'''", "b'c\\", "'d'", 'r"""\\', "z = f(")  # fmt: skip


def nodes(node: SgNode) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the kinds and places of a tree's nodes, without its comments."""
    if node.kind() != "comment":
        start, end = node.range().start, node.range().end
        yield node.kind(), start.line, start.column, end.line, end.column
        for child in node.children():
            yield from nodes(child)


@pytest.mark.parametrize(
    ("before", "run", "after"),
    [
        (BEFORE, RUN, AFTER),
        ("def f(a):\n", RUN, AFTER),
        (BEFORE, RUN, ""),
        (BEFORE, RUN.replace("    #", "#"), AFTER),
        (BEFORE, RUN.replace("\n", "\r\n"), AFTER),
        (BEFORE, RUN.replace("\n", "\n\n"), AFTER),
        (BEFORE, RUN.replace("\n", "\n \f\n"), AFTER),
        (BEFORE, RUN.replace("c", "é\xa0𝄞"), AFTER),
        (BEFORE + "    if b:\n        g()\n", RUN, "    else:\n        h()\n" + AFTER),
        ("try:\n    a()\nexcept ValueError:\n    pass\n", RUN, "b()\n"),
        ('a = """b"""\n', RUN, "b()\n"),
        ("a = '''b\\''' #\nc'''\n", RUN, "b()\n"),
        ("a = 'b\\\n# c'\n", RUN, "b()\n"),
        ('a = \'b\nc = ""\n', RUN, "b()\n"),
        ('a = 1  # """ b\n', RUN, "b()\n"),
        ("a = (\n", RUN, "    b)\nc()\n"),
    ],
)
def test_the_middle_of_a_run_is_blank_and_the_tree_the_same_without_it(before: str, run: str, after: str) -> None:
    text = before + run + after
    given_lines = eased(text, "python").split("\n")
    comments = [line for line in given_lines if line.lstrip().startswith("# ") and "c'" not in line]
    written = [line for line in run.split("\n") if line.strip()]
    assert comments == written[:10] + written[-5:]
    assert len(parse(text, "python").find_all(kind="comment")) <= 15 + before.count("#")
    assert list(nodes(parse(text, "python"))) == list(nodes(SgRoot(text, "python").root()))


@pytest.mark.parametrize(
    "text",
    [
        BEFORE + "".join(RUN.splitlines(keepends=True)[:30]) + AFTER,
        (BEFORE + RUN[: len(RUN) // 2] + AFTER) * 3,
        f'a = """\n{RUN}"""\n',
        f"a = '''b\\'''\n{RUN}'''\n",
        f'a = f\'{{\'"""\'}}\'\nb = f"""\n{RUN}# {{eval(q)}}\n{RUN}"""\n',
        f"a = f'''{{\n{RUN}b}}'''\n",
        f'a = """b" ""\n{RUN}"""\n',
        f'a = """b\\"""\n{RUN}"""\n',
        f'a = rb"""\n{RUN}',
        "a = 'b\\\r\n" + RUN.replace("\n", "\\\r\n") + "'\n",
        "a = 'b\\\n" + RUN.replace("\n", "\\\n") + "'\n",
        'a = "b\\\r\n' + RUN.replace("\n", "\\\r\n") + '"\n',
        "a = b.c \\\n" + "\\\n" * 50 + "(d)\n",
        "a = b.c \\\r\n" + "\\\r\n" * 50 + "(d)\r\n",
        "a = b  # c\n" * 50,
    ],
)
def test_what_is_no_long_run_of_comments_stays(text: str) -> None:
    assert eased(text, "python") == text


def test_lines_that_only_go_on_make_a_run_no_shorter() -> None:
    text = "a()\n" + "# b\n\\\n" * 50 + "c()\n"
    assert eased(text, "python").count("#") + eased(text, "python").count("\\") == 15
    assert eased("a \\\n\n" + "\\\n" * 50 + "c()\n", "python").count("\\") == 16
    assert "\\\n(" in eased("a \\\n\\\n(b)\n" + "# c\n" * 50, "python")


@pytest.mark.parametrize("language", sorted(set(GRAMMARS) - {"python"}))
def test_other_grammars_get_all(language: str) -> None:
    assert eased("a\n" + RUN + "b\n", language) == "a\n" + RUN + "b\n"


@given(st.lists(st.sampled_from(LINES) | st.sampled_from(["# a", "# b\n" * 40]), max_size=60).map("\n".join))
def test_lines_keep_their_lengths_and_code_stays(text: str) -> None:
    lines, left = text.split("\n"), eased(text, "python").split("\n")
    assert [len(line) for line in left] == [len(line) for line in lines]
    changed = [number for number, (was, now) in enumerate(zip(lines, left, strict=True)) if was != now]
    assert changed == spared(text, "python")
    assert all(not left[n].strip() and re.match(r"[ \t\f\r]*(?:#|\\\r?$)", lines[n]) for n in changed)
    assert eased("\n".join(left), "python") == "\n".join(left)


def review(text: str) -> list[Finding]:
    """Return what the rules find in a new file."""
    return reviewed(RulesReviewer(), MemoryContext({"a.py": (None, text)}), changed_lines_only=False)


def test_a_rule_finds_the_same_behind_a_run_which_its_parser_does_not_get(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def root(text: str, language: str) -> SgRoot:
        parsed.append(text)
        return SgRoot(text, language)

    monkeypatch.setattr(ast_grep_py, "SgRoot", root)
    found = [
        [(one.rule, one.line_start, one.column, one.edits) for one in review(BEFORE + between + AFTER)]
        for between in (RUN, "\n" * 50)
    ]
    assert found[0] == found[1]
    assert any(rule == "python-eval" and line == 53 for rule, line, _, _ in found[0])
    assert parsed
    assert max(text.count("#") for text in parsed) == 15


def test_code_in_a_string_that_looks_like_comments_is_found() -> None:
    text = f'def f(q):\n    a = f\'{{\'"""\'}}\'\n    return a, f"""\n{RUN}    # {{eval(q)}}\n{RUN}"""\n'
    assert [(one.rule, one.line_start) for one in review(text)] == [("python-eval", 54)]


def test_an_explanation_in_a_run_is_seen() -> None:
    text = "try:\n    a()\nexcept Exception:\n    pass\n"
    silent = {one.rule for one in review(text.replace("pass", "# why\n" * 50 + "    pass"))}
    assert {one.rule for one in review(text)} - silent


def test_a_comment_is_known_as_one_also_where_no_parser_saw_it() -> None:
    lines = (BEFORE + RUN + AFTER).split("\n")
    comments = Comments("a.py", lines)
    for number in range(3, 53):
        alone = Comment(number, number, alone=True)
        width = len(lines[number - 1])
        assert [comments.at(number, column) for column in range(width + 1)] == [
            None, None, None, None, *[alone] * (width - 4), None,
        ]  # fmt: skip
        assert comments.alone_in(number) == alone
    assert comments.at(53, 6) is None


def test_its_words_are_no_code() -> None:
    text = BEFORE + RUN + AFTER
    lines = text.split("\n")
    assert parts_of_lines("a.py", text)[2:52] == ["cccc" + "-" * (len(line) - 4) for line in lines[2:52]]
    live = live_lines(parse(text, "python"), "python", lines)
    assert live == [line if "#" not in line else " " * len(line) for line in lines]
    assert [(one.name, one.line_start, one.line_end) for one in outline("a.py", text)] == [("f", 1, 53)]


def test_nothing_else_calls_the_parser() -> None:
    package = Path(selfreview.__file__).parent
    callers = {path.name for path in package.rglob("*.py") if "SgRoot" in path.read_text(encoding="utf-8")}
    assert callers == {"parsing.py"}
