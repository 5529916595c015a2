"""Parse a text by the grammar of its language in bounded work, and blank its comments and texts."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.pytext import parts

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LONGEST_RUN = 30
_FIRST, _LAST = 10, 5
"""First and last comments of a long run that the parser still gets: rules ask for comments beside a statement."""

_SPACE = " \t\f\r"


def parse(text: str, language: str) -> SgNode:
    """Return the root of a text's syntax tree, in which comments of long runs may be missing; see :func:`eased`.

    Args:
        text: The text, without lone surrogates.
        language: A language that ast-grep has a grammar of.
    """
    from ast_grep_py import SgRoot

    # Where statements end with the line, the last one would not.
    whole = text if text.endswith("\n") else f"{text}\n"
    return SgRoot(eased(whole, language), language).root()


def is_python(text: str) -> bool:
    """Return whether the Python that runs this can parse a text, for which no grammar has to be loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is odd and no error
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # also of numbers, and of what is too deep
            return False
    return True


def eased(text: str, language: str) -> str:
    """Return a text as the parser takes it: all but the ends of long runs of comments is blank, all else in its place.

    Behind a statement, Python's grammar reads on to the next line of code, and does so again at each comment: the work
    would grow with the square of their number.

    Args:
        text: The text.
        language: Its language.
    """
    numbers = spared(text, language)
    if not numbers:
        return text
    lines = text.split("\n")
    for number in numbers:
        lines[number] = " " * len(lines[number])
    return "\n".join(lines)


def spared(text: str, language: str) -> list[int]:
    r"""Return the lines, from 0, that the parser does not get: comments alone on a line, and a ``\`` among them.

    No line of code is one of them, even in a text that is broken: what begins with ``#`` is a comment, or in a string.
    """
    if language != "python" or text.count("#") + text.count("\\\n") + text.count("\\\r\n") <= _LONGEST_RUN:
        return []
    lines = text.split("\n")
    runs = [run for run in _runs(lines, frozenset()) if len(run) > _LONGEST_RUN]
    if runs:
        runs = [run for run in _runs(lines, _in_strings(text)) if len(run) > _LONGEST_RUN]
    return [number for run in runs for number in run[_FIRST:-_LAST]]


def _runs(lines: Sequence[str], in_strings: frozenset[int]) -> Iterator[list[int]]:
    """Yield the comments, and lines that only go on, between one line of code and the next."""
    run: list[int] = []
    continued = False
    for number, line in enumerate(lines):
        start = line.strip(_SPACE)
        if number in in_strings or (start and start[0] != "#" and start != "\\"):
            yield run
            run, continued = [], start.endswith("\\")
        elif start != "\\":
            continued = False
            if start:
                run.append(number)
        elif not continued:  # else it joins two lines of code
            run.append(number)
    yield run


def _in_strings(text: str) -> frozenset[int]:
    """Return the lines of a Python text, from 0, that begin within a string."""
    found: set[int] = set()
    number = at = 0
    for part in parts(text):
        more = text.count("\n", part.start, part.end)
        if more:
            number, at = number + text.count("\n", at, part.start), part.start
            found.update(range(number + 1, number + more + 1))
    return frozenset(found)


_KEY = re.compile(r"[\w.:/-]+")
"""Text that may name what code means: ``user["is_admin"]``."""


def live_lines(root: SgNode, language: str, lines: Sequence[str]) -> list[str]:
    """Return a file's lines with comments and texts as spaces, so that the code keeps its place.

    Args:
        root: Root of the parsed lines.
        language: Their language.
        lines: The lines that were parsed.
    """
    grammar = GRAMMARS[language]
    blanked = eased("\n".join(lines), language).split("\n")
    for node in root.find_all(any=[{"kind": kind} for kind in (*grammar.comments, *grammar.texts)]):
        span = node.range()
        if span.start.line == span.end.line and _is_key(node):
            continue
        for number in range(span.start.line, min(span.end.line + 1, len(blanked))):
            line = blanked[number]
            start = span.start.column if number == span.start.line else 0
            end = span.end.column if number == span.end.line else len(line)
            blanked[number] = line[:start] + " " * len(line[start:end]) + line[end:]
    return blanked


def _is_key(node: SgNode) -> bool:
    """Return whether a text is a single word, and stands for something more than itself."""
    if _KEY.fullmatch(node.text()) is None:
        return False
    literal = node.parent()
    holder = literal.parent() if literal is not None else None
    return holder is not None and holder.kind() != "expression_statement"
