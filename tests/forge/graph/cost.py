"""The cost of a query, by the published rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphql import DocumentNode, FieldNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode


@dataclasses.dataclass
class Cost:
    """The cost of a query.

    Attributes:
        requests: How many it would take, one for each connection of each node.
        nodes: How many it may return at most.
    """

    requests: int = 0
    nodes: int = 0

    @property
    def points(self) -> int:
        """The points: a hundredth of the requests, at least one."""
        return max(1, round(self.requests / 100))


def cost_of(document: DocumentNode, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> Cost:
    """Return the cost of an operation."""
    from graphql import FragmentDefinitionNode

    fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
    cost = Cost()
    _walk(operation.selection_set, 1, cost, fragments, variables)
    return cost


def _walk(
    selected: SelectionSetNode | None,
    times: int,
    cost: Cost,
    fragments: Mapping[str, FragmentDefinitionNode],
    variables: Mapping[str, Any],
) -> None:
    from graphql import FieldNode, FragmentSpreadNode, InlineFragmentNode

    for one in selected.selections if selected is not None else ():
        match one:
            case FieldNode():
                size = _size(one, variables)
                if size is not None:
                    cost.requests += times
                    cost.nodes += times * size
                _walk(one.selection_set, times * (size or 1), cost, fragments, variables)
            case FragmentSpreadNode():
                fragment = fragments[one.name.value]
                _walk(fragment.selection_set, times, cost, fragments, variables)
            case InlineFragmentNode():
                _walk(one.selection_set, times, cost, fragments, variables)


def _size(field: FieldNode, variables: Mapping[str, Any]) -> int | None:
    """Return the number of nodes that a field asks for, or None where it is no connection."""
    from graphql import value_from_ast_untyped

    for argument in field.arguments or ():
        if argument.name.value in {"first", "last"}:
            value = value_from_ast_untyped(argument.value, dict(variables))
            if isinstance(value, int):
                return value
    return None
