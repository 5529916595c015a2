"""Suppression comments of other tools, up to their ends."""

from __future__ import annotations

import pytest

from selfreview.syntax.suppression_comments import KINDS, Ranges, is_of_more


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("/* eslint-disable vue-next/no-x */", True),
        ("# pylint: disable=eval-used  # the next-line does it", True),
        ("# ruff: noqa: F821", True),
        ("// eslint-disable-next-line no-eval", False),
        ("/* stylelint-disable-next-line x */", False),
        ("# pylint: disable-next=eval-used", False),
        ("// NOLINTNEXTLINE(x)", False),
        ("// swiftlint:disable:next force_try", False),
        ("// credo:disable-for-next-line", False),
        ("// revive:disable-next-line:x", False),
        ("/* istanbul ignore next */", False),
        ("# yamllint disable-line rule:x", False),
    ],
)
def test_a_comment_on_a_line_of_its_own_covers_more_than_the_next_line_or_not(line: str, more: bool) -> None:
    assert any(pattern.search(line) for _, pattern in KINDS)
    assert is_of_more(line) is more


@pytest.mark.parametrize(("others", "lines"), [(0, range(2, 3)), (19, range(2, 22)), (20, None)])
def test_an_end_behind_too_many_others_is_none(others: int, lines: range | None) -> None:
    start, end, other = (f"# ruff: {word}" for word in ("disable[F821]", "enable[F821]", "enable[E501]"))
    mark = dict(KINDS)["ruff: ignore"].search(start)
    assert mark is not None
    assert Ranges([start, *[other] * others, end]).of(mark, 1) == lines


def test_the_same_lines_are_the_same_wherever_they_are() -> None:
    here, there = Ranges(["p", "q", "a", "b"]), Ranges(["z", "a", "", "  b", "", "y"])
    assert here.digest(range(3, 5)) == there.digest(range(2, 5)) == there.digest(range(2, 6))
    others = [here.digest(lines) for lines in (range(3, 4), range(4, 5), range(2, 5), range(1, 3))]
    assert len({here.digest(range(3, 5)), Ranges(["b", "a"]).digest(range(1, 3)), *others}) == 6
