"""What is posted is within the limit, whole characters, its code blocks closed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfreview.pullrequest.forges.github.comments import fit, open_fence

_LINE = st.sampled_from(
    ["```", "````", "```python", "~~~", "~~~~ x", "   ```", "    ```", "``` a`b", "text", "", "e\u0301 👩‍👩‍👧"]
)


def test_case_61_what_fits_is_as_it_was() -> None:
    assert fit("```\nopen", 300) == "```\nopen"
    assert fit("x" * 300, 300) == "x" * 300


@given(st.lists(_LINE, min_size=60, max_size=120).map("\n".join), st.integers(150, 250))
def test_case_61_what_is_cut_is_closed_and_within_the_limit(text: str, limit: int) -> None:
    cut = fit(text, limit)
    if len(text) <= limit:
        assert cut == text
        return
    assert len(cut) <= limit
    assert open_fence(cut) == ""
    body, _, note = cut.rpartition("\n\n")
    assert "cut" in note
    kept = body.rpartition("\n")[0] if not text.startswith(body) else body
    assert text.startswith(kept)


def test_case_61_no_character_is_torn() -> None:
    family = "👩🏽‍👩‍👧"
    for shift in range(8):
        cut = fit("a" * shift + family * 100, 250)
        body = cut.rpartition("\n\n")[0][shift:]
        assert body == family * (len(body) // len(family))
    accents = fit("e\u0301" * 300, 251).rpartition("\n\n")[0]
    assert accents.endswith("\u0301")


def test_case_61_what_no_forge_takes_is_replaced() -> None:
    assert fit("a\0b\ud800c", 300) == "a\ufffdb\ufffdc"


@given(st.text(max_size=2000), st.integers(150, 400))
def test_case_61_any_text_is_cut(text: str, limit: int) -> None:
    cut = fit(text, limit)
    assert len(cut) <= limit
    cut.encode("utf-8")


def test_a_fence_is_closed_by_one_that_is_as_long() -> None:
    assert open_fence("````\n```\ncode") == "````"
    assert open_fence("````\n`````") == ""
    assert open_fence("~~~\n```") == "~~~"
    assert open_fence("```\r\n```\r\n") == ""
    assert open_fence("``` a`b") == ""
    assert open_fence("    ```") == ""
