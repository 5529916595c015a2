"""Settings that a fixer leaves alone, and the parts of files that hold them."""

from __future__ import annotations

import pytest

from selfreview.guard.settings import read_ini, read_json, read_toml
from tests.guard.edits import Edit, judge

VITE = """
    export default {
      plugins: [x],
      test: {
        exclude: ['a'],
      },
      server: { port: 1 },
    }
"""
SETUP = "setup(entry_points={'pytest11': ['a = app']})\n"


def rules(path: str, old: str | None, new: str, about: str = "app.js") -> list[str]:
    edit = Edit({path: (old, new)}, issues=((about, 1, "wrong"),), reasons={path: "needed"})
    return [rejection.rule for rejection in judge(edit)]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", "[tool.pixi.tasks]\nt = 'pytest'\n", "[tool.pixi.tasks]\nt = 'true'\n"),
        ("pyproject.toml", "[tool]\n", "[tool.pixi.feature.a.tasks]\nt = 'true'\n"),
        ("pyproject.toml", "[tool]\n", "[tool.rye.scripts]\nt = 'true'\n"),
        ("pyproject.toml", "[tool]\n", "[tool.hatch.envs.a]\nt = 'true'\n"),
        ("pyproject.toml", "[tool]\n", "[tool.pdm.scripts]\nt = 'true'\n"),
        ("pyproject.toml", "[tool]\n", "[tool.poetry.plugins.pytest11]\na = 'a'\n"),
        ("pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\n[project.entry-points.pytest11]\na = 'a'\n"),
        ("pixi.toml", "[tasks]\nt = 'pytest'\n", "[tasks]\nt = 'true'\n"),
        ("pixi.toml", "[a]\n", "[feature.a.tasks]\nt = 'true'\n"),
        ("pixi.toml", "[a]\n", "[environments]\nt = ['b']\n"),
        ("deno.jsonc", '{"tasks": {"t": "deno test"}}', '{"tasks": {}} // none'),
        ("deno.json", "{}\n", '{"test": {"exclude": ["a"]}}'),
        ("deno.json", "{}\n", '{"lint": {"exclude": ["a"]}}'),
        ("setup.cfg", "[a]\n", "[options.entry_points]\npytest11 =\n    a = app\n"),
        ("setup.py", "setup()\n", SETUP),
        ("setup.py", SETUP, "setup()\n"),
        ("setup.py", SETUP, SETUP.replace("= app", "= b")),
        ("setup.py", "setup()\n", "setup(entry_points='[pytest11]\\na = app')\n"),
        ("setup.py", "p = {}\nsetup()\n", "p = {}\np['pytest11'] = ['a = app']\nsetup()\n"),
        ("setup.py", "setup()\n", "setup(\n"),
        ("Cargo.toml", "[package]\nname = 'a'\n", "[package]\nname = 'a'\nautotests = false\n"),
        ("Cargo.toml", "[package]\nname = 'a'\n", "[package]\nname = 'a'\nautobenches = false\n"),
        ("Cargo.toml", "[lib]\npath = 'a'\n", "[lib]\npath = 'a'\ntest = false\n"),
        ("Cargo.toml", "[lib]\n", "[lib]\nharness = false\n"),
        ("Cargo.toml", "[lib]\n", "[lib]\ndoctest = false\n"),
        ("Cargo.toml", "[lib]\n", "[[test]]\nname = 'a'\ntest = false\n"),
        ("Cargo.toml", "[lib]\n", "[[bench]]\nname = 'a'\ntest = false\n"),
        ("Cargo.toml", "[[bin]]\nname = 'a'\n", "[[bin]]\nname = 'a'\ntest = false\n"),
        ("Cargo.toml", "[[example]]\nname = 'a'\ntest = true\n", "[[example]]\nname = 'a'\n"),
        ("Cargo.toml", "[lib]\n", "[profile.test]\noverflow-checks = false\n"),
        ("Cargo.toml", "[lib]\n", "[lints.rust]\nunused = 'allow'\n"),
        ("Cargo.toml", "[lib]\n", "[workspace.lints.rust]\nunused = 'allow'\n"),
        (".config/nextest.toml", None, "[profile.default]\ndefault-filter = 'none()'\n"),
        ("bunfig.toml", "", '[test]\npreload = ["./x.ts"]\n'),
        (".bunfig.toml", "", 'preload = ["./x.ts"]\n'),
        ("package.json", "{}", '{"babel": {"plugins": ["./x"]}}'),
        ("vite.config.ts", "export default {}\n", "export default { test: { exclude: ['*'] } }\n"),
        ("vite.config.ts", None, "export default { 'test': { exclude: ['*'] } }\n"),
        ("vite.config.mts", VITE, VITE.replace("'a'", "'b'")),
        ("vite.config.js", VITE, VITE.replace("],\n      },", "],\n        globals: (1, 2),\n      },")),
        ("vite.config.js", VITE, VITE.replace("test: {", "test: off, tost: {")),
        ("vite.config.js", "c = {}\nexport default c\n", "c = {}\nc.test = off\nexport default c\n"),
    ],
)
def test_settings_of_tests_are_left_whatever_the_reason(path: str, old: str | None, new: str) -> None:
    assert "tool-configuration" in rules(path, old, new)
    assert "tool-configuration" in rules(path, old, new, about=path)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("vite.config.js", VITE, VITE.replace("plugins: [x]", "plugins: [x, y]").replace("port: 1", "port: 2")),
        ("vite.config.js", VITE, VITE.replace("        exclude", "            exclude")),
        ("vite.config.js", "x = { test: 1, y: 2 }\n", "x = { test: 1, y: 3 }\n"),
        ("vite.config.js", "x = { test: a(1, 2); y: 2 }\n", "x = { test: a(1, 2); y: 3 }\n"),
        ("vite.config.js", "x.test = a\ny = 2\n", "x.test = a\ny = 3\n"),
        ("setup.py", SETUP, SETUP.replace("setup(", "setup(name='a', ")),
        ("setup.py", "setup()\n", "setup(entry_points={'console_scripts': ['a = app']})\n"),
        ("setup.cfg", "[options.entry_points]\nx = 1\n", "[options.entry_points]\nconsole_scripts =\n    a = app\n"),
        ("Cargo.toml", "[lib]\nname = 'a'\n", "[lib]\nname = 'b'\n[dependencies]\ns = '1'\n[[bin]]\nname = 'x'\n"),
        ("Cargo.toml", "[profile.release]\nlto = true\n", "[profile.release]\nlto = false\n"),
        ("Cargo.toml", "bin = [1]\n", "bin = [1]\npackage = 1\n"),
        ("bunfig.toml", "[install]\nexact = true\n", "[install]\nexact = false\n"),
        ("pixi.toml", "[dependencies]\na = '1'\n", "[dependencies]\na = '2'\n"),
        ("deno.json", '{"imports": {}}', '{"imports": {"a": "b"}}'),
        ("pyproject.toml", "[tool.pixi.dependencies]\na = '1'\n", "[tool.pixi.dependencies]\na = '2'\n"),
        ("pyproject.toml", "[tool]\npixi = 1\n", "[tool]\npixi = 2\n"),
    ],
)
def test_other_parts_of_these_files_are_free(path: str, old: str, new: str) -> None:
    assert rules(path, old, new, about=path) == []


@pytest.mark.parametrize(
    "path",
    ["jest.setup.js", "web/jest-setup.ts", "vitest.setup.mts", "src/setupTests.ts", "setup-jest.js", "setup.vitest.js",
     "mocha.setup.cjs", "karma-setup.js", "setup-env.ts", "jest.setup.env.js", "cypress-setup.js", "babel.config.js",
     "a/.babelrc", ".babelrc.json", "lib/rails_helper.rb", "spec_helper.rb", "test_helper.rb", "test-setup.jsx"],
)  # fmt: skip
def test_what_runners_load_before_tests_is_edited_where_an_issue_is_about_it_only(path: str) -> None:
    assert rules(path, "f(1)\n", "f(2)\n") == ["held"]
    assert rules(path, "f(1)\n", "f(2)\n", about=path) == []


@pytest.mark.parametrize("path", ["setup.js", "src/testsetuper.js", "setup_help.rb", "src/babel.js", "jest.setup.md"])
def test_other_files_with_such_names_are_free(path: str) -> None:
    assert rules(path, "f(1)\n", "f(2)\n") == []


def test_long_settings_take_no_long_time() -> None:
    """Were each part read up to the end, this would take minutes."""
    text = "test: {\n" * 20_000
    assert rules("vite.config.js", text, text + "x\n") == []


PLUGINS = ["pytest11", "tox", "flake8.extension", "flake8.report", "hypothesis", "nose.plugins.0.10"]
CONFTEST = "collect_ignore = ['a.py']\ncollect_ignore_glob = ['b*']\nx = 1\n"


def is_rejected(path: str, old: str, new: str) -> bool:
    edit = Edit({path: (old, new)}, issues=((path, 1, "wrong"),), reasons={path: "needed"})
    return not {"tool-configuration", "held"}.isdisjoint(found.rule for found in judge(edit))


@pytest.mark.parametrize("name", PLUGINS)
def test_plugins_of_tools_are_settings(name: str) -> None:
    assert is_rejected("pyproject.toml", "[a]\n", f"[project.entry-points.'{name}']\na = 'b'\n[a]\n")
    assert is_rejected("setup.cfg", "[a]\nb = 1\n", f"[a]\nb = 1\n[options.entry_points]\n{name} =\n    a = b\n")
    assert is_rejected("setup.py", "setup()\n", f"setup(entry_points={{'{name}': ['a = b']}})\n")
    assert is_rejected("setup.py", "p = {}\n", f"p = {{}}\np['{name}'] = ['a = b']\n")


@pytest.mark.parametrize(
    ("path", "old", "new", "rejected"),
    [
        ("conftest.py", CONFTEST, CONFTEST.replace("'a.py'", "'c.py'"), True),
        ("a/conftest.py", CONFTEST, CONFTEST.replace("'b*'", "'c*'"), True),
        ("a/conftest.py", CONFTEST, CONFTEST.replace("x = 1", "x = 2"), True),
        ("conftest.py", CONFTEST, "x = 1\ncollect_ignore_glob = ['b*']\nif x:\n    collect_ignore = ['a.py']\n", True),
        ("pyproject.toml", "tool = 1\n", "tool = 2\n", False),
        ("pyproject.toml", "project = 1\n", "project = 2\n", False),
        ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'a'\n[tool.uv]\na = 1\n", False),
        ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'a'\n[tool.ruff]\na = 1\n", True),
        ("pyproject.toml", "[tool.ruff]\na = 1\n", "[project]\nname = 'a'\n", True),
        ("pyproject.toml", "[project]\nentry-points = 1\n", "[project]\nentry-points = 2\n", False),
        ("pyproject.toml", "[project.entry-points.a]\nb = 'c'\n", "[project.entry-points.a]\nb = 'd'\n", False),
        ("pyproject.toml", "[tool.ruff]\na = 1\n", "[tool.ruff]\na = 2\n", True),
        ("pyproject.toml", "[tool.uv]\na = 1\n", "[tool.uv]\na = 2\n", False),
        ("pyproject.toml", "[tool.hatch.envs.a]\nb = 1\n", "[tool.hatch.envs.a]\nb = 2\n", True),
        ("pyproject.toml", "[tool.hatch.build]\nb = 1\n", "[tool.hatch.build]\nb = 2\n", False),
        ("setup.cfg", "[tool:pytest]\na = 1\n", "[tool:pytest]\na = 2\n", True),
        ("setup.cfg", "[mypy-a.*]\na = 1\n", "[mypy-a.*]\na = 2\n", True),
        ("setup.cfg", "[metadata]\na = 1\n", "[metadata]\na = 2\n", False),
        ("setup.py", "setup(a={'tox': 1, 'b': 2})\n", "setup(a={'tox': 1, 'b': 3})\n", False),
        ("setup.py", "setup(a={**b, 'tox': 1})\n", "setup(a={**b, 'tox': 2})\n", True),
        ("setup.py", "setup(a='pytest11')\n", "setup(a='pytest12')\n", False),
        ("setup.py", "setup(a=11)\n", "setup(a=12)\n", False),
        ("setup.py", "setup(p[x])\n", "setup(p[y])\n", False),
        ("package.json", '{"scripts": {"test": "a"}}', '{"scripts": {"test": "b"}}', True),
        ("package.json", '{"version": "1"}', '{"version": "2"}', False),
        ("composer.json", '{"scripts": {"test": "a"}}', '{"scripts": {"test": "b"}}', True),
        ("composer.json", '{"require": {"a": "1"}}', '{"require": {"a": "2"}}', False),
        ("tsconfig.json", '{"compilerOptions": {"strict": true}}', '{"compilerOptions": {"strict": false}}', True),
        ("jsconfig.a.json", '{"compilerOptions": {"checkJs": true}}', '{"compilerOptions": {}}', True),
        ("tsconfig.json", '{"compilerOptions": {"target": "a"}}', '{"compilerOptions": {"target": "b"}}', False),
        ("tsconfig.json", '{"compilerOptions": 1}', '{"compilerOptions": 2}', False),
        ("tsconfig.json", "{}", '{"extends": "a"}', True),
        ("tsconfig.json", "{}", '{"exclude": ["a"]}', True),
        ("tsconfig.json", "{}", '{"include": ["a"]}', True),
        ("tsconfig.json", "{}", '{"files": ["a"]}', True),
        ("Cargo.toml", "[a]\n", "[lints.clippy]\nall = 'allow'\n", True),
        ("Cargo.toml", "[[test]]\nname = 'a'\n", "[[test]]\nname = 'b'\n", True),
        ("Cargo.toml", "[[bench]]\nname = 'a'\n", "[[bench]]\nname = 'b'\n", True),
        ("Cargo.toml", "[lib]\ntest = true\n", "lib = 1\n", True),
        ("Cargo.toml", "lib = 1\n", "[lib]\nname = 'a'\n", False),
        ("Cargo.toml", "[[bin]]\nname = 'a'\ntest = true\n", "[[bin]]\nname = 'b'\ntest = true\n", True),
        ("Cargo.toml", "[[bin]]\nname = 'a'\ntest = true\n", "[[bin]]\nname = 'a'\ntest = false\n", True),
        ("Cargo.toml", "[[example]]\nname = 'a'\ntest = true\n", "[[example]]\nname = 'b'\ntest = true\n", True),
        ("Cargo.toml", "[[bin]]\nname = 'a'\npath = 'a'\n", "[[bin]]\nname = 'b'\npath = 'a'\n", False),
        ("deno.json", "{}", '{"environments": {"a": "b"}}', True),
        ("pixi.toml", "[test]\na = 1\n", "[test]\na = 2\n", True),
        ("vite.config.js", "x = { test: a, y: 1 }\n", "x = { test: b, y: 1 }\n", True),
        ("vite.config.js", "x = { test: (a, 1), y: 1 }\n", "x = { test: (a, 2), y: 1 }\n", True),
        ("vite.config.js", "x = { test: a }; y = 1\n", "x = { test: a }; y = 2\n", False),
        ("vite.config.js", "x = { test: a } + b\n", "x = { test: a } + c\n", False),
        ("vite.config.js", "x = { test: [a]\n b: 1 }\n", "x = { test: [a]\n b: 2 }\n", False),
        ("vite.config.js", "test: " + "a" * 19_999 + "b\n", "test: " + "a" * 19_999 + "c\n", False),
        ("vite.config.js", "test: " + "a" * 19_998 + "b\n", "test: " + "a" * 19_998 + "c\n", True),
        ("vite.config.js", "test: a,\n" * 20 + "test: b\n", "test: a,\n" * 20 + "test: c\n", False),
        ("vite.config.js", "test: a,\n" * 19 + "test: b\n", "test: a,\n" * 19 + "test: c\n", True),
        ("vite.config.js", "x = { test:", "x = { test: a", True),
        ("vite.config.js", "x.test = 1", "x.test = 2", True),
        ("vite.config.js", "x = { test: aXb, y: 1 }\n", "x = { test: aXb, y: 2 }\n", False),
        ("vite.config.js", "x = { test: aXb, y: 1 }\n", "x = { test: aXc, y: 1 }\n", True),
        ("vite.config.js", "x = { test: {a:1} }\n", "x = { test: { a: 1 } }\n", False),
        (".ruff.toml", "a = 1\n", "a = 2\n", True),
        ("a/setup.toml", "a = 1\n", "a = 2\n", False),
    ],
)
def test_what_settings_of_tools_are(path: str, old: str, new: str, *, rejected: bool) -> None:
    assert is_rejected(path, old, new) == rejected


@pytest.mark.parametrize("path", ["Jest.Setup.js", "a/SetupTests.ts", "Tox.ini", "a\n/tox.ini", "a\n/setupTests.ts"])
def test_names_of_settings_are_known_in_any_case_and_folder(path: str) -> None:
    edit = Edit({path: ("f(1)\n", "f(2)\n")}, issues=(("app.py", 1, "wrong"),))
    assert [found.rule for found in judge(edit)] == ["tool-configuration" if "tox" in path.lower() else "held"]


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("", {}),
        ('{"a": "b,]",}', {"a": "b,]"}),
        ('{"a": "\\",}",}', {"a": '",}'}),
        ('{"a": "/* b */" /* c */}', {"a": "/* b */"}),
        ("[1]", None),
        ("{", None),
        ("/* a */", {}),
        ("// a\n", {}),
    ],
)
def test_json_has_comments_and_last_commas_outside_of_strings(text: str, table: object) -> None:
    assert read_json(text) == table


def test_the_last_of_two_equal_names_in_an_ini_file_counts() -> None:
    assert read_ini("[a]\nb = 1\nb = 2\n[a]\nc = 3\n") == {"a": {"b": "2", "c": "3"}}
    assert read_ini("a\n") is None


@pytest.mark.parametrize("value", ["]", "[" * 100_000, "1" * 5_000, "0x" + "f" * 9_000])
def test_what_cannot_be_read_is_no_table(value: str) -> None:
    assert read_toml("x = 1") == {"x": 1}
    assert read_toml(f"x = {value}") is None
    assert read_json(f'{{"x": {value}}}') is None
