"""Hooks of runners of Python tests, which decide which tests run and how they end."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pointing import is_pointed_at
from selfreview.loop.guard.pyended import run_ends
from selfreview.loop.guard.pysource import Function, as_text, dotted, flat, tree_of

_HOOK = re.compile(r"pytest_\w+|load_tests")
_FREE = frozenset({"pytest_addoption", "pytest_addhooks"})
"""Hooks that have no influence on which tests run, nor on how they end."""
_SETTING = re.compile(r"collect_ignore(?:_glob)?|pytest_\w+|load_tests")
_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "builtins", "__builtins__", "ast", "pluggy"})
_ALWAYS = frozenset({"globals", "vars", "AssertionError"})
_FREE_PART = re.compile(r"environ|path")
_ENVIRONMENT = re.compile(r"""environ\b.*['"](?:PYTEST|PY_|PYTHON|TOX_)""")


def test_hooks(patch: Patch) -> Iterator[Rejection]:
    """Reject other hooks of test runners than before, and code that replaces parts of them or of what is tested.

    An issue may have the body of a hook corrected that was there, as long as it does not end the run.
    """
    for file in patch.files:
        if file.language != "python" or not file.has_tests or not file.new_text:
            continue
        new = tree_of(file.new_text)
        if new is None:
            continue
        name = _changed_hook(file, new, patch) or _replaced(file, new)
        if name is not None:
            reason = f"Leave how tests are found, run and reported as it was: take back {name}, and correct the code."
            yield Rejection(file.path, "test-hooks", reason)


def _changed_hook(file: File, new: ast.Module, patch: Patch) -> str | None:
    before, after = _hooks(tree_of(file.old_text)), _hooks(new)
    for name in {**before, **after}:
        was, now = before[name], after[name]
        if len(was) != len(now) or any(_is_taken(*pair, file, patch) for pair in zip(was, now, strict=True)):
            return name
    return None


def _is_taken(was: ast.stmt, now: ast.stmt, file: File, patch: Patch) -> bool:
    """Return whether a definition was replaced by another in a way that no issue asks for."""
    if as_text(was) == as_text(now):
        return False
    if not (_is_function(was) and _is_function(now)) or _outside(was) != _outside(now):
        return True
    pointed = is_pointed_at(file, patch.bounds, was.lineno, was.end_lineno or was.lineno)
    return not pointed or len(list(run_ends(now))) > len(list(run_ends(was)))


def _is_function(node: ast.stmt) -> TypeGuard[Function]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _outside(function: Function) -> tuple[str, list[str]]:
    return as_text(function.args), [as_text(node) for node in function.decorator_list]


def _hooks(tree: ast.Module | None) -> dict[str, list[ast.stmt]]:
    """Return the statements that define a module's hooks and settings of a runner, by name."""
    found = defaultdict(list)
    for name, node in _named(tree.body if tree is not None else ()):
        found[name].append(node)
    return found


def _named(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    for node in flat(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names, pattern = [node.name], _HOOK
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names, pattern = [dotted(target) for target in targets], _SETTING
        elif isinstance(node, ast.ImportFrom):
            names, pattern = [alias.asname or alias.name for alias in node.names], _HOOK
        else:
            continue
        yield from ((name, node) for name in names if pattern.fullmatch(name) and name not in _FREE)


def _replaced(file: File, new: ast.Module) -> str | None:
    """Return what the top of a module replaces now and did not before."""
    shared = file.path.rpartition("/")[2].casefold() == "conftest.py"
    before, after = (set(_replacements(tree, shared=shared)) for tree in (tree_of(file.old_text), new))
    return min(after - before, default=None)


def _replacements(tree: ast.Module | None, *, shared: bool) -> Iterator[str]:
    body = list(flat(tree.body)) if tree is not None else []
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in body:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            targets = call.args[:1] if dotted(call) in ("setattr", "delattr") else []
            if isinstance(call.func, ast.Attribute) and dotted(call.func.value) in ("globals", "vars"):
                targets = [call.func.value]
        else:
            continue
        for target in targets:
            text = as_text(target)
            head = re.split(r"[.\[(]", text, maxsplit=1)[0]
            is_part = text != head or isinstance(node, ast.Expr)
            of_runner = _ENVIRONMENT.search(text) or (is_part and head in _RUNNERS) or head in _ALWAYS
            of_subject = shared and is_part and head in imported and not _FREE_PART.search(text)
            if of_runner or of_subject:
                yield f"`{text}`"
