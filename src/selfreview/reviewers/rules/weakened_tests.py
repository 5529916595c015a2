"""Detection of tests that a change weakens: with fewer assertions, turned off, or gone."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from selfreview.model.change import LineRange, overlaps
from selfreview.model.issue import Side
from selfreview.reviewers.rules.folded_assertions import folded_go, folded_python
from selfreview.reviewers.rules.parseable import php_only
from selfreview.syntax.assertions import asserting, is_vocabulary, words_of
from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.statements import indent_of, statement_starts
from selfreview.syntax.testcode import TESTS, Function, functions, is_test_function, is_turned_off

_CONDITION = re.compile(r"^\s*(?:if|unless|when)\b|\b(?:if|unless)\s+\w[^'\"]*$|&&|\|\|")

_CATCH = re.compile(r"(?<![\w.])catch\b|^\s*(rescue|except)\b")
_TRY = re.compile(r"\btry\b\s*\{?|^\s*begin\s*$|\btry:")
_GENERAL = re.compile(
    r"(?i:parametri[sz]e|subtest|\.each\b|for_?each|\[theory|inlinedata|testcase|dataprovider|valuesource|csvsource|rstest)"
)
_LOOP = re.compile(r"^\s*for\b")
_HELPS = frozenset({"assert", "check", "verify", "expect", "compare", "ensure", "validate"})
_MAX_PAIRS = 10_000
_WHOLE = 0.8
"""Share of the names and values of an assertion from which others replace it."""
_NO_ERROR = re.compile(r"\.(?:error|ifError|ifErr)\(\s*err(?:or)?\s*\)")
_PASSES_ON = re.compile(r"\?[;,.)]|\.(?:unwrap|expect)\(")


Loss = tuple[str, int, Side, str]
"""A rule, and the line, side and function that a change weakens."""


class Version(NamedTuple):
    """One side of a file.

    Attributes:
        text: Its lines.
        lines: Its lines with comments and texts blank.
        functions: What it defines.
        changed: The lines that the change touches, or that are code on this side only.
        language: Its language.
        asserting: The lines that assert something.
        starts: On which line the statement of each line starts.
    """

    text: list[str]
    lines: list[str]
    functions: list[Function]
    changed: tuple[LineRange, ...]
    language: str
    asserting: frozenset[int]
    starts: list[int]

    def body(self, function: Function) -> list[str]:
        """Return the lines of a function."""
        return self.lines[function.first - 1 : function.last]

    def changed_lines(self, pattern: str, first: int = 1, last: int = 1 << 30) -> list[int]:
        """Return the numbers of changed lines that match, within a range."""
        return [
            number
            for span in self.changed
            for number in range(max(span.first, first), min(span.last, last) + 1)
            if number <= len(self.lines) and re.search(pattern, self.lines[number - 1])
        ]

    def changed_assertions(self, first: int = 1, last: int = 1 << 30) -> list[int]:
        """Return where changed assertions are, within a range: of a statement the first line that asserts."""
        found = {number for number in self.changed_lines(r"\w", first, last) if number in self.asserting}
        return sorted(number for number in found if not found & {self.starts[number - 1]} - {number})

    def count(self, function: Function, *, whole: bool = False) -> int:
        """Return how many lines of a function assert something, or how many whole statements."""
        found = [n for n in range(function.first, function.last + 1) if n in self.asserting]
        return sum(not whole or self.starts[n - 1] in (n, 0) or self.starts[n - 1] not in self.asserting for n in found)

    def normal(self, numbers: Iterable[int]) -> set[str]:
        """Return some lines without white space."""
        return {_normal(self.text[n - 1]) for n in numbers}

    def is_test(self, function: Function) -> bool:
        """Return whether a function is a test."""
        return is_test_function(function, self.language, self.text)


def version(lines: list[str], language: str, *, testing: bool) -> Version:
    """Return one side of a file whose changed lines are not known yet.

    Args:
        lines: Its lines, as the parser takes them.
        language: Its language.
        testing: Whether its assertions matter.
    """
    text = "\n".join(lines)
    if language == "php":
        text = php_only(text)
    root = parse(text, language)
    live = live_lines(root, language, text.split("\n"))
    starts = statement_starts(live) if testing else []
    claims = asserting(live, language, starts) if testing else frozenset[int]()
    return Version(lines, live, functions(root, language, lines), (), language, claims, starts)


def weakened_tests(before: Version, after: Version) -> Iterator[Loss]:
    """Yield the tests that assert less than before, are turned off, or are gone.

    Args:
        before, after: Both sides of a test file.
    """
    kept: dict[str, list[Function]] = {}
    for function in after.functions:
        kept.setdefault(function.name, []).append(function)
    tests = [function for function in before.functions if before.is_test(function)]
    fewer = sum(map(after.count, after.functions)) < sum(map(before.count, before.functions))
    moved = _moved(before, after)
    added = after.normal(after.changed_assertions())
    met = Counter[str]()
    for function in tests:
        named = kept.get(function.name) or moved.get(_last(function), [])
        alike = named[met[function.name] :]  # of those of one name, one after the other
        met[function.name] += 1
        if alike:
            now = alike[0]
            if fewer and (line := _lost_assertion(before, after, (function, now), added)):
                yield "removed-assertion", line, Side.OLD, function.name
            if line := _new_skip(before, after, function, now):
                sometimes = _is_sometimes(after, now, line)
                rule = "existing-test-skipped-for" if sometimes else "existing-test-skipped"
                yield rule, line, Side.NEW, function.name
    gone = [test for test in tests if test.name not in kept and _last(test) not in moved]
    yield from _removed_tests(before, after, tests, gone)
    yield from _skips_of_many(before, after)


def _moved(before: Version, after: Version) -> dict[str, list[Function]]:
    """Return the functions that a change moves out of a class, or into one, by their names without it."""
    known = {function.name for function in before.functions}
    moved: dict[str, list[Function]] = {}
    for function in after.functions:
        inside = any(function.name.startswith(f"{outer.name}.") for outer in after.functions)
        if function.name not in known and not inside:
            moved.setdefault(_last(function), []).append(function)
    return moved


def _removed_tests(before: Version, after: Version, tests: list[Function], gone: list[Function]) -> Iterator[Loss]:
    """Yield the tests that are gone and stand in no table, unless at least as many new ones came."""
    table = TESTS[after.language].table
    if table is not None and re.search(table, "\n".join(after.lines), re.MULTILINE):
        text = "\n".join(after.text)
        gone = [test for test in gone if not re.search(_quoted(_last(test)), text)]
    taken = {test.name for test in tests} | {_last(test) for test in tests}
    new_tests = sum(1 for f in after.functions if after.is_test(f) and taken.isdisjoint((f.name, _last(f))))
    if len(gone) > new_tests:
        for test in gone:
            if overlaps(before.changed, test.head, test.head):
                yield "removed-test", test.head, Side.OLD, test.name


def _last(function: Function) -> str:
    return function.name.rpartition(".")[2]


def _quoted(name: str) -> str:
    return rf"(['\"`]){re.escape(name)}\1"


def _lost_assertion(
    before: Version, after: Version, function: tuple[Function, Function], added: Container[str]
) -> int | None:
    """Return the line of an assertion that a test had and that nothing replaces.

    Args:
        before, after: Both sides.
        function: The test on both sides.
        added: The assertions that came anywhere in the file, without white space.
    """
    was, now = function
    if all(before.count(was, whole=whole) <= after.count(now, whole=whole) for whole in (False, True)):
        return None
    taken = before.changed_assertions(was.first, was.last)
    old = _taken_out(before, after, function, _without(added, before, taken))
    new = _without(before.normal(taken), after, after.changed_assertions(now.first, now.last))
    if not old or _may_say_more(before, after, now):
        return None
    kept, made = _folded(before, after, now, old)
    old = [n for n in old if n not in kept and not _fails_anyway(before, after, function, n)]
    subjects = _subjects(before, old)
    unpaired = _unpaired(subjects, _subjects(after, new), len(new) - made)
    if not new:
        return next(iter(unpaired), None)
    covered = _subject(*(text for n in new for text in _deeper(after.text, n)))
    return next((n for n in unpaired if not _covers(covered, subjects[n])), None)


def _taken_out(before: Version, after: Version, function: tuple[Function, Function], lines: Iterable[int]) -> list[int]:
    """Return those of some removed assertions that neither repeat what remains nor are joined to other lines."""
    return [n for n in lines if not _is_repeated(before, n) and not _is_joined(before, after, function, n)]


def _subjects(side: Version, numbers: list[int]) -> dict[int, Counter[str]]:
    return {n: _subject(side.text[n - 1]) for n in numbers}


def _covers(subject: Counter[str], about: Counter[str]) -> bool:
    """Return whether new assertions have nearly all names and values of an old one."""
    return (about & subject).total() >= _WHOLE * about.total()


def _without(known: Container[str], side: Version, numbers: list[int]) -> list[int]:
    """Return the numbers of lines without those that are known, white space aside."""
    return [n for n in numbers if _normal(side.text[n - 1]) not in known]


def _folded(before: Version, after: Version, now: Function, old: list[int]) -> tuple[set[int], int]:
    """Return which old assertions loops of a test still make, and how many assertions of loops do."""
    if after.language == "python":
        return folded_python(before.text, after.text, old, now.first, now.last)
    if after.language == "go":
        return folded_go(before.text, after.text, after.lines, old, (now.first, now.last))
    return set(), 0


def _is_joined(before: Version, after: Version, function: tuple[Function, Function], line: int) -> bool:
    """Return whether a link of a chain of calls is there as often as before, perhaps on the line of another one."""
    link = _normal(before.lines[line - 1])
    old, new = ("".join(map(_normal, side.body(of))) for side, of in zip((before, after), function, strict=True))
    return before.starts[line - 1] != line and old.count(link) <= new.count(link)


def _is_repeated(before: Version, line: int) -> bool:
    """Return whether what is removed with a line repeats text directly above or below it that remains."""
    span = next(span for span in before.changed if span.first <= line <= span.last)
    block = [_normal(text) for text in before.text[span.first - 1 : span.last] if text.strip()]
    above, below = before.text[: span.first - 1], before.text[span.last :]
    near = 2 * (span.last - span.first + 1) + 1  # blank lines may stand between
    sides = [[_normal(text) for text in side if text.strip()] for side in (above[-near:], below[:near])]
    return block in (sides[0][-len(block) :], sides[1][: len(block)])


def _may_say_more(before: Version, after: Version, now: Function) -> bool:
    """Return whether a new line of a test may replace several: it is run with many values, or calls a new helper."""
    body = [after.lines[n - 1] for n in after.changed_lines(r"\S", now.first, now.last)]
    folds = after.language not in ("python", "go")  # whose loops are read
    if any(_GENERAL.search(text) or (folds and _LOOP.search(text)) for text in body):
        return True
    called = {name for text in body for name in re.findall(r"(\w+)\s*\(", text)}
    helpers = {name for name in called if not _HELPS.isdisjoint(words_of(name))}
    return bool(helpers) and not helpers <= set(re.findall(r"\w+", "\n".join(before.lines)))


def _deeper(lines: list[str], number: int) -> Iterator[str]:
    """Yield a line and those below it that are indented further."""
    yield lines[number - 1]
    yield from itertools.takewhile(lambda line: indent_of(line) > indent_of(lines[number - 1]), lines[number:])


def _subject(*lines: str) -> Counter[str]:
    """Return the names and values of an assertion, without the vocabulary of assertions."""
    return Counter(word for line in lines for word in re.findall(r"\w+", line) if not is_vocabulary(word))


def _unpaired(was: Mapping[int, Counter[str]], now: Mapping[int, Counter[str]], most: int) -> list[int]:
    """Return the lines that pair with none of the new ones; those that share most are paired first."""
    left, free = list(was), list(now)
    if len(left) * len(free) <= _MAX_PAIRS:
        alike = sorted(
            (-2 * (a & b).total() / max(a.total() + b.total(), 1), abs(i - j), n, m)
            for i, (n, a) in enumerate(was.items(), len(now) - len(was))  # of equals, the last goes with the last
            for j, (m, b) in enumerate(now.items())
        )
        for _, _, n, m in alike:
            if most > 0 and n in left and m in free:
                left.remove(n)
                free.remove(m)
                most -= 1
    return left[max(most, 0) :]


def _fails_anyway(before: Version, after: Version, function: tuple[Function, Function], line: int) -> bool:
    """Return whether a line only failed a test on an exception that now fails it by itself."""
    was, now = function
    old, new = before.body(was), after.body(now)
    if before.language == "rust":  # a match on a result that becomes ``?`` or ``unwrap``
        passed_on = [sum(len(_PASSES_ON.findall(text)) for text in body) for body in (old, new)]
        return passed_on[0] < passed_on[1] and re.search(r"\bErr\(.*=>.*\bpanic!", before.lines[line - 1]) is not None
    if _NO_ERROR.search(before.lines[line - 1]):  # of a callback that is awaited now
        return "\n".join(old).count("await ") < "\n".join(new).count("await ")
    if not re.search(r"\b(fail|Fail|flunk)\b", before.lines[line - 1]):
        return False
    return sum(map(_is_catch, new)) < sum(map(_is_catch, old)) and _is_tried_still(before, was, line, new)


def _is_tried_still(before: Version, was: Function, line: int, new: list[str]) -> bool:
    """Return whether what was tried before an exception was caught around a line is still in the test's lines."""
    caught = next((n for n in range(line, max(line - 4, was.first), -1) if _is_catch(before.lines[n - 1])), None)
    if caught is None:
        return False
    head = before.lines[caught - 1]
    there = "".join(map(_normal, new))
    if (end := _CATCH.search(head)) and (start := _TRY.search(head[: end.start()])):  # all of it on one line
        return _normal(head[start.end() : end.start()]).rstrip("}") in there
    depth = indent_of(head)
    above = range(caught - 1, was.first - 1, -1)
    begin = next((n for n in above if indent_of(t := before.lines[n - 1]) == depth and _TRY.search(t)), None)
    if begin is None or (line > caught and indent_of(before.lines[line - 1]) <= depth):
        return False
    tried = [_normal(_TRY.sub("", text)) for text in before.lines[begin - 1 : caught - 1]]
    return all(text in there for text in tried if re.search(r"\w", text))


def _is_catch(text: str) -> bool:
    return _CATCH.search(text) is not None


def _new_skip(before: Version, after: Version, was: Function, now: Function) -> int | None:
    if is_turned_off(was, before.language, before.lines):
        return None
    lines = after.changed_lines(TESTS[after.language].skip, now.first, now.last)
    return lines[0] if lines else None


def _skips_of_many(before: Version, after: Version) -> Iterator[Loss]:
    """Yield one finding where a change turns off a whole file, or groups of tests in it, that ran before."""
    pattern = TESTS[after.language].skip_many
    if pattern is None:
        return
    is_raw = after.language == "go"  # whose build tags are comments
    old, new = ("\n".join(side.text if is_raw else side.lines) for side in (before, after))
    found = list(re.finditer(pattern, new, re.MULTILINE))
    if len(found) <= len(list(re.finditer(pattern, old, re.MULTILINE))):
        return
    off = list(_turned_off(before, after, new, found))
    if off:
        others = f", with {len(off) - 1} more," if len(off) > 1 else ""
        yield "existing-test-skipped", off[0][0], Side.NEW, f"{off[0][1]}{others}"


def _turned_off(before: Version, after: Version, new: str, found: Iterable[re.Match[str]]) -> Iterator[tuple[int, str]]:
    """Yield the tests that ran before and that a match turns off: the line of the match, and the test's name.

    Args:
        before, after: Both sides.
        new: The text that was searched.
        found: What turns off tests.
    """
    ran = {function.name for function in before.functions if _runs(before, function)}
    for match in found:
        first, last = (new.count("\n", 0, at) + 1 for at in match.span())
        block = _block(after.lines, first, last) if match.groupdict().get("group") else range(1, len(after.lines) + 1)
        if overlaps(after.changed, first, last):
            yield from ((first, f.name) for f in after.functions if f.name in ran and f.head in block)


def _runs(side: Version, function: Function) -> bool:
    """Return whether a function is a test that is not turned off."""
    return side.is_test(function) and not is_turned_off(function, side.language, side.lines)


def _block(lines: list[str], first: int, last: int) -> range:
    """Return the lines of a block, by their indents; its head is from the first to the last of the two."""
    outer = indent_of(lines[first - 1])
    inner = range(last, len(lines))
    return range(
        last, next((n for n in inner if lines[n].strip(" \t{") and indent_of(lines[n]) <= outer), len(lines)) + 1
    )


def _is_sometimes(after: Version, function: Function, line: int) -> bool:
    """Return whether a skip is conditional: by its own words, or by an indentation deeper than the test's body."""
    text = after.lines[line - 1]
    if re.search(TESTS[after.language].sometimes, "\n".join(after.lines[line - 1 : line + 2])) or _CONDITION.search(
        text
    ):
        return True
    outer = indent_of(after.lines[function.head - 1])
    body = [indent_of(inner) for inner in after.lines[function.head : function.last] if inner.strip()]
    return line > function.head and indent_of(text) > min((indent for indent in body if indent > outer), default=0)


def _normal(line: str) -> str:
    return "".join(line.split())
