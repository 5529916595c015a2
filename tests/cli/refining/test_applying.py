"""A refinement reaches the person's tree by their word only, whole, and can be taken back."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.conftest import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and signals")


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


def app(lab: Lab) -> bytes:
    return (lab.person.root / "app.py").read_bytes()


@pytest.mark.parametrize(
    ("top", "reason"),
    [("", "not asked: there is no terminal"), ('apply = "never"\n', "apply = never")],
    ids=["ask", "never"],
)
def test_it_is_kept_applied_later_and_taken_back(lab: Lab, top: str, reason: str) -> None:
    lab.use("good", top=top)
    lab.person.git("add", "app.py")
    before = lab.snapshot()
    ran = lab.refine()
    patch = ran.json["patch"]
    assert (ran.code, ran.json["stop"], patch["applied"]) == (ExitCode.ISSUES, "passed", False)
    assert reason in patch["reason"]
    assert b"-    return n // 2  # BUG-one\n+    return n // 2\n" in Path(patch["file"]).read_bytes()
    assert lab.snapshot() == before
    assert lab.session().patch == patch["id"]

    assert lab.call("apply").code == ExitCode.PASSED
    assert app(lab) == MENDED
    assert lab.session().patch is None
    again = lab.call("apply")
    assert (again.code, again.err.splitlines()[0]) == (ExitCode.USAGE, "error: there is no kept patch to apply")

    assert lab.call("undo").code == ExitCode.PASSED
    assert lab.snapshot() == before
    assert lab.session().patch == patch["id"]
    assert lab.call("apply", patch["id"], "--stage").code == ExitCode.PASSED
    assert lab.person.git("show", ":app.py").encode() + b"\n" == MENDED


def test_always_applies_and_stage_stages(lab: Lab) -> None:
    lab.use("good", top='apply = "always"\n')
    lab.person.git("add", "app.py")
    ran = lab.refine("--stage")
    assert (ran.code, ran.json["patch"]["applied"], ran.json["patch"]["staged"]) == (ExitCode.PASSED, True, True)
    assert app(lab) == MENDED
    assert lab.person.git("diff", "--name-only") == ""
    assert lab.person.git("ls-files", "note.txt") == ""  # only what the refinement changed is staged


def test_what_is_not_staged_by_the_person_stays_unstaged(lab: Lab) -> None:
    lab.person.git("add", "app.py")
    index = lab.person.git("ls-files", "--stage")
    assert lab.refine("--apply").code == ExitCode.PASSED
    assert lab.person.git("ls-files", "--stage") == index
    assert app(lab) == MENDED


def test_where_git_fails_after_it_was_applied_the_result_is_incomplete(lab: Lab) -> None:
    ran = lab.refine("--apply", MARKS_FORBID="break the index")
    assert (ran.code, ran.json["status"], ran.json["patch"]["applied"]) == (ExitCode.INCOMPLETE, "incomplete", True)
    (reason,) = ran.json["incompleteReasons"]
    assert reason.startswith("cannot tell whether the tree was edited while it was refined: ")
    assert app(lab) == MENDED
    assert lab.session().run_id == ran.json["runId"]


def test_where_git_fails_before_anything_is_applied_the_report_is_there(lab: Lab) -> None:
    ran = lab.refine("--apply", "--stage", MARKS_FORBID="break the index", here=True)
    assert (ran.code, ran.json["patch"]["applied"]) == (ExitCode.ISSUES, False), ran
    assert ran.json["patch"]["reason"]
    assert app(lab) == APP


def test_undo_refuses_what_was_edited_since(lab: Lab) -> None:
    assert lab.refine("--apply").code == ExitCode.PASSED
    lab.person.write("app.py", MENDED + b"# mine\n")
    ran = lab.call("undo")
    assert ran.code == ExitCode.USAGE
    assert "app.py" in ran.err
    assert app(lab) == MENDED + b"# mine\n"


@pytest.mark.long
def test_undo_after_a_commit_says_so_and_stages_nothing(lab: Lab) -> None:
    lab.person.git("add", "app.py")
    assert lab.refine("--staged", "--apply", "--stage", here=True).code == ExitCode.PASSED
    lab.person.git("commit", "--quiet", "--message=refined")
    ran = lab.call("undo")
    assert (ran.code, app(lab)) == (ExitCode.PASSED, APP)
    assert lab.person.git("diff", "--cached", "--name-only") == ""
    assert "note: committed since: app.py; the commit and the index keep the refinement" in ran.err
    assert ran.out == "undone: 1 file restored; selfreview apply applies it again\n"


def test_undo_says_that_the_index_is_put_back(lab: Lab) -> None:
    lab.person.git("add", "app.py")
    index = lab.person.git("ls-files", "--stage")
    lab.refine("--apply", "--stage", here=True)
    ran = lab.call("undo")
    assert (ran.err, lab.person.git("ls-files", "--stage")) == ("", index)
    assert ran.out == "undone: 1 file restored, in the index, too; selfreview apply applies it again\n"


def test_an_untracked_file_is_said_not_to_be_staged_as_it_is_untracked(lab: Lab) -> None:
    lab.person.git("rm", "--quiet", "--cached", "app.py")
    lab.refine(here=True)
    ran = lab.call("apply", "--stage")
    assert ran.code == ExitCode.PASSED
    assert "note: not staged: app.py; untracked: git add stages it\n" in ran.err
    assert lab.person.git("ls-files", "app.py") == ""


def test_nothing_was_applied(lab: Lab) -> None:
    for command in ("apply", "undo"):
        ran = lab.call(command)
        assert ran.code == ExitCode.USAGE
        assert len(ran.err.splitlines()) <= 2


def until(process: subprocess.Popen[bytes], marker: Path) -> None:
    """Wait for the agent of a run to be at work."""
    deadline = time.monotonic() + 100
    while not marker.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_the_person_edits_meanwhile_stays_theirs(lab: Lab) -> None:
    lab.use("waits")
    process = lab.start("--apply")
    until(process, lab.outside / "waiting")
    lab.person.write("app.py", APP + b"# mine\n")
    (lab.outside / "go").touch()
    out, err = process.communicate(timeout=100)
    result = json.loads(out)
    assert process.returncode == ExitCode.ISSUES
    assert (result["stop"], result["patch"]["applied"]) == ("passed", False)
    assert "app.py" in result["patch"]["reason"]
    assert b"the patch is not applied" in err
    assert Path(result["patch"]["file"]).exists()
    assert app(lab) == APP + b"# mine\n"
    assert lab.call("apply").code == ExitCode.USAGE
    assert app(lab) == APP + b"# mine\n"
    lab.person.write("app.py", APP)
    assert lab.call("apply").code == ExitCode.PASSED
    assert app(lab) == MENDED


def test_other_files_can_be_edited_meanwhile_and_a_second_run_keeps_out_of_the_way(lab: Lab) -> None:
    lab.use("waits")
    process = lab.start("--apply")
    until(process, lab.outside / "waiting")
    lab.person.write("note.txt", "edited meanwhile\n")
    session = lab.session()
    second = lab.refine("--apply")
    refused = lab.call("reset")
    unchanged = lab.session()
    (lab.outside / "go").touch()
    _, err = process.communicate(timeout=100)
    assert process.returncode == ExitCode.INCOMPLETE, err  # what they wrote was not reviewed
    assert app(lab) == MENDED
    assert (lab.person.root / "note.txt").read_bytes() == b"edited meanwhile\n"
    assert (second.code, second.json["iterations"], second.json["patch"]) == (ExitCode.ISSUES, [], None)
    assert any("another run" in note for note in second.json["notes"])
    assert (refused.code, unchanged) == (ExitCode.USAGE, session)
    assert "a run is in progress" in refused.err
    assert lab.session().state == "pending_self_review"
    assert lab.workspaces == []


@pytest.mark.long
@pytest.mark.parametrize("command", ["run", "apply"])
def test_what_was_begun_and_refused_has_an_end(lab: Lab, command: str) -> None:
    if command == "apply":
        lab.refine()
        lab.person.write("app.py", APP + b"# mine\n")
        assert lab.call("apply").code == ExitCode.USAGE
    else:
        lab.person.git("add", "app.py")
        lock = lab.person.root / ".git" / "index.lock"
        lock.write_bytes(b"")
        assert lab.refine("--apply", "--stage").code == ExitCode.ISSUES
        lock.unlink()
    ends = [event for event in lab.events() if event.kind.startswith("patch.")]
    assert [event.kind for event in ends] == ["patch.applying", "patch.refused"]
    assert ends[0].data["patch"] == ends[1].data["patch"]
    assert "nothing was changed" in str(ends[1].data["reason"])


@pytest.mark.parametrize("option", [["--apply"], ["--stage"], ["--fixer", "rules"], ["--max-iterations", "2"]])
def test_a_bare_patch_is_not_refined_and_who_asks_is_told(lab: Lab, option: list[str]) -> None:
    ran = lab.person.selfreview("run", "--diff", "-", *option, stdin=b"")
    assert ran.code == ExitCode.USAGE
    assert f"--diff excludes {option[0]}" in ran.err


def test_an_undo_on_another_branch_leaves_its_session_no_patch(lab: Lab) -> None:
    assert lab.refine("--apply", here=True).code == ExitCode.PASSED
    lab.person.git("switch", "--quiet", "--create", "other")
    assert lab.call("undo").code == ExitCode.PASSED
    assert app(lab) == APP
    assert "waits" not in lab.call("status").out


def test_a_patch_whose_apply_is_completed_later_waits_no_more(lab: Lab) -> None:
    waits = lab.refine(here=True).json["patch"]["id"]
    assert lab.session().patch == waits
    folder = lab.person.root / ".git" / "selfreview"
    (folder / "journal.json").write_text(json.dumps({"patch": waits, "undo": False, "staged": False, "at": "2026"}))
    assert "   -  an apply or undo was interrupted\n" in lab.call("doctor").out
    assert (app(lab), lab.session().patch) == (APP, waits)  # which only looks
    ran = lab.call("status")
    assert "has been completed now" in ran.err
    assert "waits" not in ran.out
    assert (app(lab), lab.session().patch) == (MENDED, None)


def test_a_patch_whose_undo_is_completed_later_waits_again(lab: Lab) -> None:
    undone = lab.refine("--apply", here=True).json["patch"]["id"]
    folder = lab.person.root / ".git" / "selfreview"
    (last,) = (path for path in folder.glob("*.json") if undone in path.read_text())
    (folder / "journal.json").write_text(json.dumps({**json.loads(last.read_text()), "undo": True}))
    assert "has been completed now" in lab.call("status").err
    assert (app(lab), lab.session().patch) == (APP, undone)
    assert lab.call("apply").code == ExitCode.PASSED
    assert app(lab) == MENDED
