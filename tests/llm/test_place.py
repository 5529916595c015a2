"""A quote decides where a finding stands."""

from __future__ import annotations

import dataclasses

import pytest

from selfreview.api.context import SourceText
from selfreview.llm.decode import Draft
from selfreview.llm.place import to_finding
from selfreview.model.change import ChangedFile, HunkSpan
from selfreview.model.issue import Category, Finding, Severity, Side

NEW = (
    "import os",
    "def first():",
    "    return value",
    "}",
    "def second(a, b):",
    "    return value",
    "\treturn  os.path.join( a,b )",
    "}",
    "hidden = '\u202e'",
    "last = value",
)
OLD = ("import os", "def first():", "    check(value)", "    return value", "}")
FILE = ChangedFile(path="src/app/main.py", old_path="src/old.py", spans=(HunkSpan(3, 1, 2, 0), HunkSpan(5, 1, 5, 5)))


@dataclasses.dataclass(frozen=True)
class Line:
    number: int | None


@dataclasses.dataclass(frozen=True)
class Piece:
    lines: tuple[Line, ...]


@dataclasses.dataclass(frozen=True)
class View:
    file: ChangedFile
    pieces: tuple[Piece, ...] = (Piece((*(Line(n) for n in range(2, 9)), Line(None))),)


def text_of(file: ChangedFile, side: Side) -> SourceText:
    return SourceText(NEW if side is Side.NEW else OLD, True)


def place(evidence: str, line: int, *, end: int = 0, name: str = FILE.path, others: tuple[str, ...] = ()) -> Finding:
    draft = Draft(
        severity=Severity.HIGH, category=Category.LOGIC, file=name, line_start=line, line_end=max(line, end),
        evidence=evidence, failure="empty -> crash -> none", description="Wrong.", confidence=0.9,
    )  # fmt: skip
    shown = {path: View(ChangedFile(path=path)) for path in others} | {FILE.path: View(FILE)}
    return to_finding(draft, shown, text_of)


@pytest.mark.parametrize(
    ("evidence", "given", "line", "side"),
    [
        ("    return value", 6, 6, Side.NEW),
        ("return value", 99, 6, Side.NEW),  # a changed line before one that is nearer to nothing
        ("return value", 3, 6, Side.NEW),  # a changed line before one at the number itself
        ("return os.path.join(a, b)", 1, 7, Side.NEW),
        ("7 +  return os.path.join(a, b)", 1, 7, Side.NEW),
        ("+\treturn  os.path.join( a,b )", 7, 7, Side.NEW),
        ("os.path.join", 1, 7, Side.NEW),
        ("{\n\n    return os.path.join(a, b)\n}", 7, 7, Side.NEW),
        ("    check(value)", 3, 3, Side.OLD),
        ("-    check(value)", 40, 3, Side.OLD),
        ("def first():", 9, 2, Side.NEW),
        ("last = value", 1, 10, Side.NEW),
        ("hidden = '\\u{202E}'", 1, 9, Side.NEW),
    ],
)
def test_the_quote_decides(evidence, given, line, side):
    found = place(evidence, given)
    assert (found.line_start, found.side) == (line, side)
    assert found.evidence == (NEW if side is Side.NEW else OLD)[line - 1]
    assert found.line_end >= line


def test_the_nearest_of_equals_is_taken():
    same = tuple("x = compute()" for _ in range(9))
    file = ChangedFile(path="a.py", spans=(HunkSpan(0, 0, 1, 9),))
    draft = Draft(
        severity=Severity.LOW, category=Category.LOGIC, file="a.py", line_start=7, line_end=7,
        evidence="x = compute()", failure="", description="d",
    )  # fmt: skip
    found = to_finding(draft, {"a.py": View(file)}, lambda file, side: SourceText(same, True))
    assert found.line_start == 7


def test_a_range_around_the_quote_stays_and_one_elsewhere_moves_with_its_length():
    assert (place("return os.path", 5, end=8).line_start, place("return os.path", 5, end=8).line_end) == (5, 8)
    moved = place("def second(a, b):", 1, end=3)
    assert (moved.line_start, moved.line_end) == (5, 7)


def test_a_quote_that_is_nowhere_keeps_what_the_model_says():
    found = place("return nothing_like_this", 7)
    assert (found.file, found.line_start, found.evidence) == (FILE.path, 7, "return nothing_like_this")


@pytest.mark.parametrize(
    "name",
    [
        "main.py",
        "a/src/app/main.py",
        "b/src/app/main.py",
        "./src/app/main.py",
        "app/main.py",
        "`src/app/main.py`",
        "src\\app\\main.py",
        "src/old.py",
    ],
)
def test_a_file_is_known_by_what_models_call_it(name):
    found = place("last = value", 1, name=name)
    assert (found.file, found.line_start) == (FILE.path, 10)


@pytest.mark.parametrize(
    ("name", "others"), [("main.py", ("test/main.py",)), ("other.py", ()), ("ain.py", ()), ("/", ())]
)
def test_a_file_that_is_not_clear_is_left_as_it_is(name, others):
    found = place("last = value", 4, name=name, others=others)
    assert (found.file, found.line_start, found.evidence) == (name, 4, "last = value")


def test_what_the_model_says_is_kept():
    found = place("last = value", 10)
    assert found.description == "Wrong.\nempty -> crash -> none"
    assert (found.severity, found.category, found.confidence) == (Severity.HIGH, Category.LOGIC, 0.9)
