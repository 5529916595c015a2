"""Code that the other rules did not look at."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Removal, Rule
from selfreview.syntax.languages import FOLDERS

_BROKEN = {
    "javascript": ("function f() {}", "function f( {"),
    "typescript": ("const a: number = 1;", "const a: = 1;"),
    "tsx": ("const a = <div></div>;", "const a = <div>{</div>;"),
    "go": ("package a\n\nvar b = 1", "package a\n\nvar b = )"),
    "java": ("class A { int b; }", "class A { int 1b; }"),
    "ruby": ("def a; end", "def a; )"),
    "php": ("<?php\n$a = 1;", "<?php\n$a = ;"),
    "csharp": ("class A { int b; }", "class A { int 1b; }"),
    "rust": ("fn f() {}", "fn f( {}"),
    "c": ("int f(void) { return 1; }", "int f(void { return 1; }"),
    "cpp": ("int f() { return 1; }", "int f( { return 1; }"),
    "bash": ("f() { g; }", "f( { g; }"),
    "kotlin": ("fun f() {}", "fun f( {}"),
}

RULES = (
    Rule(
        id="broken-syntax",
        languages=tuple(_BROKEN),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="This is no valid syntax; what stands here and below may not have been seen by other rules.",
        suggestion="Correct the syntax.",
        needs=(),
        coded=True,
        bad=tuple(Removal(language, sound, f"{broken}  <--") for language, (sound, broken) in _BROKEN.items()),
        good=tuple(Removal(language, broken, sound) for language, (sound, broken) in _BROKEN.items()),
    ),
    Rule(
        id="line-too-long-to-review",
        languages=tuple(FOLDERS),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="No rule looked at this line: it holds more than 20,000 characters of code.",
        suggestion="Break the line, move the data into a file of its own, or mark the file linguist-generated.",
        needs=(),
        coded=True,
        bad=("x = [" + "f(y), " * 5_000 + "];  <--",),
        good=("x = '" + "a" * 30_000 + "';", "x = [" + "f(y), " * 3_000 + "];"),
    ),
)
