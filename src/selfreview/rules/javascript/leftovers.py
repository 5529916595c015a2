"""Leftovers from debugging, or from working on a single test."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript._shapes import CONSTANT, JS
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import call

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
    Rule(
        id="javascript-skipped-test",
        languages=JS,
        severity=Severity.LOW,
        category=Category.TESTING,
        message="The test is off; nothing says why or until when.",
        suggestion="Mend the test or remove it.",
        needs=(".skip(", "xit(", "xdescribe(", "xtest(", "xcontext("),
        match=call(
            r"^((it|test|describe|context|suite|specify)(\.\w+)*\.skip|xit|xdescribe|xtest|xcontext)$",
            {"kind": "string"},
        ),
        where="tests",
        bad=("it.skip('adds', () => {});", "xdescribe('sums', () => {});"),
        good=("it('adds', () => {});", "query.skip(10);", "test.skip(browserName === 'webkit', 'no support');"),
    ),
    Rule(
        id="javascript-expect-nothing",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="Nothing is asserted: expect without a matcher, or a matcher that is not called.",
        suggestion="Call a matcher, such as .toBe(value).",
        needs=("expect(",),
        hint=r"expect\((?s:.){0,500}\)\s*(\.(not|resolves|rejects))?(\.to(Be|Equal|Have|Contain|Match|Throw)\w*)?\s*(;|\n|\}|$)",
        match={
            "kind": "expression_statement",
            "has": {
                "any": [
                    {
                        "kind": "call_expression",
                        "has": {"field": "function", "kind": "identifier", "regex": "^expect$"},
                    },
                    {
                        "kind": "member_expression",
                        "regex": r"^expect\([^;]*\)(\.(not|resolves|rejects))?"
                        r"\.to(Be|Equal|StrictEqual|Have|Contain|Match|Throw)\w*$",
                        "not": {"regex": r"\.to(Be|Have|Contain)$"},
                    },
                ]
            },
        },
        where="tests",
        bad=("expect(total([1]));", "expect(total([1])).toBeTruthy;", "expect(f).not.toThrow;"),
        good=(
            "expect(total([1])).toBe(1);",
            "expect(total([1])).to.be.true;",
            "return expect(total([1]));",
            "expect(f).to.have.been.called;",
        ),
    ),
    Rule(
        id="javascript-expect-constant",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("expect(true)", "expect(1)", "assert(true", "assert.ok(true"),
        match={
            "any": [
                call(r"^expect\(\s*(true|1)\s*\)\.(toBe|toEqual|toBeTruthy|toStrictEqual)$"),
                call(r"^assert(\.ok)?$", {"kind": "true"}),
            ]
        },
        where="tests",
        bad=("expect(true).toBe(true);", "assert(true);"),
        good=("expect(total([1])).toBe(1);", "assert(total([1]) === 1);"),
    ),
    Rule(
        id="javascript-console-log",
        languages=JS,
        severity=Severity.SUGGESTION,
        category=Category.STYLE,
        message="This looks like output for finding a bug.",
        suggestion="Remove it, or use the project's logger.",
        needs=("console.log(", "console.debug(", "console.dir("),
        match={"kind": "expression_statement", "has": call(r"^console\.(log|debug|dir)$")},
        where="product",
        bad=("console.log(user);",),
        good=("console.error(error);", "logger.log(user);"),
    ),
    Rule(
        id="javascript-alert",
        languages=JS,
        severity=Severity.LOW,
        category=Category.STYLE,
        message="A box of the browser stops the page until somebody closes it; it is usually left over.",
        suggestion="Remove it, or show the message in the page.",
        needs=("alert(",),
        hint=r"(?m)^[ \t]*alert\(",
        match={"kind": "expression_statement", "has": call(r"^alert$", {"any": [CONSTANT, {"kind": "identifier"}]})},
        where="product",
        bad=("alert('here');",),
        good=("dialog.alert('here');", "showAlert('here');"),
    ),
    Rule(
        id="typescript-checks-off",
        languages=("typescript", "tsx"),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Errors of types are no longer shown here, also those that are made later.",
        suggestion="Mend the type, or use @ts-expect-error with the reason.",
        needs=("@ts-ignore", "@ts-nocheck"),
        match={"kind": "comment", "regex": r"^(//|/\*)\s*@ts-(ignore|nocheck)\s*(\*/)?$"},
        bad=("// @ts-ignore\nconst x: number = 'a';",),
        good=("// @ts-ignore the types of this package are wrong\nx();", "// @ts-expect-error\nx();"),
    ),
)
