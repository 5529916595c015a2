"""Code that is silenced: new suppression comments, moved ones, and code that is commented out."""

from __future__ import annotations

import pytest

from selfreview.guard.silencing import LONGEST, live, silenced
from tests.guard.edits import Content, Edit, judge
from tests.guard.test_edges import rules

RUFF = "# ruff: disable[F821]\nprint(first)\n# ruff: enable[F821]\nprint(other)\n"
ESLINT = "/* eslint-disable no-undef */\nfirst();\n/* eslint-enable no-undef */\nother(1);\n"
NOQA = "print(first)  # noqa: F821\nprint(other)\n"
NEXT = "// eslint-disable-next-line no-undef\nfirst();\nother(1);\n"


def rules_in(*files: tuple[str, str, str]) -> list[str]:
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
    assert rules_in((path, old, new)) == ["suppression"]


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
    assert rules_in((path, old, new)) == []


def test_a_mark_moves_to_another_file_with_its_code_alone() -> None:
    old, rest = "import os  # noqa: F401\nx = 1\n", "x = 1\n"
    assert (
        rules_in(
            ("a.py", old, rest), ("b.py", "y = 1  # noqa: E501\n", "y = 1  # noqa: E501\nimport os  # noqa: F401\n")
        )
        == []
    )
    mark = "// eslint-disable-next-line no-undef\n"
    there = f"{mark}found();\n"
    moved = ("a.js", f"{mark}first();\nx();\n", "x();\n")
    assert rules_in(moved, ("b.js", f"{there}other(1);\n", f"{there}other(1);\n{mark}first();\n")) == []
    assert rules_in(moved, ("b.js", f"{there}other(1);\n", f"{there}{mark}other(1);\n")) == ["suppression"]
    assert rules_in(moved, ("b.js", f"{there}other(1);\n", f"{there}other(1);\n{mark}third();\n")) == ["suppression"]
    assert rules_in(moved, ("b.js", "other(1);\n", f"other(1);\n{mark}first();\n")) == []
    assert rules_in(moved, ("b.js", "other(1);\n", f"{mark}other(1);\n")) == ["suppression"]
    assert rules_in(moved, ("b.js", "other(1);\n", f"other(1);\n{mark}third();\n")) == ["suppression"]


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
    assert rules_in(("a.py", old, f"{old}{line}\n")) == ["suppression"]
    assert rules_in(("a.lua", old, f"{old}{line}\n")) == []
    assert rules_in(("a.py", f"{old}{line}\n", f"{old}{line}\nx = 1\n")) == []


@pytest.mark.parametrize("line", OTHERS)
def test_code_that_defines_no_names_is_kept(line: str) -> None:
    assert rules_in(("a.py", "print(1)\n", f"{line}\nprint(1)\n")) == []


def test_a_name_that_is_made_no_more_may_be_made_elsewhere() -> None:
    assert rules_in(("a.py", "a = vars()\n# vars()\nb = 1\n", "b = 1\na = vars()\n")) == []


def test_lines_that_nobody_writes_and_bytes_that_are_no_text_hide_no_such_code() -> None:
    line = "x = vars() + [" + "1, " * 700 + "]\n"
    assert rules_in(("a.py", "print(1)\n", f"print(1)\n{line}")) == ["suppression"]
    edit = Edit({"a.py": (b"x = '\xff'\n", b"x = '\xff'\nvars()\n")}, issues=(("a.py", 1, "wrong"),))
    assert "suppression" in [found.rule for found in judge(edit)]


BLOCK = "# ruff: disable[F821]\nfoo()\n# ruff: enable[F821]\n"
MARK = "x = first()  # noqa: F821"


@pytest.mark.parametrize(
    ("path", "lines", "kind", "about"),
    [
        ("a.py", ["", "foo()  # noqa", "bar()"], "noqa", "foo()"),
        ("a.py", ["foo()", "# noqa"], "noqa", ""),
        ("a.rs", ["#[allow(", "    dead_code,", ")]", "fn f() {}", "fn g() {}"], "#[allow]", "fnf(){}"),
        ("a.js", ["// prettier-ignore", "a();", "// biome-ignore lint: x", "b();"], "biome-ignore", "b();"),
    ],
)
def test_a_mark_of_one_line(path: str, lines: list[str], kind: str, about: str) -> None:
    assert silenced(path, lines).beside == {(kind, about): 1}


@pytest.mark.parametrize(
    "lines",
    [
        ["# ruff: disable[F821]", "foo()", "bar()"],
        ["# ruff: disable[F821]", "foo()", "# ruff: disable[F821]", "bar()"],
    ],
)
def test_a_mark_without_an_end_is_about_all_lines_below_once(lines: list[str]) -> None:
    assert silenced("a.py", lines).rules["ruff: ignore", "F821"] == {"foo()": 1, "bar()": 1}


def test_code_that_is_silenced_may_be_written_once_more() -> None:
    assert rules("a.py", BLOCK, BLOCK.replace("foo()", "foo()\nfoo()")) == []
    assert rules("a.py", f"{BLOCK}foo()\n", BLOCK.replace("foo()", "foo()\nfoo()")) == ["suppression"]


@pytest.mark.parametrize(
    ("path", "mark", "rejected"),
    [
        ("a.md", "<!-- markdownlint-disable -->", ["suppression"]),
        ("a.md", "# noqa", []),
        ("a.rst", "# noqa", []),
        ("a.adoc", "# noqa", []),
        ("a.yaml", "# noqa", ["suppression"]),
    ],
)
def test_what_a_mark_means_in_prose(path: str, mark: str, rejected: list[str]) -> None:
    assert rules(path, "a\nb\n", f"a\nb {mark}\n") == rejected


def test_a_mark_of_prose_does_not_move_to_other_text() -> None:
    mark = "  <!-- selfreview: ignore[x] -->"
    assert rules("a.md", f"foo{mark}\nbar\n", f"foo\nbar{mark}\n") == ["suppression"]


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        (f"a = 1\n{MARK}\n", f"a = 1\n{MARK}\ny = 2  # noqa: E501\n", True),
        ("a = 1\n", f"a = 1\n{MARK}\n{MARK}\n", True),
        ("a = 1\n", f"a = 1\n{MARK}\ny = 2  # noqa\nz = 3\n", True),
        ("a = 1\n", f"a = 1\n{MARK}\n", False),
    ],
)
def test_a_mark_moves_with_its_line_once(old: str, new: str, rejected: bool) -> None:
    files = {"a.py": (old, new), "b.py": (f"b = 1\n{MARK}\n", "b = 1\n")}
    found = judge(Edit(files, issues=(("a.py", 1, "wrong"), ("b.py", 1, "wrong"))))
    reasons = ["Fix what is reported instead of silencing it: take out the new noqa."] if rejected else []
    assert [one.reason for one in found if one.rule == "suppression"] == reasons


def test_two_marks_move_with_two_lines() -> None:
    files = {"a.py": ("a = 1\n", f"a = 1\n{MARK}\n{MARK}\n"), "b.py": (f"b = 1\n{MARK}\n{MARK}\n", "b = 1\n")}
    found = judge(Edit(files, issues=(("a.py", 1, "wrong"), ("b.py", 1, "wrong"))))
    assert [one.rule for one in found] == []


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["a = 1  # why", "b"], ["a = 1  ", "b"]),
        (["a = 'x # y' + b", "b"], ["a =  + b", "b"]),
        (["a = 'x", "b'"], ["a = ", "b"]),
        ([r"a = 'x\'y'.b"], ["a = .b"]),
        ([r'a = "x\"y".b'], ["a = .b"]),
        (['"""one', "two's", 'three""" + a', "b"], ["", "", " + a", "b"]),
        (["'''one", "two", "''' + a", "b"], ["", "", " + a", "b"]),
        (["a", '"""one', "two"], ["a", "", ""]),
        (["a = 'x \\", " y' + b", "c"], ["a = ", " + b", "c"]),
        (["a = f'{'\"\"\"'}'", 'b = \'"""\'  # c', "d"], ["a = f", "b =   ", "d"]),
        (["a = '''" + "x" * LONGEST, "b", "''' + c"], ["a = '''" + "x" * LONGEST, "", " + c"]),
    ],
)
def test_lines_of_python_keep_their_places(lines: list[str], code: list[str]) -> None:
    assert live("python", lines) == code


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["f(); // why", "g();"], [["f();"], ["g();"]]),
        (["/* one", "two */ f();", "g();"], [[], ["f();"], ["g();"]]),
        (["f('one \\", "two three'); g();", "h();"], [["f('", "\\"], ["');", "g();"], ["h();"]]),
        (["f(); // \udc80 why", "g();"], [["f();"], ["g();"]]),
    ],
)
def test_lines_of_other_languages_do_so_too(lines: list[str], words: list[list[str]]) -> None:
    assert [line.split() for line in live("javascript", lines)] == words


@pytest.mark.parametrize(("language", "mark"), [("python", "#"), ("javascript", "//")])
def test_a_line_that_is_too_long_is_all_code(language: str, mark: str) -> None:
    comment = f"a {mark} " + "b" * (2_000 - len(mark) - 3)
    assert len(comment) == LONGEST == 2_000
    assert [line.split() for line in live(language, [comment, f"c {mark} d"])] == [["a"], ["c"]]
    assert live(language, [f"{comment}b", f"c {mark} d"])[0] == f"{comment}b"
    assert live(language, [f"{comment}b", f"c {mark} d"])[1].split() == ["c"]


VIEW = "def view(user):\n    {}if not user.is_admin:\n        raise Stop\n    {}return delete_all()\n"
JS = (
    "function view(user) {{\n  {}if (!user.isAdmin) {{\n    throw new Error('no');\n  }}\n  {}return removeAll();\n}}\n"
)
SHELL = "#!/bin/bash\n{}test -n $USER || exit 1\n{}make all\n"
LINE = "total = f(1)\n"


def rules_of(path: str, old: Content, new: Content) -> list[str]:
    return [found.rule for found in judge(Edit({path: (old, new)}, issues=((path, 2, "it is wrong"),)))]


@pytest.mark.parametrize(
    ("path", "text", "marks"),
    [
        ("app.py", VIEW, ('"""\n    ', '"""\n    ')),
        ("app.py", VIEW, ("help = '''\n    ", "'''\n    ")),
        ("app.js", JS, ("/*\n  ", "*/\n  ")),
        ("app.js", JS, ("const x = `\n  ", "`;\n  ")),
        ("app.ts", JS, ("/*\n  ", "*/\n  ")),
        ("app.sh", SHELL, (": <<'X'\n", "X\n")),
    ],
)
def test_code_that_now_stands_in_a_comment_or_a_text_was_taken_out(
    path: str, text: str, marks: tuple[str, str]
) -> None:
    old = text.format("", "")
    assert rules_of(path, old, text.format(*marks)) == ["commented-out"]
    assert rules_of(path, text.format(*marks), old) == []
    assert rules_of(path, text.format(*marks), text.format(*marks) + "\n") == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("app.py", "verify(user)  # TODO", "# verify(user)"),
        ("app.py", "value = 1  # FIXME", "# value = 1  # x"),
        ("app.py", "verify(user)  # TODO", "pass  # verify(user)"),
        ("app.py", "verify('#1')  # TODO", "# verify('#1')"),
        ("app.py", "import os  # TODO", "# import os"),
        ("app.py", "verify(user)  # TODO", '"""\nverify(user)\n"""'),
        ("app.py", "verify(user)", "if False:\n    verify(user)"),
        ("app.py", "if user:\n    verify(user)", "if False and user:\n    verify(user)"),
        ("app.js", "verify(user); // TODO", "// verify(user);"),
        ("app.js", "verify(user); // TODO", "/* verify(user); */"),
        ("app.js", "verify(user); // TODO", "/*\nverify(user);\n*/"),
        ("app.js", "verify(user);", "if (false) verify(user);"),
        ("app.c", "verify(user); /* TODO */", "// verify(user);"),
        ("app.c", "verify(user);", "#if 0\nverify(user);\n#endif"),
        ("app.rb", "verify(user) # TODO", "# verify(user)"),
        ("app.rb", "verify(user)", "verify(user) if false"),
        ("app.sh", "verify $1; # TODO", "# verify $1;"),
        ("app.sh", "verify $1", "if false; then\n  verify $1\nfi"),
        ("app.bats", "verify $1; # TODO", "# verify $1;"),
    ],
)
def test_code_is_commented_out_whatever_comment_it_had(path: str, old: str, new: str) -> None:
    start, end = ("first(1);\n", "\nlast(2);\n") if path.endswith((".js", ".c")) else ("first=1\n", "\nlast=2\n")
    assert "commented-out" in rules_of(path, start + old + end, start + new + end)
    assert "commented-out" not in rules_of(path, start + new + end, start + old + end)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("wait = f(5)  # seconds", "wait = f(10)  # seconds, and not f(5)"),
        ("total = f(1)  # TODO", "# f takes what it counts\ntotal = f(2)"),
        ("verify(user)  # TODO: verify(user) twice?", "verify(user)\nverify(user)"),
        ("verify(user)  # TODO", "# verify(user)\nverify(user)"),
        ("value = f(1)  # value = f(1)", "# value = f(1)\nvalue = f(2)"),
        ("if user or False:  # TODO\n    verify(user)", "if user:\n    verify(user)  # if False: never"),
    ],
)
def test_a_line_may_be_mended_together_with_its_comment(old: str, new: str) -> None:
    assert rules_of("app.py", f"first=1\n{old}\nlast=2\n", f"first=1\n{new}\nlast=2\n") == []


def test_code_that_moves_into_a_text_was_taken_out() -> None:
    old = 'HELP = """\nWords.\n"""\ntotal = f(1)\nother = g(2)\n'
    assert rules_of("app.py", old, 'HELP = """\nWords.\n    total = f(1)\n"""\nother = g(2)\n') == ["commented-out"]


@pytest.mark.parametrize(
    "new",
    [
        LINE + 'HELP = """\n' + LINE + '"""\n',
        LINE + LINE,
        '"""Words.\n\nMore of them.\n"""\n' + LINE,
        "other = g(2)\n",
        'HELP = """\na = 1\n"""\n',
    ],
)
def test_code_that_is_there_or_gone_was_not_taken_out(new: str) -> None:
    assert rules_of("app.py", LINE, new) == []


@pytest.mark.parametrize(
    "old",
    ['HELP = """\ntotal = f(1)\n"""\n', 'HELP = """\ntotal = f(1)\n"""\ntotal = f(2)\n'],
)
def test_a_text_that_holds_code_may_be_changed(old: str) -> None:
    assert rules_of("app.py", old, old.replace('"""', "'''")) == []
    assert rules_of("app.py", old, old.replace("HELP =", "TEXT =")) == []
    assert rules_of("app.py", old + LINE, old + "b = 20\n") == []


@pytest.mark.parametrize(
    ("word", "rejected"), [("a = 10", ["commented-out"]), ("a = 1", []), ("  a = 1  ", []), ("words of it", [])]
)
def test_only_what_looks_like_code_and_has_a_few_characters_counts(word: str, rejected: list[str]) -> None:
    old = f"if b:\n {word}" if "=" in word else f"f({word!r})"
    assert rules_of("app.py", f"{old}\nb = 20\n", f'"""\n{word}\n"""\nb = 20\n') == rejected


@pytest.mark.parametrize(("length", "rejected"), [(2_000, ["commented-out"]), (2_001, [])])
def test_lines_that_nobody_writes_are_not_parsed(length: int, rejected: list[str]) -> None:
    line = "total = [" + "1, " * 600
    line += " " * (length - len(line) - 1) + "]"
    assert rules_of("app.py", f"{line}\nb = 20\n", f'"""\n{line}\n"""\nb = 20\n') == rejected


def test_bytes_that_are_no_text_and_files_without_a_grammar_are_read_over() -> None:
    assert rules_of("app.bats", "setup\n", "setup\nrun\n") == ["held"]
    assert rules_of("app.bin", LINE, f'"""\n{LINE}"""\n') == []
    assert "commented-out" in rules_of("app.py", b"x = '\xff'\ntotal = f(1)\n", b"x = '\xff'\n'''\ntotal = f(1)\n'''\n")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('a = "b" + """c\nd""" + \'e # f\'  # g "h', "a =  + \n +   "),
        ("a = '''b\n\"\"\" + c", "a = \n"),
        ("a = \"\"\"b\n''' + c", "a = \n"),
        ("a = 'b\\'c' + \"d\\\"e\" + f", "a =  +  + f"),
        ("a = 'b\nc = \"d\ne", "a = \nc = \ne"),
    ],
)
def test_python_is_read_without_a_grammar(text: str, code: str) -> None:
    assert live("python", text.split("\n")) == code.split("\n")


def test_lines_that_are_too_long_count_as_code() -> None:
    for language, comment in (("python", "#"), ("javascript", "//")):
        exact, longer = comment + "a" * (2_000 - len(comment)), comment + "a" * (2_001 - len(comment))
        code = live(language, ["f();", exact, longer, comment, "g();"])
        assert [line.strip() for line in code] == ["f();", "", longer, "", "g();"]


def test_a_surrogate_is_one_character() -> None:
    assert live("javascript", ["f('\udcff x', \udcff);"]) == ["f('   ', ?);"]
