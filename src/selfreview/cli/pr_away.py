"""What this machine could not do for a fix: people are told that it waits, the person here also why."""

from __future__ import annotations

from selfreview.cli import console
from selfreview.errors import SelfreviewError
from selfreview.feedback.passing import passing_of
from selfreview.loop.output import spoken


def away(error: SelfreviewError) -> str | None:
    """Return, as a sentence for people, why an error of this machine may pass, or None; tell the person here more."""
    why = passing_of(error)
    if why is not None:
        console.note(spoken(f"note: {error.message}{f' ({error.hint})' if error.hint else ''}"))
    return why
