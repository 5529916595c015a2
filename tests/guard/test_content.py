"""Damaged files, by what is wrong with them."""

from __future__ import annotations

import sys

import pytest

from selfreview.git.worktree_files import Entry
from selfreview.guard import Bounds, Edited
from selfreview.guard.content import python_error, secret, special_files, syntax_error
from selfreview.guard.patch import make_patch
from selfreview.model.change import Change, Scope
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import CONFIG, Content, Edit, entry, judge
from tests.guard.test_edges import rules

TOKEN = "gh" + "p_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX"
VALUE = "i0VpEBOWfbZA" + "VaBSo63bbH6x"
SH = "#!/bin/sh\nset -e\nmake all\n"
SUM = "def g(n):\n    total = f(n)\n    return total\n"
BOUNDS = Bounds(Change(scope=Scope(mode="branch")), (), MemoryConfig(CONFIG))


def both(**files: tuple[Content, Content]) -> list[tuple[str, str]]:
    return [(found.path, found.rule) for found in judge(Edit(files))]


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        (("a\nb\n", "a\n"), ("a\n", f"a\nkey = '{TOKEN}'\n"), "secret"),
        (("a\n", "a\nb\n"), ("a\n", f"a\nkey = '{TOKEN}'\n"), "secret"),
    ],
)
def test_a_secret_is_found_behind_a_file_without(
    first: tuple[Content, Content], second: tuple[Content, Content], rule: str
) -> None:
    assert both(a=first, b=second) == [("b", rule)]


def test_secrets_of_a_file_are_told_once() -> None:
    assert rules(".settings", "a = 1\n", f"a = 1\nkey = '{TOKEN}'\napi_key = {VALUE}\n") == ["secret"]


def test_a_value_that_was_there_may_get_a_name() -> None:
    assert rules(".settings", f"a = 1\n# {VALUE}\n", f"a = 1\napi_key = {VALUE}\n") == []
    assert rules(".settings", "a = 1\n", f"a = 1\napi_key = {VALUE}\n") == ["secret"]


@pytest.mark.parametrize(
    ("path", "old", "new", "rejected"),
    [
        ("a.sh", "set -o pipefail\nmake | tee log\n", "make | tee log\n", True),
        ("bin/run", SH, SH.replace("all", "all || true"), True),
        ("NOTES", "make all\n", "make all || true\n", False),
        ("a.sh", SH, f"{SH}# make all || true\n", False),
        ("docker/Dockerfile", "RUN make all\n", "RUN make all || true\n", True),
        ("rules.mk", "all:\n\tmake a\n", "all:\n\t-make a\n", True),
        ("rules.yml", "all:\n\tmake a\n", "all:\n\t-make a\n", False),
    ],
)
def test_the_failure_of_a_command_counts(path: str, old: str, new: str, rejected: bool) -> None:
    assert ("shell-error-ignored" in rules(path, old, new)) is rejected


def test_a_command_counts_behind_a_file_without() -> None:
    assert both(a=("x\n", "y\n"), b=(SH, SH.replace("all", "all || true"))) == [("b", "shell-error-ignored")]


@pytest.mark.parametrize(
    ("path", "old", "new", "rejected"),
    [
        ("app.py", SUM, "def g(n):\n    return None\n", ["stub"]),
        ("app.py", "def g(n):\n    f(n)\n", "def g(n):\n    return None\n", []),
        ("app.py", SUM, "def g(n):\n    raise NotImplementedError\n    return f(n)\n", ["stub"]),
        ("app.py", SUM, SUM.replace("def", "@overload\ndef", 1).partition("\n    t")[0] + " ...\n", []),
        ("notes.txt", "a\n", "a\nraise NotImplementedError\n", []),
        ("a.js", None, 'throw new Error("not implemented");\n', []),
        ("a.js", "f();\n", 'throw new Error("not implemented");\n', ["stub"]),
    ],
)
def test_code_is_not_replaced_by_nothing(path: str, old: str | None, new: str, rejected: list[str]) -> None:
    assert rules(path, old, new) == rejected


def test_a_stub_and_a_look_at_tests_count_behind_a_test() -> None:
    old = "def test_one():\n    assert f(1) == 2\n"
    files = {"a_test.py": (old, f"{old}\n"), "b.py": (SUM, "def g(n):\n    raise NotImplementedError\n")}
    assert [found.rule for found in judge(Edit(files))] == ["stub"]
    files["b.py"] = (SUM, SUM.replace("f(n)", "f(n, os.getenv('PYTEST_VERSION'))"))
    assert [found.rule for found in judge(Edit(files))] == ["detects-tests"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.cs", "class A { void G() { F(); } }\n", "class A { void G() { try { F(); } catch (Exception) { } } }\n"),
        ("a.php", "<?php\nf();\n", "<?php\ntry { f(); } catch (E $e) {}\n"),
        ("a.kt", "fun g() { f() }\n", "fun g() { try { f() } catch (e: Exception) {} }\n"),
        ("a.py", SUM, "try:\n    f(1)\nexcept BaseException:\n    pass\n" + SUM),
        ("a.py", SUM, "try:\n    f(1)\nexcept (ValueError, Exception):\n    pass\n" + SUM),
    ],
)
def test_an_error_is_not_swallowed(path: str, old: str, new: str) -> None:
    assert rules(path, old, new) == ["error-swallowed"]


@pytest.mark.parametrize(
    ("path", "old", "new", "rejected"),
    [
        ("a.ts", "f();\n", "f());\n", True),
        ("a.tsx", "f();\n", "f());\n", True),
        ("A.java", "class A { int a; }\n", "class A { int a( }\n", True),
        ("a.php", "<?php\nf();\n", "<?php\nf());\n", True),
        ("a.cs", "class A { int a; }\n", "class A { int a( }\n", True),
        ("a.json", '\ufeff{"a": 1}\n', '\ufeff{"a": 1\n', True),
        ("a.json", None, '{\n  // why\n  "a": "http://b/"\n}\n', False),
        ("a.js", b"f('\xff');\n", b"f('\xff', 1);\n", False),
        ("a.py", None, "b = " + "(" * 150 + "1" + ")" * 150 + "\n", False),
    ],
)
def test_a_file_can_be_read(path: str, old: Content, new: Content, rejected: bool) -> None:
    assert ("syntax-error" in rules(path, old, new)) is rejected
    assert "not-judged" not in rules(path, old, new)


def test_it_is_said_which_line_cannot_be_parsed() -> None:
    found = judge(Edit({"a.js": ("f();\ng();\nh();\n", "f();\ng());\nh();\n")}))
    assert [one.reason for one in found] == ["Correct the syntax: line 2 cannot be parsed as javascript."]


@pytest.mark.parametrize(("size", "rejected"), [(500_000, ["syntax-error"]), (500_001, [])])
def test_a_long_file_is_not_parsed(size: int, rejected: list[str]) -> None:
    text = ('{"a": 1\n' + f"{' ' * 999}\n" * 500)[: size - 1] + "\n"
    assert len(text) == size
    patch = make_patch([Edited("a.json", entry(b'{"a": 1}\n'), entry(text.encode()))], BOUNDS)
    assert [found.rule for found in syntax_error(patch)] == rejected


@pytest.mark.parametrize(("size", "rejected"), [(1_000_000, ["secret"]), (1_000_001, [])])
def test_a_very_long_file_is_not_searched_for_secrets(size: int, rejected: list[str]) -> None:
    text = (f"key = '{TOKEN}'\n" + f"{'x' * 9_999}\n" * 100)[: size - 1] + "\n"
    patch = make_patch([Edited("a", entry(b"a\n"), entry(text.encode()))], BOUNDS)
    assert [found.rule for found in secret(patch)] == rejected


def test_what_an_annotation_holds_is_up_to_python() -> None:
    """Not up to what this program imports from the future: that forbids some of it."""
    rejected = [] if sys.version_info < (3, 14) else ["syntax-error"]
    assert rules("app.py", "a = 1\n", "a: (b := int) = 1\n") == rejected


@pytest.mark.parametrize("depth", [3_000, 100_000])
def test_what_is_too_deep_to_be_compiled_is_an_error(depth: int) -> None:
    text = "a = " + "-" * depth + "1\n"
    try:
        compile(text, "a.py", "exec")
    except (MemoryError, RecursionError, SyntaxError):
        assert python_error(text)
    else:
        assert python_error(text) is None


CODE = "def f(n):\n    total = n\n    return total\n"
TEST = "def test_one():\n    assert f(1) == 2\n"
LATIN = "b = 1  # caf\u00e9\n".encode("latin-1")


def link(target: str) -> Entry:
    return Entry("120000", target.encode())


def rules_of(files: dict[str, tuple[Content, Content]], *issues: tuple[str, int, str]) -> list[tuple[str, str]]:
    return [(found.path, found.rule) for found in judge(Edit(files, issues=issues))]


@pytest.mark.parametrize(
    ("rule", "read_over", "rejected"),
    [
        ("file-deleted", ("a = 1\n", "a = 2\n"), (CODE, None)),
        ("file-deleted", ("", None), (CODE, None)),
        ("binary", ("a = 1\n", "a = 2\n"), ("b = 1\n", "b = 1\0\n")),
        ("encoding", ("a = 1\n", "a = 2\n"), ("b = 1\n", LATIN)),
        ("encoding", (link("c.py"), link("d.py")), ("b = 1\n", "# coding: utf-7\nb = 1\n")),
        ("file-format", (None, "a = 1\n"), ("b = 1\nc = 1\n", b"b = 1\r\nc = 2\r\n")),
        ("commented-out", ("a = 1\n", "a = 2\n"), (CODE, CODE.replace("total = n", "# total = n"))),
    ],
)
def test_what_a_rule_reads_over_does_not_keep_it_from_the_next_file(
    rule: str, read_over: tuple[Content, Content], rejected: tuple[Content, Content]
) -> None:
    assert rules_of({"a.py": read_over, "b.py": rejected}) == [("b.py", rule)]


def test_every_file_that_declares_another_encoding_is_rejected() -> None:
    files = dict.fromkeys(("a.py", "b.py"), ("x = 1\n", "# coding: utf-7\nx = 1\n"))

    assert rules_of(files) == [("a.py", "encoding"), ("b.py", "encoding")]


def test_a_test_that_an_issue_is_about_does_not_keep_the_rule_from_the_next() -> None:
    files = {path: (TEST, TEST.replace("2", "3")) for path in ("tests/test_a.py", "tests/test_b.py")}

    assert rules_of(files, ("tests/test_a.py", 2, "wrong")) == [("tests/test_b.py", "held")]


def test_a_snapshot_counts_behind_other_files() -> None:
    files = {"a.py": ("x = 1\n", "x = 2\n"), "tests/__snapshots__/b.ambr": ("1\n", "2\n")}

    assert rules_of(files) == [("tests/__snapshots__/b.ambr", "held")]


@pytest.mark.parametrize(
    ("path", "code", "comment"),
    [("a.js", "add(2);", "/* add(2); */"), ("a.php", '<a href="b.php">b</a>', '<!-- <a href="b.php">b</a> -->')],
)
def test_code_in_a_comment_that_ends_was_commented_out(path: str, code: str, comment: str) -> None:
    assert rules_of({path: (f"f(1);\n{code}\n", f"f(1);\n{comment}\n")}) == [(path, "commented-out")]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"a = 1\nb = 2\n", b"a = 1\r\nb = 3\r\n", 1),
        (b"a = 1\nb = 2\nc = 4\n", b"a = 1\nb = 3\nc = 4", 2),
    ],
)
def test_an_issue_elsewhere_does_not_open_the_ends_of_lines(old: bytes, new: bytes, line: int) -> None:
    assert rules_of({"a.py": (old, new)}, ("a.py", line, "wrong")) == [("a.py", "file-format")]


@pytest.mark.parametrize(
    ("old", "new", "issue"),
    [
        (b"a = 1\r\nb = 2\n", b"a = 1\r\nb = 3\n", (1, "wrong")),
        (b"a = 1\r\nb = 2\nc = 3", b"a = 1\r\nb = 2\nc = 3\n", (3, "no newline at the end of the file")),
        (b"a = 1\nb = 2\nc = 3", b"a = 1\nb = 2\nc = 4\n", (1, "wrong")),
        (b"a = 1\nb = 2\nc = X", b"a = 1\nb = 2\nc = XX\n", (1, "wrong")),
        (b"\xef\xbb\xbfimport os\nimport re\n", b"", (2, "re is imported but unused")),
    ],
)
def test_lines_may_end_as_they_did_and_as_an_issue_wants(old: bytes, new: bytes, issue: tuple[int, str]) -> None:
    assert rules_of({"a.py": (old, new)}, ("a.py", *issue)) == []


def test_a_rejected_mode_is_called_so() -> None:
    found = judge(Edit({"a.py": ("a = 1\n", Entry("100755", b"a = 2\n"))}))

    assert [one.reason.partition(" as it was")[0] for one in found] == ["Keep the file's mode"]


def test_a_binary_file_may_be_renamed() -> None:
    assert rules_of({"a.bin": (b"\0\1", None), "b.bin": (None, b"\0\1")}) == []


DECLARED = ("# coding: utf-7", "# -*- coding: raw_unicode_escape -*-", "# vim: fileencoding=utf-7", "\t# encoding=hz",
            "#!/usr/bin/python\n# coding: utf_7", "\n# coding: latin-1", "#\r# coding: utf-7")  # fmt: skip
BAD: dict[str, tuple[str, str, Content, Content]] = {
    **{line: ("encoding", "a.py", "a = 1\n", f"{line}\na = 1\n".encode()) for line in DECLARED},
    "a new file": ("encoding", "a.py", None, "# coding: utf-7\na = 1\n"),
    "another one": ("encoding", "a.py", "# coding: utf-8\na = 1\n", "# coding: utf-7\na = 1\n"),
    "moved up": ("encoding", "a.py", "a = 1\n\n# coding: utf-7\n", "# coding: utf-7\na = 1\n"),
    "a byte order mark before": ("encoding", "a.py", b"\xef\xbb\xbfa = 1\n", b"\xef\xbb\xbf# coding: utf-7\na = 1\n"),
    "ruby": ("encoding", "a.rb", "a = 1\n", "# encoding: utf-7\na = 1\n"),
    "the second line": ("encoding", "a.py", b"#!/bin/a\r\na = 1\r\n", b"#!/bin/a\r\n# coding: utf-7\r\na = 1\r\n"),
    "bytes": ("binary", "a.bin", None, b"\0\xff"),
    "a script": ("encoding", "bin/a", "#!/usr/bin/python\na = 1\n", "#!/usr/bin/python\n# coding: utf-7\na = 1\n"),
    "java escape": ("hidden-code", "A.java", "class A { }\n", "class A { } // \\u000a evil();\n"),
    "java comment end": ("hidden-code", "A.java", "class A { }\n", "class A { /* \\uu002a\\u002f evil(); /* */ }\n"),
    "c comment that goes on": ("hidden-code", "a.c", "f();\ng();\n", "// see a\\\nf();\ng();\n"),
    "c++ trigraph": ("hidden-code", "a.cpp", "f();\ng();\n", "// why??/\nf();\ng();\n"),
}
GOOD: dict[str, tuple[str, Content, Content]] = {
    "utf-8": ("a.py", "a = 1\n", "# -*- coding: utf-8 -*-\na = 1\n"),
    **{name: ("a.py", "a = 1\n", f"# coding: {name}\na = 1\n") for name in ("u8", "utf", "ascii", "us-ascii", "utf_8")},
    "with a mark": ("a.py", "a = 1\n", "# coding: utf-8-sig\na = 1\n"),
    "UTF8": ("a.py", "a = 1\n", "# coding: UTF8\na = 1\n"),
    "taken out": ("a.py", "# coding: utf-8\na = 1\n", "a = 2\n"),
    "latin-1 to utf-8": ("a.py", "# coding: latin-1\na = 1\n", "# coding: utf-8\na = 1\n"),
    "latin-1 kept": ("a.py", b"# coding: latin-1\na = '\xe9'\n", b"# coding: latin-1\na = '\xe8'\n"),
    "in the third line": ("a.py", "a = 1\n", "a = 1\nb = 1\n# coding: utf-7\n"),
    "below two comments": ("a.py", "# a\n# b\na = 1\n", "# a\n# b\n# coding: utf-7\na = 1\n"),
    "utf-16": ("a.txt", "\ufeffa".encode("utf-16-le"), "\ufeffb".encode("utf-16-le")),
    "after code": ("a.py", "a = 1\n", "a = 2\n# coding: utf-7 is no good\n"),
    "in prose": ("a.md", "a\n", "a\n\nWrite coding: utf-7.\n"),
    "a java escape in a string": ("A.java", "class A { }\n", 'class A { String a = "\\u00e9\\u0000"; }\n'),
    "a c macro": ("a.c", "f();\n", "#define A(x) \\\n    f(x)\nf();\n"),
    "a c comment": ("a.c", "f();\n", "// why?\nf();\n"),
}


@pytest.mark.parametrize("name", BAD)
def test_rejects_text_that_means_something_else(name: str) -> None:
    rule, path, old, new = BAD[name]

    found = judge(Edit({path: (old, new)}, issues=((path, 1, "it is wrong"),)))

    assert [(r.path, r.rule) for r in found] == [(path, rule)]
    assert found[0].reason.endswith(".")


@pytest.mark.parametrize("name", GOOD)
def test_lets_other_text_pass(name: str) -> None:
    path, old, new = GOOD[name]

    assert judge(Edit({path: (old, new)}, issues=((path, 1, "it is wrong"),))) == []


def test_each_special_file_is_rejected() -> None:
    assert [(found.path, found.rule) for found in special_files(["a", "b/c"])] == [
        ("a", "special-file"),
        ("b/c", "special-file"),
    ]
    assert special_files([]) == []
