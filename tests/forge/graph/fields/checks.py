"""Fields of commits and their checks: states are in upper case here."""

from __future__ import annotations

import zlib
from typing import Any

from tests.forge.call import Call
from tests.forge.checks import CheckRun
from tests.forge.graph.commits import Commit, Rollup, rollup
from tests.forge.graph.table import Table, attribute, connection, constant
from tests.forge.world import stamp


def _authors(one: Commit, _call: Call) -> list[dict[str, Any]]:
    _message, name, mail = one.words()
    return [{"name": name, "email": mail, "user": None}]


def _status(one: Commit, _call: Call) -> dict[str, Any] | None:
    statuses = one.repository.latest_statuses(one.sha)
    if not statuses:
        return None
    return {"id": f"S_{one.node_id}", "state": Rollup(one, tuple(statuses)).state, "contexts": statuses}


def _suite(one: CheckRun, _call: Call) -> dict[str, Any]:
    number = zlib.crc32((one.app + one.sha).encode("utf-8", "replace")) >> 1
    app = {"id": f"A_{one.app}", "name": one.app, "slug": one.app}
    return {"id": f"CS_{number}", "databaseId": number, "app": app, "workflowRun": None}


def _page(one: CheckRun, call: Call) -> str:
    return one.url or f"{call.links.web}/runs/{one.id}"


FIELDS: Table = {
    "Commit": {
        "id": attribute("node_id"),
        "oid": attribute("sha"),
        "abbreviatedOid": lambda one, _call: one.sha[:7],
        "message": lambda one, _call: one.words()[0],
        "messageHeadline": lambda one, _call: one.words()[0].partition("\n")[0],
        "messageBody": lambda one, _call: one.words()[0].partition("\n")[2].strip("\n"),
        "authoredDate": lambda one, _call: stamp(one.repository.created),
        "committedDate": lambda one, _call: stamp(one.repository.created),
        "authors": connection(_authors),
        "statusCheckRollup": lambda one, _call: rollup(one),
        "status": _status,
        "url": lambda one, call: f"{call.links.web}/{one.repository.full_name}/commit/{one.sha}",
    },
    "StatusCheckRollup": {
        "id": lambda one, _call: f"SCR_{one.commit.node_id}",
        "state": attribute("state"),
        "contexts": connection(attribute("contexts")),
        "commit": attribute("commit"),
    },
    "CheckRun": {
        "id": attribute("node_id"),
        "databaseId": attribute("id"),
        "name": attribute("name"),
        "status": lambda one, _call: "COMPLETED" if one.conclusion else "IN_PROGRESS",
        "conclusion": lambda one, _call: one.conclusion and one.conclusion.upper(),
        "startedAt": lambda one, _call: stamp(one.created),
        "completedAt": lambda one, _call: stamp(one.completed),
        "detailsUrl": _page,
        "url": _page,
        "title": attribute("title"),
        "summary": attribute("summary"),
        "checkSuite": _suite,
        "isRequired": constant(False),
    },
    "StatusContext": {
        "id": attribute("node_id"),
        "context": attribute("context"),
        "state": lambda one, _call: one.state.upper(),
        "description": attribute("description"),
        "targetUrl": constant(None),
        "createdAt": lambda one, _call: stamp(one.created),
        "isRequired": constant(False),
    },
}
