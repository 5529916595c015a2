"""A fixer does not edit what a configured check runs."""

from __future__ import annotations

import pytest

from tests.guard.edits import Edit, judge

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
        ("pytest -q a.py", "a.py", False),
        ("pytest -xvs -ra -n2 --tb=short a.py", "a.py", False),
        (["pytest", "-n", "2", "--no-header", "a.py"], "a.py", False),
        ("cd app && pytest -q a.py", "app/a.py", False),
        ("python -m unittest -v a.py", "a.py", False),
        ("node --test test/x.js", "test/x.js", False),
        ("npx vitest run --bail src/x.test.ts", "src/x.test.ts", False),
        ("bundle exec rspec --fail-fast spec/x_spec.rb", "spec/x_spec.rb", False),
        ("mypy --strict app.py && ruff format --check app.py", "app.py", False),
        ("go test -v ./store/db_test.go", "store/db_test.go", False),
        ("./check.sh a.py", "check.sh", True),
        ("python -q check.py", "check.py", True),
        ("node check.js --test", "check.js", True),
        ("pytest -q -p plugins/early.py a.py", "plugins/early.py", True),
        ("cd web && jest --config ci/jest.js", "web/ci/jest.js", True),
        ("mocha -r ci/setup.js test", "ci/setup.js", True),
        ("jest --setupFilesAfterEnv ci/after.js", "ci/after.js", True),
        ("echo 'it", "app.py", False),
    ],
)
def test_the_file_of_a_check(run: object, path: str, rejected: bool) -> None:
    found = judge(Edit({path: (OLD, NEW)}, checks={"c": run}))

    assert [(r.path, r.rule) for r in found if r.rule != "held"] == ([(path, "check-removed")] if rejected else [])


def test_is_edited_where_an_issue_is_about_it() -> None:
    edit = Edit({"check.py": (OLD, NEW)}, issues=(("check.py", 2, "always fails"),), checks={"c": "python check.py"})

    assert judge(edit) == []


def test_is_not_renamed_away() -> None:
    edit = Edit({"check.py": (OLD, None), "other.py": (None, OLD)}, checks={"c": ["python", "check.py"]})

    assert "check-removed" in [r.rule for r in judge(edit)]


HELD = """
def half(n):
    return n


def test_half():
    assert half(4) == 2
    assert half(0) == 0
"""


@pytest.mark.parametrize("run", ["pytest -q a.py", "pytest a.py", ["python", "-m", "pytest", "-x", "a.py"]])
@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("    assert half(4) == 2\n", "", "held"),
        ("== 2", "in (2, 4)", "held"),
        ("== 2", "== 4", "held"),
        ("def test_half", "def check_half", "held"),
        ("return n\n", "raise NotImplementedError\n", "stub"),
    ],
)
def test_the_tests_of_a_file_that_a_runner_is_given_stay_as_they_are(
    run: object, old: str, new: str, rule: str
) -> None:
    found = judge(Edit({"a.py": (HELD, HELD.replace(old, new))}, checks={"c": run}))
    assert rule in [r.rule for r in found]


def test_a_test_may_be_added_to_a_file_that_a_runner_is_given() -> None:
    more = HELD.replace("return n\n", "return n // 2\n") + "\n\ndef test_one():\n    assert half(1) == 0\n"
    assert judge(Edit({"a.py": (HELD, more)}, checks={"c": "pytest -q a.py"})) == []


def test_what_a_linter_is_given_is_no_test() -> None:
    code = "def main():\n    if code() != 3:\n        raise SystemExit\n"
    assert judge(Edit({"a.py": (code, code.replace("3", "4"))}, checks={"c": "ruff check a.py"})) == []
    script = "if (expected != 3) { run(); }\n"
    assert judge(Edit({"a.js": (script, script.replace("3", "4"))}, checks={"c": "eslint --fix a.js"})) == []
