"""Detection of test files whose tests a change deletes, and of tests that it only moves to another file."""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api import ChangedFile, FileStatus, Finding, ReviewContext, Severity, Side, SourceText
from selfreview.reviewers.rules.parseable import short_lines
from selfreview.rules import Rule
from selfreview.syntax.assertions import asserting
from selfreview.syntax.file_kinds import Kind, is_run_as_test, is_test, kind_of
from selfreview.syntax.languages import language_of
from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.statements import statement_starts
from selfreview.syntax.testcode import (
    TESTS,
    compound_names,
    declared_tests,
    defined_names,
    functions,
    is_test_function,
    is_turned_off,
)
from selfreview.text.layout import listing, plural

ALIKE = 0.6
"""Share of a test's lines that a test elsewhere has, from which it is the same under another name."""
_WHOLE = 0.8
"""Share from which it may have fewer assertions."""
_NEARLY_ALL = 0.8
_FEW = 2
"""Tests of a remaining file up to which each is reported by itself."""
_MAX_GROUPS = 5
"""Issues on deleted files; where there would be more, one issue reports all of them."""
_MAX_ALIKE = 50
"""Tests sharing a line that are compared; a line of more tests identifies none of them."""
_MAX_NAMED = 3
_SHORTEST = 4
"""Characters of a name that says what a test is of; of a file, one less."""
_WITH_CODE = "{name}: deleted along with code that these tests name."
_REST = "These tests are gone, and most others of their files stand elsewhere now: {name}."
_REWRITTEN = "{name}: deleted, and at least as many new ones come in their place."
_WORD = re.compile(r"\w+")
_CLAIM = re.compile(r"assert|expect|check|require|verify|should|fail|\[ |^\s*Then\b", re.IGNORECASE)


class Test(NamedTuple):
    """One test on one side of a file.

    Attributes:
        path: The file, as it is called on that side.
        name: Without the classes and groups around.
        head: The line of its name.
        lines: Those of its body that hold a word, without white space.
        assertions: How many of them assert something.
        skipped: Whether it is turned off.
    """

    path: str
    name: str
    head: int
    lines: Counter[str]
    assertions: int
    skipped: bool

    def holds(self, other: Test) -> float:
        """Return the share of another test's lines that this one has."""
        return sum((self.lines & other.lines).values()) / max(sum(other.lines.values()), 1)


class Deleted(NamedTuple):
    """A test file whose tests are deleted, if not the file itself.

    Attributes:
        file: The file.
        tests: How many of its tests are nowhere else.
        moved: How many are.
    """

    file: ChangedFile
    tests: int
    moved: int


class Tests:
    """The tests that a change takes away, and those that it brings.

    Args:
        context: The change.
    """

    def __init__(self, context: ReviewContext) -> None:
        self._context = context
        self._files = [file for file in context.change.reviewable if not file.binary]
        self._by_name: dict[str, list[Test]] = defaultdict(list)
        self._by_line: dict[str, list[Test]] = defaultdict(list)
        self._brought: list[Test] = []
        self._taken: set[int] = set()
        for file in self._files:
            if file.status is not FileStatus.DELETED:
                known = {test.name for test in self._of(file, Side.OLD)} if file.status is not FileStatus.ADDED else ()
                self._brought += [test for test in self._of(file, Side.NEW) if test.name not in known]
        for test in self._brought:
            self._by_name[test.name].append(test)
            for line in test.lines:
                self._by_line[line].append(test)

    def _of(self, file: ChangedFile, side: Side) -> list[Test]:
        path = file.path_at_base if side is Side.OLD else file.path
        language = language_of(path)
        if language not in TESTS and (not is_test(path) or kind_of(path) is Kind.PROSE):
            return []
        text = self._context.text(file, side)
        if text is None:
            return []
        if language is None or language not in TESTS:
            return list(_declared(path, text.lines))
        return list(_tests(path, language, short_lines(text))) if re.search(TESTS[language].test, text.text) else []

    def is_moved(self, test: Test) -> bool:
        """Return whether a deleted test is in another file now, by its name or by what it does.

        A name stands for one test; any number can have become one that does what all of them did.
        """
        for other in self._by_name[test.name]:
            if id(other) not in self._taken and _is_same(test, other, other.holds(test)):
                self._taken.add(id(other))
                return True
        alike = [other for line in test.lines for other in self._by_line[line][:_MAX_ALIKE]]
        brought = {id(other): other for other in alike}
        for mark, _ in Counter(map(id, alike)).most_common(3):
            share = brought[mark].holds(test)
            if share >= ALIKE and _is_same(test, brought[mark], share):
                self._taken.add(mark)
                return True
        return False

    def gone(self, path: str, lines: Iterable[int]) -> set[int]:
        """Return which tests of a file, by the lines of their names, are nowhere in the change."""
        wanted = set(lines)
        file = next(file for file in self._files if file.path == path)
        return {test.head for test in self._of(file, Side.OLD) if test.head in wanted and not self.is_moved(test)}

    def deleted(self, files: Iterable[ChangedFile]) -> list[Deleted]:
        """Return which files, whose tests nobody runs any more, had tests that are nowhere else."""
        found = []
        for file in files:
            was = self._of(file, Side.OLD)
            same = {test.name: test for test in self._same_name(file.path_at_base)} if was else {}
            moved = [
                self.is_moved(test) or ((other := same.get(test.name)) is not None and _stands_in(test, other))
                for test in was
            ]
            if not all(moved):
                found.append(Deleted(file, moved.count(False), moved.count(True)))
        return found

    def _same_name(self, path: str) -> Iterator[Test]:
        """Yield the tests of the files that are called the same elsewhere and that the change leaves as they are."""
        name, language = path.rpartition("/")[2], language_of(path) or ""
        changed = {file.path for file in self._files}
        paths = [p for p in self._context.list_paths() if p.rpartition("/")[2] == name and p not in changed]
        for other, data in self._context.read_paths(paths[:_MAX_ALIKE]).items():
            lines = short_lines(SourceText.from_bytes(data))
            yield from _tests(other, language, lines) if language in TESTS else _declared(other, lines)

    def emptied(self, path: str, gone: int) -> Deleted | None:
        """Return a remaining file, if nearly all of its tests are among the given number that are gone."""
        file = next(file for file in self._files if file.path == path)
        before = len(self._of(file, Side.OLD))
        left = len(self._of(file, Side.NEW))
        few = before <= _FEW or gone < _NEARLY_ALL * before or left > (1 - _NEARLY_ALL) * before
        return None if few else Deleted(file, gone, 0)

    def new_below(self, folder: str, was: str) -> list[Test]:
        """Return the tests that the change brings below a folder and that were nowhere before, for those of a file."""
        below = f"{folder}/" if folder else ""
        return [
            test
            for test in self._brought
            if test.path.startswith(below) and id(test) not in self._taken and _runs_as(was, test.path)
        ]

    def claims(self, file: ChangedFile) -> int:
        """Return how often the tests that a file had asserted something."""
        return sum(test.assertions for test in self._of(file, Side.OLD))

    def goes_with_code(self, file: ChangedFile) -> bool:
        """Return whether a deleted test names something that the change removes from the product too."""
        text = self._context.text(file, Side.OLD)
        words = set(_WORD.findall(text.text)) if text is not None else set()
        name = _plain(_stem(file.path_at_base))
        subject = re.sub("tests?|spec", "", name)
        is_of = any(stem in name or (len(subject) >= _SHORTEST and subject in stem) for stem in self._fewer)
        return is_of or not words.isdisjoint(self._vanished)

    @functools.cached_property
    def _product(self) -> list[ChangedFile]:
        return [file for file in self._files if not is_test(file.path_at_base) and language_of(file.path_at_base)]

    @functools.cached_property
    def _fewer(self) -> frozenset[str]:
        """Names of product files that are deleted, or that shrink and lose a definition."""
        fewer = (
            file
            for file in self._product
            if file.status is FileStatus.DELETED
            or (
                file.removed_lines > file.added_lines
                and self._names(file, Side.OLD)[0] - self._names(file, Side.NEW)[0]
            )
        )
        return frozenset(stem for file in fewer if len(stem := _plain(_stem(file.path_at_base))) >= _SHORTEST - 1)

    @functools.cached_property
    def _vanished(self) -> frozenset[str]:
        """Names that the changed code of the product defined, and neither defines nor mentions any more."""
        before: set[str] = {_stem(file.path) for file in self._product if file.status is FileStatus.DELETED}
        after: set[str] = set()
        for file in self._product:
            before |= self._names(file, Side.OLD)[0]
            after.update(*self._names(file, Side.NEW))
        return frozenset(name for name in before - after if len(name) >= _SHORTEST)

    def _names(self, file: ChangedFile, side: Side) -> tuple[set[str], set[str]]:
        """Return what the code of one side of a file defines, and what else it names; comments and texts are none."""
        language = language_of(file.path_at_base if side is Side.OLD else file.path)
        if language is None or (text := self._context.text(file, side)) is None:
            return set(), set()
        lines = short_lines(text)
        root = parse("\n".join(lines), language)
        code = "\n".join(live_lines(root, language, lines))
        named = {function.name.rpartition(".")[2] for function in functions(root, language, lines)}
        return named | defined_names(code), compound_names(code)


def deleted_tests(context: ReviewContext, tests: Tests, deleted: Sequence[Deleted], rule: Rule) -> Iterator[Finding]:
    """Yield one finding for each group of files whose tests are deleted: a folder, and what speaks for the change.

    Args:
        context: The change.
        tests: Its tests.
        deleted: The files.
        rule: What is wrong with it.
    """
    left = {folder for path in context.list_paths() if _is_test_file(path) for folder in _above(path)}
    folders: dict[tuple[str | None, str], list[Deleted]] = defaultdict(list)
    for gone in deleted:
        folders[_excuse(gone, tests), _highest(gone.file.path_at_base, left)].append(gone)
    for why in (None, _WITH_CODE, _REST):
        ours = {folder: group for (kind, folder), group in folders.items() if kind is why}
        if len(ours) > _MAX_GROUPS:
            ours = {_common(list(ours)): list(itertools.chain.from_iterable(ours.values()))}
        for folder, group in sorted(ours.items()):
            around = folder if folder in left else folder.rpartition("/")[0] or folder
            new = tests.new_below(around, group[0].file.path_at_base) if why is None else []
            yield _finding(rule, folder, group, _REWRITTEN if _is_rewritten(group, new, tests) else why)


def _is_rewritten(group: Sequence[Deleted], new: Sequence[Test], tests: Tests) -> bool:
    """Return whether as many new tests come, and assert half as much: another way may need fewer assertions."""
    if not new or len(new) < _count(group):
        return False
    return 2 * sum(test.assertions for test in new) >= sum(tests.claims(deleted.file) for deleted in group)


def _excuse(gone: Deleted, tests: Tests) -> str | None:
    """Return what speaks for the deletion of a file, or None."""
    if gone.moved > gone.tests:
        return _REST
    return _WITH_CODE if tests.goes_with_code(gone.file) else None


def _count(group: Iterable[Deleted]) -> int:
    return sum(deleted.tests for deleted in group)


def _finding(rule: Rule, folder: str, group: Sequence[Deleted], harmless: str | None) -> Finding:
    largest = sorted(group, key=lambda deleted: (-deleted.tests, deleted.file.path))
    named = listing((_named(deleted, folder) for deleted in largest), _MAX_NAMED)
    counts = plural(_count(group), "test"), plural(len(group), "file")
    what = f"{' in '.join(counts)}{f' of {folder}/' if folder else ''}, {named}"
    names = "\n".join(sorted(deleted.file.path_at_base for deleted in group))
    return rule.finding(
        largest[0].file.path,
        0,
        side=Side.OLD,
        severity=Severity.LOW if harmless else rule.severity,
        description=(harmless or rule.message).replace("{name}", what),
        # Whoever lets it pass lets pass that these are gone, and no others.
        evidence=f"{folder}/ {hashlib.sha256(names.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}",
    )


def _named(deleted: Deleted, folder: str) -> str:
    now = f", now {deleted.file.path}" if deleted.file.status is FileStatus.RENAMED else ""
    return f"{deleted.file.path_at_base.removeprefix(f'{folder}/')} ({deleted.tests}{now})"


def _tests(path: str, language: str, lines: list[str]) -> Iterator[Test]:
    root = parse("\n".join(lines), language)
    live = live_lines(root, language, lines)
    asserted = asserting(live, language, statement_starts(live))
    for function in functions(root, language, lines):
        if is_test_function(function, language, lines):
            body = Counter("".join(line.split()) for line in lines[function.head : function.last] if _WORD.search(line))
            claims = sum(function.first <= number <= function.last for number in asserted)
            skipped = is_turned_off(function, language, live)
            yield Test(path, function.name.rpartition(".")[2], function.head, body, claims, skipped)


def _declared(path: str, lines: Sequence[str]) -> Iterator[Test]:
    """Yield the tests of a file of a language whose functions are not read."""
    for test in declared_tests(lines):
        inner = [line for line in test.body if _WORD.search(line)]
        claims = sum(_CLAIM.search(line) is not None for line in [test.text, *inner])
        yield Test(path, test.name, test.head, Counter("".join(line.split()) for line in inner), claims, skipped=False)


def _is_same(was: Test, now: Test, share: float) -> bool:
    """Return whether a test of the same name, or with similar lines, asserts as much as before."""
    empty = not any("(" in line for line in now.lines) and any("(" in line for line in was.lines)
    if empty or not _runs_as(was.path, now.path) or (now.skipped and not was.skipped) or now.path == was.path:
        return False
    return 2 * now.assertions >= was.assertions or share >= _WHOLE  # by half: another language may need fewer


def _stands_in(was: Test, other: Test) -> bool:
    return other.holds(was) == 1 and other.assertions >= was.assertions and other.skipped <= was.skipped


def _runs_as(was: str, now: str) -> bool:
    """Return whether tests run in one file as they did in another; a project may look for names of its own."""
    return is_run_as_test(now) or not is_run_as_test(was)


def _is_test_file(path: str) -> bool:
    return is_test(path) and kind_of(path) is Kind.CODE


def _above(path: str) -> Iterator[str]:
    """Yield the folders that a file is in, the innermost first; the top level is empty."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _highest(path: str, left: set[str]) -> str:
    """Return the topmost folder around a file without a test that is left; where there is none, the file's own."""
    inner = next(_above(path))
    return next((folder for folder in reversed(list(_above(path))) if folder not in left), inner)


def _common(folders: Sequence[str]) -> str:
    import os.path

    return os.path.commonpath(folders) if all(folders) else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _plain(name: str) -> str:
    return re.sub(r"[_-]", "", name.lower())
