"""Other spellings of a name, and what stands within it: for the language they are the same."""

from __future__ import annotations

import pytest
from ast_grep_py import SgRoot
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import Finding
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.rules.apply import tidy
from selfreview.reviewers.rules.parseable import spelled
from selfreview.testing.context import MemoryContext, review

SELECT = "'SELECT a FROM b WHERE c = '"
GO_SELECT = SELECT.replace("'", '"')


def found(path: str, text: str) -> list[Finding]:
    return review(RulesReviewer(), MemoryContext({f"src/{path}": (None, text)}))


def tidied(text: str, language: str) -> str:
    text = spelled(text, language)
    return tidy(text, SgRoot(text, language).root(), language)


@pytest.mark.parametrize(
    ("path", "text", "rule", "line"),
    [
        ("a.php", "<?php\nEVAL($_GET['x']);\n", "php-code-from-values", 2),
        ("a.php", "<?php\n$a = \\UnSerialize ($_COOKIE['x']);\n", "php-unserialize-request", 2),
        ("a.php", "<?php\nInclude $_GET['page'];\n", "php-include-from-request", 2),
        ("a.js", "function f(x) {\n  cp?.exec('ls ' + x);\n}\n", "javascript-shell-injection", 2),
        ("a.js", "function f(x) {\n  cp.exec?.('ls ' + x);\n}\n", "javascript-shell-injection", 2),
        ("a.js", "function f(x) {\n  cp['exec']('ls ' + x);\n}\n", "javascript-shell-injection", 2),
        ("a.js", "function f(x) {\n  cp ?. [ `exec` ] ?. ('ls ' + x);\n}\n", "javascript-shell-injection", 2),
        ("a.ts", "function f(x) {\n  \\u0065val(x);\n}\n", "javascript-eval", 2),
        ("a.ts", "function f(x) {\n  ev\\u{61}l?.(x);\n}\n", "javascript-eval", 2),
        ("a.ts", f"function f(x) {{\n  db.query<Row>({SELECT} + x);\n}}\n", "javascript-sql-injection", 2),
        ("a.tsx", f"function f(x) {{\n  db.query<A<B>> /* a */ ({SELECT} + x);\n}}\n", "javascript-sql-injection", 2),
        ("a.ts", "function f(x) {\n  cp.exec<Row>(`ls ${x}`);\n}\n", "javascript-shell-injection", 2),
        ("a.ts", f"function f(x) {{\n  db!.query!({SELECT} + x);\n}}\n", "javascript-sql-injection", 2),
        ("a.ts", f"function f(x) {{\n  (db.query as any)<A>({SELECT} + x);\n}}\n", "javascript-sql-injection", 2),
        ("a.ts", f"function f(x) {{\n  db.query({SELECT} + x as string);\n}}\n", "javascript-sql-injection", 2),
        ("a.ts", f"function f(x) {{\n  db.query(({SELECT} + x) satisfies A);\n}}\n", "javascript-sql-injection", 2),
        ("a.ts", f"function f(x) {{\n  db.query(<string>({SELECT} + x));\n}}\n", "javascript-sql-injection", 2),
        ("a.ts", "function f(x) {\n  (eval as any)(x);\n}\n", "javascript-eval", 2),
        ("a.ts", "function f(x) {\n  eval?.<A>(x);\n}\n", "javascript-eval", 2),
        ("a.ts", "function f(x) {\n  new Function<A>(x);\n}\n", "javascript-eval", 2),
        ("a.js", "function f(x) {\n  ((\neval))(x);\n}\n", "javascript-eval", 3),
        ("a.py", "def f(x):\n    return (eval)(x)\n", "python-eval", 2),
        ("a.c", "void f(char *a) {\n  (gets)(a);\n}\n", "c-gets", 2),
        ("a.go", f"package a\nfunc f(x string) {{\n\t(db.Query)({GO_SELECT} + x)\n}}\n", "go-sql-injection", 3),
        ("A.cs", f"class A {{ void F(string x) {{\ndb.Query<A<B>>({GO_SELECT} + x);\n}} }}\n",
         "csharp-sql-injection", 2),
        ("a.py", "def f(x):\n    return \uff45val(x)\n", "python-eval", 2),
        ("a.py", "def f(x):\n    return pickle.\uff4coads(x)\n", "python-unpickle-argument", 2),
        ("a.c", "void f(void) {\n  char b[8];\n  ge\\\nts(b);\n}\n", "c-gets", 3),
        ("a.c", "void f(void) {\n  /* a *\\\n/ g\\\ne\\\r\nts(b); /* */\n}\n", "c-gets", 3),
        ("a.sh", "c\\\nurl -k https://example.org/\n", "bash-tls-verify-off", 1),
        ("A.java", "class A { void f(String x) {\n// \\u000a Runtime.getRuntime().exec(\"a \" + x);\n} }\n",
         "java-command-injection", 2),
        ("A.java", "class A { void f(String x) {\n/* \\u002a/ rt.\\uu0065xec(\"a \" + x); /* */\n} }\n",
         "java-command-injection", 2),
        ("A.cs", "class A { void F() { Console.Write(); throw new NotImpl\\u0065mentedException(); } }\n",
         "csharp-not-implemented", 1),
        ("A.cs", "class A { void F() { Assert.@True(true); } }\n", None, 1),
        ("a.kt", "fun f() {\n  db.`rawQuery`(\"SELECT a FROM b WHERE c = '\" + d + \"'\", null)\n}\n",
         "kotlin-sql-injection", 2),
    ],
)  # fmt: skip
def test_a_name_that_is_spelt_otherwise_is_found_where_it_stands(
    path: str, text: str, rule: str | None, line: int
) -> None:
    assert (rule is None) or (rule, line) in [(finding.rule, finding.line_start) for finding in found(path, text)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "from . import x\nfrom .a import (b)\nx = a\n(y) = b\nz = 1. if x else 2\ns = 'a . b (c)'\n"),
        ("python", "try:\n    a()\nexcept E:\n    if b:  # why\n        pass\n"),
        ("python", "\u03b1\u207f = 1\n\uff2e\uff27\u8a9e = 1\n"),
        ("javascript", "x = a ?.5 : b;\nif (a?.length >= 0) b = 'c . d (e)' + /f . g/;\nreturn ['x'];\n"),
        ("typescript", "const a = <T>(b: T) => (b);\nfoo(a as B, c!, !(d));\n(() => 1)();\nif (a) (b);\n"),
        ("typescript", "let a: Map<A, B>;\nconst b = useState<string | null>;\n(a || b)(c); x[0]!.y(d);\n"),
        ("python", "a = (b)\n(lambda: 1)()\n(c or d)(e)\nprint((f)[0](g))\n"),
        ("c", "int x = (int)(y);\nvoid f(void) { (*g)(a); if (a) (b); }\n"),
        ("javascript", "foo(\n  // @ts-ignore\n  bar);\ncase ['x']:\n"),
        ("javascript", "const a = \"\\\\u0065\" + \u0275\\u0275b();\n"),
        ("c", "void (*f)(int);\n#define A(x) do { \\\n  b(x); \\\n} while (0)\nint g(void) { return (1); }\n"),
        ("swift", "let x = a ? .b : .c\nreturn .d\n"),
        ("kotlin", "val a = assertThat(b, `is`(1))\nfun `adds two`() {}\n"),
        ("go", "package a\n\nfunc (t *T) Name(x int) (int, error) {\n\treturn (x), nil\n}\n"),
        ("ruby", "puts [1], (2)\nx = 1..n\ny = a ? b : c\n"),
        ("java", "class A { String a = \"\\\\u0041\"; }\n"),
    ],
)  # fmt: skip
def test_what_honest_code_looks_like_stays(language: str, text: str) -> None:
    assert tidied(text, language) == text


def test_what_is_moved_stays_on_its_line_where_it_can() -> None:
    text = "db . pool\n  .query ( // why\n    a)\n  .done /* so */ ( ) ;\n"
    moved = tidied(text, "javascript")
    assert moved.startswith("db.pool.query(")
    assert ".done( ) ;" in " ".join(moved.split()).replace(".done()", ".done( )")
    assert [line.strip() for line in moved.split("\n")][2].startswith("a).done")
    assert (len(moved), moved.count("\n")) == (len(text), text.count("\n"))


@given(
    st.lists(
        st.sampled_from(["a", "b", ".", "?.", "(", ")", " ", "\n", "['c']", '"d . e"', "/*f*/", "//g\n", "+", ";"])
    )
)
def test_lines_and_length_never_change(parts: list[str]) -> None:
    text = "".join(parts)
    for language in ("javascript", "csharp", "kotlin"):
        moved = tidied(text, language)
        assert (len(moved), moved.count("\n")) == (len(text), text.count("\n"))


def test_a_fix_is_offered_only_for_what_stands_as_it_was_read() -> None:
    (plain,) = found("a.php", "<?php\nvar_dump($a);\n")
    (moved,) = found("a.php", "<?php\nVar_Dump($a);\n")
    assert (plain.rule, moved.rule) == ("php-debug-output", "php-debug-output")
    assert plain.edits
    assert not moved.edits
