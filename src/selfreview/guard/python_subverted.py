"""Code, mostly Python, that makes the tests that run it end, be skipped or always pass; modules that shadow others."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from selfreview.guard.patch import Edited, File, Patch, Rejection, text_of
from selfreview.guard.pysource import Function, as_text, dotted, functions, is_own_part, last_name, tree_of
from selfreview.syntax.file_kinds import is_test

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
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if is_own_part(node):
            pending += node.orelse
            continue
        if isinstance(node, ast.With | ast.AsyncWith) and any(map(_expects, node.items)):
            continue
        if _ends_run(node, hard_only=hard_only):
            yield node
        pending += ast.iter_child_nodes(node)


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


_STARTUP = re.compile(
    r"(?:.*/)?(?:(?:site|user)customize(?:\.[^/]*|/__init__\.[^/]*)|[^/]+\.(?:pth|egg-link))", re.DOTALL
)
_ROOT = re.compile(
    r"^(?:(?:src|lib|python|py|tests?|testing|unit|unit_?tests|integration|functional|e2e|scripts?|tools?|bin|ci)/)*"
)
"""Folders that are often on the path that modules are searched on."""
_MODULE = re.compile(
    r"(?P<name>[^/.]+)(?:\.[^/]*\.(?:so|pyd)|\.(?:pyw?|pyc|so|pyd)|/__(?:init|main)__\.(?:pyc?|so|pyd))"
)
_TOOLS = frozenset(
    """
    pytest _pytest py pluggy iniconfig packaging xdist execnet pytest_asyncio anyio pytest_cov pytest_mock pytest_django
    coverage hypothesis nose nose2 tox nox virtualenv mypy ruff pylint flake8 pyright bandit pip setuptools wheel
    pkg_resources hatch hatchling poetry pdm uv twisted syrupy typeguard
    """.split()  # noqa: SIM905 - a table to read
)


def loaded_by_name(patch: Patch) -> Iterator[Rejection]:
    """Reject what an interpreter runs when it starts, and new modules that hide one of its own or of a test tool."""
    ours = {_ROOT.sub("", file.path).partition("/")[0].removesuffix(".py")
            for file in patch.bounds.change.files if file.path.endswith(".py") and not is_test(file.path)}  # fmt: skip
    for edit in patch.edits:
        if edit.new is None:
            continue
        if _STARTUP.fullmatch(edit.path.casefold()):
            reason = "Leave what Python runs when it starts to a person; correct the code instead."
            yield Rejection(edit.path, "loaded-by-name", reason)
        elif edit.old is None and (name := _hidden(edit, ours)) is not None:
            reason = f"Choose another name: it may be imported in place of the module {name} that others rely on."
            yield Rejection(edit.path, "loaded-by-name", reason)


def _hidden(edit: Edited, ours: Collection[str]) -> str | None:
    """Return the module that a new file hides where its folder is searched first: one of Python, a tool or the change.

    Args:
        edit: The new file.
        ours: Names of the modules and packages of the change at the top of where they are searched.
    """
    path = edit.path.casefold()
    match = _MODULE.fullmatch(_ROOT.sub("", path, count=1))
    name = match["name"] if match is not None else ""
    if name in _TOOLS or name in sys.stdlib_module_names:
        return name
    tree = tree_of(text_of(edit.new))
    is_empty = tree is not None and all(isinstance(node, ast.Expr) for node in tree.body)
    return name if name in ours and is_test(path) and not is_empty else None


Names = Mapping[str, str]

_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "pluggy", "nose", "nose2"})
_STOPS = frozenset({"exit", "Exit", "skip", "Skipped", "SkipTest", "xfail", "XFailed"})
_EXIT = frozenset({"sys.exit", "exit", "quit", "SystemExit"})
_OF_ALL = re.compile(r"(?:__)?builtins(?:__)?\W+AssertionError\b|sys\.modules\['(?:_?pytest|unittest|pluggy|nose2?)\b")
_FREE = frozenset({"maxDiff", "longMessage"})
_ELSEWHERE = {
    "rust": re.compile(r"\b(macro_rules!\s*(?:(?:debug_)?assert\w*|panic|matches)\b)"),
    "go": re.compile(r"^(func\s+(?:init|TestMain)\()(?=(?:.(?!^\}))*?\bos\.Exit\()", re.MULTILINE | re.DOTALL),
}
"""Code of a product in other languages that takes the place of what its tests call, or ends them before they began."""


def run_subverted(patch: Patch) -> Iterator[Rejection]:
    """Reject more of what ends or skips the tests that run a module, and what replaces parts of their runners.

    What a program's own functions do with ``sys.exit`` is free: in a test it is an error like others.
    """
    files = [file for file in patch.files if file.language in ("python", *_ELSEWHERE) and not file.is_test]
    found = [(file, _found(file, old=True), _found(file, old=False)) for file in files]
    gone = sum((before - after for _, before, after in found), Counter[tuple[str, str]]())
    for file, before, after in found:
        for rule, text in dict(sorted((after - before) - gone)).items():
            yield Rejection(file.path, rule, f"Let every test run and count: take out `{text}`, and correct the code.")


def _found(file: File, *, old: bool) -> Counter[tuple[str, str]]:
    text = file.old_text if old else file.new_text
    if (pattern := _ELSEWHERE.get(file.language or "")) is not None:
        return Counter(("test-run-ended", " ".join(match[1].split())) for match in pattern.finditer(text))
    tree = tree_of(text)
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
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        yield part
        pending += part.orelse if is_own_part(part) else ast.iter_child_nodes(part)


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
