"""A Python file for the judgement of its findings, each part made once, also where it cannot be parsed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from selfreview.api import SourceText
from selfreview.reviewers._ruff_dynamic import Dynamic, defined_by
from selfreview.reviewers._ruff_shape import Shape
from selfreview.syntax.parsing import parse
from selfreview.syntax.pytext import code_lines, parts

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TAG = re.compile(r"\{%[-+]?\s+\w")


class PythonFile:
    """One file's text; there may be as many findings in it as it has lines.

    Args:
        text: The file.
    """

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self.line: Callable[[int], str] = text.line

    @functools.cached_property
    def code(self) -> list[str]:
        """The lines without strings and comments."""
        return code_lines(self._text.text)

    @functools.cached_property
    def comments(self) -> dict[int, str]:
        """The comments, by line from 1."""
        text, found = self._text.text, {}
        number, at = 1, 0
        for part in parts(text):
            if part.is_comment:
                number, at = number + text.count("\n", at, part.start), part.start
                found[number] = text[part.start : part.end]
        return found

    @functools.cached_property
    def dynamic(self) -> Dynamic:
        """The names that are defined dynamically, by no visible definition."""
        return defined_by(self.code, self._text.text.split("\n"))

    @functools.cached_property
    def is_template(self) -> bool:
        """Return whether the text is a template that generates Python."""
        return any(map(_has_tag, self.code))

    @functools.cached_property
    def root(self) -> SgNode:
        """The root of its syntax tree."""
        return parse(self._text.text, "python")

    @functools.cached_property
    def shape(self) -> Shape:
        """The shape of its code."""
        return Shape(self.root)


def _has_tag(line: str) -> bool:
    """Return whether a line of code has a template's ``{{ name }}`` or ``{% tag %}``.

    It is looked for by single strings, not by a pattern with two ends, which would read on from each beginning anew.
    """
    start = line.find("{{")
    if start >= 0 and line.find("}}", start + 2) >= 0:
        return True
    tag = _TAG.search(line) if "%}" in line else None
    return tag is not None and line.find("%}", tag.end()) >= 0
