"""The exit codes of ``selfreview pr``: 5 for what passes by itself, 4 for what a person has to mend."""

from __future__ import annotations

from collections.abc import Callable

import filelock
import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import TOKEN, Lab
from tests.pullrequest.watching.scene import named, told

pytestmark = pytest.mark.long

_COMMANDS = (("status",), ("feedback",), ("fix",), ("watch", "--once"))


def _revoked(lab: Lab) -> None:
    lab.forge.revoke(TOKEN)


def _limited(lab: Lab) -> None:
    lab.forge.limit("*", "*", retry_after=4000)


def _failing(lab: Lab) -> None:
    lab.forge.fail("*", "*", status=500, times=None)


def _gone(lab: Lab) -> None:
    lab.forge.fail("*", "*", status=404, times=None)


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(
    ("happens", "code"),
    [
        (_revoked, ExitCode.USAGE),
        (_gone, ExitCode.USAGE),
        (_limited, ExitCode.INCOMPLETE),
        (_failing, ExitCode.INCOMPLETE),
    ],
)
def test_what_passes_by_itself_is_5_and_what_a_person_mends_is_4(
    lab: Lab, command: tuple[str, ...], happens: Callable[[Lab], None], code: ExitCode
) -> None:
    lab.open()
    happens(lab)
    ran = lab.pr(*command)
    assert ran.code == code, ran
    if command[0] == "watch":
        (stopped,) = named(told(ran), "stopped")
        assert stopped["code"] == code


def test_a_forge_that_is_not_there_is_5_with_a_hint(lab: Lab) -> None:
    lab.open()
    environment = lab.environment
    lab.forge.__exit__(None, None, None)
    ran = lab.workspace.selfreview("pr", "status", **environment)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "cannot be reached" in ran.err
    assert "hint: " in ran.err


def test_what_is_being_answered_already_is_5(lab: Lab) -> None:
    pull = lab.open()
    folder = lab.workspace.root / ".git" / "selfreview"
    folder.mkdir(exist_ok=True)
    with filelock.FileLock(folder / f"pr-{pull.number}.lock"):
        ran = lab.pr("fix", str(pull.number))
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "is being answered already" in ran.err
