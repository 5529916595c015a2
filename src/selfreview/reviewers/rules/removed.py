"""Detection of what a change removes: assertions, tests, permission checks, a shell's strict mode."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import ChangedFile, Finding
from selfreview.model.change import LineRange, overlaps
from selfreview.model.issue import Side
from selfreview.reviewers.evidence import tied
from selfreview.reviewers.rules.functions import Function, differing, functions
from selfreview.reviewers.rules.source import php_only
from selfreview.rules import Rule
from selfreview.rules.live import live_lines
from selfreview.rules.vocabulary import (
    GUARD,
    SANITISER,
    SANITISER_FUNCTIONS,
    SKIPS_OF_MANY,
    WORDS,
    Words,
    asserting,
    is_vocabulary,
    statements,
    words_of,
)
from selfreview.syntax.parsing import parse
from selfreview.syntax.testfiles import is_test

_CONDITION = re.compile(r"^\s*(?:if|unless|when)\b|\b(?:if|unless)\s+\w[^'\"]*$|&&|\|\|")

_CATCH = re.compile(r"(?<![\w.])catch\b|^\s*(rescue|except)\b")
_TRY = re.compile(r"\btry\b\s*\{?|^\s*begin\s*$|\btry:")
_GENERAL = re.compile(
    r"(?i:parametri[sz]e|subtest|\.each\b|for_?each|\[theory|inlinedata|testcase|dataprovider|valuesource|csvsource|rstest)"
)
_LOOP = re.compile(r"^\s*for\b")
_HELPS = frozenset({"assert", "check", "verify", "expect", "compare", "ensure", "validate"})
_MOST_PAIRS = 10_000
_WHOLE = 0.8
"""Share of the names and values of an assertion from which others replace it."""
_NO_ERROR = re.compile(r"\.(?:error|ifError|ifErr)\(\s*err(?:or)?\s*\)")
_PASSES_ON = re.compile(r"\?[;,.)]|\.(?:unwrap|expect)\(")


_Loss = tuple[str, int, Side, str]
"""A rule, and the line, side and function that a change weakens."""


class Version(NamedTuple):
    """One side of a file.

    Attributes:
        text: Its lines.
        lines: Its lines with comments and texts blank.
        functions: What it defines.
        changed: The lines that the change touches, or that are code on this side only.
        words: Those of its language.
        asserting: The lines that assert something.
        starts: On which line the statement of each line starts.
    """

    text: list[str]
    lines: list[str]
    functions: list[Function]
    changed: tuple[LineRange, ...]
    words: Words
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
        return re.search(self.words.test, "\n".join(self.text[function.first - 1 : function.head])) is not None


def removed(
    file: ChangedFile, language: str, old: list[str], new: list[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield findings of what a change removes from a file.

    Args:
        file: The file.
        language: Its language.
        old, new: Its lines on both sides, as the parser takes them.
        rules: The rules that compare both sides, by id.
    """
    words = WORDS.get(language)
    if words is None or not file.spans:
        return
    testing = is_test(file.path) or language == "rust"
    if not _has(words.test if testing else f"{GUARD}|{SANITISER}", old):
        return
    before, after = (_version(lines, language, words, testing) for lines in (old, new))
    gone, come = differing(before.lines, after.lines, file.spans)
    before, after = before._replace(changed=gone), after._replace(changed=come)
    if language == "python" and not testing:
        after = after._replace(lines=with_modules(after.lines, SANITISER_FUNCTIONS))
    found = _weakened_tests(before, after) if testing else _removed_checks(before, after)
    if testing and language in SKIPS_OF_MANY:
        found = itertools.chain(found, _skips_of_many(before, after, SKIPS_OF_MANY[language], raw=language == "go"))
    for rule_id, line, side, note in found:
        if rule := rules.get(rule_id):
            told = _finding(rule, file.path, line, side, note)
            if side is Side.OLD and file.path_at_base != file.path:  # whose lines are those of another name
                told = msgspec.structs.replace(told, description=f"{told.description} It stood in {file.path_at_base}.")
            yield tied(told, file)


def _has(pattern: str, lines: list[str]) -> bool:
    return re.search(pattern, "\n".join(lines), re.MULTILINE) is not None


def _version(lines: list[str], language: str, words: Words, testing: bool) -> Version:
    text = "\n".join(lines)
    if language == "php":
        text = php_only(text)
    root = parse(text, language)
    live = live_lines(root, language, text.split("\n"))
    starts = statements(live) if testing else []
    claims = asserting(live, language, starts) if testing else frozenset[int]()
    return Version(lines, live, functions(root, language, words.functions, lines), (), words, claims, starts)


def _weakened_tests(before: Version, after: Version) -> Iterator[_Loss]:
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


def _moved(before: Version, after: Version) -> dict[str, list[Function]]:
    """Return the functions that a change moves out of a class, or into one, by their names without it."""
    known = {function.name for function in before.functions}
    moved: dict[str, list[Function]] = {}
    for function in after.functions:
        inside = any(function.name.startswith(f"{outer.name}.") for outer in after.functions)
        if function.name not in known and not inside:
            moved.setdefault(_last(function), []).append(function)
    return moved


def _removed_tests(before: Version, after: Version, tests: list[Function], gone: list[Function]) -> Iterator[_Loss]:
    """Yield the tests that are gone and stand in no table, unless at least as many new ones came."""
    if after.words.table is not None and _has(after.words.table, after.lines):
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
    old = [n for n in _without(added, before, taken) if not _is_repeated(before, n)]
    old = [n for n in old if not _is_joined(before, after, function, n)]
    new = _without(before.normal(taken), after, after.changed_assertions(now.first, now.last))
    if not old or _may_say_more(before, after, now):
        return None
    kept, made = _folded(before, after, now, old)
    old = [n for n in old if n not in kept and not _fails_anyway(before, after, function, n)]
    was_said, is_said = _subjects(before, old), _subjects(after, new)
    said = _subject(*(text for n in new for text in _deeper(after.text, n)))
    unpaired = _unpaired(was_said, is_said, len(new) - made)
    return next((n for n in unpaired if not new or not _covers(said, was_said[n])), None)


def _subjects(side: Version, numbers: list[int]) -> dict[int, Counter[str]]:
    return {n: _subject(side.text[n - 1]) for n in numbers}


def _covers(said: Counter[str], about: Counter[str]) -> bool:
    """Return whether new assertions have nearly all names and values of an old one."""
    return (about & said).total() >= _WHOLE * about.total()


def _without(known: Container[str], side: Version, numbers: list[int]) -> list[int]:
    """Return the numbers of lines without those that are known, white space aside."""
    return [n for n in numbers if _normal(side.text[n - 1]) not in known]


def _folded(before: Version, after: Version, now: Function, old: list[int]) -> tuple[set[int], int]:
    """Return which old assertions loops of a test still make, and how many assertions of loops do."""
    from selfreview.reviewers.rules.loops import folded_go, folded_python

    if after.words is WORDS["python"]:
        return folded_python(before.text, after.text, old, now.first, now.last)
    if after.words is WORDS["go"]:
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
    folds = after.words not in (WORDS["python"], WORDS["go"])  # whose loops are read
    if any(_GENERAL.search(text) or (folds and _LOOP.search(text)) for text in body):
        return True
    called = {name for text in body for name in re.findall(r"(\w+)\s*\(", text)}
    helpers = {name for name in called if not _HELPS.isdisjoint(words_of(name))}
    return bool(helpers) and not helpers <= set(re.findall(r"\w+", "\n".join(before.lines)))


def _deeper(lines: list[str], number: int) -> Iterator[str]:
    """Yield a line and those below it that are indented further."""
    yield lines[number - 1]
    yield from itertools.takewhile(lambda line: _indent(line) > _indent(lines[number - 1]), lines[number:])


def _subject(*lines: str) -> Counter[str]:
    """Return the names and values of an assertion, without the vocabulary of assertions."""
    return Counter(word for line in lines for word in re.findall(r"\w+", line) if not is_vocabulary(word))


def _unpaired(was: Mapping[int, Counter[str]], now: Mapping[int, Counter[str]], most: int) -> list[int]:
    """Return the lines that pair with none of the new ones; those that share most are paired first."""
    left, free = list(was), list(now)
    if len(left) * len(free) <= _MOST_PAIRS:
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
    if before.words is WORDS["rust"]:  # a match on a result that becomes ``?`` or ``unwrap``
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
    depth = _indent(head)
    above = range(caught - 1, was.first - 1, -1)
    begin = next((n for n in above if _indent(t := before.lines[n - 1]) == depth and _TRY.search(t)), None)
    if begin is None or (line > caught and _indent(before.lines[line - 1]) <= depth):
        return False
    tried = [_normal(_TRY.sub("", text)) for text in before.lines[begin - 1 : caught - 1]]
    return all(text in there for text in tried if re.search(r"\w", text))


def _is_catch(text: str) -> bool:
    return _CATCH.search(text) is not None


def _new_skip(before: Version, after: Version, was: Function, now: Function) -> int | None:
    if any(re.search(before.words.skip, line) for line in before.body(was)):
        return None
    lines = after.changed_lines(after.words.skip, now.first, now.last)
    return lines[0] if lines else None


def _skips_of_many(before: Version, after: Version, pattern: str, *, raw: bool) -> Iterator[_Loss]:
    """Yield one finding where a change turns off a whole file, or groups of tests in it, that ran before.

    Args:
        before, after: Both sides.
        pattern: How it does so.
        raw: Whether comments count: build tags of Go are some.
    """
    old, new = ("\n".join(side.text if raw else side.lines) for side in (before, after))
    found = list(re.finditer(pattern, new, re.MULTILINE))
    if len(found) <= len(list(re.finditer(pattern, old, re.MULTILINE))):
        return
    ran = {function.name for function in before.functions if _runs(before, function)}
    off: list[tuple[int, str]] = []
    for match in found:
        first, last = (new.count("\n", 0, at) + 1 for at in match.span())
        block = _block(after.lines, first, last) if match.groupdict().get("group") else range(1, len(after.lines) + 1)
        if overlaps(after.changed, first, last):
            off += [(first, f.name) for f in after.functions if f.name in ran and f.head in block]
    if off:
        others = f", with {len(off) - 1} more," if len(off) > 1 else ""
        yield "existing-test-skipped", off[0][0], Side.NEW, f"{off[0][1]}{others}"


def _runs(side: Version, function: Function) -> bool:
    """Return whether a function is a test that is not turned off."""
    return side.is_test(function) and not any(re.search(side.words.skip, line) for line in side.body(function))


def _block(lines: list[str], first: int, last: int) -> range:
    """Return the lines of a block, by their indents; its head is from the first to the last of the two."""
    outer = _indent(lines[first - 1])
    inner = range(last, len(lines))
    return range(
        last, next((n for n in inner if lines[n].strip(" \t{") and _indent(lines[n]) <= outer), len(lines)) + 1
    )


def _is_sometimes(after: Version, function: Function, line: int) -> bool:
    """Return whether a skip is conditional: by its own words, or by an indentation deeper than the test's body."""
    text = after.lines[line - 1]
    if re.search(after.words.sometimes, "\n".join(after.lines[line - 1 : line + 2])) or _CONDITION.search(text):
        return True
    outer = _indent(after.lines[function.head - 1])
    body = [_indent(inner) for inner in after.lines[function.head : function.last] if inner.strip()]
    return line > function.head and _indent(text) > min((indent for indent in body if indent > outer), default=0)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _removed_checks(before: Version, after: Version) -> Iterator[_Loss]:
    kept = {function.name: function for function in after.functions}
    for rule_id, pattern in (("removed-access-check", GUARD), ("removed-safety-call", SANITISER)):
        if after.changed_lines(pattern):
            continue
        for line in before.changed_lines(pattern):
            if re.match(r"\s*(import|from|#|//|\*|use|using|require)\b", before.lines[line - 1]):
                continue
            inner = [f for f in before.functions if f.first <= line <= f.last]
            if not inner or (now := kept.get(inner[-1].name)) is None:
                continue
            if not any(re.search(pattern, text) for text in after.body(now)):
                yield rule_id, line, Side.OLD, inner[-1].name
                break


def _normal(line: str) -> str:
    return "".join(line.split())


def _finding(rule: Rule, path: str, line: int, side: Side, name: str) -> Finding:
    return Finding(
        file=path,
        line_start=line,
        line_end=line,
        side=side,
        severity=rule.severity,
        category=rule.category,
        description=rule.message.replace("{name}", name),
        suggested_fix=rule.suggestion,
        rule=rule.id,
    )


_SET = re.compile(r"^\s*set\s+(?P<options>-[^#;|]*)")
_SHEBANG = re.compile(r"^#!\S*\b(?:ba|da|k|z)?sh\s+(?P<options>-.*)")
_SOURCED = re.compile(r"^\s*(?:source|\.)\s+\S")
_LETTERS = {"e": "errexit", "u": "nounset"}


def no_longer_strict(
    file: ChangedFile, old: Sequence[str], new: Sequence[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield the removed line that made a script stop, where no other line does so now.

    Args:
        file: The file.
        old, new: Its lines on both sides.
        rules: The rules that code finds, by id.
    """
    rule = rules.get("bash-strict-mode-removed")
    if rule is None or not any(map(_options, old)):
        return
    was, now = _live(old), _live(new)
    if any(map(_SOURCED.match, now)):
        return
    gone, _ = differing(was, now, file.spans)
    kept = {option for line in now for option in _options(line)}
    for number, line in enumerate(was, 1):
        if "errexit" in _options(line) - kept and overlaps(gone, number, number):
            found = Finding(
                file=file.path,
                line_start=number,
                line_end=number,
                side=Side.OLD,
                severity=rule.severity,
                category=rule.category,
                description=rule.message,
                suggested_fix=rule.suggestion,
                rule=rule.id,
            )
            yield tied(found, file)
            return


def _live(lines: Sequence[str]) -> list[str]:
    """Return lines without comments and texts; the line that names the shell is none."""
    return [*lines[:1], *live_lines(parse("\n".join(lines), "bash"), "bash", lines)[1:]]


def _options(line: str) -> set[str]:
    """Return the names of the options that a line turns on."""
    match = _SET.match(line) or _SHEBANG.match(line)
    if match is None:
        return set()
    found: set[str] = set()
    for word in match["options"].split():
        if re.fullmatch(r"-[A-Za-z]+", word):
            found |= {_LETTERS[letter] for letter in word[1:] if letter in _LETTERS}
        elif re.fullmatch(r"[a-z]+", word):
            found.add(word)
    return found


_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^()]*)\)|([^\n]*))", re.MULTILINE)
_MODULE = re.compile(r"^[ \t]*import[ \t]+([^\n]*)", re.MULTILINE)
_AS = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")


def with_modules(lines: list[str], known: Collection[str]) -> list[str]:
    """Return code in which calls of some functions are written with their module, however they were imported.

    A name that the file binds to anything else as well stays as it is.

    Args:
        lines: Code without comments and texts.
        known: The functions: ``html.escape``.
    """
    code = "\n".join(lines)
    names = {name: full for name, full in _imported(code) if full in known and not _is_bound(code, name)}
    if not names:
        return lines
    calls = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?=\s*\()")
    return [calls.sub(lambda call: names[call[1]], line) for line in lines]


def _imported(code: str) -> Iterator[tuple[str, str]]:
    """Yield what a name refers to; for a module, each of its functions that is called."""
    for found in _FROM.finditer(code):
        for item in _AS.finditer(found[2] or found[3] or ""):
            yield item[2] or item[1], f"{found[1]}.{item[1]}"
    for found in _MODULE.finditer(code):
        for item in _AS.finditer(found[1]):
            if item[2]:
                for call in set(re.findall(rf"(?<![\w.]){item[2]}\.(\w+)(?=\s*\()", code)):
                    yield f"{item[2]}.{call}", f"{item[1]}.{call}"


def _is_bound(code: str, name: str) -> bool:
    name = re.escape(name.partition(".")[0])
    ways = (
        rf"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b",
        rf"^[ \t]*(?:[\w.]+[ \t]*[,=][ \t]*){{0,20}}{name}[ \t]*(?:[:,][^=\n]*)?=(?!=)",
        rf"\bdef[ \t]+\w+[ \t]*\([^()]{{0,1000}}\b{name}\b(?![.(])",
        rf"\b(?:lambda|for)[ \t][^:\n]{{0,200}}\b{name}\b(?![.(])",
        rf"\b{name}[ \t]*:=",
    )
    return re.search("|".join(ways), code, re.MULTILINE) is not None
