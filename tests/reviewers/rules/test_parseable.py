"""Code that its grammar does not understand since a change."""

from __future__ import annotations

import pytest

from selfreview.api import Finding, Severity
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.rules.parseable import LONGEST
from selfreview.testing.context import MemoryContext, review

BROKEN = "function f( {\n return 1;\n}\n"


def found(path: str, new: str, old: str | None = None) -> list[Finding]:
    findings = review(RulesReviewer(), MemoryContext({path: (old, new)}))
    return [finding for finding in findings if finding.rule == "broken-syntax"]


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("z.js", None, BROKEN, 2),
        ("z.js", "f();\n" * 9, f"{'f();' + chr(10)}" * 9 + BROKEN, 11),
        ("z.ts", "const a: A = 1;\nf();\n", "const a: A = 1;\nf(};\n", 2),
        ("z.go", "package a\n\nfunc f() {\n\tg()\n}\n", "package a\n\nfunc f() {\n\tg(\n}\n", 4),
        ("z.go", "func f() {\n}\n\nfunc g() {\n}\n", "func f() {\n\n\nfunc g() {\n}\n", 2),  # noticed at the end only
        ("z.rs", None, "fn f() {\n  g(;\n}\n", 2),
        ("z.rb", None, "def f\n  g(]\nend\n", 2),
        ("z.php", "<p><?= $a ?></p>\n", "<p>\n<?= = $a ?></p>\n", 2),
    ],
)
def test_the_changed_line_that_breaks_a_file_is_told_once(path: str, old: str | None, new: str, line: int) -> None:
    (finding,) = found(path, new, old)
    assert (finding.line_start, finding.severity, finding.unreviewed) == (line, Severity.MEDIUM, False)


def test_a_removed_line_that_breaks_a_file_is_named() -> None:
    (finding,) = found("z.java", "class A {\n  int x =\n  int y;\n}\n", "class A {\n  int x =\n  1;\n  int y;\n}\n")
    assert (finding.line_start, [(place.line_start, place.side) for place in finding.related]) == (3, [(3, "old")])


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("z.js", BROKEN, f"{BROKEN}g(;\n"),  # the grammar did not understand it before
        ("z.js", "f(;\n\n\n\ng();\n", "f(;\n\n\n\ng(1);\n"),
        ("z.js", None, "// @flow\nfunction f(a: ?string) { return (a: any); }\n"),
        ("z.js", None, "{% for a in b %}\nf({{ a }});\n{% endfor %}\n"),
        ("z.ts", None, "interface A<\n  out T = 1,\n> {}\n"),
        ("z.ts", None, "export type * from './a';\n"),
        ("z.rb", None, "class A\n  <%= body %>\nend\n"),
        ("z.php", None, "<p>(</p>\n"),
        ("z.php", None, "<?php class C { public function __construct(public private(set) string $x) {} }\n"),
        ("z.php", None, "<?php\nclass C {\n  function __construct(\n    final public ?A $x = null,\n  ) {}\n}\n"),
        ("z.php", None, "<?php\nf();\n__halt_compiler();\n( [\n"),
        ("z.java", None, "import module java.base;\nclass A {}\n"),
        ("z.java", None, "class A {\n  void f(B @Nullable ... b) {}\n}\n"),
        ("z.ts", None, "interface A {\n  b: string\n  in_c: string\n}\n"),
        ("z.tsx", None, 'f(<a href="?b=1&c=2">d</a>);\n'),
        ("z.jsx", None, 'f(<a class="b">d</a>);\n'),
        ("z.ts", None, "f<typeof import('a')>(\n  b,\n);\n"),
        ("z.go", None, "package a\n\nvar b = new(5)\n"),
        ("z.rb", None, "a\n  && b\n  || c\n"),
        ("z.rs", None, "f! { @//\n}\n"),  # a macro holds any tokens
        ("z.c", None, "void f( {\n"),  # with macros, valid C may look so
        ("z.c", "int f() { return 1; }\n", 'int f() { TEST("a") { g(); } return 1; }\n'),
        ("z.swift", "func f() {}\n", "func f( {}\n"),
        ("z.js", None, f"const a = [{'g(y), ' * 20_000}];\n"),  # the parser does not get the whole of it
        ("z.js", None, f"{'f();' + chr(10)}" * (LONGEST // 4) + BROKEN),
    ],
)
def test_what_may_be_valid_or_was_broken_before_is_let_be(path: str, old: str | None, new: str) -> None:
    assert found(path, new, old) == []


def test_the_rest_of_the_file_is_reviewed() -> None:
    rules = {f.rule for f in review(RulesReviewer(), MemoryContext({"z.js": (None, f"eval(x);\n{BROKEN}")}))}
    assert rules >= {"broken-syntax", "javascript-eval"}
