"""Characters, names and encodings that hide, reorder or disguise code, and text that addresses its reviewer."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence

from selfreview.api import SourceText
from selfreview.reviewers.text.table import Hit
from selfreview.syntax.languages import language_of, language_of_script
from selfreview.syntax.pytext import ENCODING

_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]|\r(?=[^\r\n])"
)
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MARKS = frozenset("\u200e\u200f\u061c")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f")
_JOINERS = frozenset("\u180e\u200b\u200c\u200d\u2060")
_BREAKS = {
    "\r": "A carriage return in the middle of a line",
    "\u2028": "A line separator (U+2028)",
    "\u2029": "A paragraph separator (U+2029)",
    "\x85": "A next-line character (U+0085)",
}
_CONTROL_NAMES = {
    0x00: "A NUL character",
    0x07: "A bell character (U+0007)",
    0x08: "A backspace (U+0008)",
    0x0B: "A vertical tab (U+000B)",
    0x1A: "An end-of-file character (U+001A)",
    0x1B: "An escape character (U+001B)",
    0x7F: "A delete character (U+007F)",
}
_SHIFTS = (0x0E, 0x0F)
"""Controls without a name here that a terminal obeys."""
_COMMENT = re.compile(r"//|#|/\*|^\s*\*")
_OLD_LINES = 3
"""Carriage returns that make a text without line feeds an old Macintosh text, whose lines end so."""
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0000-\U000e0fff]{3,}")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,16}\U000e007f")


def odd_characters(text: str, *, prose: bool) -> Iterator[Hit]:
    """Yield one hit for every check that a line fails.

    What a script or an emoji needs is not odd: joiners in Arabic, Indic and emoji sequences, word breaks in Thai or
    Khmer, single variation selectors, marks beside right-to-left letters.

    Args:
        text: The file's text; lines end at line feeds.
        prose: Whether a person reads the file.
    """
    if not _SUSPECT.search(text):
        return
    returns_only = "\n" not in text and text.count("\r") >= _OLD_LINES
    for number, line in enumerate(text.split("\n"), 1):
        seen = set()
        for hit in _line_hits(line, number, prose):
            if hit.check not in seen:
                seen.add(hit.check)
                old = returns_only and line[hit.column - 1] == "\r" if hit.column else False
                yield hit._replace(minor=hit.minor or old)


def _line_hits(line: str, number: int, prose: bool) -> Iterator[Hit]:
    if not _SUSPECT.search(line):
        return
    allowed = [m.span() for m in _FLAG.finditer(line)] if "\U000e007f" in line else []
    for run in _SELECTORS.finditer(line):
        if not _inside(run.start(), allowed):
            allowed.append(run.span())
            yield Hit("hidden-text", number, run.start() + 1, f"A run of {len(run[0])} invisible characters")
    seen = set()
    for match in _SUSPECT.finditer(line):
        if match[0] not in seen and not _inside(match.start(), allowed):
            hit = _judge(line, match.start(), number, prose)
            if hit is not None:
                seen.add(match[0])
                yield hit


def _inside(position: int, spans: list[tuple[int, int]]) -> bool:
    return any(first <= position < last for first, last in spans)


def _judge(line: str, index: int, number: int, prose: bool) -> Hit | None:
    """Judge one suspicious character; return None where its place requires it."""
    char = line[index]
    code = ord(char)
    around = (line[index - 1 : index], line[index + 1 : index + 2])
    check, what, minor = "invisible-character", _name(char), False
    if char in _BIDI:
        check = "bidi-control"
    elif char in _BREAKS:
        check, what = "hidden-line-break", _BREAKS[char]
    elif code < 0x20 or 0x7F <= code <= 0x9F:
        check = "control-character"
        what = _CONTROL_NAMES.get(code, f"A control character (U+{code:04X})")
        harmless = code not in _CONTROL_NAMES and code not in _SHIFTS and _COMMENT.search(line, 0, index) is not None
        minor = code >= 0x80 or code == 0x1A or harmless
    elif char in _MARKS:
        minor = True
    elif 0xE0000 <= code <= 0xE007F:
        check = "hidden-text"  # tags: plain ASCII that nothing draws
    return None if _needed(char, around, prose) else Hit(check, number, index + 1, what, minor=minor)


def _needed(char: str, around: tuple[str, str], prose: bool) -> bool:
    """Return whether a script, an emoji or typography requires this character between its neighbours."""
    if char in _MARKS:
        return prose or any(map(_right_to_left, around))
    if char in _FILLERS:
        return any(map(_complex, around)) or any(map(_hangul, around))
    if char in _JOINERS:
        keeps_apart = set(around) == {"/", "*"}  # the mark of a comment, written in one
        return keeps_apart or any(map(_complex, around)) or (char == "\u200d" and all(map(_emoji, around)))
    if "\U000e0100" <= char <= "\U000e01ef":
        return unicodedata.name(around[0], "").startswith("CJK") if around[0] else False
    if char == "\xad":
        return prose
    # One variation selector after its character is a matter of style; a run of them was reported before.
    return "\ufe00" <= char <= "\ufe0f" or "\u180b" <= char <= "\u180f"


def _name(char: str) -> str:
    name = unicodedata.name(char, "unnamed character").lower()
    return f"A character (U+{ord(char):04X}, {name})"


def _complex(char: str) -> bool:
    """Return whether a character belongs to a script that joins letters or breaks words without spaces."""
    code = ord(char) if char else 0
    return 0x590 <= code <= 0x109F or 0x1700 <= code <= 0x1CFF or 0xA800 <= code <= 0xABFF or 0xFB1D <= code <= 0xFDFF \
        or 0xFE70 <= code <= 0xFEFC or 0x10A00 <= code <= 0x11FFF  # fmt: skip


def _right_to_left(char: str) -> bool:
    return bool(char) and unicodedata.bidirectional(char) in ("R", "AL")


def _hangul(char: str) -> bool:
    return bool(char) and "HANGUL" in unicodedata.name(char, "")


def _emoji(char: str) -> bool:
    return bool(char) and (unicodedata.category(char) in ("So", "Sk", "Sm") or char in "\ufe0f\u20e3")


_PAIRS = (
    "a\u0430 c\u0441 e\u0435 o\u043e p\u0440 x\u0445 y\u0443 i\u0456 s\u0455 j\u0458 h\u04bb d\u0501 q\u051b w\u051d "
    "A\u0410 B\u0412 C\u0421 E\u0415 H\u041d I\u0406 J\u0408 K\u041a M\u041c O\u041e P\u0420 S\u0405 T\u0422 X\u0425 "
    "Y\u0423 "
    "A\u0391 B\u0392 E\u0395 Z\u0396 H\u0397 I\u0399 K\u039a M\u039c N\u039d O\u039f P\u03a1 T\u03a4 Y\u03a5 X\u03a7 "
    "o\u03bf "
)
LOOKALIKES = {pair[1]: pair[0] for pair in _PAIRS.split()}
"""Cyrillic and Greek letters drawn like a Latin one. The small letters of formulas (alpha, nu, rho) are not."""

_NAME = re.compile(r"[^\W\d]\w*")
_LATIN = re.compile(r"[A-Za-z]")


def mixed_names(lines: Sequence[str]) -> Iterator[Hit]:
    """Yield names made of Latin letters and others that all look Latin; one hit a line."""
    for number, line in enumerate(lines, 1):
        if line.isascii():
            continue
        for match in _NAME.finditer(line):
            name = match[0]
            if name.isascii() or not _LATIN.search(name):
                continue
            foreign = [char for char in name if not char.isascii()]
            if all(char in LOOKALIKES for char in foreign):
                plain = "".join(LOOKALIKES.get(char, char) for char in name)
                script = "Greek" if "\u0370" <= foreign[0] <= "\u03ff" else "Cyrillic"
                what = f"The name {name} looks like {plain} but holds {script} letters (U+{ord(foreign[0]):04X})"
                yield Hit("mixed-script-name", number, match.start() + 1, what)
                break


_LINE_END = re.compile(r"\r\n|\r|\n")
_CYTHON = re.compile(r"(?i).*\.p(?:yx|xd|xi)", re.DOTALL)
_ASCII = bytes(range(128)) + b" \\u0041 \\x41 \\101 \\N{BULLET} +AAo- ~{<:~} =0A &#10; x-y"
"""Bytes that an encoding must not change, with escapes of several kinds among them."""


def encodings(source: SourceText, path: str) -> Iterator[Hit]:
    """Yield the declaration of an encoding in which Python reads other code than a person does.

    Minor is one of several bytes a character, such as GBK, which can swallow the backslash after a character.

    Args:
        source: The file.
        path: Its path; Python files are known by it or by their first line.
    """
    first_lines = _LINE_END.split("\n".join(source.lines[:2]))[:2]
    if not _is_python(path, first_lines[0]):
        return
    for number, line in enumerate(first_lines, 1):
        declared = ENCODING.match(line)
        if declared is None:
            continue
        name = declared[1].lower().replace("_", "-")
        what = f"The declared encoding {declared[1]!r}"
        if name.startswith(("utf-8", "utf8")):
            return
        if not _keeps(name, _ASCII):
            yield Hit("disguised-encoding", min(number, len(source.lines)), declared.start(1) + 1, what)
        elif not source.text.isascii() and not all(_keeps_next(name, byte) for byte in range(0x80, 0x100)):
            yield Hit("disguised-encoding", min(number, len(source.lines)), declared.start(1) + 1, what, minor=True)
        return


def _is_python(path: str, first: str) -> bool:
    """Return whether Python, or Cython, reads a file: by its name, or by the interpreter on its first line."""
    if language_of(path) == "python" or _CYTHON.fullmatch(path):
        return True
    return first.startswith("#!") and ("python" in first or language_of_script(first) == "python")


def _keeps(name: str, text: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            return text.decode(_as_python(name)) == text.decode("ascii")
    except (LookupError, ValueError):  # none that Python knows, or not of text
        return False


def _keeps_next(name: str, byte: int) -> bool:
    return bytes((byte, 0x5C)).decode(_as_python(name), "replace")[1:] == "\\"


def _as_python(name: str) -> str:
    """Return a name as Python's tokenizer takes it: what an editor adds about line ends is left out."""
    latin = re.match(r"(?:latin-1|iso-8859-1|iso-latin-1)(?:-|$)", name.lower().replace("_", "-"))
    return "latin-1" if latin else re.sub(r"[-_](?:unix|dos|mac)$", "", name)


_IMPORT = re.compile(r"import[ \t]")


def startup_code(source: SourceText, path: str) -> Iterator[Hit]:
    """Yield the lines of a path file that run."""
    if path.lower().endswith(".pth"):
        for number, line in enumerate(source.lines, 1):
            # Python ends lines at a lone carriage return, too, and from 3.13 on wherever str.splitlines does.
            if any(map(_IMPORT.match, line.splitlines())):
                yield Hit("startup-code", number, 1, "A line that starts with “import” in a .pth file")


_MACHINE = r"(?:AI|LLM|GPT|Claude|Copilot|Gemini|automated|automatic|bot|machine|model|code[- ]review)"
_PATTERNS = (
    (
        r"(?i)\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|every\s+|of\s+|the\s+|your\s+|these\s+|my\s+){0,5}"
        r"(?:previous|prior|above|earlier|preceding|existing|system)\s+(?:\w+\s+)?"
        r"(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?)\b"
    ),
    (
        rf"(?i)\b(?:note|message|instructions?|attention|hint|reminder)\s+(?:to|for)\s+(?:the\s+|any\s+|all\s+)?"
        rf"(?:{_MACHINE}\s+){{1,4}}(?:code\s+)?(?:reviewers?|assistants?|agents?|tools?|models?)\b"
    ),
    (
        rf"(?i)\b(?:{_MACHINE}\s+){{1,4}}(?:code\s+)?reviewers?\b.{{0,80}}"
        r"\b(?:approve|do\s+not\s+(?:flag|report|mention|comment)|don't\s+(?:flag|report|mention|comment)|"
        r"ignore|skip|pass(?:es)?\s+the\s+review|mark\s+(?:it|this|as))\b"
    ),
    (
        r"(?i)\byou\s+are\s+(?:now\s+)?(?:the\s+|an?\s+)?(?:\w+\s+){0,2}reviewer\b.{0,120}"
        r"\b(?:approve|lgtm|no\s+issues?|do\s+not\s+(?:flag|report))\b"
    ),
    (
        r"(?i)\b(?:respond|reply|answer|return|output|say)\s+(?:only\s+)?(?:with\s+)?[\"'`]?"
        r"(?:no\s+issues?(?:\s+found)?|lgtm|approved?|pass)[\"'`]?\s+(?:to|for|on|in)\s+(?:this|the|your|any)\s+"
        r"(?:review|diff|change|pull\s+request|pr|commit|file)\b"
    ),
)
"""Compiled when a line has words for them."""
_VERBS = frozenset(
    """
    ignore disregard forget override respond reply answer return output say note message attention hint reminder
    instruction reviewer
    """.split()  # noqa: SIM905 - a table to read
)
_OBJECTS = frozenset(
    """
    review instruction prompt rule direction guideline message assistant agent tool model diff change request commit
    file
    """.split()  # noqa: SIM905
)
"""Lower-case words: every pattern needs one of each; ``pr`` counts by itself alone, as it is in many words."""
_PR = re.compile(r"\bpr\b")
_LONGEST = 2_000


def instructions(lines: Sequence[str]) -> Iterator[Hit]:
    """Yield lines that tell a reviewer what to conclude; very long lines are data, not sentences."""
    whole = "\n".join(lines).lower()
    verbs, objects = ([word for word in words if word in whole] for words in (_VERBS, _OBJECTS))
    for number, line in enumerate(lines, 1):
        low = line.lower()
        if len(line) > _LONGEST or not any(map(low.__contains__, verbs)):
            continue
        if not any(map(low.__contains__, objects)) and not _PR.search(low):
            continue
        for pattern in _PATTERNS:
            match = re.search(pattern, line)
            if match:
                words = " ".join(match[0].split())
                yield Hit("instruction-to-reviewer", number, match.start() + 1, f"“{words[:80]}”")
                break
