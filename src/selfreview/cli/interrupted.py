"""Message to a person who interrupted a run."""

from __future__ import annotations

from selfreview.model.result import Result


def kept_until_then(result: Result, *, resumes: bool) -> str:
    """Return where the results before the interruption are, and how to go on from there."""
    if result.patch is not None and result.patch.applied:
        return "the refinement was applied all the same: selfreview undo takes it back"
    goes_on = "; selfreview resume goes on" if resumes else ""
    if result.patch is None:
        return f"what was found until then is kept: selfreview status{goes_on}"
    return f"what was refined until then is kept: selfreview status, selfreview apply {result.patch.id}{goes_on}"
