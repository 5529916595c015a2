"""Who lets a model read feedback, and what is said where none may."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab, is_analysis
from tests.pullrequest.stories import commits, configure, fix, model, talk
from tests.rows import crossed

PLAIN = 'reviewers = ["ruff", "rules", "secrets", "text"]\n'


def test_the_call_of_the_guide_has_the_model_read_and_fix(lab: Lab) -> None:
    configure(lab, PLAIN)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk()) as server:
        ran = fix(lab, pull, "--fixer", "auto", "--fixer", "claude")
        assert is_analysis(server.requests[0])
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1
    assert "may not read" not in ran.err


UNREAD = {
    "nobody agreed": ("", [], "nobody named it, or agreed"),
    "offline": ("", ["-o", "offline=true"], "offline is set"),
    "switched off": (
        "[feedback]\nanalyzer = false\n", ["--fixer", "auto", "--fixer", "claude"], "feedback.analyzer is off"
    ),
    "left out": ("", ["-p", "no:claude"], "is left out"),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "given", "said", "command"), crossed(UNREAD, ["fix", "feedback"]))
def test_a_model_that_may_not_read_is_not_asked_and_that_is_said_once(
    lab: Lab, command: str, settings: str, given: list[str], said: str
) -> None:
    if command == "feedback" and "--fixer" in given:
        given = []
    configure(lab, PLAIN + settings)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    pull.inline(lab.rev, "app.py", 5, "And this.")
    with model(lab, []) as server:
        ran = lab.pr(command, str(pull.number), *given)
        assert not server.requests
    assert ran.err.count("claude may not read here: ") == 1, ran
    assert said in ran.err
    assert ("hint: selfreview pr fix --fixer auto --fixer claude" in ran.err) is ("nobody" in said)


def test_without_credentials_it_says_which_are_missing(lab: Lab) -> None:
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    ran = lab.pr("feedback", str(pull.number))
    assert "no credentials for anthropic" in ran.err
    assert "ANTHROPIC_API_KEY" in ran.err


def test_nothing_is_said_where_there_is_nothing_to_read(lab: Lab) -> None:
    ran = lab.pr("feedback", str(lab.open().number))
    assert ran.code == ExitCode.PASSED
    assert "may not read" not in ran.err
