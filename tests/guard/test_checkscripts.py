"""Checks run as before, whatever file starts them."""

from __future__ import annotations

import pytest

from tests.guard.edits import Content, Edit, judge
from tests.guard.test_bad_edits import (
    GO,
    GO_TEST,
    JS,
    JS_TEST,
    PHP,
    PHP_TEST,
    RUBY,
    RUBY_TEST,
    RUST,
    test,
)

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


@pytest.mark.parametrize(
    ("run", "path", "rejected"),
    [
        ("make test", "GNUmakefile", True),
        ("cd sub && /usr/bin/gmake test", "sub/makefile", True),
        (["just", "test"], ".justfile", True),
        ("pytest", "GNUmakefile", False),
        ("make test", "Taskfile.yml", False),
    ],
)
def test_a_new_file_that_a_check_would_read(run: object, path: str, rejected: bool) -> None:
    edit = Edit({path: (None, "test:\n\t@true\n")}, reasons={path: "needed"}, checks={"c": run})
    assert [found.rule for found in judge(edit)] == (["check-removed"] if rejected else [])


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


POM = "<project><properties><a>1</a></properties></project>\n"
SH = "#!/bin/sh\nset -e\npytest -q\n"
BATS = '@test "doubles" {\n  run f 1\n  [ "$output" = 2 ]\n}\n'
RUST_TEST = "tests/a.rs"
PLAIN_RUST = "#[test]\nfn doubles() {\n    assert_eq!(double(1), 2);\n}\n"

BAD: dict[str, tuple[str, str, Content, Content]] = {
    "make": ("check-removed", "Makefile", "test:\n\tpytest -q\n", "test:\n\ttrue\n"),
    "make, as a comment": ("check-removed", "Makefile", "test:\n\tpytest -q\n", "test:\n\ttrue # pytest -q\n"),
    "make, as a message": ("check-removed", "Makefile", "test:\n\tpytest -q\n", "test:\n\t@echo pytest -q\n"),
    "just": ("check-removed", "justfile", "test:\n    cargo test\n", "test:\n    cargo build\n"),
    "task": ("check-removed", "Taskfile.yml", "tasks:\n  test: go test ./...\n", "tasks:\n  test: ls\n"),
    "script": ("check-removed", "scripts/test.sh", SH, "#!/bin/sh\nset -e\n"),
    "script without a suffix": ("check-removed", "bin/check", SH, "#!/bin/sh\nset -e\n"),
    "script that ends": ("check-removed", "scripts/test.sh", SH, SH.replace("set -e\n", "set -e\nexit 0\n")),
    "script without a suffix that ends": ("check-removed", "bin/check", SH, SH.replace("-e\n", "-e\nexit 0\n")),
    "script of bash that ends": (
        "check-removed",
        "ci/all",
        SH.replace("/sh", "/env bash"),
        SH.replace("/sh", "/env bash").replace("-e\n", "-e\nexec true\n"),
    ),
    "shell test that ends": ("check-removed", "tests/a_test.sh", "[ a = b ]\n", "exit 0\n[ a = b ]\n"),
    "fewer checks": ("check-removed", "Makefile", "lint:\n\truff check .\n\tmypy .\n", "lint:\n\truff check .\n"),
    "only collected": ("check-removed", "Makefile", "test:\n\tpytest\n", "test:\n\tpytest --collect-only\n"),
    "ignored": ("check-removed", "scripts/test.sh", SH, SH.replace("-q", "--ignore=tests/test_a.py")),
    "maven": ("check-removed", "pom.xml", POM, POM.replace("<a>1</a>", "<skipTests>true</skipTests>")),
    "gradle": ("check-removed", "build.gradle", "test { }\n", "test { ignoreFailures = true }\n"),
    "gradle kotlin": ("check-removed", "app/build.gradle.kts", "a\n", "a\ntasks.test { enabled = false }\n"),
    "cmake": ("check-removed", "CMakeLists.txt", "add_test(NAME a COMMAND a)\nfoo()\n", "foo()\n"),
    "bazel": ("check-removed", "BUILD.bazel", 'py_test(name = "a")\nb()\n', "b()\n"),
    "sys.modules": ("detects-tests", "a.py", "import sys\na = 1\n", "import sys\na = 'pytest' in sys.modules\n"),
    "environment": (
        "detects-tests",
        "a.py",
        "import os\na = 1\n",
        "import os\na = os.environ.get('PYTEST_CURRENT_TEST')\n",
    ),
    "CI": ("detects-tests", "a.py", "import os\na = 1\n", 'import os\na = os.getenv("CI")\n'),
    "node": ("detects-tests", "a.js", "f();\n", 'if (process.env.NODE_ENV === "test") f();\n'),
    "go": ("detects-tests", "a.go", "package a\n", "package a\n\nvar b = testing.Testing()\n"),
    "go return": ("held", GO_TEST, GO, GO.replace("\tif got :=", "\treturn\n\tif got :=")),
    "go TestMain": (
        "held",
        GO_TEST,
        GO,
        GO + "\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
    ),
    "js return": ("held", JS_TEST, JS, JS.replace("expect(f(1))", "return;\n        expect(f(1))")),
    "js return in the first line": (
        "held",
        JS_TEST,
        JS,
        JS.replace('it("doubles", () => {', 'it("doubles", () => { return;'),
    ),
    "js return between": (
        "held",
        JS_TEST,
        JS,
        JS.replace("expect(f(2))", "return;\n        expect(f(2))"),
    ),
    "js it": ("held", JS_TEST, JS, JS.replace("describe", "const it = () => {};\n    describe", 1)),
    "js expect": ("held", JS_TEST, JS, JS.replace("describe", "function expect() {}\n    describe", 1)),
    "js exit": ("held", JS_TEST, JS, JS.replace("describe", "process.exit(0);\n    describe", 1)),
    "js if": ("held", JS_TEST, JS, JS.replace("expect(f(1))", "if (false) {}\n        expect(f(1))")),
    "ruby return": ("held", RUBY_TEST, RUBY, RUBY.replace("expect(f(1))", "next\n        expect(f(1))")),
    "php return": ("held", PHP_TEST, PHP, PHP.replace("$this", "return;\n            $this", 1)),
    "rust cfg": ("held", RUST_TEST, PLAIN_RUST, "#![cfg(any())]\n" + PLAIN_RUST),
    "rust panic": ("held", RUST_TEST, PLAIN_RUST, "#[should_panic]\n" + PLAIN_RUST),
    "rust panic below": (
        "held",
        RUST_TEST,
        PLAIN_RUST,
        PLAIN_RUST.replace("]\nfn", "]\n#[should_panic]\nfn"),
    ),
    "rust return": ("held", RUST_TEST, PLAIN_RUST, PLAIN_RUST.replace("{\n", "{\n    return;\n")),
    "bats skip": ("held", "a.bats", BATS, BATS.replace("{\n", "{\n  skip\n")),
    "bats comparison": ("held", "a.bats", BATS, BATS.replace('  [ "$output" = 2 ]\n', "")),
    "bats test": ("held", "a.bats", BATS, "run f 1\n"),
    "golden": ("held", "tests/golden/a.txt", "2\n", "3\n"),
    "expected": ("held", "tests/data/expected.json", "[2]\n", "[3]\n"),
}

GOOD: dict[str, tuple[str, Content, Content]] = {
    "make flags": ("Makefile", "test:\n\tpytest -q\n", "test:\n\tpytest -q -x --strict-markers\n"),
    "make variable": ("Makefile", "test:\n\tpytest tests\n", "TESTS = tests\ntest:\n\tpytest $(TESTS)\n"),
    "make through another": ("Makefile", "test:\n\tmake unit\n", 'test:\n\tmake "$@"\n'),
    "make target": ("Makefile", "build:\n\tcc a.c\n", "build:\n\tcc -O2 a.c\n"),
    "moved to a script": ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest\nlint:\n\truff check .\n"),
    "installation": ("Dockerfile", "RUN pip install pytest ruff\n", "RUN pip install -r dev.txt\n"),
    "exit before words": ("scripts/test.sh", SH, SH + "exit 0\n# that is all\n"),
    "exit before an installation": ("scripts/test.sh", SH, SH + "exit 0\npip install pytest\n"),
    "exit that was there": ("scripts/a.sh", "exit 0\npytest\n", "exit 0\npytest -q\n"),
    "exit of a program": ("bin/all", "#!/usr/bin/perl\nf();\n", "#!/usr/bin/perl\nexit g();\nf();\n"),
    "exit of no script": ("Makefile", "test:\n\tpytest\n", "exit 0\ntest:\n\tpytest\n"),
    "exit at the end": ("scripts/test.sh", SH, SH + "exit 0\n"),
    "exit under a condition": ("scripts/test.sh", SH, SH.replace("set -e", "set -e\nif x; then\n  exit 2\nfi")),
    "exit or": ("scripts/test.sh", SH, SH.replace("set -e", "set -e\ncd x || exit 1")),
    "maven version": ("pom.xml", POM, POM.replace("1", "2")),
    "maven not skipped": ("pom.xml", POM, POM.replace("<a>1</a>", "<skipTests>false</skipTests>")),
    "cmake target": ("CMakeLists.txt", "add_test(NAME a COMMAND a)\n", "add_test(NAME a COMMAND a -v)\n"),
    "another variable": ("a.py", "import os\na = 1\n", "import os\na = os.environ.get('CITY')\n"),
    "a variable that was read": ("a.py", "a = os.getenv('CI')\n", "a = os.getenv('CI') == 'true'\n"),
    "production": ("a.js", "f();\n", 'if (process.env.NODE_ENV === "production") f();\n'),
    "tests in prose": ("a.py", "a = 1\n", "# Set by CI: PYTEST_CURRENT_TEST.\na = 1\n"),
    "a test that reads it": ("tests/test_a.py", "a = 1\n", "a = os.getenv('PYTEST_CURRENT_TEST')\n"),
    "js library": (JS_TEST, JS, 'const expect = require("chai").expect;\n' + JS),
    "js extended": (JS_TEST, JS, "const test = base.extend({});\n" + JS),
    "js return inside": (JS_TEST, JS, JS.replace("f(1)", "[1].map((n) => {\n          return f(n);\n        })[0]", 1)),
    "js return at the end": (JS_TEST, JS, JS.replace("toEqual(4);", "toEqual(4);\n        return;")),
    "go guard": (GO_TEST, GO, GO.replace("\trequire", "\tif testing.Verbose() {\n\t\tprintln()\n\t}\n\trequire")),
    "go TestMain": (GO_TEST, GO, GO + "\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n"),
    "go helper process": (GO_TEST, GO, GO + "\nfunc helper() {\n\tos.Exit(0)\n}\n"),
    "rust panic": (RUST_TEST, PLAIN_RUST, PLAIN_RUST + "\n#[test]\n#[should_panic]\nfn no() {\n    double(-1);\n}\n"),
    "rust cfg": ("src/lib.rs", RUST,
                 RUST + "\n    #[cfg(all(test, unix))]\n    mod more {\n    #[test]\n    fn a() {}\n    }\n"),
    "bats": ("a.bats", BATS, BATS + '\n@test "more" {\n  [ 1 = 1 ]\n}\n'),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_rejects_by_the_right_rule(name: str) -> None:
    rule, path, old, new = BAD[name]

    found = judge(Edit({path: (old, new)}, issues=(("app.py", 1, "wrong"),)))

    assert [(r.path, r.rule) for r in found] == [(path, rule)]
    assert found[0].reason.endswith(".")


WAITS = frozenset(
    {
        "a test that reads it",
        "bats",
        "go TestMain",
        "go guard",
        "go helper process",
        "js extended",
        "js library",
        "js return at the end",
        "js return inside",
    }
)
"""Edits of tests that are there, which nobody but the person can call fair."""


@pytest.mark.parametrize("name", GOOD)
def test_lets_what_people_write_pass(name: str) -> None:
    path, old, new = GOOD[name]

    found = judge(Edit({path: (old, new)}, issues=(("app.py", 1, "wrong"),)))
    assert [r.rule for r in found] == (["held"] if name in WAITS else [])


def test_a_check_may_move_to_another_file_or_go_where_an_issue_wants_it_gone() -> None:
    makefile = ("test:\n\tpytest\n", "test:\n\tscripts/all\n")

    assert judge(Edit({"Makefile": makefile, "scripts/all": ("#!/bin/sh\na\n", "#!/bin/sh\npytest\n")})) == []
    assert judge(Edit({"Makefile": makefile}, issues=(("Makefile", 2, "pytest runs twice, remove it"),))) == []


def test_each_file_that_starts_fewer_checks_is_named_and_no_other() -> None:
    less = ("test:\n\tpytest\n\truff .\n", "test:\n\truff .\n")
    kept = ("test:\n\tpytest\n", "test:\n\tpytest -q\n")
    files = {"Makefile": less, "a.mk": less, "b.mk": kept, "c.md": ("Run `pytest`.\n", "Run it.\n")}

    assert [r.path for r in judge(Edit(files))] == ["Makefile", "a.mk"]
    assert [r.path for r in judge(Edit(files, issues=(("Makefile", 2, "pytest is not needed"),)))] == ["a.mk"]


def test_code_may_look_for_a_service_where_an_issue_is_about_it() -> None:
    for variable, rules in (("CI", []), ("PYTEST_VERSION", ["detects-tests"])):
        files = {"a.py": ("a = 1\n", f"a = os.getenv('{variable}')\n")}

        found = judge(Edit(files, issues=(("a.py", 1, "colours are wrong in CI"),)))

        assert [r.rule for r in found] == rules


def test_attributes_of_rust_are_read_in_time() -> None:
    found = judge(test("fn a() {}\n", ("fn a", "#[a]" * 5000 + "fn a"), path=RUST_TEST))
    assert [r.rule for r in found] == ["held"]


@pytest.mark.parametrize("text", ["#[test]\n" * 2000, "#[cfg(a)] " * 2000, "#[a]" * 5000])
def test_attributes_of_no_function_are_read_in_time(text: str) -> None:
    found = judge(test("fn a() {}\n", ("fn a", text + "\nmod b {}\nfn a"), path=RUST_TEST))
    assert [r.rule for r in found] == ["held"]


def test_a_test_of_rust_is_known_by_any_of_its_attributes() -> None:
    for heads in ("#[test]\n#[a(b[1])]\n", "#[a]\n#[tokio::test(flavor = 'x')] #[b]\npub async ", "#[test] // why\n"):
        old = PLAIN_RUST.replace("#[test]\n", heads)

        found = judge(Edit({RUST_TEST: (old, "fn other() {}\n")}, issues=(("app.py", 1, "wrong"),)))

        assert [r.rule for r in found] == ["held"]
