"""Redaction: possible secrets, found by form or place, are replaced before anything is sent and restored afterwards.

Detection gives many false alarms and few misses: it decides what leaves the machine, not what is reported, so a
harmless value more costs nothing but a word. The report (:mod:`~selfreview.secrets.scanner`) has the higher threshold;
all that it finds is here, too.
"""

from __future__ import annotations

import base64
import re
import secrets
import threading
import urllib.parse
from collections.abc import Iterable, Iterator

from selfreview.secrets.match import SuspectSpan
from selfreview.secrets.plausibility import looks_random
from selfreview.secrets.providers import PRIVATE_KEY_BEGIN, PRIVATE_KEY_END
from selfreview.secrets.scanner import scan
from selfreview.secrets.suspected_places import MARGIN, NUMBERED, SENSITIVE_NAMES, assigned_values, placed_values
from selfreview.text.masking import MASK

_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/-])[A-Za-z0-9_+/-]{20,}={0,2}(?![A-Za-z0-9_+/-])")
_WEB_TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}")
_BEGIN = re.compile(PRIVATE_KEY_BEGIN)
_END = re.compile(PRIVATE_KEY_END)
_FRAME = re.compile(r"[^\w\n]*-----(?:BEGIN|END)[ A-Z0-9]{1,60}-----[^\w\n]*")
_KEY_LINE = re.compile(r"[+\- \t>#*/\"'`]*(?:\d+[ \t]+[+-]?[ \t]*)?[A-Za-z0-9+/]{2,76}={0,2}[\"'`,;\\+ \tnr)]*")
_KEY_PART = re.compile(r"[A-Za-z0-9+/]{4,}={0,2}|[A-Za-z0-9+/]{2,3}={1,2}")
_MARK_AND_SPACE = re.compile(r"[+\- ]?[ \t>#*/\"'`]*")
_LONGEST_KEY = 20_000
_LONGEST_OPEN_KEY = 8_000


def _find_suspects(text: str) -> list[SuspectSpan]:
    """Return what could be a secret in a text, in order, without overlaps; no span holds a line break."""
    found = [SuspectSpan(match.start, match.end, _kind(match.rule)) for match in scan(text)]
    for finder in (
        assigned_values,
        _columns,
        placed_values,
        _below,
        _cluster_secrets,
        _joined_pieces,
        _phrases,
        _inserted,
        _keys,
        _tokens,
    ):
        found.extend(finder(text))
    return _flat(text, found)


def _kind(rule: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", rule.upper()).strip("_")


def _keys(text: str) -> Iterator[SuspectSpan]:
    """Yield the lines of private keys, also where only the start or the end of one can be seen."""
    for begin in _BEGIN.finditer(text):
        end = text.find("-----END", begin.end(), begin.end() + _LONGEST_KEY)
        stop = end if end >= 0 else begin.end() + _LONGEST_OPEN_KEY
        yield from _key_lines(text, begin.end(), stop, closed=end >= 0)
    for last in _END.finditer(text):
        stop = text.rfind("\n", 0, last.start()) + 1
        if "\\n" in text[stop : last.start()]:
            yield from _key_lines(text, text.rfind('"', stop, last.start()) + 1 or stop, last.start(), closed=True)
        while stop > 0:
            start = text.rfind("\n", 0, stop - 1) + 1
            if not _KEY_LINE.fullmatch(text[start : stop - 1].rstrip("\r")):
                break
            yield from _key_lines(text, start, stop, closed=True)
            stop = start


def _key_lines(text: str, start: int, stop: int, *, closed: bool) -> Iterator[SuspectSpan]:
    for line in re.finditer(r"[^\n]+", text[start:stop]):
        # Escaped line breaks, as in JSON: their letters are none of the key's.
        body = line[0].replace("\\n", "  ").replace("\\r", "  ")
        if not closed and body.strip("+- \t\r") and not _KEY_LINE.fullmatch(body.rstrip("\r")):
            return
        for part in _KEY_PART.finditer(body):
            first = start + line.start()
            yield SuspectSpan(first + part.start(), first + part.end(), "PRIVATE_KEY")


def _tokens(text: str) -> Iterator[SuspectSpan]:
    for match in _WEB_TOKEN.finditer(text):
        yield SuspectSpan(*match.span(), "WEB_TOKEN")
    for match in _TOKEN.finditer(text):
        value = match[0]
        if re.search(r"\d", value) and re.search(r"[A-Za-z]", value) and looks_random(value):
            yield SuspectSpan(*match.span(), "RANDOM")


def _flat(text: str, found: list[SuspectSpan]) -> list[SuspectSpan]:
    """Cut spans at line breaks and join those that overlap; the first names the kind."""
    lines = [piece for span in found for piece in _by_line(text, span)]
    flat: list[SuspectSpan] = []
    for span in sorted(lines, key=lambda s: (s.start, -s.end)):
        if flat and span.start < flat[-1].end:
            flat[-1] = flat[-1]._replace(end=max(flat[-1].end, span.end))
        else:
            flat.append(span)
    return flat


def _by_line(text: str, span: SuspectSpan) -> Iterator[SuspectSpan]:
    """Cut a span at line breaks; a diff's mark at the start of a line, and the space after it, is no part of it."""
    position = span.start
    for line in text[span.start : span.end].split("\n"):
        opens = position == 0 or text[position - 1] == "\n"
        mark = _MARK_AND_SPACE.match(line) if opens else None
        start = position + (mark.end() if mark else 0)
        end = position + len(line.rstrip("\r \t"))
        if text[start - 1 : start] == "\\" and text[start : start + 1] in ("n", "r", "t"):
            start += 1  # an escaped line break's letter
        if end > start and not _FRAME.fullmatch(line):
            yield span._replace(start=start, end=end)
        position += len(line) + 1


_LINE = re.compile(rf"(?m)^{MARGIN}[ \t]*(?P<body>[^\n]*)")
_NAME_ALONE = re.compile(
    rf"(?mi)^{MARGIN}[ \t]*(?P<name>(?:-[ ])?[\"']?[\w.-]{{0,60}}(?:{SENSITIVE_NAMES}|pass|secret[-_]?key)s?[\"']?)"
    r"[ ]{0,4}:[ ]{0,8}(?P<block>[|>][+-]?\d?)?[ \t\r]{0,40}$"
)
_FIELD = re.compile(r"[\"']?[\w./-]+[\"']?[ ]*:(?=[ ]|$)")
_ITEM = re.compile(r"(?:-[ ]+)?[\"']?(?P<value>[^\s\"'{}\[\]|>&*!#-][^\s\"']{3,400})[\"']?,?")
_KIND_SECRET = re.compile(rf"(?m)^{MARGIN}[ ]*kind:[ ]*[\"']?Secret\b")
_DATA = re.compile(r"(?:data|stringData):")
_DATA_FIELD = re.compile(r"[\"']?[\w./-]+[\"']?:[ ]+[\"']?(?P<value>[^\s\"'{|>][^\n]*?)[\"']?")
_INSERT = re.compile(
    r"(?i)insert\s+into[^\n(]{1,100}\((?P<names>[^()\n]{1,400})\)\s*values\s*(?"
    r"P<rows>\([^;]{1,4000})"
)
_ROW = re.compile(r"\((?P<fields>(?:'[^'\n]*'|[^'()\n])*)\)")
_SQL_FIELD = re.compile(r"[ ]*(?:'(?P<value>[^'\n]*)'|[^',]*)[^,]*(?:,|\Z)")
_SECRET_COLUMN = re.compile(r"(?i)pass|pwd|secret|token|api_?key|hash")
_LITERAL = r"\"[^\"\\\n]{2,200}\"|'[^'\\\n]{2,200}'"
_JOINT = rf"[ \t]*(?:[+.&\\][ \t]*)?(?:\r?\n{MARGIN}[ \t]*)?(?:[+.&][ \t]*)?"
_JOINED = re.compile(rf"[a-z]?(?:{_LITERAL})(?:{_JOINT}[a-z]?(?:{_LITERAL})){{1,12}}")
_PIECE = re.compile(_LITERAL)
_PHRASE = re.compile(r"(?<![\w-])[a-z]{3,8}(?:[ ][a-z]{3,8}){11,23}(?![\w-]| [a-z])")
_PHRASE_SIZES = frozenset((12, 15, 18, 21, 24))
_NOT_IN_PHRASES = frozenset(
    """
    the and for with from not are was were has had been its our their but his her she him may might must should would
    could does did which than them these those any every between before without because whether same other another
    """.split()  # noqa: SIM905 - a table to read
)
"""Words that are frequent in prose, and that no list of words for wallets has."""


def _below(text: str) -> Iterator[SuspectSpan]:
    """Yield the indented lines below a name of YAML that has no value on its own line."""
    for name in _NAME_ALONE.finditer(text):
        depth = name.start("name") - name.start()
        for line in _LINE.finditer(text, name.end() + 1):
            body, start = line["body"].rstrip(" \t\r"), line.start("body")
            inner = start - line.start() - depth
            item = _ITEM.fullmatch(body)
            if body and (inner < 0 or (inner == 0 and not body.startswith("- "))):
                break
            if body and name["block"]:
                yield SuspectSpan(start, start + len(body), "BLOCK")
            elif body and (item is None or _FIELD.match(body)):
                break
            elif item:
                yield SuspectSpan(start + item.start("value"), start + item.end("value"), "ITEM")


def _cluster_secrets(text: str) -> Iterator[SuspectSpan]:
    """Yield the values of a Kubernetes secret, whatever their names."""
    if "Secret" not in text or not _KIND_SECRET.search(text):
        return
    for document in re.finditer(rf"(?ms)(?:\A|^{MARGIN}---).*?(?=^{MARGIN}---|\Z)", text):
        whole = _KIND_SECRET.search(document[0]) is not None
        inside, indent = False, 0
        for line in _LINE.finditer(text, document.start(), document.end()) if whole else ():
            depth, body = line.start("body") - line.start(), line["body"].rstrip(" \t\r")
            if _DATA.fullmatch(body):
                inside, indent = True, depth
            elif inside and body:
                inside = depth > indent
                field = _DATA_FIELD.fullmatch(body) if inside else None
                if field:
                    start = line.start("body")
                    yield SuspectSpan(start + field.start("value"), start + field.end("value"), "CLUSTER_SECRET")


def _joined_pieces(text: str) -> Iterator[SuspectSpan]:
    """Yield the pieces of literals that make up a token when they are joined."""
    for match in _JOINED.finditer(text):
        pieces = list(_PIECE.finditer(text, match.start(), match.end()))
        whole = "".join(piece[0][1:-1] for piece in pieces)
        if len(whole) < 16 or re.search(r"\s", whole) or not re.search(r"\d", whole):
            continue
        if (len(whole) >= 20 and re.fullmatch(r"[\w+/=-]+", whole) and looks_random(whole)) or scan(whole):
            for piece in pieces:
                yield SuspectSpan(piece.start() + 1, piece.end() - 1, "PART")


def _phrases(text: str) -> Iterator[SuspectSpan]:
    """Yield the words that a wallet is restored from."""
    for match in _PHRASE.finditer(text):
        words = match[0].split(" ")
        if len(words) in _PHRASE_SIZES and not _NOT_IN_PHRASES.intersection(words) and words != sorted(words):
            yield SuspectSpan(*match.span(), "PHRASE")


def _inserted(text: str) -> Iterator[SuspectSpan]:
    """Yield what a statement of SQL puts into the columns of secrets."""
    for statement in _INSERT.finditer(text):
        names = statement["names"].split(",")
        secret = {number for number, name in enumerate(names) if _SECRET_COLUMN.search(name)}
        for row in _ROW.finditer(text, *statement.span("rows")) if secret else ():
            for number, field in enumerate(_SQL_FIELD.finditer(text, *row.span("fields"))):
                if number in secret and field["value"] and len(field["value"]) >= 3:
                    yield SuspectSpan(*field.span("value"), "COLUMN")


_COLUMN_MARGIN = re.compile(rf"(?:{NUMBERED}|[+\- ](?=\S))?")
_HEADING = re.compile(rf"[\w .-]{{0,40}}(?:{SENSITIVE_NAMES}|pass|\bpw|kennwort|passwort)", re.IGNORECASE)
_COLUMN_NAME = re.compile(r"[\w .-]{1,60}")
_SEPARATORS = ",;\t|"
_SHORTEST_CELL = 3


def _columns(text: str) -> Iterator[SuspectSpan]:
    """Yield values in a table's columns of secrets, below the heading as long as rows have as many cells."""
    wanted: list[int] = []
    separator, width, at = "", 0, 0
    for line in text.split("\n"):
        margin = _COLUMN_MARGIN.match(line)
        start = margin.end() if margin else 0
        row = line[start:].rstrip("\r")
        cells = _cells(row, separator) if separator else []
        if separator and len(cells) == width:
            for index in wanted:
                first, last = cells[index]
                if last - first >= _SHORTEST_CELL:
                    yield SuspectSpan(at + start + first, at + start + last, "COLUMN")
        else:
            separator, width, wanted = _heading(row)
        at += len(line) + 1


def _heading(row: str) -> tuple[str, int, list[int]]:
    """Return the separator, the number of columns and those of secrets; no separator where it is no such heading."""
    for separator in _SEPARATORS:
        if separator not in row or len(row) > 5_000:
            continue
        names = [row[first:last] for first, last in _cells(row, separator)]
        wanted = [index for index, name in enumerate(names) if _HEADING.fullmatch(name)]
        if wanted and all(_COLUMN_NAME.fullmatch(name) for name in names):
            return separator, len(names), wanted
    return "", 0, []


def _cells(row: str, separator: str) -> list[tuple[int, int]]:
    """Return the extents of a row's cells, without quotes and space around them."""
    found, at = [], 0
    for match in re.finditer(rf'[ ]*"(?:[^"]|"")*"[ ]*(?={re.escape(separator)}|$)|[^{re.escape(separator)}]*', row):
        if match.start() < at:
            continue
        cell = match[0]
        inner = cell.strip(' "')
        first = match.start() + (cell.find(inner) if inner else 0)
        found.append((first, first + len(inner)))
        at = match.end() + 1
    return found


_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORTEST_ENCODED = 8
_SHORTEST_SPLIT = 16
_WORDS = re.compile(r"[A-Za-z_. -]+|\d+")
_LONGEST_NAME = 120
"""Characters of a placeholder: those of a kind are the name of a rule."""
PLACEHOLDER = re.compile(r"REDACTED_[0-9a-f]{4,}_[A-Z0-9_]+?_[0-9]+_[0-9]+CHARS")
"""The form of every redactor's placeholders."""
_BEFORE_BREAK = "\"'\\ \t\r"
_AFTER_BREAK = " \t\"'"
_LINE_BREAK = re.compile(r"[\"'\\ \t\r]*\n[+\- ]?[ \t\"']*")


class Redactor:
    """Redactor of possible secrets; replaces the same value by the same placeholder for as long as it lives.

    A placeholder (``REDACTED_5be10c6a9f3d2714_PASSWORD_1_12CHARS``) is a word of any programming language, so that
    code keeps its shape: quotes stay around it, and a value of several lines keeps them. Its tag is random, so that
    no text can hold a placeholder that was not made here. May be used by several threads.

    Args:
        spared: Words of ours that are random and no secret, such as the mark of delimiters.
        tag: Hexadecimal digits in every placeholder, for output that must be repeatable; random where it is None.
    """

    def __init__(self, *, spared: Iterable[str] = (), tag: str | None = None) -> None:
        self._tag = tag if tag is not None else secrets.token_hex(8)
        placeholder = rf"REDACTED_{re.escape(self._tag)}_[A-Z0-9_]+?_[0-9]+_[0-9]+CHARS"
        self._ours = re.compile("|".join([placeholder, *map(re.escape, spared)]))
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._everywhere: dict[str, tuple[str, ...]] = {}
        self._commits: set[str] = set()
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """Number of different values that were replaced."""
        return len(self._values)

    def learn(self, text: str) -> None:
        """Find a text's secrets, so that they are replaced in every text, also where they are less recognizable."""
        self.redact(text)

    def redact(self, text: str) -> str:
        """Return a text with every value that could be a secret replaced; it has as many lines as before.

        Redacting it once more changes nothing.
        """
        parts: list[str] = []
        done = 0
        for span in _find_suspects(text):
            value = text[span.start : span.end]
            if not self._touches(text, span[:2]):
                everywhere = len(value) >= _SHORTEST_ENCODED and _WORDS.fullmatch(value) is None
                parts += (text[done : span.start], self._name(value, span.kind, everywhere=everywhere))
                done = span.end
        return self._known("".join([*parts, text[done:]]))

    def keep_hidden(self, before: str, after: str) -> None:
        """Hide values also where nothing identifies them as secrets any more, once an edit has removed that.

        Args:
            before: A file's text before the edit; empty where there was no file.
            after: Its text now.
        """
        shown_before, shown_after = self.redact(before), self.redact(after)
        with self._lock:
            known = [value for value in self._names if value not in self._everywhere]
        bare = [value for value in known if shown_after.count(value) > shown_before.count(value)]
        with self._lock:
            self._everywhere.update((value, ()) for value in bare)

    def restore(self, text: str) -> str:
        """Return a text with every placeholder of this redactor replaced by its value."""
        return self._ours.sub(lambda match: self._values.get(match[0], match[0]), text)

    def masked(self, text: str) -> str:
        """Return a model's words for people: secrets masked, and without what is left of its placeholders.

        What looks like the id of a commit stays where the model itself brought it up: it was shown no secret.
        """
        with self._lock:
            shown = self._values.keys() - self._commits
        redacted = self.redact(text)
        with self._lock:
            self._commits |= {name for name in self._values.keys() - shown if _COMMIT.fullmatch(self._values[name])}
            commits = {name: self._values[name] for name in self._commits}
        return PLACEHOLDER.sub(lambda match: commits.get(match[0], MASK), redacted)

    def _touches(self, text: str, extent: tuple[int, int]) -> bool:
        """Return whether an extent of a text overlaps a placeholder."""
        near = self._ours.finditer(text, max(0, extent[0] - _LONGEST_NAME), extent[1] + _LONGEST_NAME)
        return any(ours.start() < extent[1] and extent[0] < ours.end() for ours in near)

    def _name(self, value: str, kind: str, *, everywhere: bool = False) -> str:
        with self._lock:
            name = self._names.get(value)
            if name is None:
                name = f"REDACTED_{self._tag}_{kind}_{len(self._names) + 1}_{len(value)}CHARS"
                self._names[value] = name
                self._values[name] = value
            if everywhere and value not in self._everywhere:
                self._everywhere[value] = tuple(_encodings(value)) if len(value) >= _SHORTEST_ENCODED else ()
            return name

    def _known(self, text: str) -> str:
        """Replace the known values: as they are, encoded, or broken over lines."""
        with self._lock:
            known = sorted(self._everywhere.items(), key=lambda item: -len(item[0]))
        for value, encodings in known:
            for form in (value, *encodings):
                if form in text:
                    text = self._replaced(text, form)
        broken = [value for value, _ in known if len(value) >= _SHORTEST_SPLIT]
        return self._unbroken(text, broken) if broken and "\n" in text else text

    def _replaced(self, text: str, form: str) -> str:
        """Replace a form of a value wherever it occurs, except inside placeholders."""
        name = self._name(form, "ENCODED")
        pattern = re.compile(f"({self._ours.pattern})|{re.escape(form)}")
        return pattern.sub(lambda match: match[1] or name, text)

    def _unbroken(self, text: str, values: list[str]) -> str:
        """Replace values that continue on the next line, also behind a diff's mark or between quotes, line by line."""
        joined = _joined(text)
        if not any(value in joined for value in values):
            return text
        for value in values:
            if value not in joined:
                continue
            gap = f"(?:{_LINE_BREAK.pattern})?"
            for match in reversed(list(re.finditer(gap.join(map(re.escape, value)), text))):
                pieces = re.split(f"({_LINE_BREAK.pattern})", match[0])
                pieces[::2] = [self._name(piece, "PART") for piece in pieces[::2]]
                text = text[: match.start()] + "".join(pieces) + text[match.end() :]
        return text


def _joined(text: str) -> str:
    """Return a text without its line breaks and what belongs to them.

    It is what replacing the pattern of a break would give; that takes the square of the length of a run of blanks.
    """
    first, *others = text.split("\n")
    lines = [first, *((line[1:] if line[:1] in ("+", "-") else line).lstrip(_AFTER_BREAK) for line in others)]
    return "".join([*(line.rstrip(_BEFORE_BREAK) for line in lines[:-1]), lines[-1]])


def _encodings(value: str) -> Iterator[str]:
    """Yield a value as addresses and base64 show it, where that differs."""
    raw = value.encode("utf-8", "surrogatepass")
    quoted = urllib.parse.quote(raw, safe="")
    if quoted != value:
        yield quoted
    for shift in range(3):
        # What depends on the bytes before and after is left out.
        encoded = base64.b64encode(b"\0" * shift + raw).rstrip(b"=").decode()
        yield encoded[(0, 2, 3)[shift] : len(encoded) - ((shift + len(raw)) % 3 != 0)]
