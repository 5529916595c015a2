"""Tests that do not test."""

from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, repeated

_LEAVES = [{"kind": kind} for kind in ("return_statement", "break_statement", "continue_statement")]
_NEVER: dict[str, Any] = {"kind": "assert_statement", "regex": r"^assert\s+(False|0)\s*($|,)", "stopBy": "end"}

RULES = (
    Rule(
        id="python-skip-without-reason",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=("skip", "xfail"),
        hint=r"@.*(skip|xfail)(\(\s*(['\"]{2}\s*)?\))?[ \t]*(#.*)?\r?\n",
        match={
            "kind": "decorator",
            "not": {"precedes": {"kind": "comment"}},
            "regex": r"^@(pytest\.)?mark\.(skip|xfail)(\(\s*\))?$|^@(unittest\.)?skip(\(\s*\))?$|"
            r"^@(unittest\.)?skip\(\s*['\"]{2}\s*\)$",
        },
        where="tests",
        bad=(
            """
            @pytest.mark.skip  <--
            def test_sum():
                assert total([1]) == 1
            """,
            """
            @unittest.skip("")  <--
            def test_sum():
                assert total([1]) == 1
            """,
        ),
        good=(
            """
            @pytest.mark.skip(reason="needs a printer")
            def test_sum():
                assert total([1]) == 1
            """,
            """
            @unittest.skip("needs a printer")
            def test_sum():
                assert total([1]) == 1
            """,
            """
            @pytest.mark.skipif(os.name == "nt", reason="no fork")
            def test_sum():
                assert total([1]) == 1
            """,
        ),
    ),
    Rule(
        id="python-assert-constant",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("assert",),
        hint=r"assert\s+(True|1|['\"])|assert(True\(\s*(True|['\"])|False\(\s*False|IsNone\(\s*None)",
        match={
            "any": [
                {"kind": "assert_statement", "regex": r"^assert\s+(True|1|['\"]\w+['\"])\s*($|,)"},
                {"kind": "call", "regex": r"^self\.assert(True\(\s*True|False\(\s*False|IsNone\(\s*None)\s*[,)]"},
                {"kind": "call", "regex": r"^self\.assertTrue\(\s*['\"]"},
            ],
            "not": {"inside": {"kind": "if_statement", "has": _NEVER, "stopBy": "end"}},
        },
        where="tests",
        bad=(
            """
            def test_total():
                total([1])
                assert True  <--
            """,
            "self.assertTrue(True)",
        ),
        good=(
            "assert total([1]) == 1",
            "self.assertTrue(total([1]))",
            "assert 1 == total([1])",
            "if total([1]) == 1:\n    assert True\nelse:\n    assert False",
        ),
    ),
    Rule(
        id="python-assert-same",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="A value is compared with itself: the assertion cannot fail.",
        suggestion="Compare with the expected value.",
        needs=("assertEqual", "assertIs", "assertListEqual", "assertDictEqual"),
        hint=r"assert\w+\(\s*([^,]+?)\s*,\s*\1",
        match=repeated(
            "self.assertEqual($VALUE, $VALUE)",
            "self.assertEqual($VALUE, $VALUE, $$$)",
            "self.assertIs($VALUE, $VALUE)",
            "self.assertListEqual($VALUE, $VALUE)",
            "self.assertDictEqual($VALUE, $VALUE)",
        ),
        constraints={"VALUE": {"not": {"any": [{"kind": "call"}, {"has": {"kind": "call", "stopBy": "end"}}]}}},
        where="tests",
        bad=("self.assertEqual(result, result)",),
        good=("self.assertEqual(result, expected)", "self.assertEqual(next(numbers), next(numbers))"),
    ),
    Rule(
        id="python-assert-tuple",
        severity=Severity.HIGH,
        category=Category.TESTING,
        message="A tuple of two is always true: the assertion cannot fail.",
        suggestion="Remove the parentheses.",
        needs=("assert",),
        hint=r"assert\s*\(",
        match={"pattern": "assert ($CONDITION, $TEXT)"},
        fix="assert $CONDITION, $TEXT",
        bad=("assert (total([1]) == 1, 'one')",),
        good=("assert total([1]) == 1, 'one'", "assert (total([1]) == 1), 'one'"),
    ),
    Rule(
        id="python-mock-assert-not-called",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="Nothing is asserted: the name is looked up and never called, or the mock invents it.",
        suggestion="Call the mock's assert_called… method.",
        needs=("called", "has_calls"),
        hint=r"(?m)^[ \t]*[\w.\[\]()]+\.(assert_[a-z_]+\s*(#|;|$)|(not_)?called\w*\(|has_calls\()",
        match={
            "kind": "expression_statement",
            "has": {
                "any": [
                    {"kind": "attribute", "regex": r"\.assert_(called\w*|not_called|any_call|has_calls)$"},
                    {
                        "kind": "call",
                        "regex": r"\.(called_once_with|called_with|called_once|not_called|has_calls)\([^()]*\)$",
                    },
                ]
            },
        },
        where="tests",
        bad=("send.assert_called_once", "send.called_once_with(1)"),
        good=("send.assert_called_once()", "send.assert_called_once_with(1)", "assert send.called"),
    ),
    Rule(
        id="python-raises-anything",
        severity=Severity.LOW,
        category=Category.TESTING,
        message="Any error passes this test, a misspelt name included.",
        suggestion="Name the error that is expected, or match its text.",
        needs=("raises(", "assertRaises("),
        hint=r"aises\(\s*(Base)?Exception\b",
        match={"any": [{"pattern": "pytest.raises($KIND)"}, {"pattern": "self.assertRaises($KIND)"}]},
        constraints={"KIND": {"regex": r"^(Base)?Exception$"}},
        where="tests",
        bad=(
            """
            with pytest.raises(Exception):  <--
                total(None)
            """,
        ),
        good=(
            """
            with pytest.raises(Exception, match="no numbers"):
                total(None)
            """,
            """
            with pytest.raises(TypeError):
                total(None)
            """,
        ),
    ),
    Rule(
        id="python-sleep-in-test",
        severity=Severity.SUGGESTION,
        category=Category.TESTING,
        message="Waiting a fixed time makes the test slow where it is too long and flaky where it is too short.",
        suggestion="Wait for the event, with a deadline.",
        needs=("sleep(",),
        match={"pattern": "time.sleep($SECONDS)"},
        constraints={
            "SECONDS": {"any": [{"kind": "integer", "regex": "^[1-9]"}, {"kind": "float", "regex": "^[1-9]"}]}
        },
        where="tests",
        bad=("time.sleep(5)",),
        good=("time.sleep(0.01)", "time.sleep(delay)"),
    ),
    Rule(
        id="python-assertion-swallowed",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion fails nothing: what it raises is caught and dropped.",
        suggestion="Let it fail; for what is expected to fail use pytest.raises.",
        needs=("except AssertionError", "except (AssertionError"),
        match={
            "kind": "except_clause",
            "all": [
                {"regex": r"^except\s*\(?\s*AssertionError\b"},
                {"has": {"kind": "block", "regex": r"^pass\b[^\n]*$"}},
            ],
            "inside": {
                "kind": "try_statement",
                "all": [
                    {"has": {"kind": "block", "has": {"kind": "assert_statement", "stopBy": "end"}}},
                    {"not": {"has": {"kind": "else_clause"}}},
                    {"not": {"has": {"kind": "block", "has": {"any": _LEAVES, "stopBy": "end"}}}},
                ],
            },
        },
        where="tests",
        bad=(
            """
            try:
                assert total([1, 2]) == 3
            except AssertionError:  <--
                pass
            """,
        ),
        good=(
            """
            for _ in range(9):
                try:
                    assert ready()
                    break
                except AssertionError:
                    pass
            """,
            """
            try:
                assert total([1, 2]) == 3
            except AssertionError:
                pass
            else:
                fail()
            """,
        ),
    ),
)
