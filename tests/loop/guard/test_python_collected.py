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
        (BODY, "from unittest.mock import patch\n@patch.dict('os.environ')\n" + BODY),
        (BODY, "import hypothesis\n@hypothesis.settings(deadline=None)\n" + BODY),
        (BODY, "from freezegun import freeze_time\n@freeze_time('2020-01-01')\n" + BODY),
        (CALM + BODY, CALM + "@calm\n" + BODY),
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
