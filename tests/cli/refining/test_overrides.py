"""What a person decides about a session: each where it makes sense, kept with who and when, and refused elsewhere."""

from __future__ import annotations

import pytest

from selfreview.app.permitted_commands import is_permitted
from selfreview.app.session import LiveSession
from selfreview.errors import ExitCode
from selfreview.model.refinement import Stop
from selfreview.model.result import Result
from selfreview.model.session import SessionState
from selfreview.plugins.manager import PluginManager
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.refinement_result import RefinementResult
from selfreview.testing.context import MemoryConfig
from tests.cli.refining.lab import Lab
from tests.conftest import Workspace

PERSON = "Sam Person <sam@localhost>"


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    workspace.git("config", "user.name", "Sam Person")
    workspace.git("config", "user.email", "sam@localhost")
    return Lab(workspace)


def decided(lab: Lab) -> list[tuple[str, str, str]]:
    return [(decision.action, decision.who, decision.reason) for decision in lab.session().decisions]


@pytest.mark.parametrize("command", ["refine", "retry", "resume", "ready", "reset"])
def test_a_branch_without_a_session(lab: Lab, command: str) -> None:
    ran = lab.call(command)
    assert ran.code == ExitCode.USAGE
    assert ran.err.splitlines() == ["error: this branch has no session yet", "hint: start with: selfreview run"]


def test_what_was_accepted_passes_the_next_run_and_only_that(lab: Lab) -> None:
    issues = lab.refine("--max-iterations", "0").json["issues"]
    first, second = (issue["id"] for issue in issues)
    assert lab.call("accept", first).code == ExitCode.USAGE
    empty = lab.call("accept", first, "--reason", "  ")
    assert (empty.code, empty.err.splitlines()[0]) == (ExitCode.USAGE, "error: the reason is empty")
    assert lab.call("accept", "sr-00000000", "--reason", "known").code == ExitCode.USAGE
    assert lab.call("accept", first, "--reason", "known since May").code == ExitCode.PASSED
    after = lab.refine("--max-iterations", "0")
    assert after.code == ExitCode.ISSUES
    assert lab.call("accept", second, "--reason", "the same").code == ExitCode.PASSED
    after = lab.refine("--max-iterations", "0")
    assert after.code == ExitCode.PASSED
    assert {(issue["status"], issue["statusReason"]) for issue in after.json["issues"]} == {
        ("accepted", f"accepted by {PERSON}: known since May"),
        ("accepted", f"accepted by {PERSON}: the same"),
    }
    assert decided(lab) == [("accept", PERSON, "known since May"), ("accept", PERSON, "the same")]


def test_what_was_accepted_can_be_withdrawn_by_name_and_counts_again(lab: Lab) -> None:
    issues = lab.refine("--max-iterations", "0").json["issues"]
    first, second = (issue["id"] for issue in issues)
    for issue in (first, second):
        lab.call("accept", issue, "--reason", "known")
    assert lab.refine("--max-iterations", "0").code == ExitCode.PASSED
    assert lab.call("accept", "--withdraw", first, "--reason", " ").err.startswith("error: the reason is empty")
    done = lab.call("accept", "--withdraw", first)
    assert (done.code, done.out.split(";")[0]) == (ExitCode.PASSED, f"no longer accepted: {first}")
    after = lab.refine("--max-iterations", "0")
    assert after.code == ExitCode.ISSUES
    assert {issue["id"]: issue["status"] for issue in after.json["issues"]} == {first: "open", second: "accepted"}
    twice = lab.call("accept", "--withdraw", first)
    assert (twice.code, twice.err.splitlines()[0]) == (
        ExitCode.USAGE,
        f"error: '{first}' is not accepted on this branch",
    )
    by_fingerprint = lab.call("accept", "--withdraw", issues[1]["fingerprint"][:11], "--reason", "mended soon")
    assert by_fingerprint.code == ExitCode.PASSED
    assert decided(lab)[2:] == [("withdraw", PERSON, ""), ("withdraw", PERSON, "mended soon")]
    last = next(event for event in reversed(lab.events()) if event.kind == "person.withdraw")
    assert (last.data["who"], last.data["issue"]) == (PERSON, issues[1]["fingerprint"])
    lab.call("accept", first, "--reason", "after all")
    assert lab.refine("--max-iterations", "0").json["issues"][0]["statusReason"].endswith(": after all")
    said = " ".join(lab.call("status").out.split())
    assert f"withdraw {second}" in said
    assert f"by {PERSON}" in said


def test_an_accepted_issue_is_nobodys_work(lab: Lab) -> None:
    lab.use("listens")
    first, second = lab.refine("--max-iterations", "0").json["issues"]
    lab.call("accept", first["id"], "--reason", "known")
    lab.refine()
    told = (lab.outside / "told").read_text()
    assert first["id"] not in told
    assert second["id"] in told


def test_ready_hands_over_and_a_run_does_not_disturb_that(lab: Lab) -> None:
    lab.refine("--max-iterations", "0")
    assert lab.call("ready", "-p", "marks", "--reason", "enough").code == ExitCode.USAGE  # it takes no plugins
    assert lab.call("ready", "--reason", "enough", SELFREVIEW_PLUGINS="marks").code == ExitCode.PASSED
    assert lab.session().state == "ready_for_human_review"
    assert {"hook": "ready", "summary": "enough"} in lab.told()
    lab.refine()
    assert lab.session().state == "ready_for_human_review"
    twice = lab.call("ready")
    assert twice.code == ExitCode.USAGE
    assert twice.err.startswith(
        "error: this branch cannot be marked as ready: it is marked as ready for people to review\n"
    )
    resumed = lab.call("resume")
    assert (resumed.code, resumed.err.count("error: ")) == (ExitCode.USAGE, 1)
    assert lab.call("reset").code == ExitCode.PASSED
    assert lab.session().state == "pending_self_review"
    assert decided(lab) == [("ready", PERSON, "enough"), ("reset", PERSON, "")]


def test_reset_begins_anew_and_keeps_what_was_accepted_and_kept(lab: Lab) -> None:
    lab.use("wrong")
    (first, _) = lab.refine().json["issues"]
    lab.call("accept", first["id"], "--reason", "known")
    session = lab.session()
    assert (session.iteration, session.stop) == (3, "cap")
    assert session.human_review_required
    assert session.human_review_at
    assert lab.call("reset", "--reason", "again").code == ExitCode.PASSED
    session = lab.session()
    assert (session.state, session.iteration, session.stop) == ("pending_self_review", 0, None)
    assert (session.human_review_required, session.human_review_at) == (None, None)
    assert [decision.action for decision in session.decisions] == ["accept", "reset"]
    assert lab.call("reset").code == ExitCode.PASSED


@pytest.mark.long
def test_refine_goes_on_where_the_cap_was_reached_and_has_all_iterations(lab: Lab) -> None:
    lab.use("wrong", top="max_iterations = 2\n")
    first = lab.refine("--apply")
    assert (first.json["stop"], len(first.json["iterations"])) == ("cap", 2)
    again = lab.refine("--max-iterations", "1", command="refine")
    assert (again.json["stop"], len(again.json["iterations"])) == ("cap", 1)
    none = lab.refine("--max-iterations", "0", command="refine")
    assert (none.code, none.json["error"]["message"]) == (ExitCode.USAGE, "--max-iterations 0 refines nothing")
    lab.use("good", top="max_iterations = 0\n")
    done = lab.refine("--apply", command="refine")
    assert (done.code, done.json["stop"], len(done.json["iterations"])) == (ExitCode.PASSED, "passed", 1)
    passed = lab.refine(command="refine")
    assert (passed.code, passed.json["error"]["message"]) == (
        ExitCode.USAGE,
        "there is nothing to refine: the last review passed",
    )
    assert [action for action, _, _ in decided(lab)] == ["refine", "refine"]
    assert lab.session().human_review_required is None


@pytest.mark.long
def test_refine_says_that_a_patch_that_waits_is_no_part_of_it(lab: Lab) -> None:
    lab.use("partial")
    patch = lab.refine().json["patch"]["id"]
    again = lab.refine("--max-iterations", "1", command="refine")
    assert (
        f"note: {patch} is not applied, so it is not included; to include it, run selfreview apply first" in again.err
    )


def test_retry_does_the_last_stage_again(lab: Lab) -> None:
    lab.refine("--max-iterations", "0")
    assert all(reviewer["cached"] for reviewer in lab.refine("--no-fix").json["reviewers"])
    review = lab.refine("--max-iterations", "0", command="retry")
    assert "note: retrying the review\n" in review.err
    assert not any(reviewer["cached"] for reviewer in review.json["reviewers"])
    lab.use("wrong")
    lab.refine("--max-iterations", "1")
    lab.use("good")
    refinement = lab.refine(command="retry")
    assert "note: retrying the refinement\n" in refinement.err
    assert all(reviewer["cached"] for reviewer in refinement.json["reviewers"])
    assert (refinement.json["stop"], len(refinement.json["iterations"])) == ("passed", 1)
    assert [action for action, _, _ in decided(lab)] == ["retry", "retry"]


def test_resume_only_goes_on_where_something_broke_off(lab: Lab) -> None:
    lab.refine("--max-iterations", "0")
    ran = lab.call("resume")
    assert ran.code == ExitCode.USAGE
    assert ran.err.splitlines()[0] == "error: no run was interrupted: the last review finished, and did not pass"


def test_skip_says_why_and_changes_no_verdict(lab: Lab) -> None:
    assert lab.call("skip").code == ExitCode.USAGE
    noted = lab.call("skip", "--reason", "release")
    assert (noted.code, noted.err.splitlines()) == (
        ExitCode.PASSED,
        ["uncommitted changes are not included: commit them, and run selfreview skip again"],
    )
    (decision,) = lab.session().decisions
    assert (decision.action, decision.tree) == ("skip", lab.person.git("rev-parse", "HEAD^{tree}"))
    assert lab.refine("--max-iterations", "0").code == ExitCode.ISSUES


def test_what_happened_is_kept_in_order_and_told(lab: Lab) -> None:
    assert lab.refine("--apply").code == ExitCode.PASSED
    states = [
        ("pending_self_review", "self_reviewing", 0),
        ("self_reviewing", "self_review_failed", 0),
        ("self_review_failed", "refining", 1),
        ("refining", "self_reviewing", 1),
        ("self_reviewing", "self_review_passed", 1),
    ]
    told = lab.told()
    assert [(t["previous"], t["new"], t["iteration"]) for t in told if t["hook"] == "state"] == states
    assert [t for t in told if t["hook"] == "refined"] == [{"hook": "refined", "addressed": 2, "left": 0}]
    events = lab.events()
    moves = [(e.data["previous"], e.data["new"]) for e in events if e.kind == "session.state_changed"]
    assert moves == [(previous, new) for previous, new, _ in states]
    kinds = [event.kind for event in events if event.kind != "session.state_changed"]
    assert kinds == [
        "default.used",
        "review.completed",
        "review.completed",
        "session.refinement_completed",
        "patch.applying",
        "patch.applied",
        "review.completed",
        "session.run_ended",
    ]
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_a_session_that_cannot_be_held_says_why(lab: Lab) -> None:
    lab.refine("--max-iterations", "0")
    lock = lab.person.root / ".git" / "selfreview" / "loop.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    ran = lab.refine()
    (note,) = [note for note in ran.json["notes"] if note.startswith("not refined: ")]
    assert note.startswith(f"not refined: {lock} cannot be written (")
    assert ran.json["iterations"] == []
    refused = lab.call("reset")
    assert (refused.code, f"{lock} cannot be written" in refused.err) == (ExitCode.USAGE, True)
    assert "hint: check that you may read and write there" in refused.err


def test_an_interrupted_review_can_be_resumed() -> None:
    session = new_session("work", "/tree", 3)
    session.state = SessionState.SELF_REVIEWING
    recorder = Recorder(session, None, PluginManager(), MemoryConfig(), lambda *_: None)
    lived = LiveSession(recorder, tracked=False)
    lived.finish(Result(), None)
    assert (lived.session.state, lived.session.stop) == ("pending_self_review", "interrupted")
    assert is_permitted("resume", lived.session)


@pytest.mark.parametrize("broke_off", [SessionState.REFINING, SessionState.SELF_REVIEWING])
@pytest.mark.parametrize("stop", [Stop.FAILED, Stop.INTERRUPTED])
def test_a_refinement_that_broke_off_leaves_the_verdict_of_the_tree(broke_off: SessionState, stop: Stop) -> None:
    session = new_session("work", "/tree", 3)
    session.state = broke_off
    lived = LiveSession(Recorder(session, None, PluginManager(), MemoryConfig(), lambda *_: None), tracked=False)
    lived.finish(Result(), RefinementResult(first=Result(), stop=stop, why="the disk is full"))
    assert (session.state, session.stop) == ("self_review_failed", stop)
    assert (session.human_review_required is not None) is (stop is Stop.FAILED)
    assert is_permitted("resume", session) is (stop is Stop.INTERRUPTED)
    assert is_permitted("refine", session)


@pytest.mark.parametrize("command", ["refine", "retry"])
def test_an_override_reaches_the_loop(lab: Lab, command: str) -> None:
    lab.use("partial")
    lab.refine("--max-iterations", "0")
    ran = lab.refine("-o", "max_iterations=1", command=command)
    assert (len(ran.json["iterations"]), ran.json["stop"]) == (1, "cap"), ran


def test_what_is_accepted_is_shown_and_from_when_it_counts(lab: Lab) -> None:
    name = lab.refine("--max-iterations", "0", here=True).json["issues"][0]["id"]
    lab.call("accept", name, "--reason", "known since May")
    status, show = lab.call("status").out, lab.call("show", name).out
    assert f"decided accept {name} (app.py:2), by {PERSON}" in " ".join(status.split())
    assert f"{name} since then: it counts from the next run" in status
    assert f"open; accepted since by {PERSON}: that counts from the next run" in " ".join(show.split())
    lab.refine("--max-iterations", "0", here=True)
    status, show = lab.call("status").out, lab.call("show", name).out
    assert "1 high in 1 file, 1 accepted" in status
    assert f"  {name}  app.py:2  accepted by {PERSON}: known since" in status
    assert "since then" not in status
    assert f"accepted by {PERSON}: known since May" in show
    assert "accepted: accepted" not in show
    lab.call("accept", "--withdraw", name)
    assert "(withdrawn since)" in " ".join(lab.call("status").out.split())


def test_after_an_undo_nobody_is_told_to_apply_it_again(lab: Lab) -> None:
    lab.refine("--apply", here=True)
    lab.call("undo")
    said = lab.call("status").out
    assert "waits" in said
    assert "next      apply" not in said


def test_what_a_reset_ended_says_so_and_what_is_not_committed_is_told(lab: Lab) -> None:
    lab.refine("--max-iterations", "0", here=True)
    ready = lab.call("ready")
    assert "uncommitted changes are not included" in ready.err
    assert "(reset since" not in lab.call("status").out
    lab.call("reset")
    assert "(reset since: it no longer counts)" in " ".join(lab.call("status").out.split())
