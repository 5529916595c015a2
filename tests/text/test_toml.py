"""TOML that anybody may have written: whatever is wrong with it is one kind of error."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import selfreview
from selfreview.text.toml import parse_toml

DIGITS = sys.get_int_max_str_digits() + 700
HOSTILE = {
    "x = ]": "Invalid value",
    "x = " + "[" * 100_000: "nested too deeply",
    "x = " + "1" * DIGITS: "a number has too many digits",
    "x = 0x1" + "0" * 3500: "a number has too many digits",
    "x = 0x" + "f" * DIGITS: "a number has too many digits",
    "[a]\nx = [{ y = 0x" + "f" * DIGITS + " }]": "a number has too many digits",
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_cannot_be_read_is_a_value_error_that_says_what_is_wrong(text: str) -> None:
    with pytest.raises(ValueError, match=HOSTILE[text]) as error:
        parse_toml(text)
    assert len(str(error.value)) < 100


def test_what_is_no_number_of_64_bits_is_for_others_to_judge() -> None:
    assert parse_toml("x = 0x" + "f" * 3500) == {"x": 2**14_000 - 1}


def test_nobody_reads_toml_in_another_way() -> None:
    root = Path(selfreview.__file__).parent
    readers = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if re.search(
        r"\btomllib\.loads?\b", path.read_text(encoding="utf-8")
    )}  # fmt: skip
    assert readers == {"text/toml.py"}
