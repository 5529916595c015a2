"""False positives of ruff: rules known to be wrong at a place, and queries made of the module's own texts alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from selfreview.api import Category, Finding, Severity
from selfreview.reviewers.ruff import rules
from selfreview.reviewers.ruff.python_file import PythonFile

if TYPE_CHECKING:
    from ast_grep_py import SgNode

OLD_PYTHON_NAMES = frozenset(
    {
        "unicode", "basestring", "xrange", "raw_input", "unichr", "long", "reduce", "cmp", "file", "execfile", "reload",
        "intern", "apply", "buffer", "coerce",
    }
)  # fmt: skip
"""Built-ins of Python 2; code that runs on both guards them by a version check that ruff does not follow."""

INJECTED_NAMES = frozenset({"_", "get_ipython", "__IPYTHON__", "profile", "reveal_type", "WindowsError", "dbutils"})
"""Names that something other than the module puts there."""

_TEST_FOLDER = re.compile(r"(^|/)(tests?|testing_data|test_?data|__fixtures__)/")
_TEST_MODULE = re.compile(r"(test_.*|.*_tests?|tests?|conftest)\.pyi?")
_HARMLESS_IN_TESTS = frozenset({"B006", "B017", "B018", "B023", "B039", "E711", "F841", "RUF008", "RUF012"})
_SILENCED = re.compile(
    r"#[ \t]*(?:type:[ \t]*ignore\[[^\]\n]*\bname-defined\b|ty:[ \t]*ignore\[[^\]\n]*\bunresolved-reference\b"
    r"|pyright:[ \t]*ignore\[[^\]\n]*\breportUndefinedVariable\b"
    r"|pylint:[ \t]*disable=[\w, -]*\bundefined-variable\b)",
    re.ASCII,
)
"""Comments that tell another tool that a name is intended: the whole mark, as words may be in any comment.

It takes no more than what a gate finds to be a mark, so that no change makes a finding vanish without a trace.
"""

_DEFINITION = re.compile(r"\s*(async\s+def|def|class)\s")
_FIRST_LINE = re.compile(r"from line (\d+)")
_NAME = re.compile(r"`([^`]+)`")


def judge(finding: Finding, file: PythonFile) -> Finding | None:
    """Return the finding as it should be reported, or None for a false positive."""
    special = _SPECIAL.get(finding.rule or "")
    severity: Severity | None = special(finding, file) if special else finding.severity
    if severity is None:
        return None
    limit = _limit(finding)
    severity = severity if limit.at_least(severity) else limit
    return finding if severity is finding.severity else msgspec.structs.replace(finding, severity=severity)


def _limit(finding: Finding) -> Severity:
    """Return the highest severity that a finding can have at its place."""
    path, rule = finding.file, finding.rule or ""
    if rule != rules.SYNTAX_ERROR and path.endswith(".pyi"):
        return Severity.LOW  # stubs never run
    if _is_test_data(path):
        return Severity.LOW  # code that only tests read or call fails in those tests
    if _is_test_module(path) and (rule in _HARMLESS_IN_TESTS or rules.category(rule) is Category.SECURITY):
        return Severity.LOW
    return Severity.CRITICAL


def _is_test_module(path: str) -> bool:
    return _TEST_MODULE.fullmatch(posixpath.basename(path)) is not None


def _is_test_data(path: str) -> bool:
    return _TEST_FOLDER.search(path) is not None and not _is_test_module(path)


def _syntax_error(finding: Finding, file: PythonFile) -> Severity | None:
    """Return the severity of a syntax error, which is low in a template that generates Python."""
    return Severity.LOW if file.is_template else finding.severity


def _undefined_name(finding: Finding, file: PythonFile) -> Severity | None:
    name = named(finding)
    line = file.line(finding.line_start)
    before = line[: (finding.column or 1) - 1]
    if name in OLD_PYTHON_NAMES or name in INJECTED_NAMES or _is_silenced(finding, file):
        return None
    if before[-1:] in ("'", '"') and "Literal[" in before:
        return None  # text that ruff takes for an annotation where Literal is imported conditionally
    return _exported_name(finding, file)


def _is_silenced(finding: Finding, file: PythonFile) -> bool:
    return _SILENCED.search(file.comments.get(finding.line_start, "")) is not None


def _redefinition(finding: Finding, file: PythonFile) -> Severity | None:
    """Keep what replaces one definition by another; a repeated import or a name set in advance is harmless."""
    match = _FIRST_LINE.search(finding.description)
    first = int(match[1]) if match else 0
    if not (_DEFINITION.match(file.line(first)) and _DEFINITION.match(file.line(finding.line_start))):
        return Severity.LOW
    is_test = (named(finding) or "").lower().startswith("test")
    decorated = any(file.line(number - 1).lstrip().startswith(("@", ")")) for number in (first, finding.line_start))
    return finding.severity if is_test or not decorated else Severity.LOW  # a decorator may have registered it


def _shared_default(finding: Finding, file: PythonFile) -> Severity | None:
    kept = file.shape.default_is_kept(finding.line_start, finding.column or 1)
    return finding.severity if kept else Severity.LOW


def _loop_variable(finding: Finding, file: PythonFile) -> Severity | None:
    kept = file.shape.closure_is_kept(finding.line_start, finding.column or 1)
    return finding.severity if kept else Severity.LOW


def _exported_name(finding: Finding, file: PythonFile) -> Severity | None:
    return Severity.LOW if file.dynamic.may_define(named(finding)) else finding.severity


def _shell(finding: Finding, file: PythonFile) -> Severity | None:
    del file
    return None if "seems safe" in finding.description else finding.severity


def _query(finding: Finding, file: PythonFile) -> Severity | None:
    ours = Query(file.root, finding.line_start, finding.column or 1).is_ours()
    return Severity.LOW if ours else finding.severity


def _unused_noqa(finding: Finding, file: PythonFile) -> Severity | None:
    del file  # what is enabled is known where the project selects it: we run other rules than ruff by default
    unknown = "non-enabled" in finding.description or any(rule in finding.description for rule in rules.UNRELIABLE)
    return None if unknown else finding.severity


def named(finding: Finding) -> str | None:
    """Return the name that a finding is about, as its text quotes it."""
    match = _NAME.search(finding.description)
    return match[1] if match else None


_SPECIAL: dict[str, Callable[[Finding, PythonFile], Severity | None]] = {
    "B006": _shared_default,
    "B023": _loop_variable,
    "F821": _undefined_name,
    "F822": _exported_name,
    "F811": _redefinition,
    "RUF100": _unused_noqa,
    rules.SYNTAX_ERROR: _syntax_error,
    "S602": _shell,
    "S605": _shell,
    "S608": _query,
}


_MAX_STEPS = 300
"""Expressions that are followed for one query; a longer one is not followed to its end."""
_MAX_DEPTH = 30

_CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")
_QUERIES = ("string", "concatenated_string", "binary_operator", "call")
_SCOPES = frozenset({"function_definition", "lambda", "module"})
_LEAVES = frozenset({"raise_statement", "return_statement", "continue_statement", "break_statement"})
_NUMBERS = frozenset({"integer", "float", "none", "true", "false"})
_WHOLE = frozenset({"concatenated_string", "list", "tuple", "set", "dictionary", "pair", "parenthesized_expression",
                    "list_splat", "expression_list", "argument_list"})  # fmt: skip
_COMPREHENSIONS = frozenset({"list_comprehension", "set_comprehension", "generator_expression"})
_REPEATED = frozenset({"string", "concatenated_string", "list", "tuple", "parenthesized_expression"})
_MUTATORS = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})
_KEPT = re.compile(r"(?:.*\.)?(?:join|format|l?strip|rstrip|upper|lower|dedent|removesuffix|removeprefix)")
"""Methods that make a text of texts; what they are called on counts, too."""
_COLLECTED = re.compile(r"sorted|list|tuple|set|frozenset|(?:itertools\.)?repeat|dict|str")
_COUNTED = re.compile(r"int|len|float|range")


class Query:
    """The query that starts at a place of a Python file.

    Args:
        root: The root of the file's syntax tree.
        line, column: Where it starts, both from 1, columns in code points.
    """

    def __init__(self, root: SgNode, line: int, column: int) -> None:
        self._root = root
        self._place = (line - 1, column - 1)
        self._steps = 0
        self._depth = 0

    def is_ours(self) -> bool:
        """Return whether every part is the module's own; False where that cannot be determined."""
        candidates = [
            node
            for node in self._root.find_all(any=[{"kind": kind} for kind in _QUERIES])
            if (node.range().start.line, node.range().start.column) == self._place
        ]
        widest = max(candidates, key=_end, default=None)
        return widest is not None and self._ours(widest)

    def _ours(self, node: SgNode) -> bool:
        self._steps += 1
        if self._steps > _MAX_STEPS or self._depth > _MAX_DEPTH:
            return False
        self._depth += 1
        try:
            kind = node.kind()
            if kind in _NUMBERS:
                return True
            if kind in _WHOLE:
                return all(map(self._ours, _parts(node)))
            if kind in _COMPREHENSIONS:
                return self._ours(node.named_children()[0])
            way = self._ways.get(kind)
            return way is not None and way(node)
        finally:
            self._depth -= 1

    @property
    def _ways(self) -> dict[str, Callable[[SgNode], bool]]:
        return {
            "string": self._string,
            "binary_operator": self._operation,
            "conditional_expression": self._choice,
            "call": self._call,
            "identifier": self._name,
            "attribute": self._attribute,
            "keyword_argument": lambda node: self._field(node, "value"),
            "subscript": lambda node: self._field(node, "value"),
        }

    def _field(self, node: SgNode, name: str) -> bool:
        part = node.field(name)
        return part is not None and self._ours(part)

    def _string(self, node: SgNode) -> bool:
        holes = [part for part in node.named_children() if part.kind() == "interpolation"]
        return all(self._field(hole, "expression") for hole in holes)

    def _operation(self, node: SgNode) -> bool:
        operator, left, right = node.field("operator"), node.field("left"), node.field("right")
        if operator is None or left is None or right is None:
            return False
        if operator.text() == "*":  # a text or a list, repeated
            return any(part.kind() in _REPEATED and self._ours(part) for part in (left, right))
        return operator.text() in ("+", "%") and self._ours(left) and self._ours(right)

    def _choice(self, node: SgNode) -> bool:
        parts = _parts(node)
        return len(parts) == 3 and self._ours(parts[0]) and self._ours(parts[2])

    def _call(self, node: SgNode) -> bool:
        function, arguments = node.field("function"), node.field("arguments")
        if function is None or arguments is None:
            return False
        if function.kind() == "attribute" and _KEPT.fullmatch(function.text().rpartition(".")[2]):
            return self._field(function, "object") and self._ours(arguments)
        if _COUNTED.fullmatch(function.text()):
            return True
        if function.text().endswith("repeat"):
            return bool(_parts(arguments)) and self._ours(_parts(arguments)[0])
        return _COLLECTED.fullmatch(function.text()) is not None and self._ours(arguments)

    def _attribute(self, node: SgNode) -> bool:
        name = node.field("attribute")
        if name is None or not _CONSTANT.fullmatch(name.text()):
            return False
        found = [*self._bindings(self._root, name.text()), *self._bindings(self._root, f".{name.text()}")]
        return all(map(self._ours, (value for item in found for value in item[1])))

    def _name(self, node: SgNode) -> bool:
        name = node.text()
        for scope in node.ancestors():
            if scope.kind() in _COMPREHENSIONS:
                source = _loop_source(scope, name)
                if source is not None:
                    return self._ours(source)
            if scope.kind() not in _SCOPES:
                continue
            found = [item for item in self._bindings(scope, name) if _binds(item[0], scope)]
            is_parameter = name in _parameters(scope)
            if found or is_parameter:
                last = max((_end(item[0]) for item in found), default=_start(scope))
                if self._is_checked(scope, name, last, node):
                    return True
                return not is_parameter and all(map(self._ours, (value for item in found for value in item[1])))
        return _CONSTANT.fullmatch(name) is not None and self._is_imported(name)

    def _bindings(self, scope: SgNode, name: str) -> Iterator[tuple[SgNode, list[SgNode]]]:
        """Yield the statements that give a name a value, with the values; an unknown value is the statement itself."""
        for kind in ("assignment", "augmented_assignment", "for_statement", "named_expression"):
            for node in scope.find_all(kind=kind):
                left = node.field("name" if kind == "named_expression" else "left")
                value = node.field("value" if kind == "named_expression" else "right")
                if left is None or name not in _targets(left):
                    continue
                if kind == "assignment" and value is None:
                    continue  # an annotation alone
                yield node, [value if value is not None else node]
        yield from _changes(scope, name)
        for kind in ("as_pattern", "global_statement", "nonlocal_statement", "except_clause"):
            for node in scope.find_all(kind=kind):
                if re.search(rf"\b(?:as|global|nonlocal)\b.*\b{re.escape(name)}\b", node.text().partition("\n")[0]):
                    yield node, [node]

    def _is_checked(self, scope: SgNode, name: str, after: int, use: SgNode) -> bool:
        """Return whether a name is compared with allowed values between its last change and its use."""
        for compared in scope.find_all(kind="comparison_operator"):
            parts = _parts(compared)
            if not after <= _start(compared) < _start(use) or len(parts) != 2 or parts[0].text() != name:
                continue
            if self._ours(parts[1]) and _guards(compared, use):
                return True
        return False

    def _is_imported(self, name: str) -> bool:
        imports = self._root.find_all(kind="import_from_statement")
        return any(re.search(rf"\b{re.escape(name)}\b", item.text()) for item in imports)


def _changes(scope: SgNode, name: str) -> Iterator[tuple[SgNode, list[SgNode]]]:
    """Yield the calls of methods that add something to a value, with what they add."""
    for node in scope.find_all(kind="call"):
        function, arguments = node.field("function"), node.field("arguments")
        target, _, method = function.text().rpartition(".") if function is not None else ("", "", "")
        if target == name and method in _MUTATORS and arguments is not None:
            yield node, [arguments]


def _guards(compared: SgNode, use: SgNode) -> bool:
    """Return whether code reaches a use only where a comparison with ``in`` holds."""
    denied = re.search(r"\snot\s+in\s", compared.text()) is not None
    if not denied and not re.search(r"\sin\s", compared.text()):
        return False
    statement = compared.parent()
    if statement is None or statement.kind() not in ("if_statement", "assert_statement"):
        return False
    if statement.kind() == "assert_statement":
        return not denied
    body = statement.field("consequence")
    if body is None:
        return False
    if not denied:
        return _start(body) <= _start(use) < _end(body)
    last = _parts(body)[-1:]
    return bool(last) and last[0].kind() in _LEAVES and _end(body) <= _start(use)


def _loop_source(comprehension: SgNode, name: str) -> SgNode | None:
    for clause in comprehension.named_children():
        left = clause.field("left") if clause.kind() == "for_in_clause" else None
        if left is not None and name in _targets(left):
            return clause.field("right")
    return None


def _targets(left: SgNode) -> set[str]:
    """Return the names that are assigned to; an attribute's begins with a dot."""
    if left.kind() == "attribute":
        return {f".{left.text().rpartition('.')[2]}"}
    if left.kind() == "subscript":
        return {left.text().partition("[")[0]}
    return {left.text()} if left.kind() == "identifier" else {n.text() for n in left.find_all(kind="identifier")}


def _parameters(scope: SgNode) -> set[str]:
    parameters = scope.field("parameters") if scope.kind() != "module" else None
    return set() if parameters is None else {node.text() for node in parameters.find_all(kind="identifier")}


def _binds(node: SgNode, scope: SgNode) -> bool:
    """Return whether a statement assigns a name in this scope, and not in a nested function."""
    left = node.field("left")
    if node.kind() in ("global_statement", "call") or (left is not None and left.kind() == "subscript"):
        return True  # wherever it stands
    around = next((around for around in node.ancestors() if around.kind() in _SCOPES), None)
    return around is not None and around.kind() == scope.kind() and around.range() == scope.range()


def _parts(node: SgNode) -> list[SgNode]:
    return [part for part in node.named_children() if part.kind() != "comment"]


def _start(node: SgNode) -> int:
    return node.range().start.index


def _end(node: SgNode) -> int:
    return node.range().end.index
