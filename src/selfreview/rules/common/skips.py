"""Tests that a change turns off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.common._words import WORDS
from selfreview.rules.rule import Removal, Rule

LANGUAGES = tuple(WORDS)

TOLD_BY_COMPARISON = frozenset(
    {
        "python-skip-without-reason", "javascript-skipped-test", "go-skip-without-reason", "java-disabled-test",
        "kotlin-disabled-test", "csharp-disabled-test", "ruby-skipped-test", "php-skip-without-reason",
        "rust-ignored-test",
    }
)  # fmt: skip
"""Rules on any skip that a comparison reports better for a test that ran before."""

_GO_PLATFORMS = "linux|darwin|windows|unix|freebsd|netbsd|openbsd|amd64|arm64|386|arm|js|wasm|cgo|gc|race|go1"
SKIPS_OF_MANY = {
    "python": r"^pytestmark\b[^=\n]*=\s*(?:\[[^\]]*?|[^\n]*?)\bmark\.(?:skip\b|xfail\b(?!\s*\(\s*[^)\s]))"
    r"|^(?:pytest\.)?skip\(|^__test__\s*=\s*False\b|^(?:sys\.)?exit\(\s*\d*\s*\)"
    r"|^raise\s+(?:SystemExit|(?:unittest\.)?SkipTest|pytest\.skip\.Exception)\b(?!\(\s*\w+\()"
    r"|(?P<group>^[ \t]*@(?:(?:pytest\.)?mark\.|unittest\.)?skip\b[^:]*?^[ \t]*class\b)",
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"),
        r"(?P<group>\b(?:describe|context|suite)(?:\.\w+)*\.skip\b[\w.]*\(|\bx(?:describe|context)\()",
    ),
    "go": rf"^//go:build\b(?=[^\n]*(?<![!\w.])(?!(?:{_GO_PLATFORMS})\b)[a-z])"
    r"|^func TestMain\((?P<m>\w+) \*testing\.M\) \{(?:(?:(?!\b(?P=m)\b)[^\n])*\}$|(?:(?!\b(?P=m)\b|^\})[\s\S])*^\})",
    **dict.fromkeys(("java", "kotlin"), r"(?P<group>^[ \t]*@(?:Disabled|Ignore)\b[^;{}]*?\bclass\b)"),
    "csharp": r"(?P<group>^[ \t]*\[Ignore\b[^;{}]*?\bclass\b)",
    "ruby": r"(?P<group>\bx(?:describe|context|feature)\b)",
}
"""Patterns that turn off all tests of a file, or of the block that begins with ``group``, by language."""

RULES = (
    Rule(
        id="existing-test-skipped",
        languages=LANGUAGES,
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test {name} ran before this change and never does after it.",
        suggestion="Mend the test, or remove it with what it checks; give a condition where it can run in some places.",
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
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
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
        message="The test {name} always ran before this change and does not count in some cases after it.",
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
                @pytest.mark.xfail(reason="rounds wrongly")  <--
                def test_sum():
                    assert total([1, 2]) == 3
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                """,
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
