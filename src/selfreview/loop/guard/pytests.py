"""Python tests before and after: which there are, what they assert, and which belongs to which."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview.loop.guard.likeness import likeness
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pycollected import Found, collected
from selfreview.loop.guard.pylive import Values, is_empty, live, values_of
from selfreview.loop.guard.pysource import Function, as_text, dotted, flat, functions, last_name, tree_of

_CHECKS = ("assert", "check", "verify", "expect", "should", "ensure")
_RAISES = frozenset({"raises", "warns", "deprecated_call"})
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_TOP = "the module itself"
_ALIKE = 0.6


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """One test function.

    Attributes:
        file: Where it is.
        name: Its qualified name.
        node: It.
        asserts: Its assertions, those of helpers in its module among them; ``and`` makes several.
        cases: How many cases decorators run it with.
        values: What the names of its module are assigned.
        under: The conditions and handlers that its definition is under, as text.
    """

    file: File
    name: str
    node: Function
    asserts: Sequence[ast.expr]
    cases: int
    values: Values
    under: Sequence[str] = ()

    @property
    def first(self) -> int:
        """Its first line, decorators included."""
        return min([self.node.lineno, *(node.lineno for node in self.node.decorator_list)])

    @property
    def last(self) -> int:
        """Its last line."""
        return self.node.end_lineno or self.node.lineno

    @functools.cached_property
    def texts(self) -> list[str]:
        """Its assertions as text."""
        return [as_text(node) for node in self.asserts]


class Match(NamedTuple):
    """A test before and after; None where it is gone."""

    old: Case
    new: Case | None


@functools.lru_cache(maxsize=1)
def match_tests(patch: Patch) -> tuple[Match, ...]:
    """Match every test from before with the test that it is now, also where it was moved or renamed."""
    files = [file for file in patch.files if file.language == "python" and file.has_tests]
    files = [file for file in files if tree_of(file.new_text) is not None]
    old = [case for file in files for case in cases_of(file, file.old_text)]
    new = [case for file in files if file.is_still_test for case in cases_of(file, file.new_text)]
    left = {(case.file.path, case.name): case for case in new}
    found = [Match(case, left.pop((case.file.path, case.name), None)) for case in old]
    return tuple(match if match.new is not None else Match(match.old, _renamed(match.old, left)) for match in found)


def gained(patch: Patch) -> set[str]:
    """Return the assertions, as text, that tests have now and had not before."""
    matches = match_tests(patch)
    found = {text for old, new in matches if new is not None for text in set(new.texts) - set(old.texts)}
    known = {(new.file.path, new.name) for _, new in matches if new is not None}
    for file in patch.files:
        if file.language == "python" and file.has_tests and file.is_still_test:
            cases = cases_of(file, file.new_text)
            found.update(text for case in cases if (file.path, case.name) not in known for text in case.texts)
    return found


def cases_of(file: File, text: str) -> list[Case]:
    """Return the tests of a module that a runner finds."""
    tree = tree_of(text)
    every, values = functions(tree), values_of(tree)
    tests = {**collected(tree), **{name: Found(node, ()) for name, node in _top(tree).items()}}
    return [
        Case(file, name, node, tuple(_asserts(node, every, values, ())), _cases(node, values), values, under)
        for name, (node, under) in tests.items()
    ]


def _top(tree: ast.Module | None) -> dict[str, Function]:
    """Return, as a function, what a module asserts when it is imported; nothing where it asserts nothing."""
    body = [node for node in tree.body if not isinstance(node, _DEFINED)] if tree is not None else []
    body = [node for node in body if any(isinstance(inner, ast.Assert) for inner in flat([node]))]
    if not body:
        return {}
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = ast.FunctionDef(name=_TOP, args=arguments, body=body, decorator_list=[], lineno=body[0].lineno)
    function.end_lineno = body[-1].end_lineno
    return {_TOP: function}


def _renamed(old: Case, left: dict[tuple[str, str], Case]) -> Case | None:
    """Take from the tests that are new the one that another was moved or renamed to."""
    best, key = _ALIKE, None
    body = _body(old)
    for name, case in left.items():
        if case.name.rpartition(".")[2] == old.name.rpartition(".")[2]:
            key = name
            break
        ratio = likeness(body, _body(case), best)
        if ratio >= best:
            best, key = ratio, name
    return left.pop(key) if key is not None else None


def _body(case: Case) -> str:
    return "\n".join(map(as_text, case.node.body))


def _asserts(
    function: Function, every: Mapping[str, Function], values: Values, seen: tuple[str, ...]
) -> Iterator[ast.expr]:
    for node, _ in live(function, values):
        if isinstance(node, ast.Assert):
            yield from conjuncts(node.test)
        elif isinstance(node, ast.Call):
            name = last_name(node)
            helper = next((every[full] for full in (name, *_methods(function, every, name)) if full in every), None)
            if helper is not None and name not in seen and helper is not function:
                yield from _asserts(helper, every, values, (*seen, name))
            elif is_check(node):
                yield node


def is_check(node: ast.Call) -> bool:
    """Return whether a call is an assertion, by its name."""
    name = last_name(node)
    return name in _RAISES or name.lstrip("_").startswith(_CHECKS) or dotted(node) == "pytest.fail"


def _methods(function: Function, every: Mapping[str, Function], name: str) -> Iterator[str]:
    owner = next((full for full, node in every.items() if node is function), "")
    if "." in owner:
        yield f"{owner.rpartition('.')[0]}.{name}"


def conjuncts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the conjuncts of a condition."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for value in node.values:
            yield from conjuncts(value)
    else:
        yield node


def parameters(function: Function, values: Values) -> list[list[str]]:
    """Return the cases of every ``parametrize`` that are written out, in it or in its module, as text."""
    found: list[list[str]] = []
    for node in function.decorator_list:
        if isinstance(node, ast.Call) and last_name(node) == "parametrize":
            written = cases_written(node)
            if isinstance(written, ast.Name):
                written = values.get(written.id)
            if written is not None and is_empty(written, values):
                found.append([])
            elif isinstance(written, ast.List | ast.Tuple | ast.Set):
                found.append([as_text(value) for value in written.elts])
    return found


def cases_written(call: ast.Call) -> ast.expr | None:
    """Return what gives a ``parametrize`` its cases."""
    if len(call.args) > 1:
        return call.args[1]
    return next((word.value for word in call.keywords if word.arg == "argvalues"), None)


def _cases(function: Function, values: Values) -> int:
    count = 1
    for written in parameters(function, values):
        count *= len(written)
    return count
