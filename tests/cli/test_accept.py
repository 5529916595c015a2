"""What is shown as one issue is accepted as one, and nothing that was not shown with it."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.app.decisions import valid_acceptances
from selfreview.errors import ExitCode
from selfreview.model.session import Decision
from tests.conftest import Workspace

QUERY = """import sqlite3


def find(connection: sqlite3.Connection, name: str) -> list[tuple[object, ...]]:
    return connection.execute("SELECT id FROM users WHERE name = '" + name + "'").fetchall()
"""


def statuses(space: Workspace) -> dict[str, str]:
    issues = space.review("--no-fix")["issues"]
    return {issue["rule"]: issue["status"] for issue in issues if "sql" in issue["rule"] or issue["rule"] == "S608"}


@pytest.mark.parametrize("by", ["the issue", "its duplicate"])
def test_an_issue_is_accepted_with_the_duplicates_that_were_merged_into_it(workspace: Workspace, by: str) -> None:
    workspace.write("app.py", QUERY)
    issues = workspace.review("--no-fix")["issues"]
    (shown,) = (issue for issue in issues if issue["rule"] == "python-sql-injection")
    (merged,) = (issue for issue in issues if issue["rule"] == "S608")
    assert (shown["alsoReportedBy"], merged["status"]) == (["ruff"], "duplicate")
    name = (shown if by == "the issue" else merged)["id"]
    done = workspace.selfreview("accept", name, "--reason", "names are ours")
    assert done.out.startswith(f"accepted: {shown['id']} in app.py")
    assert statuses(workspace) == {"python-sql-injection": "accepted", "S608": "duplicate"}
    workspace.write("app.py", "LIMIT = 1\n\n" + QUERY)
    assert statuses(workspace) == {"python-sql-injection": "accepted", "S608": "duplicate"}
    workspace.write("app.py", QUERY.replace("name = '", "lower(name) = '"))
    assert statuses(workspace) == {"python-sql-injection": "open", "S608": "duplicate"}
    workspace.write("app.py", QUERY)
    assert workspace.selfreview("accept", "--withdraw", shown["id"]).code == ExitCode.PASSED
    assert statuses(workspace) == {"python-sql-injection": "open", "S608": "duplicate"}


def test_what_is_merged_into_an_accepted_issue_later_was_not_accepted(workspace: Workspace) -> None:
    workspace.write("app.py", QUERY)
    alone = workspace.review("--no-fix", "--reviewer", "rules")["issues"]
    assert [issue["rule"] for issue in alone] == ["python-sql-injection"]
    workspace.selfreview("accept", alone[0]["id"], "--reason", "names are ours")
    assert statuses(workspace) == {"python-sql-injection": "accepted", "S608": "open"}


def test_an_issue_is_accepted_by_its_rule_where_that_is_one(workspace: Workspace) -> None:
    workspace.write("app.py", QUERY)
    workspace.review("--no-fix")
    unknown = workspace.selfreview("accept", "python-yaml-load", "--reason", "ours")
    assert (unknown.code, unknown.err.splitlines()[0]) == (
        ExitCode.USAGE,
        "error: no issue is called 'python-yaml-load'",
    )
    done = workspace.selfreview("accept", "python-sql-injection", "--reason", "names are ours")
    assert done.code == ExitCode.PASSED
    assert statuses(workspace)["python-sql-injection"] == "accepted"
    assert workspace.selfreview("accept", "--withdraw", "python-sql-injection").code == ExitCode.PASSED
    assert statuses(workspace)["python-sql-injection"] == "open"


def test_withdrawing_an_issue_that_is_open_leaves_one_that_looks_like_it(workspace: Workspace) -> None:
    workspace.write("app.py", "def f(t):\n    return eval(t)\n\n\ndef g(t):\n    return eval(t)\n")
    first, second = (issue["id"] for issue in workspace.review("--no-fix", "--reviewer", "rules")["issues"])
    assert workspace.selfreview("accept", second, "--reason", "t is ours").code == ExitCode.PASSED
    ran = workspace.selfreview("accept", "--withdraw", first)
    assert (ran.code, "is not accepted on this branch" in ran.err) == (ExitCode.USAGE, True), ran
    issues = workspace.review("--no-fix", "--reviewer", "rules")["issues"]
    assert {issue["id"]: issue["status"] for issue in issues} == {first: "open", second: "accepted"}


def test_withdrawing_one_decision_leaves_the_others() -> None:
    def of(action: str, fingerprint: str, *also: str) -> Decision:
        return Decision(action=action, who="Sam", at="2026-01-01T00:00:00Z", fingerprint=fingerprint, also=list(also))

    both, again = of("accept", "v1:a", "v1:b"), of("accept", "v1:b")
    assert valid_acceptances([both]) == {"v1:a": both, "v1:b": both}
    assert valid_acceptances([both, of("withdraw", "v1:b")]) == {}
    assert valid_acceptances([both, again, of("withdraw", "v1:a")]) == {"v1:b": again}
    assert valid_acceptances([both, of("withdraw", "v1:c")]) == {"v1:a": both, "v1:b": both}


def status_of(space: Workspace, name: str) -> str:
    shown = " ".join(space.selfreview("show", name).out.split())
    return shown.partition(" status: ")[2].partition(" fingerprint:")[0]


def test_what_is_withdrawn_is_shown_as_such_and_no_other(workspace: Workspace) -> None:
    workspace.write("app.py", "def load():\n    return [missing]\n\n\ndef dump():\n    return [{}, absent]\n")
    first, second = names_of(workspace)
    accept(workspace, first, second)  # for the same reason
    assert missing(workspace) == ["accepted", "accepted"]
    accepted = status_of(workspace, second)
    assert "withdrawn" not in accepted
    assert workspace.selfreview("accept", "--withdraw", first).code == ExitCode.PASSED
    assert status_of(workspace, first) == f"{accepted}; withdrawn since: it counts again from the next run"
    assert status_of(workspace, second) == accepted
    assert missing(workspace) == ["open", "accepted"]
    assert status_of(workspace, first) == "open"


def test_what_was_found_again_is_shown_as_withdrawn_too(workspace: Workspace) -> None:
    workspace.write("app.py", WRITTEN)
    missing(workspace)
    accept(workspace, "F821")
    workspace.write("app.py", WRITTEN.replace("first = 1", "first = 2"))
    assert missing(workspace) == ["accepted"]
    assert "withdrawn" not in status_of(workspace, "F821")
    assert workspace.selfreview("accept", "--withdraw", "F821").code == ExitCode.PASSED
    assert status_of(workspace, "F821").endswith("; withdrawn since: it counts again from the next run")


WRITTEN = "def load(text):\n    first = 1\n    return [text, missing]\n"


def found(space: Workspace) -> list[dict[str, Any]]:
    issues = space.review("--no-fix", "--reviewer", "ruff")["issues"]
    return [issue for issue in issues if issue["rule"] == "F821"]


def missing(space: Workspace) -> list[str]:
    return [issue["status"] for issue in found(space)]


def names_of(space: Workspace) -> list[str]:
    return [issue["id"] for issue in found(space)]


def accept(space: Workspace, *names: str) -> None:
    done = space.selfreview("accept", *names, "--reason", "ours")
    assert done.code == ExitCode.PASSED, done


def test_an_acceptance_outlives_an_edit_beside_it_and_none_of_the_lines_themselves(workspace: Workspace) -> None:
    workspace.write("app.py", WRITTEN)
    assert missing(workspace) == ["open"]
    accept(workspace, "F821")
    for beside in ("first = 2", "second = 3"):
        workspace.write("app.py", WRITTEN.replace("first = 1", beside))
        assert missing(workspace) == ["accepted"]
    workspace.write("app.py", WRITTEN.replace("first = 1", "x = 1").replace("[text, missing]", "[missing]"))
    assert missing(workspace) == ["open"]
    workspace.write("app.py", WRITTEN.replace("first = 1", "second = 3"))
    assert missing(workspace) == ["accepted"]
    assert workspace.selfreview("accept", "--withdraw", "F821").code == ExitCode.PASSED
    assert missing(workspace) == ["open"]


def test_one_acceptance_is_found_in_one_issue_and_what_cannot_be_told_is_said(workspace: Workspace) -> None:
    workspace.write("app.py", WRITTEN)
    missing(workspace)
    accept(workspace, "F821")
    workspace.write("app.py", WRITTEN.replace("first = 1", "first = 2") + WRITTEN.replace("first = 1", "first = 3"))
    issues = found(workspace)
    assert [issue["status"] for issue in issues] == ["open", "open"]
    assert all(issue["statusReason"].startswith("an issue like it was accepted (sr-") for issue in issues)


def test_what_was_there_and_not_accepted_is_never_taken_for_what_was(workspace: Workspace) -> None:
    other = WRITTEN.replace("first = 1", "other = 1")
    workspace.write("app.py", WRITTEN + "\n\n" + other)
    accept(workspace, names_of(workspace)[0])
    assert missing(workspace) == ["accepted", "open"]
    workspace.write("app.py", other)
    assert missing(workspace) == ["open"]


@pytest.mark.parametrize(("name", "then"), [("app.py", "accepted"), ("new.py", "open")])
def test_an_acceptance_outlives_another_name_of_a_file_that_the_base_has(
    workspace: Workspace, name: str, then: str
) -> None:
    steady = "".join(f"NUMBER_{number} = {number}\n" for number in range(40))
    workspace.git("checkout", "-q", "main")
    workspace.commit("steady", **{"app.py": steady})
    workspace.git("checkout", "-q", "-b", "renaming")
    workspace.commit("written", **{name: steady + WRITTEN})
    assert missing(workspace) == ["open"]
    accept(workspace, "F821")
    workspace.git("mv", name, "other.py")
    workspace.git("commit", "-q", "-m", "renamed")
    assert missing(workspace) == [then]


def test_several_are_accepted_at_once_or_none(workspace: Workspace) -> None:
    workspace.write("app.py", WRITTEN + "\n\n" + WRITTEN.replace("first = 1", "other = 1"))
    names = names_of(workspace)
    assert workspace.selfreview("accept", *names, "sr-0123", "--reason", "ours").code == ExitCode.USAGE
    assert missing(workspace) == ["open", "open"]
    accept(workspace, *names)
    assert missing(workspace) == ["accepted", "accepted"]


@pytest.mark.parametrize("name", ["", "v", "v1:", "sr-"])
def test_what_names_nothing_withdraws_nothing(workspace: Workspace, name: str) -> None:
    workspace.write("app.py", WRITTEN)
    missing(workspace)
    accept(workspace, "F821")
    assert workspace.selfreview("accept", "--withdraw", name).code == ExitCode.USAGE
    assert missing(workspace) == ["accepted"]


def test_a_rule_names_what_a_report_shows(workspace: Workspace) -> None:
    workspace.commit("old", **{"app.py": "a = 1\n\n\ndef load(text):\n    return [text, gone]\n"})
    workspace.git("branch", "--force", "main")
    workspace.write("app.py", "a = absent\n\n\ndef load(text):\n    return [text, gone]\n")
    assert sorted(missing(workspace)) == ["open", "out_of_scope"]
    accept(workspace, "F821")
    assert sorted(missing(workspace)) == ["accepted", "out_of_scope"]


def test_nothing_is_accepted_where_no_branch_is_checked_out(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "--detach")
    workspace.write("app.py", WRITTEN)
    name = names_of(workspace)[0]
    done = workspace.selfreview("accept", name, "--reason", "ours")
    assert (done.code, "git switch -c NAME" in done.err) == (ExitCode.USAGE, True)
