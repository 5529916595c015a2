"""Just inside and just outside of which classes and blocks of a Python module a runner finds tests in."""

from __future__ import annotations

import ast
import textwrap

import pytest

from selfreview.loop.guard.pycollected import collected
from tests.loop.guard.test_python_collected import BODY, METHOD, rules

UNREACHED, REMOVED = ["assertion-unreached"], ["test-removed"]


@pytest.mark.parametrize(
    ("head", "rejected"),
    [
        ("class TestA(object):", []),
        ("class TestA(abc.ABC):", []),
        ("class TestA(Generic[T]):", []),
        ("class TestA(typing.Generic):", []),
        ("class A(unittest.IsolatedAsyncioTestCase):", []),
        ("class A(SomeTestCase[T]):", []),
        ("class A(object, unittest.TestCase):", []),
        ("class A(unittest.TestCase, object):", []),
        ("class A:", REMOVED),
        ("class A(object):", REMOVED),
        ("class A(Base[T]):", UNREACHED),
        ("class A(f()):", UNREACHED),
        ("class TestA(B, C):", UNREACHED),
        ("class Both(Mixin, unittest.TestCase):", UNREACHED),
        ("class TestA(metaclass=f):", UNREACHED),
        ("class A(B):", UNREACHED),
        ("class A(A):", UNREACHED),
        ("class B(unittest.TestCase): pass\n\nclass A(B):", []),
        ("class C(unittest.TestCase): pass\n\nclass B(C): pass\n\nclass A(B):", []),
        ("class B: pass\n\nclass A(B, unittest.TestCase):", []),
        ("class B: pass\n\nclass TestA(B):", []),
        ("if f:\n    class B: pass\n\nclass TestA(B):", []),
        ("class B: pass\n\nclass A(B):", REMOVED),
        ("class B(dict): pass\n\nclass A(B):", UNREACHED),
        ("class B(dict): pass\n\nclass TestA(B):", UNREACHED),
        ("class B(metaclass=f): pass\n\nclass TestA(B):", UNREACHED),
        ("class B(C): pass\n\nclass C(B): pass\n\nclass TestA(B):", UNREACHED),
        ("class TestA:\n    __new__ = f", REMOVED),
        ("class TestA:\n    __init__: object = f", REMOVED),
        ("class TestA:\n    a = __init__ = f", REMOVED),
        ("class TestA:\n    def __new__(cls): pass", REMOVED),
        ("class TestA:\n    async def __init__(self): pass", REMOVED),
        ("class TestA:\n    if f:\n        def __init__(self): pass", REMOVED),
        ("class A(unittest.TestCase):\n    def __init__(self): pass", []),
        ("class TestA:\n    def run(self): pass", UNREACHED),
        ("class TestA:\n    def __call__(self): pass", UNREACHED),
        ("class TestA:\n    def __getattribute__(self, a): pass", UNREACHED),
        ("class TestA:\n    def _callTestMethod(self): pass", UNREACHED),
        ("class TestA:\n    run = f", UNREACHED),
        ("class TestA:\n    def runs(self): pass", []),
        ("class TestA:\n    n: int = 1\n    init = f", []),
    ],
)
def test_a_class_is_one_that_a_runner_looks_into(head: str, rejected: list[str]) -> None:
    assert rules(f"{head}\n{METHOD}") == rejected


def test_a_class_with_a_constructor_is_one_where_it_is_a_unittest() -> None:
    base = "class B(unittest.TestCase): pass\n\n"
    assert rules(f"{base}class A(B):\n    def __init__(self): pass\n{METHOD}") == []


@pytest.mark.parametrize(
    ("head", "under"),
    [
        ("if f:", ("f",)),
        ("if 1:", ()),
        ("if not f:", ("not f",)),
        ("if f:\n  pass\nelse:", ("not f",)),
        ("if 0:\n  pass\nelse:", ()),
        ("while f:", ("f",)),
        ("while 1:", ("1",)),
        ("while f:\n  pass\nelse:", ("not f",)),
        ("for n in f:", ("for n in f",)),
        ("for n in ():\n  pass\nelse:", ("else of for n in ()",)),
        ("try:\n  pass\nfinally:", ()),
        ("try:\n  pass\nexcept E:", ("except E",)),
        ("try:\n  pass\nexcept:", ("except",)),
        ("try:\n  pass\nexcept* E:", ("except E",)),
        ("try:\n  pass\nexcept E:\n  pass\nelse:", ("try",)),
        ("with f:", ()),
        ("with f(0), suppress(E):", ("suppress(E)",)),
        ("with pytest.raises(E):", ("pytest.raises(E)",)),
        ("with case.assertRaises(E):", ("case.assertRaises(E)",)),
        ("with RaisesGroup(E):", ("RaisesGroup(E)",)),
        ("match f:\n  case 1:", ("f is 1",)),
        ("if f:\n  raise E\nif g:", ("g",)),
        ("if f:\n  if 1:\n    g\n  if g:\n    pass\n  if h:", ("f", "h")),
        ("class TestB:\n  x = 1\n  if f:", ("f",)),
    ],
)
def test_a_test_is_under_conditions_and_handlers(head: str, under: tuple[str, ...]) -> None:
    last = head.rpartition("\n")[2]
    deeper = textwrap.indent(BODY, " " * (len(last) - len(last.lstrip()) + 2))
    assert [(found.node.name, found.under) for found in collected(ast.parse(f"{head}\n{deeper}")).values()] == [
        ("test_one", under)
    ]


@pytest.mark.parametrize(
    "head",
    [
        "if 0:", "if not 1:", "if 1:\n  pass\nelse:", "while 0:", "for n in ():", "while not 0:\n  pass\nelse:",
        "if f:\n  raise E\n  if g:", "class TestB:\n  raise E\n  if f:", "class B:\n  if f:",
        "class TestB:\n  if 1:\n    raise E\n  if f:",
    ],
)  # fmt: skip
def test_a_test_is_not_defined_where_nothing_runs(head: str) -> None:
    last = head.rpartition("\n")[2]
    deeper = textwrap.indent(BODY, " " * (len(last) - len(last.lstrip()) + 2))
    assert collected(ast.parse(f"{head}\n{deeper}")) == {}


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("@pytest.fixture", []),
        ("@pytest.fixture()", []),
        ("@property", []),
        ("@functools.cached_property", []),
        ("@functools.cache", ["test_one"]),
    ],
)
def test_a_fixture_and_a_property_are_no_tests(mark: str, names: list[str]) -> None:
    assert list(collected(ast.parse(f"{mark}\n{BODY}"))) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{BODY}def test_one(): pass\n", ["test_one"]),
        (f"{BODY}del test_one\n", []),
        (f"del test_one\n{BODY}", ["test_one"]),
        (f"raise ImportError\n{BODY}", ["test_one"]),
        ("def test_one(): pass\nclass test_one: pass\n", []),
        (f"class TestA:\n{METHOD}del TestA\n", []),
        (f"del TestA\nclass TestA:\n{METHOD}", ["TestA.test_one"]),
        (f"class TestA:\n{METHOD}del TestA.test_one\n", []),
        (f"class TestA:\n  class TestB:\n{textwrap.indent(METHOD, '  ')}", ["TestA.TestB.test_one"]),
        ("def helper_test(): pass\nclass testing:\n  def test_a(self): pass\n", []),
        ("async def test_a(): pass\n", ["test_a"]),
    ],
)
def test_which_tests_are_left(text: str, names: list[str]) -> None:
    assert list(collected(ast.parse(text))) == names


def test_what_is_no_python_has_no_tests() -> None:
    assert collected(None) == {}
