"""One refinement: who gets which issue, what the guard keeps, and what a fixer is told."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from selfreview.api import ConfigView, Fix, FixAnswer, FixContext, FixOutcome, FixRequest, Issue, Severity
from selfreview.errors import FixError, SelfreviewError
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry
from selfreview.model.refinement import FixerReport, Refinement
from selfreview.model.result import Iteration
from selfreview.model.usage import Usage
from selfreview.refine.fixing import Refiner
from tests.conftest import Workspace as Person
from tests.refine.issues import issue
from tests.refine.lab import workspace_of
from tests.refine.results import result
from tests.refine.scripted import CONFIG, Deed, Scripted, refiner_of, replace

APP = "def a(n):\n    return n + 1\n\n\ndef b(n):\n    return n + 2\n"
TEST = "from app import a\n\n\ndef test_a():\n    assert a(1) == 3\n"
ONE = issue("one", 2, rule="r1", evidence="return n + 1")
TWO = issue("two", 6, rule="r2", evidence="return n + 2")
FIX_ONE, FIX_TWO = replace("app.py", "n + 1", "n + 10"), replace("app.py", "n + 2", "n + 20")
WEAKEN = replace("test_app.py", "import", "import os  # noqa: F401\nimport")
FILES = ["app.py", "test_app.py"]


@pytest.fixture
def scratch(workspace: Person, tmp_path: Path) -> Iterator[Workspace]:
    workspace.write("app.py", APP)
    workspace.write("test_app.py", TEST)
    workspace.write(".gitignore", "*.cache\n")
    with workspace_of(workspace, tmp_path) as (_, made):
        yield made


def refine(refiner: Refiner, *work: Issue, number: int = 1, seconds: float = 60) -> list[FixerReport]:
    refiner.begin(work)
    return refiner.refine(work, number, time.monotonic() + seconds)


def text(workspace: Workspace, path: str = "app.py") -> str:
    there = workspace.read(path)
    return "" if there is None else there.data.decode()


def both(*deeds: Deed) -> Deed:
    def deed(root: Path, request: FixRequest) -> None:
        for one in deeds:
            assert callable(one)
            one(root, request)

    return deed


def test_mechanical_ones_first_each_issue_to_one(scratch: Workspace) -> None:
    thinks = Scripted("thinks", [FIX_TWO])
    knows = Scripted("knows", [FIX_ONE], is_mechanical=True, rules=frozenset({"r1"}))
    idle = Scripted("idle")
    refiner, notes = refiner_of(scratch, thinks, idle, knows, files=FILES)
    reports = refine(refiner, ONE, TWO)
    assert [(report.name, report.issues) for report in reports] == [("knows", ["one"]), ("thinks", ["two"])]
    assert (knows.given, thinks.given, idle.given) == ([["one"]], [["two"]], [])
    assert notes.watched == [("knows", 1), ("thinks", 1)]
    assert text(scratch) == APP.replace("n + 1", "n + 10").replace("n + 2", "n + 20")
    assert [sorted(stage.edits) for stage in refiner.stages.all] == [["app.py"], ["app.py"]]
    assert refiner.stages.judged == scratch.tree()


def test_the_order_is_that_of_the_work(scratch: Workspace) -> None:
    """The loop gives the worst first, and so does the request."""
    fixer = Scripted("fixer", [None])
    refiner, _ = refiner_of(scratch, fixer, files=FILES)
    low = issue("low", 6, severity=Severity.MEDIUM, evidence="low")
    refine(refiner, TWO, ONE, low)
    assert fixer.given == [["two", "one", "low"]]


def test_what_nobody_takes_and_what_no_one_changed_is_left(scratch: Workspace) -> None:
    lazy, next_one = Scripted("lazy", [None]), Scripted("next", [FIX_ONE])
    refiner, _ = refiner_of(scratch, lazy, next_one, files=FILES)
    nobodys = issue("n", 1, rule="nobody's", evidence="n")
    assert not refiner.takes(nobodys)
    reports = refine(refiner, ONE, nobodys)
    assert [(report.name, report.issues, report.files) for report in reports] == [
        ("lazy", ["one"], []),
        ("next", ["one"], ["app.py"]),
    ]


def test_lines_are_those_of_the_scratchas_it_is(scratch: Workspace) -> None:
    longer = replace("app.py", "    return n + 1\n", "    n += 1\n    return n\n")
    knows = Scripted("knows", [longer], is_mechanical=True, rules=frozenset({"r1"}))
    thinks = Scripted("thinks", [FIX_TWO])
    refiner, _ = refiner_of(scratch, knows, thinks, files=FILES)
    refine(refiner, ONE, TWO)
    assert [(one.id, one.line_start) for one in thinks.requests[0].issues] == [("two", 7)]


def test_rejected_once_it_is_asked_again_with_the_reasons(scratch: Workspace) -> None:
    fixer = Scripted("fixer", [both(FIX_ONE, WEAKEN), FIX_ONE])
    refiner, _ = refiner_of(scratch, fixer, files=FILES)
    (report,) = refine(refiner, ONE)
    first, second = (request.rejected for request in fixer.requests)
    assert first == []
    assert len(second) == 1
    assert second[0].startswith("test_app.py: ")
    assert "(suppression)" in second[0]
    assert (report.files, report.rejected) == (["app.py"], list(second))
    assert (text(scratch), text(scratch, "test_app.py")) == (APP.replace("n + 1", "n + 10"), TEST)


def test_rejected_twice_it_is_not_addressed_and_the_next_gets_it(scratch: Workspace) -> None:
    bad = Scripted("bad", [both(FIX_ONE, WEAKEN)] * 3)
    good = Scripted("good", [FIX_ONE])
    refiner, _ = refiner_of(scratch, bad, good, files=FILES)
    reports = refine(refiner, ONE)
    assert [(report.name, report.files, len(report.rejected)) for report in reports] == [
        ("bad", [], 2),
        ("good", ["app.py"], 0),
    ]
    assert len(bad.requests) == 2
    assert text(scratch, "test_app.py") == TEST


def test_a_mechanical_one_is_asked_once_and_never_for_the_same_again(scratch: Workspace) -> None:
    knows = Scripted("knows", [both(FIX_ONE, WEAKEN)], is_mechanical=True)
    refiner, _ = refiner_of(scratch, knows, files=FILES)
    refine(refiner, ONE)
    assert len(knows.requests) == 1
    assert not refiner.takes(ONE)
    assert refiner.takes(TWO)
    assert refine(refiner, ONE, number=2) == []


def test_a_mechanical_one_is_not_asked_about_hooks_and_what_it_does_elsewhere_is_kept(scratch: Workspace) -> None:
    fixer = Scripted("knows", [FIX_ONE], is_mechanical=True)
    refiner, _ = refiner_of(scratch, fixer, files=FILES, hooks=("test_app.py",))
    inside = issue("inside", 1, file="test_app.py", evidence="import")
    assert not refiner.takes(inside)
    refine(refiner, ONE, inside)
    assert fixer.given == [["one"]]
    assert "n + 10" in text(scratch)


def test_one_that_thinks_is_told_that_a_file_is_a_hook(scratch: Workspace) -> None:
    fixer = Scripted("thinks", [FIX_ONE, None])
    refiner, _ = refiner_of(scratch, fixer, hooks=("app.py",))
    refine(refiner, ONE)
    assert not fixer.requests[0].rejected
    assert "git-hooks" in fixer.requests[1].rejected[0]
    assert text(scratch) == APP


def test_what_a_mechanical_one_says_is_not_addressed_goes_to_the_next(scratch: Workspace) -> None:
    def half(root: Path, request: FixRequest) -> Fix:
        assert callable(FIX_ONE)
        FIX_ONE(root, request)
        outcomes = {"one": FixOutcome.ADDRESSED, "two": FixOutcome.NOT_ADDRESSED}
        return Fix(answers=[FixAnswer(issue=i.id, outcome=outcomes[i.id], why="") for i in request.issues])

    thinks = Scripted("thinks", [FIX_TWO])
    refiner, _ = refiner_of(scratch, Scripted("knows", [half], is_mechanical=True), thinks, files=FILES)
    refine(refiner, ONE, TWO)
    assert thinks.given == [["two"]]


def test_the_next_iteration_is_told_what_was_tried(scratch: Workspace) -> None:
    fixer = Scripted("fixer", [FIX_ONE, None, None])
    refiner, _ = refiner_of(scratch, fixer, files=FILES)
    refine(refiner, ONE)
    refine(refiner, issue("later", 2, rule="r1", evidence="return n + 1"), TWO, number=2)
    (attempt,) = fixer.requests[1].attempts
    assert attempt == (1, "one", "fixer said addressed: done; its edit of app.py was kept")
    assert fixer.requests[1].iteration == 2


def test_what_is_taken_back_is_told_as_that(scratch: Workspace) -> None:
    fixer = Scripted("fixer", [FIX_ONE, None])
    refiner, _ = refiner_of(scratch, fixer, files=FILES)
    (report,) = refine(refiner, ONE)
    (stage,) = refiner.stages.all
    refiner.stages.show([])
    refiner.disown([stage], {stage: ["it is worse"]})
    assert (text(scratch), report.files, report.rejected) == (APP, [], ["it is worse"])
    assert refiner.stages.judged == scratch.start
    refine(refiner, ONE, number=2)
    (attempt,) = fixer.requests[1].attempts
    assert attempt.what == "fixer said addressed: done; nothing was kept; rejected: it is worse"


def test_what_an_earlier_run_tried_counts(scratch: Workspace) -> None:
    report = FixerReport(name="knows", issues=["one", "gone"], rejected=["no"])
    earlier = Iteration(refinement=Refinement(fixers=[report]), review=result(ONE))
    knows = Scripted("knows", [], is_mechanical=True)
    thinks = Scripted("thinks", [None])
    refiner, _ = refiner_of(scratch, knows, thinks, files=FILES)
    refiner.resume({}, result(ONE), [earlier])
    refine(refiner, ONE, number=2)
    assert knows.requests == []
    assert [attempt.what for attempt in thinks.requests[0].attempts] == [
        "knows said it did not report on this issue; nothing was kept; rejected: no"
    ]


def test_a_crash_loses_only_its_own_part(scratch: Workspace) -> None:
    def crash(root: Path, _: FixRequest) -> None:
        (root / "app.py").write_text("half of it")
        raise ZeroDivisionError("a defect")

    refiner, notes = refiner_of(
        scratch,
        Scripted("knows", [FIX_ONE], is_mechanical=True, rules=frozenset({"r1"})),
        Scripted("crashes", [crash]),
        Scripted("thinks", [FIX_TWO]),
        files=FILES,
    )
    reports = refine(refiner, ONE, TWO)
    assert [(report.name, report.files) for report in reports] == [
        ("knows", ["app.py"]),
        ("crashes", []),
        ("thinks", ["app.py"]),
    ]
    assert reports[1].error is not None
    assert reports[1].error.startswith("it crashed: ZeroDivisionError: a defect (scripted.py:")
    assert reports[1].hint == "see the report"
    assert notes.crashes == ["fixer crashes: ZeroDivisionError('a defect')"]
    assert text(scratch) == APP.replace("n + 1", "n + 10").replace("n + 2", "n + 20")


class NoFix(Scripted):
    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        returned, self.fix_fields = self.fix_fields["returned"], {}
        super().fix(request, context)
        return cast(Fix, returned)


class Untaking(Scripted):
    def takes(self, issue: Issue, config: ConfigView) -> bool:
        raise ZeroDivisionError("a defect")


class Untimed(Scripted):
    def timeout(self, config: ConfigView) -> float:
        raise ZeroDivisionError("a defect")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (NoFix("broken", [FIX_ONE], fix_fields={"returned": None}), "TypeError: fix() returned NoneType, not Fix"),
        (NoFix("broken", [FIX_ONE], fix_fields={"returned": Fix(answers=cast(Any, ["?"]))}), "no FixAnswer"),
        (NoFix("broken", [FIX_ONE], fix_fields={"returned": Fix(notes=cast(Any, 1))}), "notes are no text"),
        (Untaking("broken", [FIX_ONE]), "ZeroDivisionError: a defect"),
        (Untimed("broken", [FIX_ONE]), "ZeroDivisionError: a defect"),
    ],
)
def test_a_fixer_that_breaks_its_contract_loses_only_its_own_part(
    scratch: Workspace, broken: Scripted, says: str
) -> None:
    refiner, notes = refiner_of(scratch, broken, Scripted("thinks", [FIX_TWO]), files=FILES)
    assert refiner.takes(ONE)

    reports = refine(refiner, ONE, TWO)

    assert [(report.name, report.files) for report in reports] == [("broken", []), ("thinks", ["app.py"])]
    assert says in str(reports[0].error)
    assert [crash.partition(":")[0] for crash in notes.crashes] == ["fixer broken"]
    assert text(scratch) == APP.replace("n + 2", "n + 20")


def test_an_error_takes_back_what_was_written(scratch: Workspace) -> None:
    def fail(root: Path, _: FixRequest) -> None:
        (root / "app.py").unlink()
        raise FixError("the server is gone", hint="wait")

    refiner, notes = refiner_of(scratch, Scripted("fails", [fail]), files=FILES)
    (report,) = refine(refiner, ONE)
    assert (report.error, report.hint, report.files, notes.crashes) == ("the server is gone", "wait", [], [])
    assert scratch.tree() == scratch.start


def test_an_interrupt_ends_it(scratch: Workspace) -> None:
    def interrupt(_: Path, __: FixRequest) -> None:
        raise KeyboardInterrupt

    refiner, _ = refiner_of(scratch, Scripted("fixer", [interrupt]), Scripted("next"), files=FILES)
    with pytest.raises(KeyboardInterrupt):
        refine(refiner, ONE)


def test_without_time_nobody_is_asked(scratch: Workspace) -> None:
    fixer = Scripted("fixer", [FIX_ONE])
    refiner, _ = refiner_of(scratch, fixer, files=FILES)
    assert refine(refiner, ONE, seconds=-1) == []
    assert fixer.requests == []


@pytest.mark.parametrize(("limit", "left", "expected"), [(30.0, 1e6, 30.0), (1e6, 30.0, 30.0)], ids=["own", "run's"])
def test_a_deadline_is_the_earlier_one(scratch: Workspace, limit: float, left: float, expected: float) -> None:
    fixer = Scripted("fixer", [None])
    refiner, _ = refiner_of(scratch, fixer, files=FILES, config=CONFIG | {"fixer_timeout": limit})
    before = time.monotonic()
    refine(refiner, ONE, seconds=left)
    assert before + expected <= fixer.deadlines[0] <= time.monotonic() + expected


def test_what_it_costs_is_told_of_both_attempts_and_budgets_are_noted(scratch: Workspace) -> None:
    def dear(root: Path, request: FixRequest) -> Fix:
        assert callable(WEAKEN)
        WEAKEN(root, request)
        return Fix(usage=Usage(requests=2))

    def dearer(_: Path, __: FixRequest) -> Fix:
        return Fix(usage=Usage(requests=3), over_budget=True, notes="no more money")

    refiner, notes = refiner_of(scratch, Scripted("fixer", [dear, dearer]), files=FILES)
    (report,) = refine(refiner, ONE)
    assert report.usage is not None
    assert (report.usage.requests, notes.spent.requests) == (5, 5)
    assert (report.over_budget, report.notes) == (True, "no more money")


def test_files_that_git_ignores_do_not_stay(scratch: Workspace) -> None:
    (scratch.root / "old.cache").write_text("old")
    fixer = Scripted("fixer", [{"app.py": APP.replace("n + 1", "n + 10"), "new.cache": "new"}])
    refiner, _ = refiner_of(scratch, fixer, files=FILES)
    refine(refiner, ONE)
    assert (scratch.root / "old.cache").exists()
    assert not (scratch.root / "new.cache").exists()


def test_a_repository_that_git_ignores_does_not_stay(scratch: Workspace) -> None:
    def clone(root: Path, _: FixRequest) -> None:
        folder = root / "made.cache" / "dependency"
        folder.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=True)
        (folder / "file").write_text("x")

    refiner, notes = refiner_of(scratch, Scripted("fixer", [both(FIX_ONE, clone)]), files=FILES)
    (report,) = refine(refiner, ONE)
    assert (report.files, report.error, notes.crashes) == (["app.py"], None, [])
    assert not (scratch.root / "made.cache").exists()


def test_who_reaches_out_of_the_scratchis_found_out(scratch: Workspace, workspace: Person) -> None:
    def reach(root: Path, request: FixRequest) -> None:
        assert callable(FIX_ONE)
        FIX_ONE(root, request)
        (workspace.root / ".git/hooks").mkdir(exist_ok=True)
        (workspace.root / ".git/hooks/post-commit").write_text("#!/bin/sh\n")

    refiner, _ = refiner_of(scratch, Scripted("reaches", [reach]), files=FILES, outside=[workspace.root / ".git"])
    (report,) = refine(refiner, ONE)
    assert report.error is not None
    assert "hooks" in report.error
    assert scratch.tree() == scratch.start


def test_what_is_written_between_two_fixers_is_found_out(scratch: Workspace) -> None:
    class Late(Scripted):
        def takes(self, issue: Issue, config: ConfigView) -> bool:
            (scratch.root / "left.py").write_text("written by what the first one left running\n")
            return True

    refiner, _ = refiner_of(scratch, Scripted("first", [None]), Late("second", [FIX_ONE]), files=FILES)
    with pytest.raises(FixError, match="something that was started there still runs"):
        refine(refiner, ONE)


@pytest.mark.long
def test_far_too_many_files_are_taken_back(scratch: Workspace) -> None:
    many: Deed = {f"new/{number}.txt": "x" for number in range(501)}
    refiner, _ = refiner_of(scratch, Scripted("fixer", [many, None]), files=FILES)
    (report,) = refine(refiner, ONE)
    assert report.rejected == ["it changed 501 files; a fix of these issues needs a few"]
    assert scratch.tree() == scratch.start


def test_what_a_fixer_says_holds_no_secret(scratch: Workspace) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    answer = FixAnswer(issue="one", outcome=FixOutcome.NEEDS_PERSON, why=f"the token {token} stands there")
    fix = Fix(answers=[answer], notes=f"saw {token}", error=f"status 1: {token}", hint=f"renew {token}")
    refiner, _ = refiner_of(scratch, Scripted("fixer", [lambda *_: fix]), files=FILES)
    (report,) = refine(refiner, ONE)
    said = [report.answers[0].why, report.notes, report.error or "", report.hint or ""]
    assert not [text for text in said if token in text or not text]


@pytest.mark.parametrize("kept", [True, False])
def test_bytes_that_git_does_not_see_do_not_stay(workspace: Person, tmp_path: Path, *, kept: bool) -> None:
    """A check reads them, and no patch holds them."""
    workspace.commit("attributes", **{".gitattributes": "* text=auto\n"})
    workspace.write("app.py", APP)
    workspace.write("test_app.py", TEST)
    good, weak = FIX_ONE, WEAKEN

    def write(root: Path, request: FixRequest) -> None:
        (root / "test_app.py").write_bytes(TEST.encode().replace(b"\n", b"\r\n"))
        deed = good if kept else weak
        assert callable(deed)
        deed(root, request)

    with workspace_of(workspace, tmp_path) as (_, scratch):
        refiner, _ = refiner_of(scratch, Scripted("fixer", [write, None]), files=FILES)
        refine(refiner, ONE)
        assert (scratch.root / "test_app.py").read_bytes() == TEST.encode()


def test_an_attribute_that_hides_an_edit_takes_it_with_it(scratch: Workspace) -> None:
    def hide(root: Path, _: FixRequest) -> None:
        (root / ".gitattributes").write_text("test_app.py working-tree-encoding=UTF-16LE\n")
        (root / "test_app.py").write_bytes(TEST.encode("utf-16-le"))

    refiner, _ = refiner_of(scratch, Scripted("fixer", [hide, None]), files=FILES)
    (report,) = refine(refiner, ONE)
    assert report.rejected
    assert (scratch.root / "test_app.py").read_bytes() == TEST.encode()
    assert not (scratch.root / ".gitattributes").exists()


def test_what_is_swapped_while_it_is_judged_ends_it(scratch: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard would see one thing, and the patch hold another."""
    read = Workspace.read

    def swapped(workspace: Workspace, path: str) -> Entry | None:
        if b"noqa" in (workspace.root / "test_app.py").read_bytes():
            (workspace.root / "test_app.py").write_bytes(TEST.encode())
        return read(workspace, path)

    refiner, _ = refiner_of(scratch, Scripted("fixer", [WEAKEN]), files=FILES)
    monkeypatch.setattr(Workspace, "read", swapped)
    with pytest.raises(SelfreviewError):
        refine(refiner, ONE)
    assert not refiner.stages.all


def test_an_ignored_file_that_was_there_is_what_it_was_before_checks_see_it(scratch: Workspace) -> None:
    (scratch.root / "a.cache").write_text("made by a check")

    def deed(root: Path, _: FixRequest) -> None:
        (root / "a.cache").write_text("made to pass")
        (root / "b.cache").write_text("made to pass")

    refiner, _ = refiner_of(scratch, Scripted("thinks", [both(FIX_ONE, deed)]), files=FILES)
    refine(refiner, ONE)
    assert "n + 10" in text(scratch)
    assert (scratch.root / "a.cache").read_text() == "made by a check"
    assert not (scratch.root / "b.cache").exists()
