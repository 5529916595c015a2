"""What reviewers do while a fix is made: what is not asked for any more is not pushed, what they say then counts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import RecordedRequest, Reply
from tests.fixers.talks import edit, says
from tests.forge import InlineComment, IssueComment, PullRequest, Review
from tests.pullrequest.lab import APP, Lab, is_analysis, judged, report
from tests.pullrequest.stories import (
    RENAME,
    RENAMED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    nothing_happened,
    plugin,
)

Said = InlineComment | IssueComment | Review
Happens = Callable[[Lab, Said], object]
OTHER = "Call it the tool, please."


def say(lab: Lab, pull: PullRequest, kind: str) -> Said:
    """Have the reviewer ask for something."""
    if kind == "comment":
        return pull.comment(lab.rev, "name() should say it in full.")
    if kind == "review":
        return pull.review(lab.rev, "CHANGES_REQUESTED", "name() should say it in full.")
    return pull.inline(lab.rev, "app.py", 10, "Say it in full.")


class Speaker:
    """A model that fixes what is said, and has something happen while it fixes.

    Args:
        during: Called for each fix, with its number.
    """

    def __init__(self, during: Callable[[int], object]) -> None:
        self._during = during
        self.fixes = 0

    def __call__(self, request: RecordedRequest) -> Reply:
        words = str(request.body["messages"])
        if is_analysis(request):
            items = max(map(int, re.findall(r"\bf([0-9]+)\b", words)))
            return judged(*[{"description": "do as it says"}] * items)
        if len(request.body["messages"]) > 1:
            return report()(request)
        self.fixes += 1
        self._during(self.fixes)
        return says(edit("app.py", '"app"', '"the tool"') if OTHER in words else RENAME)


def answered(lab: Lab, pull: PullRequest, speaker: Speaker, *args: str) -> object:
    """Answer the feedback with a model."""
    with model(lab, [speaker] * 20):
        return fix(lab, pull, *args)


def resolve(lab: Lab, said: Said) -> None:
    """Resolve its thread."""
    assert isinstance(said, InlineComment)
    said.thread.resolve(lab.rev)


def reply(body: str, by: str = "rev") -> Happens:
    """Return what says something in a thread."""

    def happens(lab: Lab, said: Said) -> None:
        assert isinstance(said, InlineComment)
        said.reply(lab.rev if by == "rev" else lab.dev, body)

    return happens


TAKEN_BACK: dict[str, tuple[str, Happens]] = {
    "a comment is deleted": ("comment", lambda _, said: said.delete()),  # type: ignore[union-attr]
    "a comment is hidden": ("comment", lambda _, said: said.minimize()),
    "a review is dismissed": ("review", lambda _, said: said.dismiss()),  # type: ignore[union-attr]
    "a thread is resolved": ("line", resolve),
    "a comment in the code is deleted": ("line", lambda _, said: said.delete()),  # type: ignore[union-attr]
    "the person says that they will not": ("line", reply("Won't fix.", "dev")),
}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "happens"), TAKEN_BACK.values(), ids=TAKEN_BACK)
def test_what_is_taken_back_while_it_is_fixed_is_not_pushed(lab: Lab, kind: str, happens: Happens) -> None:
    configure(lab)
    pull = lab.open()
    said = say(lab, pull, kind)
    speaker = Speaker(lambda _: happens(lab, said))
    ran = answered(lab, pull, speaker)
    assert ran.code == ExitCode.PASSED, ran
    assert "is not pushed, and dropped" in ran.err
    assert not commits(lab)
    assert not pull.requested
    assert not pull.labels
    assert all(one.author is not lab.dev for one in pull.comments)
    assert lab.workspace.git("status", "--porcelain") == ""
    assert lab.workspace.git("rev-parse", "HEAD") == lab.head()
    assert speaker.fixes == 1


CHANGED: dict[str, tuple[str, Happens]] = {
    "a comment is edited": ("comment", lambda _, said: said.edit(OTHER)),
    "a review is edited": ("review", lambda _, said: said.edit(OTHER)),
    "a comment in the code is edited": ("line", lambda _, said: said.edit(OTHER)),
    "the reviewer goes on": ("line", reply(OTHER)),
}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "happens"), CHANGED.values(), ids=CHANGED)
def test_what_is_changed_while_it_is_fixed_is_fixed_as_it_is_then(lab: Lab, kind: str, happens: Happens) -> None:
    configure(lab)
    pull = lab.open()
    said = say(lab, pull, kind)
    speaker = Speaker(lambda number: happens(lab, said) if number == 1 else None)
    ran = answered(lab, pull, speaker)
    assert ran.code == ExitCode.PASSED, ran
    assert speaker.fixes == 2
    assert lab.file() == APP.replace('"app"', '"the tool"')
    assert commits(lab) == ["Address review comments in app.py (fix cycle 2)"]
    assert [len(thread.comments) - 1 for thread in pull.threads] in ([], [1], [2])
    assert answered(lab, pull, speaker).code == ExitCode.PASSED
    assert speaker.fixes == 2
    assert len(commits(lab)) == 1


def test_what_says_the_same_is_pushed_once(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    said = say(lab, pull, "line")
    other = pull.comment(lab.rev, "Nice work otherwise.")

    def happens(_: int) -> None:
        said.edit(f"{said.body}  ")
        other.edit("Thanks!")
        pull.comment(lab.rev, "LGTM")

    assert answered(lab, pull, Speaker(happens)).code == ExitCode.PASSED
    assert lab.file() == RENAMED
    assert len(commits(lab)) == 1


@pytest.mark.long
def test_somebody_who_changes_their_mind_all_the_time_comes_to_the_cap(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    said = say(lab, pull, "line")
    speaker = Speaker(lambda number: said.edit(f"Say it in full, for the {number}. time."))
    ran = answered(lab, pull, speaker)
    assert ran.code == ExitCode.ISSUES, ran
    assert speaker.fixes == 2
    assert not commits(lab)
    assert len(calls_for_a_person(lab, pull)) == 1
    assert "the cap of 2 fix cycles is reached" in ran.out


def test_what_a_stranger_says_meanwhile_changes_nothing(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    said = say(lab, pull, "line")
    stranger = lab.forge.user("guest")
    assert isinstance(said, InlineComment)
    answered(lab, pull, Speaker(lambda _: said.reply(stranger, "No, leave it as it is.")))
    assert lab.file() == RENAMED


WORKS = """
import subprocess
from selfreview.api import hookimpl

@hookimpl
def selfreview_before_push(cycle, config):
    subprocess.run(["git", "commit", "--quiet", "--allow-empty", "-m", "my own"], check=True)
"""


def test_a_person_who_goes_on_in_the_tree_meanwhile_keeps_their_commit(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    said = pull.comment(lab.rev, "name() should say it in full.")
    with model(lab, [Speaker(lambda _: said.delete())] * 4):
        ran = fix(lab, pull, "-p", "their_plugin", **plugin(lab, WORKS))
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert lab.workspace.git("log", "-1", "--format=%s") == "my own"
    assert nothing_happened(lab, pull)
