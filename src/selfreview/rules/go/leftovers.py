"""Leftover code, and tests that do not test."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import call

RULES = (
    Rule(
        id="go-skip-without-reason",
        languages=("go",),
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=(".Skip()", ".SkipNow()"),
        match={
            "kind": "expression_statement",
            "regex": r"^[tb]\.Skip(Now)?\(\s*\)$",
            "not": {"precedes": {"kind": "comment"}},
        },
        where="tests",
        bad=("func TestSum(t *testing.T) { t.Skip() }", "func TestSum(t *testing.T) { t.SkipNow() }"),
        good=(
            'func TestSum(t *testing.T) { t.Skip("needs a printer") }',
            "func TestSum(t *testing.T) {\n    t.Skip() // needs a printer\n}",
            "func f() { reader.Skip() }",
        ),
    ),
    Rule(
        id="go-print-left",
        languages=("go",),
        severity=Severity.SUGGESTION,
        category=Category.STYLE,
        message="A package that prints to standard output surprises the program that uses it.",
        suggestion="Remove it, or use the project's logger.",
        needs=("fmt.Println(", "fmt.Printf("),
        match={
            "kind": "call_expression",
            "all": [
                {"has": {"field": "function", "regex": r"^fmt\.Print(ln|f)$"}},
                {
                    "inside": {
                        "kind": "source_file",
                        "stopBy": "end",
                        "not": {"has": {"kind": "package_clause", "regex": r"\bmain$"}},
                    }
                },
            ],
        },
        where="product",
        bad=(
            """
            package store

            func f() {
                fmt.Println("here")  <--
            }
            """,
        ),
        good=("package main\n\nfunc main() { fmt.Println(1) }", "package store\n\nfunc f() { fmt.Fprintln(w, 1) }"),
    ),
    Rule(
        id="go-not-implemented",
        languages=("go",),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The program panics when it gets here.",
        suggestion="Implement it, or return an error.",
        needs=("panic(",),
        hint=r"(?i)panic\(\s*\"(todo|not (yet )?implemented|unimplemented|implement me)",
        match=call("^panic$", {"regex": r"(?i)^\"(todo|not (yet )?implemented|unimplemented|implement me)"}),
        where="product",
        bad=('func f() { panic("not implemented") }', 'func f() { panic("TODO: write") }'),
        good=('func f() { panic("unreachable") }',),
    ),
)
