"""The project's checks: what fails is an open issue, and what a fix breaks is not kept."""

from __future__ import annotations

import json
import os
import sys

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import APP, BASE, MENDED, Lab
from tests.conftest import Ran, Workspace

STRICT = [sys.executable, "-c", "import sys; sys.exit('far too lax' if b'LAX' in open('app.py', 'rb').read() else 0)"]

FAILS = "git cat-file -e nothing"
NOT_AGAIN = "it failed before the first refinement, and was not run again"


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


def use(lab: Lab, deed: str) -> None:
    lab.use(deed, f"[checks]\nstrict = {json.dumps(STRICT)}\n")


def test_a_check_that_fails_is_an_open_issue_for_the_fixer(lab: Lab) -> None:
    use(lab, "mends_the_check")
    lab.person.write("app.py", MENDED + b"LAX = True\n")
    ran = lab.call("run", "-p", "marks", "--no-fix", "-f", "json")
    (issue,) = ran.json["issues"]
    assert (ran.code, issue["reviewer"], issue["status"]) == (ExitCode.ISSUES, "check-strict", "open")
    ran = lab.refine("--apply")
    assert (ran.code, ran.json["stop"]) == (ExitCode.PASSED, "passed"), ran
    assert "far too lax" in (lab.outside / "told").read_text()
    assert (lab.person.root / "app.py").read_bytes() == MENDED


@pytest.mark.parametrize("own", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_check_that_fails_once_a_fix_took_the_whole_change_back(lab: Lab, *, own: bool) -> None:
    (lab.person.root / "note.txt").unlink()
    lab.person.write("app.py", BASE.replace(b"n\n", b"n  # BUG-one\n"))
    lab.use("good", '[checks]\nt = "false"\n' if own else "")
    ran = lab.refine(*(() if own else ("-o", 'checks.t="false"')))
    assert ran.code == ExitCode.ISSUES
    review = ran.json["iterations"][0]["review"]
    assert [(issue["reviewer"], issue["file"]) for issue in review["issues"]] == [("check-t", "app.py")]
    assert (review["status"], review["passed"]) == ("complete", False)


def test_what_stops_the_refinement_says_that_a_limit_still_fails_the_review(lab: Lab) -> None:
    lab.person.write("app.py", APP + b"# NIT-small\n")
    ran = lab.refine("-o", "max_issues.total=0")
    review = ran.json["iterations"][-1]["review"]
    assert (ran.code, review["passed"]) == (ExitCode.ISSUES, False)
    fails = "1 open issue, 1 more than max_issues allows"
    assert ran.json["stopReason"] == f"nothing blocks any more, but the review does not pass: {fails}"


def test_a_check_that_failed_before_counts_where_it_is_not_run_again(lab: Lab) -> None:
    lab.use("partial", f'[checks]\nunit = "{FAILS}"\n'.replace('"', "'"))
    ran = lab.refine("--apply", "--max-iterations", "1")
    assert ran.json["patch"]["applied"]
    (check,) = [issue for issue in ran.json["issues"] if issue["reviewer"] == "check-unit"]
    assert (check["status"], check["statusReason"]) == ("open", NOT_AGAIN)
    (report,) = [report for report in ran.json["reviewers"] if report["name"] == "check-unit"]
    assert (report["status"], report["issues"]) == ("skipped", 1)
    assert report["error"] == f"{NOT_AGAIN}, because something blocks"
    assert (ran.code, ran.json["counts"]["high"]) == (ExitCode.ISSUES, 2)
    assert ran.json["iterations"][0]["refinement"]["newIssuesIntroduced"] == []


@pytest.mark.long
@pytest.mark.parametrize("submodule", [False, True])
def test_nothing_passes_by_a_check_of_another_tree(lab: Lab, *, submodule: bool) -> None:
    use(lab, "empty")
    if submodule:
        other = Workspace(lab.outside / "sub")
        other.root.mkdir()
        other.git("init", "--quiet")
        other.commit("one", **{"s.py": "s = 1\n"})
        add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "sub")
        lab.person.git(*add)
    lab.person.write("app.py", MENDED + b"LAX = True\n")
    arguments = ("run", "-p", "marks", "--no-fix", "-f", "json")
    ran = lab.call(*arguments, MARKS_EDIT=str(lab.person.root / "app.py"))
    assert (ran.code, ran.json["status"]) == (ExitCode.INCOMPLETE, "incomplete")
    (reason,) = ran.json["incompleteReasons"]
    assert "the tree was edited while it was under review" in reason
    assert lab.call(*arguments).code == ExitCode.PASSED


def test_what_breaks_a_check_is_tried_once_more_with_its_output(lab: Lab) -> None:
    use(lab, "listens")
    ran = lab.refine("--apply")
    first, second = (lab.outside / "told").read_text().split("\0")[:-1]
    assert "far too lax" not in first
    assert "the check strict passed before and does not now" in second
    assert "far too lax" in second
    assert (ran.code, (lab.person.root / "app.py").read_bytes()) == (ExitCode.PASSED, MENDED)


def test_what_breaks_a_check_twice_is_not_kept(lab: Lab) -> None:
    use(lab, "breaks_the_check")
    ran = lab.refine("--apply")
    assert (ran.code, ran.json["stop"]) == (ExitCode.ISSUES, "no_change")
    assert "the check strict passed before" in ran.json["iterations"][0]["refinement"]["notes"]
    assert (lab.person.root / "app.py").read_bytes() == APP


DIRTY = {
    "made": ("assert not Path('test.db').exists(), 'the table exists'; Path('test.db').touch()", ""),
    "made in a folder": ("Path('var/data').mkdir(parents=True); Path('var/data/x.db').touch()", ""),
    "changed": ("p = Path('test.db'); assert not p.read_text(), 'two users'; p.write_text('user')", "touch test.db"),
    "removed": ("Path('test.db').unlink()", "touch test.db"),
}


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="a shell's words")
@pytest.mark.parametrize("name", DIRTY)
def test_no_run_of_a_check_meets_the_ignored_files_of_the_one_before(lab: Lab, name: str) -> None:
    code, setup = DIRTY[name]
    lab.person.write(".gitignore", "*.db\nvar/\n")
    check = json.dumps([sys.executable, "-c", f"from pathlib import Path; {code}"])
    lab.use("good", f"[checks]\nunit = {check}\n[workspace]\nsetup = {json.dumps([setup] if setup else [])}\n")
    ran = lab.refine("--apply")
    assert (ran.code, ran.json["stop"]) == (ExitCode.PASSED, "passed"), ran
    assert [f["rejected"] for i in ran.json["iterations"] for f in i["refinement"]["fixers"]] == [[]]
    assert (lab.person.root / "app.py").read_bytes() == MENDED


@pytest.mark.long
def test_a_check_that_fails_by_now_without_the_fix_too_is_held_against_none(lab: Lab) -> None:
    """Here by what it keeps out of the workspace, where nobody can take it back."""
    code = "import os, sys; p = sys.argv[1]; sys.exit('no more ports') if os.path.exists(p) else open(p, 'w')"
    check = [sys.executable, "-c", code, str(lab.outside / "told-once")]
    lab.use("good", f"[checks]\nunit = {json.dumps(check)}\n")
    ran = lab.refine("--apply", "--max-iterations", "1")
    (fixer,) = ran.json["iterations"][0]["refinement"]["fixers"]
    assert (fixer["rejected"], ran.json["patch"]["applied"]) == ([], True)
    assert (lab.person.root / "app.py").read_bytes() == MENDED
    (left,) = ran.json["issues"]
    assert (ran.code, left["reviewer"]) == (ExitCode.ISSUES, "check-unit")
    assert left["statusReason"] == "it failed without the fix, too, when it was run again"
    assert ran.json["iterations"][0]["refinement"]["newIssuesIntroduced"] == []
    (note,) = [note for note in ran.json["notes"] if "unit" in note]
    assert note == (
        "the check unit passed at first, and failed when it was run again without the fix: it is unreliable, so no "
        "fix is blamed; its output ended: no more ports | (it ended with status 1)"
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("says", "said"),
    [
        ("far too lax", "far too lax"),
        ("one\\ntwo\\nthree", "two | three"),
        (1, "(it ended with status 1 and printed nothing)"),
    ],
)
def test_the_report_says_how_a_check_fails_that_a_fix_broke(lab: Lab, says: str | int, said: str) -> None:
    code = f"import sys; sys.exit({says!r} if b'LAX' in open('app.py', 'rb').read() else 0)".replace("\\\\", "\\")
    lab.use("breaks_the_check", f"[checks]\nunit = {json.dumps([sys.executable, '-c', code])}\n")
    ran = lab.call("run", "-p", "marks", "--fixer", "agent-mine", "--apply")
    assert f"the check unit passed before and does not now: {said}" in " ".join(ran.out.split()), ran


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="a shell's words")
def test_the_time_for_refinement_bounds_the_checks_that_are_run_again(lab: Lab) -> None:
    check = f"cmp -s app.py {lab.outside / 'before.py'} || exec tail -f /dev/null"
    lab.outside.mkdir(exist_ok=True)
    (lab.outside / "before.py").write_bytes(APP)
    lab.use("good", f"[checks.waits]\nrun = {json.dumps(check)}\ntimeout = 40\n")
    ran = lab.refine("--apply", SELFREVIEW_REFINE_TIMEOUT="6")
    assert (ran.code, ran.json["stop"]) == (ExitCode.ISSUES, "deadline"), ran
    assert "refine_timeout was reached before the check waits" in ran.json["iterations"][0]["refinement"]["notes"]
    assert (lab.person.root / "app.py").read_bytes() == APP


@pytest.mark.skipif(os.name == "nt", reason="a folder that cannot be made")
@pytest.mark.parametrize(("required", "code"), [("true", ExitCode.INCOMPLETE), ("false", ExitCode.PASSED)])
def test_a_check_that_had_no_place_to_run_was_not_passed(lab: Lab, required: str, code: ExitCode) -> None:
    lab.use("good", f'[checks.strict]\nrun = "false"\nrequired = {required}\n')
    lab.person.write("app.py", MENDED)
    review = ("run", "-p", "marks", "--format", "json", "--no-fix")
    ran = lab.call(*review, XDG_CACHE_HOME=os.devnull)
    assert ran.code == code, ran
    assert [r["status"] for r in ran.json["reviewers"] if r["name"] == "check-strict"] == ["skipped"]
    assert lab.call(*review).code == ExitCode.ISSUES


def test_a_check_that_failed_before_is_no_refinements_fault(lab: Lab) -> None:
    fails = json.dumps([sys.executable, "-c", "print('never was green'); raise SystemExit(1)"])
    lab.use("good", f"[checks]\nunit = {fails}\n")
    ran = lab.refine("--max-iterations", "1")
    (iteration,) = ran.json["iterations"]
    after = next(i for i in iteration["review"]["issues"] if i["reviewer"] == "check-unit")
    assert (len(iteration["refinement"]["addressedIssueIds"]), iteration["refinement"]["newIssuesIntroduced"]) == (
        2,
        [],
    )
    assert after["statusReason"] == "it failed before the first refinement, too"
    ours = next(i for i in ran.json["issues"] if i["reviewer"] == "check-unit")
    assert (ours["status"], ours["statusReason"], ran.json["counts"]["high"]) == ("open", None, 3)
    assert "never was green" in ours["description"]
    assert "check unit failed" in lab.call("status").out
    assert "never was green" in lab.call("show", "check-unit").out
    applied = lab.call("run", "-p", "marks", "--fixer", "agent-mine", "--apply", "--max-iterations", "1")
    said = " ".join(applied.out.split())
    assert "2 addressed, 1 still open" in said
    assert "note: it failed before the first refinement, too" in said


def listed(ran: Ran) -> list[tuple[str, str | None]]:
    return [(r["status"], r["error"]) for r in ran.json["reviewers"] if r["name"] == "check-strict"]


@pytest.mark.long
def test_checks_that_did_not_run_or_did_not_count_are_told_of(lab: Lab) -> None:
    use(lab, "partial")
    only = lab.call("run", "-p", "marks", "--no-fix", "--format", "json")
    assert listed(only) == [("skipped", "not run, because something blocks")]
    assert "check-strict: not run, because something blocks" in lab.call("run", "-p", "marks", "--no-fix").out
    waiting = lab.refine("--max-iterations", "1")
    assert listed(waiting) == [("ok", None)]  # of the person's tree, on which it ran to see what a fix breaks
    applied = lab.refine("--max-iterations", "1", "--apply")
    assert applied.json["patch"]["applied"]
    assert listed(applied) == [("ok", None)]  # and once more, for the same reason


@pytest.mark.long
@pytest.mark.parametrize("arguments", [["-q", "app.py"], ["-x", "--tb=short", "app.py"], ["app.py"]])
def test_what_a_check_is_given_to_run_may_get_a_test_and_loses_none(lab: Lab, arguments: list[str]) -> None:
    check = f"[checks]\nunit = {json.dumps([sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', *arguments])}\n"
    held = b"\n\ndef test_half():\n    assert half(4) == 2\n"
    lab.person.write("app.py", APP + held)
    lab.use("test_beside_the_code_weakened", check)
    ran = lab.refine("--apply", "--max-iterations", "1")
    assert "waits for a person: app.py:" in ran.json["iterations"][0]["refinement"]["notes"]
    assert (lab.person.root / "app.py").read_bytes().endswith(held)
    lab.person.write("app.py", APP + held)
    lab.use("test_beside_the_code", check)
    ran = lab.refine("--apply")
    assert (ran.code, ran.json["stop"]) == (ExitCode.PASSED, "passed"), ran
    assert b"def test_twice" in (lab.person.root / "app.py").read_bytes()
