"""Values assigned to a name that a secret may have: the lower threshold, for what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.secrets.match import Span, lower_case, mark_positions
from selfreview.secrets.plausibility import TEMPLATE
from selfreview.secrets.suspected_places import GAP, MARGIN, NUMBERED

_STRONG = (
    r"pass(?:word|wd|phrase|code|w\b)|passwort|(?<!by)(?<!com)(?<!ssh)(?<!sur)(?<!tres)(?<!under)(?<!over)pass\b|"
    r"pwd|secret|"
    r"credential|identified[ \t]+by|(?:private|api|access|hmac|signing|encryption|master|shared)[-_ ]?key|(?<![a-z])"
    r"pw\b|psk\b|"
    r"kennwort|mot_?de_?passe|contrase(?:ñ|n)a|senha\b|mnemonic|(?:seed|recovery)[-_ ]?phrase|(?:totp|mfa|otp)[-_ ]?"
    r"seed"
)
_WEAK = (
    r"token|auth|private|signing|(?<![a-z])key\b|salt|bearer|cookie|session|signature|\bpin\b|"
    r"dsn|conn(?:ection)?[-_ ]?str"
)
_NAMED = re.compile(
    rf"(?:(?P<strong>{_STRONG})|{_WEAK})[\w.-]{{0,60}}"
    r"(?P<close>\\?[\"'`\]]{0,2}(?:\[\w*\])?)"
    r"(?:(?P<op>[ \t]*:[ \t]*[\w.|\[\]&'<>*? ]{1,40}?=|[ \t]*(?:=>|:=|\?=|={1,3}|!=|:|,|\()|[ \t]+(?:is|was)(?=[ \t])|"
    r"(?=[ \t]+[\"'`]))[ \t]*)",
    re.IGNORECASE,
)
_STEMS = tuple(
    """
    pass pwd secret credential identified private api access token auth signing encryption key salt bearer cookie
    session signature pin dsn conn pw psk kennwort mot contrase senha mnemonic seed recovery totp mfa otp hmac master
    shared
    """.split()  # noqa: SIM905 - a table to read
)
"""Parts of the names, searched first: plain text is found far faster than alternatives that ignore case."""
_QUOTED = re.compile(
    r"[a-z@$]{0,2}(?P<quote>\\?(?:\"\"\"|'''|[\"'`]))(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n]))*)(?P=quote)",
    re.IGNORECASE,
)
_PERL = re.compile(r"q[qw]?[({](?P<value>[^(){}\n]{3,200})[)}]")
_JOINER = re.compile(
    rf"{GAP}(?:"
    rf"(?P<sure>(?:String::from|Some|by lazy|new \w+|[A-Z]\w*(?:\.\w+)?)?[ \t]*[({{]{GAP}(?=[a-z]?[\"'`])|"
    rf"[+.&]{GAP}|(?=q[qw]?[({{])|"
    rf"[^\n\"'`#;,]{{0,60}}(?:\([^\n()]{{0,60}}\)|\[[^\n\[\]]{{0,60}}\])?[ \t]*(?:\|\||\?\?|\?:?|\bor\b|[ ]:|"
    rf"\belse\b)[ \t]*)|"
    rf"[\[,]{GAP}|(?=[a-z]?[\"']))"
)
"""Separators between a name and a literal of its value, or between two literals."""
_BARE = re.compile(r"[^\s\"'`,;(){}\[\]<>]{1,2000}")
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|apikey)[ \t]+", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"[\w.-]*\Z")
_NUMBERED = re.compile(NUMBERED)
_LINE_START = re.compile(r"[+\- ]?[ \t]*(?:-[ \t]+)?(?:(?:export|set|setenv|ENV|ARG|-e)[ \t]+)*[\"']?")
_EXPRESSION = re.compile(r"[A-Za-z_$@*&]+(?:(?:\.|::|->)[A-Za-z_]\w*)*[?!:]?|[A-Za-z_]\w*(?:(?:\.|::|->)\w+)+")
_JOINED_WORDS = re.compile(r"[A-Za-z_]+(?:(?:\.|::|/|-|:| )[A-Za-z_]\w*)*")
_PLAIN_ADDRESS = re.compile(r"[a-z]+://[^\s?@]*", re.IGNORECASE)
_SETTING = frozenset(("=", ":", "=>", ":=", "?="))
_MIXED_CASE = re.compile(r"(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{6,}(?:\.\w+)?$")
_TYPES = frozenset(
    """
    str string bytes byte int integer number float bool boolean any object none null nil true false undefined required
    optional text char self never unknown void dict list read write inherit
    """.split()  # noqa: SIM905 - a table to read
)
_SECTION = re.compile(rf"^{MARGIN}\[[\w .:/\"-]+\][ \t\r]*$", re.MULTILINE)


def assigned_values(text: str) -> Iterator[Span]:
    """Yield the values of names that a secret may have."""
    settings = _SECTION.search(text) is not None
    for match in _names(text):
        strong = match["strong"] is not None
        kind = "PASSWORD" if strong else "TOKEN"
        op = (match["op"] or "").strip()
        quoted = _QUOTED.match(text, match.end())
        if quoted and _worth(quoted["value"], op, strong=strong):
            yield Span(*quoted.span("value"), kind)
        if op in _SETTING or op.endswith(" ="):
            further = _more(text, quoted.end() if quoted else match.end(), op, strong=strong)
            yield from (Span(*extent, kind) for extent in further)
        if quoted is None and op not in ("", "(", ",", "!=") and (strong or op != "=="):
            scheme = _SCHEME.match(text, match.end())
            bare = _BARE.match(text, scheme.end() if scheme else match.end())
            if bare and _worth_bare(text, match, bare, settings=settings):
                yield Span(*bare.span(), kind)


def _names(text: str) -> Iterator[re.Match[str]]:
    """Yield the names that only secrets have, with what sets them, in order."""
    done = 0
    for position in mark_positions(lower_case(text), _STEMS):
        match = _NAMED.match(text, position) if position >= done else None
        if match:
            done = match.end()
            yield match


def _more(text: str, start: int, op: str, *, strong: bool) -> Iterator[tuple[int, int]]:
    """Yield the further literals that a name's value is made of: joined, in a list, as the other choice, in a call."""
    position = start
    while True:
        match = _JOINER.match(text, position)
        if match is None:
            return
        quoted = _QUOTED.match(text, match.end()) or _PERL.match(text, match.end())
        if quoted is None:
            return
        chosen = match["sure"] is not None
        if _worth(quoted["value"], op if chosen else ",", strong=strong):
            yield quoted.span("value")
        position = quoted.end()


def _worth(value: str, op: str, *, strong: bool) -> bool:
    """Return whether a quoted value could be a secret."""
    if len(value) < (3 if strong else 8) or TEMPLATE.fullmatch(value):
        return False
    if strong and op not in (",", "("):
        return True
    if strong and len(value) >= 12 and value.isalpha() and value.islower():
        return True  # words without anything between them: chosen, not a name
    return not (_JOINED_WORDS.fullmatch(value) or _PLAIN_ADDRESS.fullmatch(value) or re.search(r"\s", value))


def _worth_bare(text: str, match: re.Match[str], bare: re.Match[str], *, settings: bool) -> bool:
    """Return whether a value without quotes could be a secret: no name or expression of a language."""
    value, strong = bare[0], match["strong"] is not None
    after = text[bare.end() : bare.end() + 1]
    if len(value) < (4 if strong else 8) or TEMPLATE.fullmatch(value) or value.startswith("$") or after in ("(", "["):
        return False
    if match["op"].strip() in ("is", "was"):
        return re.search(r"\d", value) is not None
    line = text.rfind("\n", 0, match.start()) + 1
    shown = _NUMBERED.match(text, line, match.start())
    line = shown.end() if shown else line
    before = _NAME_BEFORE.search(text, max(line, match.start() - 80), match.start())
    first = before.start() if before else match.start()
    name = text[first : match.end("close")]
    opens = _LINE_START.fullmatch(text, line, first) is not None
    alone = opens and not text[bare.end() : min(_line_end(text, bare.end()), bare.end() + 100)].strip(" \t\r")
    tight = match["op"] == "="
    if tight and strong and _MIXED_CASE.match(value):
        return True  # perhaps the name of a file: password=VALUE.txt
    if tight and (name == name.upper() or name.startswith("--") or (alone and text[line : line + 3].strip("+- \t"))):
        return True  # NAME=value of a shell or a settings file, --name=value of a command
    if strong and alone and (settings or match["op"].lstrip().startswith(":")):
        word = value.rstrip("?!").lower()  # a key and a value of YAML, or a field and its type
        return word not in _TYPES and not re.fullmatch(r"[A-Z][a-z]+(?:[A-Z][A-Za-z]*)?", value)
    if _EXPRESSION.fullmatch(value) or re.fullmatch(r"[\d._+*/%-]+", value):
        return False
    return re.search(r"\d", value) is not None or strong


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return end if end >= 0 else len(text)
