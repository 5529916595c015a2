"""A fixer does not edit what a configured check runs."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge

OLD, NEW = "import sys\nsys.exit(1)\n", "import sys\nsys.exit(0)\n"


@pytest.mark.parametrize(
    ("run", "path", "rejected"),
    [
        (["python", "scripts/check.py"], "scripts/check.py", True),
        (["python", "./scripts/../scripts/check.py", "-v"], "scripts/check.py", True),
        (["python", "-m", "scripts.check"], "scripts/check.py", True),
        (["python", "scripts"], "scripts/__main__.py", True),
        (["bash", "-c", "cd scripts && python check.py"], "scripts/check.py", True),
        ("cd scripts && python 'check.py' | tee log", "scripts/check.py", True),
        ("ruff check .; A=1 scripts/check", "scripts/check", True),
        ("python scripts/check.py pytest", "scripts/check.py", True),
        ("jest --config ci/jest.js", "ci/jest.js", True),
        ("jest --config=ci/jest.js", "ci/jest.js", True),
        ("/opt/pytest/bin/python scripts/check.py", "scripts/check.py", True),
        ({"run": "python scripts/check.py", "timeout": 3}, "scripts/check.py", True),
        ("sh -c 'python scripts/check.py'", "scripts/check.py", True),
        (["sh", "-c", "python check.py"], "check.py", True),
        ("cd; python check.py", "check.py", True),
        ("cd scripts; python check.py", "scripts/check.py", True),
        ("check '--config=ci files/check.js'", "ci files/check.js", True),
        (["python", "scripts\\check.py"], "scripts/check.py", True),
        ("make scripts && python check.py", "scripts/check.py", False),
        (["ruff", "check", "app.py"], "app.py", False),
        ("python scripts/check.py", "scripts/other.py", False),
        ("ruff check app.py", "app.py", False),
        ("python -m pytest tests/test_app.py", "tests/test_app.py", False),
        ("make app", "app.py", False),
        ("echo 'it", "app.py", False),
    ],
)
def test_the_file_of_a_check(run: object, path: str, rejected: bool) -> None:
    found = judge(Edit({path: (OLD, NEW)}, checks={"c": run}))

    assert [(r.path, r.rule) for r in found] == ([(path, "check-removed")] if rejected else [])


def test_is_edited_where_an_issue_is_about_it() -> None:
    edit = Edit({"check.py": (OLD, NEW)}, issues=(("check.py", 2, "always fails"),), checks={"c": "python check.py"})

    assert judge(edit) == []


def test_is_not_renamed_away() -> None:
    edit = Edit({"check.py": (OLD, None), "other.py": (None, OLD)}, checks={"c": ["python", "check.py"]})

    assert "check-removed" in [r.rule for r in judge(edit)]
