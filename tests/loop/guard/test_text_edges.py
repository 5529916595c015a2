"""Just inside and just outside of what a rule rejects, in languages other than Python."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge
from tests.loop.guard.test_bad_edits import JS, JS_TEST, RUBY, RUBY_TEST, test

LOOP = "for (let i = 0; i < {}; i++) {{\n  it(`is ${{i}}`, () => {{\n    expect(f(i)).toBe(i);\n  }});\n}}\n"
BATS = '@test "doubles" {\n  run f 1\n  [ "$status" -eq 0 ]\n  [ "$output" = 2 ]\n}\n'


def rules(edit: Edit) -> list[str]:
    return [found.rule for found in judge(edit)]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.sh", "echo 1\n", "if true; then (\necho 1\n"),
        ("a.go", "package a\n", "package a\n\nfunc f( {\n"),
        ("a.rb", "f\n", "f(]\n"),
        ("a.rs", "fn f() {}\n", "fn f) {}\n"),
        ("a.json", '// x\n{"a": 1}\n', '// x\n{"a": 1\n'),
        ("a.json", None, '{"a": 1\n'),
    ],
)
def test_what_cannot_be_read_any_more_is_rejected(path: str, old: str | None, new: str) -> None:
    assert rules(Edit({path: (old, new)})) == ["syntax-error"]


@pytest.mark.parametrize("new", ['// x\n{"a": 1}\n', '{"a": 1}\n'])
def test_json_may_begin_with_a_comment(new: str) -> None:
    assert rules(Edit({"a.json": (None, new)})) == []


def test_an_assertion_may_move_to_another_test() -> None:
    moved = "        expect(f(2)).toEqual(4);\n"
    last = "        expect(() => f()).toThrow(TypeError);\n"
    assert rules(test(JS, (moved, ""), (last, last + moved), path=JS_TEST)) == []


def test_an_expectation_counts_behind_files_without_tests() -> None:
    files = {"src/a.ts": ("f(1);\n", "f(2);\n"), **test(JS, ("toBe(2)", "toBe(3)"), path=JS_TEST).files}
    assert rules(Edit(files)) == ["expectation-changed"]


@pytest.mark.parametrize(("line", "is_open"), [(2, False), (3, True), (4, True), (5, False)])
def test_an_expectation_may_change_where_the_change_touches_its_lines(line: int, is_open: bool) -> None:
    edit = test(JS, ("toBe(2)", "toBe(3)"), ("toEqual(4)", "toEqual(6)"), path=JS_TEST)
    changed = Edit(edit.files, spans={JS_TEST: (line, line)}, issues=edit.issues)
    assert rules(changed) == ([] if is_open else ["expectation-changed"])


@pytest.mark.parametrize(("line", "rejected"), [(5, ["test-removed"]), (6, []), (9, []), (10, ["test-removed"])])
def test_a_test_may_go_where_an_issue_on_its_lines_says_so(line: int, rejected: list[str]) -> None:
    gone = '  it("throws", () => {\n        expect(() => f()).toThrow(TypeError);\n      });\n'
    edit = test(JS, (f"    {gone}", ""), path=JS_TEST)
    assert rules(Edit(edit.files, issues=((JS_TEST, line, "a redundant test"),))) == rejected


def test_a_loop_around_tests_counts_as_it_is_written() -> None:
    edit = Edit({JS_TEST: (LOOP.format(3), LOOP.format(0))}, issues=(("app.ts", 1, "wrong"),))
    assert rules(edit) == ["assertion-unreached"]


@pytest.mark.parametrize("way_out", ["return", "next", "break"])
def test_an_end_before_the_assertions_of_ruby_removes_them(way_out: str) -> None:
    edit = test(RUBY, ("        expect(f(1))", f"        {way_out}\n        expect(f(1))"), path=RUBY_TEST)
    assert rules(edit) == ["test-emptied"]


def test_a_block_of_ruby_goes_down_to_its_end() -> None:
    old, new = 'describe F do\n{}  it "doubles"\n{}end\n'.format, "  if ENV['NOPE']\n"
    edit = Edit({RUBY_TEST: (old("", ""), old(new, "  end\n"))}, issues=(("app.rb", 1, "wrong"),))
    assert rules(edit) == ["assertion-unreached"]


def test_a_test_that_returns_at_once_is_empty() -> None:
    edit = test(JS, ('("throws", () => {', '("throws", () => {return;'), path=JS_TEST)
    assert rules(edit) == ["test-emptied"]


def test_what_bats_compares_is_an_assertion() -> None:
    edit = Edit({"a.bats": (BATS, BATS.replace('  [ "$output" = 2 ]\n', "  f 2\n"))}, issues=(("f.sh", 1, "wrong"),))
    assert rules(edit) == ["assertion-loosened"]


@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_two_slashes_in_quotes_begin_no_comment(quote: str) -> None:
    old = f"get({quote}http://a{quote});\n"
    assert rules(Edit({"a.js": (old, old.replace(";", ".catch(() => {});"))})) == ["error-swallowed"]


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_hash_in_quotes_begins_no_comment(quote: str) -> None:
    old = f"get({quote}see #1{quote})\n"
    assert rules(Edit({"a.rb": (old, old.replace(")", ") rescue nil"))})) == ["error-swallowed"]


@pytest.mark.parametrize(
    ("path", "comment"), [("a.rb", "# A rescue nil would hide it."), ("a.sh", "# Not make || true: it counts.")]
)
def test_what_a_comment_warns_of_is_not_done(path: str, comment: str) -> None:
    assert rules(Edit({path: ("f 1\n", f"{comment}\nf 1\n")})) == []


def test_a_comment_of_bats_asserts_nothing() -> None:
    old = BATS.replace('  [ "$output" = 2 ]\n', '  assert_equal "$output" 2\n')
    new = old.replace('assert_equal "$output" 2', "# assert_equal was here")
    assert rules(Edit({"a.bats": (old, new)}, issues=(("f.sh", 1, "wrong"),))) == ["assertion-removed"]
