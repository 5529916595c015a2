"""Topics can only merge what both sides put in one category."""

from __future__ import annotations

import pytest

from selfreview.review.topics import TOPICS
from selfreview.reviewers._ruff_rules import category
from selfreview.rules import load_all

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
        ("python-shared-rows", "RUF024"),
        ("python-strip-word", "B005"),
    ],
)
def test_what_both_find_by_the_pack_s_own_examples_is_one_topic(ours: str, theirs: str) -> None:
    assert any({f"rules/{ours}", f"ruff/{theirs}"} <= rules for rules in TOPICS.values())
