"""Tests that a change turns off or removes."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Removal, Rule

_TEST = """
    def test_sum():
        assert total([1, 2]) == 3
"""
"""Test that runs, and checks something."""

RULES = (
    Rule(
        id="existing-test-skipped",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test {name} ran before this change and never does after it.",
        suggestion="Mend the test, or remove it with what it checks; give a condition where it can run in some places.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "python",
                _TEST,
                """
                @pytest.mark.skip  <--
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "python",
                """
                class TotalTest(TestCase):
                    def test_sum(self):
                        self.assertEqual(total([1, 2]), 3)
                """,
                """
                class TotalTest(TestCase):
                    @unittest.skip('later')  <--
                    def test_sum(self):
                        self.assertEqual(total([1, 2]), 3)
                """,
            ),
            Removal(
                "python",
                _TEST,
                """
                @pytest.mark.skip(  <--
                    reason="the service is down"
                )
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "typescript",
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
                "typescript",
                """
                test('adds', () => {
                  expect(total([1, 2])).toBe(3);
                });
                """,
                """
                test.todo('adds', () => {  <--
                  expect(total([1, 2])).toBe(3);
                });
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
                _TEST,
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
        severity=Severity.LOW,
        category=Category.TESTING,
        message="The test {name} always ran before this change and does not count in some cases after it.",
        suggestion="Mend the test, or make sure that somebody will.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "python",
                _TEST,
                """
                @pytest.mark.xfail(reason="rounds wrongly")  <--
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "python",
                _TEST,
                """
                def test_sum():
                    if os.name == "nt":
                        pytest.skip("no fork")  <--
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
                    if testing.Short() {
                        t.Skip("takes a minute")  <--
                    }
                    check(t, Total(1, 2), 3)
                }
                """,
            ),
        ),
        good=(
            Removal(
                "python",
                _TEST,
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
    Rule(
        id="removed-test",
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
                _TEST,
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
                _TEST,
            ),
        ),
    ),
    Rule(
        id="removed-test-files",
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
