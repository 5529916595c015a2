"""Cheap look at many pull requests at once."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selfreview.errors import ForgeError
from selfreview.forges._http.call import Call
from selfreview.forges._http.graph import Graph
from selfreview.forges._http.refusals import GatewayError
from selfreview.model.feedback import RequestState, Sighting

_MOST = 25
_MOST_FAILURES = 3
_FIELDS = """
fragment Look on PullRequest {
  number state isDraft updatedAt headRefOid baseRefName reviewDecision
  comments(last: 1) { totalCount nodes { databaseId updatedAt } }
  reviews(last: 1) { totalCount nodes { databaseId state updatedAt } }
  reviewThreads(last: 1) { totalCount nodes { id isResolved comments(last: 1) { totalCount nodes { databaseId } } } }
  commits(last: 1) { nodes { commit { oid statusCheckRollup { state } } } }
}
"""
_STATES = {"OPEN": RequestState.OPEN, "CLOSED": RequestState.CLOSED, "MERGED": RequestState.MERGED}


class Looker:
    """Looks at pull requests in batches, and remembers the batch size that the forge could manage."""

    def __init__(self) -> None:
        self._most = _MOST
        self._lock = threading.Lock()

    def look(self, call: Call, owner: str, name: str, numbers: Sequence[int]) -> dict[int, Sighting]:
        """Return the sightings of pull requests, as far as the forge shows them.

        Raises:
            ForgeError: If nothing can be seen at all.
        """
        found: dict[int, Sighting] = {}
        left = list(dict.fromkeys(numbers))
        failures = 0
        while left:
            size = self._size()
            chunk = left[:size]
            try:
                graph = call.query(_query(chunk), {"owner": owner, "name": name}, tries=1)
            except GatewayError:
                if len(chunk) > 1:
                    self._halve(len(chunk))
                    continue
                failures += 1
                if failures >= _MOST_FAILURES or not call.rest_a_moment(failures):
                    if not found:
                        raise
                    return found
            except ForgeError:
                if not found:
                    raise
                return found  # the next look asks for the rest, and hears of it where it lasts
            else:
                failures = 0
                found.update(_sightings(graph, chunk))
            left = left[len(chunk) :]
        return found

    def _size(self) -> int:
        with self._lock:
            return self._most

    def _halve(self, size: int) -> None:
        with self._lock:
            self._most = max(1, min(self._most, size // 2))


def _query(numbers: Sequence[int]) -> str:
    wanted = " ".join(f"p{int(number)}: pullRequest(number: {int(number)}) {{ ...Look }}" for number in numbers)
    return (
        "query($owner: String!, $name: String!) { rateLimit { cost remaining resetAt } "
        f"repository(owner: $owner, name: $name) {{ {wanted} }} }} {_FIELDS}"
    )


def _sightings(graph: Graph, numbers: Sequence[int]) -> Iterator[tuple[int, Sighting]]:
    repository = graph.at("repository")
    if not isinstance(repository, Mapping):
        raise graph.problem("GitHub does not show the repository's pull requests")
    # An error below a pull request leaves a gap in what is seen of it, such as checks that the token may not read.
    spoiled = {error.path for error in graph.errors}
    for number in numbers:
        alias = f"p{number}"
        node = repository.get(alias)
        if f"repository.{alias}" in spoiled or not isinstance(node, Mapping):
            continue
        state, head = _STATES.get(str(node.get("state"))), node.get("headRefOid")
        if state is not None and isinstance(head, str):
            yield (
                number,
                Sighting(
                    number=number, state=state, draft=bool(node.get("isDraft")), head_sha=head, mark=_digest(node)
                ),
            )


def _digest(node: Mapping[str, Any]) -> str:
    text = json.dumps(node, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
