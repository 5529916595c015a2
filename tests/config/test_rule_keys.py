"""Keys about single rules: what each takes, and where it says that something is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfreview.config.view import Config
from selfreview.errors import ConfigError


def test_by_default_everything_is_reported_as_reviewers_say(configure: Callable[..., Config]) -> None:
    view = configure("")
    names = ("select", "ignore", "per_file_ignores", "severity")
    assert [view[name] for name in names] == [["*"], [], {}, {}]


def test_what_the_keys_take(configure: Callable[..., Config]) -> None:
    view = configure(
        'select = ["ruff", "rules/python-*", "Security/Eval"]\nignore = ["*"]\n'
        '[per_file_ignores]\n"tests/**" = ["python-assert"]\n"/a.py" = []\n[severity]\n"ruff/E7*" = "low"\n'
    )
    assert view["per_file_ignores"] == {"tests/**": ["python-assert"], "/a.py": []}
    assert view.place(("ignore", 0)) == "selfreview.toml:2"
    assert view.place(("per_file_ignores", "tests/**", 0)) == "selfreview.toml:4"
    assert view.place(("severity", "ruff/E7*")) == "selfreview.toml:7"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("select = []", "1: select must name something"),
        ('select = [\n"a",\n"b c"]', r"3: select\[1\] must be a rule, a reviewer, or reviewer/rule"),
        ('ignore = [""]', r"1: ignore\[0\] must be a rule"),
        ('ignore = ["a,b"]', r"1: ignore\[0\] must be a rule"),
        ('ignore = ["E7?"]', r"1: ignore\[0\] must be a rule"),
        ('ignore = "E7"', "1: ignore must be a list of strings, not a string"),
        ('[per_file_ignores]\n"a" = "b"', "2: per_file_ignores.a must be a list of strings, not a string"),
        ('[per_file_ignores]\n"a" = [1]', "2: per_file_ignores.a must be a list of strings"),
        ('[per_file_ignores]\n"a" = [" "]', r"2: per_file_ignores.a\[0\] must be a rule"),
        ('[per_file_ignores]\n" " = ["a"]', "2: per_file_ignores.' ' must stand below a pattern, not an empty string"),
        ('[per_file_ignores]\n"!a" = ["a"]', "2: per_file_ignores.'!a' must stand below a pattern of files"),
        ('[per_file_ignores]\n"***a*b*c**d" = ["a"]', "2: per_file_ignores.* has too many wildcards"),
        ('[severity]\n"a" = "bad"', "2: severity.a must be one of critical, high, medium, low, suggestion"),
        ('[severity]\n"a" = ["low"]', "2: severity.a must be one of"),
        ('[severity]\n"a b" = "low"', "2: severity.'a b' must be a rule"),
        ('rules_path = [".git"]', "1: rules_path must be paths of folders or files within the repository, not '.git'"),
        ('rules_path = ["a", "./.GIT/b.yml"]', "1: rules_path must be paths"),
        ('rules_path = ["../a"]', "1: rules_path must be paths"),
        ('rules_path = ["/a"]', "1: rules_path must be paths"),
        ('rules_path = ["."]', "1: rules_path must be paths"),
        ('severity = "low"', "1: severity must be a table, not a string"),
    ],
)
def test_what_they_refuse_with_its_line(configure: Callable[..., Config], text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=f"^selfreview.toml:{says}"):
        configure(text)
