"""Edits of tests that are there wait for a person, but for what an issue points at and the imports that it needs."""

from __future__ import annotations

import pytest

from tests.guard.edits import Edit, judge

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
