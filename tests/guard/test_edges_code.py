"""Just inside and just outside of what code and commands may not do, file by file and language by language."""

from __future__ import annotations

import sys

import pytest

from selfreview.guard import Bounds, Edited
from selfreview.guard.content import python_error, secret, syntax_error
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
