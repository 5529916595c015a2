"""Just inside and just outside of what is rejected of hooks of test runners, and of what replaces parts of them."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Content, Edit, judge

HOOK = "@pytest.hookimpl\ndef pytest_runtest_makereport(item):\n    item.config.stash[KEY] = item.nam\n"
START = "\n\ndef pytest_sessionstart(session):\n    print(session)\n"
TEST = "from app import f\n\n\ndef test_one():\n    assert f(1) == 2\n"


def rules(files: dict[str, tuple[Content, Content]], about: str = "app.py", line: int = 1) -> list[str]:
    reasons = dict.fromkeys(files, "tests need it")
    return [found.rule for found in judge(Edit(files, issues=((about, line, "wrong"),), reasons=reasons))]


@pytest.mark.parametrize("name", ["pytest_addoption(parser)", "pytest_addhooks(pluginmanager)"])
def test_hooks_that_say_nothing_about_which_tests_run_are_free(name: str) -> None:
    assert rules({"conftest.py": (None, f"def {name}:\n    print(1)\n")}) == []


@pytest.mark.parametrize("name", ["collect_ignore", "collect_ignore_glob", "pytest_plugins", "load_tests"])
def test_settings_of_runners_in_code_are_left(name: str) -> None:
    assert rules({"tests/helpers.py": ("x = 1\n", f"{name} = ['x']\n")}) == ["test-hooks"]
    assert rules({"tests/helpers.py": ("x = 1\n", f"my_{name} = ['x']\n")}) == []


@pytest.mark.parametrize("name", ["pytest", "_pytest", "unittest", "builtins", "__builtins__", "ast", "pluggy"])
def test_no_part_of_a_runner_is_replaced_in_a_test(name: str) -> None:
    for code in (
        f"{name}.x = f",
        f"{name}.x += f",
        f"del {name}.x",
        f"setattr({name}, 'x', f)",
        f"delattr({name}, 'x')",
        f"{name}['x'] = f",
    ):
        assert "test-hooks" in rules({"tests/test_app.py": (TEST, f"{TEST}\n\n{code}\n")})
    for code in (f"{name} = f", f"setattr(f, {name}.x, 1)"):
        assert rules({"tests/test_app.py": (TEST, f"{TEST}\n\n{code}\n")}) == []


@pytest.mark.parametrize(
    "code", ["vars().pop('x')", "globals().update(x=1)", "AssertionError = int", "vars()['x'] = 1"]
)
def test_what_every_test_stands_on_is_left(code: str) -> None:
    assert "test-hooks" in rules({"tests/test_app.py": (TEST, f"{TEST}\n\n{code}\n")})


@pytest.mark.parametrize("path", ["conftest.py", "tests/conftest.py", "tests/ConfTest.py"])
def test_what_is_tested_is_replaced_nowhere(path: str) -> None:
    assert rules({path: (None, "import app\n\napp.f = int\n")}) == ["test-hooks"]
    assert rules({path: (None, "import app.core\n\napp.core.f = int\n")}) == ["test-hooks"]


def test_hooks_are_looked_for_in_every_file() -> None:
    hook = (None, START.lstrip())
    assert rules({"app.py": ("x = 1\n", "x = 2\n"), "conftest.py": hook}) == ["test-hooks"]
    assert rules({"tests/a.py": ("x = 1\n", "x = (\n"), "tests/conftest.py": hook}) == ["test-hooks", "syntax-error"]


def test_a_hook_that_is_as_it_was_says_nothing_of_others() -> None:
    assert rules({"tests/plugin.py": (HOOK, f"{HOOK}\n\nx = 1\n")}) == []
    assert rules({"tests/plugin.py": (HOOK, HOOK + START)}) == ["test-hooks"]
    assert rules({"tests/plugin.py": (HOOK + START, START.lstrip())}) == ["test-hooks"]


@pytest.mark.parametrize("other", ["pytest_sessionstart = print", "from plugin import pytest_sessionstart"])
def test_a_hook_is_no_other_thing_of_its_name(other: str) -> None:
    path, hook = "tests/plugin.py", START.lstrip()
    assert rules({path: (hook, f"{other}\n")}, path, 1) == ["test-hooks"]
    assert rules({path: (f"{other}\n", hook)}, path, 1) == ["test-hooks"]


TWO = """if sys.platform == "linux":
    def pytest_collection_modifyitems(items):
        items.sort()
else:
    def pytest_collection_modifyitems(items):
        print(items)

collect_ignore = [
    "a.py",
]
collect_ignore += ["b.py"]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("items.sort()", "items.clear()"),
        ("print(items)", "items.clear()"),
        ('"a.py"', '"c.py"'),
        ('"b.py"', '"c.py"'),
        ('collect_ignore += ["b.py"]\n', ""),
        ('= [\n    "a.py",\n]\ncollect_ignore ', ""),
    ],
)
def test_each_of_several_hooks_of_one_name_is_left(old: str, new: str) -> None:
    path = "tests/plugin.py"
    assert rules({path: (TWO, TWO.replace(old, new))}) == ["test-hooks"]
    assert rules({path: (TWO, f"{TWO}\nx = 1\n")}) == []


@pytest.mark.parametrize("line", [3, 6])
def test_an_issue_may_have_one_of_several_corrected(line: int) -> None:
    path, old = "tests/plugin.py", "items.sort()"
    other = TWO.replace(old, "items.sort(key=str)")
    assert rules({path: (TWO, other)}, path, line) == ([] if line == 3 else ["test-hooks"])


@pytest.mark.parametrize(
    ("old", "new", "line", "rejected"),
    [
        ("nam\n", "name\n", 3, []),
        ("nam\n", "name\n", 1, ["test-hooks"]),
        ("nam\n", "name\n", 4, ["test-hooks"]),
        ("(item)", "(item, call)", 2, ["test-hooks"]),
        ("hookimpl", "hookimpl(tryfirst=True)", 2, ["test-hooks"]),
        ("item.config.stash[KEY] = item.nam", "os._exit(0)", 3, ["test-hooks"]),
    ],
)
def test_an_issue_may_have_the_body_of_a_hook_corrected(old: str, new: str, line: int, rejected: list[str]) -> None:
    assert rules({"tests/plugin.py": (HOOK, HOOK.replace(old, new))}, "tests/plugin.py", line) == rejected
