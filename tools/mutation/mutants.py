"""The mutants of a module: each differs from it in one small way."""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Iterator
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_HOLD_CODE = (
    ast.expr, ast.stmt, ast.comprehension, ast.arguments, ast.keyword, ast.withitem, ast.ExceptHandler, ast.match_case,
)  # fmt: skip


class Mutant(NamedTuple):
    """One broken version of a module.

    Attributes:
        where: The function or class that is broken, dotted; ``module`` outside of one.
        line: Its line in the source.
        change: What was, and what is there now; with a number where a function has the same more than once.
        source: The whole module.
    """

    where: str
    line: int
    change: str
    source: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module's source."""
    tree = ast.parse(source)
    seen: collections.Counter[tuple[str, str]] = collections.Counter()
    for place in list(_places(tree)):
        node = place.node
        for change in _changes(node):
            now = ast.unparse(change).partition("\n")[0]
            said = f"{ast.unparse(node).partition(chr(10))[0]}  ->  {now}"
            seen[place.where, said] += 1
            count = seen[place.where, said]
            place.put(change)
            mutated = ast.unparse(ast.fix_missing_locations(tree))
            place.put(node)
            yield Mutant(place.where, node.lineno, said if count == 1 else f"{said}  ({count})", mutated)


class _Place:
    """Place of a node in its parent."""

    def __init__(self, parent: ast.AST, field: str, index: int | None, where: str) -> None:
        self.parent, self.field, self.index, self.where = parent, field, index, where
        value = getattr(parent, field)
        self.node = value if index is None else value[index]

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def _places(node: ast.AST, where: str = "module") -> Iterator[_Place]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "bases", "type_params", "decorator_list"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, _HOLD_CODE):
                continue
            if isinstance(child, ast.Import | ast.ImportFrom) or _is_docstring(child) or _is_declaration(child):
                continue
            inside = where
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inside = child.name if where == "module" else f"{where}.{child.name}"
            if isinstance(child, ast.expr | ast.stmt):
                yield _Place(node, field, index if isinstance(value, list) else None, where)
            if not isinstance(child, ast.JoinedStr):  # texts for people
                yield from _places(child, inside)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_declaration(node: ast.AST) -> bool:
    """Recognise what only type checkers and ``import *`` look at."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what can stand in a node's place."""
    if isinstance(node, ast.stmt | ast.IfExp):
        yield from _changes_of_statement(node)
        return
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            yield _with(node, ops=[_COMPARED[type(op)]()])
        case ast.Compare(ops=ops):
            for index, op in enumerate(ops):
                yield _with(node, ops=[*ops[:index], _COMPARED[type(op)](), *ops[index + 1 :]])
        case ast.BoolOp(op=op):
            yield _with(node, op=ast.And() if isinstance(op, ast.Or) else ast.Or())
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.BinOp(op=op) if type(op) in _COMPUTED and not _is_text(node):
            yield _with(node, op=_COMPUTED[type(op)]())
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if " " not in value:  # others are sentences for people
            yield ast.Constant(f"XX{value}")
        case ast.Constant(value=bytes(value)):
            yield ast.Constant(b"XX" + value)
        case _:
            pass


def _changes_of_statement(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what can stand in the place of a statement, or of a conditional expression."""
    match node:
        case ast.AugAssign(op=op) if type(op) in _COMPUTED:
            yield _with(node, op=_COMPUTED[type(op)]())
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if not isinstance(
            test, ast.Compare | ast.UnaryOp
        ):
            yield _with(node, test=ast.UnaryOp(ast.Not(), test))
        case _:
            pass


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    vars(changed).update(fields)
    return changed


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) for side in (node.left, node.right))
