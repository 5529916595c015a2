"""Text in the form that the parser accepts: long lines, the PHP in a page, unusual spellings of names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from selfreview.api import SourceText
from selfreview.rules.rule import Rule

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
