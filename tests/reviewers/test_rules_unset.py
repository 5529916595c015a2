"""What is deleted below a variable that may be empty."""

from __future__ import annotations

import pytest

from selfreview.reviewers.rules import RulesReviewer
from selfreview.testing.context import MemoryContext, review

ROOT = "from the root of the file system"


def said(script: str) -> list[tuple[str, str]]:
    findings = review(RulesReviewer(), MemoryContext({"run.sh": (None, script)}))
    return [(f.severity.value, f.description) for f in findings if f.rule == "bash-remove-unset"]


@pytest.mark.parametrize(
    "script",
    [
        'set -eu\ndir=$(mktemp -d)\nrm -rf "$dir/build"\n',
        'set -euo pipefail\ndir="$(mktemp -d)"\nif x; then\n  rm -rf "$dir/"*\nfi\n',
        '#!/bin/sh -eu\ndir=`mktemp -d`\nrm -rf "$dir/build"\n',
        'dir=$(mktemp -d) || exit 1\nrm -rf "$dir/build"\n',
        'set -eu\nclean() { rm -rf "$dir/build"; }\ntrap clean EXIT\ndir=$(mktemp -d)\n',
        'dir=build\nrm -rf "$dir/out"\n',
        'dir=${1:-build}\nrm -rf "$dir/out"\n',
        'dir=$HOME/build\nrm -rf "$dir/out"\n',
        'dir=${1:?}\nrm -rf "$dir/out"\n',
    ],
)
def test_a_variable_that_cannot_be_empty_is_no_issue(script: str) -> None:
    assert said(script) == []


@pytest.mark.parametrize(
    "script",
    [
        'set -u\ndir=$(mktemp -d)\nrm -rf "$dir/build"\n',
        'set -o nounset\ndir=$(mktemp -d)\nrm -rf "$dir/build"\n',
        'set -eu\nf() {\n  local dir=$(mktemp -d)\n  rm -rf "$dir/build"\n}\n',
        'set -eu\ndir=$(list | head -1)\nrm -rf "$dir/build"\n',
    ],
)
def test_one_that_a_failing_command_leaves_empty_does_not_block(script: str) -> None:
    assert said(script) == [("low", "When the variable is empty this deletes /build instead.")]


@pytest.mark.parametrize(
    ("script", "when", "what"),
    [
        ('rm -rf "$dir/build"\n', "empty or unset", "/build instead"),
        ('rm -rf "$dir/"\n', "empty or unset", ROOT),
        ("rm -rf $dir/*\n", "empty or unset", ROOT),
        ('rm -rf "$dir"/usr\n', "empty or unset", ROOT),
        ('set -u\nrm -rf "$dir/build"\n', "empty", "/build instead"),
        ('set -eu\ndir=$1\nrm -rf "$dir/build"\n', "empty", "/build instead"),
        ('set -eu\ndir=""\nrm -rf "$dir/build"\n', "empty", "/build instead"),
        ('set -eu\ndir=$1\nif x; then dir=$(mktemp -d); fi\nrm -rf "$dir/build"\n', "empty", "/build instead"),
        ('set -eu\nx && dir=$(mktemp -d)\nrm -rf "$dir/build"\n', "empty", "/build instead"),
        ('dir=$(mktemp -d)\nrm -rf "$dir/build"\n', "empty or unset", "/build instead"),
        ('set -u\nset +u\ndir=$(mktemp -d)\nrm -rf "$dir/build"\n', "empty or unset", "/build instead"),
        ('(set -u)\ndir=$(mktemp -d)\nrm -rf "$dir/build"\n', "empty or unset", "/build instead"),
        ('set -- -u\ndir=$(mktemp -d)\nrm -rf "$dir/build"\n', "empty or unset", "/build instead"),
        ('dir=$(mktemp -d)\nrm -rf "$dir/build"\nset -u\n', "empty or unset", "/build instead"),
        ('dir=build\ndir=$1\nrm -rf "$dir/build"\n', "empty or unset", "/build instead"),
        ('set -eu\ndir=$(mktemp -d)\nrm -rf "$dir/build" "$other/"\n', "empty", ROOT),
    ],
)
def test_one_that_may_be_empty_blocks_and_says_what_goes(script: str, when: str, what: str) -> None:
    assert said(script) == [("high", f"When the variable is {when} this deletes {what}.")]
