"""Names of rules in settings: which are known, who is asked, and what was probably meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from selfreview.api import Registry, Reviewer, RuleInfo
from selfreview.errors import ConfigError, PluginError
from selfreview.review import rule_names
from selfreview.review.rule_names import check_selectors, key_of_selectors, unknown_selectors
from selfreview.testing.context import MemoryConfig, default_config
from tests.review.builders import Reviewing


def rules(*names: str) -> list[RuleInfo]:
    return [RuleInfo(id=name) for name in names]


def registry(**listed: Sequence[RuleInfo] | None) -> Registry[Reviewer]:
    """Reviewers with the rules that each lists; None: it lists none."""
    found: Registry[Reviewer] = Registry("reviewer")
    for name, each in listed.items():
        more = {} if each is None else {"rules": lambda each=each: each}
        found.add(Reviewing(name, **more))
    return found


LISTED = registry(rules=rules("python-eval", "python-exec"), ruff=rules("E711", "E712", "F821"), shellcheck=None)


def config(**values: Any) -> MemoryConfig:
    return MemoryConfig({**default_config(), **values})


def unknown(*selectors: str, among: Registry[Reviewer] = LISTED) -> list[str]:
    return [each.selector for each in unknown_selectors(config(ignore=list(selectors)), among)]


@pytest.mark.parametrize(
    "selector",
    [
        "*", "python-eval", "E711", "ruff", "shellcheck", "selfreview", "ruff/E711", "rules/python-*", "E7*", "*-eval",
        "shellcheck/SC2086", "shellcheck/SC*", "shellcheck/*", "ruff/*", "selfreview/unused-suppression",
    ],
)  # fmt: skip
def test_what_is_known(selector: str) -> None:
    assert unknown(selector) == []


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("python-evel", "did you mean 'python-eval'?"),
        ("rules/python-evel", "did you mean 'rules/python-eval'?"),
        ("rufff", "did you mean 'ruff'?"),
        ("rufff/E711", "did you mean 'ruff/E711'?"),
        ("E7", "did you mean 'E7*'?"),
        ("ruff/E7", "did you mean 'ruff/E7*'?"),
        ("E7111", "did you mean 'E711'?"),
        ("F82X1", "selfreview rule lists them"),
        ("SC2086", "selfreview rule lists them"),
        ("python-*x", "did you mean 'python-*'?"),
        ("no*such*thing", "selfreview rule lists them"),
        ("gate/suppression", "no setting turns off what a gate says"),
        ("rules/E711", "did you mean 'ruff/E711'?"),
        ("ruff/python-eval", "did you mean 'rules/python-eval'?"),
        ("ruff:E711", "did you mean 'ruff/E711'?"),
        ("ruf", "did you mean 'ruff'?"),
        ("e711", "did you mean 'E711'?"),
        ("ruff/e7*", "did you mean 'ruff/E7*'?"),
        ("Python-*", "did you mean 'python-*'?"),
        ("pyhton-*", "did you mean 'python-*'?"),
        ("rules/pyhton-*", "did you mean 'rules/python-*'?"),
        ("python-evl-*", "did you mean 'python-eval'?"),
        ("B307", "did you mean 'rules/python-eval'? bandit calls it 'B307'"),
        ("noGlobalEval", "selfreview rule lists them"),
        ("pylint/eval-used", "did you mean 'rules/python-eval'?"),
        ("no-debugger", "selfreview rule lists them"),
    ],
)
def test_what_is_not_and_what_was_probably_meant(selector: str, hint: str) -> None:
    (found,) = unknown_selectors(config(select=["*", selector]), LISTED)
    assert (found.path, found.selector) == (("select", 1), selector)
    assert found.hint.startswith(hint)


def test_every_key_is_looked_at() -> None:
    values = {"select": ["a"], "ignore": ["*", "b"], "per_file_ignores": {"x.py": ["*", "c"]}, "severity": {"d": "low"}}
    paths = [each.path for each in unknown_selectors(config(**values), LISTED)]
    assert paths == [("select", 0), ("ignore", 1), ("per_file_ignores", "x.py", 1), ("severity", "d")]


def test_a_reviewer_that_cannot_tell_its_rules_may_have_any() -> None:
    among = registry(rules=rules("python-eval"), ruff=[])
    assert unknown("E711", "ruff/E711", "no-such", among=among) == []
    assert unknown("rules/no-such", among=among) == ["rules/no-such"]


def test_a_reviewer_is_asked_once_and_only_where_it_matters() -> None:
    asked: list[str] = []

    def of(name: str, *names: str) -> Reviewing:
        def listing() -> list[RuleInfo]:
            asked.append(name)
            return rules(*names)

        return Reviewing(name, rules=listing)

    among: Registry[Reviewer] = Registry("reviewer")
    among.add(of("one", "a", "b"))
    among.add(of("two", "c"))
    assert unknown("*", "one", "two", among=among) == []
    assert asked == []
    assert unknown("a", "one/b", "o*", among=among) == ["o*"]
    assert asked == ["one", "two"]


def test_a_reviewer_that_raises_is_named() -> None:
    def listing() -> list[RuleInfo]:
        raise ValueError("no list")

    among: Registry[Reviewer] = Registry("reviewer")
    among.add(Reviewing("one", rules=listing))
    with pytest.raises(PluginError, match="the reviewer 'one' cannot list its rules: ValueError: no list"):
        unknown("a", among=among)


def test_only_what_counts_is_an_error() -> None:
    wrong = config(ignore=["E711", "a"], severity={"b": "low"})
    with pytest.raises(ConfigError, match=r"^there is no rule or reviewer 'a' \(x\.toml:1\)$"):
        check_selectors(wrong, LISTED, lambda path: f"x.toml:{path[1]}")
    with pytest.raises(ConfigError, match=r"'b' \(severity\)$"):
        check_selectors(wrong, LISTED, lambda path: str(path[0]), lambda place: place != "ignore")
    check_selectors(wrong, LISTED, lambda _path: "", lambda _place: False)


def test_a_check_is_kept_by_all_that_it_looked_at_and_by_nothing_where_no_reviewer_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert key_of_selectors(config(), LISTED) is None
    assert key_of_selectors(config(ignore=["ruff"], severity={"*": "low"}), LISTED) is None
    one = key_of_selectors(config(ignore=["E711", "ruff"]), LISTED)
    assert one is not None
    assert key_of_selectors(config(severity={"E711": "low"}), LISTED) == one
    others = [key_of_selectors(config(ignore=["E712"]), LISTED), key_of_selectors(config(ignore=["E711"]), registry())]
    monkeypatch.setattr(rule_names, "__version__", "another")
    others.append(key_of_selectors(config(ignore=["E711"]), LISTED))
    assert len({one, *others, None}) == 5


def test_what_a_reviewer_has_to_tell_a_person_is_left_as_it_is() -> None:
    def listing() -> list[RuleInfo]:
        raise ConfigError("rules/a.yml:1: it is none")

    among: Registry[Reviewer] = Registry("reviewer")
    among.add(Reviewing("one", rules=listing))
    with pytest.raises(ConfigError, match=r"^rules/a\.yml:1: it is none$"):
        unknown("a", among=among)
