"""Scripts of zsh: the rules for shell scripts read them, ShellCheck cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.reviewers import shellcheck
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.tools.reviewer import ToolReviewer
from selfreview.testing.context import MemoryContext, review


@pytest.mark.parametrize("first", ["#!/bin/zsh", "#!/usr/bin/env zsh", "#!/bin/zsh -f"])
def test_the_rules_read_a_script_of_zsh_and_shellcheck_is_not_given_it(first: str, tmp_path: Path) -> None:
    context = MemoryContext({"tool": (None, f'{first}\neval "$command"\n')})
    assert [found.rule for found in review(RulesReviewer(), context)] == ["bash-eval"]
    files = list(context.change.files)
    # A program that is not there would fail if it were asked.
    assert ToolReviewer(shellcheck.RECORD, tmp_path / "none").review(files, context).not_applicable == ["tool"]
