"""Find what a change takes away: assertions, tests and checks of rights."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from selfreview.api import ChangedFile, Finding
from selfreview.model.change import LineRange, overlaps
from selfreview.model.issue import Side
from selfreview.reviewers._rules_blame import tied
from selfreview.reviewers._rules_functions import Function, functions
from selfreview.reviewers._rules_imports import with_modules
from selfreview.reviewers._rules_live import differing
from selfreview.reviewers._rules_php import php_only
from selfreview.rules import Rule, is_test
from selfreview.rules.common._words import GUARD, SANITISER, SANITISER_FUNCTIONS, WORDS, Words
from selfreview.rules.live import live_lines
from selfreview.rules.parsing import parse

_CONDITION = re.compile(r"^\s*(?:if|unless|when)\b|\b(?:if|unless)\s+\w[^'\"]*$|&&|\|\|")


class Version(NamedTuple):
    """One side of a file.

    Attributes:
        text: Its lines.
        lines: Its lines with comments and texts blank.
        functions: What it defines.
        changed: The lines that the change touches, or that are code on this side only.
        words: Those of its language.
    """

    text: list[str]
    lines: list[str]
    functions: list[Function]
    changed: tuple[LineRange, ...]
    words: Words

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

    def count(self, function: Function) -> int:
        """Return how many lines of a function assert something."""
        return sum(1 for line in self.body(function) if re.search(self.words.assertion, line))

    def is_test(self, function: Function) -> bool:
        """Whether a function is a test."""
        return re.search(self.words.test, "\n".join(self.text[function.first - 1 : function.head])) is not None


def removed(
    file: ChangedFile, language: str, old: list[str], new: list[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield what a change takes away from a file.

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
    pattern = f"{words.assertion}|{words.test}" if testing else f"{GUARD}|{SANITISER}"
    if not _has(pattern, old) and not (testing and _has(words.skip, new)):
        return
    before, after = _version(old, language, words), _version(new, language, words)
    gone, come = differing(before.lines, after.lines, file.spans)
    before, after = before._replace(changed=gone), after._replace(changed=come)
    if language == "python" and not testing:
        after = after._replace(lines=with_modules(after.lines, SANITISER_FUNCTIONS))
    found = _weakened_tests(before, after) if testing else _removed_checks(before, after)
    for rule_id, line, side, note in found:
        if rule := rules.get(rule_id):
            yield tied(_finding(rule, file.path, line, side, note), file)


def _has(pattern: str, lines: list[str]) -> bool:
    return re.search(pattern, "\n".join(lines), re.MULTILINE) is not None


def _version(lines: list[str], language: str, words: Words) -> Version:
    text = "\n".join(lines)
    if language == "php":
        text = php_only(text)
    root = parse(text, language)
    live = live_lines(root, language, text.split("\n"))
    return Version(lines, live, functions(root, language, words.functions, lines), (), words)


def _weakened_tests(before: Version, after: Version) -> Iterator[tuple[str, int, Side, str]]:
    kept = {function.name: function for function in after.functions}
    tests = [function for function in before.functions if before.is_test(function)]
    fewer = sum(map(after.count, kept.values())) < sum(map(before.count, before.functions))
    gone = [function for function in tests if function.name not in kept]
    for function in tests:
        if (now := kept.get(function.name)) is not None:
            if fewer and (line := _lost_assertion(before, after, function, now)):
                yield "removed-assertion", line, Side.OLD, function.name
            if line := _new_skip(before, after, function, now):
                sometimes = _is_sometimes(after, now, line)
                rule = "existing-test-skipped-for" if sometimes else "existing-test-skipped"
                yield rule, line, Side.NEW, function.name
    new_tests = sum(1 for f in after.functions if after.is_test(f) and f.name not in {g.name for g in tests})
    if len(gone) > new_tests:
        for function in gone:
            if overlaps(before.changed, function.head, function.head):
                yield "removed-test", function.head, Side.OLD, function.name


def _lost_assertion(before: Version, after: Version, was: Function, now: Function) -> int | None:
    lost = before.count(was) - after.count(now)
    if lost <= 0 or before.words.assertion is None:
        return None
    added = Counter(_normal(after.text[n - 1]) for n in after.changed_lines(after.words.assertion))
    body = "\n".join(after.lines[n - 1] for n in after.changed_lines(r"\S", now.first, now.last))
    if re.search(r"parametri[sz]e|subTest|\.each\b|(?i:\b\w*(assert|check|verify|expect|compare)\w*\s*\()", body):
        return None
    lines = [
        n
        for n in before.changed_lines(before.words.assertion, was.first, was.last)
        if not added[_normal(before.text[n - 1])]
    ]
    if lines and after.words is WORDS["python"]:
        from selfreview.reviewers._rules_loops import folded

        kept, made = folded(before.text, after.text, lines, now.first, now.last)
        lines = [n for n in lines if n not in kept]
        lost -= len(kept) - made
    elif lines and after.words is WORDS["go"]:
        from selfreview.reviewers._rules_loops_go import folded as folded_go

        kept, made = folded_go(before.text, after.text, after.lines, lines, (now.first, now.last))
        lines = [n for n in lines if n not in kept]
        lost -= len(kept) - made
    return lines[0] if len(lines) >= lost and lines else None


def _new_skip(before: Version, after: Version, was: Function, now: Function) -> int | None:
    if any(re.search(before.words.skip, line) for line in before.body(was)):
        return None
    lines = after.changed_lines(after.words.skip, now.first, now.last)
    return lines[0] if lines else None


def _is_sometimes(after: Version, function: Function, line: int) -> bool:
    """Whether a skip depends on something: by its own words, or because it stands deeper than the test's statements."""
    text = after.lines[line - 1]
    if re.search(after.words.sometimes, "\n".join(after.lines[line - 1 : line + 2])) or _CONDITION.search(text):
        return True
    outer = _indent(after.lines[function.head - 1])
    body = [_indent(inner) for inner in after.lines[function.head : function.last] if inner.strip()]
    return line > function.head and _indent(text) > min((indent for indent in body if indent > outer), default=0)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _removed_checks(before: Version, after: Version) -> Iterator[tuple[str, int, Side, str]]:
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
