"""Assertions that a change folds into a loop are not lost; those that the loop does not make are."""

from __future__ import annotations

import pytest

from selfreview.reviewers.rules import RulesReviewer
from selfreview.testing.context import MemoryContext, review

OLD = "    assert f(1) == 1\n    assert f(2) == 2\n    assert f(3) == 3\n"
PAIRS = "    self.assertEqual(f('a'), 1)\n    self.assertEqual(f('b'), 2)\n    self.assertEqual(f('c'), 3)\n"


def lost(new: str, old: str = OLD) -> list[int]:
    sides = (f"def test_f(self):\n{old}", f"def test_f(self):\n{new}")
    findings = review(RulesReviewer(), MemoryContext({"tests/test_a.py": sides}))
    return [finding.line_start for finding in findings if finding.rule == "removed-assertion"]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("    for n in (1, 2, 3): assert f(n) == n\n", OLD),
        ("    for n in [3, 2, 1, 0]:\n        # all\n        assert f(n) == n\n        g(n)\n", OLD),
        ("    for n in range(1, 4):\n        assert f(n) == n\n", OLD),
        ("    a = 1\n    for n in range(4):\n        g(n)\n        assert f(n) == n\n", OLD),
        ("    for k, n in (\n        ('a', 1),\n        ['b', 2],\n        ('c', 3),\n    ):\n"
         "        self.assertEqual(f(k), n)\n", PAIRS),
        ("    for n in (1, 2):\n        assert f(n) == n\n    assert f(3) == 3\n", OLD),
    ],
)  # fmt: skip
def test_a_loop_over_the_same_values_keeps_them(new: str, old: str) -> None:
    assert lost(new, old) == []


@pytest.mark.parametrize(
    ("new", "line"),
    [
        ("    for n in ():\n        assert f(n) == n\n", 2),
        ("    for n in (1, 2):\n        assert f(n) == n\n", 4),
        ("    for n in (2, 3):\n        assert f(n) == n\n", 2),
        ("    for n in range(2):\n        assert f(n) == n\n", 3),
        ("    for n in range(1, 4, 5):\n        assert f(n) == n\n", 2),
        ("    for n in values():\n        assert f(n) == n\n", 2),
        ("    for n in (1, 2, 3):\n        assert f(n)\n", 2),
        ("    for n in (1, 2, 3):\n        assert f(n) == n or g()\n", 2),
        ("    for m in (1, 2, 3):\n        assert f(n) == n\n", 2),
        ("    for n in (1, 2, 3):\n        if g():\n            continue\n        assert f(n) == n\n", 2),
        ("    for n in (1, 2, 3):\n        break\n        assert f(n) == n\n", 2),
        ("    for n in (1, 2, 3):\n        assert f(n) == n\n        break\n", 2),
        ("    for n in (1, 2, 3):\n        assert f(n) == n\n        if g():\n            return\n", 2),
        ("    for n in (1, 2, 3):\n        n = 1\n        assert f(n) == n\n", 2),
        ("    return\n    for n in (1, 2, 3):\n        assert f(n) == n\n", 2),
        ("    raise E\n    for n in (1, 2, 3):\n        assert f(n) == n\n", 2),
        ("    def later():\n        for n in (1, 2, 3):\n            assert f(n) == n\n    g()\n", 2),
        ("    if g():\n        for n in (1, 2, 3):\n            assert f(n) == n\n", 2),
        ("    '''\n    for n in (1, 2, 3):\n        assert f(n) == n\n    '''\n    assert f\n", 2),
        ("    for n, m in ((1, 2), (2, 3), (3, 4)):\n        assert f(m) == n\n", 2),
        ("    for n in ((1, 2), (2, 3), (3, 4)):\n        assert f(n) == n\n", 2),
    ],
)
def test_what_the_loop_does_not_look_at_is_lost(new: str, line: int) -> None:
    assert lost(new) == [line]


def test_a_loop_elsewhere_keeps_nothing() -> None:
    new = "    pass\n\n\ndef test_g():\n    for n in (1, 2, 3):\n        assert f(n) == n\n"
    assert lost(new) == [2]


def test_code_that_is_no_python_of_today_is_compared_by_its_lines() -> None:
    assert lost("    print 'a'\n    for n in (1, 2, 3):\n        assert f(n) == n\n") == [2]


def test_code_that_is_too_deep_to_be_written_again_is_compared_by_its_lines() -> None:
    value = "1" + "\n    + 1" * 1_500
    loop = "    for n in (1, 2, 3):\n        assert f(n) == n\n"
    assert lost(loop, f"    f({value})\n{OLD}") == []
    assert lost(loop, f"{OLD}    assert f({value})\n") == [2]
