"""An assertion that a change takes out of a test is told, in whatever framework; one that it rewords is not."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from selfreview.reviewers.rules import RulesReviewer
from selfreview.testing.context import MemoryContext, review
from tests.conftest import Workspace

JAVA = ("TotalTest.java", "class TotalTest {\n    @Test\n    void adds() {\n", "    }\n}\n")
CSHARP = ("TotalTests.cs", "class TotalTests {\n    [Fact]\n    public void Adds()\n    {\n", "    }\n}\n")
PHP = ("TotalTest.php", "<?php\nclass TotalTest {\n    public function testAdds() {\n", "    }\n}\n")
KOTLIN = ("TotalTest.kt", "class TotalTest {\n    @Test\n    fun adds() {\n", "    }\n}\n")
GO = ("total_test.go", "package a\n\nfunc TestAdds(t *testing.T) {\n", "}\n")
SUITE = ("total_test.go", "package a\n\nfunc (s *Suite) TestAdds() {\n", "}\n")
GINKGO = ("total_test.go", 'package a\n\nvar _ = Describe("a", func() {\n    It("adds", func() {\n', "    })\n})\n")
SCRIPT = ("total.test.js", "test('adds', (t) => {\n  const sum = total(1, 2)\n", "})\n")
PYTHON = ("test_total.py", "def test_adds():\n    total = sum([1, 2])\n", "    print(total)\n")
RUST = ("tests/total.rs", "#[test]\nfn adds() {\n    let sum = total(1, 2);\n", "}\n")
RUBY = ("total_spec.rb", "it 'adds' do\n  sum = total(1, 2)\n", "end\n")

Language = tuple[str, str, str]

FRAMEWORKS = {
    "Shouldly": (CSHARP, "        sum.ShouldBe(3);", "        sum.ShouldNotBe(4);"),
    "NSubstitute": (CSHARP, "        bus.Received(1).Send(sum);", "        bus.DidNotReceive().Drop(sum);"),
    "AssertJ BDD": (JAVA, "        then(sum).isEqualTo(3);", "        then(sum).isPositive();"),
    "AssertJ chain": (JAVA, "            .isEqualTo(3)", "            .isPositive();"),
    "MockMvc": (JAVA, "        r.andExpect(status().isOk());", "        r.andExpect(content().string(a));"),
    "testify suite": (SUITE, "    s.Equal(3, sum)", "    s.NotEqual(4, sum)"),
    "testify require": (GO, "    require.NoError(t, err)", "    require.Equal(t, 3, sum)"),
    "Gomega": (GO, "    Expect(sum).To(Equal(3))", "    Expect(sum).NotTo(Equal(4))"),
    "Ginkgo": (GINKGO, "        Expect(sum).To(Equal(3))", "        Expect(sum).NotTo(Equal(4))"),
    "quicktest": (GO, "    c.Assert(sum, qt.Equals, 3)", "    c.Check(sum, qt.Not(qt.Equals), 4)"),
    "tap": (SCRIPT, "  t.equal(sum, 3)", "  t.not(sum, 4)"),
    "tape": (SCRIPT, "  t.ok(sum)", "  t.same(sum, 4)"),
    "node:test": (SCRIPT, "  t.assert.strictEqual(sum, 3)", "  t.assert.ok(sum)"),
    "node:assert": (SCRIPT, "  strictEqual(sum, 3)", "  ok(sum)"),
    "expectTypeOf": (SCRIPT, "  expectTypeOf(sum).toEqualTypeOf()", "  expectTypeOf(sum).toBeNumber()"),
    "supertest": (SCRIPT, "    .expect(200)", "    .expect('hello')"),
    "PHPUnit": (PHP, "        Assert::assertSame(3, $sum);", "        Assert::assertNotSame(4, $sum);"),
    "Laravel": (PHP, "        $response->assertStatus(200);", "        $response->assertSee(1);"),
    "pytest_check": (PYTHON, "    check.equal(total, 3)", "    check.not_equal(total, 4)"),
    "numpy": (PYTHON, "    assert_allclose(total, 3)", "    assert_allclose(total, 3.5)"),
    "unheard of": (PYTHON, "    verify.that(total, 3)", "    ensure_same(total, 3)"),
    "Kotest": (KOTLIN, "        sum shouldBe 3", "        sum.shouldNotBe(4)"),
    "MockK": (KOTLIN, "        verify { bus.send(sum) }", "        coVerify { bus.drop(sum) }"),
    "pretty_assertions": (RUST, "    pretty_assertions::assert_eq!(sum, 3);", "    assert_ne!(sum, 4);"),
    "RSpec": (RUBY, "  expect(sum).to eq(3)", "  expect(sum).not_to eq(4)"),
    "minitest": (RUBY, "  _(sum).must_equal 3", "  sum.wont_equal 4"),
}  # fmt: skip
HEADS = {"AssertJ chain": "        assertThat(sum)", "supertest": "  return request(app)"}


def lost(path: str, old: str, new: str) -> list[str]:
    """Return the lines of the assertions that a change from one text to another is said to lose."""
    path = path if "/" in path else f"tests/{path}"
    told = [f for f in review(RulesReviewer(), MemoryContext({path: (old, new)})) if f.rule == "removed-assertion"]
    return [old.split("\n")[finding.line_start - 1].strip() for finding in told]


@pytest.mark.parametrize(("language", "one", "other"), FRAMEWORKS.values(), ids=FRAMEWORKS)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_assertion_of_any_framework_that_goes_is_told(
    language: Language, one: str, other: str, *, is_first: bool, request: pytest.FixtureRequest
) -> None:
    path, above, below = language
    above += "".join(
        f"{head}\n"
        for name, head in HEADS.items()
        if f"[{name}" in request.node.name or f"-{name}]" in request.node.name
    )
    old = f"{above}{one}\n{other}\n{below}"
    gone, stays = (one, other) if is_first else (other, one)
    assert lost(path, old, f"{above}{stays}\n{below}") == [gone.strip()]


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        (CSHARP, "sum.Value.Should().Be(3);", "sum.Value.ShouldBe(3);"),
        (CSHARP, "act.Should().Throw<Error>().WithMessage(a);", "Should.Throw<Error>(act).Message.ShouldBe(a);"),
        (SCRIPT, "t.throws(() => total(1))", "t.assert.throws(() => total(1))"),
        (SCRIPT, "t.error(err)\nt.same(sum, 3)", "await total(1)\nt.assert.deepStrictEqual(sum, 3)"),
        (GO, "assert.NoError(t, err)", "require.NoError(t, err)"),
        (JAVA, "assertThat(sum)\n    .isEqualTo(3);", "assertEquals(3, sum);"),
        (
            JAVA,
            "assertThat(list).isEqualTo(all);\nassertThat(list).isEqualTo(all);",
            "assertThat(list).isEqualTo(all);",
        ),
        (
            JAVA,
            "assertEquals(\n    3,\n    sum);\nassertEquals(\n    3,\n    sum);",
            "assertEquals(\n    3,\n    sum);",
        ),
        (PYTHON, "assert item.code == 1\nassert item.name == 'a'", "assert (item.code, item.name) == (1, 'a')"),
        # what is done with a value, and what is set up, asserts nothing
        (JAVA, "boolean same = sum.equals(3);\nwhile (it.hasNext()) it.next();", "int same = 1;"),
        (GO, "re := regexp.MustCompile(a)\nif got != expect {\n}", "re := a"),
        (CSHARP, "options.ShouldHandle = args => args.Equals(1);\nit.checkout();", "options = 1;"),
        (RUST, "let sum = sum.expect(a);\nsender.send(1).ok();", "let sum = 1;"),
        (PHP, "$redis->publish(1)->shouldBeCalled();\n$validator = require(1);", "$validator = 1;"),
    ],
)
def test_what_is_reworded_repeated_or_no_assertion_is_not_lost(language: Language, old: str, new: str) -> None:
    path, above, below = language
    margin = "    "
    before, after = (margin + text.replace("\n", f"\n{margin}") + "\n" for text in (old, new))
    assert lost(path, f"{above}{before}{below}", f"{above}{after}{below}") == []


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        (["item.code == 1", "item.name == 'a'", "item.flags == []"], ["int(item.code) == 1", "item.name == 'a'"], 2),
        (["item.code == 1", "item.name == 'a'", "item.flags == []"], ["item.name == 'b'", "item.flags == [1]"], 0),
        (["item.code == 1", "item.name == 'a'", "item.flags == []"], ["len(item.flags) == 0", "1 == item.code"], 1),
        (["queue.empty()", "queue.put(1) is None", "queue.empty()"], ["queue.empty()", "queue.put(1) is None"], 2),
    ],
)
def test_the_assertion_that_is_gone_is_named_rather_than_one_that_is_reworded(
    old: list[str], new: list[str], gone: int
) -> None:
    before, after = (
        "def test_item(item, queue):\n" + "".join(f"    assert {e}\n" for e in side) for side in (old, new)
    )
    assert lost("test_item.py", before, after) == [f"assert {old[gone]}"]


def test_two_tests_of_one_name_are_compared_each_with_its_own() -> None:
    one = "describe :{0} do\n  it 'adds' do\n    expect({0}).to eq(1)\n    expect({0}.size).to eq(2)\n  end\nend\n"
    old = one.format("link") + one.format("style")
    assert lost("total_spec.rb", old, old.replace("    expect(link.size).to eq(2)\n", "")) == [
        "expect(link.size).to eq(2)"
    ]


def test_a_run_tells_it_and_does_not_pass(workspace: Workspace) -> None:
    above, below = PYTHON[1:]
    old = f"{above}    assert total == 3\n    assert total\n{below}"
    workspace.git("switch", "--quiet", "main")
    workspace.commit("before", **{"tests/test_total.py": old})
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.write("tests/test_total.py", old.replace("    assert total\n", ""))
    ran = workspace.selfreview("run", "--no-fix", "--format", "json")
    assert ran.code == ExitCode.ISSUES
    assert [issue["lineStart"] for issue in ran.json["issues"] if issue["rule"] == "removed-assertion"] == [4]
