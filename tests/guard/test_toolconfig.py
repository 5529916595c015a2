"""Which parts of files that hold several things are settings of tests, and which code runners load before them."""

from __future__ import annotations

import pytest

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
