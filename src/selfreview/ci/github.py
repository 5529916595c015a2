"""GitHub Actions: its default variables, and the event that started the workflow.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/variables and
https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfreview.ci.found import CiChange, commit_or_none, remote_branch
from selfreview.errors import UsageError

_SYSTEM = "GitHub Actions"


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
            system=_SYSTEM, bases=(base,) if base else (), fork=_ours(environ, "merge_group"), target=target
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
        system=_SYSTEM,
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
        return CiChange(system=_SYSTEM, bases=remote_branch(default), fork=fork, target=default)
    before = commit_or_none(event.get("before"))
    kind = environ.get("GITHUB_EVENT_NAME", "")
    return CiChange(system=_SYSTEM, bases=(before,) if before else (), fork=fork, target=branch or None, kind=kind)


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
