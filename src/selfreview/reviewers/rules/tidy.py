"""Normalisation of white space, comments and operators within a called name, where most people write none."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.languages import SCRIPTS

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
    text = called_plainly(text, root, language)
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
    return re.compile("|".join(ways))


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


def called_plainly(text: str, root: SgNode, language: str) -> str:
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
