"""Rules of a repository's own, in a run, in an installed hook and in a gate: they count from where settings do."""

from __future__ import annotations

import re
import sys

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import few

SETTINGS = {"selfreview.toml": 'rules_path = ["rules"]\n'}
RULE = "id: no-print\nlanguage: Python\nseverity: {}\nmessage: Printed.\nrule: {{pattern: print($A)}}\nfix: log($A)\n"
NO_PRINT = {"rules/own.yml": RULE.format("warning")}
PRINTS = {"app.py": "def f(a):\n    print(a)\n"}


@pytest.fixture
def ruled(workspace: Workspace) -> Workspace:
    """A repository whose main branch has a rule of its own."""
    workspace.git("switch", "-q", "main")
    workspace.commit("rules", **SETTINGS, **NO_PRINT)
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    return workspace


def found(ran: Ran) -> list[tuple[str, str, str]]:
    return [(one["rule"], one["severity"], one["status"]) for one in ran.json["issues"] if one["file"] == "app.py"]


def foreign(workspace: Workspace) -> Ran:
    """Review the change in a gate, as a fork's."""
    return workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="true")


def test_a_run_finds_by_it_and_again_once_it_is_another(ruled: Workspace) -> None:
    ruled.commit("work", **PRINTS)
    first = ruled.selfreview("run", "--no-fix", "--format", "json")
    assert (first.code, found(first)) == (ExitCode.ISSUES, [("no-print", "medium", "open")])
    ruled.write("rules/own.yml", RULE.format("hint"))
    second = ruled.selfreview("run", "--no-fix", "--format", "json")
    assert (second.code, found(second)) == (ExitCode.PASSED, [("no-print", "suggestion", "open")])


def test_its_fix_is_applied(ruled: Workspace) -> None:
    text = "def log(a):\n    return a\n\n\ndef f(a):\n    print(a)\n"
    ruled.commit("work", **{"app.py": text})
    ran = ruled.selfreview("run", "--apply", "--format", "json")
    assert ran.code == ExitCode.PASSED, ran
    assert (ruled.root / "app.py").read_text() == text.replace("print", "log")


def test_a_commit_is_stopped_by_it_in_the_installed_hook(ruled: Workspace) -> None:
    assert ruled.selfreview("hook", "install").code == ExitCode.PASSED
    ruled.write("app.py", PRINTS["app.py"])
    ruled.git("add", "app.py")
    stopped = ruled.selfreview("hook", "run", "pre-commit")
    assert stopped.code == ExitCode.ISSUES
    assert "Printed." in stopped.out + stopped.err


BROKEN = {
    "no rule": ("id: a\nlanguage: Python\n", "rules/own.yml:1: "),
    "no YAML": ("id: [\n", "rules/own.yml:2: "),
    "a language that is not reviewed": ("id: a\nlanguage: Lua\nrule: {pattern: x}\n", "rules/own.yml:1: .*Lua"),
    "a key that is there twice": (NO_PRINT["rules/own.yml"] + "severity: off\n", "rules/own.yml:7: 'severity'"),
    "a number that is too long": (
        RULE.format("hint") + f"metadata: {{n: {'9' * 6000}}}\n",
        "rules/own.yml:1: a number",
    ),
    "a NUL byte": (RULE.format("hint") + "note: a\0b\n", "rules/own.yml:7: control characters"),
    "what ast-grep refuses": ("id: a\nlanguage: Go\n\nrule: {kind: x}\n", "rules/own.yml:4: .*`x` is invalid"),
}


def test_one_that_is_not_utf_8_is_an_error_with_its_place(ruled: Workspace) -> None:
    ruled.write("rules/own.yml", b"id: a\nmessage: \xff\n")
    assert "rules/own.yml:2: this is not UTF-8" in ruled.selfreview("run").err


@pytest.mark.parametrize("name", BROKEN)
def test_one_that_is_broken_is_an_error_with_its_place(ruled: Workspace, name: str) -> None:
    text, place = BROKEN[name]
    ruled.write("rules/own.yml", text)
    for command in ("run", "rule"):
        ran = ruled.selfreview(command)
        assert ran.code == ExitCode.USAGE
        assert re.search(place, ran.err), ran.err


def test_a_path_that_is_not_there_is_an_error_that_names_the_setting(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", 'jobs = 1\nrules_path = ["nowhere"]\n')
    ran = workspace.selfreview("run")
    assert ran.code == ExitCode.USAGE
    assert "selfreview.toml:2: rules_path names 'nowhere', which is not in the repository" in ran.err


@pytest.mark.parametrize("path", ["../rules", "/rules", "a/../../b", ".", ""])
def test_a_path_out_of_the_repository_is_refused(workspace: Workspace, path: str) -> None:
    workspace.write("selfreview.toml", f'rules_path = ["{path}"]\n')
    ran = workspace.selfreview("run")
    assert ran.code == ExitCode.USAGE
    assert "must be paths of folders or files within the repository" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs rights to make links")
def test_a_link_is_not_followed_in_a_run_nor_dropped_in_a_gate(ruled: Workspace) -> None:
    (ruled.root / "rules" / "more.yml").symlink_to("../real.yml")
    ruled.commit("link", **{"real.yml": NO_PRINT["rules/own.yml"].replace("no-print", "no-print-either")})
    told = "rules/more.yml is a symbolic link, which is not followed"
    brought = foreign(ruled)
    assert brought.code == ExitCode.ISSUES
    broken = [one for one in brought.json["issues"] if one["rule"] == "broken-settings"]
    assert [one["file"] for one in broken] == ["rules/more.yml"]
    assert told in broken[0]["description"]
    ruled.git("branch", "-f", "main")
    ruled.commit("work", **PRINTS)
    for ran in (ruled.selfreview("run", "--no-fix"), foreign(ruled)):
        assert (ran.code, told in ran.err) == (ExitCode.USAGE, True)


LOOSENING = {
    "takes it out of the settings": {"selfreview.toml": ""},
    "names another folder": {"selfreview.toml": 'rules_path = ["mine"]\n', "mine/a.yml": RULE.format("off")},
    "turns it off": {"rules/own.yml": RULE.format("off")},
    "makes it milder": {"rules/own.yml": RULE.format("hint")},
    "narrows it": {"rules/own.yml": RULE.format("warning") + "ignores: ['**']\n"},
    "empties the file": {"rules/own.yml": ""},
}


@pytest.mark.parametrize("name", LOOSENING)
def test_a_change_loosens_none_in_its_gate(ruled: Workspace, name: str) -> None:
    ruled.commit("work", **PRINTS, **LOOSENING[name])
    ran = foreign(ruled)
    assert ran.code == ExitCode.ISSUES
    assert ("no-print", "medium", "open") in found(ran)
    told = {one["file"] for one in ran.json["issues"] if one["rule"] == "own-configuration"}
    assert told == {path for path in LOOSENING[name] if not path.startswith("mine")}


def test_a_change_adds_none_to_its_gate(workspace: Workspace) -> None:
    workspace.commit("work", **PRINTS, **SETTINGS, **NO_PRINT)
    ran = foreign(workspace)
    assert found(ran) == []
    assert [one["rule"] for one in ran.json["issues"]] == ["own-configuration"]


@pytest.mark.parametrize(
    ("name", "local"),
    few(
        {f"{name}{more}": (name, bool(more)) for more in ("", " with a local plugin") for name in (*BROKEN, "gone")},
        *("gone", "gone with a local plugin", "no YAML", "what ast-grep refuses"),
    ),
)
def test_a_change_that_breaks_one_is_stopped_and_one_that_mends_it_is_not(
    ruled: Workspace, name: str, local: bool
) -> None:
    if local:
        ruled.commit("plugin", **{"selfreview_conf.py": "# nothing\n"})
        ruled.git("branch", "-f", "main")
    if name == "gone":
        ruled.git("rm", "-q", "rules/own.yml")
        ruled.git("commit", "-qm", "gone")
    else:
        ruled.commit("break", **{"rules/own.yml": BROKEN[name][0]})
    ran = foreign(ruled)
    assert ran.code == ExitCode.ISSUES
    told = [(one["rule"], one["severity"], one["file"]) for one in ran.json["issues"]]
    assert ("broken-settings", "critical", "rules/own.yml") in told
    ruled.git("branch", "-f", "main")
    ruled.commit("other", **{"app.py": "x = 1\n"})
    assert foreign(ruled).code == ExitCode.USAGE
    ruled.commit("mend", **NO_PRINT)
    mended = foreign(ruled)
    assert mended.code == ExitCode.PASSED, mended
    assert any("the base's settings do not load" in note for note in mended.json["notes"])


def test_a_change_that_mends_one_by_turning_it_off_is_told(ruled: Workspace) -> None:
    ruled.commit("break", **{"rules/own.yml": f"{RULE.format('warning')}bogus: 1\n"})
    ruled.git("branch", "-f", "main")
    ruled.commit("work", **PRINTS, **{"rules/own.yml": RULE.format("off")})
    told = [(one["rule"], one["file"]) for one in foreign(ruled).json["issues"]]
    assert told == [("own-configuration", "rules/own.yml")]


def test_a_fixer_edits_none(ruled: Workspace) -> None:
    from selfreview.testing.fakes import FakeFixer

    ruled.plugin(FakeFixer(edits={"rules/own.yml": RULE.format("off")}))
    ruled.commit("work", **{"app.py": "print(\n    1,\n)\nprint(\n    2)\n"})
    ran = ruled.run_inprocess("run", "--apply", "--format", "json")
    assert ran.code == ExitCode.ISSUES
    assert (ruled.root / "rules/own.yml").read_text() == RULE.format("warning")
