"""Text in the form that the parser accepts, and code that the grammar of its language does not understand."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from selfreview.api import ChangedFile, Finding, Severity, SourceText
from selfreview.model.change import HunkSpan, LineRange
from selfreview.rules.rule import Rule
from selfreview.syntax.file_kinds import is_test_data
from selfreview.syntax.languages import language_before
from selfreview.syntax.parsing import parse

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

LONG_LINE = 2_000
"""Characters of a line above which patterns that read the text itself, instead of the syntax, may take very long."""

MAX_CODE = 20_000
"""Characters of code on one line: the parser counts every column from the start of the line."""

_DATA = re.compile(r"(?:[\w+/\\, -]|\.(?=[\s\d])){200,}")
"""Prose, numbers and encoded bytes: they make a line long without making it slow."""
_ENDLESS_WORD = re.compile(r"\w{200,}")
_LONGEST_WORD = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


class Parseable(NamedTuple):
    """A file for the parser.

    Attributes:
        lines: Its lines; those that hold too much code are empty.
        long: Numbers of the long lines that are not; endless words in them are cut short.
        left_out: Numbers of the lines that hold too much code.
    """

    lines: list[str]
    long: frozenset[int]
    left_out: frozenset[int]


def parseable(source: SourceText) -> Parseable:
    """Return a file's lines for the parser; every character that stays keeps its column.

    The parser refuses lone surrogates: they are replaced one for one. Of endless words, which only data holds, the
    start stays, because a pattern may try each of their characters as the start of a name; a name is a name as before.
    """
    lines = list(source.lines)
    left_out, long = set(), set()
    for number, line in enumerate(source.lines, 1):
        if len(line) <= LONG_LINE:
            continue
        if len(line) - sum(len(data[0]) for data in _DATA.finditer(line)) > MAX_CODE:
            left_out.add(number)
            lines[number - 1] = ""
        else:
            long.add(number)
            lines[number - 1] = _ENDLESS_WORD.sub(lambda word: word[0][:_LONGEST_WORD].ljust(len(word[0])), line)
    if not source.is_utf8:
        lines = [_SURROGATE.sub("\ufffd", line) for line in lines]
    return Parseable(lines, frozenset(long), frozenset(left_out))


def short_lines(source: SourceText) -> list[str]:
    """Return a file's lines as :func:`parseable` does, with every long one empty."""
    return ["" if len(line) > LONG_LINE else _SURROGATE.sub("\ufffd", line) for line in source.lines]


_OPENING = re.compile(r"<\?(?:php\b|=|(?=\s))", re.IGNORECASE)
_PHP_TOKEN = re.compile(
    r"'(?:\\.|[^'\\])*+'?|/\*.*?(?:\*/|\Z)|(?://|#(?!\[))[^\n]*?(?=\?>|\n|\Z)|\?>|[\"`{}]"
    r"|<<<[ \t]*(?P<quote>['\"]?)(?P<label>[^\W\d]\w*)(?P=quote)(?=[\r\n])",
    re.DOTALL,
)
_FIELD = r"\{(?=\$)|\$\{"
_QUOTED = {quote: re.compile(rf"\\.|{_FIELD}|{quote}", re.DOTALL) for quote in '"`'}
_ROOM = re.compile(r" (?!\w)")
"""Blank behind ``<?=`` that can hold the last letter of ``echo``: no word may follow, which would grow by it."""
_CALLED = re.compile(r"(?<![\w$>:])[A-Za-z_]\w*(?=\s*\(|\s+[$\"'])")
_SMALL = re.compile(r"[a-z_][a-z0-9_]+")
_VISIBLE = re.compile(r"[^\n]")


def php_only(text: str) -> str:
    """Return a page with everything but its PHP made blank, of the same length and lines.

    ``<?=`` becomes ``echo``, where the markup before it or a space after it lends the columns. A text without any
    opening tag is taken to be all PHP.
    """
    parts: list[str] = []
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        before, start = _VISIBLE.sub(" ", text[position : opening.start()]), opening.end()
        tag = " " * len(opening[0])
        if opening[0] == "<?=" and before.endswith("  "):
            before, tag = before[:-2], "echo "
        elif opening[0] == "<?=" and _ROOM.match(text, start):
            tag, start = "echo", start + 1
        closing, code_end = _end(text, start)
        position = min(closing + 2, len(text))
        parts += [before, tag, text[start:code_end], " " * (closing - code_end), "; "[: position - closing]]
    return "".join([*parts, _VISIBLE.sub(" ", text[position:])]) if parts else text


def is_made_php(old: str, new: str) -> bool:
    """Return whether a change turns a page that was all markup into code."""
    return _OPENING.search(old) is None and _OPENING.search(new) is not None


def named_plainly(text: str, rules: Iterable[Rule]) -> str:
    """Return code with the names of functions that rules know in lower case: PHP accepts them in any case."""
    if not any(not name[0].islower() for name in _CALLED.finditer(text)):
        return text
    known = {word for rule in rules for word in _SMALL.findall(repr((rule.needs, rule.match, rule.flow)))}
    return _CALLED.sub(lambda name: small if (small := name[0].lower()) in known else name[0], text)


def _end(text: str, start: int) -> tuple[int, int]:
    """Return where the closing tag is that is not within a string or a comment, or the end of the text.

    With it comes where the code before it ends: a comment on its line ends with the tag, and would go on without it.
    """
    last = None
    opened = [_PHP_TOKEN]  # how to read on here, and behind each text and each field of one that stands open
    position = start
    while (token := opened[-1].search(text, position)) is not None:
        position = token.end()
        if token[0] == "?>" and len(opened) == 1:
            is_comment = last is not None and last.end() == token.start() and last[0].startswith(("//", "#"))
            return token.start(), last.start() if last is not None and is_comment else token.start()
        _open_or_close(opened, token)
        last = token
    return len(text), len(text)


def _open_or_close(opened: list[re.Pattern[str]], token: re.Match[str]) -> None:
    """Add how to read on behind a token that opens something, or take away what it closes."""
    if opened[-1] is not _PHP_TOKEN:
        if token[0] in ("{", "${"):
            opened.append(_PHP_TOKEN)
        elif not token[0].startswith("\\"):
            opened.pop()
    elif token["label"]:
        opened.append(_heredoc(token))
    elif token[0] in _QUOTED:
        opened.append(_QUOTED[token[0]])
    elif token[0] == "{" and len(opened) > 1:
        opened.append(_PHP_TOKEN)
    elif token[0] == "}" and len(opened) > 1:
        opened.pop()


def _heredoc(opening: re.Match[str]) -> re.Pattern[str]:
    """Return what means something in a text whose lines end with a label."""
    end = rf"[\r\n][ \t]*{opening['label']}(?!\w)"
    return re.compile(end if opening["quote"] == "'" else rf"\\[^\r\n]|{_FIELD}|{end}")


_ESCAPE = r"\\u+(?:00[0-9a-fA-F]{2}|\{0*[0-9a-fA-F]{1,2}\})"
_CODE = re.compile(r"\\u+\{?([0-9a-fA-F]+)\}?")
_ESCAPED_NAME = re.compile(rf"(?<![\\\w$])[\w$]*(?:{_ESCAPE}[\w$]*)+")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u+00([0-9a-fA-F]{2})")
_LINE_FEED = re.compile(r"\\u+000[aAdD]")
"""A line that ends for the compiler, and with it a comment, but not for the parser."""
_WORD = re.compile(r"[\w$]+")
_NAME = re.compile(r"[^\W\d]\w*")
_SPLICED_NAME = re.compile(r"\w+(?:\\\r?\n\w+)+")
_SPLICED_COMMENT = re.compile(r"(\*|/)((?:\\\r?\n)+)(/|\*)")
_SPLICE = re.compile(r"\\\r?\n")
_QUOTED_NAME = re.compile(r"(?<![\w`])`(\w+)`(?=\s*\()")
_VERBATIM_NAME = re.compile(r"\.@([A-Za-z_]\w*)")
_KEYWORDS = frozenset(
    {"as", "in", "is", "if", "for", "fun", "func", "init", "object", "self", "super", "when", "while"}
)


def spelled(text: str, language: str) -> str:
    """Return code with its names as they are usually written; lines stay, and columns where they can.

    Args:
        text: The code.
        language: Its language.
    """
    if language == "python" and not text.isascii():
        return _NAME.sub(lambda name: _plain(name[0]), text)
    if language in ("c", "cpp", "bash") and "\\\n" in text.replace("\r", ""):
        text = _SPLICED_NAME.sub(lambda name: _joined(name[0]), text)
        return text if language == "bash" else _SPLICED_COMMENT.sub(r"\1\3\2", text)
    if language in ("kotlin", "swift") and "`" in text:
        return _QUOTED_NAME.sub(lambda name: name[0] if name[1] in _KEYWORDS else f"{name[1]}  ", text)
    if language == "csharp" and ".@" in text:
        text = _VERBATIM_NAME.sub(r".\1 ", text)
    if "\\u" not in text:
        return text
    if language == "java":
        return "\n".join(_decoded(line) for line in text.split("\n"))
    if language in ("javascript", "typescript", "tsx", "csharp"):
        return _ESCAPED_NAME.sub(lambda name: _unescaped(name[0]), text)
    return text


def _plain(name: str) -> str:
    """Return a name as Python knows it, where that is ASCII."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return plain if plain.isascii() else name


def _joined(name: str) -> str:
    return "".join([*_SPLICE.split(name), *_SPLICE.findall(name)])


def _unescaped(name: str) -> str:
    plain = _CODE.sub(lambda code: chr(int(code[1], 16)), name)
    return plain.ljust(len(name)) if plain.isascii() and _WORD.fullmatch(plain) else name


def _decoded(line: str) -> str:
    """Return a line of Java as its compiler reads it, before it looks for comments and texts."""
    if "\\u" not in line:
        return line
    *before, last = _LINE_FEED.split(line)
    before = [f"{code}/*{comment}*/" if mark else code for code, mark, comment in (b.partition("//") for b in before)]
    whole = " ".join([*before, last])
    return _ESCAPED.sub(lambda code: code[1] + _character(int(code[2], 16)), whole).ljust(len(line))


def _character(code: int) -> str:
    return chr(code) if 0x20 <= code < 0x7F else " "


LONGEST = 500_000
"""Characters of a text above which no person wrote it."""
_MAX_ERRORS = 500
_NEAR = 2
"""Lines below the first line of an error on which syntax unknown to the grammar may be; and one above it."""

_EXACT = frozenset({"javascript", "typescript", "tsx", "go", "java", "ruby", "php", "rust"})
"""Languages of whose valid files the grammar understands next to all: a new file that it does not is broken."""
_PAIRED = _EXACT - {"ruby"}
"""Languages in which each bracket of code has its counterpart, and is a token."""

_BROKEN = cast("Config", {"rule": {"any": [{"kind": "ERROR"}, {"regex": "^$"}]}})
"""Nodes that the parser did not understand, or without text, as are the tokens that it inserted for missing ones."""
_BRACKET = cast("Config", {"rule": {"regex": r"^[^\w\s]{0,2}[\[\](){}]$"}})
_MAY_BE_EMPTY = re.compile(r".*_content|multiline_comment")

_SCRIPT = (
    r"(?:^|[<,])\s*(?:const\s+)?(?:in|out)\s|^\s*(?:in|instanceof)(?![a-zA-Z])|\baccessor\b|\bas\b"
    r"|\b(?:import|export)\s+(?:type|defer|source|default\s+(?:async\s+)?function)\b|\bassert\b|\bimport[(.]"
)
_MARKUP = rf"{_SCRIPT}|(?<!&)&(?!&)"
_MACRO = r"^\s*#|\b[A-Z][A-Z\d_]{2,}\b|\bva_arg\b"
_LATER = {
    "javascript": rf"{_MARKUP}|^\s*\[|\b(?:class|for|default|in|new|if)=",
    "typescript": rf"{_SCRIPT}|^\s*<",
    "tsx": _MARKUP,
    "java": r"\bimport\s+module\b|\b(?:this|super)\s*\(|\bvalue\s+(?:class|record)\b|@\w+\s*\.\.\.",
    "go": r"\bnew\(",
    "php": r"\(void\)|(?i:\bclone\s*\(|\b(?:class\s+readonly|readonly\s+p\w+)\b|\(set\)|\bfinal\b[^(){};]*\$)|\$\w+\{",
    "ruby": r"\$[^\w\s]|^\s*(?:&&|\|\||and\b|or\b)|\bdef\b.*=\s",
    "rust": r"\bstr!|\b(?:safe|gen|auto|const\s+impl|trait\s+\w+\s*=)\b|#\[rustfmt|~",
    "csharp": r"^\s*#|\bextension\s*[(<]|\ballows\b|\boperator\b|\basync\b|\bfield\b|\?[.\[].*=|\[\s*\w+\s*[],]",
    "kotlin": r"\bcontext\s*\(|^\s*import\b|\bfun\s+interface\b|\bby\b|=\s*\[|\$\$|\bconstructor\b",
    "bash": r"<<<|\$\{[^}]*[][{]",
    "c": _MACRO,
    "cpp": _MACRO,
}
"""Syntax that compilers know and the grammar of the language does not; it may be on the first lines of an error."""
_FILLED_IN = r"\{\{-?\s*[\w.$]+[^{}]*\}\}"
_OTHER = re.compile(r"<%[=\s-]|\{%|@(?:no)?flow\b|__halt_compiler", re.IGNORECASE)
"""Signs of a text in another language: a template, or JavaScript with types."""


def not_understood(root: SgNode) -> list[LineRange]:
    """Return the lines that a parser did not understand or missed, except macros in Rust, which hold any tokens."""
    found = (node for node in root.find_all(_BROKEN) if node.kind() == "ERROR" or _is_missing(node))
    spans = [node.range() for node in found if all(parent.kind() != "token_tree" for parent in node.ancestors())]
    return [LineRange(span.start.line + 1, span.end.line + 1) for span in spans]


def _is_missing(node: SgNode) -> bool:
    """Return whether a node without text is a token that the parser inserted."""
    return node.is_leaf() and node.parent() is not None and _MAY_BE_EMPTY.fullmatch(node.kind()) is None


def broken(
    rule: Rule, file: ChangedFile, language: str, parsed: Parseable, *, new: SourceText, old: SourceText | None
) -> Finding | None:
    """Return the first place that a change breaks, unless something was broken before or may be valid.

    Args:
        rule: What to say.
        file: The file.
        language: Its language.
        parsed: Its lines as the parser gets them.
        new: Its text.
        old: Its text before the change, or None where there was none.
    """
    if not _is_whole(parsed) or (old is None and language not in _EXACT):
        return None
    root = _parsed(language, parsed.lines)
    errors = not_understood(root)
    if not errors:
        return None
    spans = file.spans
    if old is None:
        if not _means_something(language, new, _first_lines(errors), errors):
            return None
    else:
        before, old_lines = language_before(file, old), parseable(old).lines
        if before is None or not_understood(_parsed(before, old_lines)):
            return None
        # What was understood is no later syntax: only the lines that came may be, unless brackets are open.
        if not (language in _PAIRED and _is_open(root)) and not _means_something(
            language, new, _added_lines(file, errors), errors
        ):
            return None
        spans = (_breaking(language, old_lines, parsed.lines, spans),) if spans else spans
    place = min(_place(errors, _changed(spans)), len(new.lines))
    severity = Severity.LOW if is_test_data(file.path) else rule.severity
    return rule.finding(file.path, place, severity=severity)


def _is_whole(parsed: Parseable) -> bool:
    """Return whether the parser gets all of a file, and a person may have written it."""
    return not parsed.left_out and not parsed.long and sum(map(len, parsed.lines)) <= LONGEST


def _parsed(language: str, lines: Sequence[str]) -> SgNode:
    """Return the tree of a text, of which the parser gets these lines."""
    text = "\n".join(lines)
    return parse(php_only(text) if language == "php" else text, language)


def _means_something(language: str, source: SourceText, lines: Iterable[int], errors: Sequence[LineRange]) -> bool:
    """Return whether a text is all of its language, and none of these lines of a later version than the grammar."""
    if _OTHER.search(source.text) is not None or (language == "php" and "<?" not in source.text):
        return False
    later = re.compile("|".join(filter(None, (_LATER.get(language), _FILLED_IN))))
    return len(errors) <= _MAX_ERRORS and not any(later.search(source.line(number)) for number in set(lines))


def _first_lines(errors: Sequence[LineRange]) -> Iterator[int]:
    """Yield the lines at which the grammar stopped to understand."""
    for error in errors:
        yield from range(error.first - 1, error.first + _NEAR + 1)


def _added_lines(file: ChangedFile, errors: Sequence[LineRange]) -> Iterator[int]:
    """Yield the added lines in and next to what the grammar does not understand, which may be all of the file."""
    for error in errors:
        for lines in file.added:
            last = max(error.last, error.first + _NEAR)
            yield from range(max(lines.first, error.first - 1), min(lines.last, last) + 1)


def _is_open(root: SgNode) -> bool:
    """Return whether brackets do not pair, which no version of a language allows."""
    found = Counter(
        node.kind()[-1] for node in root.find_all(_BRACKET) if node.is_leaf() and node.kind() == node.text()
    )
    return any(found[opens] != found[closes] for opens, closes in ("()", "[]", "{}"))


def _breaking(language: str, old: Sequence[str], new: Sequence[str], spans: Sequence[HunkSpan]) -> HunkSpan:
    """Return a hunk up to which, from the top, a text was understood and with which it is not."""
    low, high = 0, len(spans)
    while high - low > 1:
        middle = (low + high) // 2
        last = spans[middle - 1]
        rest = last.old_start + max(last.old_count - 1, 0)  # of nothing, the line above is named
        upto = last.new_start + max(last.new_count - 1, 0)
        if not_understood(_parsed(language, [*new[:upto], *old[rest:]])):
            high = middle
        else:
            low = middle
    return spans[high - 1]


def _changed(spans: Iterable[HunkSpan]) -> list[LineRange]:
    """Return the lines of the new side that hunks touch; of a removal, those around it."""
    return [LineRange(span.new_start, span.new_start + max(span.new_count - 1, not span.new_count)) for span in spans]


def _place(errors: Sequence[LineRange], changed: Sequence[LineRange]) -> int:
    """Return the line of a break: where the smallest error on or next to changed lines begins, or the change in it.

    The parser may notice a bracket that is missing only at the end of the file: then the last change before that.
    """
    for error in sorted(errors, key=lambda error: (error.size, error.first)):
        for lines in changed:
            if lines.first <= error.last + 1 and error.first - 1 <= lines.last:
                return max(1, min(max(error.first, lines.first), error.last))
    above = [lines.first for lines in changed if lines.first <= errors[0].first]
    return max(1, above[-1] if above else errors[0].first)


def without_breaks(text: str, language: str) -> str:
    """Return a text in which pieces that cannot be parsed by themselves are blank, so that the rest can be parsed.

    A piece is a line with what is indented below it, and the bracket or word that closes it; of a piece that cannot be
    parsed, what is indented stays as far as it can be.

    Args:
        text: Code that was not understood as a whole.
        language: Its language.
    """
    lines = text.split("\n")
    kept = [""] * len(lines)
    left = [(0, len(lines))]
    for _ in range(_DEEPEST):
        deeper = []
        for first, last in itertools.chain.from_iterable(_pieces(lines, *span) for span in left):
            piece = lines[first:last]
            if not not_understood(parse("\n".join(piece), language)):
                kept[first:last] = piece
            elif last - first > 1:
                deeper.append((first + 1, last))
        left = deeper
    return "\n".join(kept)


_DEEPEST = 3
"""Levels of indentation that are looked into: a class, its method, and what is in that."""
_CLOSES = re.compile(r"\s*(?:[)\]}*]|(?:end|else|elif|elsif|fi|done|esac|rescue|ensure|catch|finally)\b|$)")


def _pieces(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the first line and the one after the last of each piece between two lines."""
    indents = [len(line) - len(line.lstrip()) for line in lines[first:last] if not _CLOSES.match(line)]
    least = min(indents, default=0)
    starts = [
        number
        for number in range(first, last)
        if not _CLOSES.match(lines[number]) and len(lines[number]) - len(lines[number].lstrip()) <= least
    ]
    yield from itertools.pairwise([*starts, last])
