"""JSON with comments."""

from __future__ import annotations

import pytest

from selfreview.text.json_text import has_comments, plain_json


@pytest.mark.parametrize(
    ("text", "plain", "comments"),
    [
        ('{"a": "// b /* c */,}"}', '{"a": "// b /* c */,}"}', False),
        ('{ // é b\n"a": [1,\n],}', '{       \n"a": [1 \n] }', True),
        ('/* a\n  b */{"c": "\\",}",\n}', '    \n      {"c": "\\",}" \n}', True),
        ("1 /* a", "1     ", True),
        ('"a // b', '"a // b', False),
    ],
)
def test_comments_and_last_commas_become_blanks_in_their_place(text: str, plain: str, comments: bool) -> None:
    assert (plain_json(text), has_comments(text)) == (plain, comments)
    assert len(plain) == len(text)
