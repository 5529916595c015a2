"""Handling of requests, from authentication to the answer."""

from __future__ import annotations

import hashlib
import json
import re

from tests.forge.call import Answer, Call, RefusedError
from tests.forge.faults import Fault
from tests.forge.graph.execute import Graph
from tests.forge.limits import Limits
from tests.forge.people import Token, User
from tests.forge.recorded import ForgeRequest
from tests.forge.render.links import Links
from tests.forge.rest import ROUTES, account
from tests.forge.route import answer as answer_route
from tests.forge.world import World

_VERSIONS = ("2022-11-28",)
_USER = re.compile(r"/users/([^/]+)")
_COST = {"GET": 1, "HEAD": 1}


class Service:
    """Answers requests.

    Attributes:
        tokens: Who speaks, by the secret.
        limits: How much is left.
        graph: Answers GraphQL.
    """

    def __init__(self, world: World) -> None:
        self.tokens: dict[str, Token] = {}
        self.limits = Limits(world)
        self.graph = Graph(self.limits)
        self._world = world
        self._count = 0

    def answer(self, request: ForgeRequest, links: Links, fault: Fault | None) -> Answer:
        """Answer a request; a fault may take its place, before or after it has had its effect."""
        with self._world.lock:
            for repository in set(self._world.repositories.values()):
                if repository.remote is not None:
                    repository.look()
            known = None if request.token is None else self.tokens.get(request.token)
            viewer = None if known is None else known.user
            resource = "graphql" if request.path == "/graphql" else "core"
            if fault is None or fault.after_effect:
                answer = self._honest(request, links, known, resource)
            if fault is not None:
                said = {"message": fault.message, "status": str(fault.status)}
                body = {**said, "errors": list(fault.errors)} if fault.errors else said
                answer = Answer(fault.status or 0, body, fault.headers)
            return self._told(request, answer, viewer, resource)

    def _honest(self, request: ForgeRequest, links: Links, token: Token | None, resource: str) -> Answer:
        viewer = None if token is None else token.user
        try:
            self._admit(request, token)
            if request.path == "/rate_limit":
                return Answer(200, self.limits.overview(viewer))
            call = self._call(request, links, token)
            if resource == "graphql":
                return self._queried(request, call)
            self.limits.check(viewer, resource)
            answer = self._routed(call)
        except RefusedError as refused:
            answer = refused.answer
        answer = _conditional(request, answer)
        request.points = _COST.get(request.method, 5)
        if answer.status != 304:
            self.limits.of(viewer, resource).used += 1
        return answer

    def _queried(self, request: ForgeRequest, call: Call) -> Answer:
        """Answer GraphQL, which has a rate limit of its own in points."""
        request.points = 5 if "mutation" in str(call.body.get("query")) else 1
        return self.graph.answer(call)

    def _admit(self, request: ForgeRequest, token: Token | None) -> None:
        """Refuse requests that are refused before anything is looked up."""
        if "user-agent" not in request.headers:
            raise RefusedError(403, "Request forbidden by administrative rules.")
        if request.authorized and (token is None or token.user.deleted):
            raise RefusedError(401, "Bad credentials")
        version = request.headers.get("x-github-api-version")
        if version is not None and version not in _VERSIONS:
            raise RefusedError(400, f"{version!r} is not a supported version.")

    def _call(self, request: ForgeRequest, links: Links, token: Token | None) -> Call:
        try:
            body = request.body
        except ValueError as error:
            raise RefusedError(400, "Problems parsing JSON") from error
        if not isinstance(body, dict):
            raise RefusedError(400, "Body should be a JSON object")
        return Call(
            world=self._world,
            method=request.method,
            path=request.path,
            query=request.query,
            body=body,
            token=token,
            links=links,
        )

    def _routed(self, call: Call) -> Answer:
        if call.method == "GET" and call.path == "/user":
            return account.viewer(call)
        user = _USER.fullmatch(call.path)
        if call.method == "GET" and user is not None:
            return account.user(call, user[1])
        return answer_route(call, ROUTES)

    def _told(self, request: ForgeRequest, answer: Answer, viewer: User | None, resource: str) -> Answer:
        """Add the headers of every answer."""
        self._count += 1
        headers = {
            "x-github-request-id": f"F4CE:{self._count:06X}",
            "x-github-media-type": "github.v3; format=json",
            "x-github-api-version-selected": request.headers.get("x-github-api-version", _VERSIONS[-1]),
            **self.limits.headers(viewer, resource),
            **answer.headers,
        }
        request.status = answer.status or None
        return Answer(answer.status, answer.body, headers)


def _conditional(request: ForgeRequest, answer: Answer) -> Answer:
    """Add an ``ETag``; a client that has it already gets no body."""
    if request.method != "GET" or answer.status != 200:
        return answer
    seen = json.dumps([request.token, answer.body], sort_keys=True).encode("ascii")
    tag = f'W/"{hashlib.sha256(seen).hexdigest()}"'
    headers = {**answer.headers, "etag": tag, "cache-control": "private, max-age=60, s-maxage=60"}
    if request.headers.get("if-none-match") == tag:
        return Answer(304, None, headers)
    return Answer(answer.status, answer.body, headers)
