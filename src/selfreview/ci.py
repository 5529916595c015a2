"""The change under test as the CI system describes it: GitHub Actions, GitLab CI, or a pipeline's own variables.

Nothing here is guessed. What a system does not say is None, and whoever asks takes the careful side.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfreview.errors import UsageError


@dataclasses.dataclass(frozen=True, kw_only=True)
class CiChange:
    """The change under test: its possible bases, its target branch, and whether it comes from a fork.

    Attributes:
        system: The system's name for a person (``"GitHub Actions"``).
        bases: Revisions that can serve as base, best first; empty where the system names none.
        merged: The head's commit where what is checked out is a merge that the system made of base and head, so that
            its first parent is the tip of the base; else None.
        fork: Whether the change comes from another repository; None where the system does not say.
        target: The branch that the change is meant for, or None.
        kind: What kind of run it is, in the system's own word and for a person, or empty.
    """

    system: str
    bases: tuple[str, ...]
    merged: str | None = None
    fork: bool | None = None
    target: str | None = None
    kind: str = ""


def commit_or_none(value: object) -> str | None:
    """Return a commit's id, or None for any other text."""
    text = value.strip().lower() if isinstance(value, str) else ""
    is_id = len(text) in (40, 64) and set(text) <= set("0123456789abcdef")
    return text if is_id and text.strip("0") else None


def remote_branch(name: str | None) -> tuple[str, ...]:
    """Return the refs of a remote's branch in a clone, or nothing for no name."""
    return (f"refs/remotes/origin/{name}",) if name else ()


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


_GITHUB = "GitHub Actions"


def from_github(environ: Mapping[str, str]) -> CiChange | None:
    """Return the change of a pull request, a merge queue's group or a push on GitHub, or None elsewhere.

    Raises:
        UsageError: If the event cannot be read.
    """
    if environ.get("GITHUB_ACTIONS") != "true":
        return None
    event = _event(environ.get("GITHUB_EVENT_PATH", ""))
    request, group = _table(event, "pull_request"), _table(event, "merge_group")
    if request:
        return _pull_request(request, environ)
    if group:
        base = commit_or_none(group.get("base_sha"))
        target = str(group.get("base_ref") or "").removeprefix("refs/heads/") or None
        # What is in a queue was reviewed as a pull request, and a maintainer has put it there.
        return CiChange(
            system=_GITHUB, bases=(base,) if base else (), fork=_ours(environ, "merge_group"), target=target
        )
    return _push(event, environ)


def _ours(environ: Mapping[str, str], name: str) -> bool | None:
    """Return False for an event that only who can write to the repository causes, and None for any other.

    A fork's change can be what ``workflow_run``, ``issue_comment``, ``workflow_dispatch`` and others are about.
    """
    return False if environ.get("GITHUB_EVENT_NAME") == name else None


def _pull_request(request: Mapping[str, Any], environ: Mapping[str, str]) -> CiChange:
    base, head = _table(request, "base"), _table(request, "head")
    target = str(base.get("ref") or "") or environ.get("GITHUB_BASE_REF") or None
    tip = commit_or_none(base.get("sha"))
    ours, theirs = _table(base, "repo").get("full_name"), _table(head, "repo").get("full_name")
    # The repository of a head is null once it was deleted: then it was another one.
    gone = "repo" in head and head["repo"] is None
    return CiChange(
        system=_GITHUB,
        bases=(*((tip,) if tip else ()), *remote_branch(target)),
        merged=commit_or_none(head.get("sha")),
        fork=True if gone else (ours != theirs if ours and theirs else None),
        target=target,
    )


def _push(event: Mapping[str, Any], environ: Mapping[str, str]) -> CiChange:
    """Return the change of a push; an event of another kind does not say whose the change is."""
    fork = _ours(environ, "push") if "before" in event else None
    default = _table(event, "repository").get("default_branch")
    branch = environ.get("GITHUB_REF", "").removeprefix("refs/heads/")
    if isinstance(default, str) and default and branch != default:
        # What was pushed before is as much the author's own as what is pushed now.
        return CiChange(system=_GITHUB, bases=remote_branch(default), fork=fork, target=default)
    before = commit_or_none(event.get("before"))
    kind = environ.get("GITHUB_EVENT_NAME", "")
    return CiChange(system=_GITHUB, bases=(before,) if before else (), fork=fork, target=branch or None, kind=kind)


def _event(path: str) -> Mapping[str, Any]:
    if not path:
        return {}
    try:
        event = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"GITHUB_EVENT_PATH cannot be read: {error}", hint="name the base with --base REF") from error
    if not isinstance(event, dict):
        raise UsageError("GITHUB_EVENT_PATH holds no event", hint="name the base with --base REF")
    return event


def _table(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def from_gitlab(environ: Mapping[str, str]) -> CiChange | None:
    """Return the change of a merge request's pipeline or a branch's on GitLab, or None elsewhere."""
    if environ.get("GITLAB_CI") != "true":
        return None
    if environ.get("CI_MERGE_REQUEST_IID"):
        return _merge_request(environ)
    # Pipelines of other sources may be about anything, such as a pull request of an external repository.
    fork = False if environ.get("CI_PIPELINE_SOURCE") == "push" else None
    default, branch = environ.get("CI_DEFAULT_BRANCH") or None, environ.get("CI_COMMIT_BRANCH") or None
    if default is not None and branch != default:
        return CiChange(system="GitLab CI", bases=remote_branch(default), fork=fork, target=default)
    before = commit_or_none(environ.get("CI_COMMIT_BEFORE_SHA"))
    kind = environ.get("CI_PIPELINE_SOURCE", "")
    if before is None and kind == "push":
        kind = "push, the first one of its branch"
    return CiChange(system="GitLab CI", bases=(before,) if before else (), fork=fork, target=branch, kind=kind)


def _merge_request(environ: Mapping[str, str]) -> CiChange:
    target = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or None
    # The tip is known to pipelines for merged results only; the merge base to all.
    tip = commit_or_none(environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"))
    ancestor = commit_or_none(environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"))
    source, project = environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"), environ.get("CI_MERGE_REQUEST_PROJECT_ID")
    bases = (*((tip,) if tip else ()), *remote_branch(target), *((ancestor,) if ancestor else ()))
    return CiChange(
        system="GitLab CI",
        bases=bases,
        merged=commit_or_none(environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")),
        fork=source != project if source and project else None,
        target=target,
    )


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
