"""Just inside and just outside of what settings of tools are."""

from __future__ import annotations

import pytest

from tests.guard.edits import Edit, judge

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
