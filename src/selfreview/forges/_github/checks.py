"""Check runs and commit statuses: two APIs, one meaning."""

from __future__ import annotations

from collections.abc import Iterable

from selfreview.forges._github.shapes import CheckRun, Status
from selfreview.model.feedback import CheckState, RemoteCheck

_CONCLUSIONS = {
    "success": CheckState.PASSING,
    "neutral": CheckState.NEUTRAL,
    "skipped": CheckState.NEUTRAL,
    "stale": CheckState.NEUTRAL,
}
_STATUSES = {"success": CheckState.PASSING, "pending": CheckState.PENDING}


def latest(runs: Iterable[CheckRun], statuses: Iterable[Status], sha: str) -> tuple[RemoteCheck, ...]:
    """Return the latest attempt of each check on a commit, by who runs it and its name."""
    found: dict[tuple[str, str], CheckRun] = {}
    for run in runs:
        key = (str(run.app.id or run.app.slug) if run.app else "", run.name)
        if run.head_sha == sha and (key not in found or run.id > found[key].id):
            found[key] = run
    newest: dict[str, Status] = {}
    for status in statuses:
        if status.context not in newest or status.id > newest[status.context].id:
            newest[status.context] = status
    checks = [*map(_of_run, found.values()), *(_of_status(status, sha) for status in newest.values())]
    return tuple(sorted(checks, key=lambda check: (check.name, check.id)))


def _of_run(run: CheckRun) -> RemoteCheck:
    output = run.output
    said = (output.title or output.summary) if output else None
    return RemoteCheck(
        id=f"check:{run.id}",
        name=run.name,
        state=_state(run),
        sha=run.head_sha,
        url=run.html_url or run.details_url or "",
        text=said or (run.conclusion or run.status).replace("_", " "),
    )


def _state(run: CheckRun) -> CheckState:
    """Return the state of a check run; a finished one not known to be well failed, even if cancelled or timed out."""
    if run.status.lower() != "completed" or run.conclusion is None:
        return CheckState.PENDING
    return _CONCLUSIONS.get(run.conclusion.lower(), CheckState.FAILING)


def _of_status(status: Status, sha: str) -> RemoteCheck:
    return RemoteCheck(
        id=f"check:status-{status.id}",
        name=status.context,
        state=_STATUSES.get(status.state.lower(), CheckState.FAILING),
        sha=sha,
        url=status.target_url or "",
        text=status.description or "",
    )
