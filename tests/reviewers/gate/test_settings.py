"""How a gate tells of settings: of which file, on which side, how badly, and what it reads of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from selfreview.api import FileStatus, Finding, Severity, Side
from selfreview.reviewers.gate import GateReviewer
from selfreview.testing.context import MemoryContext

CONFIG = {"baseline": "selfreview-baseline.json", "exclude": [], "max_file_bytes": 2_000_000}
WORKFLOW = ".github/workflows/ci.yml"
OTHERS = {"a.py": ("x = 1\n", "x = 2\n"), "b.py": ("x = 1\n", None)}
"""A file that stays and one that goes: what is said of settings does not depend on them."""
NEXT = "The change changes how selfreview reviews: this gate used the base's version, the next will use this."
REPAIRS = (
    "The change changes how selfreview reviews: this gate used only what loads of the base's settings, as they do not "
    "load as a whole, and the next will use this."
)
UNSURE = "The change may be what repairs the base's settings, which do not load as a whole, and nobody knows: "
TOOLS = "The change changes what linters, type checkers or tests look at: reviewers used the base's version."
UNKNOWN = " Whether it loads is not known, for that would run it; the next gates stop if it does not."

Sides = tuple[str | bytes | None, str | bytes | None]


def look(
    path: str,
    sides: Sides,
    gate: GateReviewer | None = None,
    *,
    others: dict[str, str | bytes] | None = None,
    **fields: Any,
) -> list[Finding]:
    """Return what a gate says of a change of one file, whose fields are given, and of two others."""
    context = MemoryContext({path: sides, **OTHERS}, config=CONFIG, others=others)
    files = tuple(
        msgspec.structs.replace(file, **fields) if file.path == path else file for file in context.change.files
    )
    context.change = msgspec.structs.replace(context.change, files=files)
    return list((gate or GateReviewer(lenient=False)).review((), context).findings)


def told(findings: list[Finding]) -> list[tuple[str, str | None]]:
    return [(finding.file, finding.rule) for finding in findings]


@pytest.mark.parametrize(
    ("path", "said"),
    [("selfreview.toml", NEXT), ("sub/selfreview_conf.py", NEXT), ("mypy.ini", TOOLS), ("selfreview_conf.py", NEXT)],
)
@pytest.mark.parametrize("sides", [(None, "x = 1\n"), ("x = 1\n", "x = 2\n"), ("x = 1\n", None)])
def test_settings_are_told_where_they_are_and_count_as_reviewed(path: str, said: str, sides: Sides) -> None:
    (finding,) = look(path, sides)
    is_there = sides[1] is not None
    assert finding.side is (Side.NEW if is_there else Side.OLD)
    assert finding.description == said + (UNKNOWN if is_there and path == "selfreview_conf.py" else "")
    assert finding.severity is Severity.LOW
    assert not finding.unreviewed


@pytest.mark.parametrize(
    ("path", "said"), [("selfreview.toml", REPAIRS), ("selfreview_conf.py", REPAIRS), ("mypy.ini", TOOLS)]
)
def test_what_may_repair_settings_of_the_base_is_told_as_such(path: str, said: str) -> None:
    (finding,) = look(path, ("x = 1\n", "x = 2\n"), GateReviewer(lenient=False, repaired=()))
    assert (finding.description, finding.severity, finding.unreviewed) == (said, Severity.LOW, False)


@pytest.mark.parametrize("path", ["selfreview.toml", "selfreview_conf.py", "pyproject.toml"])
def test_nobody_reviewed_settings_that_repair_the_base_for_all_that_is_known(path: str) -> None:
    gate = GateReviewer(lenient=False, repaired=(), unsure=True)
    (finding,) = look(path, ("[tool.other]\n", "[tool.selfreview]\nx = 1\n"), gate)
    assert finding.description.startswith(UNSURE)
    assert (finding.severity, finding.unreviewed) == (Severity.MEDIUM, True)


@pytest.mark.parametrize(
    ("path", "said"), [("selfreview-baseline.json", REPAIRS), ("sub/selfreview.toml", REPAIRS), ("mypy.ini", TOOLS)]
)
def test_other_files_repair_no_settings(path: str, said: str) -> None:
    (finding,) = look(path, ("x = 1\n", "x = 2\n"), GateReviewer(lenient=False, repaired=(), unsure=True))
    assert (finding.description, finding.severity, finding.unreviewed) == (said, Severity.LOW, False)


@pytest.mark.parametrize("sides", [(None, "x = [\n"), ("x = 1\n", "x = [\n"), ("x = 1\n", None)])
def test_settings_that_the_change_breaks(sides: Sides) -> None:
    gate = GateReviewer(lenient=True, broken={"conf/base.toml": "expected a value", "elsewhere.toml": "gone"})
    (finding,) = look("conf/base.toml", sides, gate)
    assert told([finding]) == [("conf/base.toml", "broken-settings")]
    assert (finding.line_start, finding.severity) == (0, Severity.CRITICAL)
    assert finding.side is (Side.OLD if sides[1] is None else Side.NEW)
    assert "which would stop every later gate: expected a value." in finding.description


@pytest.mark.parametrize("sides", [(None, "[tool.selfreview]\n"), ("", "[tool.selfreview]\n[tool.ruff]\n")])
def test_nothing_is_read_of_what_is_too_large(sides: Sides) -> None:
    assert told(look("pyproject.toml", sides, excluded="larger than 9 bytes", too_large=True)) == [
        ("pyproject.toml", "too-large")
    ]


def test_what_is_too_large_is_there_all_the_same() -> None:
    told_of, _ = look(WORKFLOW, (None, "x: 1\n"), excluded="larger than 2 bytes", too_large=True)
    assert (told_of.rule, told_of.side) == ("ci-workflow", Side.NEW)


def test_the_name_of_a_binary_file_counts_and_its_content_does_not() -> None:
    binary = ".github/workflows/run.bin"
    (finding,) = look(binary, (None, "SELFREVIEW_BASE"), binary=True)
    assert (finding.rule, finding.severity, finding.side) == ("ci-workflow", Severity.LOW, Side.NEW)


def test_a_part_of_settings_counts_that_differs() -> None:
    text = "[project]\n[tool.selfreview]\nx = 1\n"
    assert told(look("pyproject.toml", (text, text.replace("1", "2")))) == [("pyproject.toml", "own-configuration")]
    assert told(look("pyproject.toml", (text, text + "[tool.other]\n"))) == []


def test_a_nul_byte_is_read_as_if_it_were_not_there() -> None:
    hidden = look("pyproject.toml", ("[tool.other]\n", "[tool.self\0review]\nx = 1\n"), binary=True)
    assert told(hidden) == [("pyproject.toml", "own-configuration"), ("pyproject.toml", "unreadable")]
    variable, _ = look(WORKFLOW, ("a: 1\n", "a: 1\nSELFREVIEW_B\0ASE: x\n"), binary=True)
    assert (variable.rule, variable.severity) == ("ci-workflow", Severity.HIGH)


def test_settings_that_were_no_file_before_had_no_content() -> None:
    """As where a link stood."""
    linked: dict[str, Any] = {"binary": True, "status": FileStatus.MODIFIED}
    assert told(look("setup.cfg", (None, "[metadata]\0\n"), **linked)) == [("setup.cfg", "unreadable")]


def test_each_name_of_a_moved_file_that_git_calls_binary_stands_for_its_own_content() -> None:
    moved: dict[str, Any] = {"old_path": "a/setup.cfg", "status": FileStatus.RENAMED, "binary": True}
    others: dict[str, str | bytes] = {"a/setup.cfg": "[metadata]\0\n"}
    findings = look("b/setup.cfg", (None, "[metadata]\n[mypy]\nx = 1\n\0"), others=others, **moved)
    assert [one for one in told(findings) if one[1] == "tool-configuration"] == [("b/setup.cfg", "tool-configuration")]


@pytest.mark.parametrize(
    ("status", "severity"), [(FileStatus.COPIED, Severity.HIGH), (FileStatus.RENAMED, Severity.LOW)]
)
def test_all_of_a_copy_is_new(status: FileStatus, severity: Severity) -> None:
    text = "SELFREVIEW_BASE: x\n\0"
    moved: dict[str, Any] = {"old_path": "a.yml", "status": status, "binary": True}
    findings = look(WORKFLOW, (None, text), others={"a.yml": text}, **moved)
    assert [one.severity for one in findings if one.rule == "ci-workflow"] == [severity]


def test_what_settings_are_copied_from_is_not_changed() -> None:
    copied: dict[str, Any] = {"old_path": "mypy.ini", "status": FileStatus.COPIED}
    text = "[mypy]\nx = 1\n"
    assert told(look("sub/mypy.ini", (None, text), others={"mypy.ini": text}, **copied)) == [
        ("sub/mypy.ini", "tool-configuration")
    ]
