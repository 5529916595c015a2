"""Tests that a change removes."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.common._words import WORDS
from selfreview.rules.rule import Removal, Rule

LANGUAGES = tuple(WORDS)

RULES = (
    Rule(
        id="removed-test",
        languages=LANGUAGES,
        severity=Severity.LOW,
        category=Category.TESTING,
        message="The test {name} is gone, and no new one takes its place in this file.",
        suggestion="Make sure that what it checked is checked elsewhere, or needed no more.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "python",
                """
                def test_sum():  <--
                    assert total([1, 2]) == 3


                def test_none():
                    assert total([]) == 0
                """,
                """
                def test_none():
                    assert total([]) == 0
                """,
            ),
            Removal(
                "javascript",
                """
                it('adds', () => {  <--
                  expect(total([1, 2])).toBe(3);
                });
                it('takes none', () => {
                  expect(total([])).toBe(0);
                });
                """,
                """
                it('takes none', () => {
                  expect(total([])).toBe(0);
                });
                """,
            ),
        ),
        good=(
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
                """
                def test_total():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3


                def helper(numbers):
                    return total(numbers)
                """,
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
        ),
    ),
)
