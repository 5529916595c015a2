"""Effects of a test file on the tests of others: code that runs as soon as a runner loads it, and replaced modules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from selfreview.guard.pysource import as_text, dotted, is_own_part, last_name, tree_of
from selfreview.syntax.parsing import parse

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_RUNS_FOR_ALL = {
    "python": re.compile(
        r"^(?:async\s+)?def\s+(?:pytest_(?!addoption\b|addhooks\b)\w+|load_tests)\s*\(|^(?:pytest_\w+|load_tests)\s*="
        r"|\bsession\.(?:items|shouldstop|shouldfail)\b",
        re.MULTILINE,
    ),
    "go": re.compile(
        r"\bfunc\s+(?:TestMain|init)\s*\(|^var\s+\w+[^=\n]*=\s*func\s*\([^)]*\)[^{\n]*\{(?:[^\n]*|[^}]*^)\}\(",
        re.MULTILINE,
    ),
    "ruby": re.compile(
        r"\bRSpec\.configure\b|^[A-Z]\w*(?:::[A-Z]\w*)*\.(?:\w+_eval|\w+_exec|prepend|include|extend|send|define_\w+)\b",
        re.MULTILINE,
    ),
    "php": re.compile(r"^(?:register_shutdown_function\s*\(|exit\b|die\b)", re.MULTILINE),
    "csharp": re.compile(r"\[assembly:|\[(?:SetUpFixture|AssemblyInitialize|AssemblyCleanup|ModuleInitializer)\b"),
    "rust": re.compile(r"#\[(?:ctor::)?[cd]tor\b"),
}
"""Code in a test file that a runner runs for the tests of other files, too, by language."""
_RUNS_FOR_ALL_JVM = re.compile(r"@ControlAll|\bextends\s+AbstractProjectConfig\b|\bRegisterExtension\b.*static")
_FOCUSED = re.compile(
    r"\b(?:describe|context|suite|it|test|specify)\.only\b|(?<![\w.])f(?:describe|context|it)\s*[( ]\s*['\"`A-Z]"
    r"|[,(]\s*(?::focus\b|focus:\s*true\b|:focus\s*=>\s*true\b)"
)
"""Marks by which a runner leaves out every test that has none."""
_HOISTED = re.compile(r"\b(?:vi|jest|mock)\.(?:mock|doMock|hoisted|module|unstable_mockModule)\(")
"""Calls that replace a module for a whole file, wherever in the file they stand."""
_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_CALLS = frozenset({"exec", "atexit.register", "importlib.reload"})
_METHODS = frozenset({"update", "setdefault", "pop", "clear", "__setitem__"})
_TABLES = frozenset({"globals", "vars", "sys.modules", "os.environ"})
_FREE = frozenset({"os.environ.setdefault"})
_GLOBALS = frozenset({"global", "globalThis", "window", "process"})
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_ASSIGNS = ("assignment_expression", "augmented_assignment_expression", "unary_expression", "call_expression")
_CHANGES = re.compile(r"Object\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\.(?:set|defineProperty)")


def load_effects(text: str, language: str | None, *, is_shared: bool) -> Counter[str]:
    """Return what a test file does to the tests of others, as code.

    Args:
        text: The file.
        language: Its language.
        is_shared: Whether others' tests are in the file itself.
    """
    pattern = _RUNS_FOR_ALL.get(language or "", _RUNS_FOR_ALL_JVM)
    found = Counter(match[0].strip() for match in pattern.finditer(text))
    if language in _SCRIPTS or language == "ruby":
        found.update(match[0] for match in _FOCUSED.finditer(text))
    if language == "python":
        found.update(_python(text, is_shared=is_shared))
    elif language in _SCRIPTS:
        found.update(_script(text, language))
        if is_shared:
            found.update(match[0] for match in _HOISTED.finditer(text))
    return found


def _python(text: str, *, is_shared: bool) -> Iterator[str]:
    tree = tree_of(text)
    if tree is None:
        return
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in _at_load(tree):
        is_target = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
        if (is_target and _root(node) not in own) or (isinstance(node, ast.Call) and _replaces(node, own)):
            yield as_text(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(_is_for_all(decorator, is_shared=is_shared) for decorator in node.decorator_list):
                yield f"fixture {node.name}"
        elif isinstance(node, ast.Global) and is_shared:
            yield as_text(node)


def _at_load(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that run when a module is loaded: all but the bodies of functions and a script's own part."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [*node.decorator_list, node.args]
        elif is_own_part(node):
            pending += node.orelse
        else:
            pending += ast.iter_child_nodes(node)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _replaces(call: ast.Call, own: set[str]) -> bool:
    """Return whether a call replaces a part of a module, or starts a patch that nothing ends."""
    name = dotted(call)
    if name in _CALLS:
        return True
    if last_name(call) in _SETTERS:
        return not (call.args and _root(call.args[0]) in own)
    if not isinstance(call.func, ast.Attribute) or name in _FREE:
        return False
    if call.func.attr == "start":
        return "patch" in name
    of = dotted(call.func.value)
    return call.func.attr in _METHODS and (of in _TABLES or of.endswith("__dict__")) and _root(call.func) not in own


def _is_for_all(decorator: ast.expr, *, is_shared: bool) -> bool:
    """Return whether a fixture is used by tests that do not name it, beyond the file or by others' tests in it."""
    if last_name(decorator) != "fixture" or not isinstance(decorator, ast.Call):
        return False
    values = {word.arg: word.value.value for word in decorator.keywords if isinstance(word.value, ast.Constant)}
    return bool(values.get("autouse")) and (is_shared or values.get("scope") in ("session", "package"))


def _script(text: str, language: str) -> Iterator[str]:
    root = parse(text.encode("utf-8", "replace").decode("utf-8"), language)
    imported = _GLOBALS | _imported(root)
    for kind in _ASSIGNS:
        for node in root.find_all(kind=kind):
            target = _target(node)
            head = re.match(r"[\w$]+", target)
            if head is not None and head[0] in imported and not any(map(_is_function, node.ancestors())):
                yield node.text()


def _target(node: SgNode) -> str:
    """Return what an expression writes to; ``""`` where it writes to no member."""
    if node.kind() == "unary_expression":
        return node.text().removeprefix("delete").strip() if node.text().startswith("delete ") else ""
    if node.kind() == "call_expression":
        function, arguments = node.field("function"), node.field("arguments")
        if function is None or arguments is None or _CHANGES.fullmatch(function.text()) is None:
            return ""
        return arguments.text().lstrip("( \n\t")
    left = node.field("left")
    return left.text() if left is not None and left.kind() in ("member_expression", "subscript_expression") else ""


def _is_function(node: SgNode) -> bool:
    return "function" in node.kind() or node.kind() == "method_definition"


def _imported(root: SgNode) -> set[str]:
    """Return the names that a script imports or requires."""
    heads = [node.text().rpartition("from")[0] for node in root.find_all(kind="import_statement")]
    declared = root.find_all(kind="variable_declarator")
    heads += [node.text().partition("=")[0] for node in declared if re.search(r"=\s*(?:await\s+)?(?:require|import)\(",
                                                                             node.text())]  # fmt: skip
    return {name for head in heads for name in re.findall(r"[\w$]+", head)}
