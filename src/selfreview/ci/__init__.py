"""What a CI system says of the change that it tests: one small file a system.

Nothing here is guessed. What a system does not say is None, and whoever asks takes the careful side.
"""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.ci.found import CiChange
from selfreview.ci.generic import from_generic
from selfreview.ci.github import from_github
from selfreview.ci.gitlab import from_gitlab

__all__ = ["CiChange", "detect"]


def detect(environ: Mapping[str, str]) -> CiChange | None:
    """Return what the CI system says, or None outside of any that is known.

    The variables of selfreview's own come first, so that a pipeline can say what its system does not.

    Raises:
        UsageError: If a system is recognised and contradicts itself.
    """
    for read in (from_generic, from_github, from_gitlab):
        found = read(environ)
        if found is not None:
            return found
    return None
