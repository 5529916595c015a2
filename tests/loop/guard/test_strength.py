"""How much an assertion in Python says, and how far from its value a number may be."""

from __future__ import annotations

import ast

import pytest

from selfreview.loop.guard.strength import EXACT, NOTHING, PARTIAL, TRUTH, strength, tolerance

SAID = {
    NOTHING: (
        "True", "x == x", "f(1) == ANY", "mock.ANY == f(1)", "f(1) == AnyThing()", "f(1) == IsAnything()",
        "f(1) == Anything()", "f(1) == anything()", "(f(1), 'a')", "assertEqual(f(1), f(1))", "assertIs(f(1), f(1))",
        "assertEqual(f(1), ANY)", "assertEquals(ANY, f(1))", "assertTrue(True)", "assertTrue(f(1) or True)", "not True",
    ),
    TRUTH: (
        "f(1)", "f(1) == True", "False == f(1)", "len(f(1)) == 0", "f(1) is not None", "f(1) != None", "not f(1)",
        "isinstance(f(1), int)", "assertIsNotNone(f(1))", "assertIsInstance(f(1), int)", "m.assert_called()",
        "m.assert_awaited()", "assertTrue(f(1))", "assertFalse(f(1))", "f(1) == 2 and g", "check(f(1), f(1))",
        "check(ANY, f(1))",
    ),
    PARTIAL: (
        "f(1) < 2", "f(1) == f(2) == 3", "f(1) in g", "f(1) == approx(2)", "not f(1) == 2", "f(1) == 2 or g == 3",
        "f(1) == 2 or ()", "f(1) != 0", "f(1) is not g", "f(1) < None", "assertNotEqual(f(1), 2)", "assertIn(f(1), g)",
        "assertAlmostEqual(f(1), 2)", "assertAlmostEquals(f(1), 2)", "assertIsNot(f(1), g)", "assert_frame_equal(a, b)",
        "all(f(1))", "isclose(f(1), 2)", "np.allclose(f(1), 2)", "f(1).startswith('a')", "f(1).endswith('a')",
        "m.assert_any_call(1)", "m.assert_called_once()", "assertIn(ANY, f(1))",
    ),
    EXACT: (
        "f(1) == 2", "len(f(1)) == 1", "len(f(1)) == n", "size(f(1)) == 0", "f(1) is None", "f(1) is True",
        "assertEqual(f(1), 2)", "assertEquals(f(1), 2)", "assertEqual(f(1), 2, ANY)", "assertIs(f(1), g)",
        "assertIsNone(f(1))", "assertTrue(f(1) == 2)", "assertFalse(f(1) == 2)", "assert_(f(1) == 2)",
        "failUnless(f(1) == 2)", "assertRaises(KeyError)", "pytest.raises(KeyError)", "assertWarnsRegex(W, 'a')",
        "m.assert_called_with(1)", "m.assert_called_once_with(1)", "m.assert_awaited_once_with(1)",
    ),
}  # fmt: skip
NEAR: dict[str, float | None] = {
    "f(1) == 2": None,
    "f(1) == round(2.5, 1)": None,
    "f(1) == pytest.approx(2)": 1e-6,
    "f(1) == approx(2, 0.5)": 0.5,
    "f(1) == approx(2, 0.25, 3)": 0.25,
    "f(1) == approx(2, rel=0.5)": 0.5,
    "f(1) == approx(2, abs=1)": 1.0,
    "f(1) == approx(2, rel=0.5, abs=0.25)": 0.5,
    "f(1) == approx(2, rel=0.25, abs=0.5)": 0.5,
    "f(1) == approx(2, rel=near, abs=0.5)": 0.5,
    "f(1) == approx(2, rel=None)": 1e-6,
    "f(1) == approx(2, nan_ok=4)": 1e-6,
    "isclose(f(1), 2)": 1e-6,
    "math.isclose(f(1), 2, rel_tol=0.5)": 0.5,
    "math.isclose(f(1), 2, abs_tol=0.5)": 0.5,
    "np.allclose(f(1), 2, rtol=0.5)": 0.5,
    "np.allclose(f(1), 2, atol=0.5)": 0.5,
    "assert_allclose(f(1), 2, rtol=0.5)": 0.5,
    "assertAlmostEqual(f(1), 2)": 1e-7,
    "assertAlmostEqual(f(1), 2, 3)": 1e-3,
    "assertAlmostEqual(f(1), 2, 0)": 1.0,
    "assertAlmostEqual(f(1), 2, places=3)": 1e-3,
    "assertAlmostEqual(f(1), 2, delta=0.5)": 0.5,
    f"assertAlmostEqual(f(1), 2, delta=1{'0' * 400})": float("inf"),
    "assertAlmostEqual(f(1), 2, None, 'words', 0.5)": 1e-7,
}


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(("text", "said"), [(text, said) for said, texts in SAID.items() for text in texts])
def test_how_much_an_assertion_says(text: str, said: int) -> None:
    assert strength(expression(text)) == said


@pytest.mark.parametrize("text", ["()", "not ()", "assertTrue()"])
def test_what_an_assertion_without_anything_says_is_not_known(text: str) -> None:
    assert strength(expression(text)) is None


@pytest.mark.parametrize("text", NEAR)
def test_how_far_from_its_value_a_number_may_be(text: str) -> None:
    assert tolerance(expression(text)) == (None if NEAR[text] is None else pytest.approx(NEAR[text], rel=1e-9))
