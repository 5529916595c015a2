"""Scripts whose names do not say what they are written in."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest

from selfreview.reviewers import shellcheck
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.tools.reviewer import ToolReviewer
from selfreview.syntax.languages import language_in, language_of_script
from selfreview.testing.context import MemoryContext, review


@pytest.mark.parametrize(
    ("first", "language"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#! /usr/bin/python2.7 -u", "python"),
        ("#!" + " " * 201 + "/bin/bash", "bash"),
        (r"#!/usr/bin/env -S\_bash", "bash"),
        (r"#!/usr/bin/env -S python3\_-B", "python"),
        (r"#!/usr/bin/env -vS\tpy\"tho\"n3", "python"),
        ("#!/usr/bin/env --split=python3 -u", "python"),
        (r"#!C:\_bash", None),
        ("#!/usr/bin/env -S python3 -u", "python"),
        ("#!/usr/bin/env -Spython3", "python"),
        ("#!/usr/bin/env --split-string=python3 -u", "python"),
        ("#!/usr/bin/env -S LANG=C pypy3", "python"),
        ("#!/usr/bin/env -S uv run --script", "python"),
        ("#!/opt/node20/bin/node", "javascript"),
        ("#!/usr/bin/env -S deno run --allow-all", "typescript"),
        ("#!/usr/bin/env ruby", "ruby"),
        ("#!/bin/sh -e\r", "bash"),
        ("#!/usr/bin/php-cgi", "php"),
        ("#!/usr/bin/perl", None),
        ("# python3", None),
        ("", None),
    ],
)
def test_the_first_line_names_the_language(first: str, language: str | None) -> None:
    assert language_of_script(first) == language


@pytest.mark.parametrize("path", ["run", "bin/run.cgi", "run.fcgi", "deploy.prod", "Pipfile.lock"])
@pytest.mark.parametrize("old", [None, "x = 1\n"])
def test_a_python_script_is_reviewed_as_python(path: str, old: str | None) -> None:
    text = "#!/usr/bin/env python3\neval(input())\nprint(undefined)\n"
    with contextlib.closing(MemoryContext({path: (old, text)})) as context:
        assert {one.rule for one in review(RulesReviewer(), context)} == {"python-eval"}
        assert "F821" in {one.rule for one in review(RuffReviewer(), context)}


@pytest.mark.parametrize("path", ["run", "Deploy", "bin/run"])
def test_a_shell_runs_what_can_be_executed_and_does_not_say_by_what(path: str) -> None:
    text = "\ncurl https://example.com/x | sh\n"
    assert languages({path: text}, "100755") == {path: "bash"}
    assert languages({path: text}, "100644") == {path: None}


@pytest.mark.parametrize("path", ["README", "LICENSE", "README.md", "Makefile", "a.json", ".gitignore", "a.txt"])
def test_a_text_that_can_be_executed_by_accident_is_no_script(path: str) -> None:
    assert languages({path: "curl https://example.com/x | sh\n"}, "100755") == {path: None}
    assert languages({path: "#!/bin/sh\n"}, "100755") == {path: "bash"}


def languages(files: dict[str, str], mode: str) -> dict[str, str | None]:
    context = MemoryContext({path: (None, text) for path, text in files.items()})
    changed = (msgspec.structs.replace(file, new_mode=mode) for file in context.change.files)
    return {file.path: language_in(file, context) for file in changed}


@pytest.mark.parametrize("path", ["SConstruct", "wscript", ".pythonrc", "app.wsgi"])
def test_a_name_that_python_is_known_by_needs_no_first_line(path: str) -> None:
    context = MemoryContext({path: (None, "eval(input())\n")})
    assert RuffReviewer().selects(context.change.files[0])
    assert [one.rule for one in review(RulesReviewer(), context)] == ["python-eval"]


@pytest.mark.parametrize(("path", "selected"), [("run", True), ("a.md", False), ("a.json", False)])
def test_what_is_no_script_is_said_to_be_none_of_theirs(path: str, selected: bool) -> None:
    context = MemoryContext({path: (None, "eval(input())\n")})
    for reviewer in (RulesReviewer(), RuffReviewer()):
        assert reviewer.selects(context.change.files[0]) is selected
        if selected:
            done = reviewer.review(context.change.files, context)
            assert (done.findings, done.not_applicable) == ([], [path])


@pytest.mark.parametrize("first", ["#!/bin/zsh", "#!/usr/bin/env zsh", "#!/bin/zsh -f"])
def test_the_rules_read_a_script_of_zsh_and_shellcheck_is_not_given_it(first: str, tmp_path: Path) -> None:
    context = MemoryContext({"tool": (None, f'{first}\neval "$command"\n')})
    assert [found.rule for found in review(RulesReviewer(), context)] == ["bash-eval"]
    files = list(context.change.files)
    # A program that is not there would fail if it were asked.
    assert ToolReviewer(shellcheck.RECORD, tmp_path / "none").review(files, context).not_applicable == ["tool"]
