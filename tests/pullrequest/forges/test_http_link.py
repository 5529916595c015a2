"""Pages are followed to where the header says, and a header can be anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.pullrequest.forges.http.client import next_page

_URL = st.text(st.characters(exclude_characters="<>", min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=40)
_REL = st.sampled_from(["prev", "last", "first", "nextish", "up", ""])


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('<https://h/p?page=2>; rel="next", <https://h/p?page=9>; rel="last"', "https://h/p?page=2"),
        ('<https://h/p?page=1>; rel="prev", <https://h/p?page=3>; rel="next"', "https://h/p?page=3"),
        ("<https://h/p?a=1,2;3>; rel=next", "https://h/p?a=1,2;3"),
        ('<https://h/p>; title="a, <b>; rel=\\"next\\""; rel="last", <https://h/q>; REL="Next"', "https://h/q"),
        ('<https://h/p>; rel="last next"', "https://h/p"),
        ('<https://h/p>; rel="last"; rel="next"', None),
        ("<https://h/p>", None),
        ("https://h/p; rel=next", None),
        ("<https://h/p; rel=next", None),
        ("", None),
        (None, None),
    ],
)
def test_the_next_page(header: str | None, expected: str | None) -> None:
    assert next_page(header) == expected


@given(st.lists(st.tuples(_URL, _REL), max_size=5), _URL, st.lists(st.tuples(_URL, _REL), max_size=3), st.booleans())
def test_the_next_page_is_found_among_any(
    before: list[tuple[str, str]], url: str, after: list[tuple[str, str]], quoted: bool
) -> None:
    parts = [f'<{link}>; rel="{rel}"' for link, rel in before]
    parts.append(f'<{url}>; rel="next"' if quoted else f"<{url}>; rel=next")
    parts += [f'<{link}>; rel="{rel}"' for link, rel in after]
    assert next_page(", ".join(parts)) == url


@given(st.lists(st.tuples(_URL, _REL), max_size=5))
def test_without_a_next_there_is_none(links: list[tuple[str, str]]) -> None:
    assert next_page(", ".join(f'<{link}>; rel="{rel}"' for link, rel in links)) is None


@given(st.text())
def test_any_text_is_read(header: str) -> None:
    found = next_page(header)
    assert found is None or f"<{found}>" in header
