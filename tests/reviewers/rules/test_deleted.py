"""Deleted test files are one issue for each group; tests that move are none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from selfreview.errors import ExitCode
from selfreview.model.issue import Finding, Severity
from selfreview.reviewers.rules import RulesReviewer
from selfreview.testing.context import MemoryContext, review
from tests.conftest import Workspace

Files = Mapping[str, tuple[str | None, str | None]]


def python(*names: str, of: str = "app") -> str:
    """Return a module of tests of a module, by their names."""
    return f"from {of} import load\n" + "".join(
        f"\n\ndef test_{name}():\n    made = load({name!r})\n    assert made.{name} == {len(name)}\n" for name in names
    )


JAVA = """class CacheTest {
    @Test public void keeps() {
        Cache cache = new Cache();
        assertEquals(1, cache.put("a"));
        assertEquals(1, cache.get("a"));
    }
}
"""
KOTLIN = """class CacheTest {
    @Test fun keeps() {
        val cache = Cache()
        assertThat(cache.put("a")).isEqualTo(1)
        assertThat(cache["a"]).isEqualTo(1)
    }
}
"""
JS = """describe('cart', () => {
  it('adds', () => {
    const cart = new Cart();
    cart.add('a', 2);
    expect(cart.total()).toBe(2);
  });
});
"""
GO = """package cart

func TestAdds(t *testing.T) {
	cart := New()
	if got := cart.Add(2); got != 2 {
		t.Errorf("got %d", got)
	}
}
"""
CSHARP = """class CartTests
{
    [Test]
    public void Adds()
    {
        Assert.AreEqual(2, new Cart().Add(2));
    }
}
"""
RUBY = "describe Cart do\n  it 'adds' do\n    cart = Cart.new\n    expect(cart.add(2)).to eq(2)\n  end\nend\n"
PHP = """<?php
class CartTest extends TestCase {
    public function testAdds() {
        $cart = new Cart();
        $this->assertSame(2, $cart->add(2));
    }
}
"""


def found(files: Files, **others: str) -> list[Finding]:
    named = {path.replace("__", "/") + ".py": text for path, text in others.items()}
    findings = review(RulesReviewer(), MemoryContext(files, others=named))
    return [finding for finding in findings if (finding.rule or "").startswith("removed-test")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_app.py", python("one", "two")),
        ("src/test/java/CacheTest.java", JAVA),
        ("src/test/kotlin/CacheTest.kt", KOTLIN),
        ("web/cart.test.ts", JS),
        ("cart/cart_test.go", GO),
        ("spec/cart_spec.rb", RUBY),
        ("tests/CartTest.php", PHP),
    ],
)
def test_a_file_of_tests_that_goes_alone_blocks(path: str, text: str) -> None:
    (finding,) = found({path: (text, None)})
    assert (finding.file, finding.severity) == (path, Severity.MEDIUM)
    assert "no code that these tests name is" in finding.description
    assert f"{path.rpartition('/')[2]} ({1 + ('two' in text)})" in finding.description


@pytest.mark.parametrize(
    "files",
    [
        # the module that they test goes too
        {"tests/test_app.py": (python("one"), None), "app.py": ("def load(name):\n    return name\n", None)},
        # what they name is gone from a module that stays
        {
            "tests/test_more.py": (python("one").replace("load", "load_all"), None),
            "app.py": ("def load_all():\n    return 1\n\n\nLIMIT = 2\n", "LIMIT = 2\n"),
        },
        # they are called after a part of what a file is called that goes
        {"test/interceptor.test.js": (JS, None), "lib/redirect-interceptor.js": ("module.exports = 1\n", None)},
        {"tests/test_hex.py": (python("one"), None), "hex.py": ("X = 1\n", None)},
        # a method of a class that stays is gone
        {
            "tests/test_more.py": (python("one").replace("load", "load_all"), None),
            "app.py": ("class App:\n    def load_all(self):\n        return 1\n", "class App:\n    LIMIT = 2\n"),
        },
        # a constant is gone
        {"tests/test_more.py": (python("one").replace("load", "LOADER"), None), "app.py": ("LOADER = 1\n", "X = 1\n")},
        # a file that they are called after loses code
        {"cart/cart_test.go": (GO, None), "cart/cart.go": ("package cart\n\nvar a = 1\n", "package cart\n")},
    ],
)
def test_with_code_that_they_test_they_do_not_block(files: Files) -> None:
    (finding,) = found(files)
    assert finding.severity is Severity.LOW
    assert "along with code that these tests name" in finding.description


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def load(name):\n    load_one = name\n    return load_one\n", "def load(name):\n    return name\n"),
        ("LIMIT = 2  # not load_one\nX = 1\n", "LIMIT = 2\nX = 1\n"),
        ("LIMIT = 'load_one'\n", "LIMIT = ''\n"),
        ("from other import load_one\n\nLIMIT = 2\n", "LIMIT = 2\n"),
    ],
    ids=["local", "comment", "text", "import"],
)
def test_a_word_that_vanishes_from_the_product_is_no_code_that_they_test(before: str, after: str) -> None:
    files: Files = {"tests/test_load.py": (python("one").replace("made", "load_one"), None), "app.py": (before, after)}
    (finding,) = found(files)
    assert finding.severity is Severity.MEDIUM


def test_a_line_that_goes_from_what_they_are_called_after_is_none_either() -> None:
    product = "LIMIT = 2\n# the most\n"
    (finding,) = found({"tests/test_app.py": (python("one"), None), "app.py": (product, "LIMIT = 2\n")})
    assert finding.severity is Severity.MEDIUM


MOVED = {
    "to another file": {
        "tests/test_app.py": (python("one", "two"), None),
        "tests/unit/test_load.py": (None, python("one", "two")),
    },
    "into several": {
        "tests/test_app.py": (python("one", "two"), None),
        "tests/test_one.py": (None, python("one")),
        "tests/test_two.py": (python("three"), python("three", "two")),
    },
    "out of a file that stays": {
        "tests/test_app.py": (python("one", "two"), python("one")),
        "tests/test_two.py": (None, python("two")),
    },
    "under another name": {
        "tests/test_app.py": (python("one"), None),
        "tests/test_load.py": (None, python("one").replace("def test_one", "def test_the_first")),
    },
    "to a name that its project looks for": {
        "tests/app.py": (python("one"), None),
        "app/checks.py": (None, python("one")),
    },
    "from Java to Kotlin": {"test/CacheTest.java": (JAVA, None), "test/CacheTest.kt": (None, KOTLIN)},
    "from JavaScript to TypeScript": {
        "test/cart.js": (JS, None),
        "src/cart.spec.ts": (None, JS.replace("toBe(2)", "toEqual<number>(2)")),
    },
    "to another package": {"cart/cart_test.go": (GO, None), "shop/cart_test.go": (None, GO)},
}  # fmt: skip


@pytest.mark.parametrize("files", MOVED.values(), ids=MOVED)
def test_a_test_that_moves_is_not_gone(files: Files) -> None:
    assert found(files) == []


@pytest.mark.parametrize(
    ("stays", "count"),
    [
        (python("one", "two"), 0),
        (python("one", "two", "three"), 0),
        (python("one"), 1),
        (python("one", "two").replace("def test_two", "@pytest.mark.skip\ndef test_two"), 1),
    ],
)
def test_the_same_test_in_a_file_of_that_name_that_stays_is_as_good(
    workspace: Workspace, stays: str, count: int
) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("tests", **{"tests/alt/test_app.py": python("one", "two"), "tests/main/test_app.py": stays})
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.git("rm", "-q", "tests/alt/test_app.py")
    ran = workspace.here("run", "--no-fix", "--format", "json")
    assert [issue["rule"] for issue in ran.json["issues"]].count("removed-test-files") == count, ran


NOT_MOVED = {
    "emptied": python("one").replace("    made = load('one')\n    assert made.one == 3\n", "    pass\n"),
    "without what it asserts": python("one").replace("    assert made.one == 3\n", "    print(made)\n"),
    "turned off": python("one").replace("def test", "@pytest.mark.skip\ndef test"),
    "another": python("other").replace("load", "save"),
}


def test_a_test_that_moves_to_where_none_is_looked_for_is_gone() -> None:
    files: Files = {"tests/test_app.py": (python("one"), None), "app/checks.py": (None, python("one"))}
    assert [finding.severity for finding in found(files)] == [Severity.MEDIUM]


@pytest.mark.parametrize("there", NOT_MOVED.values(), ids=NOT_MOVED)
def test_a_test_that_says_less_elsewhere_is_gone(there: str) -> None:
    files: Files = {"tests/deep/test_app.py": (python("one", "two"), None), "other/tests/test_app.py": (None, there)}
    (finding,) = found(files)
    assert finding.severity is Severity.MEDIUM
    assert "2 tests in 1 file of tests/, deep/test_app.py (2)" in finding.description


def test_a_name_stands_for_one_test_only() -> None:
    files: Files = {f"{name}/test_app.py": (python("one", of=name), None) for name in ("a", "b")}
    there = python("one", of="c").replace("load", "save")
    (finding,) = found({**files, "c/test_app.py": (None, there.replace("made", "saved"))})
    assert "1 test in 1 file" in finding.description


def test_as_many_new_tests_in_their_place_are_a_rewrite() -> None:
    there = python("first", "second", "third", of="new").replace("load", "save").replace("made", "saved")
    (finding,) = found({"tests/test_app.py": (python("one", "two"), None), "tests/test_new.py": (None, there)})
    assert (finding.severity, "new ones come" in finding.description) == (Severity.LOW, True)
    (finding,) = found({"tests/test_app.py": (python("one", "two"), None), "other/test_new.py": (None, there)})
    assert finding.severity is Severity.MEDIUM


def test_the_rest_of_a_file_that_moved_does_not_block() -> None:
    files: Files = {
        "tests/test_app.py": (python("one", "two", "three"), None),
        "tests/test_load.py": (None, python("one", "two")),
    }
    (finding,) = found(files)
    assert (finding.severity, "1 test in 1 file" in finding.description) == (Severity.LOW, True)


def test_a_group_is_the_topmost_folder_without_a_test_that_is_left() -> None:
    gone: Files = {f"tests/old/{name}/test_{name}.py": (python(name, "two"), None) for name in ("a", "b", "c", "d")}
    gone = {**gone, "tests/old/a/test_largest.py": (python("x", "y", "z"), None), "lib/test_e.py": (python("e"), None)}
    first, second = found(gone, tests__test_app=python("one"), lib__test_f=python("f"))
    assert first.description.startswith("1 test in 1 file of lib/")
    assert "11 tests in 5 files of tests/old/, a/test_largest.py (3), a/test_a.py (2), b/test_b.py (2) and 2 more" in (
        second.description
    )


def test_many_groups_are_one() -> None:
    gone: Files = {f"web/parts/{name}/{name}.test.js": (JS.replace("adds", name), None) for name in "abcdefgh"}
    others = {f"web__parts__{name}__test_left": python("left") for name in "abcdefgh"}
    (finding,) = found(gone, **others)
    assert "8 tests in 8 files of web/parts/" in finding.description


def test_what_is_no_test_is_none() -> None:
    files: Files = {
        "tests/conftest.py": ("def load():\n    return 1\n", None),
        "tests/helpers.py": ("def check(value):\n    assert value\n", None),
        "app.py": ("def test_drive():\n    return 1\n", None),
    }
    assert found(files) == []


@pytest.fixture
def tested(workspace: Workspace) -> Workspace:
    workspace.git("switch", "--quiet", "main")
    tests = {f"tests/api/test_{name}.py": python(name, "two") for name in ("a", "b")}
    workspace.commit(
        "tests", **tests, **{"tests/test_c.py": python("c"), "app.py": "def load(name):\n    return name\n"}
    )
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    return workspace


def test_a_change_that_deletes_tests_does_not_pass(tested: Workspace) -> None:
    tested.git("rm", "-q", "-r", "tests/api")
    tested.commit("less", **{"app.py": "def load(name):\n    return name.lower()\n"})
    ran = tested.here("run", "--no-fix", "--format", "json")
    (issue,) = (issue for issue in ran.json["issues"] if issue["rule"] == "removed-test-files")
    assert (ran.code, issue["status"], issue["severity"]) == (ExitCode.ISSUES, "open", "medium")
    assert "4 tests in 2 files of tests/api/" in issue["description"]
    again = tested.here("run", "--no-fix", "--format", "json").json["issues"]
    assert [one["fingerprint"] for one in again] == [one["fingerprint"] for one in ran.json["issues"]]
    tested.here("accept", issue["id"], "--reason", "the service is gone")
    assert tested.here("run", "--no-fix").code == ExitCode.PASSED
    tested.git("rm", "-q", "tests/test_c.py")  # that was not among what was let pass
    assert tested.here("run", "--no-fix").code == ExitCode.ISSUES


EIGHT = python(*"abcdefgh")


def change(workspace: Workspace, path: str, text: str, to: str, now: str) -> None:
    """Have a file of the base be called otherwise, and hold something else."""
    workspace.git("switch", "--quiet", "main")
    workspace.commit("tests", **{path: text, "app.py": "def load(name):\n    return name\n"})
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.write("app.py", "def load(name):\n    return name.lower()\n")
    (workspace.root / path).unlink()
    workspace.write(to, now)
    workspace.git("add", "--all")


@pytest.mark.parametrize(
    ("path", "text", "to", "now"),
    [
        ("tests/test_a.py", EIGHT, "tests/a_cases.py", EIGHT),
        ("tests/test_a.py", EIGHT, "old/test_a.py.txt", EIGHT),
        ("tests/test_a.py", EIGHT, "tests/a_cases.py", EIGHT.replace("load('a')", "load('A')")),
        ("web/cart.test.ts", JS, "web/cart_cases.ts", JS),
        ("cart/cart_test.go", GO, "cart/cart_test.go.old", GO),
        ("tests/test_a.py", EIGHT, "tests/test_a.py", f'"""\n{EIGHT}"""\n'),
        ("tests/test_a.py", EIGHT, "tests/test_a.py", "".join(f"# {line}\n" for line in EIGHT.split("\n"))),
        ("tests/test_a.py", EIGHT, "tests/test_a.py", EIGHT.replace("def test_", "def check_")),
        ("tests/test_a.py", EIGHT, "tests/test_a.py", EIGHT.replace("def test_", "def check_", 7)),
        ("tests/test_a.py", EIGHT, "tests/test_b.py", EIGHT.replace("def test_", "def check_")),
        ("tests/test_a.py", EIGHT, "tests/test_a.py", ""),
    ],
)
def test_a_file_whose_tests_nobody_runs_any_more_does_not_pass(
    workspace: Workspace, path: str, text: str, to: str, now: str
) -> None:
    change(workspace, path, text, to, now)
    ran = workspace.here("run", "--no-fix", "--format", "json")
    told = [issue for issue in ran.json["issues"] if (issue["rule"] or "").startswith("removed-test")]
    assert [(one["rule"], one["severity"]) for one in told] == [("removed-test-files", "medium")], ran
    assert ran.code == ExitCode.ISSUES
    assert (f", now {to})" in told[0]["description"]) == (to != path)


@pytest.mark.parametrize(
    ("path", "text", "to"),
    [
        ("tests/test_a.py", EIGHT, "tests/unit/test_b.py"),
        ("tests/a_cases.py", EIGHT, "tests/b_cases.py"),  # its project looks for other names
        ("tests/test_helpers.py", "def total_of(numbers):\n    return sum(numbers)\n", "tests/helpers.py"),
        ("web/cart.test.ts", JS, "web/__tests__/cart.ts"),
        ("src/test/java/CacheTest.java", JAVA, "src/test/java/CacheCases.java"),
    ],
)
def test_a_file_that_is_called_otherwise_and_still_runs_is_let_be(
    workspace: Workspace, path: str, text: str, to: str
) -> None:
    change(workspace, path, text, to, text)
    assert workspace.here("run", "--no-fix", "--format", "json").json["issues"] == []


@pytest.mark.parametrize(("left", "told"), [("abc", ["low"] * 5), ("a", ["medium"])])
def test_each_test_is_told_by_itself_where_others_of_its_file_are_left(left: str, told: list[str]) -> None:
    assert [finding.severity for finding in found({"tests/test_a.py": (EIGHT, python(*left))})] == told


def test_as_many_new_tests_as_a_file_lost_are_a_rewrite() -> None:
    there = python(*"ijklmnop", of="new").replace("load", "save").replace("made", "saved")
    findings = found({"tests/test_a.py": (EIGHT, python("a")), "tests/test_new.py": (None, there)})
    assert [finding.severity for finding in findings] == [Severity.LOW]


def test_what_was_known_of_a_file_is_not_taken_for_what_is_true_of_another_change(tested: Workspace) -> None:
    tested.git("rm", "-q", "tests/test_c.py")
    assert tested.here("run", "--no-fix").code == ExitCode.ISSUES
    tested.write("tests/unit/test_c.py", python("c") + "\n\nLIMIT = 1\n")
    assert tested.here("run", "--no-fix").code == ExitCode.PASSED
    (tested.root / "tests/unit/test_c.py").unlink()
    assert tested.here("run", "--no-fix").code == ExitCode.ISSUES


CLASSES = """class TestA:
    def test_a(self):
        assert load("a") == 1


class TestB:
    def test_b(self):
        assert load("b") == 1
"""
TEST_MAIN = "func TestMain(m *testing.M) {\n\tsetUp()\n\tos.Exit(m.Run())\n}\n"
JUNIT_TWO = "import org.junit.Test;\n\n" + JAVA.replace(
    "    }\n}\n", "    }\n    @Test public void more() {\n        assertTrue(a);\n    }\n}\n"
)
SKIPPED = [
    ("tests/test_a.py", EIGHT, f"import pytest\n\npytestmark = pytest.mark.skip\n{EIGHT}", 3, "a, with 7 more,"),
    (
        "tests/test_a.py",
        EIGHT,
        f'pytestmark = pytest.mark.skip(reason="later: perhaps")\n{EIGHT}',
        1,
        "a, with 7 more,",
    ),
    (
        "tests/test_a.py",
        EIGHT,
        f"pytestmark = [\n    pytest.mark.slow(),\n    pytest.mark.skip,\n]\n{EIGHT}",
        1,
        "a, with 7 more,",
    ),
    ("tests/test_a.py", EIGHT, f"pytestmark = pytest.mark.xfail\n{EIGHT}", 1, "a, with 7 more,"),
    ("tests/test_a.py", EIGHT, f'pytest.skip("later", allow_module_level=True)\n{EIGHT}', 1, "a, with 7 more,"),
    ("tests/test_a.py", EIGHT, f"__test__ = False\n{EIGHT}", 1, "a, with 7 more,"),
    ("tests/test_a.py", EIGHT, f"raise SystemExit\n{EIGHT}", 1, "a, with 7 more,"),
    ("tests/test_a.py", EIGHT, f"raise unittest.SkipTest('later')\n{EIGHT}", 1, "a, with 7 more,"),
    ("tests/test_a.py", CLASSES, f"@pytest.mark.skip(\n    reason='later'\n)\n{CLASSES}", 1, "a"),
    ("tests/test_a.py", CLASSES, CLASSES.replace("class", "@unittest.skip('later')\nclass"), 1, "a, with 1 more,"),
    ("web/cart.test.ts", JS, JS.replace("describe", "describe.skip"), 1, "adds"),
    ("web/cart.test.js", JS, JS.replace("describe", "xdescribe"), 1, "adds"),
    ("cart/cart_test.go", GO, f"//go:build never\n\n{GO}", 1, "TestAdds"),
    ("cart/cart_test.go", GO, f"{GO}\nfunc TestMain(m *testing.M) {{\n\tos.Exit(0)\n}}\n", 10, "TestAdds"),
    ("cart/cart_test.go", GO, f"{GO}\nfunc TestMain(m *testing.M) {{}}\n", 10, "TestAdds"),
    (
        "src/test/java/CacheTest.java",
        JUNIT_TWO,
        JUNIT_TWO.replace("class", '@Disabled("later")\npublic class'),
        3,
        "keeps, with 1 more,",
    ),
    ("Cart.Tests/CartTests.cs", CSHARP, CSHARP.replace("class", "[Ignore]\nclass"), 1, "Adds"),
    ("spec/cart_spec.rb", RUBY, RUBY.replace("describe", "xdescribe"), 1, "adds"),
]


@pytest.mark.parametrize(("path", "old", "new", "line", "names"), SKIPPED)
def test_tests_that_are_turned_off_together_are_one_issue(path: str, old: str, new: str, line: int, names: str) -> None:
    (finding,) = review(RulesReviewer(), MemoryContext({path: (old, new)}))
    assert (finding.rule, finding.severity, finding.line_start) == ("existing-test-skipped", Severity.MEDIUM, line)
    assert f"{names} ran before this change and never does" in finding.description


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/test_a.py", EIGHT, f"pytestmark = pytest.mark.skipif(WINDOWS, reason='no fork')\n{EIGHT}"),
        ("tests/test_a.py", EIGHT, f"pytestmark = pytest.mark.asyncio\n{EIGHT}"),
        ("tests/test_a.py", EIGHT, f"if WINDOWS:\n    pytest.skip('no fork', allow_module_level=True)\n{EIGHT}"),
        ("tests/test_a.py", EIGHT, f"'''\npytestmark = pytest.mark.skip\n'''\n{EIGHT}"),
        ("tests/test_a.py", EIGHT, f"{EIGHT}\n\nif __name__ == '__main__':\n    raise SystemExit(pytest.main())\n"),
        ("tests/test_a.py", f"pytestmark = pytest.mark.skip\n{EIGHT}", f"pytestmark = pytest.mark.skip('x')\n{EIGHT}"),
        ("tests/test_a.py", "X = 1\n", f"pytestmark = pytest.mark.skip(reason='later')\n{EIGHT}"),
        ("cart/cart_test.go", GO, f"//go:build linux && !race && go1.18\n\n{GO}"),
        ("cart/cart_test.go", GO, f"{GO}\n{TEST_MAIN}"),
        ("cart/cart_test.go", GO, f"{GO}\nfunc TestMain(m *testing.M) {{ goleak.VerifyTestMain(m) }}\n"),
    ],
)
def test_a_file_that_still_runs_somewhere_is_let_be(path: str, old: str, new: str) -> None:
    assert review(RulesReviewer(), MemoryContext({path: (old, new)})) == []


def test_a_module_that_is_skipped_does_not_pass(workspace: Workspace) -> None:
    now = f"import pytest\n\npytestmark = pytest.mark.skip(reason='later')\n{EIGHT}"
    change(workspace, "tests/test_a.py", EIGHT, "tests/test_a.py", now)
    ran = workspace.here("run", "--no-fix", "--format", "json")
    told = [(issue["rule"], issue["lineStart"]) for issue in ran.json["issues"]]
    assert (ran.code, told) == (ExitCode.ISSUES, [("existing-test-skipped", 3)]), ran


JUNIT = """class TotalTest {
    @Test
    public void adds() {
        try {
            assertEquals(3, Total.of(1, 2));
        } catch (IOException e) {
            fail(e.getMessage());
        }
    }
}
"""
PLAIN = """class TotalTest {
    @Test
    public void adds() throws IOException {
        assertEquals(3, Total.of(1, 2));
    }
}
"""
SWALLOWED = JUNIT.replace("fail(e.getMessage());", "LOG.info(e);")


@pytest.mark.parametrize(("now", "code"), [(PLAIN, ExitCode.PASSED), (SWALLOWED, ExitCode.ISSUES)])
def test_an_exception_that_fails_a_test_by_itself_needs_no_fail(workspace: Workspace, now: str, code: ExitCode) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("test", **{"test/TotalTest.java": JUNIT})
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.write("test/TotalTest.java", now)
    ran = workspace.here("run", "--no-fix", "--format", "json")
    assert (ran.code, [issue["rule"] for issue in ran.json["issues"]].count("removed-assertion")) == (
        code,
        int(code),
    ), ran


UNREAD = {
    "t/a_test.cpp": "TEST(A, one) { EXPECT_EQ(f(1), 1); }\nTEST_F(A, two) {\n  EXPECT_EQ(f(2), 2);\n}\n",
    "t/test_a.c": "void test_one(void)\n{\n    TEST_ASSERT_EQUAL(1, f(1));\n}\n",
    "t/ATests.swift": "class ATests: XCTestCase {\n  func testOne() { XCTAssertEqual(f(1), 1) }\n}\n",
    "t/a.bats": '@test "one" {\n  run f\n  [ "$status" -eq 0 ]\n}\n',
    "test/a_test.exs": 'defmodule ATest do\n  test "one" do\n    assert f(1) == 1\n  end\nend\n',
    "test/a_test.dart": "void main() {\n  test('one', () {\n    expect(f(1), 1);\n  });\n}\n",
    "features/a.feature": "Feature: a\n  Scenario: one\n    Then it is 1\n",
}


@pytest.mark.parametrize("path", UNREAD)
def test_tests_of_a_language_whose_functions_are_not_read(path: str) -> None:
    (finding,) = found({path: (UNREAD[path], None)})
    assert (finding.rule, finding.severity) == ("removed-test-files", Severity.MEDIUM)
    folder, _, name = path.rpartition("/")
    assert found({path: (UNREAD[path], None), f"{folder}/more/{name}": (None, UNREAD[path])}) == []


def test_tests_that_come_without_what_they_assert_are_no_rewrite() -> None:
    empty = "".join(f"def test_{name}():\n    pass\n\n\n" for name in ("one", "two"))
    (finding,) = found({"tests/test_app.py": (python("one", "two"), None), "tests/test_new.py": (None, empty)})
    assert finding.severity is Severity.MEDIUM


ONE_LINE = """class TotalTest {
    @Test
    public void adds() throws IOException {
        try { f(); } catch (IOException e) { fail(e.getMessage()); }
        assertEquals(3, g());
    }
}
"""
TRIED = "try { f(); } catch (IOException e) { fail(e.getMessage()); }"
CHAIN = """class ATest {
    @Test
    fun reports() {
        assertThat(
            Forbidden(TestConfig(mapOf(NAME to listOf("test"))))
                .lint(code)
        )
            .hasSize(1)
    }
}
"""
JOINED = (
    CHAIN.replace("mapOf(NAME to listOf(", "NAME to listOf(")
    .replace("))))", ")))")
    .replace(")\n            .hasSize", ").hasSize")
)
PHP = """<?php
class DispatcherTest extends TestCase {
    public function testPasses(): void {
        $event = $this->getMock();
        $event->expects($this->once())->method('isDevMode');
        $dispatcher->hasEventListeners($event);
    }
}
"""
CASES = "".join(
    f"  test('case {n}', async () => {{\n    expect(await send('/{n}')).toContain('20{n}')\n  }})\n" for n in range(8)
)
TABLE = (
    "  const cases = [\n"
    + "".join(f"    {{ name: 'case {n}', target: '/{n}', status: '20{n}' }},\n" for n in range(8))
    + "  ]\n  for (const { name, target, status } of cases) {\n    test(name, async () => {\n"
    "      expect(await send(target)).toContain(status)\n    })\n  }\n"
)
URL = "class TestUrl:\n    def test_ext(self):\n        assert ext('a.zip') == 'zip'\n        assert ext('a') is None\n"
PRIVATE = """class PayloadTest {
    private void testInternal(boolean value) { assertEquals(1, f(value)); }
    public void testOther() { assertEquals(2, g()); }
}
"""
SKIPS = "def test_br():\n    if there:\n        raise unittest.SkipTest('there')\n    assert f() == 2\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("ATest.java", ONE_LINE, ONE_LINE.replace(TRIED, "f();")),
        ("src/test/kotlin/ATest.kt", CHAIN, JOINED),
        ("tests/DispatcherTest.php", PHP, PHP.replace("hasEventListeners(", "dispatch('name', ")),
        ("fs.spec.ts", f"describe('a', () => {{\n{CASES}}})\n", f"describe('a', () => {{\n{TABLE}}})\n"),
        ("tests/test_url.py", URL, URL[15:].replace("\n    ", "\n").replace("    def", "def").replace("(self)", "()")),
        ("src/test/java/PayloadTest.java", PRIVATE, PRIVATE.replace(PRIVATE.split("\n")[1] + "\n", "")),
        ("tests/test_a.py", SKIPS, SKIPS.replace("raise unittest.SkipTest", "pytest.skip")),
    ],
)
def test_what_tests_check_as_before(path: str, old: str, new: str) -> None:
    assert old != new
    assert review(RulesReviewer(), MemoryContext({path: (old, new)})) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "rule"),
    [
        ("ATest.java", ONE_LINE, ONE_LINE.replace(TRIED, ""), "removed-assertion"),
        ("src/test/kotlin/ATest.kt", CHAIN, JOINED.replace(".hasSize(1)", ""), "removed-assertion"),
        ("fs.spec.ts", CASES, TABLE.replace("name: 'case 1'", "name: 'other'"), "removed-test"),
        ("tests/test_url.py", URL, "def test_ext():\n    assert ext('a.zip') == 'zip'\n", "removed-assertion"),
        ("tests/test_url.py", URL, "def keep():\n    def test_ext():\n        pass\n", "removed-test"),
        ("tests/test_a.py", SKIPS.replace("raise", "log"), SKIPS, "existing-test-skipped-for"),
    ],
)
def test_what_tests_check_no_more(path: str, old: str, new: str, rule: str) -> None:
    assert [finding.rule for finding in review(RulesReviewer(), MemoryContext({path: (old, new)}))] == [rule]


def test_code_of_the_product_below_a_folder_named_test_is_no_test() -> None:
    code = (
        "package io.x.test.utils\ninternal object EnginePool {\n    fun borrowEngine(): Engine { return Engine() }\n}\n"
    )
    test = "class PoolTest {\n    @Test\n    fun fails() {\n        assertNull(EnginePool.borrowEngine())\n    }\n}\n"
    files: Files = {
        "utils/src/main/kotlin/io/x/test/utils/EnginePool.kt": (code, None),
        "utils/src/test/kotlin/io/x/test/utils/PoolTest.kt": (test, None),
    }
    (finding,) = found(files)
    assert (finding.severity, "along with code" in finding.description) == (Severity.LOW, True)


def test_a_removed_line_of_a_renamed_file_names_the_file_that_it_stood_in(workspace: Workspace) -> None:
    change(workspace, "tests/test_a.py", EIGHT, "tests/test_b.py", python(*"abcdefg"))
    (issue,) = workspace.here("run", "--no-fix", "--format", "json").json["issues"]
    assert (issue["file"], issue["rule"]) == ("tests/test_b.py", "removed-test")
    assert issue["description"].endswith("It stood in tests/test_a.py.")
