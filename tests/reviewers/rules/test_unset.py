"""What is deleted below a variable that may be empty."""

from __future__ import annotations

from typing import Any

import pytest
from ast_grep_py import SgNode, SgRoot

from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.rules.match import matches
from selfreview.rules import load
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
        'read -r dir\ndir=build\nrm -rf "$dir/out"\n',
        'dir=build\nread -r other\nunset other\nrm -rf "$dir/out"\n',
        'dir=build\nexport dir\nreadonly dir\nrm -rf "$dir/out"\n',
        'dir=build\nmake dir\necho dir\nrm -rf "$dir/out"\n',
        'for dir in build "dist"; do\n  rm -rf "$dir/out"\ndone\n',
        'set -eu\nf() { local dir; dir=$(mktemp -d); rm -rf "$dir/out"; }\n',
        'set -eu\ng() { local dir; h; }\nf() { rm -rf "$dir/out"; }\ndir=$(mktemp -d)\n',
        'set -u\ndir=build\nunset dir\nrm -rf "$dir/out"\n',
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
        ('dir=build\nread -r dir\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('dir=build\nIFS= builtin read -r a "dir" <<< "$x"\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('dir=build\nprintf -v dir %s "$1"\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('dir=build\nmapfile -t dir < list\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('dir=build\nx && read dir\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('dir=build\nwhile read -r dir; do rm -rf "$dir/out"; done\n', "empty or unset", "/out instead"),
        ('dir=build\nunset -v dir\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('dir=build\nfor dir in "$@"; do rm -rf "$dir/out"; done\n', "empty or unset", "/out instead"),
        ('dir=build\nfor dir; do :; done\nrm -rf "$dir/out"\n', "empty or unset", "/out instead"),
        ('for dir in build $x; do rm -rf "$dir/out"; done\n', "empty or unset", "/out instead"),
        ('dir=build\nf() { local dir; rm -rf "$dir/out"; }\n', "empty or unset", "/out instead"),
    ],
)
def test_one_that_may_be_empty_blocks_and_says_what_goes(script: str, when: str, what: str) -> None:
    assert said(script) == [("high", f"When the variable is {when} this deletes {what}.")]


class Counted:
    """The root of a file, which counts how often it is looked through."""

    def __init__(self, root: SgNode) -> None:
        self._root = root
        self.text = root.text
        self.times = 0

    def find_all(self, *args: Any, **more: Any) -> list[SgNode]:
        self.times += 1
        return self._root.find_all(*args, **more)


def test_the_file_is_looked_through_as_often_for_many_commands_as_for_two() -> None:
    (rule,) = [rule for rule in load(["bash"]) if rule.id == "bash-remove-unset"]
    times = []
    for number in (2, 50):
        script = 'dir=$1\nrm -rf "$dir/out"\n' * number
        root = Counted(SgRoot(script, "bash").root())
        assert len(list(matches(root, [rule], "run.sh", script.split("\n")))) == number  # type: ignore[arg-type]
        times.append(root.times)
    assert times[0] == times[1]
