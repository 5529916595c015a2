"""Long texts are cut so that every place belongs to one window, and each window shows what is around its places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfreview.scan.windows import AFTER, BEFORE, OWN, windows

TEXTS = st.lists(st.integers(0, 3 * OWN), max_size=8).map(lambda sizes: "\n".join("x" * size for size in sizes))


@given(TEXTS)
def test_every_place_belongs_to_exactly_one_window(text: str) -> None:
    place = 0
    for window in windows(text):
        assert window.own_start == place < window.own_end
        place = window.own_end
    assert place == len(text)


@given(TEXTS)
def test_a_window_is_bounded_and_shows_what_is_around_its_part(text: str) -> None:
    for window in windows(text):
        assert window.end - window.start <= OWN + 2 * BEFORE + AFTER
        assert window.start <= max(0, window.own_start - BEFORE)
        assert window.end == min(len(text), window.own_end + AFTER)


def test_cuts_at_line_breaks() -> None:
    text = ("word " * 20 + "\n") * 1_000
    cut = list(windows(text))
    assert len(cut) > 3
    for window in cut[1:]:
        assert text[window.own_start - 1] == "\n"
        assert text[window.start - 1] == "\n"


def test_an_empty_text_has_no_window() -> None:
    assert not list(windows(""))
