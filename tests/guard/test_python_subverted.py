"""What of Python code that is no test ends, skips or takes apart the tests that run it."""

from __future__ import annotations

import pytest

from tests.guard.edits import Edit, judge

CODE = "import os\nimport sys\nimport atexit\n\n\ndef f(a, b):\n    return a / b\n"
SCRIPT = "import sys\n\n\ndef main():\n    return 1\n\n\nmain()\n"


def rules(new: str, old: str | None = CODE, path: str = "app.py", **more: tuple[str | None, str | None]) -> list[str]:
    files: dict[str, tuple[str | None, str | None]] = {path: (old, new), **more}
    return [found.rule for found in judge(Edit(files, changed=tuple(files)))]


def below(code: str) -> str:
    return f"{CODE}\n\n{code}\n"


@pytest.mark.parametrize(
    "code",
    [
        "atexit.register(os._exit, 0)",
        "atexit.register(lambda: os._exit(0))",
        "from os import _exit as leave\natexit.register(leave, 0)",
        "import os as o\no._exit(0)",
        "from os import _exit\n_exit(0)",
        "getattr(os, '_exit')(0)",
        "os._exit(f(1, 2))",
        "def g():\n    os._exit(0)",
        "@atexit.register\ndef g():\n    os.execv('/bin/true', ['true'])",
        "def g():\n    os.execvp('true', ['true'])\n\n\nx = g()",
        "def g():\n    os.execvp('true', ['true'])\n\n\nif f:\n    g()\n\n    def h():\n        return 1",
        "os.execvp('true', ['true'])",
        "import signal\nsignal.signal(signal.SIGALRM, lambda *_: os._exit(0))",
        "sys.exit()",
        "sys.exit(0)",
        "sys.exit(None)",
        "sys.exit(False)",
        "sys.exit(int(f))",
        "exit()",
        "raise SystemExit",
        "raise SystemExit(0)",
        "if __name__ != '__main__':\n    sys.exit(0)",
        "if __name__ == '__main__':\n    sys.exit(0)\nelse:\n    sys.exit(0)",
        "class A:\n    sys.exit(0)",
        "import pytest\n\n\ndef g():\n    pytest.exit('x', returncode=0)",
        "import pytest\n\n\ndef g():\n    raise pytest.exit.Exception('x')",
        "from pytest import skip\n\n\ndef g():\n    skip('x')",
        "def g():\n    import unittest\n\n    raise unittest.SkipTest",
        "from unittest import SkipTest as No\n\n\ndef g():\n    raise No",
    ],
)
def test_what_ends_or_skips_tests_is_rejected(code: str) -> None:
    assert rules(below(code)) == ["test-run-ended"]
    assert rules(below(code), below(code)) == []


@pytest.mark.parametrize(
    "code",
    [
        "import unittest\nunittest.TestCase.assertEqual = print",
        "import unittest as u\nu.TestCase.assertEqual = print",
        "from unittest import TestCase\nTestCase.assertEqual = print",
        "from unittest import TestCase\nsetattr(TestCase, 'assertEqual', print)",
        "from unittest import TestCase\ndelattr(TestCase, f.__name__)",
        "from unittest import TestCase\ndel TestCase.assertEqual",
        "def g():\n    import unittest.case\n\n    unittest.case.TestCase.run = print",
        "import pytest\npytest.raises = f",
        "import _pytest.runner\n_pytest.runner.call_and_report = f",
        "from unittest import TestCase, mock\nmock.patch.object(TestCase, 'run', f).start()",
        "import builtins\nbuiltins.AssertionError = int",
        "__builtins__['AssertionError'] = int",
        "import builtins\nsetattr(builtins, 'AssertionError', int)",
        "sys.modules['pytest'] = sys",
    ],
)
def test_what_replaces_parts_of_their_runners_is_rejected(code: str) -> None:
    assert rules(below(code)) == ["test-hooks"]
    assert rules(below(code), below(code)) == []


@pytest.mark.parametrize(
    "code",
    [
        "def g():\n    sys.exit(0)",
        "def g():\n    raise SystemExit",
        "def g():\n    os._exit(1)",
        "def g():\n    os.execvp('less', ['less'])",
        "atexit.register(f, 1, 2)",
        "import signal\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(0))",
        "if __name__ == '__main__':\n    sys.exit(f(1, 2))",
        "if '__main__' == __name__:\n    raise SystemExit(0)",
        "if sys.version_info < (3, 9):\n    sys.exit('Python 3.9 is needed')",
        "if not f:\n    sys.exit(f'{f} is needed')",
        "if not f:\n    sys.exit('%s is needed' % f)",
        "try:\n    import nothing\nexcept ImportError:\n    sys.exit(2)",
        "if not f:\n    raise KeyboardInterrupt",
        "from unittest import TestCase\nTestCase.maxDiff = None",
        "from unittest import TestCase\nsetattr(TestCase, 'longMessage', False)",
        "import unittest\nunittest.main(exit=False) if f is None else None",
        "import builtins\nbuiltins._ = str",
        "f.cache = {}\nos.environ['A'] = 'b'\nsetattr(f, 'x', 1)",
        "sys.modules['app2'] = sys",
        "errors = {}\nerrors[AssertionError] = 1",
        "x = os.skip",
        "f.object(f)",
        "import Xpytest\nXpytest.main = f",
    ],
)
def test_what_programs_do_is_free(code: str) -> None:
    assert rules(below(code)) == []


@pytest.mark.parametrize("name", ["exit", "skip", "xfail", "SkipTest", "outcomes.Exit", "outcomes.Skipped", "XFailed"])
def test_each_way_to_stop_a_test(name: str) -> None:
    assert rules(below(f"def g():\n    from _pytest import nodes\n\n    raise nodes.{name}")) == ["test-run-ended"]


@pytest.mark.parametrize("name", ["pytest", "_pytest", "unittest", "pluggy", "nose", "nose2"])
def test_each_runner(name: str) -> None:
    assert rules(below(f"import {name}\n{name}.main = f")) == ["test-hooks"]
    assert rules(below(f"import os.path, {name}.x as a\na.main = f")) == ["test-hooks"]
    assert rules(below(f"sys.modules['{name}'] = f")) == ["test-hooks"]


@pytest.mark.parametrize("call", ["exit", "quit", "sys.exit", "raise SystemExit"])
def test_each_way_to_end_a_process(call: str) -> None:
    assert rules(f"import sys\n{call}(0)\n", None) == ["test-run-ended"]
    assert rules(below(f"{call}(1)")) == []


@pytest.mark.parametrize(
    "code",
    ["def g():\n    sys.exit(0)\n\n\nx = g", "from os import path as p", "from os import _exit", "x = os._exit_code"],
)
def test_what_is_only_named_is_free(code: str) -> None:
    assert rules(below(code)) == []


def test_a_script_may_say_how_it_ends() -> None:
    for status in ("sys.exit(main())", "sys.exit(1 if main() else 0)", "main()\nsys.exit()"):
        assert rules(SCRIPT.replace("\nmain()", f"\n{status}"), SCRIPT) == []
    assert rules(SCRIPT.replace("\nmain()", "\nimport os\nos.execl('a')"), SCRIPT) == ["test-run-ended"]
    for work in ("for n in f:\n    print(n)", "while f():\n    pass", "with f():\n    pass"):
        assert rules(f"{CODE}{work}\nsys.exit()\n", f"{CODE}{work}\n") == []
    entry = "from app import main\n\nraise SystemExit(main())\n"
    assert rules("import app\n", "import app\n", **{"app/__main__.py": ("import app\n", entry)}) == []
    assert rules(entry, "import app\n") == ["test-run-ended"]


def test_a_new_module_ends_nothing_either() -> None:
    assert rules("import sys\n\nsys.exit(0)\n", None) == ["test-run-ended"]
    assert rules("import os\n\nos._exit(0)\n", None) == ["test-run-ended"]


def test_what_moves_to_another_module_is_free() -> None:
    ends = below("def g():\n    os._exit(0)")
    assert rules(CODE, ends, **{"b.py": ("x = 1\n", "import os\n\n\ndef g():\n    os._exit(0)\n")}) == []


def test_in_which_files() -> None:
    assert rules("sys.exit(0)\n", "x = 1\n", "a.rb") == []
    assert rules("def f(:\n", CODE) == ["syntax-error"]


@pytest.mark.parametrize(
    ("path", "old", "more", "rejected"),
    [
        ("src/lib.rs", "pub fn f() {}\n", "macro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}\n", True),
        ("src/lib.rs", "pub fn f() {}\n", "macro_rules! twice {\n    ($a:expr) => { $a };\n}\n", False),
        ("a.go", "package a\n", "\nfunc init() {\n\tif on {\n\t\tos.Exit(0)\n\t}\n}\n", True),
        ("a.go", "package a\n", "\nfunc init() {\n\tgo()\n}\n\nfunc main() {\n\tos.Exit(0)\n}\n", False),
    ],
)
def test_in_other_languages(path: str, old: str, more: str, rejected: bool) -> None:
    found = judge(Edit({path: (old, old + more)}))
    assert [one.rule for one in found] == (["test-run-ended"] if rejected else [])
