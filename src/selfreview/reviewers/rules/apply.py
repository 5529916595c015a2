"""Apply the rules of the pack to one side of a file, and hold what they find against the version before the change."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from selfreview.api import Category, ChangedFile, Finding, IssueStatus, Place, Severity
from selfreview.model.change import LineRange, overlaps
from selfreview.reviewers.evidence import is_on_change, kept_lines, tied
from selfreview.reviewers.rules.match import Found, matches
from selfreview.reviewers.rules.parseable import (
    Parseable,
    named_plainly,
    not_understood,
    php_only,
    spelled,
    without_breaks,
)
from selfreview.rules import Rule
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.languages import SCRIPTS
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
        from selfreview.syntax.grammar import GRAMMARS

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
        written = shown = self._parsed.lines
        if text != self._before:
            written, shown = self._before.split("\n"), text.split("\n")
        for found in matches(root, rules, self._path, self._parsed.lines):
            place = slice(found.line_start - 1, found.line_end)
            kept = not found.edits or written[place] == shown[place]
            yield found if kept else msgspec.structs.replace(found, edits=())


def _may_match(rule: Rule, text: str) -> bool:
    """Return whether a file has the words that a rule needs, whatever is between them."""
    return any(all(map(text.__contains__, words)) for words in words_of(rule.needs))


@functools.cache
def words_of(needs: tuple[str, ...]) -> list[list[str]]:
    """Return the words of each text that a rule needs: white space and comments may stand between them."""
    return [re.findall(r"\w+|[^\w\s()\[\]{}]+", need) for need in needs]


_STOOD = "it stood there before, and the change touches only what is inside it"

Before = Callable[[frozenset[str | None]], Iterable[Finding]]
"""Finds what some rules, by their ids, found before the change."""


def compare(
    findings: Iterable[Finding], file: ChangedFile, old: Sequence[str], before: Before | None
) -> Iterator[Finding]:
    """Yield a file's findings, with those tied to the change that it makes on lines that it does not touch.

    Such a line has one place on the old side. Where the rule found nothing at that place, or less serious, or did not
    say of another line that the value goes there, the change makes the finding. So it is with one of which the change
    touches no more than the body: it is out of scope where it stood there before. One on changed lines is the change's.

    Args:
        findings: Those of the new side, with all places that they are about.
        file: The file.
        old: The lines of the old side.
        before: Asked only where a finding may have stood before; None where there is nothing to ask.
    """
    every = [_shortened(finding, file) for finding in findings]
    suspects = frozenset(found.rule for found, is_of_change in every if not is_of_change)
    known = _Known(before(suspects), file, old) if suspects and before is not None else None
    for finding, is_of_change in every:
        if is_of_change:
            yield finding
        else:
            yield _about(finding, finding.related) if known is None else known.judged(finding, file)


def _shortened(finding: Finding, file: ChangedFile) -> tuple[Finding, bool]:
    """Return a finding, and whether the changed lines show it: then with only the one place that shows it."""
    if is_on_change(finding, file) and not _only_inside(finding, file):
        return _about(finding, finding.related), True
    changed = [place for place in finding.related if overlaps(file.added, place.line_start, place.line_end)]
    return (_about(finding, changed), True) if changed else (finding, False)


def _only_inside(finding: Finding, file: ChangedFile) -> bool:
    """Return whether a change touches only the body of a finding; not for security, where that may widen a hole."""
    if not isinstance(finding, Found) or finding.body is None or finding.category is Category.SECURITY:
        return False
    parts = ((finding.line_start, finding.body.first - 1), (finding.body.last + 1, finding.line_end))
    return not any(overlaps(file.added, first, last) for first, last in parts if first <= last)


def _about(finding: Finding, places: Sequence[Place]) -> Finding:
    """Return a finding with the first of some places."""
    return msgspec.structs.replace(finding, related=tuple(places[:1]))


_Key = tuple[str | None, int, int | None]
"""A rule, and the line and column where a finding of it begins."""


class _Known:
    """Findings of the version before the change, by their place in it."""

    def __init__(self, found: Iterable[Finding], file: ChangedFile, old: Sequence[str]) -> None:
        self._runs = [run for run in kept_lines(file.spans, len(old)) if run[2]]
        self._severity: dict[_Key, Severity] = {}
        self._related: dict[_Key, set[int]] = {}
        for finding in found:
            key = finding.rule, finding.line_start, finding.column
            if key not in self._severity or finding.severity.at_least(self._severity[key]):
                self._severity[key] = finding.severity
            self._related.setdefault(key, set()).update(place.line_start for place in finding.related)

    def judged(self, finding: Finding, file: ChangedFile) -> Finding:
        """Return a finding that begins on an unchanged line, tied to the change where that makes it."""
        key = finding.rule, self._line_before(finding.line_start), finding.column
        if key not in self._severity:
            return tied(_about(finding, finding.related), file)
        fresh = [place for place in finding.related if self._line_before(place.line_start) not in self._related[key]]
        shown = _about(finding, fresh or finding.related)
        if fresh or not self._severity[key].at_least(finding.severity):
            return tied(shown, file)
        if not is_on_change(shown, file):
            return shown
        return msgspec.structs.replace(shown, status=IssueStatus.OUT_OF_SCOPE, status_reason=_STOOD)

    def _line_before(self, line: int) -> int:
        """Return where a line that the change does not touch was."""
        at, now, _ = self._runs[bisect.bisect(self._runs, line, key=lambda run: run[1]) - 1]
        return at + line - now


_WITHIN = re.compile(
    r"argument|call|invocation|creation|new_expression|member|attribute$|field_(expression|access)|selector|navigation"
    r"|binary|additive|assignment|parenthesi[sz]ed|scope|qualified|await|unary|comparison|boolean_op|concatenat|subscript"
    r"|index|element|conditional|ternary|macro|token_tree|reference|condition_clause|pair$|array$|^list$|tuple|spread|declarator|property_decl"
    r"|return|jump_|throw|substitution|interpolat|cast|parameter|decorator|annotation"
)
"""Node kinds in which a comment is only in the way; among statements, a rule may ask for an explanation."""

_OPENING = re.compile(r"\s*\(")
_GAP = r"(?:\s|\\\r?\n)"
_LAST_WORD = re.compile(r"(\.\s*)?(?<![\w$])[\w$]+\Z")
_NO_OWNER = frozenset(
    {
        "as", "async", "await", "case", "default", "defer", "delete", "do", "elif", "else", "except", "export",
        "extends", "finally", "for", "from", "get", "go", "goto", "guard", "if", "import", "in", "instanceof", "is",
        "not", "of", "or", "and", "raise", "return", "set", "static", "switch", "then", "throw", "throws", "try",
        "typeof", "unless", "until", "val", "var", "let", "const", "void", "when", "where", "while", "with", "yield",
    }
)  # fmt: skip
"""Words that a name with a dot before it does not belong to."""
_PLACE = re.compile(r"""(?:[^\n(\[{,;"'`#/]|\(\)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')*[(\[{,]?""")
"""Places to which white space can move without harm: behind the next bracket or comma, or the end of the line."""

_BLANK = re.compile(r"[^\n]")


def tidy(text: str, root: SgNode, language: str) -> str:
    """Return code in which what is within and behind the names of calls is moved behind the opening bracket.

    Lines and the length of the text stay; most columns do.

    Args:
        text: The code.
        root: Root of what it was parsed to.
        language: Its language.
    """
    grammar = GRAMMARS[language]
    if not grammar.operators:
        return text
    text, opaque = _without_comments(text, root, language)
    text = _called_plainly(text, root, language)
    found = list(_gaps(text, language))
    if not found:
        return text
    opaque += [_extent(node) for node in _all(root, (*grammar.texts, *grammar.opaque))]
    brackets: set[int] | None = None
    moves: list[tuple[int, int, str]] = []
    starts = [start for start, _ in sorted(opaque)]
    ends = [end for _, end in sorted(opaque)]
    for start, end, kept in found:
        before = bisect.bisect_right(starts, start) - 1
        if before >= 0 and start < ends[before]:
            continue
        if not kept and text[end] == "(":
            if brackets is None:
                brackets = {_extent(node)[0] for node in _all(root, grammar.arguments)}
            if end not in brackets:
                continue
        moves.append((start, end, kept))
    return _moved(text, moves)


def _without_comments(text: str, root: SgNode, language: str) -> tuple[str, list[tuple[int, int]]]:
    """Return code without the comments within expressions, and the places of the other comments."""
    if "/*" not in text and "//" not in text and "#" not in text:
        return text, []
    parts: list[str] = []
    others: list[tuple[int, int]] = []
    position = 0
    for node in _all(root, GRAMMARS[language].comments):
        start, end = _extent(node)
        parent = node.parent()
        if parent is None or not _is_in_the_way(text, start, end, parent.kind()):
            others.append((start, end))
        elif start >= position:
            parts += [text[position:start], _BLANK.sub(" ", text[start:end])]
            position = end
    return ("".join([*parts, text[position:]]) if parts else text), others


def _is_in_the_way(text: str, start: int, end: int, parent: str) -> bool:
    """Return whether a comment is within an expression, and no rule looks for it."""
    if "@ts-" in text[start:end]:
        return False
    return _WITHIN.search(parent) is not None or (
        text[start] == "/" and "catch" not in parent and _OPENING.match(text, end) is not None
    )


def _gaps(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield the gaps within called names: their start and end, and the part that has to remain."""
    script = language in SCRIPTS
    for gap in _pattern(language).finditer(text):
        start, end = gap.span()
        operator = gap["operator"]
        if operator is not None:
            kept = "." if script and operator == "?." and gap["called"] is not None else operator
            if kept != gap[0] and _has_owner(text, start) and not text.startswith("import", end):
                yield start, end, kept
        elif script and gap["key"] is not None:
            if gap[0][0] in "[?" or _has_owner(text, start):
                yield start, end, f".{gap['key']}"
        elif text[end] != "!" or _has_owner(text, start):
            yield start, end, ""


@functools.cache
def _pattern(language: str) -> re.Pattern[str]:
    script = language in SCRIPTS
    called = r"(?=(?P<called>[\w$]+(?:\s*\??\.\s*[\w$]+){0,20}\s*(?:\?\.\s*)?\()?)" if script else "(?P<called>)"
    ways = [
        rf"(?:(?<=[\w$)\]}}\"'`])|(?<=\w[?!])){_GAP}*(?P<operator>{GRAMMARS[language].operators}){_GAP}*(?=[A-Za-z_$]){called}",
        rf"(?<=[\w$!?)]){_GAP}+(?=[(])",
    ]
    if language == "rust":
        ways.append(rf"(?<=\w){_GAP}+(?=!{_GAP}*[(\[{{])")
    if script:
        ways += [
            r"(?<=[\w$)\]])[ \t]*+(?:\?\.\s*+)?\[\s*+(?P<quote>[\"'`])(?P<key>[A-Za-z_$][\w$]*)(?P=quote)\s*\]",
            r"(?<=[\w$)\]])\s*\?\.\s*(?=\()",
        ]
    # Said first what a gap can begin with, the rest is not even tried at most characters.
    return re.compile(rf"(?=[\s\\.?:&!\[-])(?:{'|'.join(ways)})")


def _has_owner(text: str, position: int) -> bool:
    word = _LAST_WORD.search(text, max(0, position - 30), position)
    return word is None or word[1] is not None or not (word[0] in _NO_OWNER or word[0].isdigit())


def _moved(text: str, moves: Collection[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    waiting, position = "", 0
    for start, end, kept in [*moves, (len(text), len(text), "")]:
        piece = text[position:start]
        if waiting and (place := _PLACE.match(piece)) is not None and (place.end() < len(piece) or start == len(text)):
            piece, waiting = f"{piece[: place.end()]}{waiting}{piece[place.end() :]}", ""
        elif waiting and piece.endswith(("(", "[", "{", ",")):
            piece, waiting = piece + waiting, ""
        parts += [piece, kept]
        blanks = "".join(re.findall(_GAP, text[start:end]))
        waiting += blanks.rjust(end - start - len(kept))
        position = end
    return "".join([*parts, waiting])


def _all(root: SgNode, kinds: Collection[str]) -> Iterator[SgNode]:
    yield from root.find_all(any=[{"kind": kind} for kind in kinds])


def _extent(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.index, span.end.index


_CALLS = {
    "typescript": ("call_expression", "new_expression"),
    "tsx": ("call_expression", "new_expression"),
    "javascript": ("call_expression",),
    "python": ("call",),
    "go": ("call_expression",),
    "csharp": ("invocation_expression",),
    "c": ("call_expression",),
    "cpp": ("call_expression",),
}
_TYPE_ARGUMENTS = frozenset({"type_arguments", "type_argument_list"})
_NAMES = re.compile(r"identifier|attribute|(?:member|selector|member_access|field)_expression")
_CASTS = frozenset({"as_expression", "satisfies_expression", "non_null_expression", "parenthesized_expression"})
_DRESSED = re.compile(r"[>!)]\s*\(")
"""Behind a name alone stands a bracket, and nothing else."""
_VISIBLE = re.compile(r"[^\n]")


def _called_plainly(text: str, root: SgNode, language: str) -> str:
    """Return code of the same length and lines in which nothing is between a called name and its bracket.

    Args:
        text: The code.
        root: Root of what it was parsed to.
        language: Its language.
    """
    if language not in _CALLS or _DRESSED.search(text) is None:
        return text
    parts: list[str] = []
    position = 0
    for start, end in sorted(_dress(root, language)):
        if start >= position and not (language == "python" and "\n" in text[start:end]):
            parts += [text[position:start], _VISIBLE.sub(" ", text[start:end])]
            position = end
    return "".join([*parts, text[position:]])


def _dress(root: SgNode, language: str) -> Iterator[tuple[int, int]]:
    for call in root.find_all(any=[{"kind": kind} for kind in _CALLS[language]]):
        called = next((part for part in call.children() if part.is_named()), None)
        yield from (_extent(part) for part in call.children() if part.kind() in _TYPE_ARGUMENTS)
        if called is None:
            continue
        last = called.children()[-1:]
        if last and last[0].kind() == "generic_name":
            yield from (_extent(part) for part in last[0].children() if part.kind() in _TYPE_ARGUMENTS)
        (start, end), inner = _extent(called), called
        while inner.kind() in _CASTS and (named := inner.named_children()):
            inner = named[0]
        if _NAMES.fullmatch(inner.kind()) is not None:
            yield from ((start, _extent(inner)[0]), (_extent(inner)[1], end))
