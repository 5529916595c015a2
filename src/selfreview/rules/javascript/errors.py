"""Errors and promises that vanish, and leftovers from debugging or from work on a single test."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript import CONSTANT
from selfreview.rules.rule import Rule, call

RULES = (
    Rule(
        id="javascript-empty-catch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every error is dropped here without a trace, misspelt names included.",
        suggestion="Handle the error that is expected, log the rest, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*(\([^)]{0,500}\))?\s*\{\s*\}",
        match={
            "kind": "catch_clause",
            "has": {"field": "body", "kind": "statement_block", "not": {"has": {"regex": r"[^{}\s]"}}},
            "not": {"has": {"field": "parameter", "regex": r"^(_\w*|ignored?\w*|unused|expected)$"}},
        },
        where="product",
        bad=("try { save(); } catch (error) {}", "try { save(); } catch {\n}"),
        good=(
            "try { save(); } catch (error) { log(error); }",
            "try { save(); } catch (ignored) {}",
            "try { save(); } catch { /* the cache is only a help */ }",
        ),
    ),
    Rule(
        id="javascript-empty-promise-catch",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="A rejection is dropped here without a trace.",
        suggestion="Handle the error that is expected, or log it.",
        needs=(".catch(",),
        hint=r"\.catch\(\s*(function\b|\(?\s*\w*\s*\)?\s*=>)",
        match=call(
            r"\.catch$",
            {
                "any": [{"kind": "arrow_function"}, {"kind": "function_expression"}],
                "has": {"field": "body", "kind": "statement_block", "not": {"has": {"regex": r"[^{}\s]"}}},
            },
        ),
        where="product",
        bad=("save().catch(() => {});", "save().catch(function (error) {});"),
        good=("save().catch(report);", "save().catch(() => { /* best effort */ });", "save().catch(() => null);"),
    ),
    Rule(
        id="javascript-async-executor",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="What the async function throws is lost: the promise never settles.",
        suggestion="Make the executor synchronous, or use the async function without new Promise.",
        needs=("new Promise(async",),
        match=call(
            "^Promise$",
            {"any": [{"kind": "arrow_function"}, {"kind": "function_expression"}], "regex": r"^async\b"},
            kind="new_expression",
        ),
        bad=("const p = new Promise(async (resolve) => resolve(await load()));",),
        good=("const p = new Promise((resolve) => load(resolve));", "const p = (async () => await load())();"),
    ),
    Rule(
        id="javascript-async-for-each",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="forEach does not wait for async callbacks: what follows runs before they end, and errors are lost.",
        suggestion="Use for…of with await, or await Promise.all over map.",
        needs=("forEach(async",),
        match=call(
            r"\.forEach$",
            {
                "any": [{"kind": "arrow_function"}, {"kind": "function_expression"}],
                "all": [{"regex": r"^async\b"}, {"has": {"kind": "await_expression", "stopBy": "end"}}],
            },
        ),
        where="product",
        bad=("files.forEach(async (file) => { await upload(file); });",),
        good=(
            "files.forEach((file) => list.push(file));",
            "await Promise.all(files.map(async (file) => { await upload(file); }));",
        ),
    ),
    Rule(
        id="javascript-return-in-finally",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A return in finally drops the exception that is on its way.",
        suggestion="Return after the try statement.",
        needs=("finally {", "finally{"),
        match={
            "kind": "return_statement",
            "inside": {
                "kind": "finally_clause",
                "stopBy": {
                    "any": [
                        {"kind": "function_declaration"},
                        {"kind": "function_expression"},
                        {"kind": "arrow_function"},
                        {"kind": "method_definition"},
                    ]
                },
            },
        },
        bad=(
            """
            function read(file) {
              try {
                return file.read();
              } finally {
                return null;  <--
              }
            }
            """,
        ),
        good=("function f() { try { return 1; } finally { each(() => { return 2; }); } }",),
    ),
    Rule(
        id="javascript-effect-async",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="React takes the returned promise for the clean-up function, and errors in the effect are lost.",
        suggestion="Define an async function inside the effect and call it.",
        needs=("useEffect(async", "useLayoutEffect(async"),
        match=call(r"(^|\.)use(Layout)?Effect$", {"regex": r"^async\b"}),
        bad=("useEffect(async () => { setUser(await load()); }, []);",),
        good=("useEffect(() => { load().then(setUser); }, []);",),
    ),
    Rule(
        id="javascript-debugger",
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
