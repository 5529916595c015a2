"""Errors that vanish, code that does something else than it says, tests that do not test, leftovers."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, call, node, repeated

RULES = (
    Rule(
        id="go-error-dropped",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="When this fails the value is nil or empty, and the program goes on with it.",
        suggestion="Check the error.",
        needs=(", _ :=", ", _ ="),
        hint=r",\s*_\s*:?=\s*(os|http|sql|url|regexp|net|template|json|time|ioutil|io|tls|x509)\.\w+\(",
        match={
            "any": [{"kind": "short_var_declaration"}, {"kind": "assignment_statement"}],
            "all": [
                {"has": {"field": "left", "regex": r"^\w+, _$"}},
                {
                    "has": {
                        "field": "right",
                        "regex": r"^(os\.(Open|Create|OpenFile|Stat|ReadFile)|http\.(Get|Post|Head|NewRequest\w*)|"
                        r"sql\.Open|"
                        r"url\.Parse|regexp\.Compile|net\.(Dial|Listen)|template\.ParseFiles|time\.Parse|"
                        r"ioutil\.ReadFile|x509\.Parse\w+|tls\.\w+)\(",
                    }
                },
            ],
        },
        where="product",
        bad=("file, _ := os.Open(path)", "response, _ := http.Get(address)"),
        good=("file, err := os.Open(path)", "value, _ := cache.Get(key)", "home, _ := os.UserHomeDir()"),
    ),
    Rule(
        id="go-error-silenced",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The error is assigned to nothing: the program goes on as if there were none.",
        suggestion="Return or handle it.",
        needs=("_ = err",),
        match={"kind": "assignment_statement", "regex": r"^_\s*=\s*err$"},
        bad=(
            """
            func f() {
                err := save()
                _ = err  <--
            }
            """,
        ),
        good=("func f() { _ = errors.New }", "func f() { _ = file.Close() }"),
    ),
    Rule(
        id="go-empty-error-branch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The error is tested and then dropped: the program goes on as if there were none.",
        suggestion="Return or handle it.",
        needs=("err != nil",),
        hint=r"err\s*!=\s*nil\s*\{\s*\}",
        match=node(
            "if_statement",
            {"not": {"has": {"field": "alternative", "kind": "block"}}},
            condition=r"err\s*!=\s*nil$",
            consequence=r"^\{\s*\}$",
        ),
        bad=("func f() { if err := save(); err != nil {\n} }",),
        good=(
            "func f() error { if err := save(); err != nil { return err }; return nil }",
            "func f() { if err := save(); err != nil { /* the cache is only a help */ } }",
        ),
    ),
    Rule(
        id="go-recover-dropped",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every panic is dropped here without a trace.",
        suggestion="Look at what recover returns, and log it or panic again.",
        needs=("recover()",),
        match={"kind": "expression_statement", "has": call("^recover$")},
        where="product",
        bad=(
            """
            func f() {
                defer func() {
                    recover()  <--
                }()
            }
            """,
        ),
        good=("func f() { defer func() { if r := recover(); r != nil { log.Print(r) } }() }",),
    ),
    Rule(
        id="go-compare-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=(" == ", " < ", " > ", " <= ", " >= "),
        hint=r"(?<![\w.\]])([\w.]+)\s*(==|<|>|<=|>=)\s*\1(?![\w.\[(])",
        match=repeated(
            "$VALUE == $VALUE", "$VALUE < $VALUE", "$VALUE > $VALUE", "$VALUE <= $VALUE", "$VALUE >= $VALUE"
        ),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "selector_expression"}]}},
        where="product",
        bad=("func f() { if a.Size == a.Size { merge() } }",),
        good=("func f() { if a.Size == b.Size { merge() } }", "func f() bool { return x != x }"),
    ),
    Rule(
        id="go-wait-group-in-goroutine",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Wait may return before the goroutine has got as far as Add.",
        suggestion="Call Add before the go statement.",
        needs=(".Add(1)",),
        hint=r"go\s+func\s*\((?s:.){0,500}\.Add\(\s*1\s*\)",
        match={
            "kind": "call_expression",
            "all": [
                {"regex": r"(?i)(wg|waitgroup|group)\.Add\(\s*1\s*\)$"},
                {"inside": {"kind": "go_statement", "stopBy": "end"}},
            ],
        },
        bad=(
            """
            func f() {
                go func() {
                    wg.Add(1)  <--
                    defer wg.Done()
                }()
                wg.Wait()
            }
            """,
        ),
        good=(
            """
            func f() {
                wg.Add(1)
                go func() {
                    defer wg.Done()
                }()
            }
            """,
        ),
    ),
    Rule(
        id="go-defer-in-loop",
        severity=Severity.LOW,
        category=Category.PERFORMANCE,
        message="The deferred call waits for the end of the function, not of the round: all files or locks stay open.",
        suggestion="Move the body of the loop into a function.",
        needs=("defer ",),
        hint=r"\bfor\b",
        match={
            "kind": "defer_statement",
            "regex": r"\.(Close|Unlock|RUnlock|Stop)\(\s*\)$",
            "inside": {
                "kind": "for_statement",
                "stopBy": {"any": [{"kind": "func_literal"}, {"kind": "function_declaration"}]},
            },
        },
        bad=(
            """
            func f(names []string) {
                for _, name := range names {
                    file, err := os.Open(name)
                    check(err)
                    defer file.Close()  <--
                }
            }
            """,
        ),
        good=("func f() { for { func() { defer lock.Unlock() }() } }", "func f() { defer file.Close(); for {} }"),
    ),
    Rule(
        id="go-skip-without-reason",
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
        severity=Severity.SUGGESTION,
        category=Category.STYLE,
        message="A package that prints to standard output surprises the program that uses it.",
        suggestion="Remove it, or use the project's logger.",
        needs=("fmt.Println(", "fmt.Printf("),
        match=node(
            "call_expression",
            {
                "inside": {
                    "kind": "source_file",
                    "stopBy": "end",
                    "not": {"has": {"kind": "package_clause", "regex": r"\bmain$"}},
                }
            },
            function=r"^fmt\.Print(ln|f)$",
        ),
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
