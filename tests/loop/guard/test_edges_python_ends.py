"""Just inside and just outside of what ends the run of Python tests, and of what disturbs them."""

from __future__ import annotations

import textwrap

import pytest

from tests.loop.guard.edits import Content, Edit, judge
from tests.loop.guard.test_python_collected import BODY, METHOD, rules

PATH = "tests/test_app.py"
ENDS = "def test_one():\n    os._exit(0)\n    with pytest.raises(SystemExit):\n        f(0)\n"


def found(old: Content, new: Content, **others: tuple[Content, Content]) -> list[str]:
    return [rejection.rule for rejection in judge(Edit({**others, PATH: (old, new)}))]


def in_test(code: str) -> str:
    return BODY.replace("\n", f"\n{textwrap.indent(code, '    ')}", 1)


@pytest.mark.parametrize(
    "end", ["os._exit", "os.abort", "os.execv", "os.execve", "os.execvp", "os.execl", "os.execlp"]
)  # fmt: skip
def test_nothing_in_a_test_module_ends_the_process(end: str) -> None:
    assert rules(f"{BODY}\ndef helper():\n    {end}(0)\n") == ["test-run-ended"]
    assert rules(f"class TestA:\n{METHOD}\n    def helper(self):\n        {end}(0)\n\n{BODY}") == ["test-run-ended"]
    assert rules(f"{BODY}\natexit.register({end}, 0)\n") == ["test-run-ended"]


@pytest.mark.parametrize(
    ("name", "rejected"),
    [
        ("pytest_addoption", ["test-run-ended"]),
        ("setup_module", ["test-run-ended"]),
        ("setUpModule", ["test-run-ended"]),
        ("teardown_module", ["test-run-ended"]),
        ("tearDownModule", ["test-run-ended"]),
        ("test_last", ["test-run-ended"]),
        ("run_setup", []),
    ],
)
def test_what_a_runner_calls_does_not_end_the_run(name: str, rejected: list[str]) -> None:
    assert rules(f"{BODY}\ndef {name}(*a):\n    sys.exit(0)\n") == rejected
    assert rules(f"{BODY}\nasync def {name}(*a):\n    sys.exit(0)\n") == rejected


@pytest.mark.parametrize(
    ("end", "rejected"),
    [
        ("raise SystemExit", ["test-run-ended"]),
        ("raise SystemExit(0)", ["test-run-ended"]),
        ("raise KeyboardInterrupt", ["test-run-ended"]),
        ("raise pytest.exit.Exit", ["test-run-ended"]),
        ("raise outcomes.Exit('now')", ["test-run-ended"]),
        ("raise KeyError", []),
        ("with pytest.raises(SystemExit):\n        sys.exit(2)", []),
        ("with case.assertRaises(SystemExit):\n        sys.exit(2)", []),
        ("with case.assertRaisesRegex(SystemExit, '2'):\n        sys.exit(2)", []),
        ("with lock:\n        sys.exit(2)", ["test-run-ended"]),
        ("g = lambda: sys.exit(2)", []),
    ],
)
def test_an_end_of_the_run_is_known_by_its_name(end: str, rejected: list[str]) -> None:
    assert rules(f"{BODY}\ndef test_more():\n    {end}\n") == rejected


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("import sys\nsys.exit(0)\n", "import sys\n\n\ndef test_a():\n    sys.exit(0)\n", []),
        ("sys.exit(0)\n", "def test_a():\n    sys.exit(0)\n\n\ndef test_b():\n    sys.exit(0)\n", ["test-run-ended"]),
        ("def setUpModule():\n    sys.exit(0)\n", "sys.exit(0)\nsys.exit(1)\n", ["test-run-ended"]),
        ("print 'a'\n", "sys.exit(0)\n", ["test-run-ended"]),
        ("import os\n", "import os\n\n\n" + ENDS, ["test-run-ended"]),
        ("if __name__ == '__main__':\n    f()\n", "if __name__ == '__main__':\n    sys.exit(f())\n", []),
        ("if '__main__' == __name__:\n    f()\n", "if '__main__' == __name__:\n    sys.exit(f())\n", []),
        (
            "if __name__ == '__main__':\n    f()\n",
            "if __name__ == '__main__':\n    f()\nelse:\n    sys.exit(0)\n",
            ["test-run-ended"],
        ),
    ],
)
def test_places_that_end_the_run_are_counted(old: str, new: str, rejected: list[str]) -> None:
    assert found(old, new) == rejected


def test_a_file_that_is_no_test_does_not_hide_one_that_is() -> None:
    others: dict[str, tuple[Content, Content]] = {"app.py": ("a = 1\n", "a = 2\n"), "b.txt": ("a\n", "b\n")}
    assert found("import os\n", "import os\nos._exit(0)\n", **others) == ["test-run-ended"]


@pytest.mark.parametrize(
    ("line", "rejected"),
    [
        ("exec(code)", True),
        ("eval(code)", True),
        ("exec('a = 1')", False),
        ("eval('1')", False),
        ("exec()", False),
        ("setattr(sys.modules['app'], 'f', g)", True),
        ("delattr(sys.modules['app'], 'f')", True),
        ("setattr(f, '__code__', g)", True),
        ("setattr(f, 'code', g)", False),
        ("setattr(f, __code__, g)", False),
        ("setattr(f)", False),
        ("print(f, '__code__')", False),
        ("sys.modules['app'].f = g", True),
        ("del sys.modules['app'].f", True),
        ("sys.modules['app'].f", False),
        ("modules['app'].f = g", False),
        ("f.__code__ = g.__code__", True),
        ("code = f.__code__", False),
        ("f.code = g", False),
    ],
)
def test_what_the_top_of_a_module_does_to_others(line: str, rejected: bool) -> None:
    for text in (line, f"if f:\n    {line}"):
        rejections = rules(f"{BODY}\n{text}\n")
        assert ("assertion-unreached" in rejections) == rejected, rejections
    assert "assertion-unreached" not in rules(f"{BODY}\ndef helper():\n    {line}\n")


@pytest.mark.parametrize(
    "made", ["def f(n):\n    return 2\n", "class f(int):\n    pass\n", "f = int\n", "f: int = 2\n"]
)
@pytest.mark.parametrize(
    ("head", "rejected"),
    [
        ("from app import f", True),
        ("from json import f", False),
        ("from pytest import f", False),
        ("from _pytest.x import f", False),
        ("from hypothesis import f", False),
        ("from app import g", False),
        ("from pytest_x import f", True),
        ("f = print", False),
    ],
)
def test_what_a_module_imported_from_elsewhere_it_does_not_make_itself(head: str, made: str, rejected: bool) -> None:
    head = f"import pytest\n{head}\n"
    expected = {"assertion-unreached"} if rejected else set()
    assert set(rules(f"{made}\n{BODY}", head=head)) == expected
    assert set(rules(in_test(made), head=head)) == expected
    assert rules(f"{made}\nx = 1\n\n{BODY}", f"{made}\n{BODY}", head=head) == []


@pytest.mark.parametrize(
    ("new", "rejected"),
    [
        (BODY.replace("()", "(f=int, /)", 1), True),
        (BODY.replace("()", "(a, f=int, /, b=1)", 1), True),
        (BODY.replace("()", "(a=1, /, f=int)", 1), True),
        (BODY.replace("()", "(a, f, /, b=1)", 1), False),
        (BODY.replace("()", "(*, f, a=1)", 1), False),
        (BODY.replace("()", "(*, a, f=1)", 1), True),
        (in_test("f = partial(f, 1)\n"), True),
        (in_test("f = partial(g, 1)\n"), False),
        (in_test("f.x = 1\n"), False),
        (in_test("f, a = 1, 2\n"), False),
    ],
)
def test_what_a_test_makes_of_what_is_imported(new: str, rejected: bool) -> None:
    head = "from app import f, g\n"
    assert (rules(new, head=head) == ["assertion-unreached"]) == rejected


@pytest.mark.parametrize(("path", "end"), [("app.py", "def setup():\n    exit(0)\n"), ("spec/f_spec.rb", "exit(0)\n")])
def test_other_files_may_end_what_they_like(path: str, end: str) -> None:
    edit = Edit({path: ("a = 1\n", f"a = 1\n{end}")}, issues=((path, 1, "wrong"),))
    assert judge(edit) == []
