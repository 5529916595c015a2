"""The fixers ``ruff`` and ``rules``: the edits of their reviewers' issues, in the workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from selfreview.api import Fixer, FixOutcome, Registry, Severity, Side
from selfreview.errors import FixError
from selfreview.fixers.mechanical import MAX_TRIES, EditFixer, ruff, rules
from selfreview.testing.fixing import FixBench
from tests.conftest import Workspace
from tests.fixers.test_edits import edit

FIXER = EditFixer("ruff")


def test_both_are_registered_as_mechanical() -> None:
    registry: Registry[Fixer] = Registry("fixer")
    ruff.selfreview_register_fixers(registry)
    rules.selfreview_register_fixers(registry)
    assert [(fixer.name, fixer.is_mechanical) for fixer in registry] == [("ruff", True), ("rules", True)]


def test_takes_what_its_reviewer_has_an_edit_for() -> None:
    found = {"reviewer": "ruff", "edits": [edit(1, 0, 2, 0)]}
    with FixBench({}) as bench:
        assert FIXER.takes(bench.issue("a.py", 1, "unused", **found), bench.config)
        for other in ({"reviewer": "rules"}, {"edits": []}, {"side": Side.OLD}):
            assert not FIXER.takes(bench.issue("a.py", 1, "unused", **{**found, **other}), bench.config)


def test_edits_files_and_answers_for_every_issue() -> None:
    with FixBench({"a.py": b"import os\r\nx = 1\r\n", "b.py": "y = 1\n"}) as bench:
        issues = [
            bench.issue("b.py", 1, "gone", reviewer="ruff"),
            bench.issue("a.py", 1, "unused", Severity.MEDIUM, reviewer="ruff", edits=[edit(1, 0, 2, 0)]),
            bench.issue("missing.py", 1, "unused", reviewer="ruff", edits=[edit(1, 0, 2, 0)]),
        ]
        fix = FIXER.fix(bench.request(*issues), bench)
        assert bench.data("a.py") == b"x = 1\r\n"
        assert bench.changed() == ["a.py"]
    assert [answer.issue for answer in fix.answers] == [issue.id for issue in issues]
    assert [answer.outcome for answer in fix.answers] == [
        FixOutcome.NOT_ADDRESSED,
        FixOutcome.ADDRESSED,
        FixOutcome.NOT_ADDRESSED,
    ]


def test_an_edit_that_breaks_its_file_costs_no_other() -> None:
    with FixBench(
        {"a.py": "import os\nx = (1)\nimport re\n", "b.rb": "x = (1)\n", "c.py": "import os\ny = 1\n"}
    ) as bench:
        found = [
            (bench.issue(path, made.line_start, "wrong", reviewer="ruff", edits=[made]), is_kept)
            for path, made, is_kept in (
                ("a.py", edit(1, 0, 2, 0), True),
                ("a.py", edit(2, 4, 2, 5), False),
                ("a.py", edit(3, 0, 4, 0), True),
                ("b.rb", edit(1, 4, 1, 5), False),
                ("c.py", edit(1, 0, 2, 0), True),
            )
        ]
        fix = FIXER.fix(bench.request(*(issue for issue, _ in found)), bench)
        assert {path: bench.text(path) for path in bench.changed()} == {"a.py": "x = (1)\n", "c.py": "y = 1\n"}
    kept = [answer.outcome is FixOutcome.ADDRESSED for answer in fix.answers]
    assert kept == [is_kept for _, is_kept in found]
    assert all(
        "(syntax-error)" in (answer.why or "") for answer, made in zip(fix.answers, kept, strict=True) if not made
    )


def test_an_edit_that_only_silences_is_left_out() -> None:
    with FixBench({"a.py": "import os\nx = f()\n"}) as bench:
        issues = [
            bench.issue("a.py", 2, "wrong", reviewer="ruff", edits=[edit(2, 7, 2, 7, "  # noqa")]),
            bench.issue("a.py", 1, "unused", reviewer="ruff", edits=[edit(1, 0, 2, 0)]),
        ]
        fix = FIXER.fix(bench.request(*issues), bench)
        assert bench.text("a.py") == "x = f()\n"
    assert "(suppression)" in (fix.answers[0].why or "")


def test_looking_for_what_is_wrong_ends() -> None:
    lines = 2 * MAX_TRIES
    with FixBench({"a.py": "x = (1)\n" * lines}) as bench:
        issues = [
            bench.issue("a.py", line, "wrong", reviewer="ruff", edits=[edit(line, 4, line, 5)])
            for line in range(1, lines + 1)
        ]
        fix = FIXER.fix(bench.request(*issues), bench)
        assert bench.changed() == []
    assert {answer.outcome for answer in fix.answers} == {FixOutcome.NOT_ADDRESSED}


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links")
def test_keeps_the_mode_and_edits_no_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"import os\n")
    with FixBench({"tool.py": "import os\nx = 1\n"}) as bench:
        (bench.root / "tool.py").chmod(0o755)
        (bench.root / "link.py").symlink_to(outside)
        issues = [
            bench.issue(name, 1, "unused", reviewer="ruff", edits=[edit(1, 0, 2, 0)]) for name in ("tool.py", "link.py")
        ]
        fix = FIXER.fix(bench.request(*issues), bench)
        assert bench.text("tool.py") == "x = 1\n"
        assert os.access(bench.root / "tool.py", os.X_OK)
    assert outside.read_bytes() == b"import os\n"
    assert [answer.outcome for answer in fix.answers] == [FixOutcome.ADDRESSED, FixOutcome.NOT_ADDRESSED]


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_writes_through_no_linked_folder(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"import os\n")
    with FixBench({}) as bench:
        (bench.root / "folder").symlink_to(tmp_path)
        issue = bench.issue("folder/a.py", 1, "unused", reviewer="ruff", edits=[edit(1, 0, 2, 0)])
        assert FIXER.fix(bench.request(issue), bench).answers[0].outcome is FixOutcome.NOT_ADDRESSED
    assert (tmp_path / "a.py").read_bytes() == b"import os\n"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs modes, and a person whom they bind")
def test_a_file_that_cannot_be_written_is_named() -> None:
    with FixBench({"a.py": "import os\n"}) as bench:
        (bench.root / "a.py").chmod(0)
        issue = bench.issue("a.py", 1, "unused", reviewer="ruff", edits=[edit(1, 0, 2, 0)])
        with pytest.raises(FixError, match=r"a\.py cannot be edited"):
            FIXER.fix(bench.request(issue), bench)


def test_a_run_refines_with_both_and_asks_nobody_else(workspace: Workspace) -> None:
    workspace.commit(
        "new",
        **{
            "app.py": "def f(value):\n    if value == None:\n        return 1\n    return f''\n",
            "page.js": "function f(a) {\n  debugger;\n  return a;\n}\n",
        },
    )
    ran = workspace.selfreview("run", "--apply", "--severity-threshold", "suggestion", "--format", "json")
    reports = [report for each in ran.json["iterations"] for report in each["refinement"]["fixers"]]
    assert {report["name"] for report in reports} == {"ruff", "rules"}, ran
    assert "debugger" not in (workspace.root / "page.js").read_text()
    assert "f''" not in (workspace.root / "app.py").read_text()
