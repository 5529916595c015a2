"""The syntax tree of a file."""

from __future__ import annotations

import pytest

from selfreview.syntax.source import Source

CASES = {
    "without its decorator": ("a.py", "@app.route('/')\ndef f(x):\n    return x\n", 3, (2, 3)),
    "the innermost": ("a.js", "function f(x) {\n  return function () {\n    x()\n  }\n}\n", 3, (2, 4)),
    "one of a single line is none": ("a.js", "function f(x) {\n  return y => y(x)\n}\n", 2, (1, 3)),
    "without its attribute": ("a.rs", "#[inline]\nfn f(x: i32) -> i32 {\n    x\n}\n", 3, (2, 4)),
    "outside of any": ("a.py", "x = 1\n\n\ndef f():\n    pass\n", 1, None),
    "no language": ("a.txt", "x = 1\n", 1, None),
    "C": ("a.c", "int f(void)\n{\n  return 1;\n}\n", 3, (1, 4)),
    "a lambda of C++": ("a.cpp", "void f() {\n  g([](int x) {\n    h(x);\n  });\n}\n", 3, (2, 4)),
    "a function of a shell": ("a.sh", "f() {\n  x\n}\n", 2, (1, 3)),
    "a script by its first line": ("bin/run", "#!/bin/sh\nf() {\n  x\n}\n", 3, (2, 4)),
    "a closure of Rust": ("a.rs", "fn f() {\n    g(|x| {\n        h(x)\n    })\n}\n", 3, (2, 4)),
    "Swift": ("a.swift", "class A {\n  init() {\n    f()\n  }\n}\n", 3, (2, 4)),
    "a closure of Swift": ("a.swift", "func f() {\n  g { x in\n    h(x)\n  }\n}\n", 3, (2, 4)),
}


@pytest.mark.parametrize(("path", "text", "line", "place"), CASES.values(), ids=CASES)
def test_the_smallest_function_around_a_line(path: str, text: str, line: int, place: tuple[int, int] | None) -> None:
    assert Source(path, text).function_around(line) == place
