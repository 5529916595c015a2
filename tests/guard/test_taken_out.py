"""Code that a fixer takes out without a mark on its lines: what is around makes a comment or a text of it."""

from __future__ import annotations

import pytest

from selfreview.guard.suppression import live
from tests.guard.edits import Content, Edit, judge

VIEW = "def view(user):\n    {}if not user.is_admin:\n        raise Stop\n    {}return delete_all()\n"
JS = (
    "function view(user) {{\n  {}if (!user.isAdmin) {{\n    throw new Error('no');\n  }}\n  {}return removeAll();\n}}\n"
)
SHELL = "#!/bin/bash\n{}test -n $USER || exit 1\n{}make all\n"
LINE = "total = f(1)\n"


def rules(path: str, old: Content, new: Content) -> list[str]:
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
    assert rules(path, old, text.format(*marks)) == ["commented-out"]
    assert rules(path, text.format(*marks), old) == []
    assert rules(path, text.format(*marks), text.format(*marks) + "\n") == []


def test_code_that_moves_into_a_text_was_taken_out() -> None:
    old = 'HELP = """\nWords.\n"""\ntotal = f(1)\nother = g(2)\n'
    assert rules("app.py", old, 'HELP = """\nWords.\n    total = f(1)\n"""\nother = g(2)\n') == ["commented-out"]


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
    assert rules("app.py", LINE, new) == []


@pytest.mark.parametrize(
    "old",
    ['HELP = """\ntotal = f(1)\n"""\n', 'HELP = """\ntotal = f(1)\n"""\ntotal = f(2)\n'],
)
def test_a_text_that_holds_code_may_be_changed(old: str) -> None:
    assert rules("app.py", old, old.replace('"""', "'''")) == []
    assert rules("app.py", old, old.replace("HELP =", "TEXT =")) == []
    assert rules("app.py", old + LINE, old + "b = 20\n") == []


@pytest.mark.parametrize(
    ("word", "rejected"), [("a = 10", ["commented-out"]), ("a = 1", []), ("  a = 1  ", []), ("words of it", [])]
)
def test_only_what_looks_like_code_and_has_a_few_characters_counts(word: str, rejected: list[str]) -> None:
    old = f"if b:\n {word}" if "=" in word else f"f({word!r})"
    assert rules("app.py", f"{old}\nb = 20\n", f'"""\n{word}\n"""\nb = 20\n') == rejected


@pytest.mark.parametrize(("length", "rejected"), [(2_000, ["commented-out"]), (2_001, [])])
def test_lines_that_nobody_writes_are_not_parsed(length: int, rejected: list[str]) -> None:
    line = "total = [" + "1, " * 600
    line += " " * (length - len(line) - 1) + "]"
    assert rules("app.py", f"{line}\nb = 20\n", f'"""\n{line}\n"""\nb = 20\n') == rejected


def test_bytes_that_are_no_text_and_files_without_a_grammar_are_read_over() -> None:
    assert rules("app.bats", "setup\n", "setup\nrun\n") == ["held"]
    assert rules("app.bin", LINE, f'"""\n{LINE}"""\n') == []
    assert "commented-out" in rules("app.py", b"x = '\xff'\ntotal = f(1)\n", b"x = '\xff'\n'''\ntotal = f(1)\n'''\n")


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
