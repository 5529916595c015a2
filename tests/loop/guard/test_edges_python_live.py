"""Just inside and just outside of what of a Python test runs, and counts."""

from __future__ import annotations

import pytest

from tests.loop.guard.test_python_collected import BODY, inside, rules

TWICE = f"{BODY}    assert f(0) == 0\n"
HANDLER = "except AssertionError:\n"
NOTHING = "NOTHING = ()\nSAME = NOTHING\nNONE_YET: list[int]\nSO: tuple[int, ...] = ()\n"


def looped(over: str) -> str:
    return NOTHING + inside(f"for _ in {over}:\n")


@pytest.mark.parametrize(
    "over",
    [
        "list()", "tuple()", "set()", "frozenset()", "dict()", "iter([])", "list(set())", "{}", "''", "b''",
        "[n for n in []]", "{n for n in ()}", "(n for n in {})", "NOTHING", "SAME", "list(SAME)", "SO",
    ],
)  # fmt: skip
def test_a_loop_over_nothing_is_not_run(over: str) -> None:
    assert rules(looped(over)) == ["assertion-removed"]


@pytest.mark.parametrize(
    "over",
    [
        "numbers()", "list(numbers())", "dict(a=1)", "'a'", "b'a'", "{1: 2}", "[n for n in (1, 2)]", "range(1)",
        "range(0, 2)", "range(f(1))", "NONE_YET", "OTHER", "list(OTHER, key=f)",
    ],
)  # fmt: skip
def test_a_loop_over_something_is_run(over: str) -> None:
    assert rules(looped(over)) == []


@pytest.mark.parametrize(
    ("condition", "rejected"),
    [
        ("f and False", ["assertion-removed"]),
        ("f and g and 0", ["assertion-removed"]),
        ("False or ''", ["assertion-removed"]),
        ("()", ["assertion-removed"]),
        ("not 1", ["assertion-removed"]),
        ("typing.TYPE_CHECKING", ["assertion-removed"]),
        ("False or f", ["assertion-unreached"]),
        ("f and g", ["assertion-unreached"]),
        ("not f", ["assertion-unreached"]),
        ("not False", []),
        ("not not 1", []),
        ("1", []),
    ],
)
def test_a_condition_that_never_holds_is_told_from_one_that_may(condition: str, rejected: list[str]) -> None:
    assert rules(inside(f"if {condition}:\n")) == rejected


@pytest.mark.parametrize(
    ("condition", "rejected"),
    [("False", []), ("not True", []), ("True", ["assertion-removed"]), ("f", ["assertion-unreached"])],
)
def test_the_other_branch_is_weighed_too(condition: str, rejected: list[str]) -> None:
    assert rules(inside(f"if {condition}:\n    f(0)\nelse:\n")) == rejected


@pytest.mark.parametrize(
    "new",
    [
        inside("try:\n    f(0)\nexcept Exception as error:\n    print(error)\nelse:\n"),
        inside("match f(0):\n  case 1:\n"),
        inside("try:\n", "except:\n    print(1)\n"),
        inside("try:\n", "except Exception as error:\n    print(error)\n"),
        inside("try:\n", "except BaseException as error:\n    print(error)\n"),
        inside("try:\n", "except (OSError, AssertionError) as error:\n    print(error)\n"),
        inside("try:\n", "except AssertionError:\n    try:\n        print(1)\n    finally:\n        f(0)\n"),
        inside("try:\n", f"{HANDLER}    try:\n        raise\n    {HANDLER}        print(1)\n"),
        inside("try:\n", "except AssertionError:\n    with suppress(AssertionError):\n        raise\n"),
        inside("try:\n", "except AssertionError:\n    with lock:\n        print(1)\n"),
        inside("try:\n", "except AssertionError:\n    if f(0):\n        raise\n    else:\n        print(1)\n"),
        inside("try:\n", "except AssertionError:\n    assert f(0) == 0\n"),
        inside("try:\n", "except AssertionError:\n    print('fail')\n"),
        inside("try:\n", "finally:\n    if f(0):\n        return\n"),
        inside("try:\n", "finally:\n    for n in f(0):\n        return\n"),
        inside("for n in itertools.takewhile(f, [0]):\n"),
        inside("for n in range(bool(f(0))):\n"),
        inside("for n in range(not f(0)):\n"),
        inside("for n in [1] if f(0) else []:\n"),
        inside("for n in f(0) and [1]:\n"),
        inside("with pytest.raises(AssertionError):\n"),
        inside("with pytest.raises((KeyError, Exception)):\n"),
        inside("with case.assertRaises(AssertionError):\n"),
        inside("with suppress(AssertionError):\n"),
        inside("with pytest.RaisesGroup(BaseException):\n"),
    ],
)
def test_a_failure_that_does_not_count_is_rejected(new: str) -> None:
    assert set(rules(new)) - {"error-swallowed"} == {"assertion-unreached"}


@pytest.mark.parametrize(
    "new",
    [
        inside("try:\n", "except OSError as error:\n    print(error)\n"),
        inside("try:\n", f"{HANDLER}    pytest.fail('no')\n"),
        inside("try:\n", f"{HANDLER}    return pytest.fail('no')\n"),
        inside("try:\n", f"{HANDLER}    assert False\n"),
        inside("try:\n", f"{HANDLER}    if True:\n        raise\n"),
        inside("try:\n", f"{HANDLER}    if f(0):\n        raise\n    else:\n        pytest.fail('no')\n"),
        inside("try:\n", f"{HANDLER}    try:\n        print(1)\n    finally:\n        raise\n"),
        inside("try:\n", f"{HANDLER}    try:\n        raise\n    finally:\n        print(1)\n"),
        inside("try:\n", f"{HANDLER}    with lock:\n        raise\n"),
        inside("with log.catching(Exception):\n"),
        inside("with lock:\n"),
        inside("for n in {1: f}.items():\n"),
        inside("for n in -f(1), 2:\n"),
    ],
)
def test_a_failure_that_counts_is_not(new: str) -> None:
    assert rules(new) == []


def test_a_case_instead_of_a_condition_is_not() -> None:
    assert rules(inside("match f(0):\n  case 1:\n"), inside("if f(0) == 1:\n")) == []


def test_a_handler_that_ends_the_run_does_not_forgive() -> None:
    assert rules(inside("try:\n", f"{HANDLER}    pytest.exit('no')\n")) == ["test-run-ended"]


@pytest.mark.parametrize(
    ("context", "rejected"),
    [
        ("open(f)", ["assertion-removed"]),
        ("lock", ["assertion-removed"]),
        ("pytest.raises(KeyError)", []),
        ("case.assertRaises(KeyError)", []),
        ("case.assertRaisesRegex(KeyError, 'a')", []),
        ("suppress(KeyError)", []),
        ("pytest.warns(UserWarning)", []),
        ("case.subTest()", []),
    ],
)
def test_what_is_behind_a_block_that_an_error_leaves_runs_where_it_is_expected(
    context: str, rejected: list[str]
) -> None:
    new = TWICE.replace("\n", f"\n    with {context}:\n        raise KeyError\n", 1)
    assert rules(new, TWICE) == rejected
