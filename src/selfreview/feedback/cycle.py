"""One fix cycle: reviewers' feedback is read, fixed, pushed and answered, or a person is called.

A plain function of what can be seen from outside: the forge, the remote, and the working tree. It may be killed at any
point and called again; nothing is done twice, because each step first looks whether it was done.
"""

from __future__ import annotations

import dataclasses

from selfreview.api import ReadsFeedback, RequestState
from selfreview.errors import ForgeError
from selfreview.feedback.cycle_steps import Answering, TakenBackError
from selfreview.feedback.ports import Ended, Outcome, Parts
from selfreview.feedback.resolved import reopened, settled_in


def run_cycle(parts: Parts, number: int) -> Ended:
    """Run a fix cycle on the feedback on a pull request.

    Raises:
        ForgeError: If the forge cannot be asked.
        GitError: If git fails.
    """
    if not isinstance(parts.connection, ReadsFeedback):
        raise ForgeError("this forge does not show what reviewers say")
    while True:
        try:
            return _once(parts, parts.connection, number)
        except TakenBackError as error:  # it ends with the cap, towards which each one counts
            parts.journal.note(str(error))


def _once(parts: Parts, connection: ReadsFeedback, number: int) -> Ended:
    feedback = reopened(connection.feedback(number), parts.policy, parts.journal.settled)
    request = feedback.request
    if request.state is not RequestState.OPEN:
        return Ended(outcome=Outcome.ENDED, request=request, why=(f"it is {request.state}",))
    if request.draft and not parts.rules.drafts:
        return Ended(
            outcome=Outcome.PAUSED, request=request, why=("it is a draft: mark it as ready, or set feedback.drafts",)
        )
    if feedback.problems:  # what is not there may only not have been read
        return Ended(outcome=Outcome.WAITING, request=request, why=feedback.problems)
    parts.journal.settle(settled_in(feedback))
    ended = Answering(parts, feedback).run()
    return dataclasses.replace(ended, not_shown=feedback.not_shown)
