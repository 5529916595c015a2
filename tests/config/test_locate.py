"""The line of every key, held against documents whose lines are known by construction."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings

from selfreview.config.locate import locate

from .documents import Document, documents, places


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
