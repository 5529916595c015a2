"""Syntax tree of a file as nested units: definitions, statements and tests, and what an edit leaves of the tests."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.syntax.languages import language_of, language_of_script
from selfreview.syntax.parsing import parse
from selfreview.syntax.testcode import test_name

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LARGEST = 500_000
_SURROGATES = re.compile("[\ud800-\udfff]")
_BODIES = frozenset({"block", "body_statement", "class_body", "declaration_list", "statement_block", "enum_class_body"})
_HOLDERS = re.compile(
    r"(?:class|module|namespace|object|mod|interface|trait|struct|impl|enum)_?|call|expression_statement"
)
"""Kinds of nodes, by their beginnings, that may hold tests."""
_FUNCTIONS = re.compile(r"(?:function|method|constructor)_(?:declaration|definition|item)|method|singleton_method")
_PREFIXES = frozenset({"attribute_item", "inner_attribute_item", "attribute_list", "annotation"})
_DEEPEST = 7


class Unit(NamedTuple):
    """A definition or statement, with the attributes and comments that stand directly above it.

    Attributes:
        kind: Kind of its node, as its grammar has it; ``comment`` where it is nothing else.
        text: All of it.
        lines: Its lines, from 1.
        test: Name of the test or group of tests that it is, or None.
        around: Its text before and after its members.
        members: The units inside of a class, module or group of tests; None where it has none.
    """

    kind: str
    text: str
    lines: range
    test: str | None
    around: tuple[str, str]
    members: tuple[Unit, ...] | None

    def walk(self) -> Iterator[Unit]:
        """Yield the unit and all units inside of it, outer before inner."""
        yield self
        for member in self.members or ():
            yield from member.walk()


@dataclasses.dataclass(frozen=True)
class Source:
    """A file whose syntax can be looked at.

    Attributes:
        path: Its path, which gives its language, or else its first line does.
        text: Its text.
    """

    path: str
    text: str

    @property
    def language(self) -> str | None:
        """Its language, or None where none is known."""
        return language_of(self.path) or language_of_script(self.text.partition("\n")[0])

    @functools.cached_property
    def root(self) -> SgNode | None:
        """The root of its tree; None without a grammar, and for more than 500,000 characters."""
        if self.language is None or len(self.text) > _LARGEST:
            return None
        return parse(_SURROGATES.sub("?", self.text), self.language)

    @functools.cached_property
    def units(self) -> tuple[Unit, ...] | None:
        """The units at its top level; None where there is no tree, or the tree has errors."""
        if self.root is None or self.language is None or self.root.find(kind="ERROR") is not None:
            return None
        return tuple(_units(self.root, self.language))

    @property
    def tests(self) -> list[Unit]:
        """The tests and groups of tests, outer before inner."""
        return [unit for top in self.units or () for unit in top.walk() if unit.test is not None]


def _units(parent: SgNode, language: str) -> Iterator[Unit]:
    """Yield the units among the children of a node."""
    pending: list[SgNode] = []
    nodes = [node for node in parent.children() if node.is_named()]
    number = 0
    while number < len(nodes):
        node = nodes[number]
        number += 1
        if pending and _first(node) > _last(pending[-1]) + 1:
            yield from _loose(pending, language)
            pending = []
        is_comment = "comment" in node.kind()
        if is_comment and number > 1 and _first(node) == _last(nodes[number - 2]) and not pending:
            yield _unit([node], language)  # at the end of a line, it belongs to nothing below it
        elif is_comment or node.kind() in _PREFIXES:
            pending.append(node)
        else:
            group = [*pending, node]
            if _opens_macro(node, nodes[number : number + 1]):
                group.append(nodes[number])
                number += 1
            yield _unit(group, language)
            pending = []
    yield from _loose(pending, language)


def _loose(nodes: Sequence[SgNode], language: str) -> Iterator[Unit]:
    return (_unit([node], language) for node in nodes)


def _opens_macro(node: SgNode, following: Sequence[SgNode]) -> bool:
    """Return whether a call and the block behind it are one definition, as ``TEST_CASE("x") { … }`` in C++."""
    return node.kind() == "expression_statement" and bool(following) and following[0].kind() == "compound_statement"


def _unit(nodes: Sequence[SgNode], language: str) -> Unit:
    node = next((node for node in nodes if "comment" not in node.kind() and node.kind() not in _PREFIXES), nodes[-1])
    text = "\n".join(node.text() for node in nodes)
    lines = range(_first(nodes[0]), _last(nodes[-1]) + 1)
    body = _body(node)
    around, members = (text, ""), None
    if body is not None:
        start, end = body.range().start.index, body.range().end.index
        whole, first = node.text(), node.range().start.index
        above = "\n".join(other.text() for other in nodes[: list(nodes).index(node)])
        around = (f"{above}\n{whole[: start - first]}", whole[end - first :])
        members = tuple(_units(body, language))
    return Unit(node.kind(), text, lines, test_name(language, node, text), around, members)


def _body(node: SgNode) -> SgNode | None:
    """Return the node that holds the members of a class, module or group of tests."""
    if node.kind() == "decorated_definition":
        inner = node.field("definition")
        return _body(inner) if inner is not None else None
    if _FUNCTIONS.fullmatch(node.kind()) or not _HOLDERS.match(node.kind()):
        return None
    found = [node]
    for _ in range(_DEEPEST):
        found = [child for parent in found for child in parent.children() if child.is_named()]
        body = next((child for child in found if child.kind() in _BODIES), None)
        if body is not None:
            return body
    return None


def _first(node: SgNode) -> int:
    return node.range().start.line + 1


def _last(node: SgNode) -> int:
    """Return the last line of a node, from 1; one that ends with a line break ends on the line before."""
    end = node.range().end
    return end.line + 1 if end.column else max(end.line, _first(node))


_DOCSTRING = re.compile(r"(\"\"\"|''')(.*?)\1", re.DOTALL)
_RUST_COMMENT = re.compile(r"(?m)(?:^[ \t]*//[/!][^\n]*\n?)+")
_RUST_FENCE = re.compile(r"```.*?```", re.DOTALL)
_RUST_TESTS = re.compile(r"#\[cfg\((?:all\()?\s*test\b|#\[(?:\w+::)*(?:test|rstest|test_case)\b")
_IN_SOURCE = re.compile(r"\bimport\.meta\.vitest\b")
_CASE = re.compile(r"[^)]*(?:TestCase|Minitest::Test|Test::Unit)\b")


def only_adds_tests(old: Source, new: Source) -> bool:
    """Return whether a test file differs by whole tests with new names alone, and all that was there is unchanged.

    Not known, and so False, where either has no syntax tree.
    """
    if old.units is None or new.units is None:
        return False
    names = Counter(re.findall(r"\w+", old.text))
    return _only_adds(old.units, new.units, old.text, names)


def keeps_tests(old: Source, new: Source, *, runs_functions: bool = False) -> bool:
    """Return whether the tests inside of a product file are unchanged, but for whole new ones.

    Args:
        old, new: The two states.
        runs_functions: Whether a runner takes plain functions of it for tests.
    """
    if _doctests(old) - _doctests(new):
        return False
    if old.units is None or new.units is None:
        return (old.units is None and old.text == new.text) or not _mentions_tests(old)
    tests, left = (list(_regions(source.units or (), old.language, runs_functions)) for source in (old, new))
    names = Counter(re.findall(r"\w+", old.text))
    for test in tests:
        found = next((other for other in left if other.text == test.text), None)
        if found is None:
            found = next((other for other in left if _grew(test, other, old.text, names)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _only_adds(old: Sequence[Unit], new: Sequence[Unit], text: str, names: Counter[str]) -> bool:
    """Return whether some units are as they were, with nothing but new tests between them."""
    left = list(old)
    for unit in new:
        if left and unit.text == left[0].text:
            left.pop(0)
        elif _is_new_test(unit, text, names):
            continue
        elif left and _grew(left[0], unit, text, names):
            left.pop(0)
        else:
            return False
    return not left


def _grew(old: Unit, new: Unit, text: str, names: Counter[str]) -> bool:
    """Return whether a group of tests, such as a class, has new tests, and is the same otherwise."""
    if old.members is None or new.members is None or old.around != new.around:
        return False
    return _only_adds(old.members, new.members, text, names)


def _is_new_test(unit: Unit, text: str, names: Counter[str]) -> bool:
    if unit.test is None:
        return False
    plain = re.fullmatch(r"\w+", unit.test) is not None and not re.search(
        rf"[\"'`]{re.escape(unit.test)}[\"'`]", unit.text
    )
    return unit.test not in names if plain else unit.test not in text


def _regions(units: Sequence[Unit], language: str | None, runs_functions: bool) -> Iterator[Unit]:
    """Yield the units of a product file that are tests, or hold nothing else."""
    for unit in units:
        if _is_region(unit, language, runs_functions):
            yield unit
        elif unit.members is not None:
            yield from _regions(unit.members, language, runs_functions)


def _is_region(unit: Unit, language: str | None, runs_functions: bool) -> bool:
    if language == "rust":
        return _RUST_TESTS.search(unit.around[0] if unit.members is not None else unit.text) is not None
    if language in ("python", "ruby"):
        head = unit.around[0] if unit.members is not None else ""
        return _CASE.search(head) is not None or (runs_functions and unit.test is not None)
    if language in ("javascript", "typescript", "tsx"):
        return _IN_SOURCE.search(unit.text) is not None or (runs_functions and unit.test is not None)
    return unit.test is not None


def _mentions_tests(source: Source) -> bool:
    words = r"\b(?:TestCase|vitest|TEST(?:_\w+)?|Minitest)\b|#\[(?:cfg\()?test|@Test\b|\[(?:Fact|Theory|Test)\b"
    return re.search(words, source.text) is not None


def _doctests(source: Source) -> Counter[str]:
    """Return the examples in documentation that a runner tries, a comment or docstring at a time."""
    if source.language == "python":
        texts = (match[2] for match in _DOCSTRING.finditer(source.text) if ">>>" in match[2])
        return Counter("\n".join(_examples(text)) for text in texts)
    if source.language == "rust":
        comments = (re.sub(r"(?m)^[ \t]*//[/!]", "", match[0]) for match in _RUST_COMMENT.finditer(source.text))
        return Counter(fence for text in comments for fence in _RUST_FENCE.findall(text))
    return Counter()


def lines_with_examples(source: Source) -> set[int]:
    """Return the lines of documentation with examples that a runner tries."""
    pattern = {"python": _DOCSTRING, "rust": _RUST_COMMENT}.get(source.language or "")
    found: set[int] = set()
    for match in pattern.finditer(source.text) if pattern is not None else ():
        if ">>>" in match[0] or "```" in match[0]:
            first = source.text.count("\n", 0, match.start()) + 1
            found.update(range(first, first + match[0].count("\n") + 1))
    return found


def _examples(docstring: str) -> Iterator[str]:
    inside = False
    for line in docstring.splitlines():
        inside = ">>>" in line or (inside and bool(line.strip()))
        if inside:
            yield line.strip()
