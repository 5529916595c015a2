"""A fixer's edits as a patch: its files, hunks and lines, the bounds that it is checked against, and rejections."""

from __future__ import annotations

import bisect
import dataclasses
import difflib
import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview.api.config import ConfigView
from selfreview.git.worktree_files import LINK, Entry
from selfreview.model.change import Change, HunkSpan
from selfreview.model.issue import Issue, Side
from selfreview.syntax.file_kinds import is_test
from selfreview.syntax.languages import language_of
from selfreview.syntax.statements import indent_of


class Edited(NamedTuple):
    """A path that a fixer changed; a renamed file counts as two.

    Attributes:
        path: Its path, as in :class:`~selfreview.model.change.ChangedFile`.
        old, new: What was there before and what is there now; None where there is no file. Both are None where it is
            no file that can be read, such as a repository inside of the repository.
    """

    path: str
    old: Entry | None
    new: Entry | None


class Rejection(NamedTuple):
    """Rejection of edits by a rule.

    Attributes:
        path: The file.
        rule: Stable name of the rule.
        reason: One sentence that tells a fixer what to do instead.
    """

    path: str
    rule: str
    reason: str


class Held(NamedTuple):
    """An edit that waits for a person.

    Attributes:
        path: The file.
        line: Its first line now, from 1.
        why: Why it waits, as a clause.
    """

    path: str
    line: int
    why: str


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Bounds that edits are checked against.

    Attributes:
        change: The change under review.
        issues: The issues that the fixer was given, with the lines of the old side of the edits.
        config: The configuration.
        reasons: By path, the fixer's reason to edit a file that is neither of the change nor a test of it.
        marked: By path, why ``.gitattributes`` takes an edited file out of the review.
        hooks: Files, and folders of files, that git takes for hooks; ``""`` is the top level.
    """

    change: Change
    issues: Sequence[Issue]
    config: ConfigView
    reasons: Mapping[str, str] = dataclasses.field(default_factory=dict)
    marked: Mapping[str, str] = dataclasses.field(default_factory=dict)
    hooks: Sequence[str] = ()


LARGEST_EXACT = 2_000_000
"""Pairs of equal lines, times lines: what :class:`difflib.SequenceMatcher` may look at in one part of two texts."""

_ROUNDS = 8
"""Rounds of splitting a part at the lines that occur only once in it."""


class Part(NamedTuple):
    """Lines ``old_first`` to before ``old_end``, from 0, that became ``new_first`` to before ``new_end``."""

    old_first: int
    old_end: int
    new_first: int
    new_end: int


def differing(old: Sequence[str], new: Sequence[str]) -> list[Part]:
    """Return the differing parts, in order.

    Small parts are compared exactly. Larger ones are first split at lines that occur once on either side; what then is
    still too large, because its lines repeat themselves, counts as replaced as a whole.
    """
    whole = _trimmed(Part(0, len(old), 0, len(new)), old, new)
    return [inner for part in _split(whole, old, new) for inner in _compared(part, old, new)]


def _split(whole: Part, old: Sequence[str], new: Sequence[str]) -> list[Part]:
    parts = [whole]
    for _ in range(_ROUNDS):
        if all(map(_is_small, *_sides(parts, old, new))):
            break
        parts = [
            inner
            for part, left, right in zip(parts, *_sides(parts, old, new), strict=True)
            for inner in ([part] if _is_small(left, right) else _between_anchors(part, old, new))
        ]
    return parts


def _sides(
    parts: Sequence[Part], old: Sequence[str], new: Sequence[str]
) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    return [old[p.old_first : p.old_end] for p in parts], [new[p.new_first : p.new_end] for p in parts]


def _is_small(left: Sequence[str], right: Sequence[str]) -> bool:
    counts = Counter(right)
    return sum(counts[line] for line in left) * min(len(left), len(right)) <= LARGEST_EXACT


def _compared(part: Part, old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    left, right = old[part.old_first : part.old_end], new[part.new_first : part.new_end]
    if not _is_small(left, right):
        yield part
        return
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Part(part.old_first + i1, part.old_first + i2, part.new_first + j1, part.new_first + j2)


def _between_anchors(part: Part, old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    """Yield the parts between the lines that occur once on each side, in the same order."""
    once_old = _once(old, part.old_first, part.old_end)
    once_new = _once(new, part.new_first, part.new_end)
    pairs = sorted((at, once_new[line]) for line, at in once_old.items() if line in once_new)
    at_old, at_new = part.old_first, part.new_first
    for i, j in [*_rising(pairs), (part.old_end, part.new_end)]:
        inner = _trimmed(Part(at_old, i, at_new, j), old, new)
        if inner.old_first < inner.old_end or inner.new_first < inner.new_end:
            yield inner
        at_old, at_new = i + 1, j + 1


def _once(lines: Sequence[str], first: int, end: int) -> dict[str, int]:
    counts = Counter(lines[first:end])
    return {lines[at]: at for at in range(first, end) if counts[lines[at]] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest part of pairs in order of their first, whose second also rises."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        at = bisect.bisect_left(ends, second)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [second]
        last[at : at + 1] = [number]
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _trimmed(part: Part, old: Sequence[str], new: Sequence[str]) -> Part:
    """Return a part without the lines that its sides begin and end with alike."""
    i, i_end, j, j_end = part
    while i < i_end and j < j_end and old[i] == new[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    return Part(i, i_end, j, j_end)


_BINARY_HEAD = 8000
_SAME_FILE = 0.5
_LONGEST_COMPARED = 200_000
"""Bytes of the largest file that counts as renamed without being an exact copy."""


class Hunk(NamedTuple):
    """Lines that differ, with the number of the first on each side, from 1."""

    old_start: int
    old: Sequence[str]
    new_start: int
    new: Sequence[str]


@dataclasses.dataclass(frozen=True, eq=False)
class File:
    """One edited file.

    Attributes:
        path: Its path now; of a deleted file, the one that it had.
        old_path: Its path before.
        old, new: What it was and what it is; None where it is absent.
        spans: Where the lines differ, as git found it; None where nobody asked git.
        given_to_tests: Whether a check gives it to a test runner, whatever it is called.
    """

    path: str
    old_path: str
    old: Entry | None
    new: Entry | None
    spans: Sequence[HunkSpan] | None = None
    given_to_tests: bool = False

    @functools.cached_property
    def old_text(self) -> str:
        """The text before; empty where there was none."""
        return text_of(self.old)

    @functools.cached_property
    def new_text(self) -> str:
        """The text now; empty where there is none."""
        return text_of(self.new)

    @functools.cached_property
    def old_lines(self) -> list[str]:
        """Lines before, without their ends."""
        return self.old_text.replace("\r\n", "\n").split("\n")

    @functools.cached_property
    def new_lines(self) -> list[str]:
        """Lines now, without their ends."""
        return self.new_text.replace("\r\n", "\n").split("\n")

    @functools.cached_property
    def hunks(self) -> list[Hunk]:
        """Hunks in which the lines differ; line endings do not count, unless the hunks are git's."""
        if self.spans is not None:
            return _from_spans(self.spans, self.old_lines, self.new_lines)
        return _hunks(self.old_lines, self.new_lines)

    @functools.cached_property
    def language(self) -> str | None:
        """Programming language of the file, or None."""
        return "bats" if self.path.endswith(".bats") else language_of(self.path)

    @functools.cached_property
    def is_test(self) -> bool:
        """Return whether it is a test file, or was one."""
        return any(is_test(path) or path.endswith(".bats") for path in (self.path, self.old_path))

    @property
    def has_tests(self) -> bool:
        """Return whether a runner finds tests in it: the rules that protect tests apply to it."""
        return self.is_test or self.given_to_tests


@dataclasses.dataclass(frozen=True, eq=False)
class Patch:
    """All that a fixer changed.

    Attributes:
        edits: Path by path.
        files: File by file.
        bounds: What it is measured against.
    """

    edits: Sequence[Edited]
    files: Sequence[File]
    bounds: Bounds

    def without(self, paths: set[str]) -> Patch:
        """Return the patch without some files."""
        kept = [file for file in self.files if paths.isdisjoint((file.path, file.old_path))]
        return Patch([edit for edit in self.edits if edit.path not in paths], kept, self.bounds)


def make_patch(edits: Sequence[Edited], bounds: Bounds) -> Patch:
    """Build a patch of edits; a deleted file that is much like a new one counts as renamed."""
    gone = [edit for edit in edits if edit.old is not None and edit.new is None]
    files = []
    for edit in edits:
        if edit.old is not None or edit.new is None:
            continue
        source = _source(edit.path, edit.new, gone)
        if source is not None:
            gone.remove(source)
        files.append(File(edit.path, source.path if source else edit.path, source.old if source else None, edit.new))
    files += [File(edit.path, edit.path, edit.old, edit.new) for edit in edits if edit.old and edit.new]
    files += [File(edit.path, edit.path, edit.old, None) for edit in gone]
    return Patch(edits, sorted(files, key=lambda file: file.path), bounds)


def is_binary(entry: Entry | None) -> bool:
    """Return whether a file is binary."""
    return entry is not None and entry.mode != LINK and b"\0" in entry.data[:_BINARY_HEAD]


def text_of(entry: Entry | None) -> str:
    """Return a file's text; links and binary files have none."""
    if entry is None or entry.mode == LINK or is_binary(entry):
        return ""
    return entry.data.decode("utf-8", "surrogateescape")


def _source(path: str, new: Entry, gone: Sequence[Edited]) -> Edited | None:
    """Return the deleted file that a new one is most like."""
    if new.mode == LINK or not new.data.strip():
        return None
    files = [(edit, edit.old.data) for edit in gone if edit.old is not None and edit.old.mode != LINK]
    same = next((edit for edit, data in files if data == new.data), None)
    if same is not None or len(new.data) > _LONGEST_COMPARED:
        return same
    lines = _lines_of(new.data)
    others = [
        (edit, _lines_of(data))
        for edit, data in files
        if len(data) <= _LONGEST_COMPARED and language_of(edit.path) == language_of(path)
    ]
    best, found = _SAME_FILE, None
    # Lines wherever they stand are counted quickly, and are never fewer than those that stand in the same order.
    limits = sorted(((_shared(old, lines), number) for number, (_, old) in enumerate(others)), reverse=True)
    for limit, number in limits:
        edit, old = others[number]
        if limit < best or (found is not None and limit == best):
            break
        kept = len(old) - sum(part.old_end - part.old_first for part in differing(old, lines))
        ratio = 2 * kept / (len(old) + len(lines))
        if ratio >= best:
            best, found = ratio, edit
    return found


def _lines_of(data: bytes) -> list[str]:
    """Return the lines of a text in any encoding, one character a byte."""
    return data.decode("latin-1").split("\n")


def _shared(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the share of equal lines in two texts, from 0 to 1, in any order."""
    return 2 * (Counter(old) & Counter(new)).total() / (len(old) + len(new))


def _from_spans(spans: Sequence[HunkSpan], old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    hunks = []
    for span in spans:
        # With a count of 0, git names the line before the place.
        at, now = span.old_start + (not span.old_count), span.new_start + (not span.new_count)
        hunks.append(Hunk(at, old[at - 1 :][: span.old_count], now, new[now - 1 :][: span.new_count]))
    return hunks


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    return [Hunk(i1 + 1, old[i1:i2], j1 + 1, new[j1:j2]) for i1, i2, j1, j2 in differing(old, new)]


_REMOVAL = re.compile(
    r"\b(?:unused|unreachable|dead\b|redundant|duplicat\w+|obsolete|superfluous|leftover|redefin\w+|stray"
    r"|never (?:\w+ ){0,2}(?:used|called|read|reached)"
    r"|not (?:\w+ )?(?:used|needed|called)|(?:delet|remov)(?:e|ing|ed)\b)",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"\s*(?:[)\]}]|(?:end|else|elif|except|finally|rescue|ensure|catch)\b)")


def issues_of(file: File, bounds: Bounds) -> Iterator[Issue]:
    """Yield the issues that a file is the place of."""
    return (issue for issue in bounds.issues if issue.file in (file.path, file.old_path))


def is_pointed_at(file: File, bounds: Bounds, first: int = 0, last: int = 1 << 30) -> bool:
    """Return whether an issue is about a file as a whole, or about some of these lines of its old side."""
    return any(
        issue.line_start == 0 or (issue.side is Side.NEW and issue.line_start <= last and first <= issue.line_end)
        for issue in issues_of(file, bounds)
    )


def asks_for_removal(issue: Issue) -> bool:
    """Return whether an issue asks for something to be removed."""
    return _REMOVAL.search(f"{issue.description}\n{issue.suggested_fix or ''}") is not None


def lines_pointed_at(file: File, bounds: Bounds) -> set[int]:
    """Return the lines of the old side that issues are about, each with the indented block that it begins."""
    lines = file.old_lines
    found: set[int] = set()
    for issue in issues_of(file, bounds):
        if issue.line_start == 0:
            return set(range(1, len(lines) + 1))
        if issue.side is Side.OLD:
            continue
        last = max(issue.line_end, issue.line_start)
        found.update(range(issue.line_start, last + 1))
        found.update(_block(lines, issue.line_start))
    return found


def _block(lines: list[str], start: int) -> range:
    """Return the lines that are indented deeper than a line, and those that close what it opens."""
    if start > len(lines):
        return range(0)
    depth = indent_of(lines[start - 1])
    end = start
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        if indent_of(line) <= depth and not (indent_of(line) == depth and _CLOSING.match(line)):
            break
        end = number
    return range(start, end + 1)
