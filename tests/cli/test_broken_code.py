"""Code that nobody can parse counts as no more than text, and blocks where the change broke it."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace

C = "int f(void) {\n  return 1;\n}\n"
KOTLIN = "fun f() {\n  g()\n}\n"
NEW = {
    "a.go": "package a\n\nfunc F( { return }\n",
    "A.java": "class A {\n  void f( { return; }\n}\n",
    "a.rs": "fn f( { return }\n",
    "a.ts": "export function bad( { return 1; }\n",
    "a.rb": "def f\n  g(]\nend\n",
    "a.php": "<?php\nfunction f( { return; }\n",
    "a.py": "def f(:\n    pass\n",  # which ruff tells
    "a_test.go": "package a\n\nfunc TestF( { return }\n",
}
CHANGED = {
    "a.c": (C, C.replace("void)", "void")),
    "a.kt": (KOTLIN, KOTLIN.replace("()", "(", 1)),
    "a.sh": ("if a; then\n  b\nfi\n", "if a; then\n  b\nf1\n"),
    "a.cs": ("class A {\n  int b;\n}\n", "class A {\n  int 1b;\n}\n"),
}


def review(workspace: Workspace, **files: str) -> tuple[int, set[str], list[tuple[str, str]]]:
    """Return the exit code, the depths that have lines, and what is open that blocks."""
    for path, content in files.items():
        workspace.write(path, content)
    ran = workspace.selfreview("run", "--format", "json")
    coverage = ran.json["coverage"]
    assert coverage["textOnly"] == sorted(files), "it is not said"
    assert any("syntax is not understood" in note for note in ran.json["notes"])
    blocking = [(i["file"], i["rule"]) for i in ran.json["issues"] if i["severity"] in ("medium", "high", "critical")]
    return ran.code, {depth for depth, lines in coverage["depth"].items() if lines}, blocking


def base(workspace: Workspace, **files: str) -> None:
    """Put files on the base."""
    workspace.git("checkout", "--quiet", "main")
    workspace.commit("before", **files)
    workspace.git("checkout", "--quiet", "-B", "work")


def test_new_files_that_are_broken_block_and_count_as_text(workspace: Workspace) -> None:
    code, depths, blocking = review(workspace, **NEW)
    rules = {path: "invalid-syntax" if path == "a.py" else "broken-syntax" for path in NEW}
    assert (code, depths, sorted(blocking)) == (ExitCode.ISSUES, {"text"}, sorted(rules.items()))


def test_a_change_that_breaks_what_was_understood_blocks_in_any_language(workspace: Workspace) -> None:
    base(workspace, **{path: before for path, (before, _) in CHANGED.items()})
    code, depths, blocking = review(workspace, **{path: after for path, (_, after) in CHANGED.items()})
    assert (code, depths) == (ExitCode.ISSUES, {"text"})
    assert set(blocking) >= {(path, "broken-syntax") for path in CHANGED}  # and shellcheck, where it is installed


def test_what_was_broken_before_or_is_on_purpose_is_text_and_does_not_block(workspace: Workspace) -> None:
    base(workspace, **{"a.go": NEW["a.go"]})
    files = {
        "a.go": NEW["a.go"] + "\nvar a = 1\n",  # it was broken before
        "a.h": "#define FOO(x) x\nFOO(bar) int x\n",  # its grammar knows no macros
        "tests/fixtures/a.go": NEW["a.go"],
        "testdata/a.java": NEW["A.java"],
        "templates/a.rb": NEW["a.rb"],
        "spec/broken.php": NEW["a.php"],
    }
    assert review(workspace, **files) == (ExitCode.PASSED, {"text"}, [])


FOLLOWED = [
    ("a.ts", f"{NEW['a.ts']}eval(location.hash);\n", "javascript-eval"),
    (
        "a.go",
        f'{NEW["a.go"]}\nfunc G(x string) {{\n\texec.Command("sh", "-c", "ls "+x)\n}}\n',
        "go-shell-injection",
    ),
    ("a.rb", f"{NEW['a.rb']}\ndef g(x)\n  eval(x)\nend\n", "ruby-eval"),
    (
        "a.php",
        "<?php\nclass A {\n  function f( { }\n  function g($x) {\n    eval($x);\n  }\n}\n",
        "php-code-from-values",
    ),
]


def test_what_follows_a_break_is_reviewed(workspace: Workspace) -> None:
    code, _, blocking = review(workspace, **{path: content for path, content, _ in FOLLOWED})
    expected = [(path, name) for path, _, rule in FOLLOWED for name in ("broken-syntax", rule)]
    assert (code, sorted(blocking)) == (ExitCode.ISSUES, sorted(expected))


TYPES = """import type {Buffer} from 'node:buffer';
import {one as two} from './one.js';

export const f = (a: number) => {
  if (a === 1) {
    return 2;
  }

  return two(a as Buffer);
};

const g = (b: number) => {
  return b;
};

export {g as default};
"""


BROKEN = [
    ("a.ts", TYPES, TYPES.replace("  if (a", "  if (process.env.X) {\n  if (a"), 5),
    ("a.ts", TYPES, TYPES.replace("  return b", "  if (b) {\n  return b"), 13),
    ("a.ts", TYPES, TYPES.replace("    return 2;\n  }\n", "    return 2;\n"), 6),
    ("a.ts", TYPES, TYPES.replace("  return b;\n};\n", "  return b;\n"), 13),
    ("a.ts", TYPES, TYPES.replace("two(a as Buffer)", "two(a as any"), 9),  # what is later syntax closes nothing
    ("a.tsx", TYPES, TYPES.replace("  return b;\n};\n", "  return b;\n"), 13),
    ("a.js", "import(x);\n\nf(() => {\n  g();\n});\n", "import(x);\n\nf(() => {\n  g();\n", 4),
    (
        "a.go",
        "package a\n\nvar b = new(int)\n\nfunc f() {\n}\n",
        "package a\n\nvar b = new(int)\n\nfunc f() {\n",
        5,
    ),
    ("a.rb", "def a\n  $: && b\nend\n", "def a\n  $: && b\n", 2),
    (
        "a.c",
        '#include "a.h"\nint f(void) {\n  return MAX;\n}\n',
        '#include "a.h"\nint f(void) {\n  return MAX;\n',
        3,
    ),
]


def test_a_break_is_told_however_much_of_the_file_is_not_understood_since(workspace: Workspace) -> None:
    files = [(f"{number}/{path}", *row) for number, (path, *row) in enumerate(BROKEN)]
    base(workspace, **{path: before for path, before, _, _ in files})
    for path, _, after, _ in files:
        workspace.write(path, after)
    opened = [i for i in workspace.review("--no-fix")["issues"] if i["status"] == "open"]
    found = [(i["file"], i["rule"], i["lineStart"]) for i in opened]
    assert sorted(found) == sorted((path, "broken-syntax", line) for path, _, _, line in files)
    assert {i["severity"] for i in opened} <= {"medium", "high", "critical"}


def test_of_many_hunks_that_one_is_told_which_breaks_the_file(workspace: Workspace) -> None:
    after = (
        TYPES.replace("return 2", "return 3").replace("  return b", "  if (b) {\n  return b").replace("g as", "f as")
    )
    assert told(workspace, "a.ts", TYPES, after) == [("broken-syntax", 13)]


@pytest.mark.parametrize(
    ("path", "before", "after", "line"),
    [
        ("a.js", None, "function f(a) {\n  if (a == 1) {\n    return 2;\n  return 3;\n}\n", 5),
        ("a.ts", TYPES, TYPES.replace("    return 2;\n  }\n", "    return 2;\n"), 6),
    ],
)
def test_nothing_that_only_follows_from_a_break_is_told_beside_it(
    workspace: Workspace, path: str, before: str | None, after: str, line: int
) -> None:
    assert told(workspace, path, before, after) == [("broken-syntax", line)]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", TYPES, TYPES + "class A {\n  accessor b = 1;\n}\n"),  # later than the grammar
        ("a.ts", TYPES, TYPES.replace("(a: number)", "(a: string)")),
    ],
)
def test_a_change_that_breaks_nothing_is_let_be(workspace: Workspace, path: str, before: str, after: str) -> None:
    assert told(workspace, path, before, after) == []


def told(workspace: Workspace, path: str, before: str | None, after: str) -> list[tuple[str, int]]:
    """Return the rules and lines of what is open of a change, which blocks if anything is."""
    if before is not None:
        base(workspace, **{path: before})
    workspace.write(path, after)
    ran = workspace.selfreview("run", "--no-fix", "--format", "json")
    issues = [(issue["rule"], issue["lineStart"]) for issue in ran.json["issues"] if issue["status"] == "open"]
    assert ran.code == (ExitCode.ISSUES if issues else ExitCode.PASSED)
    return issues


def test_what_is_known_of_a_file_that_was_not_understood_says_so_again(workspace: Workspace) -> None:
    assert review(workspace, **{"a.go": NEW["a.go"]}) == review(workspace, **{"a.go": NEW["a.go"]})


def test_the_files_of_which_only_the_text_was_searched_are_named(workspace: Workspace) -> None:
    for number in range(4):
        workspace.write(f"{number}.go", "\n" * number + NEW["a.go"])
    (note,) = [n for n in workspace.selfreview("run", "-f", "json").json["notes"] if n.startswith("only the text")]
    named = ", ".join(f"{number}.go (its syntax is not understood at line {number + 3})" for number in range(3))
    assert note == f"only the text was searched of {named} and 1 more"
