"""Assertions that a change removes from tests."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Removal, Rule

RULES = (
    Rule(
        id="removed-assertion",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test {name} asserts less than before: what this line checked is checked no more.",
        suggestion="Keep the assertion, or replace it by one that checks the new behaviour.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "python",
                """
                class TestSum:
                    @pytest.mark.slow
                    def test_sum(self):
                        result = total([1, 2])
                        assert result == 3  <--
                        assert result.exact
                """,
                """
                class TestSum:
                    @pytest.mark.slow
                    def test_sum(self):
                        result = total([1, 2])
                        assert result.exact
                """,
            ),
            Removal(
                "javascript",
                """
                describe('total', () => {
                  it('adds', () => {
                    expect(total([1, 2])).toBe(3);  <--
                    expect(total([])).toBe(0);
                  });
                });
                """,
                """
                describe('total', () => {
                  it('adds', () => {
                    expect(total([])).toBe(0);
                  });
                });
                """,
            ),
            Removal(
                "go",
                """
                func TestSum(t *testing.T) {
                    if got := Total(1, 2); got != 3 {
                        t.Errorf("got %d", got)  <--
                    }
                    Total()
                }
                """,
                """
                func TestSum(t *testing.T) {
                    Total()
                }
                """,
            ),
            Removal(
                "java",
                """
                class TotalTest {
                    @Test
                    void adds() {
                        Total total = new Total(1, 2);
                        assertEquals(3, total.value());  <--
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    void adds() {
                        Total total = new Total(1, 2);
                    }
                }
                """,
            ),
            Removal(
                "ruby",
                """
                describe Total do
                  it 'adds' do
                    total = Total.new(1, 2)
                    expect(total.value).to eq(3)  <--
                  end
                end
                """,
                """
                describe Total do
                  it 'adds' do
                    total = Total.new(1, 2)
                  end
                end
                """,
            ),
            Removal(
                "php",
                """
                class TotalTest extends TestCase {
                    public function testAdds() {
                        $total = new Total(1, 2);
                        $this->assertSame(3, $total->value());  <--
                    }
                }
                """,
                """
                class TotalTest extends TestCase {
                    public function testAdds() {
                        $total = new Total(1, 2);
                    }
                }
                """,
            ),
            Removal(
                "csharp",
                """
                class TotalTests {
                    [Fact]
                    public void Adds() {
                        var total = new Total(1, 2);
                        Assert.Equal(3, total.Value);  <--
                    }
                }
                """,
                """
                class TotalTests {
                    [Fact]
                    public void Adds() {
                        var total = new Total(1, 2);
                    }
                }
                """,
            ),
            Removal(
                "rust",
                """
                #[test]
                fn adds() {
                    let result = total(&[1, 2]);
                    assert_eq!(result, 3);  <--
                }
                """,
                """
                #[test]
                fn adds() {
                    let result = total(&[1, 2]);
                }
                """,
            ),
            Removal(
                "kotlin",
                """
                class TotalTest {
                    @Test
                    fun adds() {
                        val total = Total(1, 2)
                        assertEquals(3, total.value)  <--
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    fun adds() {
                        val total = Total(1, 2)
                    }
                }
                """,
            ),
            Removal(
                "java",
                """
                class TotalTest {
                    @Test
                    public void adds() {
                        try {
                            Total.of(1, 2);
                        } catch (IOException e) {
                            fail(e.getMessage());  <--
                        }
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    public void adds() {
                        try {
                            Total.of(1, 2);
                        } catch (IOException e) {
                            e.printStackTrace();
                        }
                    }
                }
                """,
            ),
            Removal(
                "java",
                """
                class TotalTest {
                    @Test
                    public void adds() {
                        Total total = new Total();
                        try {
                            total.add(1);
                        } catch (IOException e) {
                            fail(e.getMessage());  <--
                        }
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    public void adds() {
                        Total total = new Total();
                    }
                }
                """,
            ),
            Removal(
                "java",
                """
                class TotalTest {
                    @Test
                    public void refuses() {
                        try {
                            Total.of(1, null);
                            fail("taken");  <--
                        } catch (IllegalArgumentException e) {
                        }
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    public void refuses() {
                        Total.of(1, null);
                    }
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
                    assert total([1, 2]) == 4
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                    assert total([]) == 0
                """,
                """
                def test_sum():
                    assert total([1, 2]) == 3


                def test_sum_of_nothing():
                    assert total([]) == 0
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                    assert total([]) == 0
                """,
                """
                def test_sum():
                    check_total([1, 2], 3)
                    check_total([], 0)
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1, 2]) == 3
                    assert total([]) == 0
                    assert total([5]) == 5
                """,
                """
                @pytest.mark.parametrize(("numbers", "expected"), [([1, 2], 3), ([], 0), ([5], 5)])
                def test_sum(numbers, expected):
                    assert total(numbers) == expected
                """,
            ),
            Removal(
                "python",
                """
                def test_sum():
                    assert total([1]) == 1
                    assert total([5]) == 5
                """,
                """
                def test_sum():
                    for number in (1, 5):
                        assert total([number]) == number
                """,
            ),
            Removal(
                "java",
                """
                class TotalTest {
                    @Test
                    public void adds() {
                        try {
                            Total total = Total.of(1, 2);
                            assertEquals(3, total.value());
                        } catch (IOException e) {
                            fail(e.getMessage());
                        }
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    public void adds() throws IOException {
                        Total total = Total.of(1, 2);
                        assertEquals(3, total.value());
                    }
                }
                """,
            ),
            Removal(
                "csharp",
                """
                class TotalTests {
                    [Fact]
                    public void Adds() {
                        try
                        {
                            Total.Of(1, 2);
                        }
                        catch (Exception e)
                        {
                            Assert.Fail(e.Message);
                        }
                    }
                }
                """,
                """
                class TotalTests {
                    [Fact]
                    public void Adds() {
                        Total.Of(1, 2);
                    }
                }
                """,
            ),
            Removal(
                "kotlin",
                """
                class TotalTest {
                    @Test
                    fun adds() {
                        try {
                            assertEquals(3, Total(1, 2).value)
                        } catch (e: IOException) {
                            fail("no total")
                        }
                    }
                }
                """,
                """
                class TotalTest {
                    @Test
                    fun adds() {
                        assertEquals(3, Total(1, 2).value)
                    }
                }
                """,
            ),
            Removal(
                "javascript",
                """
                it('adds', async () => {
                  try {
                    expect(await total([1, 2])).toBe(3);
                  } catch (error) {
                    assert.fail(error);
                  }
                });
                """,
                """
                it('adds', async () => {
                  expect(await total([1, 2])).toBe(3);
                });
                """,
            ),
            Removal(
                "ruby",
                """
                def test_adds
                  begin
                    assert_equal 3, total(1, 2)
                  rescue ArgumentError
                    flunk 'no total'
                  end
                end
                """,
                """
                def test_adds
                  assert_equal 3, total(1, 2)
                end
                """,
            ),
            Removal(
                "rust",
                """
                #[test]
                fn adds() {
                    match total(&[1, 2]) {
                        Ok(sum) => assert_eq!(sum, 3),
                        Err(error) => panic!("{error}"),
                    }
                }
                """,
                """
                #[test]
                fn adds() -> Result<(), Error> {
                    assert_eq!(total(&[1, 2])?, 3);
                    Ok(())
                }
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
                it('adds up', () => {
                  expect(total([1, 2])).toBe(3);
                });
                """,
            ),
        ),
    ),
)
