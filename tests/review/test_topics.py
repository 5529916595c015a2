"""Topics can only merge what both sides put in one category."""

from __future__ import annotations

import textwrap
from contextlib import closing

import pytest

from selfreview.review.topics import TOPICS
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.ruff.rules import category
from selfreview.reviewers.rules import RulesReviewer
from selfreview.rules import load_all
from selfreview.testing.context import MemoryContext, review

OURS = {f"rules/{rule.id}": rule.category for rule in load_all()}


@pytest.mark.parametrize("topic", TOPICS)
def test_ruff_and_the_pack_agree_on_the_category(topic: str) -> None:
    rules = TOPICS[topic]
    categories = {OURS[name] for name in rules & set(OURS)}
    categories |= {category(name.removeprefix("ruff/")) for name in rules if name.startswith("ruff/")}
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
