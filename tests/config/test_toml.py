"""Files that may hold anything: every one is parsed, or is an error with its line."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfreview.config import toml
from selfreview.config.toml import locate
from selfreview.errors import ConfigError

from .documents import Document, documents, places


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a = 1\nb =\n", "f.toml:2: not valid TOML: Invalid value"),
        (b"a = 1\n\n[x\n", "f.toml:3: not valid TOML: Expected ']' at the end of a table declaration"),
        (b"a = 1\r\nb = 2\r\na = 3\r\n", "f.toml:3: not valid TOML: Cannot overwrite a value"),
        (b'a = """\n\n', "f.toml:1: not valid TOML: Unterminated string"),
        (b"a = [1,\n2\n\n\n", "f.toml:2: not valid TOML: Unclosed array"),
        (b"a = 1\nb = '\xe9'\n", "f.toml:2: not valid UTF-8"),
        (b"a = 1\rb = 2\r", "f.toml:1: not valid TOML: Expected newline or end of document after a statement"),
        (b"\xff\xfea\0=\0001\0", "f.toml:1: not valid UTF-8"),
        (b"a = " + b"9" * 5000, "f.toml:1: not valid TOML: a number has too many digits"),
        (b"a = " + b"[" * 100_000, "f.toml:1: not valid TOML: nested too deeply"),
        (b"a = 2026-02-30", "f.toml:1: not valid TOML: Invalid date or datetime"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        toml.parse(data, "f.toml")
    assert error.value.message.startswith(message)
    assert "\n" not in error.value.message


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    file = toml.parse(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n", "f.toml")
    assert file.document == {"a": 1, "b": 2}
    assert file.place(("b",)) == "f.toml:2"


def test_the_place_of_what_is_not_there_is_that_of_what_it_would_be_in() -> None:
    file = toml.parse(b"\n[a]\nb = [1]\n", "f.toml")
    assert file.place(("a", "b", 0)) == "f.toml:3"
    assert file.place(("a", "b", 7)) == "f.toml:3"
    assert file.place(("a", "x", "y")) == "f.toml:2"
    assert file.place(("z",)) == "f.toml:1"
    assert file.place(()) == "f.toml:1"


FRAGMENTS = st.lists(
    st.sampled_from(
        [*"[]{}=.,#\"'\\\n\r\t ab1-_", '"""', "'''", "\\u00e9", "[[", "]]", "true", "1e9", "\x00", "\u2028"]
    ),
    max_size=30,
).map("".join)


@settings(deadline=None)
@given(st.binary(max_size=40) | FRAGMENTS.map(str.encode))
def test_any_bytes_are_parsed_or_refused_and_located(data: bytes) -> None:
    try:
        file = toml.parse(data, "f.toml")
    except ConfigError:
        return
    assert file.document == tomllib.loads(data.removeprefix(b"\xef\xbb\xbf").decode())
    assert {path[0] for path in file.lines} == set(file.document)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_every_place_of_a_document_is_found_on_its_line(document: Document) -> None:
    parsed = tomllib.loads(document.text)
    found = locate(document.text)
    assert found == document.lines
    assert set(places(parsed)) == set(found)


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_line_ends_of_windows_change_nothing(document: Document) -> None:
    assert locate(document.text.replace("\n", "\r\n")) == document.lines


def test_tables_spread_over_a_document() -> None:
    text = """\
# a comment
[a.b]
x = 1

[a]
y = 2
[[c]]
[c.d]
e.f = 1
e.g = [ 1,
  2 ]
[[c]]
[[c.h]]
[[c.h]]
i = { j = { k = 1 }, l = [
  {m = 1} ] }
"""
    tomllib.loads(text)
    assert locate(text) == {
        ("a",): 2,
        ("a", "b"): 2,
        ("a", "b", "x"): 3,
        ("a", "y"): 6,
        ("c",): 7,
        ("c", 0): 7,
        ("c", 0, "d"): 8,
        ("c", 0, "d", "e"): 9,
        ("c", 0, "d", "e", "f"): 9,
        ("c", 0, "d", "e", "g"): 10,
        ("c", 0, "d", "e", "g", 0): 10,
        ("c", 0, "d", "e", "g", 1): 11,
        ("c", 1): 12,
        ("c", 1, "h"): 13,
        ("c", 1, "h", 0): 13,
        ("c", 1, "h", 1): 14,
        ("c", 1, "h", 1, "i"): 15,
        ("c", 1, "h", 1, "i", "j"): 15,
        ("c", 1, "h", 1, "i", "j", "k"): 15,
        ("c", 1, "h", 1, "i", "l"): 15,
        ("c", 1, "h", 1, "i", "l", 0): 16,
        ("c", 1, "h", 1, "i", "l", 0, "m"): 16,
    }


def test_every_escape_of_a_key_is_read() -> None:
    text = r'"\b\t\n\f\r\"\\\u00e9\U0001F600" = 1'
    assert set(locate(text)) == set(places(tomllib.loads(text)))
    # Newer TOML has two more, which newer Pythons read.
    assert set(locate(r'"\x41\e" = 1')) == {("A\x1b",)}


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "a = 1"])
def test_small_documents(text: str) -> None:
    assert set(locate(text)) == set(places(tomllib.loads(text)))


def test_a_large_document_is_no_problem() -> None:
    lines = "line\n" * 20
    text = "".join(f'[t{index}]\nx = """\n{lines}"""\ny = [1, 2, 3]\n' for index in range(3000))
    assert locate(text)[("t2999", "y")] == text.count("\n")


def test_what_is_no_document_is_refused() -> None:
    with pytest.raises(ValueError, match="no key at offset 2"):
        locate("\n\n= 1\n")
