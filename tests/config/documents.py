"""Random TOML documents, written out together with the line of everything in them."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import strategies as st

Path = tuple[str | int, ...]

BARE = st.text("abAB_-01", min_size=1, max_size=3)
ODD = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=4)
KEYS = BARE | ODD


@dataclasses.dataclass
class Document:
    """Text under construction.

    Attributes:
        text: What is written so far.
        lines: Place to line, as it should be found.
    """

    text: str = ""
    lines: dict[Path, int] = dataclasses.field(default_factory=dict)

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def note(self, path: Path) -> None:
        self.lines.setdefault(path, self.line)


def _basic(text: str) -> str:
    """A basic string: JSON's escapes, and DEL, which TOML does not want bare."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@st.composite
def spelt_key(draw: st.DrawFn, key: str) -> str:
    """Spell one part of a key in a way that it can be spelt."""
    ways = [_basic(key)]
    if key and all(character in "abAB_-01" for character in key):
        ways.append(key)
    if all(character.isprintable() and character != "'" for character in key):
        ways.append(f"'{key}'")
    if all(ord(character) < 0x10000 for character in key):
        ways.append('"' + "".join(f"\\u{ord(character):04x}" for character in key) + '"')
    return draw(st.sampled_from(ways))


STRINGS = st.sampled_from(
    [
        '""',
        "''",
        '"plain"',
        '"# no comment"',
        "'[not] = {a table}'",
        '"a \\" quote"',
        "'a \\'",
        '"""three"""',
        '"""\nlines\n[x]\ny = 1\n"""',
        '"""a "" b \\""" c"""',
        '"""ends in quotes"""""',
        "'''\nlines\n# x\n'''",
        "'''ends in quotes'''''",
        "'''a '' b'''",
        '"""\\\n   folded \\\\"""',
        '""""a"""',
    ]
)
PLAIN = st.sampled_from(
    ["1", "-0.5", "1e9", "inf", "true", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "07:32:00", "0xff"]
)
SPACE = st.sampled_from(["", "", " ", "\t", "  "])
LINE_BREAK = st.sampled_from(["", " ", "\n", "  # [comment] = {\n", "\n\n"])


@st.composite
def write_value(draw: st.DrawFn, document: Document, path: Path, depth: int) -> None:
    """Write a value; note the elements and the keys in it."""
    kind = draw(st.sampled_from(["string", "plain", "array", "table"] if depth else ["string", "plain"]))
    if kind == "string":
        document.text += draw(STRINGS)
    elif kind == "plain":
        document.text += draw(PLAIN)
    elif kind == "array":
        document.text += "["
        count = draw(st.integers(0, 3))
        for index in range(count):
            document.text += draw(LINE_BREAK)
            document.note((*path, index))
            draw(write_value(document, (*path, index), depth - 1))
            document.text += draw(LINE_BREAK)
            document.text += "," if index < count - 1 or draw(st.booleans()) else ""
        document.text += draw(LINE_BREAK) + "]"
    else:
        document.text += "{" + draw(SPACE)
        keys = draw(st.lists(KEYS, max_size=3, unique=True))
        for index, key in enumerate(keys):
            document.text += ("," if index else "") + draw(SPACE)
            draw(write_pair(document, path, [key], depth - 1))
            document.text += draw(SPACE)
        document.text += "}"


@st.composite
def write_key(draw: st.DrawFn, document: Document, keys: list[str]) -> None:
    """Write a key, dotted where it has several parts."""
    for index, key in enumerate(keys):
        document.text += ("." if index else "") + draw(SPACE) + draw(spelt_key(key)) + draw(SPACE)


@st.composite
def write_pair(draw: st.DrawFn, document: Document, table: Path, keys: list[str], depth: int) -> None:
    """Write ``KEY = VALUE``."""
    for length in range(1, len(keys) + 1):
        document.note((*table, *keys[:length]))
    draw(write_key(document, keys))
    document.text += "=" + draw(SPACE)
    draw(write_value(document, (*table, *keys), depth))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Write a whole document: pairs, tables, arrays of tables, with blank lines and comments between them."""
    document = Document()
    names = draw(st.lists(KEYS, min_size=1, max_size=6, unique=True))
    arrays: dict[str, int] = {}
    for index, name in enumerate(names):
        document.text += draw(st.sampled_from(["", "\n", "# [comment]\n", "\t\n"]))
        # Dotted top-level pairs and tables must not meet, so pairs come first and every name is used for one thing.
        kind = draw(st.sampled_from(["table", "array of tables"])) if index >= 2 or arrays else "pair"
        if kind == "pair":
            below = draw(st.lists(KEYS, max_size=2))
            draw(write_pair(document, (), [name, *below], 2))
            document.text += draw(SPACE) + draw(st.sampled_from(["\n", " # comment\n"]))
            continue
        arrays.setdefault(name, 0)
        for _ in range(1 if kind == "table" else draw(st.integers(1, 3))):
            table: Path = (name,)
            document.note(table)
            if kind == "array of tables":
                table = (name, arrays[name])
                document.note(table)
                arrays[name] += 1
            document.text += draw(SPACE) + ("[" if kind == "table" else "[[")
            draw(write_key(document, [name]))
            document.text += ("]" if kind == "table" else "]]") + draw(st.sampled_from(["\n", "  # [x]\n"]))
            inside = draw(st.lists(KEYS, max_size=3, unique=True))
            for key in inside:
                draw(write_pair(document, table, [key], 2))
                document.text += draw(SPACE) + "\n"
            if kind == "array of tables" and draw(st.booleans()):
                sub = draw(KEYS.filter(lambda key, inside=inside: key not in inside))
                document.note((*table, sub))
                document.text += "["
                draw(write_key(document, [name, sub]))
                document.text += "]\n"
                draw(write_pair(document, (*table, sub), [draw(KEYS)], 1))
                document.text += "\n"
    if draw(st.booleans()):
        document.text = document.text.removesuffix("\n")
    return document


def places(value: object, path: Path = ()) -> list[Path]:
    """List every place of a parsed document, from the outside in."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [place for name, item in items for place in [(*path, name), *places(item, (*path, name))]]
