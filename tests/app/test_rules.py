"""Rules of all reviewers, and their examples, which are their tests."""

from __future__ import annotations

import pytest

from selfreview.api import Category, Depth, Finding, Review, RuleExample, RuleInfo, Severity, Side
from selfreview.app.rules import ListedRule, rules_named, try_examples
from selfreview.errors import UsageError
from selfreview.reviewers.gate import RULES as GATE_RULES
from selfreview.reviewers.gate import GateReviewer
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.secrets import SecretsReviewer
from selfreview.reviewers.text import TextReviewer
from selfreview.testing.context import MemoryConfig

EMBEDDED = [
    ListedRule(reviewer, rule)
    for reviewer in (RulesReviewer(), TextReviewer())
    for rule in reviewer.rules()
    if rule.id != "file-too-large-to-review"
]


class Finder:
    """A reviewer that finds a word, on the side where it stands."""

    name, depth, default = "finder", Depth.TEXT, True

    def selects(self, file):
        return not file.path.endswith(".md")

    def cache_key(self, context):
        return None

    def review(self, files, context):
        found = [
            Finding(
                file=file.path,
                line_start=number,
                line_end=number,
                side=side,
                severity=Severity.LOW,
                category=Category.LOGIC,
                description="Found.",
                rule="word",
            )
            for file in files
            for side in Side
            for text in [context.text(file, side)]
            for number, line in enumerate(text.lines if text else (), 1)
            if "word" in line
        ]
        return Review(findings=found)


def outcomes(*, bad: tuple[RuleExample, ...] = (), good: tuple[RuleExample, ...] = ()) -> list[str | None]:
    listed = ListedRule(Finder(), RuleInfo(id="word", summary="A word.", bad=bad, good=good))
    return [outcome and outcome.why for outcome in try_examples(listed, MemoryConfig())]


@pytest.mark.parametrize("listed", EMBEDDED, ids=lambda listed: listed.name)
def test_every_embedded_rule_has_examples_that_hold(listed: ListedRule) -> None:
    found = list(try_examples(listed, MemoryConfig()))
    assert len(found) >= 2, "a bad and a good one"
    assert [failure for failure in found if failure is not None] == []


def test_an_example_is_tried_on_its_lines() -> None:
    text = "a\nword\n"
    assert outcomes(bad=(RuleExample("a", text), RuleExample("a", text, lines=(2,)))) == [None, None]
    assert outcomes(bad=(RuleExample("a", text, lines=(1, 2)),)) == ["is reported in line 2, not in lines 1, 2"]
    assert outcomes(bad=(RuleExample("a", "a"),), good=(RuleExample("a", "a"),)) == ["is not reported", None]
    assert outcomes(good=(RuleExample("a", text),)) == ["is reported in line 2"]


def test_a_file_that_the_reviewer_does_not_take_is_not_reported() -> None:
    assert outcomes(bad=(RuleExample("a.md", "word"),)) == ["is not reported"]


def test_both_sides_of_an_example_are_there() -> None:
    sides = RuleExample("a", "new\n", before="word\n", lines=(1,), side=Side.OLD)
    assert outcomes(bad=(sides, RuleExample("a", None, before="word", lines=(1,)))) == [None, None]


def test_a_rule_is_named_by_itself_or_with_its_reviewer() -> None:
    listed = [ListedRule(reviewer, rule) for reviewer in (RulesReviewer(), TextReviewer()) for rule in reviewer.rules()]
    assert [each.name for each in rules_named(listed, ["broken-syntax"])] == [
        "rules/broken-syntax",
        "text/broken-syntax",
    ]
    twice = rules_named(listed, ["text/broken-syntax", "text/broken-syntax", "python-eval"])
    assert [each.name for each in twice] == ["text/broken-syntax", "rules/python-eval"]
    for wrong, meant in (("python-evel", "python-eval"), ("text/brokn-syntax", "text/broken-syntax")):
        with pytest.raises(UsageError, match=f"there is no rule '{wrong}'") as error:
            rules_named(listed, [wrong])
        assert error.value.hint == f"did you mean {meant!r}?"
    for wrong, hint in (
        ("PYTHON-EVAL", "did you mean 'python-eval'?"),
        ("rules", "it is a reviewer: selfreview rule --reviewer rules"),
        ("noGlobalEval", "did you mean 'rules/javascript-eval'? biome calls it 'noGlobalEval'"),
        (
            "eval-detected",
            "did you mean 'rules/javascript-eval' or 'rules/python-eval'? semgrep calls it 'eval-detected'",
        ),
    ):
        with pytest.raises(UsageError) as error:
            rules_named(listed, [wrong])
        assert error.value.hint == hint
    with pytest.raises(UsageError) as error:
        rules_named(listed, ["clang-analyzer-security.insecureAPI.strcpy"])
    assert "'rules/c-unbounded-copy'" in (error.value.hint or ""), "the last of four"


def test_the_same_weakness_is_named_in_other_tools() -> None:
    (yaml,) = [each for each in EMBEDDED if each.rule.id == "python-yaml-load"]
    assert "ruff/S506" in yaml.same()
    assert yaml.name not in yaml.same()
    assert [each.same() for each in EMBEDDED if each.rule.id == "conflict-marker"] == [[]]


def test_what_cannot_have_an_example_is_listed_without_one() -> None:
    assert {rule.bad for rule in SecretsReviewer().rules()} == {()}
    assert GateReviewer(lenient=True).rules() is GATE_RULES
