"""Which errors that a test expects are wider than those that it expected."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge

PATH = "tests/test_app.py"
FIRST = "    def test_first(self):\n        assert g() == 1\n\n"


def rules(old: str, new: str) -> list[str]:
    edit = Edit({PATH: (f"class TestA(TestCase):\n{old}", f"class TestA(TestCase):\n{new}")}, changed=())
    return [found.rule for found in judge(Edit(edit.files, issues=(("app.py", 1, "wrong"),)))]


def block(*calls: str) -> str:
    inside = "".join(f"        with {call}:\n            f()\n" for call in calls)
    return f"    def test_a(self):\n{inside}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("raises(KeyError)", "raises(LookupError)"),
        ("raises(AError)", "raises(BaseException)"),
        ("raises(AError)", "raises(Exception)"),
        ("raises(AError)", "raises((AError, BError))"),
        ("raises((AError, KeyError))", "raises((AError, LookupError))"),
        ("raises(expected_exception=KeyError)", "raises(expected_exception=LookupError)"),
        ("raises(KeyError, match='a')", "raises(KeyError)"),
        ("raises(KeyError, check=g)", "raises(KeyError)"),
        ("raises(KeyError, match='a')", "raises(AError)"),
        ("warns(AWarning)", "warns(Warning)"),
        ("self.assertRaises(KeyError)", "self.assertRaises(LookupError)"),
        ("self.assertRaises(exception=KeyError)", "self.assertRaises(exception=LookupError)"),
        ("self.assertRaisesRegex(KeyError, 'a')", "self.assertRaisesRegex(LookupError, 'a')"),
        ("self.assertRaisesRegex(KeyError, 'a')", "self.assertRaises(KeyError)"),
        ("self.assertWarns(AWarning)", "self.assertWarns(Warning)"),
        ("self.assertWarnsRegex(AWarning, 'a')", "self.assertWarnsRegex(Warning, 'a')"),
    ],
)
def test_what_is_wider(old: str, new: str) -> None:
    assert rules(block(old), block(new)) == ["expected-error-widened"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("raises(LookupError)", "raises(KeyError)"),
        ("raises(KeyError)", "raises(AError)"),
        ("raises(AError)", "raises(LookupError)"),
        ("raises(AError)", "raises(BError)"),
        ("raises((AError, BError))", "raises(AError)"),
        ("raises(KeyError, match='a')", "raises(KeyError, check=g)"),
        ("raises(KeyError)", "raises(KeyError, match='a')"),
        ("raises()", "raises(KeyError)"),
        ("raises(**{'a': KeyError})", "raises(KeyError)"),
        ("raises(match=KeyError)", "raises(LookupError, match=KeyError)"),
        ("self.assertRaises(KeyError)", "self.assertRaisesRegex(KeyError, 'a')"),
    ],
)
def test_what_is_not_wider(old: str, new: str) -> None:
    assert rules(block(old), block(new)) == []


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("self.assertIn(KeyError, f())", "self.assertIn(LookupError, f())", []),
        ("self.assertIn(KeyError, f())", "self.assertRaises(LookupError, f)", []),
        ("assert f(1) == 2", "assert f(1) == 3", ["expectation-changed"]),
        ("self.assertRaises(KeyError, f)", "assert assertRaises", ["assertion-loosened"]),
    ],
)
def test_only_errors_count(old: str, new: str, rejected: list[str]) -> None:
    head = "    def test_a(self):\n        "
    assert rules(f"{head}{old}\n", f"{head}{new}\n") == rejected


def test_a_test_is_told_of_once_and_each_is_looked_at() -> None:
    old, new = block("raises(KeyError)", "warns(AWarning)"), block("raises(LookupError)", "warns(Warning)")
    assert rules(old, new) == ["expected-error-widened"]
    assert rules(FIRST + old, new) == ["test-removed", "expected-error-widened"]
    assert rules(old.replace("_a", "_0") + old, new.replace("_a", "_0") + new) == ["expected-error-widened"] * 2
