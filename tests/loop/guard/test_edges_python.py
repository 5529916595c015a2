"""Just inside and just outside of what is rejected in Python tests: what is taken away, and what is under more."""

from __future__ import annotations

import ast
import textwrap

import pytest

from selfreview.loop.guard.pysource import as_text
from tests.loop.guard.edits import Content, Edit, judge

HEAD = "import os\nimport pytest\nfrom app import f\n\n\n"
ONE = "def test_one():\n    assert f(1) == 2\n"
TWO = "def test_two():\n    assert f(2) == 4\n"


def rules(old: str, new: str, about: str = "app.py", line: int = 1, why: str = "wrong") -> list[str]:
    edit = Edit({"tests/test_app.py": (HEAD + old, HEAD + new)}, issues=((about, line, why),))
    return [found.rule for found in judge(edit)]


def method(code: str) -> str:
    return f"class TestF(unittest.TestCase):\n    def test_f(self):\n{textwrap.indent(code, '        ')}\n"


def test_each_test_is_looked_at_behind_one_that_an_issue_wants_gone() -> None:
    late = TWO + "    yield\n"
    assert rules(f"{ONE}\n\n{TWO}", late, "tests/test_app.py", 6, "duplicate, remove it") == ["assertion-unreached"]
    late = TWO.replace("f(2) == 4", "f(2)")
    assert rules(f"{ONE}\n\n{TWO}", late, "tests/test_app.py", 6, "duplicate, remove it") == ["assertion-loosened"]
    late = TWO.replace("assert ", "")
    assert rules(f"{ONE}{ONE.replace('e(', 'f(')}\n{TWO}", late, "tests/test_app.py", 6, "remove it")[-1:] == [
        "assertion-removed"
    ]


@pytest.mark.parametrize(
    "test",
    [
        textwrap.indent(ONE, "    ").join(("if os.name == 'nt':\n", "")),
        ONE + "    yield\n",
        ONE.replace("    assert", "    if os.name == 'nt':\n        return\n    assert"),
        ONE.replace("def", "async def"),
        "@f\n" + ONE,
        f"exec(str(f))\n{ONE}",
    ],
)
def test_what_stood_in_the_way_before_may_stay(test: str) -> None:
    assert rules(f"{test}\n{TWO}", f"{test}\nimport sys\n\n\n{TWO}") == []


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("self.assertEqual(f(1), 2)", "return self.assertEqual(f(1), 2)", []),
        ("self.assertEqual(f(1), 2)", "if f(0):\n    return\nself.assertEqual(f(1), 2)", ["assertion-unreached"]),
        ("assert f(1) == 2", "assert f(1) == 2\nif f(0):\n    return", []),
        ("assert f(1) == 2", "assert f(1) == 2\nif f(0):\n    assert f(1) == 2", []),
        ("assert f(1) == 2", "if f(0):\n    assert f(1) == 2\nassert f(1) == 2", []),
        ("assert f(1) == 2", "assert f(1) == 2\nif f(0):\n    return\nprint(f)", []),
        ("assert f(1) == 2", "def g():\n    return 1\n\nassert f(1) == 2\ng()", []),
    ],
)
def test_an_assertion_is_reached_as_before(old: str, new: str, rejected: list[str]) -> None:
    assert rules(method(old), method(new)) == rejected


@pytest.mark.parametrize("word", ["assert", "check", "verify", "expect", "should", "ensure", "_assert", "__check"])
def test_what_is_called_like_an_assertion_is_one(word: str) -> None:
    test = f"def test_one():\n    {word}_double(f(1), 2)\n    f(2)\n"
    assert rules(test, test.replace(f"    {word}_double(f(1), 2)\n", "")) == ["assertion-removed"]


@pytest.mark.parametrize("word", ["recheck", "Xcheck", "f_assert"])
def test_what_is_called_otherwise_is_none(word: str) -> None:
    test = f"def test_one():\n    {word}_double(f(1), 2)\n    assert f(2) == 4\n"
    assert rules(test, test.replace(f"    {word}_double(f(1), 2)\n", "")) == []


@pytest.mark.parametrize("call", ["pytest.fail('no')", "pytest.raises(KeyError, f)", "warns(UserWarning, f)"])
def test_what_fails_a_test_is_an_assertion(call: str) -> None:
    test = f"def test_one():\n    if f(1) != 2:\n        {call}\n"
    assert rules(test, test.replace(call, "print('no')")) == ["assertion-removed"]


@pytest.mark.parametrize(("line", "rejected"), [(6, []), (9, []), (10, ["test-removed"]), (5, ["test-removed"])])
def test_a_test_reaches_from_its_decorators_to_its_end(line: int, rejected: list[str]) -> None:
    long = "@pytest.mark.slow\ndef test_one():\n    assert f(1) == 2\n    assert f(3) == 6\n"
    assert rules(f"{long}\n\n{TWO}", TWO, "tests/test_app.py", line, "a duplicate") == rejected


def test_a_test_is_first_of_all_where_one_of_its_name_is() -> None:
    moved = "class TestF:\n    def test_one(self):\n        assert f(1)\n"
    assert rules(ONE, f"{moved}\n\n{ONE.replace('_one', '_other')}") == ["assertion-loosened"]
    moved = moved.replace("f(1)", "f(1) == 2")
    assert rules(moved, f"{ONE.replace(' == 2', '')}\n\n{moved.replace('_one', '_other')}") == ["assertion-loosened"]


def test_a_test_of_another_name_is_the_last_of_those_that_are_most_like_it() -> None:
    copies = [ONE.replace("_one", name) for name in ("_uno", "_eins")]
    assert rules(ONE, f"@f\n{copies[0]}\n\n{copies[1]}") == []
    assert rules(ONE, f"{copies[0]}\n\n@f\n{copies[1]}") == ["assertion-unreached"]
    old = ONE + "    assert f(2) == 4\n"
    other = "def test_none():\n    assert app.double(None) == None\n    assert app.double(20) == None\n"
    assert rules(old, other) == ["test-removed"]


def test_a_module_that_cannot_be_parsed_has_lost_no_tests() -> None:
    assert rules(ONE, f"{ONE})") == ["syntax-error"]


SAME = "    def same(self, n):\n        assert f(n) == n * 2\n\n"
HELPED = f"class TestF:\n{SAME}    def test_f(self):\n        self.same(1)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (HELPED, HELPED.replace("assert f(n) == n * 2", "f(n)")),
        (HELPED, HELPED.replace("self.same(1)", "f(1)")),
        (HELPED.replace("self.same(1)", "self.same(1)\n        self.same(2)"), HELPED.replace("self.same(1)", "f(1)")),
    ],
)
def test_what_a_method_of_the_class_asserts_is_of_its_tests(old: str, new: str) -> None:
    assert rules(old, new)[:1] == ["assertion-removed"]
    other = "class Other:\n    def g(self):\n        pass\n\n\n"
    assert rules(other + old, other + new)[:1] == ["assertion-removed"]


def test_a_helper_that_calls_itself_is_read_once() -> None:
    helper = "def same(n):\n    assert f(n) == n * 2\n    same(n - 1)\n\n\ndef test_one():\n    same(2)\n"
    assert rules(helper, helper.replace("    same(2)", "    f(2)")) == ["assertion-removed"]
    assert rules(helper, helper.replace("    same(2)", "    same(3)")) == []


TWICE = (
    "@pytest.mark.parametrize('a', [1, 2])\n@pytest.mark.parametrize('b', [3, 4, 5])\n@pytest.mark.slow('c', [1, 2])\n"
    + ONE.replace("()", "(a, b)")
)


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("[3, 4, 5]", "[3, 4]", ["test-cases-removed"]),
        ("[1, 2]", "[1, 2, 6]", []),
        ("[1, 2]", "(1, 2)", []),
        ("pytest.mark.slow('c', [1, 2])", "pytest.mark.slow('c', [1])", []),
        (
            "[1, 2])\n@pytest.mark.parametrize('b', [3,",
            "[1])\n@pytest.mark.parametrize('b', [3, 6,",
            ["expectation-changed"],
        ),
        ("[1, 2]", "{1}", ["test-cases-removed"]),
        ("[1, 2]", "{}", ["test-cases-removed"]),
        ("@pytest.mark.parametrize('a', [1, 2])", "@pytest.mark.parametrize('a')", ["test-cases-removed"]),
    ],
)
def test_cases_are_those_of_all_decorators(old: str, new: str, rejected: list[str]) -> None:
    assert rules(TWICE, TWICE.replace(old, new)) == rejected


@pytest.mark.parametrize("cases", ["range(0)", "''", "{}", "NONE"])
def test_a_test_that_now_has_no_cases_is_as_good_as_gone(cases: str) -> None:
    new = f"NONE = list()\n\n\n@pytest.mark.parametrize('n', {cases})\n{ONE.replace('()', '(n)')}"
    assert rules(ONE, new) == ["test-cases-removed"]


@pytest.mark.parametrize("mark", ["staticmethod", "classmethod"])
def test_a_method_that_needs_no_object_runs_as_others_do(mark: str) -> None:
    old = "class TestF:\n    def test_f(self):\n        assert f(1) == 2\n"
    new = old.replace("    def", f"    @{mark}\n    def")
    assert rules(old, new) == []
    assert rules(old, f"from app import {mark}\n\n\n{new}") == ["assertion-unreached"]


def test_only_what_a_runner_collects_is_a_test() -> None:
    edit = Edit({"app.py": (ONE, ONE.replace("f(1) == 2", "f(1)")), "a.rb": (ONE, TWO)}, issues=(("b.py", 1, "wrong"),))
    assert judge(edit) == []


ITS_CLASS = "class A:\n    x = 1\n\n    def lost(self):\n        pass\n"
APP = f"def used(n):\n    return n\n\n\ndef unused(n):\n    return n * 2\n\n\n{ITS_CLASS}"
USES = "from app import used, unused, A\n\n\ndef test_it():\n    assert {}(1) == 2\n"
LOST = APP.replace("\n    def lost(self):\n        pass\n", "")


@pytest.mark.parametrize("other", ["a.md", "aa.py", "about.py"])
@pytest.mark.parametrize(
    ("use", "app", "line", "rejected"),
    [
        ("unused", APP.replace("def unused(n):\n    return n * 2\n\n\n", ""), 5, []),
        ("A().lost", LOST, 12, []),
        ("A", APP[: APP.index("class")], 9, []),
        ("used", APP[APP.index("def unused") :].replace("def unused(n):\n    return n * 2\n", ""), 5, ["test-removed"]),
        ("used", APP.replace("return n * 2", "return n * 3"), 5, ["test-removed"]),
        ("unused", "class A(:\n", 5, ["syntax-error"]),
    ],
)
def test_a_test_goes_with_its_subject_where_an_issue_wants_that_gone(
    use: str, app: str, line: int, rejected: list[str], other: str
) -> None:
    files: dict[str, tuple[Content, Content]] = {
        other: ("x = 1\n", "x = 2\n"),
        "app.py": (APP, app),
        "tests/test_app.py": (USES.format(use), None),
    }
    found = judge(Edit(files, issues=(("app.py", line, "never called: remove it"),)))
    assert [r.rule for r in found if r.rule != "file-deleted"] == rejected


def test_a_helper_of_tests_is_no_subject() -> None:
    helper = "def same(n):\n    return f(n) == n * 2\n"
    old = f"{helper}\n\ndef test_one():\n    assert same(1)\n\n\n{TWO}"
    assert rules(old, TWO, "tests/test_app.py", 6, "unused, remove it") == ["test-removed"]


@pytest.mark.parametrize("own", ["def own(n):\n    return n\n", "own = 3\n"])
def test_a_test_may_make_anew_what_its_module_made(own: str) -> None:
    old = f"{own}\n\n{ONE}"
    assert rules(old, old.replace("    assert", "    own = 4\n    assert")) == []


def test_code_that_is_too_deep_to_be_written_is_told_by_its_words() -> None:
    def deep(last: str) -> str:
        return as_text(ast.parse("a" + " + a" * 900 + f" + {last}"))

    assert deep("b") == deep("b")
    assert len({deep("b"), deep("c"), deep("1"), deep("2"), deep("True")}) == 5


def test_code_with_a_number_of_more_digits_than_python_writes_is_told_by_its_words() -> None:
    def text(last: str) -> str:
        return as_text(ast.parse(f"a + 0x{'f' * 9_000}{last}"))

    assert text("1") == text("1")
    assert text("1") != text("2")
