"""Code that its grammar does not understand since a change."""

from __future__ import annotations

import pytest

from selfreview.api import Finding, Severity
from selfreview.reviewers._rules_broken import LONGEST
from selfreview.reviewers.rules import RulesReviewer
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
        ("tests/z.ts", "const a: A = 1;\nf();\n", "const a: A = 1;\nf(};\n", 2),
        ("z.go", "package a\n\nfunc f() {\n\tg()\n}\n", "package a\n\nfunc f() {\n\tg(\n}\n", 4),
        ("z.rb", None, "def f\n  g(]\nend\n", 2),
        ("z.php", "<p><?= $a ?></p>\n", "<p>\n<?= = $a ?></p>\n", 2),
    ],
)
def test_the_changed_line_that_breaks_a_file_is_told_once(path: str, old: str | None, new: str, line: int) -> None:
    (finding,) = found(path, new, old)
    assert (finding.line_start, finding.severity, finding.unreviewed) == (line, Severity.LOW, False)


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
        ("z.php", None, "<?php\nf();\n__halt_compiler();\n( [\n"),
        ("z.java", None, "import module java.base;\nclass A {}\n"),
        ("z.rs", None, "fn f( {\n"),  # macros make errors of their own
        ("z.js", None, f"const a = [{'g(y), ' * 20_000}];\n"),  # the parser does not get the whole of it
        ("z.js", None, f"{'f();' + chr(10)}" * (LONGEST // 4) + BROKEN),
    ],
)
def test_what_may_be_valid_or_was_broken_before_is_let_be(path: str, old: str | None, new: str) -> None:
    assert found(path, new, old) == []


def test_the_rest_of_the_file_is_reviewed() -> None:
    rules = {f.rule for f in review(RulesReviewer(), MemoryContext({"z.js": (None, f"eval(x);\n{BROKEN}")}))}
    assert rules >= {"broken-syntax", "javascript-eval"}
