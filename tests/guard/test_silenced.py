"""Marks that a fixer keeps in number and moves to other code."""

from __future__ import annotations

import pytest

from selfreview.guard.suppression import silenced
from tests.guard.edits import Edit, judge

RUFF = "# ruff: disable[F821]\nprint(first)\n# ruff: enable[F821]\nprint(other)\n"
ESLINT = "/* eslint-disable no-undef */\nfirst();\n/* eslint-enable no-undef */\nother(1);\n"
NOQA = "print(first)  # noqa: F821\nprint(other)\n"
NEXT = "// eslint-disable-next-line no-undef\nfirst();\nother(1);\n"


def rules(*files: tuple[str, str, str]) -> list[str]:
    edits = {path: (old, new) for path, old, new in files}
    return [f.rule for f in judge(Edit(edits, issues=tuple((path, 1, "wrong") for path in edits)))]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", RUFF, RUFF.replace("# ruff: enable[F821]\n", "")),
        ("a.py", RUFF, RUFF.replace("# ruff: enable[F821]\n", "") + "# ruff: enable[F821]\n"),
        ("a.py", RUFF, RUFF.replace("enable[F821]", "enable[E501]")),
        ("a.py", RUFF, "# ruff: disable[F821]\nprint(first)\nprint(other)\n# ruff: enable[F821]\n"),
        ("a.py", "print(other)\n\n" + RUFF[:-13], RUFF.replace("first)", "first)\nprint(other)")[:-13]),
        ("a.js", ESLINT, ESLINT.replace("/* eslint-enable no-undef */\n", "")),
        ("a.lua", RUFF + "return first\n", RUFF.replace("first)", "first)\nreturn first")),
        ("a.lua", RUFF + "f()\n", RUFF.replace("first)", "first)\nf()")),
        ("a.js", ESLINT, ESLINT.replace("/* eslint-enable no-undef */\n", "") + "/* eslint-enable no-undef */\n"),
        ("a.py", NOQA, "print(first)\nprint(other)  # noqa: F821\n"),
        ("a.py", NOQA, "print(other)  # noqa: F821\n"),
        ("a.py", NOQA, "print(first)\nprint((other))  # noqa: F821\n"),
        ("a.py", NOQA, "print(first)\nx = 1\ny = 2\nprint(third)  # noqa: F821\n"),
        ("a.py", "print(first)  # noqa: F821\n", "print(first)  # noqa: E501\n"),
        ("a.py", "print(first)  # noqa: F821\n", "print(third)  # noqa: F821, E501\n"),
        ("a.js", NEXT, "first();\n// eslint-disable-next-line no-undef\nother(1);\n"),
        ("a.js", NEXT, "// eslint-disable-next-line no-undef\nother(1);\n"),
        ("a.js", NEXT, "// eslint-disable-next-line no-undef\nother(2);\nfirst();\n"),
        ("a.py", "print(other)\n" + RUFF[:-13], "# ruff: disable[F821]\nprint(other)\n" + RUFF[22:-13]),
        ("a.py", "print(other)\n" + RUFF[:34], RUFF[:34] + "\nprint(other)"),
        (
            "a.py",
            "print(a)  # noqa: F821\nprint(a)\nprint(b)  # noqa: F821\n",
            "print(c)  # noqa: F821\nprint(b)\nprint(d)  # noqa: F821\n",
        ),
        ("a.js", "first();//eslint-disable-line\nother();\n", "first();\nother();//eslint-disable-line\n"),
        ("a.js", "first('http://a.b');// NOSONAR\nother();\n", "first('http://a.b');\nother(1);// NOSONAR\n"),
        ("A.java", '@Suppress(\n"x"\n)\nint a();\nint b();\n', 'int a();\n@Suppress(\n"x"\n)\nint b();\n'),
        ("A.java", '@SuppressWarnings("x")\nint a();\nint b();\n', 'int a();\n@SuppressWarnings("x")\nint b();\n'),
        ("A.java", '@Suppress("x")\n@A\nint a();\nint b();\n', '@A\nint a();\n@Suppress("x")\n@A\nint b();\n'),
        ("A.cs", "// NOSONAR\n[A]\nint a();\nint b();\n", "int a();\n// NOSONAR\n[A]\nint b();\n"),
        ("a.rs", "#[allow(x)]\nfn a() {}\nfn b() {}\n", "fn a() {}\n#[allow(x)]\nfn b() {}\n"),
    ],
)  # fmt: skip
def test_a_mark_that_now_is_about_other_code_is_rejected(path: str, old: str, new: str) -> None:
    assert rules((path, old, new)) == ["suppression"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", RUFF, RUFF.replace("first", "found")),
        ("a.py", RUFF, RUFF.replace("print(other)", "print(1)\nprint(other)")),
        ("a.py", RUFF, RUFF.replace("# ruff: enable[F821]\n", "").replace("# ruff: disable[F821]\n", "")),
        ("a.py", RUFF, "# ruff: disable[F821]\n# ruff: enable[F821]\nprint(first)\nprint(other)\n"),
        ("a.py", RUFF, "print(other)\n\n" + RUFF[:-13]),
        *(
            ("a.lua", RUFF + f"{line}\n", RUFF.replace("first)", f"first)\n{line}"))
            for line in ("else:", "}", "return None", "return 0;", "});", "fi", "pass", "RETURN TRUE", "end")
        ),
        ("a.py", "# ruff: noqa\nprint(first)\n", "# ruff: noqa\nprint(first)\nprint(other)\n"),
        ("a.js", ESLINT, ESLINT.replace("first();", "first(1);\nfound();")),
        ("a.py", NOQA, "print(found)  # noqa: F821\nprint(other)\n"),
        ("a.py", NOQA, "if a:\n    print(first)  # noqa: F821\nprint(other)\n"),
        ("a.py", NOQA, "print(other)\nprint(first)  # noqa: F821\n"),
        ("a.py", NOQA, "print(first)\nprint(other)\n"),
        ("a.py", NOQA, "print(\n    found,  # noqa: F821\n)\nprint(other)\n"),
        ("a.py", NOQA.replace("\n", "  # noqa\n", 1), NOQA.replace("\n", "  # noqa\n", 1).replace("first", "found")),
        ("a.py", "print(first)  # noqa\n", "print(first)  # noqa: F821\n"),
        ("a.py", "print(first)  # noqa\nprint(first)\n", "print(first)  # noqa\nx = 1\n"),
        ("a.py", "print(first)  # noqa\nprint(first)  # noqa\n", "print(first)  # noqa\nprint(found)  # noqa\n"),
        ("a.js", NEXT, NEXT.replace("first()", "first(1)")),
        ("a.js", NEXT, NEXT.replace("first()", "// Why.\nfirst()")),
        ("a.md", "a # noqa\nb\n", "a\nb # noqa\n"),
        ("a.py", "# fmt: off\nprint(first)\n# fmt: on\nprint(other)\n", "# fmt: off\nprint(first)\nprint(other)\n"),
        ("a.py", "print(first)  # fmt: skip\nprint(other)\n", "print(first)\nprint(other)  # fmt: skip\n"),
    ],
)  # fmt: skip
def test_a_mark_stays_with_its_code_which_may_become_another(path: str, old: str, new: str) -> None:
    assert rules((path, old, new)) == []


def test_a_mark_moves_to_another_file_with_its_code_alone() -> None:
    old, rest = "import os  # noqa: F401\nx = 1\n", "x = 1\n"
    assert (
        rules(("a.py", old, rest), ("b.py", "y = 1  # noqa: E501\n", "y = 1  # noqa: E501\nimport os  # noqa: F401\n"))
        == []
    )
    mark = "// eslint-disable-next-line no-undef\n"
    there = f"{mark}found();\n"
    moved = ("a.js", f"{mark}first();\nx();\n", "x();\n")
    assert rules(moved, ("b.js", f"{there}other(1);\n", f"{there}other(1);\n{mark}first();\n")) == []
    assert rules(moved, ("b.js", f"{there}other(1);\n", f"{there}{mark}other(1);\n")) == ["suppression"]
    assert rules(moved, ("b.js", f"{there}other(1);\n", f"{there}other(1);\n{mark}third();\n")) == ["suppression"]
    assert rules(moved, ("b.js", "other(1);\n", f"other(1);\n{mark}first();\n")) == []
    assert rules(moved, ("b.js", "other(1);\n", f"{mark}other(1);\n")) == ["suppression"]
    assert rules(moved, ("b.js", "other(1);\n", f"other(1);\n{mark}third();\n")) == ["suppression"]


def test_a_text_that_becomes_code_brings_its_marks() -> None:
    edit = Edit({"a.txt": (NOQA, None), "a.py": (None, NOQA)}, changed=("a.txt", "a.py"))
    assert "suppression" in [found.rule for found in judge(edit)]


def test_code_that_several_marks_are_about_counts_once() -> None:
    lines = """
# ruff: disable[F821]
first()
    # ruff: disable[F821]
    second()
    # ruff: enable[F821]
    # ruff: disable[F821]
    third()
    # ruff: enable[F821]
# ruff: enable[F821]
fourth()
"""
    rules = silenced("a.py", lines.split("\n")).rules
    assert rules == {("ruff: ignore", "F821"): {"first()": 1, "second()": 1, "third()": 1}}
    assert silenced("a.py", ["# ruff: noqa", "first()"]).rules == {("noqa", ""): {"first()": 1}}


MAKES_NAMES = [
    "_N = vars()",
    "x = globals()",
    "exec('a')",
    "builtins.exec(a)",
    "globals()['a'] = 1",
    "setattr(sys.modules[b], 'a', 1)",
]
OTHERS = ["# vars()", '"""Like vars()."""', "x = 'exec('", "vars(self)", "cursor.execute(a)", "setattr(a, 'b', 1)",
          "session.exec(a)", "my_exec(a)", "class A:\n    def exec(self):\n        print(1)\n\n"]  # fmt: skip


@pytest.mark.parametrize("line", MAKES_NAMES)
def test_code_that_may_define_any_name_is_rejected(line: str) -> None:
    old = "print(bug)\n"
    assert rules(("a.py", old, f"{old}{line}\n")) == ["suppression"]
    assert rules(("a.lua", old, f"{old}{line}\n")) == []
    assert rules(("a.py", f"{old}{line}\n", f"{old}{line}\nx = 1\n")) == []


@pytest.mark.parametrize("line", OTHERS)
def test_code_that_defines_no_names_is_kept(line: str) -> None:
    assert rules(("a.py", "print(1)\n", f"{line}\nprint(1)\n")) == []


def test_a_name_that_is_made_no_more_may_be_made_elsewhere() -> None:
    assert rules(("a.py", "a = vars()\n# vars()\nb = 1\n", "b = 1\na = vars()\n")) == []


def test_lines_that_nobody_writes_and_bytes_that_are_no_text_hide_no_such_code() -> None:
    line = "x = vars() + [" + "1, " * 700 + "]\n"
    assert rules(("a.py", "print(1)\n", f"print(1)\n{line}")) == ["suppression"]
    edit = Edit({"a.py": (b"x = '\xff'\n", b"x = '\xff'\nvars()\n")}, issues=(("a.py", 1, "wrong"),))
    assert "suppression" in [found.rule for found in judge(edit)]
