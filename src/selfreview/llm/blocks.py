"""Secrets on other lines than their names, or in pieces: YAML, Kubernetes, joined literals, phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.llm.places import MARGIN
from selfreview.scan.randomness import looks_random
from selfreview.scan.secrets import scan

Extent = tuple[int, int, str]

_LINE = re.compile(rf"(?m)^{MARGIN}[ \t]*(?P<body>[^\n]*)")
_NAME_ALONE = re.compile(
    rf"(?mi)^{MARGIN}[ \t]*(?P<name>(?:-[ ])?[\"']?[\w.-]{{0,60}}(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|"
    rf"credential|(?:api|private|access|secret)[-_]?key)s?"
    r"[\"']?)[ ]{0,4}:[ ]{0,8}(?P<block>[|>][+-]?\d?)?[ \t\r]{0,40}$"
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


def block_values(text: str) -> Iterator[Extent]:
    """Yield the extents and the kinds of values on lines of their own, or in pieces."""
    yield from _below(text)
    yield from _cluster_secrets(text)
    yield from _joined(text)
    yield from _phrases(text)
    yield from _inserted(text)


def _below(text: str) -> Iterator[Extent]:
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
                yield start, start + len(body), "BLOCK"
            elif body and (item is None or _FIELD.match(body)):
                break
            elif item:
                yield start + item.start("value"), start + item.end("value"), "ITEM"


def _cluster_secrets(text: str) -> Iterator[Extent]:
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
                    yield start + field.start("value"), start + field.end("value"), "CLUSTER_SECRET"


def _joined(text: str) -> Iterator[Extent]:
    """Yield the pieces of literals that make up a token when they are joined."""
    for match in _JOINED.finditer(text):
        pieces = list(_PIECE.finditer(text, match.start(), match.end()))
        whole = "".join(piece[0][1:-1] for piece in pieces)
        if len(whole) < 16 or re.search(r"\s", whole) or not re.search(r"\d", whole):
            continue
        if (len(whole) >= 20 and re.fullmatch(r"[\w+/=-]+", whole) and looks_random(whole)) or scan(whole):
            for piece in pieces:
                yield piece.start() + 1, piece.end() - 1, "PART"


def _phrases(text: str) -> Iterator[Extent]:
    """Yield the words that a wallet is restored from."""
    for match in _PHRASE.finditer(text):
        words = match[0].split(" ")
        if len(words) in _PHRASE_SIZES and not _NOT_IN_PHRASES.intersection(words) and words != sorted(words):
            yield (*match.span(), "PHRASE")


def _inserted(text: str) -> Iterator[Extent]:
    """Yield what a statement of SQL puts into the columns of secrets."""
    for statement in _INSERT.finditer(text):
        names = statement["names"].split(",")
        secret = {number for number, name in enumerate(names) if _SECRET_COLUMN.search(name)}
        for row in _ROW.finditer(text, *statement.span("rows")) if secret else ():
            for number, field in enumerate(_SQL_FIELD.finditer(text, *row.span("fields"))):
                if number in secret and field["value"] and len(field["value"]) >= 3:
                    yield (*field.span("value"), "COLUMN")
