"""Just inside and just outside of what a rule rejects."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Content, Edit, judge


def rules(path: str, old: Content, new: Content) -> list[str]:
    return [found.rule for found in judge(Edit({path: (old, new)}))]


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("total = n\n", "# total = n\n", ["commented-out"]),
        ('"""\nwords of a docstring\n"""\n', "# words of a docstring\n", []),
        ("a = 1\n", "# a = 1\n", []),
    ],
)
def test_code_of_more_than_a_few_characters_does_not_become_a_comment(old: str, new: str, rejected: list[str]) -> None:
    assert rules("app.py", old, new) == rejected


@pytest.mark.parametrize(("size", "rejected"), [(1_000_000, []), (1_000_001, ["large-file"])])
def test_a_file_of_a_megabyte_is_not_too_large(size: int, rejected: list[str]) -> None:
    assert (
        rules("notes.txt", "a\n", b"x" * 63 + b"\n" + (b"x" * 63 + b"\n") * 15_624 + b"x" * (size - 1_000_000))
        == rejected
    )


@pytest.mark.parametrize(
    ("now", "rejected"),
    [
        ("approx(0.3, abs=0.5)", ["assertion-loosened"]),
        ("approx(0.4)", ["assertion-loosened", "expectation-changed"]),
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
    edit = Edit({path: (None, "def test_one():\n    assert g(1) == 2\n")}, changed=(changed,))
    assert [found.rule for found in judge(edit)] == rejected


@pytest.mark.parametrize(("last", "rejected"), [(1, ["reformatted"]), (2, []), (17, [])])
def test_fifteen_lines_besides_those_of_an_issue_may_be_formatted(last: int, rejected: list[str]) -> None:
    old = "".join(f"a{n} = 'x'\n" for n in range(17))
    edit = Edit({"app.py": (old, old.replace("'", '"'))}, issues=(("app.py", (1, last), "wrong"),))
    assert [found.rule for found in judge(edit)] == rejected


def test_a_number_in_a_long_sum_counts() -> None:
    hook = f"def pytest_sessionfinish(session):\n    session.exitstatus = {' + '.join(['1'] * 2500)}\n"
    edit = Edit({"conftest.py": (hook, hook.replace("1\n", "2\n"))}, issues=(("app.py", 1, "wrong"),))
    assert [found.rule for found in judge(edit)] == ["test-hooks"]
