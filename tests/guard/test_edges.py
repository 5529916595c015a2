"""Just inside and just outside of what a rule rejects."""

from __future__ import annotations

import warnings

import pytest

from selfreview.guard.pysource import tree_of
from tests.guard.edits import Content, Edit, judge
from tests.guard.test_bad_edits import TEST, UNIT, test


def rules(path: str, old: Content, new: Content) -> list[str]:
    return [found.rule for found in judge(Edit({path: (old, new)}))]


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("total = n\n", "# total = n\n", ["commented-out"]),
        ('"""\nwords of a docstring\n"""\n', "# words of a docstring\n", []),
        ("a = 1\n", "# a = 1\n", []),
        ("ab = 1\n", "# ab = 1\n", ["commented-out"]),
    ],
)
def test_code_of_more_than_a_few_characters_does_not_become_a_comment(old: str, new: str, rejected: list[str]) -> None:
    assert rules("app.py", old, new) == rejected


@pytest.mark.long
@pytest.mark.parametrize(("size", "rejected"), [(1_000_000, []), (1_000_001, ["large-file"])])
def test_a_file_of_a_megabyte_is_not_too_large(size: int, rejected: list[str]) -> None:
    assert (
        rules("notes.txt", "a\n", b"x" * 63 + b"\n" + (b"x" * 63 + b"\n") * 15_624 + b"x" * (size - 1_000_000))
        == rejected
    )


@pytest.mark.parametrize(
    ("now", "rejected"),
    [
        ("approx(0.3, abs=0.5)", ["held"]),
        ("approx(0.4)", ["held"]),
    ],
)
def test_a_number_that_became_approximate_may_be_another_one_too(now: str, rejected: list[str]) -> None:
    test = "def test_sum():\n    assert total(1) == {}\n"
    assert rules("tests/test_app.py", test.format(0.3), test.format(now)) == rejected


def test_a_flag_may_be_joined_to_another_picture() -> None:
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    assert rules("a.txt", "a\n", f"\u26bd{flag}\u200d\u26bd\n") == []
    assert rules("a.txt", "a\n", f"\u26bd{flag[1:]}\u26bd\n") == ["hidden-character"]


@pytest.mark.parametrize(
    ("path", "changed", "rejected"),
    [
        ("tests/test_helpers.py", "tests/helpers.py", []),
        ("tests/unit/test_helpers.py", "tests/helpers.py", []),
        ("tests/test_helpers.py", "tests/unit/helpers.py", ["outside-change"]),
        ("tests/unit/helpers.py", "tests/helpers.py", ["outside-change"]),
        ("tests/test_others.py", "tests/helpers.py", ["outside-change"]),
        ("tests/test_io.py", "src/io.py", []),
        ("tests/test_iota.py", "src/io.py", ["outside-change"]),
        ("tests/test_app_core_utils.py", "src/core_utils.py", []),
        ("tests/test_.py", "lib/_spec.py", ["outside-change"]),
    ],
)
def test_a_test_of_what_tests_share_is_of_the_change(path: str, changed: str, rejected: list[str]) -> None:
    one = "def test_one():\n    assert g(1) == 2\n"
    edit = Edit({path: (one, f"{one}\n\n{one.replace('one', 'two')}")}, changed=(changed,))
    assert [found.rule for found in judge(edit)] == rejected


@pytest.mark.parametrize(
    ("path", "rejected"),
    [
        ("tests/test_regression.py", []),
        ("test_shop.py", []),
        ("src/discount_test.py", []),
        ("store/everything_test.go", []),
        ("src/cart/total.test.ts", []),
        ("e2e/checkout.spec.ts", []),
        ("src/test/java/shop/TotalTest.java", []),
        ("spec/totals_spec.rb", []),
        ("tests/helpers.py", ["outside-change"]),
        ("tests/conftest.py", ["outside-change"]),
        ("tests/__init__.py", ["outside-change"]),
        ("tests/test_data.json", ["outside-change"]),
        ("src/latest.py", ["outside-change"]),
    ],
)
def test_a_new_test_may_be_called_what_it_is_about(path: str, rejected: list[str]) -> None:
    edit = Edit({path: (None, "x = 1\n" if path.endswith((".py", ".rb")) else "// x\n")}, changed=("shop/cart.py",))
    assert [found.rule for found in judge(edit)] == rejected


@pytest.mark.parametrize(("last", "rejected"), [(1, ["reformatted"]), (2, []), (17, [])])
def test_fifteen_lines_besides_those_of_an_issue_may_be_formatted(last: int, rejected: list[str]) -> None:
    old = "".join(f"a{n} = 'x'\n" for n in range(17))
    edit = Edit({"app.py": (old, old.replace("'", '"'))}, issues=(("app.py", (1, last), "wrong"),))
    assert [found.rule for found in judge(edit)] == rejected


def test_a_block_with_a_blank_line_that_was_put_into_another_is_one() -> None:
    head = "".join(f"x{n} = {n}\n" for n in range(10)) + "def f():\n"
    body = [f"    g({n})\n" for n in range(23)]
    body.insert(3, "\n")
    wrapped = "    with lock:\n" + "".join(f"    {line}" if line.strip() else line for line in body)
    tail = "kept = 1\n" + "".join(f"b{n} = 'x'\n" for n in range(16))
    old, new = f"{head}{''.join(body)}{tail}", f"{head}{wrapped}{tail}"
    assert rules("app.py", old, new) == []
    assert rules("app.py", old, new.replace("'", '"')) == ["reformatted"]


def test_formatting_that_splits_lines_is_formatting() -> None:
    assert rules("app.py", "a = f(1, 2)\n" * 16, "a = f(\n    1,\n    2,\n)\n" * 16) == ["reformatted"]


@pytest.mark.parametrize(
    ("lines", "gone", "last", "rejected"),
    [
        (50, 31, 0, ["rewrite"]),
        (50, 30, 0, []),
        (49, 49, 0, []),
        (50, 31, 1, []),
        (50, 32, 1, ["rewrite"]),
    ],
)
def test_most_of_a_file_of_fifty_lines_is_not_rewritten(lines: int, gone: int, last: int, rejected: list[str]) -> None:
    old = [f"a{n} = f({n})\n" for n in range(lines)]
    new = [line.replace("a", "b").replace("f", "g") if n < gone else line for n, line in enumerate(old)]
    issues = (("app.py" if last else "b.py", (1, 1), "wrong"),)
    edit = Edit({"app.py": ("\n".join(old), "\n".join(new))}, issues=issues)
    assert [found.rule for found in judge(edit)] == rejected


def test_files_that_are_new_or_gone_are_not_rewritten_and_others_are_still_looked_at() -> None:
    brackets, long = "()\n" * 40, "".join(f"a{n} = 'x'\n" for n in range(60))
    for other, rejected in ((long.replace("'", '"'), "reformatted"), (long.replace("a", "b" * 9), "rewrite")):
        files: dict[str, tuple[Content, Content]] = {"a.txt": (None, "x\n" * 60), "b.py": (long, other)}
        assert [found.rule for found in judge(Edit(files))] == [rejected]
        files = {"a.txt": (brackets, None), "b.py": (long, other)}
        found = judge(Edit(files, issues=(("a.txt", 1, "unused, delete it"),)))
        assert [r.rule for r in found] == [rejected]
    assert rules("a.txt", long, None) == rules("a.txt", long, "\n") == ["file-deleted"]


def test_a_module_that_hides_another_is_found_beside_a_file_that_is_gone() -> None:
    edit = Edit({"a.txt": ("x\n", None), "json.py": (None, "x = 1\n")}, issues=(("a.txt", 0, "unused, delete it"),))
    assert [found.rule for found in judge(edit)] == ["loaded-by-name"]


def test_formatting_counts_beside_a_line_that_is_as_it_was() -> None:
    old = "".join(f"a{n} = 'x'\n" for n in range(16))
    edit = Edit({"app.py": (f"{old}b = 1\nc = 2\n", old.replace("'", '"') + "b = 1\nc = 3\n")})
    assert [found.rule for found in judge(edit)] == ["reformatted"]


def test_a_file_that_is_too_large_is_not_searched_for_secrets() -> None:
    text = "key = 'gh" + "p_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX'\n" + ("x" * 63 + "\n") * 15_700
    assert rules("notes.txt", "a\n", text) == ["large-file"]


@pytest.mark.parametrize(("path", "rejected"), [(".settings", ["secret"]), ("settings.py", [])])
def test_a_value_without_quotes_is_a_name_in_code_alone(path: str, rejected: list[str]) -> None:
    assert rules(path, "a = 1\n", "a = 1\napi_key = i0VpEBOWfbZA" + "VaBSo63bbH6x\n") == rejected


@pytest.mark.parametrize("name", ["raises", "warns", "deprecated_call"])
def test_what_a_block_has_to_do_is_an_assertion(name: str) -> None:
    old = TEST.replace('raises(ValueError, match="no")', f"{name}()")
    edit = test(old, (f"with pytest.{name}():\n            f(-1)", "f(-1)"))
    assert [found.rule for found in judge(edit)] == ["held"]


def test_cases_may_be_given_by_keyword() -> None:
    edit = test(TEST.replace("[1, 2, 3]", "argvalues=[1, 2, 3]"), ("[1, 2, 3]", "[1, 2]"))
    assert [found.rule for found in judge(edit)] == ["held"]


@pytest.mark.parametrize("mark", ["@Ignore", "@Disabled", "@DisabledOnOs(OS.LINUX)"])
def test_a_test_in_kotlin_is_not_skipped(mark: str) -> None:
    old = "class FTest {\n    @Test\n    fun doubles() {\n        assertEquals(2, f(1))\n    }\n}\n"
    assert rules("src/test/FTest.kt", old, old.replace("@Test", f"@Test {mark}")) == ["held"]


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("f(1) == 2", "f(1) == f(2) == f(3)", ["held"]),
        ("f(1) != 3", "f(1) is not None", ["held"]),
        ("f(1) != 3", "f(1) != 4", ["held"]),
    ],
)
def test_what_an_assertion_says_is_weighed(old: str, new: str, rejected: list[str]) -> None:
    edit = test(TEST.replace("f(1) == 2", old), (f"assert {old}", f"assert {new}"))
    assert [found.rule for found in judge(edit)] == rejected


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("Equal(f(1), 2)", "Equal(f(1), f(1))", ["held"]),
        ("Equal(f(1), 2)", "Equal(f(1), 2, anything)", ["held"]),
        ("IsNotNone(f(1))", "IsNone(f(1))", ["held"]),
        ("IsNone(f(1))", "IsNotNone(f(1))", ["held"]),
        ("RaisesRegex(KeyError, 'a', f)", "RaisesRegex(LookupError, 'a', f)", ["held"]),
        ("RaisesRegex(KeyError, 'a', f)", "Raises(KeyError, f)", ["held"]),
        ("WarnsRegex(UserWarning, 'a', f)", "WarnsRegex(Warning, 'a', f)", ["held"]),
    ],
)
def test_what_an_assertion_of_unittest_says_is_weighed(old: str, new: str, rejected: list[str]) -> None:
    edit = test(UNIT.replace("Equal(f(1), 2)", old), (f"assert{old}", f"assert{new}"))
    assert [found.rule for found in judge(edit)] == rejected


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx", "a.cpp"])
def test_an_empty_handler_swallows_errors(path: str) -> None:
    body = "function g() { f(); }" if path != "a.cpp" else "void g() { f(); }"
    caught = "try { f(); } catch (e) {}" if path != "a.cpp" else "try { f(); } catch (...) {}"
    assert rules(path, f"{body}\n", f"{body.replace('f();', caught)}\n") == ["error-swallowed"]


@pytest.mark.parametrize(
    ("answer", "rejected"),
    [
        ("return", ["error-swallowed"]),
        ("return None", ["error-swallowed"]),
        ("return 0", []),
        ("continue", ["error-swallowed"]),
        ("break", []),
    ],
)
def test_a_handler_that_answers_with_something_swallows_nothing(answer: str, rejected: list[str]) -> None:
    old = "def g(ns):\n    for n in ns:\n        f(n)\n"
    caught = f"        try:\n            f(n)\n        except Exception:\n            {answer}\n"
    assert rules("app.py", old, old.replace("        f(n)\n", caught)) == rejected


@pytest.mark.parametrize(
    ("path", "rejected"),
    [
        ("tests/unit/__snapshots__/test_app.ambr", []),
        ("tests/unit/__snapshots__/test_other.ambr", ["hidden-from-review"]),
        ("tests/__snapshots__/test_app.ambr", ["hidden-from-review"]),
    ],
)
def test_a_new_snapshot_is_of_a_test_of_the_change(path: str, rejected: list[str]) -> None:
    edit = Edit({path: (None, "a 1\n")}, changed=("tests/unit/test_app.py",), reasons={path: "its snapshot"})
    assert [found.rule for found in judge(edit)] == rejected


def test_a_number_in_a_long_sum_counts() -> None:
    hook = f"def pytest_sessionfinish(session):\n    session.exitstatus = {' + '.join(['1'] * 2500)}\n"
    edit = Edit({"conftest.py": (hook, hook.replace("1\n", "2\n"))}, issues=(("app.py", 1, "wrong"),))
    assert [found.rule for found in judge(edit)] == ["held"]


def test_what_python_warns_of_is_read_all_the_same() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree_of("pattern = '\\d and a word'\n") is not None
