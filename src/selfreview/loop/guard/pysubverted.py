"""Python code outside of tests that makes the tests that run it end, be skipped, or always pass."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pyended import is_own_part, run_ends
from selfreview.loop.guard.pysource import as_text, dotted, functions, last_name, tree_of

Names = Mapping[str, str]

_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "pluggy", "nose", "nose2"})
_STOPS = frozenset({"exit", "Exit", "skip", "Skipped", "SkipTest", "xfail", "XFailed"})
_EXIT = frozenset({"sys.exit", "exit", "quit", "SystemExit"})
_OF_ALL = re.compile(r"(?:__)?builtins(?:__)?\W+AssertionError\b|sys\.modules\['(?:_?pytest|unittest|pluggy|nose2?)\b")
_FREE = frozenset({"maxDiff", "longMessage"})


def run_subverted(patch: Patch) -> Iterator[Rejection]:
    """Reject more of what ends or skips the tests that run a module, and what replaces parts of their runners.

    What a program's own functions do with ``sys.exit`` is free: in a test it is an error like others.
    """
    files = [file for file in patch.files if file.language == "python" and not file.is_test]
    found = [(file, _found(file, old=True), _found(file, old=False)) for file in files]
    gone = sum((before - after for _, before, after in found), Counter[tuple[str, str]]())
    for file, before, after in found:
        for rule, text in dict(sorted((after - before) - gone)).items():
            yield Rejection(file.path, rule, f"Let every test run and count: take out `{text}`, and correct the code.")


def _found(file: File, *, old: bool) -> Counter[tuple[str, str]]:
    tree = tree_of(file.old_text if old else file.new_text)
    if tree is None:
        return Counter()
    names = _imported(tree)
    ends = [*_stops(tree, names), *_ends_at_import(tree, is_script=_is_script(file, tree))]
    return Counter(
        [("test-run-ended", text) for text in ends] + [("test-hooks", text) for text in _replaced(tree, names)]
    )


def _stops(tree: ast.Module, names: Names) -> Iterator[str]:
    """Yield code anywhere that ends the process without an error, or stops a test."""
    fails = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_failure(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            origin = _origin(dotted(node), names)
            of_runner = origin.partition(".")[0] in _RUNNERS and origin.rpartition(".")[2] in _STOPS
            if of_runner or (last_name(node) == "_exit" and id(node) not in fails):
                yield as_text(node)
        elif isinstance(node, ast.Constant) and node.value == "_exit":
            yield as_text(node)
        elif isinstance(node, ast.ImportFrom):
            yield from (as_text(alias) for alias in node.names if alias.name == "_exit" and alias.asname)


def _ends_at_import(tree: ast.Module, *, is_script: bool) -> Iterator[str]:
    """Yield code that ends the process without reporting an error when a module is imported."""
    for node in run_ends(tree, hard_only=is_script):
        if not _is_failure(node):
            yield as_text(node)
    used = {name.id for node in tree.body for name in _at_import(node) if isinstance(name, ast.Name)}
    for name, function in functions(tree).items():
        decorated = any(dotted(decorator).startswith("atexit.") for decorator in function.decorator_list)
        if name in used or decorated:
            yield from (as_text(node) for node in run_ends(function, hard_only=True))


def _at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement, except functions and the ``__main__`` block of a script."""
    left = [node]
    while left:
        part = left.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        yield part
        left += part.orelse if is_own_part(part) else ast.iter_child_nodes(part)


def _is_script(file: File, tree: ast.Module) -> bool:
    """Return whether a module does its work when it is run, so that nobody imports it."""
    if file.path.rpartition("/")[2] == "__main__.py":
        return True
    before = (tree_of(file.old_text) if file.old is not None else None) or tree
    calls = (node.value for node in before.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    loops = (node for node in before.body if isinstance(node, ast.For | ast.While | ast.With))
    return any(before is not tree or dotted(call) not in _EXIT for call in calls) or any(True for _ in loops)


def _is_failure(node: ast.AST) -> bool:
    """Return whether code that ends a process reports a failure, as written."""
    node = node.exc if isinstance(node, ast.Raise) and node.exc is not None else node
    if isinstance(node, ast.Name) and node.id == "KeyboardInterrupt":
        return True
    if not isinstance(node, ast.Call) or (dotted(node) not in _EXIT and last_name(node) != "_exit") or not node.args:
        return False
    status = node.args[0]
    if isinstance(status, ast.BinOp):
        status = status.left
    return isinstance(status, ast.JoinedStr) or (isinstance(status, ast.Constant) and status.value not in (0, None))


def _replaced(tree: ast.Module, names: Names) -> Iterator[str]:
    """Yield the parts of runners that code replaces, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            text = as_text(node)
        elif isinstance(node, ast.Call) and last_name(node) in ("setattr", "delattr", "object") and len(node.args) > 1:
            part = node.args[1]
            text = f"{as_text(node.args[0])}.{str(part.value) if isinstance(part, ast.Constant) else as_text(part)}"
        else:
            continue
        origin = _origin(text, names)
        of_runner = origin.partition(".")[0] in _RUNNERS and origin.rpartition(".")[2] not in _FREE
        if of_runner or _OF_ALL.match(text):
            yield text


def _origin(text: str, names: Names) -> str:
    head, _, rest = text.partition(".")
    return f"{names.get(head, '')}.{rest}".strip(".")


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return where the names come from that code imports, wherever it does."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            tops = (alias if alias.asname else ast.alias(alias.name.partition(".")[0]) for alias in node.names)
            found |= {alias.asname or alias.name: alias.name for alias in tops}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found
