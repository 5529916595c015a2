"""Code that ends the run of Python tests before they could fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pysource import Function, as_text, dotted, last_name, tree_of

_ENDS = frozenset({"sys.exit", "exit", "quit", "pytest.exit"})
_HARD_ENDS = frozenset({"os._exit", "os.abort", "os.execv", "os.execve", "os.execvp", "os.execl", "os.execlp"})
_RUN = ("test", "pytest_", "setup", "setUp", "teardown", "tearDown")
"""Name prefixes of functions that a runner calls by itself; ``load_tests`` belongs to the rule ``test-hooks``."""


def run_ended(patch: Patch) -> Iterator[Rejection]:
    """Reject additional places where a test module, or code that a runner calls in it, ends the whole run."""
    for file in patch.files:
        if file.language != "python" or not file.has_tests:
            continue
        old, new = tree_of(file.old_text), tree_of(file.new_text)
        if new is not None and _count(new) > (_count(old) if old is not None else 0):
            reason = "Let every test run and count: nothing in a test may end the run; correct the code."
            yield Rejection(file.path, "test-run-ended", reason)


def run_ends(node: ast.AST, *, hard_only: bool = False) -> Iterator[ast.AST]:
    """Yield the places where a module, a class or a function ends the run, except in functions nested in it.

    A script's own part, and what is expected to end, are left out.
    """
    yield from _ends(list(ast.iter_child_nodes(node)), hard_only=hard_only)


def is_own_part(node: ast.AST) -> TypeGuard[ast.If]:
    """Return whether a statement is the ``if __name__ == '__main__'`` block of a script."""
    return isinstance(node, ast.If) and as_text(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")


def _count(tree: ast.Module) -> int:
    found = sum(1 for _ in run_ends(tree))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    outer = [node for node in functions if node in tree.body or _is_method(node, tree)]
    return found + sum(1 for node in outer for _ in run_ends(node, hard_only=not _is_run(node)))


def _is_method(node: ast.stmt, tree: ast.Module) -> bool:
    return any(isinstance(owner, ast.ClassDef) and node in owner.body for owner in tree.body)


def _is_run(function: Function) -> bool:
    fixture = any(last_name(decorator) == "fixture" for decorator in function.decorator_list)
    return fixture or function.name.startswith(_RUN)


def _ends(nodes: Sequence[ast.AST], *, hard_only: bool) -> Iterator[ast.AST]:
    left = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if is_own_part(node):
            left += node.orelse
            continue
        if isinstance(node, ast.With | ast.AsyncWith) and any(map(_expects, node.items)):
            continue
        if _ends_run(node, hard_only=hard_only):
            yield node
        left += ast.iter_child_nodes(node)


def _ends_run(node: ast.AST, *, hard_only: bool) -> bool:
    if isinstance(node, ast.Call):
        handed = [*node.args, *(word.value for word in node.keywords)]
        if any(isinstance(value, ast.Name | ast.Attribute) and dotted(value) in _HARD_ENDS for value in handed):
            return True  # for something else to call, such as a timer
        return dotted(node) in _HARD_ENDS or (not hard_only and dotted(node) in _ENDS)
    if hard_only or not isinstance(node, ast.Raise) or node.exc is None:
        return False
    return last_name(node.exc) in ("SystemExit", "KeyboardInterrupt", "Exit")


def _expects(item: ast.withitem) -> bool:
    return last_name(item.context_expr) in ("raises", "assertRaises", "assertRaisesRegex")
