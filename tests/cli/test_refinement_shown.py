"""What reports and commands say of refinement: in a run, and afterwards."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from selfreview.apply.patches import PatchStore
from selfreview.cli.main import execute
from selfreview.cli.results.status import session_advice, session_facts
from selfreview.cli.stored import said_of
from selfreview.git.worktree_files import Entry
from selfreview.model.refinement import FixerReport, Refinement
from selfreview.model.result import Iteration, ResultStatus
from selfreview.model.session import Decision, Session, SessionState
from selfreview.reporters import refined
from selfreview.store import Store
from tests.conftest import Workspace
from tests.reporters.samples import SAMPLES
from tests.store.builders import make_result

FLAWED = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False, timeout=9)\n"


@pytest.fixture
def flawed(workspace: Workspace) -> Workspace:
    """A workspace whose change the fixer of the rule pack mends."""
    workspace.write("app.py", FLAWED)
    return workspace


def words(text: str) -> str:
    """A text without the breaks of its lines."""
    return " ".join(text.split())


def test_the_report_says_what_refinement_did_and_what_is_left_to_do(flawed: Workspace) -> None:
    said = words(flawed.selfreview("run").out)
    assert "refinement 1 · 1 open: 1 addressed · +1 -1 in 1 file ·" in said
    assert "rules: 1 of 1 addressed" in said
    assert said.count("after 1 refinement: nothing blocks any more") == 1
    assert said.count("not applied (not asked: there is no terminal): it fixes sr-") == 1
    assert said.count("change.patch") == 1


def test_the_report_calls_no_check_new_that_failed_before(flawed: Workspace) -> None:
    folder = Path(os.environ["SELFREVIEW_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text("[checks]\ntests = ['python3', '-c', 'raise SystemExit(1)']\n")
    said = words(flawed.selfreview("run").out)
    assert "refinement 1 · 2 open: 1 addressed, 1 still open · " in said
    assert "new:" not in said
    assert "check tests failed" in said


def test_a_run_says_that_no_fixer_takes_what_is_open(workspace: Workspace) -> None:
    workspace.write("app.py", "def other():\n    return undefined_name\n")
    document = workspace.review()
    assert (document["stop"], document["stopReason"]) == ("nothing_fixable", "no fixer can fix the open issues")
    assert document["iterations"] == []
    said = words(workspace.selfreview("run").out)
    assert "refined nothing was refined: no fixer can fix the open issues" in said
    assert "person needed since 20" in words(workspace.selfreview("status").out)
    assert workspace.review("--no-fix")["stop"] is None
    assert workspace.review("--max-iterations", "0")["stop"] is None


def test_json_holds_the_same_without_sentences_for_it_among_the_notes(flawed: Workspace) -> None:
    document = flawed.review()
    assert (document["stop"], document["stopReason"]) == ("passed", "nothing blocks any more")
    assert document["patch"]["reason"] == "not asked: there is no terminal"
    assert not [note for note in document["notes"] if "refine" in note]
    (iteration,) = document["iterations"]
    (addressed,) = iteration["addressed"]
    assert [addressed["id"]] == iteration["refinement"]["addressedIssueIds"]
    assert addressed["rule"] == "python-tls-verify-off"
    assert iteration["review"]["passed"] is True


def test_what_was_addressed_is_known_also_where_it_was_applied(flawed: Workspace) -> None:
    done = flawed.selfreview("run", "--apply", "-f", "json:result.json")
    document = json.loads((flawed.root / "result.json").read_bytes())
    assert (done.code, document["passed"], document["patch"]["applied"]) == (0, True, True)
    assert [issue["rule"] for issue in document["iterations"][0]["addressed"]] == ["python-tls-verify-off"]
    assert document["iterations"][0]["review"]["iterations"] == []
    shown = flawed.selfreview("show", "--iteration", "1").out
    assert "It was applied to your tree; selfreview undo takes back what was applied last\n" in shown
    assert "To put it into your tree" not in shown


# --- show --iteration ----------------------------------------------------------------------------------------------


def test_a_refinement_is_shown_with_its_issues_and_its_patch(flawed: Workspace) -> None:
    patch = flawed.review()["patch"]
    done = flawed.selfreview("show", "--iteration", "1")
    assert (done.code, done.err) == (0, "")
    assert "\n1 addressed\n  sr-" in done.out
    assert f"Patch {patch['id']}: everything from the reviewed tree to the state" in done.out
    assert f"To put it into your tree: selfreview apply {patch['id']}\n" in done.out
    assert "\n-    return requests.get(url, verify=False, timeout=9)\n+    return requests" in done.out
    flawed.git("apply", "--check", patch["file"])


def test_the_refinement_of_a_run_that_is_not_the_last(flawed: Workspace) -> None:
    run = flawed.review()["runId"]
    flawed.write("app.py", "LIMIT = 3\n")
    assert flawed.review()["iterations"] == []
    document = flawed.selfreview("show", "--iteration", "1", "-f", "json").json
    assert document["runId"] == run
    assert document["diff"].startswith("diff --git a/app.py b/app.py\n")
    assert flawed.selfreview("show", "--iteration", "1", run[:-1], "-f", "json").json == document


def test_a_patch_that_is_kept_no_more_takes_one_line(flawed: Workspace) -> None:
    patch = flawed.review()["patch"]["id"]
    shutil.rmtree(flawed.root / ".git" / "selfreview" / "patches" / patch)
    done = flawed.selfreview("show", "--iteration", "1")
    assert done.code == 0
    assert done.out.endswith(f"\n\nits patch {patch} is not kept any more\n")
    assert flawed.selfreview("show", "--iteration", "1", "-f", "json").json["diff"] is None


def test_a_refinement_that_is_not_there_is_a_clear_error(flawed: Workspace) -> None:
    done = flawed.selfreview("show", "--iteration", "1")
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("error: no run on this branch refined anything\n")
    flawed.review()
    done = flawed.selfreview("show", "--iteration", "2")
    assert done.code == 4
    assert "has no refinement 2\nhint: it has only 1" in done.err
    assert flawed.selfreview("show", "--iteration", "1", "--prompt").code == 4


def test_a_later_refinement_is_shown_with_all_that_leads_to_it(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = SAMPLES["refined"]
    with Store.open(workspace.root / ".git" / "selfreview") as store:
        store.add_result(outcome)
    folder = workspace.root / ".git" / "selfreview" / "patches"
    new = Entry("100644", b"\tNew\r\n")
    diff = b"diff --git a/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+\tNew \x1b[2J\n"
    kept = PatchStore(folder).keep({"x": (None, new)}, diff, at="2026-11-27T21:00:00Z", iteration=2)
    (folder / kept.id).rename(folder / "p-1")
    monkeypatch.chdir(workspace.root)
    assert execute(["show", "--iteration", "1", "r-"]) == 0
    first = capsys.readouterr().out
    assert "1 still open\n  sr-00000003  medium  src/app.py:11:17  Undefined" in first
    assert "1 new\n  sr-0000000b  medium" in first
    assert "sr-00000003 reported as addressed: Named what was meant." in first
    assert "      assert rows == []" in first  # all of what the guard said, not its first line alone
    assert first.endswith("\n+++ b/x\n@@ -0,0 +1 @@\n+   New \\x1b[2J\n")
    assert execute(["show", "--iteration", "3", "r-"]) == 0
    assert capsys.readouterr().out.endswith("\nit changed nothing\n")


# --- show ISSUE ----------------------------------------------------------------------------------------------------


def test_an_issue_tells_what_fixers_said_of_it(flawed: Workspace) -> None:
    (issue,) = [issue["id"] for issue in flawed.review()["issues"] if issue["rule"] == "python-tls-verify-off"]
    run = flawed.review()["runId"]
    said = words(flawed.selfreview("show", issue).out)
    assert f"refined: {run}, refinement 1, rules: addressed; it says: the suggested edit was applied and in" in said
    first, second = flawed.selfreview("show", issue, "-f", "json").json["refinements"]
    assert (first["runId"], first["iteration"], first["fixer"], first["addressed"]) == (run, 1, "rules", True)
    assert second["runId"] != run


def test_an_issue_that_was_mended_at_once_is_known_all_the_same(flawed: Workspace) -> None:
    flawed.selfreview("run", "--apply", "-f", "json:../result.json")
    document = json.loads((flawed.root / ".." / "result.json").read_bytes())
    issue = document["iterations"][0]["addressed"][0]
    for name in (issue["id"], issue["fingerprint"][:10]):
        said = words(flawed.selfreview("show", name).out)
        assert "status: addressed by a refinement that was applied" in said
        assert f"refined: {document['runId']}, refinement 1, rules: addressed" in said
    assert flawed.selfreview("show", "sr-ffff").code == 4


@pytest.mark.parametrize(
    ("issue", "expected"),
    [
        ("sr-00000004", "claude: still open; needs a person: Whether an empty table is an error has to be decided by"),
        ("sr-00000003", "claude: still open; it says: Named what was meant.; rejected: tests/test_app.py:"),
        ("sr-0000000b", "ruff: still open r-1, refinement 3, agent-codex: still open; failed: it ended with status 1"),
    ],
)
def test_every_refinement_of_a_run_has_its_say(issue: str, expected: str) -> None:
    outcome = msgspec.structs.replace(SAMPLES["refined"], run_id="r-1")
    asked = msgspec.structs.replace(outcome.issues[0], id=issue)
    assert expected in " ".join(said.sentence() for said in said_of([asked], [outcome]))


# --- status and history --------------------------------------------------------------------------------------------


def test_status_names_the_patch_that_waits_until_it_is_applied(flawed: Workspace) -> None:
    patch = flawed.review()["patch"]["id"]
    said = words(flawed.selfreview("status").out)
    assert "refined after 1 refinement: nothing blocks any more" in said
    assert f"patch {patch} waits: selfreview apply puts it into your tree, selfreview show --iteration 1 sh" in said
    assert "next apply the refinement, then review again: selfreview apply, selfreview run" in said
    assert flawed.selfreview("apply").code == 0
    document = flawed.selfreview("status", "-f", "json").json
    assert document["session"]["patch"] is None
    assert (document["upToDate"], document["advice"]) == (False, "review again: selfreview run")
    said = words(flawed.selfreview("status").out)
    assert "waits" not in said
    assert "decided apply, by" in said


def test_status_does_not_call_applied_what_was_taken_back(flawed: Workspace) -> None:
    flawed.review("--apply")
    said = words(flawed.selfreview("status").out)
    assert "patch applied to your tree; selfreview undo takes it back since nothing has changed" in said
    assert "session the self-review passed; 1 of 3 refinements done next" in said
    flawed.selfreview("undo")
    said = words(flawed.selfreview("status").out)
    assert "applied to your tree" not in said
    assert " waits: selfreview apply puts it into your tree" in said


def test_status_says_who_has_to_look_and_what_was_decided(flawed: Workspace) -> None:
    flawed.write("app.py", FLAWED + "\n\ndef other():\n    return undefined_name\n")
    flawed.commit("flawed")
    flawed.review()
    said = words(flawed.selfreview("status").out)
    assert "session the self-review did not pass; 1 of 3 refinements done, stopped by: nothing fixable" in said
    assert "person needed since 20" in said
    assert ": no fixer can fix the open issues" in said
    flawed.selfreview("skip", "--reason", "a\x1b[2J hurry")
    said = words(flawed.selfreview("status").out)
    assert "decided skip, by" in said
    assert said.count(": a\\x1b[2J hurry") == 1
    assert "no longer counts" not in said
    flawed.commit("later")
    flawed.commit("more", **{"more.txt": "text\n"})
    assert "(for an earlier commit: it no longer counts)" in words(flawed.selfreview("status").out)


@pytest.mark.parametrize("state", SessionState)
def test_every_state_has_words(state: SessionState) -> None:
    session = Session(id="s-1", branch="b", worktree="/w", created="", updated="", state=state)
    session.failed_in, session.error = SessionState.REFINING, "the disk is full"
    ((label, text),) = session_facts(session, None)
    assert label == "session"
    assert "_" not in text
    assert ("the disk is full" in text) == (state is SessionState.FAILED)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (SessionState.SELF_REVIEW_FAILED, "2 of 3 refinements done"),
        (SessionState.REFINING, "refinement 2 of 3 is unfinished"),
        (SessionState.SELF_REVIEWING, "refinement 2 of 3 is unfinished"),
        (SessionState.FAILED, "refinement 2 of 3 is unfinished"),
    ],
)
def test_a_refinement_that_broke_off_is_not_called_done(state: SessionState, said: str) -> None:
    session = Session(id="s-1", branch="b", worktree="/w", created="", updated="", state=state, iteration=2)
    session.failed_in = SessionState.REFINING
    assert said in dict(session_facts(session, None))["session"]


def test_advice_follows_the_session_where_it_knows_more() -> None:
    session = Session(id="s-1", branch="b", worktree="/w", created="", updated="")

    def next_step(**more: object) -> str:
        return session_advice(msgspec.structs.replace(session, **more), passed=False, holds=True) or ""

    assert next_step() == ""
    assert "selfreview resume" in next_step(state=SessionState.REFINING)
    assert "selfreview resume" in next_step(state=SessionState.FAILED)
    assert "selfreview reset" in next_step(state=SessionState.READY_FOR_HUMAN_REVIEW)
    assert "selfreview apply" in next_step(patch="p-1", human_review_required="the cap is reached")
    assert "selfreview refine" in next_step(human_review_required="the cap is reached")
    stuck = msgspec.structs.replace(session, patch="p-1", human_review_required="the cap is reached")
    assert session_advice(stuck, passed=False, holds=False) is None
    assert session_advice(stuck, passed=True, holds=True) is None
    assert session_advice(None, passed=False, holds=True) is None


def test_only_the_newest_decisions_are_listed() -> None:
    at = "2026-11-27T21:00:00Z"
    decisions = [Decision(action="accept", who="A", at=at, fingerprint=f"v1:{n}") for n in range(7)]
    session = Session(id="s-1", branch="b", worktree="/w", created="", updated="", decisions=decisions)
    listed = [text for label, text in session_facts(session, None) if label == "decided"]
    assert listed[0] == "2 earlier decisions: --format json has all of them"
    assert [text.split(",")[0] for text in listed[1:]] == [f"accept sr-{n}" for n in range(2, 7)]


def test_history_says_which_runs_refined(flawed: Workspace) -> None:
    flawed.review("--no-fix")
    flawed.review()
    flawed.review("--apply")
    rows = flawed.selfreview("history").out.splitlines()
    assert [row[rows[0].index("REFINED") :].split("  ")[0] for row in rows] == ["REFINED", "1, applied", "1", "-"]
    runs = flawed.selfreview("history", "-f", "json").json["runs"]
    assert [(run["iterations"], run["stop"], run["applied"]) for run in runs] == [
        (1, "passed", True),
        (1, "passed", False),
        (0, None, False),
    ]


def refined_of_history(workspace: Workspace) -> list[str]:
    rows = workspace.selfreview("history").out.splitlines()
    return [row[rows[0].index("REFINED") :].split("  ")[0] for row in rows[1:]]


def test_history_does_not_call_applied_what_was_taken_back(flawed: Workspace) -> None:
    flawed.review("--apply")
    assert refined_of_history(flawed) == ["1, applied"]
    flawed.selfreview("undo")
    assert refined_of_history(flawed) == ["1, undone"]


def test_show_without_a_name_shows_the_one_issue_that_is_open(workspace: Workspace) -> None:
    workspace.write("app.py", "def other():\n    return undefined_name\n")
    none = workspace.selfreview("show")
    assert none.code == 4
    assert none.err.startswith("error: name an issue (none is open), or a refinement with --iteration\n")
    workspace.review()
    assert "Undefined name `undefined_name`" in words(workspace.selfreview("show").out)
    workspace.write("app.py", "def other():\n    return undefined_name + another_name\n")
    workspace.review()
    several = workspace.selfreview("show")
    assert (several.code, "(2 are open)" in several.err) == (4, True)


def test_an_iteration_s_sections_add_up_to_its_headline(flawed: Workspace) -> None:
    flawed.write("app.py", FLAWED + "\n\ndef other():\n    value = 1\n    return undefined_name\n")
    flawed.review()
    said = flawed.selfreview("show", "--iteration", "1").out
    assert "3 open: 1 addressed, 2 still open" in words(said)
    assert "\n1 still open of those that blocked\n" in said
    assert "\n1 more still open, not blocking before\n" in said


MORE = "\n\ndef other():\n    return undefined_name\n"


def test_status_shows_nothing_of_a_refinement_that_a_later_review_has_replaced(flawed: Workspace) -> None:
    flawed.commit("flawed", **{"app.py": FLAWED + MORE})
    flawed.review()
    ready = flawed.selfreview("ready")
    assert ready.out == "ready for people to review, though 2 issues still block (selfreview status)\n"
    assert "it is marked as ready for people to review" in flawed.selfreview("refine").err
    flawed.commit("fixed", **{"app.py": "LIMIT = 3\n"})
    assert flawed.review()["passed"]
    said = words(flawed.selfreview("status").out)
    for stale in ("person needed", "refinements done", "stopped by", " waits"):
        assert stale not in said, stale
    flawed.selfreview("reset")
    said = words(flawed.selfreview("status").out)
    assert " waits" not in said
    assert said.endswith("next review again: selfreview run")


def test_a_patch_that_no_longer_fits_is_not_offered(flawed: Workspace) -> None:
    flawed.commit("flawed", **{"app.py": FLAWED + MORE})
    flawed.review()
    assert "selfreview apply puts it into your tree" in words(flawed.selfreview("status").out)
    flawed.write("app.py", "# by hand\n" + FLAWED + MORE)
    said = words(flawed.selfreview("status").out)
    assert "does not fit any more: app.py changed since it was made" in said
    assert "selfreview apply" not in said


def test_an_issue_that_a_later_review_does_not_find_is_not_called_open(flawed: Workspace) -> None:
    (issue, *_) = flawed.review("--no-fix")["issues"]
    assert "not found since" not in flawed.selfreview("show", issue["id"]).out
    flawed.commit("fixed", **{"app.py": "LIMIT = 3\n"})
    run = flawed.review()["runId"]
    shown = flawed.selfreview("show", issue["id"]).out
    assert f"status: not found since: the review {run} of this branch is without it" in words(shown)


def test_a_branch_without_a_change_is_not_called_passed(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.selfreview("run")
    said = words(workspace.selfreview("status").out)
    assert "passed" not in said
    assert "session nothing to review" in said
    assert said.endswith("next nothing: there is no change to review")


def test_what_a_review_that_is_incomplete_did_not_see_is_not_counted() -> None:
    result = make_result()
    result.status, result.issues = ResultStatus.INCOMPLETE, []
    iteration = Iteration(refinement=Refinement(fixers=[FixerReport(name="fixme", issues=["sr-1"])]), review=result)
    assert refined.tally(iteration) == "what is open is not known: its review is incomplete"
    assert [part.did for part in refined.parts(iteration)] == ["was given 1 issue"]
