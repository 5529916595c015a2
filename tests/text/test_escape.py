import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.text.escape import json_safe, visible

SHOWN_AS_THEY_ARE = {"\ufe0e", "\ufe0f"}  # they choose between text and picture, and are part of common emoji


def test_every_invisible_character_of_unicode_becomes_visible():
    hidden = [
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and visible(char) == char
    ]
    assert hidden == []


def test_every_default_ignorable_character_becomes_visible():
    ranges = [
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0D),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0xE0000, 0xE0FFF),
    ]
    hidden = [hex(code) for first, last in ranges for code in range(first, last + 1) if visible(chr(code)) == chr(code)]
    assert hidden == []


def test_letters_of_all_scripts_marks_and_emoji_are_left_alone():
    text = "naïve été 日本語 हिन्दी العربية עברית ภาษา ❤️ 👍 — … · │"
    assert visible(text) == text
    assert all(visible(char) == char for char in SHOWN_AS_THEY_ARE)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\x00\x7f", "\\x00\\x7f"),
        ("\u202eevil", "<U+202E>evil"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "<U+D800>"),
        ("\U000e0041", "<U+E0041>"),
        ("\x80\udc80\udcff\udc7f", "<U+0080>\\x80\\xff<U+DC7F>"),
    ],
)
def test_what_cannot_be_seen_is_spelt_out(text, shown):
    assert visible(text) == shown


def test_a_byte_and_the_character_of_the_same_number_are_told_apart():
    assert visible("\udc9b") != visible("\x9b")


@given(st.text(alphabet=st.characters()))
def test_visible_text_is_one_encodable_line_and_stays_as_it_is(text):
    once = visible(text)
    assert visible(once) == once
    assert len(once.splitlines()) <= 1
    once.encode("utf-8")


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_json_safe_changes_the_spelling_and_not_the_value(value):
    document = json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8")
    safe = json_safe(document)
    assert json.loads(safe) == value
    assert all(visible(char) == char for char in safe.decode("utf-8") if char != "\n")


@pytest.mark.parametrize("text", ["\x7f", "\uffff", "\U000e0000", "\U000e0fff"])
def test_json_safe_escapes_the_first_and_the_last_of_a_kind(text):
    safe = json_safe(json.dumps(text, ensure_ascii=False).encode("utf-8"))
    assert safe.isascii()
    assert json.loads(safe) == text
    assert b"\\u" in safe
