"""Check runs and commit statuses as JSON of the REST API."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tests.forge.checks import Annotation, CheckRun, Status
from tests.forge.render import people, pulls, repositories
from tests.forge.render.links import Links
from tests.forge.repository import Repository
from tests.forge.world import stamp


def check_run(links: Links, home: Repository, one: CheckRun) -> dict[str, Any]:
    """Return a check run."""
    url = f"{links.repository(home)}/check-runs/{one.id}"
    page = one.url or f"{links.web}/{home.full_name}/runs/{one.id}"
    return {
        "id": one.id,
        "head_sha": one.sha,
        "node_id": one.node_id,
        "external_id": "",
        "url": url,
        "html_url": page,
        "details_url": page,
        "status": "completed" if one.conclusion else "in_progress",
        "conclusion": one.conclusion,
        "started_at": stamp(one.created),
        "completed_at": stamp(one.completed),
        "output": {
            "title": one.title,
            "summary": one.summary,
            "text": None,
            "annotations_count": len(one.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "name": one.name,
        "check_suite": {"id": _number(one.app + one.sha)},
        "app": _app(links, home, one),
        "pull_requests": [pulls.minimal(links, pull) for pull in home.pulls if pull.head_sha == one.sha],
    }


def annotation(links: Links, home: Repository, sha: str, one: Annotation) -> dict[str, Any]:
    """Return an annotation of a check."""
    return {
        "path": one.path,
        "start_line": one.line,
        "end_line": one.end_line,
        "start_column": None,
        "end_column": None,
        "annotation_level": one.level,
        "title": one.title,
        "message": one.message,
        "raw_details": None,
        "blob_href": f"{links.web}/{home.full_name}/blob/{sha}/{quote(one.path)}",
    }


def status(links: Links, home: Repository, one: Status) -> dict[str, Any]:
    """Return a commit status."""
    return {
        "url": f"{links.repository(home)}/statuses/{one.sha}",
        "avatar_url": f"{links.web}/avatars/{home.owner.id}",
        "id": one.id,
        "node_id": one.node_id,
        "state": one.state,
        "description": one.description,
        "target_url": None,
        "context": one.context,
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
    }


def combined(links: Links, home: Repository, sha: str, statuses: Sequence[Status]) -> dict[str, Any]:
    """Return the statuses of a commit; without any, ``pending``."""
    states = {one.state for one in statuses}
    failed = states & {"error", "failure"}
    url = links.repository(home)
    return {
        "state": "failure" if failed else "success" if states == {"success"} else "pending",
        "statuses": [status(links, home, one) for one in statuses],
        "sha": sha,
        "total_count": len(statuses),
        "repository": repositories.minimal(links, home),
        "commit_url": f"{url}/commits/{sha}",
        "url": f"{url}/commits/{sha}/status",
    }


def _app(links: Links, home: Repository, one: CheckRun) -> dict[str, Any]:
    return {
        "id": _number(one.app),
        "slug": one.app,
        "node_id": f"A_{one.app}",
        "owner": people.user(links, home.owner),
        "name": one.app,
        "description": None,
        "external_url": links.web,
        "html_url": f"{links.web}/apps/{one.app}",
        "created_at": stamp(one.created),
        "updated_at": stamp(one.created),
        "permissions": {"checks": "write"},
        "events": [],
    }


def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))
