"""Execution of GraphQL queries."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tests.forge.call import Answer, Call, RefusedError
from tests.forge.checks import CheckRun, Status
from tests.forge.conversation import InlineComment, IssueComment, Review, Thread
from tests.forge.graph.commits import Commit, Rollup
from tests.forge.graph.cost import Cost, cost_of
from tests.forge.graph.faults import GraphFaults
from tests.forge.graph.fields import FIELDS
from tests.forge.graph.table import refusal
from tests.forge.labels import Label
from tests.forge.limits import Limits
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.repository import Repository
from tests.forge.world import stamp

if TYPE_CHECKING:
    from graphql import DocumentNode, GraphQLError, GraphQLResolveInfo, GraphQLSchema

_MOST_NODES = 500_000
_MOST_QUERIES = 100
_TYPES = {
    CheckRun: "CheckRun",
    Commit: "Commit",
    InlineComment: "PullRequestReviewComment",
    IssueComment: "IssueComment",
    Label: "Label",
    PullRequest: "PullRequest",
    Repository: "Repository",
    Review: "PullRequestReview",
    Rollup: "StatusCheckRollup",
    Status: "StatusContext",
    Thread: "PullRequestReviewThread",
}


@functools.cache
def schema() -> GraphQLSchema:
    """Return the schema."""
    from graphql import build_schema

    return build_schema(files(__package__).joinpath("schema.graphql").read_text("utf-8"))


class Graph:
    """Answers queries.

    Attributes:
        faults: What is refused on purpose, by its path.
    """

    def __init__(self, limits: Limits) -> None:
        self.faults = GraphFaults()
        self._limits = limits
        self._known: dict[str, tuple[DocumentNode, list[GraphQLError]]] = {}

    def answer(self, call: Call) -> Answer:
        """Answer a query; the status is 200 whatever the outcome, as on the forge."""
        from graphql import GraphQLError, execute, get_operation_ast

        if call.token is None:
            raise RefusedError(401, "This endpoint requires you to be authenticated.")
        variables = call.body.get("variables") or {}
        try:
            document, problems = self._read(call.body.get("query"))
            if problems:
                return Answer(200, {"errors": [_told(one) for one in problems]})
            operation = get_operation_ast(document, call.body.get("operationName"))
            if operation is None:
                raise refusal("INVALID", "An operation name is required")
            cost = cost_of(document, operation, variables)
            self._charge(call, cost)
        except GraphQLError as error:
            return Answer(200, {"errors": [_told(error)]})
        done = execute(
            schema(),
            document,
            variable_values=variables,
            operation_name=call.body.get("operationName"),
            context_value=(call, cost),
            field_resolver=self._field,
            type_resolver=lambda value, *_more: _type_of(value),
        )
        errors = [_told(one) for one in getattr(done, "errors", None) or ()]
        told = {"data": getattr(done, "data", None)}
        return Answer(200, {**told, "errors": errors} if errors else told)

    def _read(self, query: object) -> tuple[DocumentNode, list[GraphQLError]]:
        """Return a parsed query, and its errors; a client asks the same ones again and again."""
        from graphql import parse, validate

        if not isinstance(query, str):
            raise refusal("INVALID", "A query attribute must be specified and must be a string.")
        if query not in self._known:
            document = parse(query)
            if len(self._known) >= _MOST_QUERIES:
                self._known.clear()
            self._known[query] = document, validate(schema(), document)
        return self._known[query]

    def _charge(self, call: Call, cost: Cost) -> None:
        if cost.nodes > _MOST_NODES:
            message = (
                f"This query requests up to {cost.nodes:,} possible nodes which exceeds the maximum limit of 500,000."
            )
            raise refusal("MAX_NODE_LIMIT_EXCEEDED", message)
        left = self._limits.of(call.viewer, "graphql")
        if left.remaining < cost.points:
            raise refusal("RATE_LIMITED", f"API rate limit exceeded for user ID {call.author.id}.")
        left.used += cost.points

    def _field(self, source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        call, cost = info.context
        name, kind = info.field_name, info.parent_type.name
        self.faults.check(".".join(str(part) for part in info.path.as_list()))
        if "first" in info.parent_type.fields[name].args:
            _bounded(info, arguments)
        if (kind, name) == ("Query", "rateLimit"):
            return self._rate(call, cost)
        known = FIELDS.get(kind, {})
        if name in known:
            return known[name](source, call, **arguments)
        if isinstance(source, dict):
            return source.get(name)
        raise NotImplementedError(f"{kind}.{name}")

    def _rate(self, call: Call, cost: Cost) -> dict[str, Any]:
        left = self._limits.of(call.viewer, "graphql")
        told = {"limit": left.limit, "remaining": left.remaining, "used": left.used, "resetAt": stamp(left.ends)}
        return {**told, "cost": cost.points, "nodeCount": cost.nodes}


def _bounded(info: GraphQLResolveInfo[Any], arguments: dict[str, Any]) -> None:
    """Refuse a connection whose nodes are asked for without saying how many."""
    selected = [one for node in info.field_nodes if node.selection_set for one in node.selection_set.selections]
    names = {getattr(getattr(one, "name", None), "value", "") for one in selected}
    if names & {"nodes", "edges"} and arguments.get("first") is None and arguments.get("last") is None:
        message = f"You must provide a `first` or `last` value to properly paginate the `{info.field_name}` connection."
        raise refusal("MISSING_PAGINATION_BOUNDARIES", message)


def _type_of(value: Any) -> str | None:
    return value.kind if isinstance(value, User) else _TYPES.get(type(value))


def _told(error: GraphQLError) -> dict[str, Any]:
    """Return an error as the forge writes it: its type stands at the top.

    Raises:
        Exception: What a field raised that is no answer to anybody: a defect of the fake.
    """
    from graphql import GraphQLError

    if error.original_error is not None and not isinstance(error.original_error, (GraphQLError, RefusedError)):
        raise error.original_error
    told: dict[str, Any] = dict(error.formatted)
    extensions = dict(told.pop("extensions", {}))
    return {**extensions, **told}
