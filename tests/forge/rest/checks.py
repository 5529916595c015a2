"""Check runs and statuses of a commit."""

from __future__ import annotations

from tests.forge.call import Answer, Call, RefusedError, not_found, page
from tests.forge.checks import CheckRun
from tests.forge.render import checks
from tests.forge.repository import Repository
from tests.forge.route import Route


def check_runs(call: Call, repository: Repository, ref: str) -> Answer:
    """Answer with the check runs of a commit: the latest of each app and name, or ``filter=all``."""
    sha = _commit(repository, ref)
    found = [one for one in reversed(repository.check_runs) if one.sha == sha]
    if call.query.get("filter", "latest") == "latest":
        found = repository.latest_checks(sha)
    name = call.query.get("check_name")
    found = [one for one in found if name in {None, one.name}]
    shown, headers = page(call, found)
    told = [checks.check_run(call.links, repository, one) for one in shown]
    return Answer(200, {"total_count": len(found), "check_runs": told}, headers)


def check_run(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer with a check run."""
    return Answer(200, checks.check_run(call.links, repository, _run(repository, id)))


def list_annotations(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer with the annotations of a check run."""
    run = _run(repository, id)
    shown, headers = page(call, run.annotations)
    return Answer(200, [checks.annotation(call.links, repository, run.sha, one) for one in shown], headers)


def _run(repository: Repository, number: int) -> CheckRun:
    for one in repository.check_runs:
        if one.id == number:
            return one
    raise not_found()


def status(call: Call, repository: Repository, ref: str) -> Answer:
    """Answer with the latest status of each context of a commit."""
    sha = _commit(repository, ref)
    shown, headers = page(call, repository.latest_statuses(sha))
    return Answer(200, checks.combined(call.links, repository, sha, shown), headers)


def _commit(repository: Repository, ref: str) -> str:
    name = ref.removeprefix("refs/").removeprefix("heads/")
    known = {pull.head_sha for pull in repository.pulls} | {one.sha for one in repository.check_runs}
    known |= {one.sha for one in repository.statuses} | set(repository.heads().values())
    sha = repository.heads().get(name, ref)
    if sha not in known:
        raise RefusedError(422, f"No commit found for SHA: {ref}")
    return sha


ROUTES = (
    Route("GET", "/commits/{ref}/check-runs", check_runs),
    Route("GET", "/commits/{ref}/status", status),
    Route("GET", "/check-runs/{id}", check_run),
    Route("GET", "/check-runs/{id}/annotations", list_annotations),
)
