"""Every rule's examples are its tests."""

from __future__ import annotations

import re
import textwrap
from collections import Counter

import pytest

from selfreview.api import Category, Finding, Severity, Side
from selfreview.model.issue import Edit
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.rules.match import in_ascii
from selfreview.rules import Removal, Rule, load, load_all
from selfreview.syntax.languages import EXTENSIONS, FOLDERS
from selfreview.syntax.parsing import parse
from selfreview.testing.context import MemoryContext, review

RULES = load_all()
PATHS = {"product": "src/example", "tests": "tests/test_example", "everywhere": "src/example"}
MARK = re.compile(r"[ \t]*<--$", re.MULTILINE)
RULE_BY_LANGUAGE = [(rule, language) for rule in RULES for language in rule.languages]


def rule_id(value: object) -> str:
    return value.id if isinstance(value, Rule) else str(value)


def examples(rule: Rule, language: str, kind: str) -> list[str | Removal]:
    """Return the examples of a rule for a language."""
    return [e for e in getattr(rule, kind) if isinstance(e, str) or e.language == language]


def place(rule: Rule, language: str) -> str:
    """Return a path at which the rule looks."""
    extension = next(extension for extension, name in EXTENSIONS.items() if name == language)
    return PATHS["tests" if rule.coded and rule.category is Category.TESTING else rule.where] + extension


def sides(example: str | Removal) -> tuple[str | None, str | None]:
    """Return both sides of an example, with its marks."""
    if isinstance(example, str):
        return None, textwrap.dedent(example).lstrip("\n")
    after = None if example.after is None else textwrap.dedent(example.after).lstrip("\n")
    return textwrap.dedent(example.before).lstrip("\n"), after


def run(rule: Rule, language: str, example: str | Removal) -> tuple[list[Finding], list[int], Side]:
    """Return the findings in an example, the lines that it marks, and the side that they are on."""
    old, new = sides(example)
    if new is None:  # what is said of a deleted file is said of the whole
        return review(RulesReviewer(), MemoryContext({place(rule, language): (old, new)})), [0], Side.OLD
    marked, side = (old, Side.OLD) if old is not None and MARK.search(old) else (new, Side.NEW)
    lines = [number for number, line in enumerate(marked.split("\n"), 1) if MARK.search(line)] or [1]
    contents = (None if old is None else MARK.sub("", old), MARK.sub("", new))
    return review(RulesReviewer(), MemoryContext({place(rule, language): contents})), lines, side


def blocking(findings: list[Finding], *allowed: str) -> list[str | None]:
    """Return the rules that block, but for some."""
    return [f.rule for f in findings if f.severity.at_least(Severity.MEDIUM) and f.rule not in allowed]


@pytest.mark.parametrize(("rule", "language"), RULE_BY_LANGUAGE, ids=rule_id)
def test_bad_examples_are_reported_where_they_are_marked(rule: Rule, language: str) -> None:
    for example in examples(rule, language, "bad"):
        findings, lines, side = run(rule, language, example)
        mine = [finding for finding in findings if finding.rule == rule.id]
        assert sorted({finding.line_start for finding in mine}) == lines, example
        assert {finding.side for finding in mine} == {side}, example
        assert {(finding.severity, finding.category) for finding in mine} == {(rule.severity, rule.category)}
        assert blocking(findings, rule.id, *rule.also) == [], example


@pytest.mark.parametrize(("rule", "language"), RULE_BY_LANGUAGE, ids=rule_id)
def test_good_examples_are_left_alone(rule: Rule, language: str) -> None:
    for example in examples(rule, language, "good"):
        findings, _, _ = run(rule, language, example)
        assert rule.id not in [finding.rule for finding in findings], example
        assert blocking(findings, *rule.also) == [], example


MATCHING = [(rule, language) for rule, language in RULE_BY_LANGUAGE if rule.match]


@pytest.mark.parametrize(("rule", "language"), MATCHING, ids=rule_id)
def test_in_ascii_the_quicker_expressions_find_the_same(rule: Rule, language: str) -> None:
    config = {"rule": rule.match, "constraints": rule.constraints}
    for example in [*examples(rule, language, "bad"), *examples(rule, language, "good")]:
        text = MARK.sub("", sides(example)[1] or "")
        root = parse(text, language)
        places, quicker = ([str(node.range()) for node in root.find_all(c)] for c in (config, in_ascii(config)))
        assert not text.isascii() or quicker == places, text


def test_names_that_are_not_ascii_are_names() -> None:
    text = "try:\n    save()\nexcept Exception as \u00e9:\n    pass\n"
    found = review(RulesReviewer(), MemoryContext({"src/example.py": (None, text)}))
    assert [finding.rule for finding in found] == ["python-except-exception-pass"]


FIXING = [(rule, language) for rule, language in RULE_BY_LANGUAGE if rule.fix is not None]


@pytest.mark.parametrize(("rule", "language"), FIXING, ids=rule_id)
def test_a_fix_ends_what_it_mends(rule: Rule, language: str) -> None:
    for example in examples(rule, language, "bad"):
        assert isinstance(example, str)
        text = MARK.sub("", sides(example)[1])
        findings, _, _ = run(rule, language, text)
        (edit,) = next(finding.edits for finding in findings if finding.rule == rule.id)
        mended = apply(text, edit)
        assert mended != text
        left, _, _ = run(rule, language, mended)
        assert rule.id not in [finding.rule for finding in left], mended
        assert blocking(left, *rule.also) == [], mended


def apply(text: str, edit: Edit) -> str:
    """Apply an edit as its conventions say."""
    lines = text.split("\n")
    before = "\n".join([*lines[: edit.line_start - 1], lines[edit.line_start - 1][: edit.column_start]])
    after = "\n".join([(lines[edit.line_end - 1 :] or [""])[0][edit.column_end :], *lines[edit.line_end :]])
    return before + edit.replacement + after


def test_ids_are_unique_plain_words() -> None:
    assert [name for name, count in Counter(rule.id for rule in RULES).items() if count > 1] == []
    assert [rule.id for rule in RULES if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", rule.id)] == []


def test_every_rule_is_complete() -> None:
    for rule in RULES:
        assert bool(rule.match) + (rule.flow is not None) + rule.coded == 1, rule.id
        assert bool(rule.needs) != rule.coded, rule.id
        assert rule.bad, rule.id
        assert rule.good, rule.id
        assert rule.message.endswith("."), rule.id
        assert rule.suggestion.endswith("."), rule.id
        assert set(rule.languages) <= set(FOLDERS), rule.id
        assert set(rule.also) <= {other.id for other in RULES}, rule.id


def test_the_pack_is_as_wide_as_it_says() -> None:
    assert len(RULES) >= 200
    counts = Counter(language for rule in RULES if not rule.coded for language in rule.languages)
    assert set(counts) == set(FOLDERS) == set(EXTENSIONS.values())
    assert min(counts.values()) >= 5


def test_lost_assertions_have_an_example_in_every_language_with_words() -> None:
    lost = next(rule for rule in RULES if rule.id == "removed-assertion")
    shared = {"typescript", "tsx"}  # with JavaScript
    assert [name for name in lost.languages if not examples(lost, name, "bad") and name not in shared] == []


def test_only_what_is_asked_for_is_loaded() -> None:
    assert {language for rule in load({"go"}) for language in rule.languages if not rule.coded} == {"go"}
    assert [rule for rule in load({"cobol"}) if not rule.coded] == []
