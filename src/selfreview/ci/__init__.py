"""The change under test as the CI system describes it: one small file a system.

Nothing here is guessed. What a system does not say is None, and whoever asks takes the careful side.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from selfreview.ci.found import CiChange
from selfreview.ci.generic import FORK, from_generic, says_fork
from selfreview.ci.github import from_github
from selfreview.ci.gitlab import from_gitlab
from selfreview.errors import UsageError

__all__ = ["CiChange", "detect"]


def detect(environ: Mapping[str, str]) -> CiChange | None:
    """Return the change as the CI system describes it, or None outside of any that is known.

    The variables of selfreview's own come first, so that a pipeline can say what its system does not. Of a fork is a
    change if either says so.

    Raises:
        UsageError: If a system is recognised and contradicts itself, or if ``SELFREVIEW_CI_FORK`` is of no use.
    """
    own, fork = from_generic(environ), says_fork(environ)
    if own is not None:
        return dataclasses.replace(own, fork=True) if _system_says_fork(environ) else own
    found = _from_system(environ)
    if fork is None:
        return found
    if found is None:
        hint = "SELFREVIEW_CI_BASE names the base; both together describe the change"
        raise UsageError(f"{FORK} stands alone: no CI system is known here", hint=hint)
    return dataclasses.replace(found, fork=True) if fork else found


def _from_system(environ: Mapping[str, str]) -> CiChange | None:
    for read in (from_github, from_gitlab):
        found = read(environ)
        if found is not None:
            return found
    return None


def _system_says_fork(environ: Mapping[str, str]) -> bool:
    try:
        found = _from_system(environ)
    except UsageError:
        return False  # it says nothing, and what is needed of it the pipeline has said
    return found is not None and found.fork is True
