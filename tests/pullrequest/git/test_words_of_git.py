"""What git says when it fails is for the person here: none of it gets to the forge."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.pullrequest.git.transient_errors import push_refusal, without_git_output
from tests.pullrequest.git.test_transient_errors import failing_once
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import calls_for_a_person, commits, fix, nothing_happened, suggest

SAID = "fatal: odd words about /home/dev/odd-place"


@pytest.mark.long
@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("push", "the push was refused: git, the remote, or a hook of the repository did not take it"),
        ("commit", "the commit was refused, by git or by a hook of the repository"),
        ("add", "git add failed"),
    ],
)
def test_a_person_is_called_in_our_own_words(lab: Lab, tmp_path: Path, word: str, told: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    at = "--pathspec-file-nul" if word == "add" else word  # and not the one in a workspace
    ran = fix(lab, pull, **failing_once(tmp_path, at, SAID))
    assert ran.code == ExitCode.ISSUES, ran
    (call,) = calls_for_a_person(lab, pull)
    assert told in call
    assert not [one for one in lab.forge.requests if "odd" in str(one.body)]
    assert "odd words about /home/dev/odd-place" in ran.out + ran.err


@pytest.mark.long
@pytest.mark.parametrize("word", ["ls-tree", "write-tree", "hash-object", "fetch", "remote"])
def test_what_git_cannot_do_on_this_machine_calls_nobody(lab: Lab, tmp_path: Path, word: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    ran = lab.pr("fix", str(pull.number), **failing_once(tmp_path, word, SAID))
    assert ran.code == ExitCode.USAGE, ran
    assert "odd words about /home/dev/odd-place" in ran.err
    assert nothing_happened(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("remote: GH006: Protected branch update failed for refs/heads/x.", "the branch is protected on the remote"),
        ("remote: error: GH013: Repository rule violations found", "a rule of the repository does not allow it"),
        (" ! [remote rejected] x -> x (pre-receive hook declined)", "a hook on the remote declines it"),
        (" ! [rejected] x -> x (fetch first)", "the remote's branch is another one by now"),
        ("ERROR: Permission to octo/app.git denied to dev.", "the remote does not let this account push there"),
        (SAID, "git, the remote, or a hook of the repository did not take it"),
    ],
)
def test_a_push_is_refused_in_our_own_words(said: str, told: str) -> None:
    assert push_refusal(said) == told


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("git ls-tree failed: empty string is no path", "git ls-tree failed, and said why to whoever runs selfreview"),
        (
            "git fetch from origin failed: /x: no",
            "git fetch from origin failed, and said why to whoever runs selfreview",
        ),
        ("a note: git add failed: no\nand more", "a note: git add failed, and said why to whoever runs selfreview"),
        ("claude: rejected: it edits .git (outside)", "claude: rejected: it edits .git (outside)"),
    ],
)
def test_a_sentence_is_told_without_what_git_said(sentence: str, told: str) -> None:
    assert without_git_output(sentence) == told
