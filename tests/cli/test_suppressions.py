"""Suppression comments, through the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace

MARK = "selfreview:" + " ignore"
"""In two parts, for this file is itself reviewed."""


def bad(before: str = "", after: str = "", top: str = "") -> str:
    """A call of a name that does not exist, which ruff reports as F821."""
    return f"{top}def load():\n{before}    return itmes{after}\n"


def run(workspace: Workspace, *args: str) -> Ran:
    return workspace.selfreview("run", "--no-fix", "--format", "json", *args)


def standing(ran: Ran) -> dict[str, str]:
    return {issue["rule"]: issue["status"] for issue in ran.json["issues"]}


@pytest.mark.parametrize(
    "code",
    [
        bad(after=f"  # {MARK}[F821] made by a test"),
        bad(after=f"  # {MARK}[ruff] made by a test"),
        bad(after=f"  # {MARK}[ruff/F821] made by a test"),
        bad(after=f"  # {MARK}[B006, F821]: made by a test"),
        bad(before=f"    # {MARK}[F821] made by a test\n"),
        bad(before=f"    # {MARK}[F821] made by a test\n    # {MARK}[rules] another\n"),
        bad(top=f"# {MARK}-file[F821] made by a test\n"),
    ],
)
def test_a_comment_with_a_reason_suppresses(workspace: Workspace, code: str) -> None:
    workspace.write("app.py", code)
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED, ran
    issue = next(issue for issue in ran.json["issues"] if issue["rule"] == "F821")
    assert issue["status"] == "suppressed"
    assert "made by a test" in issue["statusReason"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (bad(after=f"  # {MARK}[F821]"), "gives no reason"),
        (bad(after=f"  # {MARK} made by a test"), "names no rule"),
        (bad(after=f"  # {MARK}[B006] made by a test"), "suppresses nothing"),
        (bad(after="\n" + f"# {MARK}[F821] made by a test"), "suppresses nothing"),
        (bad(before=f"    x = 1  # {MARK}[F821] made by a test\n"), "suppresses nothing"),
    ],
)
def test_one_without_a_reason_or_in_the_wrong_place_does_not(workspace: Workspace, code: str, said: str) -> None:
    workspace.write("app.py", code)
    ran = run(workspace)
    assert ran.code == ExitCode.ISSUES
    assert standing(ran)["F821"] == "open"
    assert any(said in issue["description"] for issue in ran.json["issues"] if issue["reviewer"] == "selfreview")


def test_a_string_is_no_comment(workspace: Workspace) -> None:
    workspace.write("app.py", bad(after=f', "# {MARK}[F821] made by a test"'))
    ran = run(workspace)
    assert standing(ran) == {"F821": "open"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("run.sh", 'eval "$1"  # {}'),
        ("app.js", "eval(location.hash); // {}"),
        ("app.js", "/* {} */ eval(location.hash);"),
        ("app.jsx", "const a = <p>{{\n  /* {} */\n  eval(location.hash)}}</p>;"),
    ],
)
def test_in_any_comment_syntax(workspace: Workspace, name: str, line: str) -> None:
    workspace.write(name, line.format("nothing") + "\n")
    before = [issue for issue in run(workspace, "--reviewer", "rules").json["issues"] if issue["status"] == "open"]
    assert before
    workspace.write(name, line.format(f"{MARK}[rules] made by a test") + "\n")
    ran = run(workspace, "--reviewer", "rules")
    assert set(standing(ran).values()) == {"suppressed"}, ran


def test_what_was_merged_into_a_suppressed_issue_stays_with_it(workspace: Workspace) -> None:
    code = "import subprocess\n\n\ndef run(text):\n    subprocess.run(text, shell=True){}\n"
    workspace.write("app.py", code.format(""))
    both = {issue["reviewer"]: issue["status"] for issue in run(workspace).json["issues"]}
    assert both == {"rules": "open", "ruff": "duplicate"}
    workspace.write("app.py", code.format(f"  # {MARK}[python-shell-variable] made by a test"))
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED
    assert sorted(standing(ran).values()) == ["duplicate", "suppressed"]
    named = next(issue["rule"] for issue in ran.json["issues"] if issue["reviewer"] == "ruff")
    workspace.write("app.py", code.format(f"  # {MARK}[{named}] made by a test"))
    ran = run(workspace, "--strict")
    assert ran.code == ExitCode.PASSED
    assert sorted(standing(ran).values()) == ["duplicate", "suppressed"]


def test_what_the_guide_shows_suppresses_something(workspace: Workspace) -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/marks.md").read_text(encoding="utf-8")
    workspace.write("app.py", "from names import table, text\n\n" + guide.split("```python\n")[1].split("```")[0])
    ran = run(workspace, "--strict")
    assert ran.code == ExitCode.PASSED
    assert set(standing(ran).values()) == {"suppressed"}, ran


EVAL, EVAL_JS = "x = eval(text){}\n", "eval(text);{}\n"
GO = "package main\n\nfunc f(text string) {{\n{}}}\n"
RUN, OPEN = '\texec.Command("sh", "-c", "ls "+text).Run()', "\tfile, _ := os.Open(path)"
CATCH = "func f() {{\n  do {{ try save() }}\n{}}}\n"
AWAIT = "import asyncio\n\n\nasync def poll():\n    asyncio.sleep(1){}\n"
SECRET = "password = '" + "Tr0ub4dor" + "&3xK9q'{}\n"
TABLE = {
    "noqa: S307": ("a.py", EVAL.format("  # {}")),
    "ignore[S307]": ("a.py", "# ruff: {}\n" + EVAL.format("")),
    "disable[S307]": ("a.py", "# ruff: {}\n" + EVAL.format("") + "# ruff: enable[S307]\n"),
    "ruff: noqa: S307": ("a.py", "# {}\n" + EVAL.format("")),
    "flake8: noqa: S307": ("a.py", "# {}\n" + EVAL.format("")),
    "ruff: file-ignore[S307]": ("a.py", "# {}\n" + EVAL.format("")),
    "nosec B307": ("a.py", EVAL.format("  # {}")),
    "#nosec G204": ("a.go", GO.format(RUN + " // {}\n")),
    "gosec:disable G204": ("a.go", GO.format("\t//{}\n" + RUN + "\n")),
    "pylint: disable=eval-used": ("a.py", EVAL.format("  # {}")),
    "eslint-disable-line no-eval": ("a.js", EVAL_JS.format(" // {}")),
    "tslint:disable-line:no-eval": ("a.js", EVAL_JS.format(" // {}")),
    "eslint-disable-next-line no-eval": ("a.js", "// {}\n" + EVAL_JS.format("")),
    "/* eslint-disable no-eval */": ("a.js", "{}\n" + EVAL_JS.format("")),
    "biome-ignore lint/security/noGlobalEval: why": ("a.js", "// {}\n" + EVAL_JS.format("")),
    "NOLINT(cert-msc30-c)": ("a.c", "int f(void) {\n  int token = rand(); // {}\n  return token;\n}\n"),
    "//nolint:errcheck": ("a.go", GO.format(OPEN + " {}\n")),
    "//lint:ignore SA4000 why": ("a.go", GO.format("\t{}\n\tif a.Size == a.Size {\n\t\tmerge()\n\t}\n")),
    "rubocop:disable Security/Eval": ("a.rb", EVAL_JS.format(" # {}")),
    "swiftlint:disable:next no_empty_block": ("a.swift", CATCH.format("  // {}\n  catch {\n  }\n")),
    "shellcheck disable=SC2115": ("a.sh", '#!/bin/sh\ntrue\n# {}\nrm -rf "$FOLDER/"\n'),
    "nosemgrep: eval-detected": ("a.py", EVAL.format("  # {}")),
    "type: ignore[unused-coroutine]": ("a.py", AWAIT.format("  # {}")),
    "pyright: ignore[reportUnusedCoroutine]": ("a.py", AWAIT.format("  # {}")),
    "gitleaks:allow": ("a.py", SECRET.format("  # {}")),
    "pragma: allowlist secret": ("a.py", SECRET.format("  # {}")),
    "trufflehog:ignore": ("a.py", SECRET.format("  # {}")),
}
"""What the guide's table of comments for other tools shows, each in a file where it counts."""


def test_what_the_guide_shows_of_other_tools_counts(workspace: Workspace) -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/marks.md").read_text(encoding="utf-8")
    rows = [line for line in guide.splitlines() if line.startswith("| ") and line.count("|") == 4]
    shown = {text for row in rows for text in re.findall("`([^`]+)`", row.split("|")[2])}
    assert {text for text in shown - set(TABLE) if "…" not in text} == {"enable[S307]"}
    for number, (comment, (name, code)) in enumerate(TABLE.items()):
        workspace.write(f"with{number}/{name}", code.replace("{}", comment))
        workspace.write(f"without{number}/{name}", code.replace("{}", "why"))
    issues = run(workspace, "--reviewer", "rules", "--reviewer", "secrets").json["issues"]
    for number, comment in enumerate(TABLE):
        told = {one["status"] for one in issues if one["file"].startswith(f"with{number}/")}
        assert (comment, told - {"duplicate"}) == (comment, {"suppressed"})
        without = {one["status"] for one in issues if one["file"].startswith(f"without{number}/")}
        assert (comment, "open" in without) == (comment, True)


def test_an_old_comment_is_reported_where_what_it_covered_is_mended(workspace: Workspace) -> None:
    workspace.git("switch", "-q", "main")
    workspace.commit("known", **{"app.py": bad(before=f"    # {MARK}[F821] made by a test\n"), "b.py": bad()})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.write("app.py", bad(before=f"    # {MARK}[F821] made by a test\n").replace("itmes", "1"))
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED
    assert standing(ran) == {"unused-suppression": "open"}
    assert run(workspace, "--strict").code == ExitCode.ISSUES


def test_strict_fails_on_what_suppresses_nothing_whatever_the_threshold(workspace: Workspace) -> None:
    workspace.write("app.py", f"x = 1  # {MARK}[F821] made by a test\n")
    assert run(workspace).code == ExitCode.PASSED
    ran = run(workspace, "--strict", "--fail-on", "critical")
    assert ran.code == ExitCode.ISSUES
    assert ran.json["notPassedReasons"]
    assert not ran.json["passed"]
    assert "strict" in workspace.selfreview("run", "--no-fix", "--strict").out


def test_a_reviewer_that_took_no_part_is_not_called_unused(workspace: Workspace) -> None:
    workspace.write("app.py", f"x = 1  # {MARK}[F821, claude, ruff, text] made by a test\n")
    ran = run(workspace, "--reviewer", "text")
    said = [issue["description"] for issue in ran.json["issues"] if issue["rule"] == "unused-suppression"]
    assert said == ["This suppression of text suppresses nothing."]


# --- in a gate -------------------------------------------------------------------------------------------------------


@pytest.fixture
def of(workspace: Workspace, tmp_path: Path) -> Callable[..., Ran]:
    """Run the gate on a pull request, of this repository or of a fork."""

    def gate(base: str, *args: str, fork: bool) -> Ran:
        names = {"base": "us/it", "head": "them/it" if fork else "us/it"}
        shas = {"base": base, "head": workspace.git("rev-parse", "HEAD")}
        sides: dict[str, Any] = {
            side: {"sha": sha, "ref": "main", "repo": {"full_name": names[side]}} for side, sha in shas.items()
        }
        path = tmp_path / "event.json"
        path.write_text(json.dumps({"pull_request": sides}))
        env = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(path)}
        return workspace.selfreview("gate", "--format", "json", *args, **env)

    return gate


def test_a_comment_of_the_change_counts_in_a_gate_only_for_who_could_merge_it(
    workspace: Workspace, of: Callable[..., Ran]
) -> None:
    base = workspace.git("rev-parse", "main")
    workspace.commit("own", **{"app.py": bad(after=f"  # {MARK}[F821] made by a test")})
    own, foreign = of(base, fork=False), of(base, fork=True)
    assert (own.code, standing(own)["F821"], standing(own)["suppression"]) == (0, "suppressed", "open")
    assert (foreign.code, standing(foreign)["F821"]) == (1, "open")


def test_a_critical_issue_cannot_be_suppressed_by_the_change_itself(
    workspace: Workspace, of: Callable[..., Ran]
) -> None:
    base = workspace.git("rev-parse", "main")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    workspace.commit("own", **{"app.py": f'TOKEN = "{token}"  # {MARK}[secrets] made by a test\n'})
    assert run(workspace).code == ExitCode.PASSED
    assert of(base, fork=False).code == ExitCode.ISSUES


def test_a_comment_of_the_base_counts_for_everybody(workspace: Workspace, of: Callable[..., Ran]) -> None:
    workspace.git("switch", "-q", "main")
    base = workspace.commit("known", **{"app.py": f"# {MARK}-file[ruff] made by a test\nx = 1\n"})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("more", **{"app.py": f"# {MARK}-file[ruff] made by a test\nx = 1\n" + bad()})
    assert of(base, fork=True).code == ExitCode.PASSED


def test_a_comment_of_the_base_vouches_for_no_other_code(workspace: Workspace, of: Callable[..., Ran]) -> None:
    """Who let the old line be did not see the new one."""
    old = f"# {MARK}[python-eval] made by a test\nx = eval('1')\n"
    workspace.git("switch", "-q", "main")
    base = workspace.commit(
        "known", **{"app.py": old, "old.py": f"# {MARK}-file[ruff] made by a test\n" + "y = 1\n" * 9}
    )
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("other code", **{"app.py": old.replace("'1'", "input()")})
    own, foreign = of(base, fork=False), of(base, fork=True)
    assert (own.code, foreign.code) == (ExitCode.PASSED, ExitCode.ISSUES)
    workspace.git("reset", "-q", "--hard", "main")
    workspace.git("mv", "old.py", "new.py")
    whole = (workspace.root / "new.py").read_text()
    workspace.commit("renamed", **{"new.py": whole + bad()})
    assert (of(base, fork=False).code, of(base, fork=True).code) == (ExitCode.PASSED, ExitCode.ISSUES)


def test_what_the_gate_says_of_a_change_is_not_for_comments_to_suppress(
    workspace: Workspace, of: Callable[..., Ran]
) -> None:
    base = workspace.git("rev-parse", "main")
    said = f"# {MARK}-file[gate] made by a test\n# Code generated by hand. DO NOT EDIT.\n"
    flow = f"{said}env:\n  SELFREVIEW_SEVERITY_THRESHOLD: never\n"
    workspace.commit("own", **{".github/workflows/gate.yml": flow})
    ran = of(base, fork=False)
    assert (ran.code, standing(ran)["ci-workflow"]) == (1, "open")


def test_the_text_of_a_string_of_the_base_becomes_no_comment_of_the_base(
    workspace: Workspace, of: Callable[..., Ran]
) -> None:
    """Its line is untouched; what made it a string is taken away."""
    quoted = f'"""\n# {MARK}-file[ruff] made by a test\n"""\n'
    workspace.git("switch", "-q", "main")
    base = workspace.commit("known", **{"app.py": quoted + "x = 1\n"})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("unquoted", **{"app.py": quoted.replace('"""\n', "") + "x = 1\n" + bad()})
    assert of(base, fork=True).code == ExitCode.ISSUES


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("a.py", "def f(text):\n    return eval(text)  # noqa: S307\n", "line 2: # noqa: S307"),
        ("a.py", "def f(text):\n    return eval(text)  # nosec B307\n", "line 2: # nosec B307"),
        (
            "a.js",
            "export function f(text) {\n  // eslint-disable-next-line no-eval\n  return eval(text);\n}\n",
            "line 2: eslint-disable-next-line no-eval",
        ),
    ],
)
def test_a_comment_for_another_tool_that_names_the_same_suppresses(
    workspace: Workspace, path: str, code: str, said: str
) -> None:
    workspace.write(path, code)
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED, ran
    (issue,) = ran.json["issues"]
    assert (issue["status"], issue["statusReason"]) == ("suppressed", f"by the comment in {said}")


@pytest.mark.parametrize("mark", ["# noqa", "# nosec", "# nosemgrep", "# noqa: E501", "# type: ignore"])
def test_one_that_names_nothing_or_something_else_does_not(workspace: Workspace, mark: str) -> None:
    workspace.write("a.py", f"def f(text):\n    return eval(text)  {mark}\n")
    ran = run(workspace)
    assert (ran.code, standing(ran)) == (ExitCode.ISSUES, {"python-eval": "open"})


def test_no_comment_keeps_a_secret_from_being_masked(workspace: Workspace) -> None:
    key = "AKIA" + "QYLPMN5HFIQR7BBB"
    workspace.write("a.py", f'key = "{key}"  # gitleaks:allow\nother = 1  # {key}  # pragma: allowlist secret\n')
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED, ran
    assert [(issue["reviewer"], issue["status"]) for issue in ran.json["issues"]] == [("secrets", "suppressed")] * 2
    for shown in (ran, workspace.selfreview("run", "--no-fix"), workspace.selfreview("show")):
        assert key not in shown.out + shown.err


def test_a_comment_counts_for_nothing_critical(workspace: Workspace) -> None:
    key = "ghp_" + "x9Kq2Lm4Zt7Rw1Bv5Nc8Yd3Hf6Gj0Sp4QaWe"
    workspace.write("a.py", f'key = "{key}"  # gitleaks:allow\n')
    ran = run(workspace)
    (issue,) = ran.json["issues"]
    assert (ran.code, issue["severity"], issue["status"]) == (ExitCode.ISSUES, "critical", "open")


@pytest.mark.parametrize("comment", ["# noqa: S105", "# nosec B105"])
def test_a_decision_on_a_password_counts_and_it_stays_masked(workspace: Workspace, comment: str) -> None:
    workspace.write("app.py", f'PASSWORD = "Tr0ub4dor-horse"  {comment}\n')
    ran = workspace.selfreview("run", "--no-fix", "--reviewer", "secrets", "--format", "json")
    assert [(issue["rule"], issue["status"]) for issue in ran.json["issues"]] == [("generic-password", "suppressed")]
    assert "Tr0ub4dor" not in ran.out
