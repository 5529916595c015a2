"""Files that hold several things, as programs read them."""

from __future__ import annotations

import pytest

from selfreview.guard.tables import read_ini, read_json, read_toml


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("", {}),
        ('{"a": "b,]",}', {"a": "b,]"}),
        ('{"a": "\\",}",}', {"a": '",}'}),
        ('{"a": "/* b */" /* c */}', {"a": "/* b */"}),
        ("[1]", None),
        ("{", None),
        ("/* a */", {}),
        ("// a\n", {}),
    ],
)
def test_json_has_comments_and_last_commas_outside_of_strings(text: str, table: object) -> None:
    assert read_json(text) == table


def test_the_last_of_two_equal_names_in_an_ini_file_counts() -> None:
    assert read_ini("[a]\nb = 1\nb = 2\n[a]\nc = 3\n") == {"a": {"b": "2", "c": "3"}}
    assert read_ini("a\n") is None


@pytest.mark.parametrize("value", ["]", "[" * 100_000, "1" * 5_000, "0x" + "f" * 9_000])
def test_what_cannot_be_read_is_no_table(value: str) -> None:
    assert read_toml("x = 1") == {"x": 1}
    assert read_toml(f"x = {value}") is None
    assert read_json(f'{{"x": {value}}}') is None
