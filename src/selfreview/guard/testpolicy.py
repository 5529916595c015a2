"""Tests belong to the person: which edits of a fixer wait for their word.

Held is every edit of a test, snapshot or fixture that was there, and every new file that a runner loads by itself. Free
are new test files, and whole new tests with new names in those that are there; and lines that an issue points at.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.checkscripts import with_tests
from selfreview.guard.loadeffects import load_effects
from selfreview.guard.patch import Bounds, Edited, File, Held, Hunk, Patch, is_binary, issues_of, make_patch
from selfreview.model.issue import Side
from selfreview.syntax.file_kinds import is_loaded_by_runner, is_snapshot, is_test
from selfreview.syntax.source import Source, Unit, keeps_tests, lines_with_examples, only_adds_tests

_MAX_HUNKS = 200
_IMPORT = re.compile(
    r"""\s*(?:(?:(?:import|from\s+\S+\s+import|use|using)\s+[^;()=]+|\#\s*include\s+[<"][^>"]+[>"]
    |require(?:_relative)?\b\s*\(?\s*['"][^'"]+['"]\s*\)?|const\s+[\w{}\s,:]+=\s*require\(\s*['"][^'"]+['"]\s*\))
    \s*;?\s*(?:(?:\#|//).*)?)?""",
    re.VERBOSE,
)
"""A whole line that imports and does nothing else, or an empty one."""
_CLASS = re.compile(r"^\s*class\s+([A-Z]\w*)\s*(?:$|[;#])", re.MULTILINE)
_COLLECTION = re.compile(
    r"\b(?:collect_ignore\w*|pytest_(?:ignore_collect|collection\w*|runtest_\w+|sessionfinish|report\w*|collect_\w+"
    r"|configure|pyfunc_call|terminal_summary)|filterwarnings|deselect\w*|pytest_plugins)\b"
)
"""What decides in a ``conftest.py`` which tests run, and how."""


@dataclasses.dataclass(frozen=True)
class Split:
    """A fixer's edits, by what may be kept at once.

    Attributes:
        free: The edits without what waits; of a file of which all waits, nothing.
        held: What waits, and why.
    """

    free: Sequence[Edited]
    held: Sequence[Held]


def split(edits: Sequence[Edited], bounds: Bounds, original: Mapping[str, Entry | None] | None = None) -> Split:
    """Split edits into those that may be kept, and those that wait for a person.

    Args:
        edits: All that a fixer changed since what it wrote was last kept.
        bounds: What they are measured against.
        original: By path, the file as the person has it, where a fixer has edited it before: its own tests are free.
    """
    if bounds.config["tests"] == "allow":
        return Split(edits, ())
    patch = with_tests(make_patch(edits, bounds))
    by_path = {edit.path: edit for edit in edits}
    free: dict[str, Edited] = dict(by_path)
    held: list[Held] = []
    for file in patch.files:
        first = (original or {}).get(file.old_path, file.old) if original is not None else file.old
        found = _judge(file, patch, first)
        if not found.held:
            continue
        held += found.held
        for path in {file.path, file.old_path}:
            edit = by_path.get(path)
            if edit is not None:
                free.pop(path, None)
        if found.kept is not None and file.path == file.old_path:
            free[file.path] = by_path[file.path]._replace(new=found.kept)
    return Split([free[edit.path] for edit in edits if edit.path in free], held)


@dataclasses.dataclass(frozen=True)
class _Found:
    held: Sequence[Held] = ()
    kept: Entry | None = None


def _judge(file: File, patch: Patch, original: Entry | None) -> _Found:
    bounds = patch.bounds
    if file.old is None or original is None:
        why = _why_new(file, patch) if file.old is None else None  # else a fixer's own, that was let pass before
        return _Found([Held(file.path, 1, why)]) if why is not None else _Found()
    kind = _kind(file)
    if kind is None and (file.language is None or file.new is None):
        return _Found()
    if _is_pointed_at_as_a_whole(file, bounds) and _decides_the_same(file):
        return _Found()
    if kind is not None and (file.new is None or file.path != file.old_path):
        what = "is gone" if file.new is None else f"is {file.path} now"
        return _Found([Held(file.old_path, 1, f"{kind} that you have {what}")])
    if is_binary(file.old) or is_binary(file.new) or LINK in (file.old.mode, file.new.mode if file.new else ""):
        return _Found([Held(file.path, 1, f"{kind} that you have is edited")]) if kind is not None else _Found()
    return _by_hunks(file, kind, bounds, original)


def _kind(file: File) -> str | None:
    """Return what a file is that belongs to the person as a whole, or None for one of the product."""
    if is_snapshot(file.old_path):
        return "a snapshot"
    if is_test(file.old_path) or file.old_path.endswith(".bats"):
        return "a test file" if file.language is not None else "a file of the tests"
    if is_loaded_by_runner(file.old_path):
        return "a file that test runners load"
    return None


def _why_new(file: File, patch: Patch) -> str | None:
    if is_loaded_by_runner(file.path) and file.new is not None and file.new.data.strip():
        return "a new file that test runners load by themselves"
    if not is_test(file.path):
        return None
    if load_effects(file.new_text, file.language, is_shared=False) or _reopens(file, patch):
        return "a new file with code that runs for the tests of other files, too"
    return None


def _reopens(file: File, patch: Patch) -> bool:
    """Return whether a new test in Ruby adds to a class of the files that are edited, for all tests of the run."""
    if file.language != "ruby":
        return False
    others = "\n".join(other.new_text for other in patch.files if other.language == "ruby" and not other.is_test)
    return not set(_CLASS.findall(others)).isdisjoint(_CLASS.findall(file.new_text))


def _is_pointed_at_as_a_whole(file: File, bounds: Bounds) -> bool:
    return any(issue.line_start == 0 for issue in issues_of(file, bounds))


def _by_hunks(file: File, kind: str | None, bounds: Bounds, original: Entry) -> _Found:
    """Judge a text line by line: lines that an issue points at are free, and others by what they are."""
    old = Source(file.old_path, file.old_text)
    judge = _judge_of(file, kind, original)
    if judge(file.old_text, file.new_text):
        return _Found()
    hunks = file.hunks
    if file.hunks and len(hunks) <= _MAX_HUNKS:
        pointed = _pointed(file, old, bounds) if _decides_the_same(file) else []
        free = [hunk for hunk in hunks if _is_free(hunk, pointed)]
        base = _applied(file, free)
        rest = [hunk for hunk in hunks if hunk not in free]
        if judge(base, file.new_text):
            return _Found()
        more = [hunk for hunk in rest if judge(base, _applied(file, [*free, hunk]))]
        text = _applied(file, [*free, *more])
        if not judge(base, text):
            more, text = [], base
        waits = [hunk for hunk in rest if hunk not in more]
    else:
        waits, text = hunks, file.old_text
    what = kind if kind is not None else "a test inside of this file"
    held = [
        Held(file.path, max(hunk.new_start, 1), f"{_test_at(old, hunk) or what} that you have is edited")
        for hunk in waits
    ]
    if not held:  # other line ends, or a mode
        held = [Held(file.path, 1, f"{what} that you have is edited")]
    kept = None if text == file.old_text else Entry(_mode(file), text.encode("utf-8", "surrogateescape"))
    return _Found(held, kept)


def _test_at(source: Source, hunk: Hunk) -> str | None:
    """Return which test a hunk is in, or None."""
    numbers = range(hunk.old_start - (not hunk.old), hunk.old_start + max(len(hunk.old), 1))
    names = [unit.test for unit in source.tests if unit.lines.start <= numbers[0] and numbers[-1] < unit.lines.stop]
    return f"the test {names[-1]!a}" if names else None


def _decides_the_same(file: File) -> bool:
    """Return whether the code is the same that decides which tests of others run, and how: no issue lets it change."""

    def decides(text: str) -> Counter[str]:
        lines = (line.strip() for line in text.split("\n") if _COLLECTION.search(line))
        return load_effects(text, file.language, is_shared=True) + Counter(lines)

    return decides(file.old_text) == decides(file.new_text)


def _mode(file: File) -> str:
    assert file.old is not None  # noqa: S101 - the caller has looked
    return file.old.mode


def _judge_of(file: File, kind: str | None, original: Entry) -> Callable[[str, str], bool]:
    """Return what says whether one text may become another."""
    own = _own_tests(file, original)

    def judge(old: str, new: str) -> bool:
        if old == new:
            return kind is None or (file.old is not None and file.new is not None and file.old.mode == file.new.mode)
        before, after = Source(file.path, _without(old, own, file)), Source(file.path, _without(new, own, file))
        if kind is None:
            return keeps_tests(before, after, runs_functions=file.given_to_tests)
        if file.language is None or not only_adds_tests(before, after):
            return False
        was, now = (load_effects(text, file.language, is_shared=True) for text in (old, new))
        return not now - was

    return judge


def _own_tests(file: File, original: Entry) -> set[str]:
    """Return the names of tests that a fixer added to a file before: they are its own."""
    first = original.data.decode("utf-8", "surrogateescape")
    if first == file.old_text:
        return set()
    theirs = {unit.test for unit in Source(file.path, first).tests}
    return {unit.test for unit in Source(file.path, file.old_text).tests if unit.test is not None} - theirs


def _without(text: str, own: set[str], file: File) -> str:
    """Return a text without the tests of some names."""
    if not own:
        return text
    lines = text.split("\n")
    for unit in Source(file.path, text).tests:
        if unit.test in own:
            for number in unit.lines:
                lines[number - 1] = ""
    return "\n".join(lines)


def _pointed(file: File, old: Source, bounds: Bounds) -> list[int]:
    """Return, sorted, the lines of the old side that issues point at, with the tests that they are in.

    An issue in a function does not free the examples in its documentation, which are tests of their own.
    """
    found: set[int] = set()
    examples = lines_with_examples(old)
    for issue in issues_of(file, bounds):
        if issue.side is Side.OLD:
            continue
        lines = range(issue.line_start, max(issue.line_end, issue.line_start) + 1)
        found.update(lines)
        for unit in _innermost(old.units or (), lines):
            found.update(number for number in unit.lines if number not in examples)
    return sorted(found)


def _innermost(units: Sequence[Unit], lines: range) -> list[Unit]:
    """Return the smallest units that some lines are in."""
    found: list[Unit] = []
    for unit in units:
        if unit.lines.start < lines.stop and lines.start < unit.lines.stop:
            inner = _innermost(unit.members, lines) if unit.members is not None else []
            if inner or unit.members is None:
                found += inner or [unit]
    return found


def _is_free(hunk: Hunk, pointed: Sequence[int]) -> bool:
    if not pointed:
        return False
    if not hunk.old and all(_IMPORT.fullmatch(line.rstrip("\r\n")) for line in hunk.new):
        return True  # what an issue asks for may need another import
    above = max(hunk.old_start - 1, 1)  # of what is inserted at the top, it is the line below
    numbers = range(hunk.old_start, hunk.old_start + len(hunk.old)) or (above,)
    return all(_has(pointed, number) for number in numbers)


def _has(numbers: Sequence[int], number: int) -> bool:
    at = bisect.bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def _applied(file: File, hunks: Sequence[Hunk]) -> str:
    """Return the text before with some of the hunks applied."""
    lines = file.old_text.split("\n")
    new = file.new_text.split("\n")
    for hunk in sorted(hunks, key=lambda hunk: hunk.old_start, reverse=True):
        start, end = hunk.old_start - 1, hunk.old_start - 1 + len(hunk.old)
        lines[start:end] = new[hunk.new_start - 1 : hunk.new_start - 1 + len(hunk.new)]
    return "\n".join(lines)
