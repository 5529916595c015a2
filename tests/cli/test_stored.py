"""``history``, ``show`` and ``status``: what they say of the store, on a terminal and as JSON."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from syrupy.assertion import SnapshotAssertion

from selfreview.cli.main import execute
from selfreview.errors import ExitCode
from selfreview.model.issue import Edit, IssueStatus, Severity
from selfreview.model.result import Result, ResultStatus, ReviewerReport, ReviewerStatus, ScopeSummary, Verdict
from selfreview.store import Store
from tests.conftest import Workspace
from tests.store.builders import make_issue, make_result

HOSTILE = "\x1b[2J\u202egnp.exe\r\n\x07"


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Say = Callable[..., Said]


@pytest.fixture
def say(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Say:
    """Run a command line in this process, in the workspace, at 80 columns in UTC."""
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()

    def run(*arguments: str) -> Said:
        code = execute(arguments)
        out, err = capfd.readouterr()
        return Said(int(code), out, err)

    return run


@pytest.fixture
def directory(workspace: Workspace) -> Path:
    return workspace.root / ".git" / "selfreview"


@pytest.fixture
def store(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    numbers = itertools.count(1)
    monkeypatch.setattr("selfreview.store.runs.os.urandom", lambda size: next(numbers).to_bytes(size, "big"))
    with Store.open(directory) as opened:
        yield opened


def reviewed(workspace: Workspace, *issues: Any, mode: str = "branch", **more: Any) -> Result:
    """A result for exactly what the working tree and the index hold now, which must be committed."""
    result = make_result(*issues, branch="work")
    head, tree = workspace.git("rev-parse", "HEAD"), workspace.git("rev-parse", "HEAD^{tree}")
    result.scope = ScopeSummary(mode=mode, base="main", merge_base="5" * 40, head=head, tree=tree, branch="work")
    for name, value in more.items():
        setattr(result, name, value)
    return result


# --- history -------------------------------------------------------------------------------------------------------


def fill(store: Store, last: str = "main") -> None:
    first = make_result(make_issue(), timestamp="2026-11-27T20:00:00Z")
    first.duration_ms = 1250
    store.add_result(first)
    partial = make_result(make_issue(severity=Severity.LOW), branch="topic/" + "x" * 60)
    partial.scope.partial, partial.counts.high, partial.counts.low = True, 0, 12  # type: ignore[union-attr]
    partial.verdict, partial.passed = Verdict.PASS, True
    store.add_result(partial)
    incomplete = make_result(make_issue(), branch=None, timestamp="2026-11-27T22:30:00Z")
    incomplete.status = ResultStatus.INCOMPLETE
    store.add_result(incomplete)
    store.add_result(make_result(timestamp="2026-11-28T08:00:00Z", branch=last))


def test_history_is_a_table_with_the_newest_first(say: Say, store: Store, snapshot: SnapshotAssertion) -> None:
    fill(store, last=HOSTILE)
    said = say("history")
    assert (said.code, said.err) == (0, "")
    assert said.out == snapshot


def test_history_as_json(say: Say, store: Store, snapshot: SnapshotAssertion) -> None:
    fill(store)
    assert say("history", "--format", "json").json == snapshot


def test_history_can_be_limited(say: Say, store: Store) -> None:
    fill(store)
    assert [r["runId"] for r in say("history", "-n2", "--format=json").json["runs"]] == [
        "r-20261128-080000-0004",
        "r-20261127-223000-0003",
    ]
    assert [r["branch"] for r in say("history", "--branch", "main", "--format=json").json["runs"]] == ["main", "main"]
    assert say("history", "--limit", "0").code == ExitCode.USAGE


def test_history_without_a_review(say: Say, directory: Path) -> None:
    assert say("history").out == "no review yet; start with: selfreview run\n"
    assert say("history", "--branch", "to\x1bpic").out == "no review of to\\x1bpic yet\n"
    assert say("history", "--format", "json").json == {"runs": []}
    assert not directory.exists()


def test_a_linked_worktree_shares_the_history(say: Say, store: Store, workspace: Workspace, tmp_path: Path) -> None:
    store.add_result(make_result())
    workspace.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    linked = Workspace(tmp_path / "second")
    assert len(linked.selfreview("history", "--format", "json").json["runs"]) == 1


# --- show ----------------------------------------------------------------------------------------------------------


def issue_to_show() -> Any:
    return make_issue(
        "v1:ab12cd34ef",
        column=5,
        suggested_fix="Leave the loop when there is nothing to do.",
        also_reported_by=["ruff"],
        status=IssueStatus.ACCEPTED,
        status_reason="a service\nruns for ever",
        edits=[
            Edit(line_start=3, column_start=0, line_end=4, column_end=0, replacement="while busy():\n\tpass\n"),
            Edit(line_start=9, column_start=4, line_end=9, column_end=8, replacement=""),
        ],
    )


def test_show_tells_everything(say: Say, store: Store, snapshot: SnapshotAssertion) -> None:
    store.add_result(make_result(issue_to_show()))
    store.add_result(make_result(issue_to_show(), timestamp="2026-11-28T08:00:00Z"))
    said = say("show", "sr-ab12")
    assert (said.code, said.err) == (0, "")
    assert said.out == snapshot


def test_show_as_json(say: Say, store: Store) -> None:
    run_id = store.add_result(make_result(issue_to_show()))
    document = say("show", "v1:ab12", "--format", "json").json
    assert document["issue"]["fingerprint"] == "v1:ab12cd34ef"
    assert document["issue"]["statusReason"] == "a service\nruns for ever"
    at = "2026-11-27T21:00:00Z"
    assert document["history"] == {"firstSeen": at, "firstRun": run_id, "lastSeen": at, "lastRun": run_id, "runs": 1}


def test_show_finds_an_issue_by_its_rule_in_this_branchs_latest_review(
    say: Say, store: Store, workspace: Workspace
) -> None:
    store.add_result(make_result(make_issue("v1:0ld0", rule="loop"), branch="work"))
    store.add_result(make_result(make_issue("v1:aaaa", rule="loop"), branch="work"))
    store.add_result(make_result(make_issue("v1:bbbb", rule="loop"), branch="other"))
    for name in ("loop", "rules/loop"):
        assert say("show", name, "--format", "json").json["issue"]["id"] == "sr-aaaa"
    said = say("show", "ruff/loop")
    assert said.code == ExitCode.USAGE
    assert said.err.startswith("error: no issue is called 'ruff/loop'\nhint: ")


def test_show_names_the_candidates_of_a_rule(say: Say, store: Store) -> None:
    issues = [make_issue(f"v1:{number:04x}", rule="loop", line_start=number) for number in range(1, 11)]
    store.add_result(make_result(*issues, branch="work"))
    said = say("show", "loop")
    assert (said.code, said.out) == (ExitCode.USAGE, "")
    assert said.err == (
        "error: 10 issues of the latest review are loop\n"
        "hint: sr-0001 (src/app.py:1), sr-0002 (src/app.py:2), sr-0003 (src/app.py:3), sr-0004 (src/app.py:4), "
        "sr-0005 (src/app.py:5), sr-0006 (src/app.py:6), sr-0007 (src/app.py:7), sr-0008 (src/app.py:8) and 2 more\n"
    )


def test_an_issue_without_a_fingerprint_in_the_store_is_not_somebody_elses(say: Say, store: Store) -> None:
    store.add_result(make_result(make_issue("v1:ab12"), make_issue("", id="sr-x", rule="nameless"), branch="work"))
    said = say("show", "nameless", "--format", "json")
    assert said.code == ExitCode.USAGE


# --- status --------------------------------------------------------------------------------------------------------


def test_status_without_a_review(say: Say, workspace: Workspace, directory: Path) -> None:
    said = say("status")
    assert said.out == "On branch work: no review yet\nnext      review the change: selfreview run\n"
    assert say("status", "--format", "json").json == {
        "branch": "work",
        "upToDate": None,
        "advice": "review the change: selfreview run",
        "session": None,
        "result": None,
        "later": [],
    }
    workspace.git("switch", "--quiet", "--detach")
    assert say("status").out.startswith("On a detached HEAD: no review yet\n")
    assert not directory.exists()


def test_status_lists_what_blocks_before_what_does_not(
    say: Say, store: Store, workspace: Workspace, snapshot: SnapshotAssertion
) -> None:
    issues = [
        make_issue("v1:0001", severity=Severity.LOW, description="A remark."),
        make_issue("v1:0002", severity=Severity.CRITICAL, description="The worst of all.\nSecond line. " + "x" * 99),
        make_issue("v1:0003", status=IssueStatus.ACCEPTED),
        make_issue("v1:0004", file=f"src/{HOSTILE}.py", description=HOSTILE),
    ]
    store.add_result(reviewed(workspace, *issues))
    said = say("status")
    assert (said.code, said.err) == (0, "")
    assert said.out == snapshot
    document = say("status", "--format", "json").json
    assert document["upToDate"] is True
    assert len(document["result"]["issues"]) == 4


def test_status_says_why_a_review_is_incomplete(
    say: Say, store: Store, workspace: Workspace, snapshot: SnapshotAssertion
) -> None:
    failed = ReviewerReport(name="ruff", status=ReviewerStatus.TIMED_OUT, error="no answer in 60 s")
    store.add_result(
        reviewed(workspace, status=ResultStatus.INCOMPLETE, verdict=None, passed=False, reviewers=[failed])
    )
    assert say("status").out == snapshot


def test_status_lists_no_more_than_a_screenful(say: Say, store: Store, workspace: Workspace) -> None:
    store.add_result(reviewed(workspace, *(make_issue(f"v1:{number:04x}") for number in range(40))))
    out = say("status").out
    assert out.count("\n  sr-") == 30
    assert "40 blocking\n" in out
    assert "  and 10 more; --format json has all of them\n" in out


def holds(say: Say) -> Any:
    return say("status", "--format", "json").json["upToDate"]


def test_status_knows_whether_the_working_tree_has_moved(say: Say, store: Store, workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    assert workspace.review()["passed"] is True
    assert holds(say) is True
    assert "next      nothing: this change has passed\n" in say("status").out
    workspace.commit("the same, committed")
    assert holds(say) is True
    workspace.write("app.py", "LIMIT = 4\n")
    assert holds(say) is False
    assert "next      review again: selfreview run\n" in say("status").out
    workspace.write("app.py", "LIMIT = 3\n")
    assert holds(say) is True
    workspace.write("new.txt", "untracked counts\n")
    assert holds(say) is False


def test_status_knows_whether_the_index_has_moved(say: Say, workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    workspace.git("add", "app.py")
    assert workspace.review("--staged")["passed"] is True
    workspace.write("app.py", "LIMIT = 4\n")
    assert holds(say) is True
    assert "review the whole branch before it is pushed" in say("status").out
    workspace.git("add", "app.py")
    assert holds(say) is False


@pytest.mark.parametrize("mode", ["head", "range", "commit"])
def test_status_of_committed_content_looks_at_head(say: Say, store: Store, workspace: Workspace, mode: str) -> None:
    store.add_result(reviewed(workspace, mode=mode))
    workspace.write("app.py", "LIMIT = 3\n")
    assert holds(say) is True
    workspace.commit("more")
    assert holds(say) is False


def test_status_on_a_branch_without_a_commit(say: Say, workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "--orphan", "fresh")
    workspace.write("app.py", "LIMIT = 3\n")
    assert workspace.review()["passed"] is True
    assert holds(say) is True
    workspace.write("app.py", "LIMIT = 4\n")
    assert holds(say) is False


def test_status_without_a_tree_or_with_a_repository_it_cannot_read_does_not_guess(
    say: Say, store: Store, workspace: Workspace
) -> None:
    result = reviewed(workspace)
    assert result.scope is not None
    result.scope.tree = None
    store.add_result(result)
    assert holds(say) is None
    assert "since" not in say("status").out
    store.add_result(reviewed(workspace))
    (workspace.root / ".git" / "index").write_bytes(b"not an index")
    said = say("status", "--format", "json")
    assert said.json["upToDate"] is None
    assert said.err.startswith("warning: cannot tell whether anything has changed since: ")


def test_a_hook_with_nothing_to_do_does_not_hide_the_review_before(
    say: Say, store: Store, workspace: Workspace
) -> None:
    run_id = store.add_result(reviewed(workspace, make_issue("v1:ab12", rule="loop")))
    nothing = {"status": ResultStatus.NOTHING_TO_REVIEW, "verdict": None}
    store.add_result(reviewed(workspace, mode="staged", **nothing))
    assert say("status", "--format", "json").json["result"]["runId"] == run_id
    assert say("show", "loop", "--format", "json").json["issue"]["id"] == "sr-ab12"
    store.add_result(reviewed(workspace, **nothing))
    assert say("status").out.startswith("On branch work: nothing to review\n")


def test_a_review_of_a_part_hides_no_issue_elsewhere(
    say: Say, store: Store, workspace: Workspace, snapshot: SnapshotAssertion
) -> None:
    whole = store.add_result(reviewed(workspace, make_issue("v1:ab12", rule="loop")))
    limited = reviewed(workspace, make_issue("v1:cd34", rule="other"))
    assert limited.scope is not None
    limited.scope.partial = True
    store.add_result(limited)
    for mode in ("staged", "commit", "range"):
        store.add_result(reviewed(workspace, mode=mode))
    document = say("status", "--format", "json").json
    assert document["result"]["runId"] == whole
    assert [run["mode"] for run in document["later"]] == ["range", "commit", "staged", "branch"]
    said = say("status").out.replace(workspace.git("rev-parse", "--short=8", "HEAD"), "HEAD")
    assert said == snapshot
    assert say("show", "loop", "--format", "json").json["issue"]["id"] == "sr-ab12"
    assert say("show", "other", "--format", "json").json["issue"]["id"] == "sr-cd34"
    store.add_result(reviewed(workspace))
    assert say("status", "--format", "json").json["later"] == []
    assert say("show", "loop").code == ExitCode.USAGE


def test_a_part_that_fails_later_is_the_next_thing_to_do(say: Say, store: Store, workspace: Workspace) -> None:
    store.add_result(reviewed(workspace))
    store.add_result(reviewed(workspace, make_issue("v1:ab12"), mode="staged"))
    assert say("status", "--format", "json").json["advice"].startswith("fix what the later review of a part found")


def test_a_review_of_a_part_alone_says_that_it_is_one(say: Say, workspace: Workspace) -> None:
    workspace.write("src/app.py", "print(undefined_name)\n")
    workspace.write("docs.py", "LIMIT = 3\n")
    for limit in (["docs.py"], ["--reviewer", "text"]):
        assert workspace.review(*limit)["scope"]["partial"] is True
        assert say("status").out.startswith("On branch work: pass, no issues in a part of it; no recent review of the")
        assert "review the whole branch before it is pushed" in say("status").out
    assert workspace.review()["passed"] is False
    assert workspace.review("docs.py")["passed"] is True
    assert say("status").out.startswith("On branch work: needs_work, 1 high in 1 file\n")
    assert "(partly): pass session " in " ".join(say("status").out.split())


def test_a_hook_without_anything_to_review_leaves_no_trace(say: Say, workspace: Workspace) -> None:
    assert workspace.selfreview("hook", "run", "pre-commit").code == ExitCode.PASSED
    assert workspace.review("--staged")["runId"] is None
    assert say("history", "--format", "json").json == {"runs": []}
    assert workspace.review()["runId"] is not None


# --- all of them ---------------------------------------------------------------------------------------------------

COMMANDS = [("history",), ("show", "sr-1"), ("status",)]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_outside_of_a_repository_is_one_clear_line(
    say: Say, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = say(*arguments)
    assert (said.code, said.out) == (ExitCode.USAGE, "")
    assert said.err.startswith("error: this folder is not in a git repository\n")


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_store_that_cannot_be_read_is_one_clear_line(say: Say, arguments: tuple[str, ...], directory: Path) -> None:
    directory.write_text("a file")
    said = say(*arguments)
    assert (said.code, said.out) == (ExitCode.USAGE, "")
    assert said.err.startswith("error: cannot use the store ")


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_damaged_store_is_reported_on_standard_error(say: Say, arguments: tuple[str, ...], directory: Path) -> None:
    directory.mkdir()
    (directory / "store.db").write_bytes(b"damaged " * 1000)
    said = say(*arguments)
    assert said.code == (ExitCode.USAGE if arguments[0] == "show" else ExitCode.PASSED)
    assert "warning: the store was damaged" in said.err


def test_nothing_hostile_reaches_the_terminal(say: Say, store: Store) -> None:
    issue = make_issue(
        "v1:ab12",
        file=HOSTILE,
        description=HOSTILE,
        evidence=HOSTILE,
        suggested_fix=HOSTILE,
        reviewer=f"r{HOSTILE}",
        rule=HOSTILE,
        status_reason=HOSTILE,
        edits=[Edit(line_start=1, column_start=0, line_end=1, column_end=1, replacement=HOSTILE)],
    )
    result = make_result(issue, branch="work", timestamp=HOSTILE)
    assert result.scope is not None
    result.scope.base, result.scope.mode, result.notes = HOSTILE, HOSTILE, [HOSTILE]
    store.add_result(result)
    for arguments in (("history",), ("show", "sr-ab12"), ("status",), ("history", "--format=json")):
        out = say(*arguments).out
        assert not set(out) & {"\x1b", "\u202e", "\r", "\x07"}


def test_a_reader_that_goes_away_is_no_error(workspace: Workspace, directory: Path) -> None:
    import subprocess
    import sys

    with Store.open(directory) as store:
        for _ in range(30):
            store.add_result(make_result(branch="b" * 40))
    process = subprocess.Popen(
        [sys.executable, "-m", "selfreview", "history", "--limit", "500", "--format", "json"],
        cwd=workspace.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0
