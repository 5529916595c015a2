"""Just inside and just outside of what makes a test of another language say less."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge

ONE, TWO = "expect(f(1)).toBe(2);", "expect(f(2)).toBe(4);"
TRUE, NONE = "expect(f(1)).toBeTruthy();", "expect(true).toBe(true);"

MORE = "expect(f(1)).toBeGreaterThan(2);"


def rules(old: str, new: str, path: str = "a.test.ts", issue: str = "a.ts") -> list[str]:
    edit = Edit({path: (old, new)}, issues=((issue, 1, "wrong"),))
    return [found.rule for found in judge(edit)]


def case(*lines: str, name: str = "a") -> str:
    return f'it("{name}", () => {{\n' + "".join(f"  {line}\n" for line in lines) + "});\n"


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ((ONE, TWO), (ONE, TRUE), ["assertion-loosened"]),
        ((ONE, TRUE), (ONE, NONE), ["assertion-loosened"]),
        ((TRUE, ONE), (ONE, TRUE), []),
        ((ONE,), (ONE, TRUE), []),
        ((ONE,), (TRUE, ONE), []),
        ((ONE, TWO), (ONE,), ["assertion-removed"]),
        ((ONE, TWO), (), ["test-emptied"]),
        ((ONE,), ("g();",), ["assertion-removed"]),
        ((MORE,), (TRUE,), ["assertion-loosened"]),
        ((ONE,), (f"f && {ONE}",), ["assertion-unreached"]),
        (('expect(g).toBe("a");',), ('expect(g).toBe("b");',), ["expectation-changed"]),
        (("const rows = [", "[1, 2],", "];", ONE), ("const rows = [", "[1, 3],", "];", ONE), ["expectation-changed"]),
        (("const wanted = 1, want = 2;", ONE), ("const wanted = 1, want = 3;", ONE), ["expectation-changed"]),
        ((ONE, TRUE), (MORE, MORE), ["assertion-loosened"]),
        ((TRUE, TRUE), (NONE, MORE), ["assertion-loosened"]),
        ((MORE,), (TRUE, TRUE), []),
        (("const a = 1;", ONE), ("const a = 2;", ONE), []),
        ((ONE,), ("expect(f(1)).toBe(3);",), ["expectation-changed"]),
        ((ONE,), ("expect(g(1)).toBe(2);",), []),
        ((ONE,), ("expect( f(1)).toBe(2);",), []),
    ],
)
def test_what_a_test_asserts(old: tuple[str, ...], new: tuple[str, ...], rejected: list[str]) -> None:
    assert rules(case(*old), case(*new)) == rejected
    other = case("expect(g()).toBe(h());", name="other")
    assert rules(other + case(*old), other + case(*new)) == rejected


def test_an_expectation_is_told_of_once_and_may_change_where_an_issue_is_about_it() -> None:
    old = case(ONE, "g();", TWO)
    new = old.replace("toBe(2)", "toBe(3)").replace("toBe(4)", "toBe(5)")
    assert rules(old, new) == ["expectation-changed"]
    assert rules(old, new, issue="a.test.ts") == []


@pytest.mark.parametrize(
    ("path", "mark"),
    [("src/lib.rs", "#[should_panic]\n"), ("src/test/ATest.java", "@Test(expected = E.class) ")],
)
def test_a_test_is_to_succeed_as_before(path: str, mark: str) -> None:
    old = "#[test]\nfn a() {\n    assert_eq!(f(1), 2);\n}\n"
    new = old.replace("#[test]\n", f"#[test]\n{mark}")
    if path.endswith("java"):
        old = "class ATest {\n    @Test void a() {\n        assertEquals(2, f(1));\n    }\n}\n"
        new = old.replace("@Test ", mark)
    assert rules(old, new, path) == ["expected-error-widened"]
    assert rules(new, old, path) == []


def test_each_test_is_looked_at() -> None:
    old = case(ONE, TWO) + case(ONE, name="b")
    assert rules(old, case(ONE) + case(TRUE, name="b")) == ["assertion-removed", "assertion-loosened"]


def test_tests_in_python_are_read_in_another_way() -> None:
    old = "ROWS = [\n    (1, 2),\n]\n\n\ndef test_a():\n    assert f(ROWS)\n"
    assert rules(old, old.replace("(1, 2)", "(1, 3)"), "tests/test_app.py", "app.py") == []


def test_what_was_around_a_test_before_may_stay() -> None:
    old = f"if (g) {{\n{case(ONE)}}}\n"
    assert rules(old, old.replace(ONE, f"{ONE}\n  {TWO}")) == []
