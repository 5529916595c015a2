"""Code of test files that runs for the tests of others, or replaces what these use.

No rule can tell which code at the top of a file leaves others alone. So a new test file imports, defines and names
values there, and what else it does waits for a person; the same goes for what a new test in a file of others brings.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from selfreview.guard.pysource import Function, as_text, blocks, dotted, is_own_part, last_name, tree_of
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
        r"\bfunc\s+(?:TestMain|init)\s*\(|^var\s+\w+[^=\n]*=\s*(?!(?:func|make|new|len|string|u?int\d*|float\d+)\()[a-z]\w*\("
        r"|^var\s+\w+[^=\n]*=\s*func\s*\([^)]*\)[^{\n]*\{(?:[^\n]*|[^}]*^)\}\(",
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
_BARE = frozenset(
    """
    pytest.importorskip importorskip pytest.skip sys.path.insert sys.path.append site.addsitedir os.environ.setdefault
    warnings.simplefilter warnings.filterwarnings logging.disable logging.basicConfig random.seed np.random.seed
    numpy.random.seed torch.manual_seed matplotlib.use mpl.use django.setup
    """.split()  # noqa: SIM905 - a table to read
)
"""Calls that may stand alone at the top of a new test file in Python."""
_PLAIN = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign,
    ast.Pass, ast.If, ast.Try,
)  # fmt: skip
"""Statements there that do nothing to others by themselves; branches by what is in them."""
_HOOKS = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__"})
"""Methods that Python calls while a class is made."""
_WRITES = frozenset(
    """
    setattr delattr __setattr__ __delattr__ setitem delitem __setitem__ __delitem__ __ior__ __enter__ update setdefault
    pop popitem clear start enter_context exec eval reload register
    """.split()  # noqa: SIM905 - a table to read
)
"""Last names of calls that change what they are given, or start what nothing ends."""
_INNER = frozenset({"__code__", "__globals__", "__dict__", "__closure__", "__defaults__", "__kwdefaults__"})
"""Parts of an object that an assignment replaces for everybody who has it."""
_GLOBALS = frozenset({"global", "globalThis", "window", "process"})
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_ASSIGNS = ("assignment_expression", "augmented_assignment_expression", "unary_expression", "call_expression")
_BRANCHES = frozenset(
    """
    statement_block if_statement else_clause for_statement for_in_statement try_statement catch_clause finally_clause
    """.split()  # noqa: SIM905 - a table to read
)
_CALLED = re.compile(
    r"[\"'`]|(?:await\s+)?(?:x?(?:describe|context|suite|it|test|specify)|bench|(?:before|after)(?:Each|All)?|suiteSetup"
    r"|suiteTeardown|setup|teardown|vi|jest|mock|chai|import)\b\s*[.(`]|\S+\.forEach\(|RuleTester\.|ruleTester\."
)
"""Expressions that may stand alone at the top of a new test file in JavaScript."""
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
        found.update(_script(text, language, is_shared=is_shared))
        if is_shared:
            found.update(match[0] for match in _HOISTED.finditer(text))
    return found


def _python(text: str, *, is_shared: bool) -> Iterator[str]:
    tree = tree_of(text)
    if tree is None:
        return
    if not is_shared:
        yield from (as_text(node) for node in _at_top(tree.body) if not _is_plain(node))
    yield from map(as_text, _writes_at_load(tree))
    tests = {_bound(alias) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
             for alias in node.names if alias.name.rpartition(".")[2].startswith(("test_", "conftest"))}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, Function):
            if any(_is_for_all(decorator, is_shared=is_shared) for decorator in node.decorator_list):
                yield f"fixture {node.name}"
        elif (isinstance(node, ast.Global) and is_shared) or _replaces(node, tests):
            yield as_text(node)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _at_top(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those of its classes and branches among them, without a script's own part."""
    for node in body:
        yield node
        inner = [node.orelse] if is_own_part(node) else [node.body] if isinstance(node, ast.ClassDef) else blocks(node)
        for block in inner:
            yield from _at_top(block)


def _is_plain(node: ast.stmt) -> bool:
    """Return whether a statement imports, defines, names a value, or is a call that many tests begin with."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or (
            isinstance(node.value, ast.Call) and dotted(node.value) in _BARE
        )
    return isinstance(node, _PLAIN)  # where an assignment writes to, see _writes


def _writes_at_load(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield writes that run when a module is loaded, in functions and classes that are named there as well."""
    defined = {node.name: node for node in tree.body if isinstance(node, Function | ast.ClassDef)}
    pending: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while pending:
        node, own = pending.pop()  # own: in a body that is named, the name of what it may write to
        if _writes(node, own):
            yield node
        if isinstance(node, ast.Name) and node.id in defined:
            body = defined.pop(node.id)
            pending += ((part, "self" if isinstance(body, ast.ClassDef) else "") for part in body.body)
        elif isinstance(node, Function) and own is None and node.name not in _HOOKS:
            pending += (
                (part, None) for part in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults] if part
            )
        elif isinstance(node, ast.ClassDef) and own is None:
            pending += ((part, None) for part in [*node.decorator_list, *node.keywords, *node.body])
        else:
            parts = node.orelse if is_own_part(node) else ast.iter_child_nodes(node)
            pending += ((part, own) for part in parts)


def _writes(node: ast.AST, own: str | None) -> bool:
    """Return whether a node writes to a part of what a name stands for, which may be others' just as well."""
    if isinstance(node, ast.Call):
        return last_name(node) in _WRITES and dotted(node) not in _BARE
    is_target = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    return is_target and (own is None or _root(node) != own)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _replaces(node: ast.AST, tests: set[str]) -> bool:
    """Return whether a node replaces, in a test too, what others have: a function's parts, a module, another test's."""
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return False
    of = dotted(node.value)
    if isinstance(node, ast.Subscript) and of == "sys.modules":
        return as_text(node.slice) != "__name__"
    if isinstance(node.ctx, ast.Load):
        return False
    inner = node.attr if isinstance(node, ast.Attribute) else of.rpartition(".")[2]
    return inner in _INNER or _root(node) in tests


def _is_for_all(decorator: ast.expr, *, is_shared: bool) -> bool:
    """Return whether a fixture is used by tests that do not name it, beyond the file or by others' tests in it."""
    if last_name(decorator) != "fixture" or not isinstance(decorator, ast.Call):
        return False
    values = {word.arg: word.value.value for word in decorator.keywords if isinstance(word.value, ast.Constant)}
    return bool(values.get("autouse")) and (is_shared or values.get("scope") in ("session", "package"))


def _script(text: str, language: str, *, is_shared: bool) -> Iterator[str]:
    root = parse(text.encode("utf-8", "replace").decode("utf-8"), language)
    if not is_shared:
        yield from (node.text() for node in root.children() if not _is_plain_script(node))
    imported = _GLOBALS | _imported(root)
    for kind in _ASSIGNS:
        for node in root.find_all(kind=kind):
            target = _target(node)
            head = re.match(r"[\w$]+", target)
            if head is not None and head[0] in imported and not any(map(_is_function, node.ancestors())):
                yield node.text()


def _is_plain_script(node: SgNode) -> bool:
    """Return whether a statement at the top of a script defines something, or is a call of what tests are made of."""
    if node.kind() in _BRANCHES:
        return all(map(_is_plain_script, node.children()))
    return node.kind() != "expression_statement" or _CALLED.match(node.text()) is not None


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
