"""Errors and promises that vanish."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript._shapes import JS
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import call

RULES = (
    Rule(
        id="javascript-empty-catch",
        languages=JS,
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
        languages=JS,
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
        languages=JS,
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
        languages=JS,
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
        languages=JS,
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
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="React takes the returned promise for the clean-up function, and errors in the effect are lost.",
        suggestion="Define an async function inside the effect and call it.",
        needs=("useEffect(async", "useLayoutEffect(async"),
        match=call(r"(^|\.)use(Layout)?Effect$", {"regex": r"^async\b"}),
        bad=("useEffect(async () => { setUser(await load()); }, []);",),
        good=("useEffect(() => { load().then(setUser); }, []);",),
    ),
)
