"""Topics: which rules of which tools are one weakness."""

from __future__ import annotations

import re
import textwrap
from contextlib import closing

import pytest

from selfreview.cli.setup.rule import COMMENTS
from selfreview.model.issue import Issue, Severity
from selfreview.review.tool_comments import QUIETED, names_in
from selfreview.review.topics import TOPICS, UNREADABLE, reviewers_about, same_as, subjects_named, subjects_of
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.ruff.rules import category
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.text.table import CHECKS
from selfreview.rules import load_all
from selfreview.syntax.suppression_comments import KINDS
from selfreview.testing.context import MemoryContext, review
from tests.review.builders import make_issue

SHAPES = {
    "bandit": r"B[0-9]{3}",
    "gosec": r"G[0-9]{3}",
    "ruff": r"[A-Z]+[0-9]{3,4}|invalid-syntax",
    "shellcheck": r"SC[0-9]{4}",
}
"""What the rules of some tools are called."""


def is_same(name: str, issue: Issue) -> bool:
    """Return whether a tool's rule is the weakness that an issue reports."""
    return not subjects_named(name).isdisjoint(subjects_of(issue))


def test_every_topic_names_rules_that_exist_and_each_rule_once() -> None:
    names = [name for rules in TOPICS.values() for name in rules]
    assert len(names) == len(set(names))
    category = {f"rules/{rule.id}": rule.category for rule in load_all()}
    for rules in TOPICS.values():
        ours = {name for name in rules if name.startswith("rules/")}
        assert ours <= set(category)
        assert len({category[name] for name in ours}) <= 1
        assert ours or any(name.startswith(("text/", "secrets/")) for name in rules)
        assert {name for name in rules if name.startswith("text/")} <= {f"text/{check}" for check in CHECKS}
        for tool, _, rule in (name.partition("/") for name in rules):
            assert re.fullmatch(SHAPES.get(tool, r"[\w@/.-]+"), rule), (tool, rule)


OTHERS = [
    (topic, name)
    for topic, rules in TOPICS.items()
    for name in sorted(rules)
    if topic != UNREADABLE and name.partition("/")[0] not in ("rules", "text", "secrets")
]


@pytest.mark.parametrize(("topic", "name"), OTHERS, ids=[name for _, name in OTHERS])
def test_a_comment_that_names_a_rule_of_a_topic_is_about_ours(topic: str, name: str) -> None:
    tool, _, rule = name.partition("/")
    text = COMMENTS[tool].format(rule)
    named = [each for kind, pattern in KINDS for mark in pattern.finditer(text) for each in names_in(kind, mark)]
    for ours in TOPICS[topic]:
        reviewer, _, id_ = ours.partition("/")
        if reviewer in QUIETED:
            issue = make_issue(reviewer=reviewer, rule=id_, severity=Severity.HIGH)
            assert any(is_same(each, issue) for each in named), ours
            assert any(reviewer in reviewers_about(each) for each in named)


def test_rules_of_different_topics_are_not_the_same() -> None:
    issue = make_issue(reviewer="rules", rule="python-eval")
    assert not is_same("ruff/S608", issue)
    assert not is_same("ruff/S999", issue)
    assert not is_same("semgrep/detected", issue)
    assert is_same("semgrep/eval-detected", issue)
    assert is_same("semgrep/audit.eval-detected.eval-detected", issue)
    assert not is_same("ruff/S307", make_issue(reviewer="rules", rule="of-our-own"))
    assert reviewers_about("ruff/S999") == {"ruff"}


def test_what_is_no_weakness_is_the_same_as_nothing() -> None:
    assert same_as("text/broken-syntax") == same_as("rules/of-our-own") == []
    assert not is_same("shellcheck/SC1073", make_issue(reviewer="text", rule="broken-syntax"))
    assert {"ruff/S307", "bandit/B307"} <= set(same_as("rules/python-eval"))


APART = {
    "ruff/S110", "ruff/E722", "ruff/BLE001", "ruff/T100", "ruff/PLR0124", "ruff/SIM107", "ruff/PGH005", "ruff/T201",
}  # fmt: skip
"""Rules of another category than ours, so that what both report is told by both."""


OURS = {f"rules/{rule.id}": rule.category for rule in load_all()}


@pytest.mark.parametrize("topic", TOPICS)
def test_ruff_and_the_pack_agree_on_the_category(topic: str) -> None:
    rules = TOPICS[topic]
    categories = {OURS[name] for name in rules & set(OURS)}
    categories |= {
        category(name.removeprefix("ruff/")) for name in rules if name.startswith("ruff/") and name not in APART
    }
    assert len(categories) == 1


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("python-error-not-raised", "PLW0133"),
        ("python-except-or", "B030"),
        ("python-except-or", "PLW0711"),
        ("python-or-literal", "SIM222"),
        ("python-or-true", "SIM222"),
        ("python-shared-rows", "RUF024"),
        ("python-strip-word", "B005"),
    ],
)
def test_what_both_find_by_the_pack_s_own_examples_is_one_topic(ours: str, theirs: str) -> None:
    assert any({f"rules/{ours}", f"ruff/{theirs}"} <= rules for rules in TOPICS.values())


IMPORTS = """
import asyncio, json, logging, math, os, pickle, random, re, ssl, subprocess, tempfile, time, urllib.request
import flask, jinja2, paramiko, pytest, requests, yaml
app = flask.Flask(__name__)
client = paramiko.SSHClient()
"""
ELSEWHERE = {
    "F706": "an example is not always a function",
    "F821": "an example uses names that it does not make",
    "B018": "it says that the expression is useless, not that nothing is asserted",
}
"""Rules that ruff applies to an example for another reason."""


def test_what_both_find_on_one_line_of_the_pack_s_examples_is_one_topic() -> None:
    files = {}
    for rule in load_all():
        for example in rule.bad if "python" in rule.languages else ():
            if isinstance(example, str):
                name = f"tests/test_{len(files)}.py" if rule.where == "tests" else f"src/example_{len(files)}.py"
                files[name] = (None, IMPORTS + textwrap.dedent(example).replace("<--", ""))
    with closing(MemoryContext(files)) as context:
        ours, theirs = review(RulesReviewer(), context), review(RuffReviewer(), context)
    both = {
        (f"rules/{our.rule}", f"ruff/{their.rule}")
        for our in ours
        for their in theirs
        if our.file == their.file and our.line_start <= their.line_end and their.line_start <= our.line_end
        if their.rule not in ELSEWHERE
    }
    assert len(both) > 20
    assert [pair for pair in both if not any(set(pair) <= rules for rules in TOPICS.values())] == []
