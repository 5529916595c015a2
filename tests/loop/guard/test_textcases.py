"""Which tests of other languages are found, where they are, and how much they assert."""

from __future__ import annotations

import pytest

from selfreview.loop.guard.patch import File
from selfreview.loop.guard.textcases import EXACT, NOTHING, PARTIAL, TRUTH, TextCase, assertions, text_cases_of
from tests.loop.guard.edits import Edit, judge
from tests.loop.guard.test_bad_edits import RUBY as RUBY_TESTS
from tests.loop.guard.test_bad_edits import RUBY_TEST, test

JS = 'it("a", () => {\n  f();\n});\n'
RUBY = 'it "a" do\n  f\nend\n'


def cases(path: str, text: str) -> list[TextCase]:
    return text_cases_of(File(path, path, None, None), text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("expect(true).toBe(true);", [NOTHING]),
        ("expect(f(1)).toBe(2);", [EXACT]),
        ("expect(f(1)).toBeTruthy();", [TRUTH]),
        ("expect(f(1)).toBeGreaterThan(2);", [PARTIAL]),
        ("expect(f(1) == 2);", [PARTIAL]),
        ("assertTrue(f(1));", [TRUTH]),
        ("assertTrue(f(1) == 2);", [EXACT]),
        ("assert(f(1) === 2);\nassert(f(1), a == 2);", [EXACT, TRUTH]),
        ("assert (f(1) == 2);", [EXACT]),
        ("assert f(1) == 2", [TRUTH]),
        ("assert_eq!(f(1), 2);\nassert!(f(1));", [EXACT, TRUTH]),
        ("f(1);", []),
    ],
)
def test_how_much_each_assertion_says(text: str, said: list[int]) -> None:
    assert assertions(text) == said


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.txt", 'it("a", f);\n', []),
        ("a.test.js", "f();\n", []),
        ("a.test.js", f"\n{JS}g();\n\n", [("a", 2, 5)]),
        ("a.test.js", JS + JS.replace("a", "X") + JS.replace("a", "c"), [("a", 1, 3), ("X", 4, 6), ("c", 7, 9)]),
        ("a.test.js", "// it('a', f);\nit('b', f);\n", [("b", 2, 2)]),
        ("ATest.kt", "@Test\nfun a() {}\n@ParameterizedTest\nfun `b c`() {}\n", [("a", 1, 2), ("b c", 3, 4)]),
        ("a.rs", "#[inline]\nfn a() {}\n#[test]\nfn b() {}\n", [("b", 3, 4)]),
        ("a.rs", "#[test]\nstruct A;\n#[tokio::test]\nasync fn b() {}\n", [("b", 3, 4)]),
        ("a_spec.rb", f"\n\n{RUBY}\n\n  def test_b\n  end\n", [("a", 3, 5), ("test_b", 8, 9)]),
        ("a.bats", "f\n\n@test 'a' {\n}\n", [("a", 3, 4)]),
    ],
)
def test_where_tests_are(path: str, text: str, found: list[tuple[str, int, int]]) -> None:
    assert [(case.name, case.first, case.last) for case in cases(path, text)] == found


@pytest.mark.parametrize(
    ("path", "text"),
    [("ATest.php", "private function testA() {}\n"), ("ATest.php", "\nprivate function testA() {}\n")],
)
def test_what_stands_before_a_test_in_its_line_is_on_it(path: str, text: str) -> None:
    assert [list(case.under) for case in cases(path, text)] == [["private"]]


def test_what_stands_in_the_line_above_a_test_is_not_on_it() -> None:
    assert [list(case.under) for case in cases("ATest.php", "f(); // private\nfunction testA() {}\n")] == [[]]
    assert [list(case.under) for case in cases("ATest.php", "private $a;\nfunction testA() {}\n")] == [[]]


def test_a_test_ends_where_the_next_one_begins() -> None:
    one, two, three = JS, JS.replace('"a"', '"b"'), JS.replace('"a"', '"c"')
    assert [case.text for case in cases("a.test.js", one + two + three)] == [one, two, three]


@pytest.mark.parametrize(
    ("path", "text", "kept"),
    [
        ("a.test.js", 'it("a", f);\n', None),
        ("a.test.js", 'it("a", () => {return;\n  f();\n});\n', 'it("a", () => {'),
        ("a.test.js", 'it("a", () => {\n  return ;\n  f();\n});\n', 'it("a", () => {'),
        ("a.test.js", 'it("a", () => {\n  f();\n  return;\n  g();\n});\n', 'it("a", () => {\n  f();'),
        ("a.test.js", 'it("a", () => {\n  f();\n  process.exit(0);\n  g();\n});\n', 'it("a", () => {\n  f();'),
        ("a.test.js", 'it("a", () => {\n  f();\n    return;\n  g();\n});\n', None),
        ("a.test.js", 'it("a", () => {\n  f();\n  return 1;\n  g();\n});\n', None),
        ("a.test.js", 'it("a", () => { f(); });', None),
        ("a.test.js", 'it("a",\n  () => {\n    f();\n  return;\n  });\n', None),
        ("a_spec.rb", 'it "a" do\n  return\n  f\nend\n', 'it "a" do'),
        ("a_spec.rb", 'it "a" do\n  return;\n  f\nend\n', 'it "a" do\n'),
        ("a_spec.rb", 'it "a" do\n  f { 1 }\n  next\n  g\nend\n', 'it "a" do\n  f { 1 }'),
        ("a.bats", "@test 'a' {\n  f\n  exit 0\n  g\n}\n", "@test 'a' {\n  f"),
    ],
)
def test_a_test_goes_down_to_where_it_ends_whatever_happens(path: str, text: str, kept: str | None) -> None:
    assert [case.text for case in cases(path, text)] == [text if kept is None else kept]


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("a.test.js", 'it("a", () => {\n  f(1);\n});\n', "f1"),
        ("a.test.js", 'it("a", () => {\n});\n', ""),
        ("a_spec.rb", RUBY, "f"),
        ("a_spec.rb", 'it "a" do\nend\n', ""),
        ("a.rs", "#[test]\nfn a() {\n}\n#[allow(x)]\n", ""),
    ],
)
def test_what_is_in_a_test(path: str, text: str, code: str) -> None:
    assert [case.code for case in cases(path, text)] == [code]


@pytest.mark.parametrize(
    ("path", "text", "counts"),
    [
        ("a.test.js", JS.replace("f()", "expect(a == b).toBe(c)"), (0, 1)),
        ("a_test.go", "func TestA(t *testing.T) {\n\tif f(1) != 2 || f(2) == 3 {\n\t\tt.Fail()\n\t}\n}\n", (2, 1)),
        ("a.bats", "@test 'a' {\n  [ 1 = 2 ]\n  ! test -e a\n}\n", (2, 0)),
        ("a.test.js", 'it("a", () => {\n  if (f) {\n    expect(f(1)).toBe(2);\n  }\n});\n', (0, 0)),
    ],
)
def test_what_a_test_compares_and_asserts_whenever_it_runs(path: str, text: str, counts: tuple[int, int]) -> None:
    assert [(case.comparisons, case.reached) for case in cases(path, text)] == [counts]


def test_what_is_called_like_a_test_elsewhere_is_none() -> None:
    assert judge(Edit({"a.js": ('it("a", f);\n', "g();\n")}, issues=(("a.js", 1, "wrong"),))) == []


def test_a_moved_test_is_the_one_of_its_name() -> None:
    body = "  expect(f(1)).toBe(2);\n  expect(f(2)).toBe(4);\n"
    old = f'it("a", () => {{\n{body}}});\n'
    new = old.replace("f(2)).toBe(4)", "f(2)).toBeTruthy()")
    files = {"a.test.js": (old, "g();\n"), "b.test.js": (None, new + old.replace('"a"', '"b"'))}
    found = judge(Edit(files, changed=("a.test.js", "b.test.js")))
    assert [one.rule for one in found] == ["assertion-loosened"]


@pytest.mark.parametrize(
    ("body", "rejected"), [("f(1); f(2); f(3)", []), ("console.log(import.meta)", ["test-removed"])]
)
def test_a_renamed_test_is_like_the_old_one(body: str, rejected: list[str]) -> None:
    old = 'it("a", () => {\n  f(1); f(2); f(3);\n});\n'
    edit = Edit({"a.test.js": (old, f'it("b", () => {{\n  {body};\n}});\n')}, issues=(("a.js", 1, "wrong"),))
    assert [one.rule for one in judge(edit)] == rejected


@pytest.mark.parametrize(("length", "rejected"), [(19, []), (20, ["test-removed"])])
def test_a_renamed_test_is_three_fifths_like_the_old_one(length: int, rejected: list[str]) -> None:
    old, new = (f'it("{name}", () => {{\n  f11("{char * length}");\n}});\n' for name, char in ("ax", "by"))
    edit = Edit({"a.test.js": (old, new)}, issues=(("a.js", 1, "wrong"),))
    assert [one.rule for one in judge(edit)] == rejected


@pytest.mark.parametrize("place", ["f(1)", "f(0)"])
def test_a_way_out_in_any_test_of_ruby_leaves_it_empty(place: str) -> None:
    edit = test(RUBY_TESTS, (f"        expect({place})", f"        return\n        expect({place})"), path=RUBY_TEST)
    assert [one.rule for one in judge(edit)] == ["test-emptied"]
