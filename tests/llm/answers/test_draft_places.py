"""A quote decides where a finding stands."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api.context import SourceText
from selfreview.llm.answers.decode import DraftFinding
from selfreview.llm.answers.draft_places import Placed, place
from selfreview.llm.context.view import shown_path
from selfreview.llm.transport.fences import escape
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope
from selfreview.model.issue import Category, Finding, IssueStatus, Severity, Side
from selfreview.model.wire import display_path
from selfreview.review.anchor import anchor, by_path
from selfreview.testing.context import make_change
from selfreview.text.escape import visible

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


def draft(evidence: str, line: int = 1, end: int = 0, name: str = FILE.path) -> DraftFinding:
    return DraftFinding(
        severity=Severity.HIGH, category=Category.LOGIC, file=name, line_start=line, line_end=max(line, end),
        evidence=evidence, failure="empty -> crash -> none", description="Wrong.", confidence=0.9,
    )  # fmt: skip


def placed(evidence: str, line: int, *, end: int = 0, name: str = FILE.path, others: tuple[str, ...] = ()) -> Finding:
    shown = {path: View(ChangedFile(path=path)) for path in others} | {FILE.path: View(FILE)}
    return place(draft(evidence, line, end, name), shown, text_of).finding


class Texts(dict[str, tuple[str, str]]):
    """Old and new texts by path, and the change between them."""

    def __call__(self, file: ChangedFile, side: Side) -> SourceText | None:
        text = self[file.path][side is Side.NEW]
        return SourceText.from_bytes(text.encode("utf-8", "surrogateescape")) if text else None

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        return make_change({path: (old or None, new or None) for path, (old, new) in self.items()}).files

    def place(self, one: DraftFinding) -> Placed:
        return place(one, {file.path: View(file, (Piece(()),)) for file in self.files}, self)

    def status(self, one: DraftFinding) -> IssueStatus:
        """Return where it stands once it is anchored as the engine does it."""
        change = Change(scope=Scope(mode="diff"), files=self.files)
        return anchor(self.place(one).finding, by_path(change), self).status


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
    found = placed(evidence, given)
    assert (found.line_start, found.side) == (line, side)
    assert found.evidence == (NEW if side is Side.NEW else OLD)[line - 1]
    assert found.line_end >= line


def test_the_nearest_of_equals_is_taken():
    same = tuple("x = compute()" for _ in range(9))
    file = ChangedFile(path="a.py", spans=(HunkSpan(0, 0, 1, 9),))
    one = draft("x = compute()", 7, name="a.py")
    assert place(one, {"a.py": View(file)}, lambda _file, _side: SourceText(same, True)).finding.line_start == 7


def test_a_range_around_the_quote_stays_and_one_elsewhere_moves_with_its_length():
    assert (placed("return os.path", 5, end=8).line_start, placed("return os.path", 5, end=8).line_end) == (5, 8)
    moved = placed("def second(a, b):", 1, end=3)
    assert (moved.line_start, moved.line_end) == (5, 7)


def test_a_quote_that_is_nowhere_keeps_what_the_model_says():
    found = placed("return nothing_like_this", 7)
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
        "src/app/main.py (new file)",
        "File: src/app/main.py",
        "## File: src/app/main.py (renamed from src/old.py)",
        "main.py:2",
        "src/app/main.py:12-14",
        "src/app/main.py:12:5",
        "src/app/main.py#L3-L4",
        "src/app/main.py, lines 3-4",
        "src/app/main.py (line 3)",
        "**src/app/main.py**",
        "- `src/app/main.py`:",
        "`a/src/app/main.py:7`",
        "[src/app/main.py]",
        "/tmp/some-copy/src/app/main.py",
    ],
)
def test_a_file_is_known_by_what_models_call_it(name):
    found = placed("last = value", 1, name=name)
    assert (found.file, found.line_start) == (FILE.path, 10)


@pytest.mark.parametrize(("name", "others"), [("other.py", ()), ("ain.py", ()), ("/", ()), ("", ()), ("(" * 9_000, ())])
def test_a_file_that_is_not_clear_is_left_as_it_is(name, others):
    found = placed("last = value", 4, name=name, others=others)
    assert (found.file, found.line_start, found.evidence) == (name, 4, "last = value")


@pytest.mark.parametrize("name", ["a (1).py", "x:2", "b/c.py", "[id].tsx", "#L1", "**"])
def test_a_file_that_is_called_like_that_is_meant_before_what_is_left_of_its_name(name):
    other = {"a (1).py": "a.py", "x:2": "x", "b/c.py": "c.py", "[id].tsx": "id"}.get(name, "z")
    texts = Texts({name: ("", "same\n"), other: ("", "same\n")})
    assert texts.place(draft("same", name=name)).finding.file == name


def test_of_files_with_one_name_it_is_the_one_that_holds_the_quote():
    assert placed("def second(a, b):", 4, name="main.py", others=("test/main.py",)).file == FILE.path
    texts = Texts({"a/x.py": ("", "one = 1\n"), "b/x.py": ("keep = 2\n", "keep = 2\ntwo = 2\n"), "c/x.py": ("", "z\n")})
    assert texts.place(draft("two = 2", name="x.py")).finding.file == "b/x.py"
    assert not texts.place(draft("three = 3", 9, name="x.py")).found


def test_a_changed_line_in_one_of_them_comes_before_an_unchanged_one_in_another():
    texts = Texts({"a/x.py": ("one = 1\n", "one = 1\nmore\n"), "b/x.py": ("", "one = 1\n")})
    assert texts.place(draft("one = 1", name="x.py")).finding.file == "b/x.py"


def test_a_telling_line_of_one_file_overrules_a_name_that_is_none():
    texts = Texts({"a.py": ("", "answer = compute(41)\nx = 1\n"), "b.py": ("", "x = 2\n")})
    assert texts.place(draft("answer = compute(41)", 7, name="helper.py")).finding.file == "a.py"
    for quote in ("x = 1", "compute(41)", "answer = compute(42)"):
        lost = texts.place(draft(quote, 7, name="helper.py"))
        assert (lost.found, lost.finding.file, lost.finding.line_start) == (False, "helper.py", 7)


ODD_PATHS = ["a\nb.py", "a\tb.py", "a\u202eb.py", "caf\udce9.py", "a\u2800b.py", "a\u200bb.py", "é.py"]


@pytest.mark.parametrize("path", ODD_PATHS)
def test_a_path_is_known_by_how_it_is_shown(path):
    texts = Texts({path: ("", "x = 1\n"), "other.py": ("", "x = 1\n")})
    for said in {
        path,
        shown_path(path),
        escape(shown_path(path)),
        display_path(path),
        escape(path),
        path[:-3] + ".py:1",
    }:
        assert texts.place(draft("x = 1", name=said)).finding.file == path


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text() | st.just("a.py"), st.integers(0, 50))
def test_whatever_a_model_says_of_a_file_is_kept_as_it_is_or_one_of_the_change(name, quote, line):
    texts = Texts({"a.py": ("one\ntwo\nthree\n", "one\nthree\nfour\n"), "src/b.py": ("", name.replace("\n", "") + "x")})
    found = texts.place(draft(quote or "x", line, name=name))
    assert found.finding.file in {"a.py", "src/b.py"} or (found.finding.file == name and not found.found)


PATH_PARTS = st.text(st.sampled_from("ab.(1)[]:# -*`\\\n\té\u202e\udce9"), min_size=1, max_size=6)


@given(st.lists(st.tuples(PATH_PARTS, PATH_PARTS).map("/".join), min_size=1, max_size=3, unique=True), st.data())
def test_a_path_as_it_is_means_that_file_whatever_it_is_made_of(paths, data):
    texts = Texts({path: ("", f"line of {number}\n") for number, path in enumerate(paths)})
    number = data.draw(st.integers(0, len(paths) - 1))
    assert texts.place(draft(f"line of {number}", name=paths[number])).finding.file == paths[number]
    assert texts.place(draft("nothing", 1, name=paths[number])).finding.file == paths[number]


@pytest.mark.parametrize(
    ("evidence", "line"),
    [
        ("def first():\n    return os.path.join(a, b)", 7),  # only the second is a changed line
        ("import os\ndef first():\n\nreturn os.path.join(a, b)", 7),
        ("    return value\n}\ndef second(a, b):\n    return value", 5),  # together they stand in one place only
        ("4  }\n5 + def second(a, b):\n6 +     return value", 5),
        ("def second(a, b):\n    return value", 5),
        ("}\nreturn os.path.join(a, b)", 7),
        ("if x: return os.path.join(a, b)  # boom", 7),  # a changed line within what is quoted
    ],
)
def test_of_several_quoted_lines_it_is_the_changed_one(evidence, line):
    assert placed(evidence, 1).line_start == line
    assert placed(evidence, 99).line_start == line


def test_lines_that_stand_together_unchanged_are_not_torn_apart():
    old = "a = 1\nb = 2\nc = 3\nd = 4\n"
    texts = Texts({"a.py": (old, old + "e = 5\nb = 2\n")})
    assert texts.place(draft("a = 1\nb = 2", 6, name="a.py")).finding.line_start == 1
    assert texts.place(draft("e = 5\nb = 2", 1, name="a.py")).finding.line_start == 5


@pytest.mark.parametrize(
    ("line", "quotes"),
    [
        ("x = 1\r", ["x = 1", "x = 1\\r", "x = 1\r"]),
        ("x = '\u200b'", ["x = '\\u200b'", "x = '\\u{200B}'", "x = '<U+200B>'", "x = '\u200b'", "x = ''"]),
        ("x = '\u202e'", ["x = '\\u202E'", "x = '\\U0000202e'"]),
        ("caf\udce9 = 1", ["caf\\xe9 = 1", "café = 1", "caf\ufffd = 1", "caf\\351 = 1", "caf\\u00e9 = 1"]),
        ("x = '\x1b[0m'", ["x = '\\x1b[0m'", "x = '\\u{001B}[0m'", "x = '\\033[0m'"]),
        (r"print('a\n', x)", [r"print('a\n', x)", "print('a\n', x)", r"print('a', x)"]),
        ("x\t= 1", ["x\\t= 1", "x = 1"]),
    ],
)
def test_a_character_is_the_same_however_it_is_spelled(line, quotes):
    texts = Texts({"a.py": ("keep\n", f"keep\n{line}\n")})
    for quote in quotes:
        found = texts.place(draft(quote, 1, name="a.py")).finding
        assert (found.line_start, found.evidence) == (2, line), quote


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1), st.sampled_from([escape, visible]))
def test_a_line_is_found_by_what_is_shown_of_it(text, show):
    line = "value" + text
    texts = Texts({"a.py": ("keep\nmore\n", f"keep\nmore\n{line}\n")})
    assert texts.place(draft(show(line), 1, name="a.py")).finding.line_start == 3


GUARDED = (
    "def mean(values):\n    if not values:\n        return 0\n    return sum(values)\n\n\ndef other():\n    pass\n"
)
UNGUARDED = GUARDED.replace("    if not values:\n        return 0\n", "")


@pytest.mark.parametrize(
    ("quote", "line", "end", "status"),
    [
        ("    return sum(values)", 2, 2, IssueStatus.OPEN),
        ("    return sum(values)", 99, 99, IssueStatus.OPEN),
        ("def mean(values):", 1, 1, IssueStatus.OPEN),
        ("def mean(values):\n    return sum(values)", 7, 7, IssueStatus.OPEN),
        ("if not values:", 50, 50, IssueStatus.OPEN),
        ("def other():", 1, 5, IssueStatus.OPEN),  # its lines touch it
        ("this is nowhere", 2, 2, IssueStatus.OPEN),
        ("this is nowhere", 0, 0, IssueStatus.OPEN),
        ("def other():", 5, 6, IssueStatus.OUT_OF_SCOPE),
        ("this is nowhere", 5, 6, IssueStatus.OUT_OF_SCOPE),
        ("this is nowhere", 50, 60, IssueStatus.OUT_OF_SCOPE),
    ],
)
def test_what_is_said_of_a_line_beside_a_deletion_is_said_of_the_deletion(quote, line, end, status):
    texts = Texts({"app.py": (GUARDED, UNGUARDED)})
    assert texts.status(draft(quote, line, end, "app.py")) is status


def test_a_deletion_at_the_end_of_a_file_is_there_too():
    texts = Texts({"app.py": ("a = 1\nb = 2\n", "a = 1\n")})
    for quote, line in (("a = 1", 1), ("nowhere", 1), ("nowhere", 2)):
        assert texts.status(draft(quote, line, name="app.py")) is IssueStatus.OPEN


@pytest.mark.parametrize("line", [0, 1, 2, 700])
def test_what_is_said_of_a_deleted_file_counts_wherever_it_is(line):
    texts = Texts({"app.py": (GUARDED, "")})
    assert texts.files[0].status is FileStatus.DELETED
    assert texts.status(draft("return sum(values)", line, name="app.py")) is IssueStatus.OPEN
    assert texts.status(draft("this is nowhere", line, name="app.py")) is IssueStatus.OPEN


SPLIT = ("keep = 1\n\n\n" + GUARDED, "keep = 1\n\n\n" + GUARDED.replace("        return 0\n", "        return None\n"))


def test_an_unchanged_line_that_is_shown_with_a_change_is_answered_for_by_the_nearest_changed_line():
    texts = Texts({"app.py": SPLIT})
    (file,) = texts.files
    shown = {"app.py": View(file, (Piece((Line(1),)), Piece(tuple(Line(number) for number in range(4, 8)))))}
    for quote, line in (("def mean(values):", 4), ("    return sum(values)", 7)):
        found = place(draft(quote, line, name="app.py"), shown, texts)
        assert found.counts
        assert found.finding.line_start == line
        assert [(one.line_start, one.line_end) for one in found.finding.related] == [(6, 6)]
        assert anchor(found.finding, {"app.py": file}, texts).status is IssueStatus.OPEN
    for quote, line in (("keep = 1", 1), ("def other():", 10)):
        beside = place(draft(quote, line, name="app.py"), shown, texts)
        assert (beside.found, beside.counts) == (True, False)


SHELL = (
    "import os\n\n\ndef f(x):\n    return x\n",
    "import os\n\n\ndef f(x):\n    os.system('ls ' + name)\n    return x\n",
)


@pytest.mark.parametrize(
    "quote", ["os.system(... name)", "os.system(\u2026)", "5 + os.system('ls' ...", "... 'ls ' + name)"]
)
def test_a_quote_with_gaps_is_found(quote):
    found = Texts({"a.py": SHELL}).place(draft(quote, 99, name="a.py"))
    assert (found.counts, found.finding.line_start, found.finding.evidence) == (True, 5, "    os.system('ls ' + name)")


@pytest.mark.parametrize("quote", ["...", "x...", "os.popen(...)", "name ... os.system"])
def test_a_quote_of_gaps_alone_or_of_other_parts_is_not(quote):
    assert not Texts({"a.py": SHELL}).place(draft(quote, 99, name="a.py")).found


@pytest.mark.parametrize("name", ["a.py, b.py", "b.py and a.py", "a.py; b.py", "`a.py` & `b.py`"])
def test_of_several_files_that_are_named_it_is_one_that_holds_the_quote(name):
    texts = Texts({"b.py": SHELL, "a.py": ("x\n", "x\ny\n"), "c.py": SHELL})
    found = texts.place(draft("os.system('ls ' + name)", 5, name=name))
    assert (found.counts, found.finding.file) == (True, "b.py")


def test_a_telling_line_overrules_a_file_that_does_not_hold_it():
    texts = Texts({"a.py": SHELL, "b.py": ("x\n", "x\ny\n")})
    found = texts.place(draft("os.system('ls ' + name)", 2, name="b.py"))
    assert (found.counts, found.finding.file) == (True, "a.py")


@pytest.mark.parametrize(
    "name",
    [
        "App.py", "app", "app.py::f", "app.py#f", "app.py:f", "f in app.py", "app.f", "app.py \u2192 f()", "app::f",
        "the file app.py", "app.f()", "src.app.f", "src/app", "src/app.py#f",
    ],
)  # fmt: skip
def test_a_file_is_known_by_a_function_in_it_or_without_its_ending(name):
    texts = Texts({"src/app.py": ("x\n", "x\neval(x)\n"), "lib.py": ("x\n", "x\neval(x)\n")})
    found = texts.place(draft("eval(x)", 2, name=name))
    assert (found.counts, found.finding.file) == (True, "src/app.py")


@pytest.mark.parametrize("name", ["app.rs", "myapp.py", "lib/app.py", "application", "app.py.bak"])
def test_a_file_is_not_known_by_a_part_of_another_name(name):
    texts = Texts({"src/app.py": ("x\n", "x\neval(x)\n"), "other.py": ("x\n", "x\neval(x)\n")})
    assert not texts.place(draft("eval(x)", 2, name=name)).found


def test_where_one_file_is_shown_any_changed_line_says_that_it_is_meant():
    found = Texts({"a.py": ("x\n", "x\neval(x)\n")}).place(draft("eval(x)", 9, name="the diff"))
    assert (found.counts, found.finding.file, found.finding.line_start) == (True, "a.py", 2)


def test_what_has_no_place_says_so():
    texts = Texts({"app.py": (GUARDED, UNGUARDED)})
    assert texts.place(draft("def other():", 5, name="app.py")).found  # a place, though outside of the change
    assert not texts.place(draft("this is nowhere", 5, name="app.py")).found
    assert not texts.place(draft("def other():", 5, name="lib.py")).found


def test_what_the_model_says_is_kept():
    found = placed("last = value", 10)
    assert found.description == "Wrong.\nempty -> crash -> none"
    assert (found.severity, found.category, found.confidence) == (Severity.HIGH, Category.LOGIC, 0.9)
