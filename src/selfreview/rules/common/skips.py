"""Tests that a change removes or turns off."""

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
    Rule(
        id="existing-test-skipped",
        languages=LANGUAGES,
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test {name} ran before this change and is off after it, without a reason.",
        suggestion="Mend the test, or say why it has to be off.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
                """
                @pytest.mark.skip  <--
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "javascript",
                """
                it('adds', () => {
                  expect(total([1, 2])).toBe(3);
                });
                """,
                """
                it.skip('adds', () => {  <--
                  expect(total([1, 2])).toBe(3);
                });
                """,
            ),
            Removal(
                "go",
                """
                func TestSum(t *testing.T) {
                    check(t, Total(1, 2), 3)
                }
                """,
                """
                func TestSum(t *testing.T) {
                    t.Skip()  <--
                    check(t, Total(1, 2), 3)
                }
                """,
            ),
            Removal(
                "java",
                """
                class TotalTest {
                    @Test
                    void adds() {
                        assertEquals(3, new Total(1, 2).value());
                    }
                }
                """,
                """
                class TotalTest {
                    @Disabled  <--
                    @Test
                    void adds() {
                        assertEquals(3, new Total(1, 2).value());
                    }
                }
                """,
            ),
            Removal(
                "ruby",
                """
                it 'adds' do
                  expect(Total.new(1, 2).value).to eq(3)
                end
                """,
                """
                xit 'adds' do  <--
                  expect(Total.new(1, 2).value).to eq(3)
                end
                """,
            ),
            Removal(
                "rust",
                """
                #[test]
                fn adds() {
                    assert_eq!(total(&[1, 2]), 3);
                }
                """,
                """
                #[test]
                #[ignore]  <--
                fn adds() {
                    assert_eq!(total(&[1, 2]), 3);
                }
                """,
            ),
        ),
        also=("python-skip-without-reason", "go-skip-without-reason", "java-disabled-test", "rust-ignored-test"),
        good=(
            Removal(
                "python",
                """
                @pytest.mark.skip
                def test_sum():
                    assert total([1, 2]) == 3
                """,
                """
                @pytest.mark.skip
                def test_sum():
                    assert total([1, 2]) == 4
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
                """
                @pytest.mark.skipif(os.name == "nt", reason="no fork")
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
        ),
    ),
    Rule(
        id="existing-test-skipped-for",
        languages=LANGUAGES,
        severity=Severity.LOW,
        category=Category.TESTING,
        message="The test {name} ran before this change and is off after it.",
        suggestion="Mend the test, or make sure that somebody will.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
                """
                @pytest.mark.skip(reason="the service is down")  <--
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "go",
                """
                func TestSum(t *testing.T) {
                    check(t, Total(1, 2), 3)
                }
                """,
                """
                func TestSum(t *testing.T) {
                    t.Skip("the service is down")  <--
                    check(t, Total(1, 2), 3)
                }
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
                def test_sum():
                    assert total([1, 2]) == 3


                @pytest.mark.skip(reason="the service is down")
                def test_service():
                    assert service.total([1, 2]) == 3
                """,
            ),
        ),
    ),
)
