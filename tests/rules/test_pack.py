"""Every rule's examples are its tests."""

from __future__ import annotations

import re
import textwrap
from collections import Counter

import pytest

from selfreview.api import Category, Finding, Severity, Side
from selfreview.reviewers.rules import RulesReviewer
from selfreview.rules import Removal, Rule, load_all
from selfreview.rules.languages import EXTENSIONS, FOLDERS
from selfreview.testing.context import MemoryContext, review

RULES = load_all()
PATHS = {"product": "src/example", "tests": "tests/test_example", "everywhere": "src/example"}
MARK = re.compile(r"[ \t]*<--$", re.MULTILINE)


def examples(kind: str) -> list[tuple[Rule, str, int]]:
    """Return rule, language and position of every example."""
    return [
        (rule, language, number)
        for rule in RULES
        for language in rule.languages
        for number, example in enumerate(getattr(rule, kind))
        if isinstance(example, str) or example.language == language
    ]


def example_id(value: object) -> str:
    return value.id if isinstance(value, Rule) else str(value)


def run(rule: Rule, language: str, example: str | Removal) -> tuple[list[Finding], list[int], Side]:
    """Return the findings in an example, the lines that it marks, and the side that they are on."""
    extension = next(extension for extension, name in EXTENSIONS.items() if name == language)
    before, after = (None, example) if isinstance(example, str) else (example.before, example.after)
    old = None if before is None else dedent(before)
    new = dedent(after)
    marked, side = (old, Side.OLD) if old is not None and MARK.search(old) else (new, Side.NEW)
    lines = [number for number, line in enumerate(marked.split("\n"), 1) if MARK.search(line)] or [1]
    where = PATHS["tests" if rule.coded and rule.category is Category.TESTING else rule.where] + extension
    context = MemoryContext({where: (None if old is None else MARK.sub("", old), MARK.sub("", new))})
    return review(RulesReviewer(), context), lines, side


def dedent(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


@pytest.mark.parametrize(("rule", "language", "number"), examples("bad"), ids=example_id)
def test_a_bad_example_is_reported_where_it_is_marked(rule: Rule, language: str, number: int) -> None:
    findings, lines, side = run(rule, language, rule.bad[number])
    assert sorted({f.line_start for f in findings if f.rule == rule.id}) == lines
    assert not [f.rule for f in findings if blocks(f) and f.rule not in (rule.id, *rule.also)]
    assert {f.side for f in findings if f.rule == rule.id} == {side}


@pytest.mark.parametrize(("rule", "language", "number"), examples("good"), ids=example_id)
def test_a_good_example_is_left_alone(rule: Rule, language: str, number: int) -> None:
    findings, _, _ = run(rule, language, rule.good[number])
    assert not [f.rule for f in findings if f.rule == rule.id]
    assert not [f.rule for f in findings if blocks(f) and f.rule not in rule.also]


def blocks(finding: Finding) -> bool:
    return finding.severity.at_least(Severity.MEDIUM)


def test_ids_are_unique_and_name_their_language() -> None:
    assert [name for name, count in Counter(rule.id for rule in RULES).items() if count > 1] == []
    assert [rule.id for rule in RULES if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", rule.id)] == []


def test_every_rule_is_complete() -> None:
    for rule in RULES:
        assert rule.bad, rule.id
        assert rule.good, rule.id
        assert bool(rule.needs) != rule.coded, rule.id
        assert bool(rule.match) + bool(rule.flow) + rule.coded == 1, rule.id
        assert rule.message.endswith("."), rule.id
        assert rule.suggestion.endswith("."), rule.id
        assert set(rule.languages) <= set(FOLDERS), rule.id
        assert set(rule.also) <= {other.id for other in RULES}, rule.id


def test_every_language_of_an_extension_has_rules() -> None:
    with_rules = {language for rule in RULES for language in rule.languages}
    assert set(EXTENSIONS.values()) == set(FOLDERS) == with_rules
