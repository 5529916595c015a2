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
        message="The test {name} is gone, and no new one takes its place.",
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
    Rule(
        id="removed-test-files",
        languages=LANGUAGES,
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="{name}: deleted, though no code that these tests name is.",
        suggestion="Keep them, or say in the change where what they check is checked now, or why it need not be.",
        needs=(),
        coded=True,
        bad=(
            Removal("python", "def test_sum():\n    assert total([1, 2]) == 3\n", None),
            Removal("typescript", "it('adds', () => {\n  expect(total([1, 2])).toBe(3);\n});\n", None),
            Removal("go", "func TestSum(t *testing.T) {\n\tassert.Equal(t, 3, Total(1, 2))\n}\n", None),
        ),
        good=(
            Removal("python", "def total_of(numbers):\n    assert numbers\n    return sum(numbers)\n", None),
            Removal("go", "func total(t *testing.T) int {\n\treturn 3\n}\n", None),
        ),
    ),
)
