"""What of a text stands in quotes, and what stands around a place in it."""

from __future__ import annotations

import pytest

from selfreview.loop.guard.textblocks import blocks_of
from selfreview.loop.guard.textnesting import obstacles, without_long_strings, without_strings


@pytest.mark.parametrize(
    ("language", "text", "bare"),
    [
        ("go", 'a "b{c" d', 'a "   " d'),
        ("go", "a `b\nc` d", "a ` \n ` d"),
        ("go", "a 'b' d", "a ' ' d"),
        ("go", "'' \"\" a", "'' \"\" a"),
        ("go", r'"a\"b" c', '"    " c'),
        ("go", "'a\nb'", "'a\nb'"),
        ("java", '"""a\n"b" """ c', '"   \n      " c'),
        (None, "a 'b' c", "a ' ' c"),
        ("rust", "<'a> '{' b 'c", "<'a> ' ' b 'c"),
        ("rust", 'a r#"b"c"# d', "a          d"),
        ("rust", 'a "b\nc" d', 'a " \n " d'),
        ("ruby", "a <<~B\n  c\n  B\nd", "a     \n   \n  B\nd"),
        ("ruby", "a\n=begin\nb\n=end\nc", "a\n      \n \n=end\nc"),
        ("ruby", "a\n__END__\nb", "a\n       \n "),
        ("php", "a <<<B\n  c\nB;", "a     \n   \nB;"),
        ("php", "a\n__halt_compiler(); b", "a\n                    "),
    ],
)
def test_what_stands_in_quotes_is_blank(language: str | None, text: str, bare: str) -> None:
    assert without_strings(text, language) == bare


def test_what_stands_in_quotes_in_one_line_may_stay() -> None:
    assert without_long_strings("a('b')\n`c\n d\ne`", "go") == "a('b')\n`c\n  \ne`"


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("go", "if a {\n  X\n}\n", ("if a",)),
        ("go", "if a {}\nX\n", ()),
        ("go", "if a {} X", ()),
        ("go", "{X}", ()),
        ("go", "if a {X}", ("if a",)),
        ("typescript", "describe(() => {\n  X\n});\n", ()),
        ("typescript", "export  const a = ()\n  => {\n  X\n}", ("export const a = () =>",)),
        ("typescript", "describe = () => {\n  X\n}", ("describe = () =>",)),
        ("java", "abstract class A {\n  X\n}\n", ("abstract class A",)),
        ("java", "class A  // abstract\n{\n  X\n}\n", ("abstract",)),
        ("java", "class A {\n  private  X\n}\n", ("private",)),
        ("rust", "#[cfg(test)]\nmod a {\n  X\n}\n", ()),
        ("rust", "#[cfg(any(unix,\n  windows))]\nmod a {\n  X\n}\n", ("#[cfg(any(unix, windows))]",)),
        ("rust", "#![cfg(windows)]\nX", ("#![cfg(windows)]",)),
        ("rust", "#![cfg(any(unix,\n  windows))]\nX", ("#![cfg(any(unix, windows))]",)),
    ],
)
def test_what_may_keep_a_test_from_being_found(language: str, text: str, found: tuple[str, ...]) -> None:
    at = text.index("X")
    declared = text[text.rfind("\n", 0, at) + 1 : at]
    assert obstacles(text, blocks_of(text, language), at, declared) == found


@pytest.mark.parametrize(("at", "found"), [(5, ()), (6, ("if a",)), (7, ("if a",)), (8, ())])
def test_a_block_is_what_is_between_its_braces(at: int, found: tuple[str, ...]) -> None:
    assert obstacles("if a {bc}", blocks_of("if a {bc}", "go"), at, "") == found
