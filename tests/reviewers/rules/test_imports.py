"""Checks that a change takes away, told from those that it imports otherwise."""

from __future__ import annotations

import pytest

from selfreview.reviewers.rules import RulesReviewer
from selfreview.testing.context import MemoryContext, review

OLD = "import html\n\n\ndef show(name):\n    return '<b>' + html.escape(name)\n"


def rules(new: str, old: str = OLD) -> list[str | None]:
    return [finding.rule for finding in review(RulesReviewer(), MemoryContext({"src/a.py": (old, new)}))]


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("from html import escape", "escape(name)"),
        ("from html import escape as esc", "esc (name)"),
        ("from html import (\n    unescape,\n    escape,\n)", "escape(name)"),
        ("from markupsafe import Markup, escape", "escape(name)"),
        ("from django.utils.html import escape", "escape(name)"),
        ("import markupsafe as m", "m.escape(name)"),
        ("import os, html as h", "h.escape(name)"),
        ("import html", "html.escape(str(name))"),
    ],
)
def test_the_same_call_imported_otherwise_is_no_loss(head: str, call: str) -> None:
    assert rules(f"{head}\n\n\ndef show(name):\n    return '<b>' + {call}\n") == []


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("from html import escape", "name"),
        ("from html import escape", "'escape(name)'"),
        ("from html import escape", "name  # escape(name)"),
        ("from html import unescape as escape", "escape(name)"),
        ("from other import escape", "escape(name)"),
        ("from .html import escape", "escape(name)"),
        ("# from html import escape", "escape(name)"),
        ("import other as m", "m.escape(name)"),
        ("from html import escape\n\n\ndef escape(name):\n    return name", "escape(name)"),
        ("from html import escape\nescape = str", "escape(name)"),
        ("from html import escape\nescape: Any = str", "escape(name)"),
        ("from html import escape\nother, escape = str, str", "escape(name)"),
        ("from html import escape\nother = escape = str", "escape(name)"),
        ("from html import escape", "(lambda escape: escape(name))(str)"),
        ("from html import escape", "''.join(escape(name) for escape in [str])"),
        ("from html import escape", "((escape := str) and escape(name))"),
        ("from html import escape", "text.escape(name)"),
    ],
)
def test_another_function_of_that_name_is_a_loss(head: str, call: str) -> None:
    assert rules(f"{head}\n\n\ndef show(name):\n    return '<b>' + {call}\n") == ["removed-safety-call"]


def test_a_parameter_of_that_name_is_a_loss() -> None:
    new = "from html import escape\n\n\ndef show(name, escape=str):\n    return '<b>' + escape(name)\n"
    assert rules(new) == ["removed-safety-call"]


def test_a_quoted_argument_imported_otherwise_is_no_loss() -> None:
    old = "import shlex\n\n\ndef line(name):\n    return 'ls ' + shlex.quote(name)\n"
    assert rules("from shlex import quote\n\n\ndef line(name):\n    return 'ls ' + quote(name)\n", old) == []
