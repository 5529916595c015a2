"""Rust: calls that trust too much, errors that vanish, and what is left over."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, call, node, repeated

LANGUAGES = ("rust",)

RULES = (
    Rule(
        id="rust-sql-format",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Bind values, with placeholders in the query.",
        needs=("format!",),
        hint=r"(?i)format!\(\s*r?#?\"\s*(select|insert|update|delete)\s",
        match={
            "kind": "macro_invocation",
            "all": [
                {
                    "regex": r"(?is)^format!\(\s*r?#*\"\s*(select\b.*\bfrom|insert\s+into|update\b.*\bset|"
                    r"delete\s+from)\b.*"
                    r"(=|<|>|\blike|\bvalues\s*\(|,)\s*['%(]*\{"
                },
                {
                    "any": [
                        {
                            "inside": {
                                "kind": "call_expression",
                                "stopBy": {"kind": "block"},
                                "has": {
                                    "field": "function",
                                    "regex": r"(\w*query\w*|prepare\w*|fetch\w*|exec\w*)(::<.*>)?$",
                                },
                            }
                        },
                        {
                            "inside": {
                                "kind": "let_declaration",
                                "has": {"field": "pattern", "regex": r"(?i)^(mut )?\w*(sql|query|stmt|statement)\w*$"},
                            }
                        },
                    ]
                },
            ],
        },
        where="product",
        bad=(
            "let rows = sqlx::query(&format!(\"SELECT * FROM users WHERE name = '{}'\", name));",
            'let sql = format!("DELETE FROM users WHERE id = {id}");',
        ),
        good=(
            'let rows = sqlx::query("SELECT * FROM users WHERE name = ?").bind(name);',
            'let text = format!("SELECT * FROM users WHERE name = {name}");',
            'let sql = format!("SELECT * FROM {table} LIMIT 10");',
        ),
    ),
    Rule(
        id="rust-shell-format",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Start the program itself and pass its arguments with arg.",
        needs=('"-c"', '"/C"', '"/c"'),
        match=node(
            "call_expression",
            {
                "has": {
                    "field": "function",
                    "regex": r"Command::new\(\s*\"(sh|bash|cmd|/bin/sh|/bin/bash)\"\s*\)(?s:.*)\"(-c|/C|/c)\"",
                }
            },
            {
                "has": {
                    "field": "arguments",
                    "has": {"kind": "macro_invocation", "regex": r"^format!\(", "stopBy": "end"},
                }
            },
            function=r"\.arg$",
        ),
        where="product",
        bad=('Command::new("sh").arg("-c").arg(format!("git log {}", branch)).output();',),
        good=(
            'Command::new("git").arg("log").arg(branch).output();',
            'Command::new("sh").arg("-c").arg("ls").output();',
        ),
    ),
    Rule(
        id="rust-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate or host name is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; add the certificate of an authority of your own.",
        needs=("danger_accept_invalid", "SslVerifyMode::NONE"),
        match={
            "any": [
                call(r"\.danger_accept_invalid_(certs|hostnames)$", {"regex": "^true$"}),
                {"kind": "scoped_identifier", "regex": r"SslVerifyMode::NONE$"},
            ]
        },
        where="product",
        bad=(
            "let c = Client::builder().danger_accept_invalid_certs(true).build();",
            "builder.set_verify(SslVerifyMode::NONE);",
        ),
        good=("let c = Client::builder().danger_accept_invalid_certs(false).build();",),
    ),
    Rule(
        id="rust-debug-macro",
        severity=Severity.MEDIUM,
        category=Category.STYLE,
        message="dbg! writes to standard error in release builds too; it is meant to be removed.",
        suggestion="Keep the expression and remove the macro.",
        needs=("dbg!",),
        match={"kind": "macro_invocation", "regex": r"^dbg!"},
        where="product",
        bad=("fn f() { let x = dbg!(total(1)); }",),
        good=('fn f() { let x = debug!("{}", 1); }',),
    ),
    Rule(
        id="rust-not-implemented",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The program panics when it gets here.",
        suggestion="Implement it, or return an error.",
        needs=("todo!", "unimplemented!"),
        match={"kind": "macro_invocation", "regex": r"^(todo|unimplemented)!"},
        where="product",
        bad=("fn f() { todo!() }", 'fn f() { unimplemented!("later") }'),
        good=("fn f() { unreachable!() }",),
    ),
    Rule(
        id="rust-ignored-test",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion='Mend the test, remove it, or give the reason: #[ignore = "…"].',
        needs=("#[ignore]",),
        match={
            "kind": "attribute_item",
            "regex": r"^#\s*\[\s*ignore\s*\]$",
            "not": {"precedes": {"kind": "line_comment"}},
        },
        bad=("#[test]\n#[ignore]  <--\nfn adds() {}",),
        good=(
            '#[test]\n#[ignore = "needs a printer"]\nfn adds() {}',
            "#[test]\n#[ignore] // needs a printer\nfn adds() {}",
        ),
    ),
    Rule(
        id="rust-assert-constant",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("assert!(true",),
        match={"kind": "macro_invocation", "regex": r"^assert!\(\s*true\b"},
        bad=("fn t() { assert!(true); }",),
        good=("fn t() { assert!(total(1) == 1); }",),
    ),
    Rule(
        id="rust-assert-same",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="A value is compared with itself: the assertion cannot fail.",
        suggestion="Compare with the expected value.",
        needs=("assert_eq!",),
        hint=r"assert_eq!\(\s*([\w.]+)\s*,\s*\1\s*[,)]",
        match=repeated("assert_eq!($VALUE, $VALUE)"),
        bad=("fn t() { assert_eq!(total, total); }",),
        good=("fn t() { assert_eq!(total, 1); }",),
    ),
    Rule(
        id="rust-compare-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=(" == ", " <= ", " >= "),
        hint=r"(?<![\w.\]])([\w.]+)\s*(==|<=|>=)\s*\1(?![\w.\[(])",
        match=repeated("$VALUE == $VALUE", "$VALUE <= $VALUE", "$VALUE >= $VALUE"),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "field_expression"}]}},
        where="product",
        bad=("fn f() { if a.size == a.size { merge() } }",),
        good=("fn f() { if a.size == b.size { merge() } }",),
    ),
    Rule(
        id="rust-result-dropped",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The error is thrown away: the program goes on as if there were none.",
        suggestion="Handle or log it, or write `let _ =` with the reason.",
        needs=(".ok();",),
        match={"kind": "expression_statement", "regex": r"\.ok\(\s*\)\s*;$", "has": call(r"\.ok$")},
        where="product",
        bad=("fn f() { save(item).ok(); }",),
        good=("fn f() { let x = save(item).ok(); }",),
    ),
    Rule(
        id="rust-unchecked-memory",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Reading memory that was never written is undefined behaviour.",
        suggestion="Use MaybeUninit.",
        needs=("mem::uninitialized", "mem::zeroed"),
        match=call(r"mem::uninitialized(::<.*>)?$"),
        where="product",
        bad=("fn f() { let x: u8 = unsafe { std::mem::uninitialized() }; }",),
        good=("fn f() { let x = MaybeUninit::<u8>::uninit(); }",),
    ),
)
