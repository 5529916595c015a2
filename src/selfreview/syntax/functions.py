"""Functions and called tests of a file with their lines, and the names that its code defines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.syntax.grammar import GRAMMARS

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TEST_CALLS = {
    "javascript": "call_expression",
    "typescript": "call_expression",
    "tsx": "call_expression",
    "ruby": "call",
    "go": "call_expression",
}
_TEST_CALL = re.compile(
    r"^[xfXFP]?(it|test|specify|scenario|describe|context|It|Specify|Describe|Context|When)(\.\w+)*\s*\(?\s*(['\"`])(.*?)\3"
)
_GROUPS = ("describe", "context", "Describe", "Context", "When")
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression"})
_LONGEST_DECORATION = 20
_DECORATION = re.compile(r"^\s*(@\w|#\[|\[[A-Z])")


class Function(NamedTuple):
    """A named function, or a test that is a call with a name; lines count from 1, decorators included."""

    name: str
    first: int
    last: int
    head: int
    """Line of the name; the decorators are above it."""


def functions(root: SgNode, language: str, lines: Sequence[str]) -> list[Function]:
    """Return the functions of a file in order; names are qualified by the functions and classes around.

    Args:
        root: Root of the parsed file.
        language: Its language.
        lines: Its lines.
    """
    found = sorted(_named(root, language), key=lambda item: (item[1], -item[2]))
    result: list[Function] = []
    around: list[tuple[str, int, int]] = []
    for name, first, last, is_class in found:
        while around and around[-1][2] < first:
            around.pop()
        if not is_class:
            qualified = ".".join([*(outer[0] for outer in around), name])
            result.append(Function(qualified, _with_decoration(first, lines), last, first))
        around.append((name, first, last))
    return result


def _named(root: SgNode, language: str) -> Iterator[tuple[str, int, int, bool]]:
    for node in root.find_all(any=[{"kind": kind} for kind in GRAMMARS[language].definitions]):
        name = node.field("name") or next((c for c in node.children() if c.kind() == "simple_identifier"), None)
        value = node.field("value")
        if name is not None and (value is None or value.kind() in _FUNCTION_VALUES):
            yield (name.text(), *_lines(node), False)
    if language == "python":
        for node in root.find_all(kind="class_definition"):
            if (name := node.field("name")) is not None:
                yield (name.text(), *_lines(node), True)
    if language in _TEST_CALLS:
        for node in root.find_all(
            kind=_TEST_CALLS[language],
            regex=r"^[xfXFP]?(it|test|specify|scenario|describe|context|It|Specify|Describe|Context|When)\b",
        ):
            if match := _TEST_CALL.match(node.text()[:300]):
                yield (match[4], *_lines(node), match[1] in _GROUPS)


def _lines(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.line + 1, span.end.line + 1


def _with_decoration(first: int, lines: Sequence[str]) -> int:
    while first > 1:
        above = lines[first - 2]
        start = first - 1 if _DECORATION.match(above) else _opening(first - 1, lines)
        if start is None:
            break
        first = start
    return first


def _opening(last: int, lines: Sequence[str]) -> int | None:
    """Return where a decoration starts that ends with a closing bracket on this line."""
    closing = lines[last - 1]
    if closing.strip() not in (")", ")]", "))"):
        return None
    margin = closing[: len(closing) - len(closing.lstrip())]
    for number in range(last - 1, max(0, last - _LONGEST_DECORATION), -1):
        line = lines[number - 1]
        if line.startswith(margin) and not line[len(margin) :][:1].isspace() and line.strip():
            return number if _DECORATION.match(line) else None
    return None


_DEFINED = re.compile(
    r"^(?:[ \t]*(?:[a-z]+[ \t]+)*(?:class|interface|struct|enum|trait|record|object|module|def|func|fn|fun|function)"
    r"(?:[ \t]*\([^)\n]*\))?|(?:export[ \t]+)?(?:const|let|var|val|type))[ \t]+\*?(\w+)"
    r"|^(\w+)[ \t]*(?::[^=\n]*)?=(?![=>])"
    r"|^[ \t]+(?:public|protected|static|export|pub)\b[^=;:(){}\n]*\b(\w+)[ \t]*[=;:]",
    re.MULTILINE,
)
"""A line that defines something which other code can name, in the ways of all languages."""
_COMPOUND = re.compile(r"\b(?:[a-zA-Z]\w*_[a-zA-Z]\w*|\w*[a-z][A-Z]\w*)\b")
"""A name that is not a word of a natural language."""


def defined_names(code: str) -> set[str]:
    """Return the names that code of any language defines; comments and texts in it are blank."""
    return set().union(*_DEFINED.findall(code))


def compound_names(code: str) -> set[str]:
    """Return the names in code of any language that are no words of a natural language."""
    return set(_COMPOUND.findall(code))
