"""What the commands say to a person who does something for the first time."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import fix, nothing_happened, suggest


def test_a_draft_is_left_alone_and_both_commands_say_how_it_is_not(lab: Lab) -> None:
    pull = lab.open(draft=True)
    suggest(lab, pull)
    shown = lab.pr("feedback", str(pull.number))
    assert "a draft, so selfreview pr fix does nothing about it" in shown.out
    assert "feedback.drafts" in shown.out
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "it is a draft: mark it as ready, or set feedback.drafts" in ran.out
    assert nothing_happened(lab, pull)
    drafts = ("-o", "feedback.drafts=true")
    assert "a draft, so" not in lab.pr("feedback", str(pull.number), *drafts).out
    assert "fixed and pushed" in fix(lab, pull, *drafts).out


@pytest.mark.parametrize("wrong", ["abc", "0", "-1", "1.5", "#", "99999999999", "٣"])
@pytest.mark.parametrize("command", ["status", "feedback", "fix"])
def test_what_is_no_number_is_said_in_words(lab: Lab, command: str, wrong: str) -> None:
    ran = lab.pr(command, "--", wrong)
    assert ran.code == ExitCode.USAGE, ran
    assert f"{wrong!r} is not the number of a pull request, such as 5" in ran.err


def test_a_number_may_be_written_as_people_write_it(lab: Lab) -> None:
    assert lab.pr("status", f"#{lab.open().number}").code == ExitCode.PASSED


@pytest.mark.parametrize("command", ["run", "pr fix"])
def test_a_channel_that_is_misspelt_is_told_of(lab: Lab, command: str) -> None:
    pull = lab.open()
    given = ("-o", 'notification_channels=["slak"]')
    ran = lab.pr("fix", str(pull.number), *given) if command == "pr fix" else lab.workspace.selfreview("run", *given)
    assert ran.code == ExitCode.PASSED, ran
    assert ran.err.count("there is no channel 'slak' (notification_channels): did you mean 'slack'?") == 1


@pytest.mark.parametrize("how", ["merged", "closed"])
def test_one_that_is_over_is_shown_as_that_and_not_as_none(lab: Lab, how: str) -> None:
    assert lab.pr("create", "--force", "--reason", "to be seen").code == ExitCode.PASSED
    (pull,) = lab.repository.pulls
    if how == "merged":
        pull.merge(lab.rev)
    else:
        pull.close(lab.rev)
    shown = lab.pr("status")
    assert shown.code == ExitCode.PASSED, shown
    assert f"#{pull.number} {pull.title}: {how}" in shown.out
    ran = lab.pr("fix")
    assert ran.code == ExitCode.PASSED, ran
    assert f"it is {how}" in ran.out
