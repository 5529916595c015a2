"""Where the blocks of a text begin and end, and what opens them."""

from __future__ import annotations

import pytest

from selfreview.loop.guard.textblocks import blocks_of


def inside(text: str, language: str) -> list[tuple[str, str]]:
    return [(block.head, text[block.start : block.end]) for block in blocks_of(text, language)]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("a; if (b) {c} d\n e {f}", [("if (b)", "c"), ("d e", "f")]),
        ("for (a; b) {c}", [("for (a; b)", "c")]),
        ("f(() => {a}; b) {c}", [("f(() =>", "a"), ("; b)", "c")]),
        ("a {(b;} c; d {e}", [("a", "(b;"), ("d", "e")]),
        (") a; b {c}", [("b", "c")]),
        ("a;b {c}", [("b", "c")]),
        ("(a) b; c {d}", [("c", "d")]),
        ("((a) b; c) {d}", [("((a) b; c)", "d")]),
        ("(a {b; c {d}})", [("c", "d"), ("(a", "b; c {d}")]),
        ("} a {b}", [("a", "b")]),
        ("a {b {c", [("b", "c"), ("a", "b {c")]),
    ],
)
def test_blocks_in_braces(text: str, blocks: list[tuple[str, str]]) -> None:
    assert inside(text, "go") == blocks


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("if a\n  b\nend\nc", [("if a", "\n  b\n")]),
        ("  def f\n    b\n  end\n", [("def f", "\n    b\n  ")]),
        ("a do\n  b", [("a do", "\n  b")]),
        ("a do\nb do\nc", [("b do", "\nc"), ("a do", "\nb do\nc")]),
        ("a if b\nc", []),
        ("if a then b end\nc", [("if a then b end", "")]),
        ("if a\n  if b then c end\nend", [("if b then c end", ""), ("if a", "\n  if b then c end\n")]),
        ("while a do\n  b\nend\nc", [("while a do", "\n  b\n")]),
        ("until a do b do\nend\nend\n", [("a do b do", "\n"), ("until a do b do", "\nend\n")]),
        ("while a; b do\nend\nend\n", [("a; b do", "\n"), ("while a; b do", "\nend\n")]),
        ("for a in b do\n  c\nend\nd", [("for a in b do", "\n  c\n")]),
        ("if a; b; end; if c\nd\nend\n", [("if a; b; end; if c", ""), ("a; b; end; if c", "\nd\n")]),
        ("if a\n    end\nb\nend\n", [("if a", "\n    end\nb\n")]),
        ("if a\n b; end\nend\n", [("if a", "\n b; end\n")]),
        ("a; if b\n   end\nc", [("a; if b", "\n   ")]),
        ("a; if b\n  end\nc", [("a; if b", "\n  end\nc")]),
        ("  if a\nend\nb", [("if a", "\n")]),
        ("f(1,\n     2) do\n  a\nend\nb", [("2) do", "\n  a\n")]),
        ("a = \\\n  if b\nend\nc", [("a =     if b", "\n")]),
        ("a \\\n  if b\nc", []),
    ],
)
def test_blocks_of_ruby(text: str, blocks: list[tuple[str, str]]) -> None:
    assert inside(text, "ruby") == blocks


@pytest.mark.parametrize(
    ("text", "is_block"),
    [
        ("private def f", True),
        ("a.def f", False),
        ("1 + def f", False),
        ("def f = 1", False),
        ("def f() = 1", False),
        ("def f=(a)", True),
        ("def f == 1", True),
        ("return case a", True),
        ("return begin", True),
        ("return if a", False),
        ("xreturn begin", False),
        ("a = if b", True),
        ("a or begin", True),
        ("a do", True),
        (f"a = {'b' * 40} if c", False),
        (f"private{' ' * 40}def f", True),
        ("class A", True),
        ("module A", True),
        ("unless a", True),
        ("until a", True),
        ("a end", False),
    ],
)
def test_what_opens_a_block_of_ruby(text: str, is_block: bool) -> None:
    assert bool(blocks_of(f"{text}\n", "ruby")) == is_block
