"""What is left over from looking for a bug or from working on one test."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript._shapes import JS
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="javascript-debugger",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Execution stops here whenever developer tools are open.",
        suggestion="Remove the statement.",
        needs=("debugger",),
        match={"kind": "debugger_statement"},
        fix="",
        bad=(
            """
            function total(items) {
              debugger;  <--
              return items.length;
            }
            """,
        ),
        good=("const debugger_ = 1;", "log('debugger;');"),
    ),
    Rule(
        id="javascript-focused-test",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.TESTING,
        message="Only this test runs; every other test of the file or suite is left out without anybody noticing.",
        suggestion="Remove the focus.",
        needs=(".only", "fit(", "fdescribe(", "fcontext("),
        match={
            "any": [
                {"pattern": "$TEST.only"},
                {"kind": "identifier", "regex": "^(fit|fdescribe|fcontext)$", "inside": {"kind": "call_expression"}},
            ]
        },
        constraints={"TEST": {"regex": r"^(it|test|describe|context|suite|specify)(\.\w+)*$"}},
        where="tests",
        bad=(
            "it.only('adds', () => {});",
            "fdescribe('sums', () => {});",
            """
            describe('sums', () => {
              test.only('adds', () => {});  <--
            });
            """,
        ),
        good=("it('adds', () => {});", "page.fit(1);", "const only = options.only;", "fit.describe();"),
    ),
)
