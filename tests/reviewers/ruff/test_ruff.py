"""Ruff on real files, with the real ruff; a fake one only where a fault is needed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from selfreview.api import Category, ReviewerStatus, Severity, Side
from selfreview.errors import ToolError
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.ruff.rules import BUGS, UNRELIABLE
from selfreview.reviewers.tools.program import find_program
from selfreview.testing.context import MemoryContext
from tests.reviewers.fakes import apply, key, only, opened, printer, rules, run, under

RUFF = RuffReviewer()


@pytest.mark.parametrize(
    ("path", "selected"),
    [("a.py", True), ("a/b.pyi", True), ("a.txt", False), ("a.js", False), ("a.md", False), ("tool", True)],
)
def test_takes_modules_and_stubs_and_what_may_be_a_script(path: str, selected: bool) -> None:
    assert RUFF.selects(ChangedFile(path=path)) is selected


def test_takes_no_deleted_file_and_no_link() -> None:
    assert not RUFF.selects(ChangedFile(path="a.py", status=FileStatus.DELETED))
    assert not RUFF.selects(ChangedFile(path="a.py", new_mode="120000"))


class InAGate(MemoryContext):
    """A context whose settings are the base's."""

    settings_of_base = True


@contextlib.contextmanager
def in_a_gate(files: Mapping[str, str], others: Mapping[str, str]) -> Iterator[MemoryContext]:
    context = InAGate({path: (None, text) for path, text in files.items()}, others=others)
    try:
        yield context
    finally:
        context.close()


def executable(context: MemoryContext) -> list[ChangedFile]:
    files = (msgspec.structs.replace(file, new_mode="100755") for file in context.change.files)
    return [file for file in files if RUFF.selects(file)]


class TestScripts:
    """Ruff itself says nothing of what it takes for a text or for settings."""

    @pytest.mark.parametrize(
        "path",
        ["tool", "tool.md", "-bin/tool.TOML", "a b/tool.toml", "x.ipynb", "Pipfile", "a/poetry.lock", "b\udcff/x.md"],
    )
    @pytest.mark.parametrize("config", [None, 'lint.select = ["F"]\n', 'exclude = ["c"]\n'])
    def test_one_is_reviewed_whatever_its_name(self, path: str, config: str | None) -> None:
        text = "#!/usr/bin/env python3\nprint(undefined)\n"
        others = {} if config is None else {"ruff.toml": config}
        with opened({path: (text.replace("print(", "import undefined\nprint("), text)}, others=others) as context:
            review = RUFF.review(executable(context), context)
        found = only(review, "F821")
        assert (found.file, found.line_start, len(found.related)) == (path, 2, 1)
        assert (review.not_applicable, review.unreviewed, review.hint) == ([], {}, None)

    def test_several_in_a_folder_are_kept_apart(self) -> None:
        text = "#!/usr/bin/env python3\n"
        files = {"a.md": text + "a\n", "b.toml": text + "\nb\n", "script_1.py": "\n\nc\n", "script_2.md": "d\n"}
        with opened(files) as context:
            review = RUFF.review(executable(context), context)
        found = {(one.file, one.line_start, one.description[:18]) for one in review.findings if one.rule == "F821"}
        assert found == {("a.md", 2, "Undefined name `a`"), ("b.toml", 3, "Undefined name `b`"),
                         ("script_1.py", 3, "Undefined name `c`")}  # fmt: skip
        assert review.not_applicable == ["script_2.md"]


class TestWithoutConfiguration:
    def test_finds_bugs_and_says_what_follows(self) -> None:
        found = only(run(RUFF, {"a.py": "def f():\n    return undefined\n"}), "F821")
        assert (found.file, found.line_start, found.line_end, found.column) == ("a.py", 2, 2, 12)
        assert (found.severity, found.category) == (Severity.HIGH, Category.LOGIC)
        assert found.description == "Undefined name `undefined`. A NameError when this runs."

    def test_does_not_look_for_style(self) -> None:
        assert rules(run(RUFF, {"a.py": "import b, a\nx = {  }\nl = lambda : 0;\n"})) == []

    @pytest.mark.parametrize(
        ("text", "rule", "severity"),
        [
            ("def f(a=[]):\n    a.append(1)\n", "B006", "medium"),
            ("x = {'a': 1, 'a': 2}\n", "F601", "medium"),
            ("assert (x := 1, 'message')\n", "F631", "medium"),
            ("'%s %s' % (1,)\n", "F507", "high"),
            ("raise NotImplemented\n", "F901", "medium"),
            ("import yaml\nyaml.load(open('x'))\n", "S506", "high"),
            ("import requests\nrequests.get('u', verify=False)\n", "S501", "high"),
            ("def q(c, n):\n    c.execute('SELECT * FROM t WHERE n = ' + n)\n", "S608", "medium"),
            ("import subprocess\n\ndef f(x):\n    subprocess.run('ls ' + x, shell=True)\n", "S602", "medium"),
            ("fs = []\nfor i in range(3):\n    fs.append(lambda: i)\n", "B023", "medium"),
            ("x = 1\nx is 1\n", "F632", "medium"),
            ("def f(:\n", "invalid-syntax", "high"),
            ("def f():\n    x = 1\n", "F841", "low"),
        ],
    )
    def test_knows(self, text: str, rule: str, severity: str) -> None:
        assert only(run(RUFF, {"a.py": text}), rule).severity == severity

    @pytest.mark.parametrize(
        "text",
        [
            "import subprocess\nsubprocess.run('ls', shell=True)\n",  # a constant command
            "import sys\nif sys.version_info[0] == 2:\n    text = unicode\n",
            "print(_('translated'))\n",
            "x = missing  # type: ignore[name-defined]\n",
            "x = missing  # noqa: F821\n",
            "try:\n    from typing import Literal\nexcept ImportError:\n    Literal = None\n\n\n"
            "def f(x: Literal['head']): ...\n",
            "match 1:\n    case 1:\n        type X = int\nprint(f'{'a'}')\n",  # new syntax is no error
            "raise PythonFinalizationError\n",  # nor is a new built-in
        ],
    )
    def test_is_not_fooled_by(self, text: str) -> None:
        assert [f for f in run(RUFF, {"a.py": text}).findings if f.severity.at_least(Severity.MEDIUM)] == []

    @pytest.mark.parametrize(
        ("text", "severity"),
        [
            ("def test_a(): ...\n\n\ndef test_a(): ...\n", "medium"),
            ("@mark\ndef test_a(): ...\n\n\n@mark\ndef test_a(): ...\n", "medium"),
            ("@route\ndef index(): ...\n\n\n@route\ndef index(): ...\n", "low"),
            ("import os\nimport os\n", "low"),
            ("from a import b\n\n\ndef b(): ...\n", "low"),
        ],
    )
    def test_a_second_definition_matters_where_the_first_is_lost(self, text: str, severity: str) -> None:
        text = "mark = route = print\n" + text if "@" in text else text
        assert only(run(RUFF, {"test_a.py": text}), "F811").severity == severity

    def test_a_module_that_makes_names_at_run_time_is_no_alarm(self) -> None:
        text = "globals().update(make())\nprint(made)\n"
        assert {f.severity for f in run(RUFF, {"a.py": text}).findings} == {Severity.LOW}

    @pytest.mark.parametrize(
        "text",
        [
            "# globals()\nprint(missing)\n",
            "globals()\nprint(missing)\n",
            '"""exec(x)"""\nprint(missing)\n',
            "print(missing)  # name-defined\n",
            "print(missing, '# type: ignore[name-defined]')\n",
        ],
    )
    def test_a_word_in_a_comment_or_a_string_is_no_reason(self, text: str) -> None:
        assert only(run(RUFF, {"a.py": text}), "F821").severity is Severity.HIGH

    @pytest.mark.parametrize(
        ("path", "text", "rule", "severity"),
        [
            ("tests/data/case.py", "print(undefined)\n", "F821", "low"),
            ("tests/helpers.py", "print(undefined)\n", "F821", "low"),
            ("tests/test_a.py", "print(undefined)\n", "F821", "high"),
            ("tests/data/case.py", "def f(:\n", "invalid-syntax", "low"),
            ("stubs/a.pyi", "x: Undefined\n", "F821", "low"),
            ("test_a.py", "def f(a=[]):\n    a.append(1)\n", "B006", "low"),
            ("test_a.py", "import yaml\nyaml.load(open('x'))\n", "S506", "low"),
            ("test_a.py", "x = 1\nif x or True:\n    print(x)\n", "SIM222", "medium"),
            ("contest/a.py", "print(undefined)\n", "F821", "high"),
            ("tests/fixtures/a.py", "print(undefined)\n", "F821", "low"),
            ("src/fixtures/a.py", "print(undefined)\n", "F821", "high"),
            ("latest/test_data.py", "print(undefined)\n", "F821", "high"),
        ],
    )
    def test_what_only_tests_use_fails_in_those_tests(self, path: str, text: str, rule: str, severity: str) -> None:
        assert only(run(RUFF, {path: text}), rule).severity == severity

    @pytest.mark.parametrize(
        ("path", "text", "severity"),
        [
            ("a.py", "import {{ cookiecutter.name }}\n", "low"),
            ("a.py", "{% if x %}\nimport a\n{% endif %}\n", "low"),
            ("{{cookiecutter.name}}/a.py", "from {{ a.b }} import x\ndef f(:\n", "low"),
            ("{{x}}/a.py", "def f(:\n", "high"),
            ("a.py", "# {% raw x %}\ndef f(:\n", "high"),
            ("a.py", '"""\n{% raw x %}\n"""\ndef f(:\n', "high"),
            ("a.py", "x = f'{{a}}'\ndef f(:\n", "high"),
        ],
    )
    def test_a_template_is_no_python_yet(self, path: str, text: str, severity: str) -> None:
        assert only(run(RUFF, {path: text}), "invalid-syntax").severity == severity

    def test_every_rule_of_the_table_is_a_stable_rule_of_the_installed_ruff(self) -> None:
        done = subprocess.run(
            [str(find_program("ruff")), "rule", "--all", "--output-format", "json"], capture_output=True, check=True
        )
        stable = {rule["code"] for rule in json.loads(done.stdout) if "Stable" in rule["status"]}
        assert set(BUGS) <= stable

    def test_the_selection_is_what_it_says(self) -> None:
        assert not set(BUGS) & set(UNRELIABLE)
        assert all(text and text[-1] != "." for _, text in BUGS.values())


STYLE = "import os\nimport sys\n\nx = dict( )\nprint(sys.path, undefined)\n"


class TestWithConfiguration:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("pyproject.toml", '[tool.ruff.lint]\nselect = ["F401", "C408", "E201"]\n'),
            ("ruff.toml", '[lint]\nselect = ["F401", "C408"]\n'),
            (".ruff.toml", 'select = ["F401", "C408"]\n'),
        ],
    )
    def test_its_selection_counts(self, name: str, text: str) -> None:
        review = run(RUFF, {"pkg/a.py": STYLE}, others={name: text})
        assert rules(review) == ["F401", "C408"]
        assert review.hint is None
        assert only(review, "C408").severity is Severity.SUGGESTION
        assert only(review, "C408").category is Category.STYLE
        assert only(review, "F401").severity is Severity.LOW

    def test_bugs_keep_their_severity(self) -> None:
        review = run(RUFF, {"a.py": STYLE}, others={"ruff.toml": 'lint.select = ["F"]\n'})
        assert only(review, "F821").severity is Severity.HIGH

    def test_other_settings_count_without_a_selection(self) -> None:
        config = '[lint]\nignore = ["B006"]\nextend-select = ["C408"]\nper-file-ignores = {"a.py" = ["F601"]}\n'
        text = "x = dict()\ny = {1: 1, 1: 2}\n\n\ndef f(a=[]):\n    return undefined\n"
        assert rules(run(RUFF, {"a.py": text}, others={"ruff.toml": config})) == ["C408", "F821"]
        assert rules(run(RUFF, {"a.py": text}, others={"ruff.toml": '[lint]\nignore = ["F"]\n'})) == ["B006"]
        assert rules(run(RUFF, {"a.py": text}, others={"ruff.toml": '[lint]\nignore = ["ALL"]\n'})) == []

    def test_a_project_file_without_a_ruff_table_is_none(self) -> None:
        review = run(RUFF, {"a.py": STYLE}, others={"pyproject.toml": "[project]\nname = 'a'\n"})
        assert rules(review) == ["F821"]

    def test_the_nearest_one_counts_for_each_file(self) -> None:
        text = "import os\nx = dict()\n"
        others = {
            "ruff.toml": 'lint.select = ["F401"]\n',
            "sub/pyproject.toml": '[tool.ruff]\nlint.select = ["C408"]\n',
        }
        review = run(RUFF, {"a.py": text, "sub/deep/b.py": text, "other/c.py": text}, others=others)
        assert [(f.file, f.rule) for f in review.findings] == [
            ("a.py", "F401"),
            ("other/c.py", "F401"),
            ("sub/deep/b.py", "C408"),
        ]

    def test_what_it_extends_is_found_wherever_it_stands(self) -> None:
        others = {"ruff.toml": 'extend = "config/base.toml"\n', "config/base.toml": 'lint.select = ["F401"]\n'}
        context = Vanishing({"a.py": (None, STYLE)}, others=others, gone="config/base.toml")
        review = RUFF.review(context.change.files, context)
        context.close()
        assert (rules(review), review.hint) == (["F401"], None)

    @pytest.mark.parametrize(
        ("config", "said"),
        [
            ('lint.select = ["ZZZ999"]\n', "ZZZ999"),
            ('required-version = ">=99"\n', ">=99"),
            ('extend = "../nowhere.toml"\n', "No such file"),
            ('target-version = "py299"\n', "py299"),
            ("bro ken\n", "key with no value"),
            ("unknown-key = 1\n", "unknown-key"),
            ("lint.select = [1]\n", "invalid type"),
        ],
    )
    def test_one_that_cannot_be_used_is_said_to_be_so_and_bugs_are_found_anyway(self, config: str, said: str) -> None:
        review = run(RUFF, {"a.py": STYLE}, others={"ruff.toml": config})
        assert (review.status, rules(review)) == (ReviewerStatus.OK, ["F821"])
        assert review.hint is not None
        assert review.hint.startswith("ruff.toml cannot be used, so rules that find bugs were used instead: ")
        assert said in review.hint
        assert "selfreview-test-" not in review.hint

    @pytest.mark.parametrize("target", ["/dev/zero", "/", "../../../../../../../dev/zero", "$NULLDEVICE"])
    def test_it_extends_no_device(self, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Ruff would read it until the memory is full."""
        monkeypatch.setenv("NULLDEVICE", os.devnull)
        review = run(RUFF, {"a.py": STYLE}, others={"ruff.toml": f'extend = "{target}"\n'})
        assert (review.status, rules(review)) == (ReviewerStatus.OK, ["F821"])
        assert "no file of the repository" in (review.hint or "")

    @pytest.mark.parametrize("target", ["a\\u0000b", "/a\\u0000b", "a" * 300, "/" + "a" * 5_000, "a/" * 3_000])
    def test_what_no_path_can_be_ends_no_review(self, target: str) -> None:
        others = {"ruff.toml": f'extend = "{target}"\n'}
        with in_a_gate({"a.py": STYLE}, others) as context:
            found = [RUFF.review(context.change.files, context), run(RUFF, {"a.py": STYLE}, others=others)]
        for review in found:
            assert (review.status, rules(review)) == (ReviewerStatus.OK, ["F821"])
            assert (review.hint or "").startswith("ruff.toml cannot be used")

    @pytest.mark.parametrize("path", ["a.py", "a.pyw", "a.wsgi"])
    def test_no_setting_makes_a_notebook_of_a_module(self, path: str) -> None:
        others = {"ruff.toml": f'lint.select = ["F821"]\nextension = {{ {path[2:]} = "ipynb" }}\n'}
        review = run(RUFF, {path: STYLE}, others=others)
        assert (rules(review), review.hint) == (["F821"], None)

    def test_no_setting_makes_a_module_of_a_stub(self) -> None:
        others = {"ruff.toml": 'lint.select = ["F821"]\nextension = { pyi = "python" }\n'}
        assert rules(run(RUFF, {"a.pyi": "x: Later\n\nclass Later: ...\n"}, others=others)) == []

    def test_a_file_outside_of_the_repository_counts_but_in_a_gate(self, tmp_path: Path) -> None:
        (tmp_path / "mine.toml").write_text('lint.per-file-ignores = { "a.py" = ["F821"] }\n')
        others = {"ruff.toml": 'extend = "base.cfg"\n', "base.cfg": f'extend = "{tmp_path}/mine.toml"\n'}
        assert rules(run(RUFF, {"a.py": STYLE}, others=others)) == []
        with opened({"a.py": STYLE}, others=others) as mine, in_a_gate({"a.py": STYLE}, others) as context:
            review = RUFF.review(context.change.files, context)
            assert RUFF.cache_key(context) != RUFF.cache_key(mine)
        assert rules(review) == ["F821"]
        assert f"it extends {tmp_path}/mine.toml, which is no file of the repository" in (review.hint or "")

    @pytest.mark.parametrize(
        "others",
        [
            {"ruff.toml": 'extend = "gone.toml"\n'},
            {"ruff.toml": 'extend = "\\x2fdev/zero"\n'},  # of TOML 1.1, which Python does not read
            {"ruff.toml": "\ufeff" + 'extend = "/dev/zero"\n'},
            {f"{n}/ruff.toml": f'extend = "../{n + 1}/ruff.toml"\n' for n in range(30)}
            | {"ruff.toml": 'extend = "0/ruff.toml"\n', "30/ruff.toml": 'extend = "/dev/zero"\n'},
        ],
        ids=["nowhere", "newer TOML", "a mark at the beginning", "a long way"],
    )
    def test_in_a_gate_nothing_is_left_to_ruff(self, others: dict[str, str]) -> None:
        with in_a_gate({"a.py": STYLE}, others) as context:
            review = RUFF.review(context.change.files, context)
        assert (review.status, rules(review)) == (ReviewerStatus.OK, ["F821"])
        assert (review.hint or "").startswith("ruff.toml cannot be used")

    def test_in_a_gate_what_it_extends_within_the_repository_counts(self) -> None:
        others = {
            "ruff.toml": 'extend = "a/pyproject.toml"\nlint.select = ["F401"]\n',
            "a/pyproject.toml": "[project]\n",
        }
        for config in ({"ruff.toml": 'extend = "b.toml"\n', "b.toml": 'lint.select = ["F401"]\n'}, others):
            with in_a_gate({"a.py": STYLE}, config) as context:
                review = RUFF.review(context.change.files, context)
            assert (rules(review), review.hint) == (["F401"], None)

    def test_a_broken_one_touches_only_its_own_files(self) -> None:
        others = {"ruff.toml": 'lint.select = ["F401"]\n', "sub/ruff.toml": "bro ken\n"}
        review = run(RUFF, {"a.py": STYLE, "sub/b.py": STYLE}, others=others)
        assert {(f.file, f.rule) for f in review.findings} == {("a.py", "F401"), ("sub/b.py", "F821")}

    def test_so_do_those_that_ruff_leaves_out_by_default_where_it_is_told_to(self) -> None:
        files = {"dist/a.py": STYLE}
        review = run(RUFF, files, others={"ruff.toml": 'force-exclude = true\nlint.select = ["F"]\n'})
        assert (review.findings, review.not_applicable) == ([], ["dist/a.py"])
        assert rules(run(RUFF, files, others={"ruff.toml": 'lint.select = ["F821"]\n'})) == ["F821"]

    @pytest.mark.parametrize(
        "setting",
        [
            "fix = true",
            "fix-only = true",
            "show-fixes = true",
            "unsafe-fixes = true",
            'output-format = "github"',
            'cache-dir = "/proc/nowhere"',
            'include = ["other.py"]',
            "respect-gitignore = true",
        ],
    )
    def test_no_setting_hides_a_finding_or_touches_a_file(self, setting: str) -> None:
        with opened({"a.py": STYLE}, others={"ruff.toml": f'{setting}\nlint.select = ["F"]\n'}) as context:
            review = RUFF.review(context.change.files, context)
            assert rules(review) == ["F401", "F821"]
            assert (context.workspace() / "a.py").read_text() == STYLE

    @pytest.mark.parametrize("key_name", ["exclude", "extend-exclude", "lint.exclude"])
    def test_files_it_leaves_out_do_not_count_as_reviewed(self, key_name: str) -> None:
        config = f'{key_name} = ["vendor/**", "gen/*.py"]\n[lint.isort]\n' if "lint" not in key_name else ""
        config = config or 'lint.exclude = ["vendor/**", "gen/*.py"]\n'
        files = {"a.py": STYLE, "vendor/deep/b.py": STYLE, "gen/ä c.py": STYLE}
        review = run(RUFF, files, others={"ruff.toml": config})
        assert sorted(review.not_applicable) == ["gen/ä c.py", "vendor/deep/b.py"]
        assert {f.file for f in review.findings} == {"a.py"}

    def test_rules_that_need_other_files_are_dropped(self) -> None:
        review = run(
            RUFF, {"pkg/a.py": "import sys\nimport os\n"}, others={"ruff.toml": 'lint.select = ["I", "INP"]\n'}
        )
        assert rules(review) == []

    def test_an_unused_noqa_counts_unless_it_names_such_a_rule(self) -> None:
        text = "import os  # noqa: INP001\nx = os.path  # noqa: F401\n"
        review = run(RUFF, {"a.py": text}, others={"ruff.toml": 'lint.select = ["F", "INP", "RUF100"]\n'})
        assert [f.line_start for f in review.findings if f.rule == "RUF100"] == [2]

    def test_no_noqa_of_a_rule_that_ruff_has_on_by_default_is_unused(self) -> None:
        text = "try:\n    import brotli  # noqa: F401\nexcept ImportError:\n    pass\n"
        review = run(RUFF, {"a.py": text}, others={"ruff.toml": 'lint.extend-select = ["RUF"]\n'})
        assert "RUF100" not in rules(review)


class TestPlaces:
    def test_columns_count_code_points(self) -> None:
        text = "def f():\n\tx = 'ü𝒳é', undefined, é\n"
        first, second = run(RUFF, {"a.py": text}).findings[-2:]
        assert under(first, text) == "undefined, é"
        assert under(second, text) == "é"

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("import os\nx = 1\n", "x = 1\n"),
            ("ü = '𝒳é'; import os\nx = 1\n", "ü = '𝒳é'; \nx = 1\n"),
            ("if 1:\n\timport os\n\tx = 1\n", "if 1:\n\tx = 1\n"),
        ],
    )
    def test_a_safe_fix_is_an_edit(self, before: str, after: str) -> None:
        found = only(run(RUFF, {"a.py": before}, others={"ruff.toml": 'lint.select = ["F401"]\n'}), "F401")
        assert apply(before, found.edits).replace(" \n", "\n").replace(";\n", "; \n") in (
            after,
            after.replace("; ", ""),
        )
        assert found.suggested_fix == "Remove unused import: `os`"

    def test_an_unsafe_fix_is_only_words(self) -> None:
        found = only(run(RUFF, {"a.py": "def f(a=[]):\n    a.append(1)\n"}), "B006")
        assert (found.edits, found.suggested_fix) == ((), "Replace with `None`; initialize within function")

    def test_a_lone_carriage_return_is_no_line_of_ours(self) -> None:
        text = b"a = 1\rb = 2\r\nc = ''\rd = undefined\n\re = missing\n"
        found = run(RUFF, {"a.py": text}).findings
        assert [(f.line_start, under(f, text)) for f in found] == [(2, "undefined"), (3, "missing")]

    def test_carriage_returns_and_a_byte_order_mark_move_nothing(self) -> None:
        text = b"\xef\xbb\xbfx = undefined\r\ny = missing\r\n"
        assert [(f.line_start, f.column) for f in run(RUFF, {"a.py": text}).findings] == [(1, 5), (2, 5)]

    @pytest.mark.parametrize(
        "path",
        [
            "-x.py",
            "--fix.py",
            "@args.py",
            "a b.py",
            "a[1]*?.py",
            "ä𝒳.py",
            "sub/-x.py",
            "b\udcff.py",
            "a\nb.py",
            "~.py",
            "'.py",
        ],
    )
    def test_any_name_is_reviewed(self, path: str) -> None:
        for others in ({}, {"ruff.toml": 'exclude = ["nothing"]\nlint.select = ["F"]\n'}):
            review = run(RUFF, {path: "print(undefined)\n", "plain.py": "print(undefined)\n"}, others=others)
            assert {f.file for f in review.findings} == {path, "plain.py"}
            assert review.not_applicable == []

    def test_more_files_than_a_command_line_holds(self) -> None:
        files = {f"{'long' * 20}/{number:04}{'x' * 60}.py": "print(undefined)\n" for number in range(1500)}
        assert {f.file for f in run(RUFF, files).findings} == set(files)


class TestEncodings:
    def test_bytes_that_are_not_utf8_are_an_error_in_python(self) -> None:
        review = run(RUFF, {"a.py": b"x = 1\ny = '\xff'\n"})
        found = only(review, "invalid-encoding")
        assert (found.line_start, found.severity, found.category) == (2, Severity.HIGH, Category.LOGIC)
        assert review.not_applicable == []

    def test_but_not_a_new_one_where_it_was_so(self) -> None:
        review = run(RUFF, {"a.py": (b"y = '\xff'\n", b"y = '\xfe'\n")})
        assert only(review, "invalid-encoding").severity is Severity.LOW

    @pytest.mark.parametrize(
        "line", [b"# -*- coding: latin-1 -*-\n", b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n"]
    )
    def test_a_declared_encoding_is_nothing_that_ruff_can_review_and_it_says_so(self, line: bytes) -> None:
        latin = line + b"y = '\xff'\n"
        review = run(RUFF, {"a.py": latin, "b.py": "print(undefined)\n"})
        assert (review.not_applicable, set(rules(review))) == (["a.py"], {"F821", "other-encoding"})
        unread = only(review, "other-encoding")
        assert (unread.severity, unread.category, unread.unreviewed) == (Severity.MEDIUM, Category.SECURITY, True)
        was_so = only(run(RUFF, {"a.py": (latin, latin + b"z = 1\n")}), "other-encoding")
        assert (was_so.severity, was_so.unreviewed) == (Severity.LOW, False)
        assert only(run(RUFF, {"a.py": ("y = 1\n", latin)}), "other-encoding").severity is Severity.MEDIUM

    def test_declaring_utf8_does_not_help(self) -> None:
        assert rules(run(RUFF, {"a.py": b"# coding: utf-8\ny = '\xff'\n"})) == ["invalid-encoding"]


class TestHeldAgainstTheBase:
    def test_a_removed_import_is_blamed_for_the_use_that_is_left(self) -> None:
        old = "import os\nimport sys\n\n\ndef f():\n    return os.sep, sys.path\n"
        new = "import sys\n\n\ndef f():\n    return os.sep, sys.path\n"
        found = only(run(RUFF, {"a.py": (old, new)}), "F821")
        assert (found.line_start, found.severity) == (5, Severity.HIGH)
        assert [(p.file, p.line_start, p.side) for p in found.related] == [("a.py", 1, Side.OLD)]

    def test_a_renamed_function_is_blamed_too(self) -> None:
        old = "def old():\n    return 1\n\n\nprint(1)\nprint(2)\nprint(old())\n"
        found = only(run(RUFF, {"a.py": (old, old.replace("def old", "def new"))}), "F821")
        assert (found.line_start, [(p.line_start, p.side) for p in found.related]) == (7, [(1, Side.OLD)])

    def test_of_many_names_that_are_gone_each_names_its_own_line(self) -> None:
        """It would take a minute if all lines were searched for each."""
        uses = "".join(f"v{n} = n{n}.a\n" for n in range(3_000))
        old = "from a import (\n" + "".join(f"    n{n},\n" for n in range(3_000)) + ")\n" + uses
        found = [f for f in run(RUFF, {"a.py": (old, uses)}).findings if f.rule == "F821"]
        assert [p.line_start for f in found for p in f.related] == list(range(2, 3_002))

    def test_what_was_wrong_before_is_not_blamed_on_the_change(self) -> None:
        old = "print(undefined)\nx = 1\ny = 1\n"
        found = only(run(RUFF, {"a.py": (old, old.replace("x = 1", "x = 2"))}), "F821")
        assert found.related == ()

    def test_only_as_many_as_there_were_before_are_not(self) -> None:
        old = "print(x)\n\n\ndef f(x):\n    print(x)\n"
        found = run(RUFF, {"a.py": (old, old.replace("f(x)", "f(y)"))}).findings
        assert [(f.line_start, [p.line_start for p in f.related]) for f in found] == [(1, []), (5, [4])]

    def test_a_second_use_of_an_unknown_name_is_its_own_finding(self) -> None:
        old = "print(undefined)\nx = 1\n"
        found = run(RUFF, {"a.py": (old, old + "print(undefined)\n")}).findings
        assert [(f.line_start, f.related) for f in found] == [(1, ()), (3, ())]

    def test_a_syntax_error_far_from_the_change_names_it(self) -> None:
        old = "a = (1,\n     2)\nb = 2\nc = 3\n"
        new = "a = (1,\n     2\nb = 2\nc = 3\n"
        found = only(run(RUFF, {"a.py": (old, new)}), "invalid-syntax")
        assert found.severity is Severity.HIGH
        assert found.line_start == 2 or [(p.line_start, p.side) for p in found.related] == [(2, Side.NEW)]

    def test_a_file_with_many_syntax_errors_has_one_on_a_changed_line(self) -> None:
        old = "def f(x):\n    return x\n"
        found = only(run(RUFF, {"a.py": (old, old + "print 'a'\nprint 'b'\n")}), "invalid-syntax")
        assert found.line_start == 3

    def test_an_old_python_file_stays_one(self) -> None:
        old = "print 'a'\nprint 'b'\n"
        found = only(run(RUFF, {"a.py": (old, old + "print 'c'\n")}), "invalid-syntax")
        assert (found.line_start, found.severity) == (3, Severity.LOW)
        assert "before the change" in found.description


class TestCache:
    FILES = {"src/pkg/a.py": "x = 1\n"}

    def test_the_key_is_the_same_for_the_same(self) -> None:
        assert key(RUFF, self.FILES) == key(RuffReviewer(), self.FILES) is not None

    @pytest.mark.parametrize("path", ["ruff.toml", "src/.ruff.toml", "src/pkg/pyproject.toml"])
    def test_configuration_above_a_file_is_part_of_it(self, path: str) -> None:
        keys = {key(RUFF, self.FILES, others={path: f"line-length = {length}\n"}) for length in (80, 90)}
        assert len({key(RUFF, self.FILES), *keys}) == 3

    def test_what_it_extends_is_part_of_it(self) -> None:
        keys = {
            key(
                RUFF,
                self.FILES,
                others={"ruff.toml": 'extend = "conf/b.toml"\n', "conf/b.toml": f"line-length = {n}\n"},
            )
            for n in (80, 90)
        }
        assert len(keys) == 2

    def test_other_files_are_not(self) -> None:
        assert key(RUFF, self.FILES) == key(RUFF, self.FILES, others={"docs/ruff.toml": "line-length = 80\n"})

    def test_our_own_rules_are_part_of_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = key(RUFF, self.FILES)
        monkeypatch.setitem(BUGS, "F821", (Severity.LOW, "Nothing"))
        assert key(RUFF, self.FILES) != before

    def test_the_executable_is_part_of_it(self, tmp_path: Path) -> None:
        tool = printer(tmp_path, [])
        keys = set()
        for stamp in (1, 2):
            os.utime(tool, (stamp, stamp))
            keys.add(key(RuffReviewer(tool), self.FILES))
        assert len(keys) == 2


class TestFaults:
    def test_without_ruff_nothing_was_reviewed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("selfreview.reviewers.ruff.find_program", lambda name: None)
        review = run(RUFF, {"a.py": "x = 1\n"})
        assert (review.status, review.hint) == (ReviewerStatus.FAILED, "pip install ruff")

    def test_variables_of_the_person_do_not_steer_it(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("RUFF_OUTPUT_FILE", str(tmp_path / "out"))
        monkeypatch.setenv("RUFF_OUTPUT_FORMAT", "concise")
        assert rules(run(RUFF, {"a.py": "print(undefined)\n"})) == ["F821"]

    def test_a_file_that_it_cannot_read_was_not_reviewed(self, tmp_path: Path) -> None:
        place = {"row": 1, "column": 1}
        said = {
            "code": "E902",
            "filename": "a.py",
            "location": place,
            "end_location": place,
            "message": "no permission",
        }
        review = run(RuffReviewer(printer(tmp_path, [said])), {"a.py": "x = 1\n"})
        assert (review.unreviewed, review.findings) == ({"a.py": "no permission"}, [])

    def test_a_panic_in_a_file_is_no_review_of_it(self, tmp_path: Path) -> None:
        place = {"row": 1, "column": 1}
        said = {"code": "panic", "filename": "a.py", "location": place, "end_location": place, "message": "boom"}
        review = run(RuffReviewer(printer(tmp_path, [{**said, "severity": "fatal"}])), {"a.py": "x = 1\n"})
        assert review.unreviewed == {"a.py": "boom"}

    def test_a_file_that_it_was_not_given_is_refused(self, tmp_path: Path) -> None:
        place = {"row": 1, "column": 1}
        said = {"code": "F821", "filename": "/etc/b.py", "location": place, "end_location": place, "message": "m"}
        with pytest.raises(ToolError, match=r"/etc/b\.py"):
            run(RuffReviewer(printer(tmp_path, [said])), {"a.py": "x = 1\n"})

    def test_refusing_our_own_arguments_is_a_failure(self, tmp_path: Path) -> None:
        with pytest.raises(ToolError, match="ruff failed"):
            run(RuffReviewer(printer(tmp_path, "", status=2)), {"a.py": "x = 1\n"})

    def test_nothing_at_all_is_not_an_empty_list(self, tmp_path: Path) -> None:
        with pytest.raises(ToolError):
            run(RuffReviewer(printer(tmp_path, "")), {"a.py": "x = 1\n"})

    def test_a_file_that_vanishes_was_not_reviewed(self) -> None:
        context = Vanishing({"a.py": (None, "x = 1\n"), "b.py": (None, "print(undefined)\n")})
        review = RUFF.review(context.change.files, context)
        context.close()
        assert (list(review.unreviewed), rules(review)) == (["a.py"], ["F821"])


class Vanishing(MemoryContext):
    """A context whose workspace lacks a file."""

    def __init__(self, *args: Any, gone: str = "a.py", **options: Any) -> None:
        super().__init__(*args, **options)
        self._gone = gone

    def workspace(self, extra: Iterable[str] = ()) -> Path:
        root = super().workspace(extra)
        (root / self._gone).unlink(missing_ok=True)
        return root
