"""Reachable code of a Python test, and the conditions that it is under."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from selfreview.loop.guard.pysource import Function, blocks, dotted, last_name

Values = Mapping[str, ast.expr]
"""Values assigned to the names of a module, once and at its top."""

_ENDS = frozenset({"os._exit", "os.abort", "sys.exit", "exit", "quit", "pytest.exit"})
_EMPTY_CALLS = frozenset({"list", "tuple", "set", "frozenset", "dict", "iter", "range"})
_ASKS = frozenset(
    {"callable", "print", "id", "repr", "str", "type", "hash", "bool", "isinstance", "hasattr", "dir", "vars"}
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BROAD = frozenset({"AssertionError", "Exception", "BaseException"})


def values_of(tree: ast.Module | None) -> dict[str, ast.expr]:
    """Return what each name of a module is assigned at its top; of a name with several values, the last."""
    found: dict[str, ast.expr] = {}
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.Assign):
            found.update({target.id: node.value for target in node.targets if isinstance(target, ast.Name)})
        elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            found[node.target.id] = node.value
    return found


def is_empty(node: ast.expr, values: Values) -> bool:
    """Return whether an expression, as written, is an empty value."""
    if isinstance(node, ast.Name) and node.id in values:
        return is_empty(values[node.id], {name: value for name, value in values.items() if name != node.id})
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Constant):
        return node.value in ("", b"")
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return is_empty(node.generators[0].iter, values)
    if isinstance(node, ast.Call) and dotted(node) in _EMPTY_CALLS:
        if dotted(node) == "range":
            return len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
        return not node.keywords and all(is_empty(argument, values) for argument in node.args)
    return False


def is_never(node: ast.expr) -> bool:
    """Return whether a condition, as written, is always false."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_always(node.operand)
    if isinstance(node, ast.BoolOp):
        return (any if isinstance(node.op, ast.And) else all)(map(is_never, node.values))
    if isinstance(node, ast.Constant):
        return not node.value
    return last_name(node) == "TYPE_CHECKING" or is_empty(node, {})


def is_always(node: ast.expr) -> bool:
    """Return whether a condition, as written, is always true."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_never(node.operand)
    return isinstance(node, ast.Constant) and bool(node.value)


def live(function: Function, values: Values) -> Iterator[tuple[ast.AST, int]]:
    """Yield what a function may run, each with how many conditions it is under that may keep it from counting.

    What is behind an end, in a loop over nothing, or in a function that nothing names is left out.
    """
    used = set(_used(function))
    yield from _block(function.body, values, used, 0)


def _used(node: ast.AST) -> Iterator[str]:
    """Yield the names that something uses; to ask what a name is, or to state it, is no use."""
    left = [node]
    while left:
        part = left.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id
        asked = isinstance(part, ast.Expr | ast.Assert | ast.UnaryOp | ast.Compare)
        asked = asked or (isinstance(part, ast.Call) and dotted(part) in _ASKS)
        left += [child for child in ast.iter_child_nodes(part) if not (asked and isinstance(child, ast.Name))]


def _block(body: Sequence[ast.stmt], values: Values, used: set[str], depth: int) -> Iterator[tuple[ast.AST, int]]:
    for statement in body:
        yield from _statement(statement, values, used, depth)
        if ends(statement):
            return


def _statement(node: ast.stmt, values: Values, used: set[str], depth: int) -> Iterator[tuple[ast.AST, int]]:
    yield node, depth
    if isinstance(node, _SCOPES):
        if node.name in used or node.decorator_list:
            yield from _block(node.body, values, used, depth)
        return
    if isinstance(node, ast.If):
        if not is_never(node.test):
            yield from _block(node.body, values, used, depth + (not is_always(node.test)))
        if not is_always(node.test):
            yield from _block(node.orelse, values, used, depth + (not is_never(node.test)))
    elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
        nothing = is_never(node.test) if isinstance(node, ast.While) else is_empty(node.iter, values)
        if not nothing:
            yield from _block(node.body, values, used, depth + _is_doubtful(node))
        yield from _block(node.orelse, values, used, depth)
    elif isinstance(node, ast.Try | ast.TryStar):
        forgiven = any(map(_forgives, node.handlers)) or _leaves(node.finalbody)
        yield from _block(node.body, values, used, depth + forgiven)
        for handler in node.handlers:
            yield from _block(handler.body, values, used, depth + 1)
        yield from _block(node.orelse, values, used, depth + forgiven)
        yield from _block(node.finalbody, values, used, depth)
    elif isinstance(node, ast.With | ast.AsyncWith):
        forgiven = any(map(_expects_failure, node.items))
        yield from _block(node.body, values, used, depth + forgiven)
    elif isinstance(node, ast.Match):
        for case in node.cases:
            yield from _block(case.body, values, used, depth + 1)
    yield from ((inner, depth) for part in _expressions(node) for inner in ast.walk(part))


def _expressions(node: ast.stmt) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child


def ends(node: ast.stmt) -> bool:
    """Return whether code after a statement is unreachable."""
    if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return dotted(node.value) in _ENDS
    if isinstance(node, ast.If):
        taken = is_always(node.test) and any(map(ends, node.body))
        return taken or (any(map(ends, node.body)) and any(map(ends, node.orelse)))
    return isinstance(node, ast.With) and any(map(ends, node.body)) and not any(map(_catches, node.items))


def _catches(item: ast.withitem) -> bool:
    return last_name(item.context_expr).startswith(("raises", "assertRaises", "suppress", "warns", "subTest"))


def _forgives(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler catches a failed assertion, and does not raise."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    broad = any(kind is None or last_name(kind) in _BROAD for kind in kinds)
    return broad and not _fails(handler.body)


def _fails(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements always fail."""
    for node in body:
        if _fails_at(node):
            return True
        if ends(node):
            return False
    return False


def _fails_at(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr | ast.Return):
        return isinstance(node.value, ast.Call) and last_name(node.value) in ("fail", "exit")
    if isinstance(node, ast.Assert):
        return is_never(node.test)
    if isinstance(node, ast.If):
        return _fails(node.body) and (is_always(node.test) or _fails(node.orelse))
    if isinstance(node, ast.Try):
        return _fails(node.finalbody) or (not any(map(_forgives, node.handlers)) and _fails(node.body))
    if isinstance(node, ast.With | ast.AsyncWith):
        return _fails(node.body) and not any(map(_catches, node.items))
    return isinstance(node, ast.Raise)


def _leaves(body: Sequence[ast.stmt], *, looped: bool = False) -> bool:
    """Return whether a ``finally`` block may leave a function or a loop, and drop the error that was being raised."""
    for node in body:
        if isinstance(node, ast.Return) or (not looped and isinstance(node, ast.Break | ast.Continue)):
            return True
        inner = looped or isinstance(node, ast.For | ast.AsyncFor | ast.While)
        if any(_leaves(block, looped=inner) for block in blocks(node)):
            return True
    return False


def _is_doubtful(node: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Return whether a loop acts as a condition, so that its body may not run."""
    if isinstance(node, ast.While):
        return not is_always(node.test)
    return any(
        isinstance(part, ast.Compare | ast.BoolOp | ast.IfExp)
        or (isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not))
        or (isinstance(part, ast.comprehension) and bool(part.ifs))
        or (isinstance(part, ast.Call) and last_name(part) in ("filter", "takewhile", "bool"))
        for part in ast.walk(node.iter)
    )


def _expects_failure(item: ast.withitem) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call) or last_name(call) not in ("raises", "assertRaises", "suppress", "RaisesGroup"):
        return False
    kinds = [part for kind in call.args for part in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
    return any(last_name(kind) in _BROAD for kind in kinds)
