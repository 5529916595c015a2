"""Just inside and just outside of what makes a Python assertion weaker than the one that it replaces."""

from __future__ import annotations

import pytest

from selfreview.loop.guard.model import Rejection
from tests.loop.guard.edits import Edit, judge

HEAD = "import pytest\nfrom app import f\n\n\n"
TAIL = "\n\ndef test_two():\n    assert f(2) == 4\n"
PATH = "tests/test_app.py"


def checks(*said: str, name: str = "test_one") -> str:
    return f"def {name}():\n" + "".join(f"    assert {text}\n" for text in said or ["f(2) == 4"])


def found(old: str, new: str, about: tuple[str, int] = ("app.py", 1)) -> list[Rejection]:
    edit = Edit({PATH: (f"{HEAD}{old}{TAIL}", f"{HEAD}{new}{TAIL}")}, issues=((*about, "wrong"),))
    return judge(edit)


def rules(old: str, new: str, about: tuple[str, int] = ("app.py", 1)) -> list[str]:
    return [rejection.rule for rejection in found(old, new, about)]


CHANGED, LOOSENED = ["expectation-changed"], ["assertion-loosened"]


@pytest.mark.parametrize(
    ("now", "line", "rejected"),
    [
        ("approx(0.3)", 6, []),
        ("approx(0.3, abs=1e-6)", 6, []),
        ("approx(0.3, abs=1e-5)", 6, LOOSENED),
        ("approx(0.3)", 5, []),
        ("approx(0.3)", 4, LOOSENED),
        ("approx(0.3)", 7, LOOSENED),
    ],
)
def test_a_number_may_become_an_approximate_one_where_an_issue_is_about_its_test(
    now: str, line: int, rejected: list[str]
) -> None:
    assert rules(checks("f(1) == 0.3"), checks(f"f(1) == {now}"), (PATH, line)) == rejected


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("f(1) == approx(0.3, abs=1e-5)", "f(1) == approx(0.3, abs=1e-5, nan_ok=True)", CHANGED),
        ("f(1) == approx(0.3, abs=1e-5)", "f(1) == approx(0.3, abs=1e-6)", CHANGED),
        ("f(1) == approx(0.3, abs=1e-5)", "f(1) == approx(0.3, abs=1e-4)", LOOSENED),
        ("f(1) == approx(0.3, abs=1e-5)", "f(1) == 0.3", CHANGED),
        ("f(1) == approx(0.3, abs=1e-5)", "f(1) > 0.3", CHANGED),
        ("f(1) > 2", "f(1) > approx(2)", CHANGED),
        ("f(1)", "f(1) == approx(2)", []),
        ("f(1) > 2", "f(1) > 3", CHANGED),
        ("f(1) == 2", "()", []),
        ("()", "f(1)", []),
    ],
)
def test_an_assertion_is_weighed_against_the_one_that_it_replaces(old: str, new: str, rejected: list[str]) -> None:
    assert rules(checks(old), checks(new)) == rejected


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        (checks("f(1) == 2"), checks("other.thing(x) in (y, z)"), LOOSENED),
        (checks("f(1) == 2"), checks("other.thing(x) in (y, z)", "h(9) == 3"), []),
        (checks("f(1) == 2"), checks("f(1) in (2, 3)", "hhhhh(9) == 3"), LOOSENED),
        (checks("f(1) == 2", "f(2) == 4"), checks("f(1) in (2, 3)", "f(2) in (4, 5)"), LOOSENED),
        (checks("f(1) == 2", "f(2) == 4"), checks("f(2) == 4", "f(1) == 2"), []),
        (checks("zzz.qqq", "f(1) == 2"), checks("zwwwwww", "f(1) in (2, 3)", "k is u"), LOOSENED),
        (checks("f(1) == 2"), checks("g3 > 2", "k is u"), LOOSENED),
        (checks("f(1) == 2"), checks("g33 > 2", "k is u"), []),
        (checks("f(3) == 6"), "def test_one():\n    pass\n", ["test-emptied"]),
        ("def test_one():\n    pass\n", "def test_one():\n    ...\n", []),
        ("def test_one():\n    pass\n", checks("f(1) == 2"), []),
        ("def test_one():\n    f(1)\n", "def test_one():\n    pass\n", ["test-emptied"]),
    ],
)
def test_what_became_of_an_assertion(old: str, new: str, rejected: list[str]) -> None:
    assert rules(old, new) == rejected


def test_a_test_that_is_gone_does_not_hide_that_another_says_less() -> None:
    gone = checks("f('a').b is g", name="test_gone") + "\n\n"
    assert rules(gone + checks("f(1) == 2"), checks("f(1) in (2, 3)")) == ["test-removed", *LOOSENED]
    emptied = gone + checks("f(1) == 2"), "def test_gone():\n    pass\n\n\n" + checks("f(1) in (2, 3)")
    assert rules(*emptied) == ["test-emptied", *LOOSENED]


@pytest.mark.parametrize(("more", "said"), [("a" * 52, "{} == 2"), ("a" * 53, "{} ...")])
def test_a_long_assertion_is_named_in_short(more: str, said: str) -> None:
    rejected = found(checks(f"f({more}) == 2"), checks(f"f({more}) > 2"))
    assert f"Keep `{said.format(f'f({more})')}` of test_one" in rejected[0].reason
