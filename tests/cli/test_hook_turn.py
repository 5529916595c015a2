"""``selfreview hook turn``: a coding agent is sent back once, and only for what it changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import few

BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
SENT_BACK = 2


def turn(workspace: Workspace, step: str, *, session: str = "s1", again: bool | None = False, **env: str) -> Ran:
    said = {"session_id": session} | ({} if again is None else {"stop_hook_active": again})
    return workspace.selfreview("hook", "turn", step, stdin=json.dumps(said).encode(), **env)


@pytest.fixture
def begun(workspace: Workspace) -> Workspace:
    assert turn(workspace, "begin").code == ExitCode.PASSED
    return workspace


@pytest.mark.parametrize("again", [True, None])
def test_an_issue_sends_it_back_once(begun: Workspace, again: bool | None) -> None:
    begun.write("app.py", BAD)
    first = turn(begun, "end", again=again and False)
    assert (first.code, first.out) == (SENT_BACK, "")
    assert "| app.py\n- sr-" in first.err
    assert "selfreview: next: fix each cause" in first.err
    second = turn(begun, "end", again=again)
    assert second.code == ExitCode.PASSED
    assert "selfreview status" in json.loads(second.out)["systemMessage"]


def test_the_next_turn_is_one_of_its_own(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    assert turn(begun, "end").code == SENT_BACK
    assert turn(begun, "end", again=True).code == ExitCode.PASSED
    turn(begun, "begin")
    assert turn(begun, "end").code == ExitCode.PASSED  # nothing was changed in it
    begun.write("app.py", BAD + "x = 1\n")
    assert turn(begun, "end").code == SENT_BACK


@pytest.mark.parametrize("how", ["dirty", "staged", "committed", "ignored"])
def test_a_turn_that_changed_nothing_is_not_reviewed(workspace: Workspace, how: str) -> None:
    workspace.write("app.py", BAD)
    if how == "staged":
        workspace.git("add", "app.py")
    if how == "committed":
        workspace.commit("bad")
    turn(workspace, "begin")
    if how == "ignored":
        workspace.write(".git/info/exclude", "build/\n")
        workspace.write("build/x.py", BAD)
    ran = turn(workspace, "end")
    assert (ran.code, ran.out, ran.err) == (ExitCode.PASSED, "", "")


@pytest.mark.parametrize("how", ["edited", "disguised", "added", "removed", "committed", "staged"])
def test_any_change_counts(workspace: Workspace, how: str) -> None:
    workspace.write("app.py", BAD)
    workspace.write("gone.py", "x = 1\n")
    turn(workspace, "begin")
    match how:
        case "edited":
            workspace.write("app.py", BAD.replace("items", "others"))
        case "disguised":
            before = (workspace.root / "app.py").stat()
            changed = workspace.write("app.py", BAD.replace("items", "other"))
            os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
        case "added":
            workspace.write("new.py", "x = 1\n")
        case "removed":
            (workspace.root / "gone.py").unlink()
        case "committed":
            workspace.commit("all of it")
        case _:
            workspace.git("add", "app.py")
    assert turn(workspace, "end").code == SENT_BACK


def test_a_clean_change_lets_it_stop(begun: Workspace) -> None:
    begun.write("app.py", "LIMIT = 3\n")
    ran = turn(begun, "end")
    assert (ran.code, ran.out, ran.err) == (ExitCode.PASSED, "", "")


def test_sessions_are_told_apart(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    turn(begun, "begin", session="s2")
    assert turn(begun, "end", session="s2").code == ExitCode.PASSED
    assert turn(begun, "end").code == SENT_BACK


def test_what_could_not_be_reviewed_is_told_to_the_person(begun: Workspace) -> None:
    begun.write("selfreview.toml", "][")
    ran = turn(begun, "end")
    assert ran.code == 1
    assert "selfreview could not review (exit code 4)" in ran.err


SAID = {"nothing": b"", "half": b"{", "a list": b"[]", "very deep": b"[" * 100_000,
        "other types": b'{"session_id": 3, "stop_hook_active": "yes"}'}  # fmt: skip


@pytest.mark.parametrize("said", few(SAID, "half", "very deep", "other types"))
def test_whatever_it_is_told_it_reviews_and_ends(workspace: Workspace, said: bytes) -> None:
    workspace.write("app.py", BAD)
    ended = [workspace.selfreview("hook", "turn", "end", stdin=said).code for _ in range(2)]
    assert ended == [SENT_BACK, ExitCode.PASSED]


def test_elsewhere_there_is_nothing_to_do(workspace: Workspace) -> None:
    for step in ("begin", "end"):
        ran = workspace.selfreview("hook", "turn", step, cwd=workspace.root.parent, stdin=b"{}")
        assert (ran.code, ran.out, ran.err) == (ExitCode.PASSED, "", "")


def test_it_can_be_skipped(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    assert turn(begun, "end", SELFREVIEW_SKIP="1").code == ExitCode.PASSED


def test_nothing_of_the_tree_or_the_index_is_touched(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    before = begun.git("status", "--porcelain"), (begun.root / ".git" / "index").read_bytes()
    turn(begun, "end")
    assert (begun.git("status", "--porcelain"), (begun.root / ".git" / "index").read_bytes()) == before


def test_the_code_under_review_is_not_run_in_our_place(begun: Workspace) -> None:
    begun.write("selfreview/__init__.py", "")
    begun.write("selfreview/__main__.py", "raise SystemExit(0)\n")
    begun.write("app.py", BAD)
    for step, code in (("end", SENT_BACK), ("review", ExitCode.ISSUES)):
        starts = [sys.executable, "-P", "-m", "selfreview", "hook", "turn", step]  # no fork, which has it imported
        assert subprocess.run(starts, cwd=begun.root, input=b'{"session_id": "s1"}', check=False).returncode == code


def test_what_an_agent_may_run_takes_no_option(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    ran = begun.selfreview("hook", "turn", "review")
    assert ran.code == ExitCode.ISSUES
    assert "| app.py" in ran.out
    for more in (["-o", "jobs=1"], ["--format", "json:x"], ["HEAD"]):
        assert begun.selfreview("hook", "turn", "review", *more).code == ExitCode.USAGE


def test_what_a_turn_changed_that_was_broken_off_is_reviewed_with_the_next(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    turn(begun, "begin")
    assert turn(begun, "end").code == SENT_BACK


def test_a_hook_of_somebody_else_that_sent_it_back_is_not_ours(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    assert turn(begun, "end", again=True).code == SENT_BACK
    assert turn(begun, "end", again=True).code == ExitCode.PASSED


@pytest.mark.parametrize("how", ["said", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"])
def test_an_agent_that_went_elsewhere_is_still_reviewed_where_it_began(begun: Workspace, how: str) -> None:
    begun.write("app.py", BAD)
    root = str(begun.root)
    said = json.dumps({"session_id": "s1", "cwd": root} if how == "said" else {"session_id": "s1"}).encode()
    env = {} if how == "said" else {how: root}
    elsewhere = begun.root.parent
    assert begun.selfreview("hook", "turn", "end", cwd=elsewhere, stdin=said, **env).code == SENT_BACK


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_an_agent_that_removed_its_own_folder_is_reviewed(begun: Workspace) -> None:
    begun.write("app.py", BAD)
    (gone := begun.root.parent / "gone").mkdir()
    script = 'rmdir "$PWD" && exec "$0" -P -m selfreview hook turn end'
    environ = {**os.environ, "CLAUDE_PROJECT_DIR": str(begun.root)}
    ran = subprocess.run(["/bin/sh", "-c", script, sys.executable], cwd=gone, input=b"{}", env=environ, check=False)
    assert ran.returncode == SENT_BACK


@pytest.mark.parametrize("step", ["begin", "end"])
@pytest.mark.parametrize(
    ("file", "held"),
    [
        ("index", "garbage"),
        ("config", "[core"),
        ("HEAD", "garbage"),
        ("config", "[core]\nrepositoryformatversion = 9\n"),
    ],
)
def test_what_git_cannot_read_is_told_and_holds_no_agent_up(begun: Workspace, step: str, file: str, held: str) -> None:
    begun.write(f".git/{file}", held)
    ran = turn(begun, step)
    assert (ran.code, ran.err.startswith("selfreview could not review: ")) == (1, True), ran


def test_what_blocks_sends_it_back_though_a_model_is_required(begun: Workspace) -> None:
    begun.write("selfreview.toml", 'required_reviewers = ["claude"]\n')
    begun.write("app.py", BAD)
    ran = turn(begun, "end")
    assert (ran.code, "claude skipped" in ran.err) == (SENT_BACK, True), ran
    begun.write("app.py", "LIMIT = 1\n")
    ran = turn(begun, "end")
    assert (ran.code, "selfreview could not review (exit code 5)" in ran.err) == (1, True), ran
