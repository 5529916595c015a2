"""Apply the rules of the pack to one side of a file: its spellings made plain, its breaks left out."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from selfreview.api import Finding
from selfreview.model.change import LineRange
from selfreview.reviewers.rules.broken import not_understood, without_breaks
from selfreview.reviewers.rules.source import Parseable, named_plainly, php_only, spelled
from selfreview.rules import Rule
from selfreview.syntax.parsing import eased, is_python, parse

if TYPE_CHECKING:
    from ast_grep_py import SgNode

FindBreak = Callable[[LineRange], Finding | None]
"""Function that returns the broken code of a file; called with the first lines that the parser rejects."""

OUT_OF_ORDER = frozenset({"python-unreachable", "javascript-unreachable", "javascript-duplicate-case"})
"""Rules that look at the order of statements."""

_LEAVES = re.compile(r"\b(?:return|raise|throw|break|continue|case)\b")


class RuleFinder:
    """Finder of what rules report on one side of a file.

    Args:
        path: The file's path.
        parsed: Its lines as the parser takes them.
        language: Its language.
        rules: Rules for that language.
    """

    def __init__(self, path: str, parsed: Parseable, language: str, rules: Sequence[Rule]) -> None:
        self._path, self._parsed, self._language = path, parsed, language
        self._before = "\n".join(parsed.lines)
        """The text until spellings are made plain."""
        text = spelled(self._before, language)
        if language == "php":
            self._before = php_only(text)
            text = named_plainly(self._before, rules)
        self._text = eased(text, language)
        self._wanted = [rule for rule in rules if not rule.coded and _may_match(rule, self._text)]
        leaves = _LEAVES.search(self._text) is not None
        self._ordered = {rule.id: rule for rule in rules if leaves and rule.id in OUT_OF_ORDER}

    def findings(self, find_break: FindBreak | None = None) -> Iterator[Finding]:
        """Yield what the rules find, and where the code is broken.

        Args:
            find_break: Asked where the parser did not understand all of the file; None: such places do not matter.
        """
        if not self._wanted and not self._ordered and (find_break is None or self._is_python()):
            return
        root = parse(self._text, self._language)
        lines = not_understood(root) if find_break is not None else []
        if find_break is None or not lines or (broken := find_break(lines[0])) is None:
            yield from self._apply(root, self._text, self._ordered)
            return
        yield broken
        # Which statement stands behind which is not known: such findings, and their fixes, would follow from the break.
        rest = without_breaks(self._text, self._language)
        again = itertools.chain(self._apply(root, self._text, {}), self._apply(parse(rest, self._language), rest, {}))
        yield from {(found.rule, found.line_start, found.column): found for found in again}.values()

    def _is_python(self) -> bool:
        return self._language == "python" and is_python(self._text)

    def _apply(self, root: SgNode, text: str, ordered: Mapping[str, Rule]) -> Iterator[Finding]:
        """Yield what rules find in a parsed text."""
        if not self._wanted and not ordered:
            return
        from selfreview.reviewers.rules.flow import flows
        from selfreview.reviewers.rules.grammar import GRAMMARS
        from selfreview.reviewers.rules.tidy import tidy

        if (tidied := tidy(text, root, self._language)) != text:
            text, root = tidied, parse(tidied, self._language)
        # hints only spare time, and on long lines they cost it
        relevant = [rule for rule in self._wanted if self._parsed.long or not rule.hint or re.search(rule.hint, text)]
        yield from self._matches(root, text, [rule for rule in relevant if rule.match])
        if ordered:
            from selfreview.reviewers.rules.statements import out_of_order

            yield from out_of_order(root, self._language, ordered, self._path)
        if flowing := [rule for rule in relevant if rule.flow]:
            yield from flows(root, flowing, GRAMMARS[self._language], self._path, text)

    def _matches(self, root: SgNode, text: str, rules: Sequence[Rule]) -> Iterator[Finding]:
        """Yield what rules find by patterns, without a fix that would write what was moved."""
        from selfreview.reviewers.rules.match import matches

        written = shown = self._parsed.lines
        if text != self._before:
            written, shown = self._before.split("\n"), text.split("\n")
        for found in matches(root, rules, self._path, self._parsed.lines):
            place = slice(found.line_start - 1, found.line_end)
            kept = not found.edits or written[place] == shown[place]
            yield found if kept else msgspec.structs.replace(found, edits=())


def _may_match(rule: Rule, text: str) -> bool:
    """Return whether a file has the words that a rule needs, whatever is between them."""
    return any(all(word in text for word in words) for words in words_of(rule.needs))


@functools.cache
def words_of(needs: tuple[str, ...]) -> list[list[str]]:
    """Return the words of each text that a rule needs: white space and comments may stand between them."""
    return [re.findall(r"\w+|[^\w\s()\[\]{}]+", need) for need in needs]
