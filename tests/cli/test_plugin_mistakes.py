"""A mistake of a plugin's author is one line with the plugin, the place and a hint; never a defect of selfreview."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from selfreview.api.registry import check
from selfreview.config import LoadOptions
from selfreview.config.bootstrap import load
from selfreview.errors import ExitCode
from selfreview.testing.workspace import RunResult
from tests.conftest import Workspace

RIGHT = {
    "reviewers": {
        "name": "name = 'r'",
        "depth": "depth = Depth.TEXT",
        "default": "default = True",
        "selects": "def selects(self, file): return True",
        "cache_key": "def cache_key(self, context): return None",
        "review": "def review(self, files, context): return Review(findings=[])",
    },
    "fixers": {
        "name": "name = 'r'",
        "is_mechanical": "is_mechanical = True",
        "takes": "def takes(self, issue, config): return False",
        "fix": "def fix(self, request, context): return Fix()",
    },
    "agents": {
        "name": "name = 'r'",
        "argv": "argv = ('r-program',)",
        "variables": "variables = []",
        "allowed_by": "allowed_by = None",
        "read": "def read(self, output): return AgentAnswer('')",
    },
    "reporters": {
        "name": "name = 'r'",
        "write": "def write(self, result, out, *, context, color, width): out.write(b'text')",
    },
    "notifiers": {
        "name": "name = 'r'",
        "leaves_mark": "leaves_mark = False",
        "needs_request": "needs_request = False",
        "unavailable": "def unavailable(self, config, environ): return None",
        "send": "def send(self, notice, context): return ()",
    },
    "forges": {
        "name": "name = 'r'",
        "locate": "def locate(self, url, config): return None",
        "connect": "def connect(self, location, config, environ): raise ForgeError('no token')",
        "secrets": "def secrets(self, environ, config): return ()",
    },
}
KINDS = {
    "reviewers": "reviewer",
    "fixers": "fixer",
    "agents": "agent",
    "reporters": "format",
    "notifiers": "channel",
    "forges": "forge",
}
WRONG = [
    *((kind, part, "", f"has no '{part}'") for kind, parts in RIGHT.items() for part in parts),
    ("reviewers", "depth", "depth = 'text'", "'depth' must be Depth.TEXT or Depth.STATIC or Depth.MODEL, not 'text'"),
    ("reviewers", "default", "def default(self): return True", "must be True or False, not the method default()"),
    ("agents", "argv", "argv = 'r-program --json'", "must be a list of strings, not 'r-program --json'"),
    ("agents", "more", "fix_argv = 'r-program --write'", "must be a list of strings or None, not"),
    ("reviewers", "review", "def review(self, files): pass", "review(files) cannot be called as it will be"),
    ("reviewers", "review", "review = 3", "'review' must be a method, not 3"),
    ("fixers", "fix", "def fix(self, request, context, more): pass", "fix(request, context, more) cannot be called"),
    ("reporters", "write", "def write(self, result, out): pass", "write(result, out) cannot be called as it will be"),
    ("notifiers", "send", "def send(self, notice): pass", "send(notice) cannot be called as it will be"),
    ("reviewers", "more", "def file_key(self, file): pass", "file_key(file) cannot be called as it will be"),
    ("reviewers", "more", "def unavailble(self): pass", "has 'unavailble', which a reviewer does not have"),
    ("reviewers", "more", "def estimte(self, files, context): pass", "which a reviewer does not have"),
    ("fixers", "more", "time_out = 3", "has 'time_out', which a fixer does not have"),
    ("notifiers", "more", "def secrtes(self, environ, config): pass", "which a channel does not have"),
    ("reviewers", "more", "def rule(self): return ()", "has 'rule', which a reviewer does not have"),
    ("reviewers", "more", "def notez(self, context): return ()", "has 'notez', which a reviewer does not have"),
    ("reviewers", "more", "sees_exclude = True", "has 'sees_exclude', which a reviewer does not have"),
    ("reviewers", "more", "timeouts = 3", "has 'timeouts', which a reviewer does not have"),
    ("reviewers", "more", "timeout = '3'", "'timeout' must be a number of seconds above 0, not '3'"),
    ("reviewers", "name", "name = 'my own'", "reviewer name 'my own' is not made of letters"),
    ("reporters", "name", "name = 3", "'name' must be a string, not 3"),
]
HINTS = {
    "has no 'depth'": "add depth: Depth.TEXT",
    "has no 'review'": "add def review(self, files, context)",
    "review(files)": "it must be def review(self, files, context)",
    "write(result, out)": "it must be def write(self, result, out, *, context, color, width)",
    "file_key(file)": "it must be def file_key(self, file, context)",
    "'unavailble'": "did you mean 'unavailable'?",
    "'time_out'": "did you mean 'timeout'?",
    "'rule'": "did you mean 'rules'? a name of your own may begin with '_'",
    "default()": "mark it with @property",
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def source(kind: str, parts: dict[str, str], *, added: str = "R()") -> str:
    body = "".join(f"    {part}\n" for part in parts.values() if part)
    return (
        f"from selfreview.api import *\nfrom selfreview.api import hookimpl\n\nclass R:\n{body}\n"
        f"@hookimpl\ndef selfreview_register_{kind}(registry):\n    registry.add({added})\n"
    )


def ran_with(workspace: Workspace, site: Path, module: str, text: str, *command: str) -> RunResult:
    (site / f"{module}.py").write_text(text, encoding="utf-8")
    workspace.write("app.py", "print(undefined_name)\n")
    return workspace.run_inprocess(*command, "-p", module)


def command_for(kind: str) -> tuple[str, ...]:
    return ("run",) if kind == "fixers" else ("run", "--no-fix")


@pytest.mark.parametrize(("kind", "part", "line", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_with_an_object_is_said_where_it_is_registered(
    workspace: Workspace, site: Path, kind: str, part: str, line: str, message: str, request: pytest.FixtureRequest
) -> None:
    module = f"mistaken_{abs(hash(request.node.name))}"
    text = source(kind, {**RIGHT[kind], part: line})
    ran = ran_with(workspace, site, module, text, *command_for(kind))
    assert ran.exit_code == ExitCode.USAGE, ran
    first, *others = ran.stderr.splitlines()
    assert first.startswith(f"error: plugin '{module}': {KINDS[kind]} ")
    assert message in first
    assert first.endswith(f"({site / module}.py:{len(text.splitlines())})")
    hint = next((hint for words, hint in HINTS.items() if words in first), None)
    assert hint is None or hint in others[0]
    assert "defect" not in ran.stderr


@pytest.mark.parametrize("kind", RIGHT)
def test_a_class_is_no_object_of_it(workspace: Workspace, site: Path, kind: str) -> None:
    ran = ran_with(workspace, site, f"cls_{kind}", source(kind, RIGHT[kind], added="R"), *command_for(kind))
    assert ran.exit_code == ExitCode.USAGE
    assert f"error: plugin 'cls_{kind}': {KINDS[kind]} R is a class, not an object of it" in ran.stderr
    assert "hint: registry.add(R())" in ran.stderr


@pytest.mark.parametrize("kind", RIGHT)
def test_what_is_right_is_taken_and_names_of_its_own_are_left_alone(
    workspace: Workspace, site: Path, kind: str
) -> None:
    parts = {
        **RIGHT[kind],
        "own": "timeouts = nodes = stats = noted = rule = estimated = states = secret = {}",
        "own_method": "def note(self, text): return text",
    }
    ran = ran_with(workspace, site, f"right_{kind}", source(kind, parts), *command_for(kind))
    assert "right_" not in ran.stderr
    assert ran.exit_code in (ExitCode.ISSUES, ExitCode.INCOMPLETE)


def test_two_of_one_name_name_both_plugins(workspace: Workspace, site: Path) -> None:
    text = source("reviewers", {**RIGHT["reviewers"], "name": "name = 'ruff'"})
    ran = ran_with(workspace, site, "other_ruff", text, "run", "--no-fix")
    assert ran.exit_code == ExitCode.USAGE
    place = f"{site / 'other_ruff'}.py:{len(text.splitlines())}"
    assert f"there are two reviewers named 'ruff': of plugin 'other_ruff' ({place}) and of plugin 'ruff'" in ran.stderr
    assert "-p no:other_ruff or -p no:ruff" in ran.stderr
    text = source("reporters", {**RIGHT["reporters"], "name": "name = 'json'"})
    ran = ran_with(workspace, site, "other_json", text, "run", "--no-fix")
    assert ran.exit_code == ExitCode.USAGE
    assert "there are two formats named 'json': " in ran.stderr
    assert "plugin 'other_json'" in ran.stderr
    twice = source("reviewers", RIGHT["reviewers"]) + "    registry.add(R())\n"
    ran = ran_with(workspace, site, "twice", twice, "run", "--no-fix")
    assert ran.stderr.count("plugin 'twice'") == 2
    assert "hint: give one another name" in ran.stderr


def test_an_argument_that_a_hook_does_not_have(workspace: Workspace, site: Path) -> None:
    text = "from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_register_reviewers(registry, conf): pass\n"
    ran = ran_with(workspace, site, "conf", text, "run")
    assert ran.exit_code == ExitCode.USAGE
    message, hint = ran.stderr.splitlines()
    assert message.startswith("error: plugin 'conf' implements a hook wrongly: ")
    assert message.endswith(f"selfreview_register_reviewers has no argument 'conf' ({site / 'conf'}.py:2)")
    assert hint == "hint: did you mean 'config'? it may take: registry, config"


@pytest.mark.parametrize("kind", ["reviewers", "fixers"])
def test_a_crash_names_the_line_of_the_plugin(workspace: Workspace, site: Path, kind: str) -> None:
    lines = {
        "reviewers": {"review": "def review(self, files, context): return 1 / 0"},
        "fixers": {"takes": "def takes(self, issue, config): return True", "fix": "def fix(self, *_): return 1 / 0"},
    }[kind]
    text = source(kind, {**RIGHT[kind], **lines})
    ran = ran_with(workspace, site, f"crash_{kind}", text, *command_for(kind), "--format", "json")
    number = next(number for number, line in enumerate(text.splitlines(), 1) if "1 / 0" in line)
    shown = " ".join((ran.stdout + ran.stderr).split())
    assert f"crashed: ZeroDivisionError: division by zero (crash_{kind}.py:{number})" in shown


def test_what_selfreview_comes_with_is_right_and_checked_quickly() -> None:
    from selfreview.app.loading import reviewers_of

    loaded = load(LoadOptions(), root=None, common_dir=None, environ={})
    reviewers = list(reviewers_of(loaded.manager, loaded.config))
    began = time.perf_counter()
    for _ in range(20):
        for reviewer in reviewers:
            check(reviewer, "reviewer")
    assert (time.perf_counter() - began) / 20 / len(reviewers) < 0.001
