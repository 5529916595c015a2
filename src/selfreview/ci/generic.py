"""The variables ``SELFREVIEW_CI_*``, for every system that has no file here, and for those that have one."""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.ci.found import CiChange
from selfreview.errors import UsageError

BASE, FORK = "SELFREVIEW_CI_BASE", "SELFREVIEW_CI_FORK"

_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


def from_generic(environ: Mapping[str, str]) -> CiChange | None:
    """Return the change that ``SELFREVIEW_CI_BASE`` and ``SELFREVIEW_CI_FORK`` describe, or None without the first.

    Raises:
        UsageError: If ``SELFREVIEW_CI_FORK`` is neither yes nor no.
    """
    base, fork = environ.get(BASE, "").strip(), says_fork(environ)
    return CiChange(system=BASE, bases=(base,), fork=fork) if base else None


def says_fork(environ: Mapping[str, str]) -> bool | None:
    """Return the value of ``SELFREVIEW_CI_FORK``, or None where it is not set.

    Raises:
        UsageError: If it is neither yes nor no.
    """
    fork = environ.get(FORK, "").strip().lower()
    if fork and fork not in _YES | _NO:
        raise UsageError(f"{FORK}={fork!r} is neither true nor false")
    return fork in _YES if fork else None
