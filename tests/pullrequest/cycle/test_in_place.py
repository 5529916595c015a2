"""A suggestion that the branch has already, or that two make, is done: nobody is called, and nothing is doubled."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import SUGGESTED, calls_for_a_person, commits, fix, push_there, suggest

pytestmark = pytest.mark.long

ADDED = "    # twice as much\n    return n * 2"


@pytest.mark.parametrize(
    ("line", "code", "theirs"),
    [
        (6, "    return n + n", SUGGESTED),
        (6, ADDED, APP.replace("    return n * 2", ADDED)),
        (6, "    return n * 2\n    # twice as much", APP.replace("n * 2", "n * 2\n    # twice as much")),
        (10, "", APP.replace('    return "app"\n', "")),
        (6, "    return n + n", f'"""An app."""\n\n{SUGGESTED}'),
        (6, "    return n + n", SUGGESTED.replace("def twice(n)", "def twice(n, m=0)")),
        (10, '    return "the app"', APP.replace('"app"', '"the app"')),
        (1, "def half(n: int):", APP.replace("def half(n)", "def half(n: int)")),
    ],
    ids=["replaced", "added before", "added behind", "deleted", "moved", "edited around", "at the end", "at the begin"],
)
def test_what_a_person_has_committed_is_answered_with_their_commit(lab: Lab, line: int, code: str, theirs: str) -> None:
    pull = lab.open()
    suggest(lab, pull, line=line, code=code)
    sha = push_there(lab, "app.py", theirs)
    ran = fix(lab, pull, "--format", "json")
    assert (ran.code, ran.json["outcome"], ran.json["commit"]) == (ExitCode.PASSED, "answered", None), ran
    assert lab.head() == sha
    answer = pull.threads[0].comments[-1].body
    assert "The branch has this already" in answer
    assert (sha[:12] in answer) == bool(code)
    assert not calls_for_a_person(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(pull.threads[0].comments) == 2


def test_what_two_suggest_alike_is_made_once_and_answered_twice(lab: Lab) -> None:
    pull = lab.open()
    for who in ("rev", "ann"):
        pull.inline(
            lab.repository.allow(lab.forge.user(who), "write"), "app.py", 6, "```suggestion\n    return n + n\n```"
        )
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED
    assert len(commits(lab)) == 1
    assert ["the suggestion is applied" in thread.comments[-1].body for thread in pull.threads] == [True, True]
    assert not calls_for_a_person(lab, pull)


def test_what_two_suggest_otherwise_for_the_same_lines_is_a_persons(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    suggest(lab, pull, code="    return 2 * n")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert lab.file() == APP


@pytest.mark.parametrize("cap", [1, 2])
def test_what_was_fixed_here_and_is_suggested_again_is_answered_with_that_commit(lab: Lab, cap: int) -> None:
    pull = lab.open()
    first = lab.head()
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    sha = lab.head()
    suggest(lab, pull).thread.commit = first  # from a page that was opened before
    suggest(lab, pull, line=2, code="    return n / 2")  # which is what stands there
    ran = fix(lab, pull, "-o", f"feedback.max_fix_cycles={cap}")
    assert ran.code == ExitCode.PASSED, ran
    assert "answered: rev app.py:6" in ran.out
    assert f"The branch has this already, since {sha[:12]}." in pull.threads[1].comments[-1].body
    assert "The branch has this already, since " in pull.threads[2].comments[-1].body
    assert not calls_for_a_person(lab, pull)
    assert lab.head() == sha


def test_the_same_words_elsewhere_are_not_what_is_suggested(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull, code="    return n / 2")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == APP.replace("n * 2", "n / 2")


def test_the_same_words_in_a_function_that_came_beside_it_are_not_what_is_suggested(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull, line=6, code="    return n + n")
    theirs = APP.replace("    return n * 2", "    return 2 * n\n\n\ndef more(n):\n    return n + n")
    push_there(lab, "app.py", theirs.replace("def twice(n)", "def twice(n, m=0)"))
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert "The branch has this already" not in pull.threads[0].comments[-1].body
    assert calls_for_a_person(lab, pull)


def test_words_beside_a_suggestion_that_is_there_are_a_persons_where_nobody_reads_them(lab: Lab) -> None:
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, "Rename it, and also:\n```suggestion\n    return n + n\n```")
    sha = push_there(lab, "app.py", SUGGESTED)
    assert fix(lab, pull).code == ExitCode.ISSUES
    (call,) = calls_for_a_person(lab, pull)
    assert "the words beside it" in call
    assert lab.head() == sha
