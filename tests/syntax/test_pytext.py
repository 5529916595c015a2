"""What of a Python text is strings and comments."""

from __future__ import annotations

import pytest

from selfreview.syntax.pytext import code_lines, parts


def read(text: str) -> list[str]:
    """Return the strings and comments of a text, and say that comments are the ones that begin with their mark."""
    found = list(parts(text))
    assert all(one.is_comment == (text[one.start] == "#") for one in found)
    return [text[one.start : one.end] for one in found]


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("a = 'b' + \"c\"  # d 'e'\n'f'", ["'b'", '"c"', "# d 'e'", "'f'"]),
        ('"""a\n"b""c\\"""" + 1', ['"""a\n"b""c\\""""']),
        ("'''a\n'b''c\\'''' + 1", ["'''a\n'b''c\\''''"]),
        ("a = 'b\\\nc' + 'd\\\r\ne'", ["'b\\\nc'", "'d\\\r\ne'"]),
        ('a = "b\\\nc" + "d\\\r\ne"', ['"b\\\nc"', '"d\\\r\ne"']),
        ('a = "b \\\n c" """d"""\nef = 1', ['"b \\\n c"', '"""d"""']),
        ("a = 'b\nc = 'd'", ["'b", "'d'"]),
        ("a = '''b\n# c", ["'''b\n# c"]),
        ("a = b'{' + rb'{' + u'{' + r'\\'", ["'{'", "'{'", "'{'", "'\\'"]),
    ],
)
def test_plain_strings_and_comments(text: str, strings: list[str]) -> None:
    assert read(text) == strings


@pytest.mark.parametrize("prefix", ["f", "F", "t", "T", "fr", "rf", "Rf", "fR", "rt", "TR"])
@pytest.mark.parametrize(
    "string",
    [
        "'{'\"\"\"'}'",
        "'{'''}'''}'",
        '"{a["b"]}"',
        '"{f"{f"{1}"}"}"',
        '"{rf"{"}"}"}"',
        "'{{'",
        "'}}{{{a['b']}}}'",
        "'{a:>{b['c']}}'",
        "'{a:{{'b':1}['b']}}'",
        "'{a:\\'}'",
        "'{a[b:'c']}'",
        "'{(lambda b: 'c')}'",
        "'{ {'a': 'b'}['a'] }'",
        "'\\\\{'a'}'",
        "'\\{'a'}'",
        "'\\'{'a'}'",
        "'\\N{DASH}'",
        "'a\\\nb{1}'",
        "'a\\\r\nb{1}'",
        "'{\n  'a'  # }' {\n}'",
        "'{a:\n'b'}'",
        "'''{a\n:\n'}'''",
        "'''a\n'{'''b'''}\n'''",
        '"""{a!r:"}"""',
    ],
)
def test_a_formatted_string_ends_behind_its_fields(prefix: str, string: str) -> None:
    text = f'a = {prefix}{string}\nb = """c"""  # d'
    assert read(text) == [string, '"""c"""', "# d"]


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("a = 1 if'{' else'{'\nb = 'c'", ["'{'", "'{'", "'c'"]),
        ("a = f'b\nc = 'd'", ["'b\n", "'d'"]),
        ("a = f'{f'b\n}' + 'd'", ["'{f'b\n}'", "'d'"]),
        ("a = f'{)]}' + 'd'", ["'{)]}'", "'d'"]),
        ("a = f'{b:'\nc = 'd'", ["'{b:'", "'d'"]),
        ("a = f'{'\nc = 'd'", ["'{'\nc = 'd'"]),
        ("a = f'", ["'"]),
        ("a = f'\\", ["'\\"]),
    ],
)
def test_what_is_no_formatted_string_or_a_broken_one(text: str, strings: list[str]) -> None:
    assert read(text) == strings


def test_code_keeps_its_lines() -> None:
    assert code_lines("a = f'{\n'\"\"\"'}' + b  # c\n'''d\n''' + e") == ["a = f", " + b  ", "", " + e"]
