"""Which Python tests are defined at all: what takes a test away from its runner is rejected."""

from __future__ import annotations

import ast
import sys
import textwrap

import pytest

from selfreview.loop.guard.pycollected import collected
from tests.loop.guard.edits import Edit, judge

ONE = "def test_one():\n    assert f(1) == 2\n"
TWO = "def test_two():\n    assert f(2) == 4\n"
CLASS = "class TestF:\n    def test_a(self):\n        assert f(1) == 2\n"
SKIPPING = "from contextlib import suppress\n"


def under(head: str, tail: str = "", body: str = ONE) -> str:
    return f"import os\n\n{head}\n{textwrap.indent(body, '    ')}{tail}\n{TWO}"


def after(code: str, body: str = ONE) -> str:
    return f"import os\n\n{body}\n{TWO}\n{code}\n"


UNREACHED = {
    "a variable": under("if os.environ.get('X'):"),
    "a subject": under("if f is None:"),
    "another branch": under("if f:\n    pass\nelse:"),
    "a try": under("try:\n    import nothing", "except ImportError:\n    pass\n"),
    "a handler": under("try:\n    import os\nexcept ImportError:"),
    "else of a try": under("try:\n    import nothing\nexcept ImportError:\n    pass\nelse:"),
    "a loop": under("for n in range(f(0)):"),
    "a loop's else": under("for n in f(0):\n    break\nelse:"),
    "a while": under("while f(0):"),
    "a match": under("match f(0):\n  case 9:"),
    "a context": under("with suppress(ImportError):\n    import nothing"),
    "a method": f"class TestF:\n    if f(0):\n        def test_a(self):\n            assert f(1) == 2\n\n{TWO}",
    "a whole class": under("if f(0):", body=CLASS),
}
REMOVED = {
    "False": under("if False:"),
    "a check of types": under("if TYPE_CHECKING:"),
    "the other branch of True": under("if True:\n    pass\nelse:"),
    "a loop over nothing": under("for n in ():"),
    "after an error": under("try:\n    raise ValueError", "except ValueError:\n    pass\n"),
    "after a break": under("while True:\n    break"),
    "finally": after("try:\n    pass\nfinally:\n    del test_one"),
    "else": after("if not TWO:\n    pass\nelse:\n    del test_one"),
    "a handler that deletes": after("try:\n    1 / 0\nexcept ZeroDivisionError:\n    test_one = None"),
    "the handler's name": after("try:\n    1 / 0\nexcept ZeroDivisionError as test_one:\n    pass"),
    "while": after("while True:\n    del test_one\n    break"),
    "a loop's name": after("for test_one in [0]:\n    pass"),
    "a name in an expression": after("print(test_one := None)"),
    "a name beside a function": after("print((test_one := None), lambda: 0)"),
    "a context's name": after("with open(os.devnull) as test_one:\n    pass"),
    "a pattern's name": after("match f(0):\n    case test_one:\n        pass"),
    "a sum": after("test_one += 1"),
    "several": after("a, (test_one, b) = f(0)"),
    "locals": after("locals().pop('test_one')"),
    "del of locals": after("del locals()['test_one']"),
    "vars": after("vars().update({'test_one': None})", ONE).replace("vars()", "x = vars()"),
    "an update": after("locals().update(test_one=None)"),
    "code": after("exec('del test_one')"),
    "setattr": after("setattr(me, 'test_one', None)"),
    "delattr": after("delattr(me, 'test_one')"),
    "globals": after("x = globals().pop('test_one')"),
    "text that is run": after("x = eval(\"me.pop('test_one')\")"),
    "a module's names": after("me.__dict__.pop('test_one')"),
    "a name of a module's names": after("me.__dict__['test_one'] = None"),
    "beside a class": after("if f:\n    test_one = None\n\n    class A:\n        pass"),
    "in the statement that holds it": under("if True:", "    test_one = None\n"),
    "the rest of a list": after("match f(0):\n    case [_, *test_one]:\n        pass"),
    "the rest of a mapping": after("match f(0):\n    case {1: _, **test_one}:\n        pass"),
    "an import": after("from app import test_one"),
    "an import by another name": after("from app import test_two as test_one"),
    "a function": after("def gone():\n    global test_one\n    del test_one\n\ngone()"),
    "a second class": after("class TestF:\n    pass", CLASS),
    "a class's name": after("TestF = None", CLASS),
    "a loop over methods": after("for TestF.test_a in [0]:\n    pass", CLASS),
    "a property": f"class TestF:\n    @property\n    def test_a(self):\n        assert f(1) == 2\n\n{TWO}",
}
HIDING = {**dict.fromkeys(UNREACHED, "assertion-unreached"), **dict.fromkeys(REMOVED, "test-removed")}


@pytest.mark.parametrize("name", HIDING)
def test_what_hides_a_test_is_rejected(name: str) -> None:
    new = {**UNREACHED, **REMOVED}[name]
    body = CLASS if "TestF" in new else ONE
    found = judge(Edit({"tests/test_app.py": (f"import os\n\n{body}\n{TWO}", new)}, issues=(("app.py", 1, "wrong"),)))

    assert [r.rule for r in found if r.rule != "suppression"] == [HIDING[name]], found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (under("if f:"), under("if f:").replace("import os", "import os\nimport sys")),
        (under("if f:"), after("")),
        (after(""), after("def test_more():\n    assert f(3) == 6\n\nif f:\n    test_more.slow = True")),
        (after(""), after("class TestOther:\n    pass")),
        (after(""), after("print(vars(f)['name'])")),
        (after(""), after("names = ['test_one']\nf.run('test_one')\nf.g.run('test_one', name='test_one')")),
        (after(""), under("if True:")),
        (after(""), under("try:", "finally:\n    f(0)\n")),
        (after(""), under("with f(0):")),
        (after(""), after("for n in range(3):\n    f(n)")),
    ],
)
def test_what_hides_none_is_not(old: str, new: str) -> None:
    assert judge(Edit({"tests/test_app.py": (old, new)}, issues=(("tests/test_app.py", 1, "wrong"),))) == []


@pytest.mark.parametrize("line", [1, 40])
def test_a_condition_may_be_corrected_where_an_issue_points_at_the_file(line: int) -> None:
    edit = Edit(
        {"tests/test_app.py": (under("if os.name == 'nt':"), under("if os.name == 'posix':"))},
        issues=(("tests/test_app.py" if line == 1 else "app.py", line, "the wrong system"),),
    )

    assert [r.rule for r in judge(edit)] == ([] if line == 1 else ["assertion-unreached"])


@pytest.mark.parametrize(
    "head",
    [
        "try:\n    pass\nfinally:",
        "try:\n    f()\nexcept KeyError:",
        "match f:\n  case 1:",
        "if f:\n    pass\nelse:",
        "for n in f:",
    ],
)
def test_a_hook_in_any_block_is_one(head: str) -> None:
    code = f"{head}\n    def pytest_cmdline_main(config):\n        return 0\n"
    edit = Edit({"conftest.py": (None, code)}, changed=("app.py",), reasons={"conftest.py": "tests need it"})

    assert [r.rule for r in judge(edit)] == ["test-hooks"]


def calls(count: int) -> int:
    """Return how many calls it takes to find the tests of a module with so many."""
    tree = ast.parse("".join(f"def test_{n}():\n    assert f({n})\n" for n in range(count)))
    made: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: made.append(event))
    try:
        found = collected(tree)
    finally:
        sys.setprofile(before)
    assert len(found) == count
    return len(made)


def test_the_effort_grows_with_the_number_of_tests_and_no_faster() -> None:
    assert calls(400) < 2.5 * calls(200)


def test_a_later_class_takes_the_place_of_an_earlier_one_with_all_that_is_in_it() -> None:
    inner = "    class TestIn:\n        def test_c(self): pass\n"
    first = f"class TestF:\n    def test_a(self): pass\n{inner}"
    source = f"{first}class TestFa:\n    def test_a(self): pass\nclass TestF:\n    def test_b(self): pass\n"

    assert list(collected(ast.parse(source))) == ["TestFa.test_a", "TestF.test_b"]
    assert list(collected(ast.parse(f"{first}def TestF(): pass\n"))) == []
    assert list(collected(ast.parse(first))) == ["TestF.test_a", "TestF.TestIn.test_c"]
