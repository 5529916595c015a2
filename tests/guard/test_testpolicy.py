"""Edits of tests that wait for a person, and those that change what the tests of others run or see."""

from __future__ import annotations

import pytest

from tests.guard.edits import Content, Edit, judge

FIXED = ("def f(n):\n    return n * 3\n", "def f(n):\n    return n * 2\n")
PYTHON = "import pytest\nimport app\n\n\ndef test_one():\n    assert app.f(1) == 2\n"
SCRIPT = "import { f } from '../app.js';\n\ntest('one', () => {\n  expect(f(1)).toBe(2);\n});\n"
RUBY = 'describe F do\n  it "doubles" do\n    expect(f(1)).to eq(2)\n  end\nend\n'
FAKE = "lambda n: n * 2"


def rules(path: str, old: Content, new: Content, product: str = "app.py", fixed: tuple[str, str] = FIXED) -> set[str]:
    """Return the rules that reject or hold a fix of the product with an edit of a test."""
    edit = Edit(
        {product: fixed, path: (old, new)},
        changed=(product, path) if old else (product,),
        issues=((product, 2, "wrong"),),
    )
    return {rejection.rule for rejection in judge(edit)}


@pytest.mark.parametrize(
    "more",
    [
        f"@pytest.fixture(autouse=True)\ndef test_x(monkeypatch):\n    monkeypatch.setattr(app, 'f', {FAKE})\n",
        f"def test_x(_=setattr(app, 'f', {FAKE})):\n    assert app.f(1) == 2\n",
        f"@(lambda g: app.__dict__.update(f={FAKE}) or g)\ndef test_x():\n    assert app.f(1) == 2\n",
        f"@pytest.mark.parametrize('n', [setattr(app, 'f', {FAKE})])\ndef test_x(n):\n    assert app.f(1) == 2\n",
        f"class TestX:\n    app.f = {FAKE}\n\n    def test_x(self):\n        assert app.f(1) == 2\n",
        "def test_x():\n    global app\n    app = None\n",
        "def test_x(request):\n    request.session.items.clear()\n",
    ],
)
def test_a_new_test_in_python_that_changes_what_others_see_is_held(more: str) -> None:
    assert rules("tests/test_app.py", PYTHON, f"{PYTHON}\n\n{more}") == {"held"}


@pytest.mark.parametrize(
    "more",
    [
        "test.only('two', () => {\n  expect(1).toBe(1);\n});\n",
        "test('two', { x: (globalThis.f = 1) }, () => {\n  expect(1).toBe(1);\n});\n",
        "test('two', () => {\n  vi.mock('../app.js');\n  expect(1).toBe(1);\n});\n",
    ],
)
def test_so_is_one_in_javascript(more: str) -> None:
    assert rules("test/app.test.js", SCRIPT, f"{SCRIPT}\n{more}") == {"held"}


def test_so_is_one_in_ruby() -> None:
    more = 'describe G, focus: true do\n  it "is" do\n    expect(1).to eq(1)\n  end\nend\n'
    assert rules("spec/app_spec.rb", RUBY, f"{RUBY}\n{more}") == {"held"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_x.py", f"import app\n\napp.f = {FAKE}\n\n\ndef test_x():\n    assert app.f(1) == 2\n"),
        ("tests/test_x.py", f"import app\n\nsetattr(app, 'f', {FAKE})\n\n\ndef test_x():\n    assert app.f(1) == 2\n"),
        ("tests/test_x.py", "import sys\n\nsys.modules['app'] = type(sys)('app')\n\n\ndef test_x():\n    assert 1\n"),
        ("tests/test_x.py", "from unittest import mock\n\nmock.patch('app.f', str).start()\n"),
        ("tests/test_x.py", "import os\n\nos.environ['APP_FAKE'] = '1'\n\n\ndef test_x():\n    assert 1\n"),
        (
            "tests/test_x.py",
            "import app\n\n\n@pytest.fixture(autouse=True, scope='session')\ndef fake():\n    app.f = 1\n",
        ),
        ("test/x.test.js", "describe.only('x', () => { it('y', () => {}); });\n"),
        ("test/x.test.js", "const app = require('../app.js');\n\napp.f = (n) => n * 2;\ntest('y', () => {});\n"),
        ("test/x.test.js", "import * as app from '../app.js';\n\nObject.assign(app, { f: (n) => n * 2 });\n"),
        (
            "test/x.test.js",
            "const m = require('../app.js');\nconst a = m;\na.f = (n) => n * 2;\ntest('y', () => {});\n",
        ),
        ("test/x.test.js", "function go(m) {\n  m.f = 1;\n}\ngo(require('../app.js'));\ntest('y', () => {});\n"),
        ("spec/x_spec.rb", 'describe F, :focus do\n  it "x" do\n    expect(1).to eq(1)\n  end\nend\n'),
        ("spec/x_spec.rb", "F.class_eval do\n  def f(n) = n * 2\nend\n"),
        ("x_test.go", 'package app\n\nimport "os"\n\nvar _ = func() bool { os.Exit(0); return true }()\n'),
        ("x_test.go", "package app\n\nvar _ = func() bool {\n\tf = g\n\treturn true\n}()\n"),
        ("x_test.go", "package app\n\nvar _ = prepare()\n\nfunc prepare() int {\n\tf = g\n\treturn 1\n}\n"),
        ("tests/XTest.php", "<?php\nregister_shutdown_function(fn() => exit(0));\nclass XTest extends TestCase {}\n"),
        ("F.Tests/XTests.cs", "static class I { [ModuleInitializer] internal static void Go() { Exit(0); } }\n"),
    ],
)
def test_a_new_file_that_changes_what_others_see_is_held(path: str, text: str) -> None:
    assert rules(path, None, text) == {"held"}


def test_a_new_test_that_adds_to_a_class_of_the_product_is_held() -> None:
    fixed = ("class F\n  def f(n) = n * 3\nend\n", "class F\n  def f(n) = n * 2\nend\n")
    spec = 'class F\n  def f(n) = n * 2\nend\n\ndescribe F do\n  it "x" do\n    expect(1).to eq(1)\n  end\nend\n'
    assert rules("spec/f_spec.rb", None, spec, "lib/f.rb", fixed) == {"held"}
    assert rules("spec/f_spec.rb", None, spec.replace("class F\n", "class G\n"), "lib/f.rb", fixed) == set()


@pytest.mark.parametrize("path", ["tests/app.py", "tests/app/__init__.py"])
def test_no_new_file_hides_a_module_of_the_change(path: str) -> None:
    assert rules(path, None, "def f(n):\n    return n * 2\n") == {"loaded-by-name"}


@pytest.mark.parametrize(
    "more",
    [
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_x(n):\n    assert app.f(n) == n * 2\n",
        "class TestX:\n    cases = [1, 2]\n\n    def test_x(self):\n        assert app.f(1) == 2\n",
        "def test_x(monkeypatch):\n    monkeypatch.setattr(app, 'g', str)\n    assert app.f(1) == 2\n",
        "@mock.patch('app.g')\ndef test_x(g):\n    g.return_value = 2\n    assert app.f(1) == 2\n",
    ],
)
def test_a_new_test_that_stays_within_itself_is_free(more: str) -> None:
    assert rules("tests/test_app.py", PYTHON, f"{PYTHON}\n\n{more}") == set()


FREE = """
import logging
import sys

import pytest

import app

try:
    import tomllib
except ImportError:
    tomllib = None

sys.path.insert(0, 'lib')
logging.disable()
pytestmark = pytest.mark.slow


class Fake:
    def __init__(self):
        self.x = 1


FAKE = Fake()


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    monkeypatch.setattr(app, 'g', str)


def test_x():
    app.g = 1
    assert app.f(1) == 2
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_x.py", FREE),
        ("test/x.test.js", "import { f } from '../app.js';\nvi.mock('../g.js');\ntest('x', () => { f.x = 1; });\n"),
        (
            "test/x.test.js",
            "'use strict';\nconst a = { b: 1 };\nif (a.b) {\n  test.each([1])('x', () => {});\n}\nvi.mock('../g');\n",
        ),
        (
            "x_test.go",
            "package app\n\nvar now = func() int {\n\treturn 1\n}\n\nfunc TestX(t *testing.T) {\n\tnow()\n}\n",
        ),
    ],
)
def test_a_new_file_that_stays_within_itself_is_free(path: str, text: str) -> None:
    assert rules(path, None, text) == set()


OLD = "import app\n\n\ndef test_one():\n    assert app.one() == 1\n\n\ndef test_two():\n    assert app.two() == 2\n"
MENDED = OLD.replace("app.one() == 1", "app.one() == 11")
POINTED = (("tests/test_app.py", 5, "the expected value is wrong"),)


def held(line: str, path: str = "tests/test_app.py", old: str = OLD, new: str = MENDED) -> bool:
    """Return whether a line that is inserted at the top waits, where an issue points at the rest of the edit."""
    issues = ((path, 5, "the expected value is wrong"),)
    return bool(judge(Edit({path: (old, line + "\n" + new)}, issues=issues)))


def test_what_an_issue_points_at_is_free() -> None:
    assert judge(Edit({"tests/test_app.py": (OLD, MENDED)}, issues=POINTED)) == []
    assert judge(Edit({"tests/test_app.py": (OLD, MENDED)})) != []


@pytest.mark.parametrize(
    "line",
    ["", "import math", "import math as m  # (for the limit)", "from app import one, two", "from . import lab"],
)
def test_so_is_an_import_that_does_nothing_else(line: str) -> None:
    assert not held(line)


@pytest.mark.parametrize(
    "line",
    [
        "import app; app.one = lambda: 11",
        "from app import one; one.__code__ = (lambda: 11).__code__",
        "import app as a, sys; sys.exit()",
        "import_module('app').one = lambda: 11",
        "__import__('app').one = lambda: 11",
    ],
)
def test_code_behind_an_import_waits(line: str) -> None:
    assert held(line)


JS = "import { one } from '../app.js';\n\ntest('one', () => {\n\n  expect(one()).toBe(1);\n});\n"


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("import fs from 'fs';", False),
        ("const fs = require('fs');", False),
        ("import('../app.js').then(a => { a.one = () => 11 });", True),
        ("const a = require('../app.js').one = () => 11;", True),
        ("import fs from 'fs'; globalThis.x = 1", True),
    ],
)
def test_in_javascript_too(line: str, waits: bool) -> None:
    assert held(line, "test/app.test.js", JS, JS.replace("toBe(1)", "toBe(11)")) is waits


PY_DOC = 'def double(x):\n    """Double.\n\n    >>> double(2)\n    4\n    """\n    return eval(x)\n'
RUST_DOC = (
    "/// Double.\n///\n/// ```\n/// assert_eq!(a::double(2), 4);\n/// ```\npub fn double(x: i32) -> i32 {\n    x\n}\n"
)


@pytest.mark.parametrize(
    ("path", "old", "body", "line", "result"),
    [
        ("app.py", PY_DOC, ("eval(x)", "x * 4"), 7, ("    4\n", "    8\n")),
        ("src/lib.rs", RUST_DOC, ("    x\n", "    x * 4\n"), 7, ("4);", "8);")),
    ],
)
def test_an_issue_in_a_body_does_not_free_the_examples_of_its_documentation(
    path: str, old: str, body: tuple[str, str], line: int, result: tuple[str, str]
) -> None:
    fixed = old.replace(*body)
    at_body = ((path, line, "wrong"),)
    assert judge(Edit({path: (old, fixed)}, issues=at_body)) == []
    assert [one.rule for one in judge(Edit({path: (old, fixed.replace(*result))}, issues=at_body))] == ["held"]
    at_result = (*at_body, (path, (4, 5), "wrong"))
    assert judge(Edit({path: (old, fixed.replace(*result))}, issues=at_result)) == []
