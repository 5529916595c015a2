"""What keeps a Python test from its runner while its text stays: decorators, bases and marks that were not there."""

from __future__ import annotations

import textwrap

import pytest

from tests.loop.guard.edits import Edit, judge

BODY = "def test_one():\n    assert f(1) == 2\n"
METHOD = textwrap.indent(BODY.replace("()", "(self)"), "    ")
HEAD = "import pytest\nfrom app import f\n"
TAIL = "def test_two():\n    assert f(2) == 4\n"
MARKED = "import x\n@x.y\ndef test_three():\n    f(3)\n\n"
CALM = "def calm(fn):\n    @functools.wraps(fn)\n    def inner():\n        fn()\n    return inner\n\n"
WITH = f"def calm(n):\n{textwrap.indent(CALM, '    ')}    return calm\n\n"


def rules(new: str, old: str = BODY, *, head: str = HEAD) -> list[str]:
    files = {"tests/test_app.py": (f"{head}\n{old}\n{TAIL}", f"{head}\n{new}\n{TAIL}")}
    return [found.rule for found in judge(Edit(files, issues=(("app.py", 1, "wrong"),)))]


@pytest.mark.parametrize(
    "new",
    [
        "def drop(fn):\n    return None\n\n@drop\n" + BODY,
        "@lambda fn: None\n" + BODY,
        "@type\n" + BODY,
        "import functools\n@functools.partial(print)\n" + BODY,
        "from helpers import slow\n@slow\n" + BODY,
        "from helpers import *\n@slow\n" + BODY,
        "import helpers.marks\n@helpers.marks.slow\n" + BODY,
        "@pytest.fixtureX\n" + BODY,
        "slow = f\n\n\n@slow\n" + BODY,
        "@staticmethod\n@f\n" + BODY,
        "@getattr(f, 'x')\n" + BODY,
        CALM + "@calm\n" + BODY,
        "def hide(c):\n    return None\n\n@hide\nclass TestA:\n" + METHOD,
        "import dataclasses\n@dataclasses.dataclass\nclass TestA:\n" + METHOD,
        "class TestA(dict):\n" + METHOD,
        "import enum\nclass TestA(enum.Enum):\n" + METHOD,
        "Base = object\nclass Helpers(Base):\n" + METHOD,
        "class TestA(metaclass=M):\n" + METHOD,
        "import unittest\nclass A(unittest.TestCase):\n    def run(self, result=None):\n        return\n" + METHOD,
    ],
)
def test_a_decorator_or_a_base_that_was_not_there_is_rejected(new: str) -> None:
    assert rules(new) == ["assertion-unreached"]


@pytest.mark.parametrize(
    "new",
    [
        "class TestA:\n    __init__ = f\n" + METHOD,
        "class TestA:\n    class Inner:\n" + textwrap.indent(METHOD, "    "),
        "class FakeTestCase:\n    pass\n\nclass Helpers(FakeTestCase):\n" + METHOD,
        "from abc import ABC\nclass Checks(ABC):\n" + METHOD,
        "from typing import Generic\nclass Checks(Generic[T]):\n" + METHOD,
    ],
)
def test_a_class_that_no_runner_looks_into_is_rejected(new: str) -> None:
    assert rules(new) == ["test-removed"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (BODY, "@pytest.mark.slow\n" + BODY),
        (BODY, "from pytest import mark\n@mark.slow\n" + BODY),
        (BODY, "from unittest import mock as m\n@m.patch('app.g')\n" + BODY),
        (BODY, "import unittest.mock as m\n@m.patch('app.g')\n" + BODY),
        (BODY, "import unittest.mock\n@unittest.mock.patch('app.g')\n" + BODY),
        (BODY, "from unittest.mock import patch\n@patch.dict('os.environ')\n" + BODY),
        (BODY, "import hypothesis\n@hypothesis.settings(deadline=None)\n" + BODY),
        (BODY, "from freezegun import freeze_time\n@freeze_time('2020-01-01')\n" + BODY),
        (CALM + BODY, CALM + "@calm\n" + BODY),
        (WITH + BODY, WITH + "@calm(1)\n" + BODY),
        (MARKED + BODY, MARKED + "@x.y\n" + BODY),
        (BODY, "class TestA:\n    class TestInner:\n" + textwrap.indent(METHOD, "    ")),
        (BODY, "import django.test\nclass A(django.test.TransactionTestCase):\n" + METHOD),
        (BODY, "class TestBase:\n    n = 1\n\nclass TestA(TestBase):\n" + METHOD),
        ("class A(Base):\n" + METHOD, "class B(Base):\n" + METHOD),
        ("class A(Base):\n" + METHOD, "class A(Base):\n" + METHOD.replace("== 2", "== 2  # twice")),
    ],
)  # fmt: skip
def test_what_a_runner_knows_or_the_tests_had_is_not(old: str, new: str) -> None:
    assert rules(new, old) == []


@pytest.mark.parametrize(
    ("new", "rule"),
    [
        ("class TestA:\n    __test__ = 0\n" + METHOD, "test-skipped"),
        ("class TestA:\n    __test__: bool = not True\n" + METHOD, "test-skipped"),
        (BODY + "\ntest_one.__test__ = 0\n", "test-skipped"),
        (BODY + "\n__test__ = 0\n", "test-skipped"),
        (BODY + "\nsetattr(test_one, '__test__', 0)\n", "test-skipped"),
        (BODY + "\npytestmark = getattr(pytest.mark, 'sk' + 'ip')\n", "test-skipped"),
        (BODY + "\npytestmark = getattr(pytest.mark, 'skip')\n", "test-skipped"),
        ("from _pytest.outcomes import Skipped\n" + BODY, "test-skipped"),
        ("from pytest import skip as later\n" + BODY, "test-skipped"),
        (BODY + "\nimport atexit\natexit.register(os._exit, 0)\n", "test-run-ended"),
        (BODY + "\nexit()\n", "test-run-ended"),
        (BODY + "\nquit()\n", "test-run-ended"),
        (BODY + "\nthreading.Timer(0, function=os._exit, args=[0]).start()\n", "test-run-ended"),
    ],
)
def test_a_way_round_a_run_is_rejected(new: str, rule: str) -> None:
    assert rules(new) == [rule]


@pytest.mark.parametrize(
    "new",
    [
        "class TestA:\n    __test__ = True\n" + METHOD,
        BODY + "\nn = getattr(f, 'n')\n",
        BODY + "\npytestmark = getattr(pytest.mark, 'slow')\n",
    ],
)
def test_a_mark_that_lets_a_test_run_is_not(new: str) -> None:
    assert rules(new) == []


def inside(head: str, tail: str = "") -> str:
    return f"def test_one():\n{textwrap.indent(head, '    ')}        assert f(1) == 2\n{textwrap.indent(tail, '    ')}"


@pytest.mark.parametrize(
    "new",
    [
        inside("try:\n", "finally:\n    return\n"),
        inside("for _ in [1]:\n  try:\n", "  finally:\n    continue\n"),
        inside("try:\n", "except AssertionError:\n    if f(0):\n        raise\n"),
        inside("try:\n", "except AssertionError:\n    print(1)\n    return\n"),
        inside("while f(1) == 2:\n", "    break\n"),
        inside("for _ in range(f(1) == 2):\n"),
        inside("for n in [n for n in [1] if n > 1]:\n"),
        inside("for n in filter(None, [f(0)]):\n"),
    ],
)
def test_a_way_out_that_drops_a_failure_is_rejected(new: str) -> None:
    assert rules(new) == ["assertion-unreached"]


@pytest.mark.parametrize(
    "asked", ["callable", "print", "id", "repr", "str", "type", "hash", "bool", "isinstance", "hasattr", "dir", "vars"]
)
def test_an_inner_function_that_is_only_asked_about_is_not_run(asked: str) -> None:
    assert rules(inside("def inner():\n", f"{asked}(inner)\n")) == ["assertion-removed"]


@pytest.mark.parametrize("end", ["os._exit", "os.abort", "sys.exit", "exit", "quit", "pytest.exit"])
def test_what_is_behind_the_end_of_a_run_is_not_run(end: str) -> None:
    assert rules(BODY.replace("\n", f"\n    {end}(0)\n", 1)) == ["assertion-removed", "test-run-ended"]


@pytest.mark.parametrize(
    "new",
    [
        inside("try:\n", "finally:\n    for n in f(0):\n        break\n"),
        inside("try:\n", "except AssertionError:\n    print(1)\n    raise\n"),
        inside("for n in range(3):\n"),
        inside("for n in [n * 2 for n in (1, 2)]:\n"),
        inside("while True:\n", "    break\n"),
        inside("def inner():\n", "inner()\n"),
        inside("def inner():\n", "g = inner\ng()\n"),
    ],
)
def test_a_loop_or_a_handler_that_keeps_failures_is_not(new: str) -> None:
    assert rules(new) == []


@pytest.mark.parametrize(
    "new",
    [
        BODY + "\nexec('del ' + 'test' + '_one')\n",
        BODY + "\nimport sys\ndelattr(sys.modules[__name__], 'test_' + 'one')\n",
        BODY + "\ntest_one.__code__ = (lambda: None).__code__\n",
        BODY + "\nsetattr(test_one, '__code__', g.__code__)\n",
        "def f(n):\n    return n * 2\n\n" + BODY,
        "f = lambda n: n * 2\n\n" + BODY,
        "@pytest.fixture\ndef f():\n    return int\n\n" + BODY.replace("()", "(f)", 1),
    ],
)
def test_what_changes_a_test_behind_its_back_is_rejected(new: str) -> None:
    assert set(rules(new)) - {"suppression"} == {"assertion-unreached"}


@pytest.mark.parametrize("new", ["def g(n):\n    return n\n\n" + BODY, "from app.new import f\n\n" + BODY])
def test_what_leaves_the_subject_as_it_was_is_not(new: str) -> None:
    assert rules(new) == []
