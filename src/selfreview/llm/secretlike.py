"""Everything that could be a secret, by its form or its place: many false alarms, few misses.

This decides what leaves the machine, not what is reported, so a harmless value more costs nothing but a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from selfreview.scan.randomness import looks_random
from selfreview.scan.secrets import scan


class Span(NamedTuple):
    """A part of a text to hide.

    Attributes:
        start, end: Offsets, the end exclusive.
        kind: What it seems to be: upper-case words joined by underscores.
        sure: Whether it is worth hiding wherever else it occurs.
    """

    start: int
    end: int
    kind: str
    sure: bool = True


_STRONG = (
    r"pass(?:word|wd|phrase|code)|passwort|\bpass\b|_pass\b|pwd|secret|credential|"
    r"private[-_ ]?key|api[-_ ]?key|access[-_ ]?key"
)
_WEAK = (
    r"token|auth|private|signing|encryption[-_ ]?key|\bkey\b|_key\b|salt|bearer|cookie|session|signature|"
    r"\bpin\b|dsn|conn(?:ection)?[-_ ]?str"
)
_NAME = re.compile(
    rf"(?P<name>[\w.-]*(?:(?P<strong>{_STRONG})|{_WEAK})[\w.-]*)"
    r"(?P<close>[\"'`\]]{0,2})[ \t]*"
    r"(?P<op>:[ \t]*[\w.|\[\] ]{1,40}=|=>|:=|\?=|={1,3}|!=|:|,|\()[ \t]*",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?:[rbuf@$]{0,2})(?P<quote>\"\"\"|'''|[\"'`])(?P<value>(?:\\.|(?!(?P=quote))[^\\\n])*)(?P=quote)", re.IGNORECASE
)
_BARE = re.compile(r"[^\s\"'`,;(){}\[\]<>]+")
_CODE_NAME = re.compile(r"[A-Za-z_$@*&]+(?:(?:\.|::|->)[A-Za-z_]\w*|\[\w*\])*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|/|-)[A-Za-z_]\w*)+")
_TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_][\w.]*\}?|\$\(.*\)|\{\{.*\}\}|\{[\w.!:]*\}|%\(?\w*\)?[sd]|<[\w -]+>|[*x.•]+", re.IGNORECASE
)
_ENV = re.compile(r"[+\- ]?[ \t]*(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+|-e[ \t]+)?[\"']?[A-Za-z_][\w.-]*")

_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s:/@\"'<>]{0,80}):(?P<value>[^\s/@\"'<>]{1,200})@", re.IGNORECASE
)
_ADDRESS_TOKEN = re.compile(r"[a-z][a-z0-9+.-]{1,20}://(?P<value>[^\s:/@\"'<>{}$]{16,200})@", re.IGNORECASE)
_ELEMENT = re.compile(
    rf"<(?P<name>[\w:.-]*(?:{_STRONG}|token)[\w:.-]*)(?:\s[^<>]*)?>(?P<value>[^<>\n]{{3,400}})</", re.IGNORECASE
)
_ATTRIBUTE = re.compile(
    rf"(?:key|name|id)=[\"'][^\"'\n]*(?:{_STRONG}|token)[^\"'\n]*[\"'][^<>\n]{{0,80}}?value=[\"'](?P<value>[^\"'\n]{{3,400}})[\"']",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(?:bearer|basic|token|digest|apikey)[ \t]+(?P<value>[A-Za-z0-9_.~+/=-]{8,2000})", re.IGNORECASE
)
_OPTION = re.compile(
    rf"(?:--?[\w-]*(?:{_STRONG}|token)[\w-]*[ \t]+"
    r"|\b(?:curl|wget|http)\b[^\n]{0,200}?[ \t](?:-u|--user)[ \t=]*[\"']?[^\s:\"']{1,80}:"
    r"|\b(?:sshpass|mysql|mysqldump|redis-cli)\b[^\n]{0,200}?[ \t]-[pa][ \t]*)"
    r"[\"']?(?P<value>[^\s\"'$-][^\s\"']{3,200})",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[a-z][a-z0-9+.-]{1,20}://(?P<value>[^\s:/@\"'<>{}$]{16,200})@", re.IGNORECASE)
_ELEMENT = re.compile(
    rf"<(?P<name>[\w:.-]*(?:{_STRONG}|token)[\w:.-]*)(?:\s[^<>]*)?>(?P<value>[^<>\n]{{3,400}})</", re.IGNORECASE
)
_ATTRIBUTE = re.compile(
    rf"(?:key|name|id)=[\"'][^\"'\n]*(?:{_STRONG}|token)[^\"'\n]*[\"'][^<>\n]{{0,80}}?value=[\"'](?P<value>[^\"'\n]{{3,400}})[\"']",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(?:bearer|basic|token|digest|apikey)[ \t]+(?P<value>[A-Za-z0-9_.~+/=-]{8,2000})", re.IGNORECASE
)
_OPTION = re.compile(
    rf"(?:--?[\w-]*(?:{_STRONG}|token)[\w-]*[ \t]+|\b(?:curl|wget|http)\b[^\n]{{0,200}}?[ \t](?:-u|--user)[ \t=]*[\"']?[^\s:\"']{{1,80}}:"
    rf"|\b(?:sshpass|mysql|mysqldump|redis-cli)\b[^\n]{{0,200}}?[ \t]-[pa][ \t]*)[\"']?(?P<value>[^\s\"'$-][^\s\"']{{3,200}})",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/=-])[A-Za-z0-9_+/-]{20,}={0,2}(?![A-Za-z0-9_+/=-])")
_WEB_TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{2,76}={0,2}")
_MARK_AND_SPACE = re.compile(r"[+\- ]?[ \t>#*/\"'`]*")
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|apikey)[ \t]+", re.IGNORECASE)


def find(text: str) -> list[Span]:
    """Return what to hide in a text, in order, without overlaps; no span holds a line break.

    Raises:
        ToolError: If the scanning library is broken or fails.
    """
    found = [Span(m.start, m.end, _kind(m.rule)) for m in scan(text)]
    finders: tuple[Callable[[str], Iterator[Span]], ...] = (_assigned, _placed, _keys, _tokens)
    for finder in finders:
        found.extend(finder(text))
    return _flat(text, found)


def _kind(rule: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", rule.upper()).strip("_")


def _assigned(text: str) -> Iterator[Span]:
    """Yield values that something with a secret's name is set to or compared with."""
    for match in _NAME.finditer(text):
        strong = match["strong"] is not None
        op = match["op"].strip()
        quoted = _QUOTED.match(text, match.end())
        if quoted:
            if _worth(quoted["value"], strong=strong):
                yield Span(*quoted.span("value"), "PASSWORD" if strong else "TOKEN", _lasting(quoted["value"]))
        elif op in ("=", ":", ":=", "?=", "=>"):
            scheme = _SCHEME.match(text, match.end())
            bare = _BARE.match(text, scheme.end() if scheme else match.end())
            if bare and _worth_bare(bare[0], text, match, bare.end(), strong=strong):
                yield Span(*bare.span(), "PASSWORD" if strong else "TOKEN", _lasting(bare[0]))


def _worth(value: str, *, strong: bool) -> bool:
    """Whether a quoted value could be a secret."""
    if len(value) < (3 if strong else 8) or _TEMPLATE.fullmatch(value):
        return False
    if strong:
        return True
    return not re.search(r"\s", value) and not _DOTTED.fullmatch(value) and not re.fullmatch(r"[a-z_]+|[A-Z_]+", value)


def _worth_bare(value: str, text: str, match: re.Match[str], end: int, *, strong: bool) -> bool:
    """Whether a value without quotes could be a secret: no name or expression of a language."""
    if len(value) < 4 or _TEMPLATE.fullmatch(value):
        return False
    line_start = text.rfind("\n", 0, match.start()) + 1
    rest = text[end : text.find("\n", end) if "\n" in text[end:] else len(text)]
    tight = "=" in match["op"] and match.group().rstrip(" \t") == match.group() and not match["op"].startswith(":")
    if strong and tight and _ENV.fullmatch(text, line_start, match.end("name")) and not rest.strip(" \t\r"):
        return True  # NAME=value, alone on its line
    if _CODE_NAME.fullmatch(value) or (not strong and not re.search(r"[A-Za-z]", value)):
        return False
    if rest[:1] in ("(", "["):
        return False
    return bool(re.search(r"\d", value)) if not strong else True


def _lasting(value: str) -> bool:
    """Whether a value is unlike any word, so that it can be looked for everywhere."""
    return len(value) >= 8 and re.fullmatch(r"[A-Za-z_. -]+|\d+", value) is None


def _placed(text: str) -> Iterator[Span]:
    """Yield values by where they stand: addresses, elements, headers, options of commands."""
    for pattern, kind in (
        (_ADDRESS, "ADDRESS_PASSWORD"),
        (_ADDRESS_TOKEN, "ADDRESS_TOKEN"),
        (_ELEMENT, "ELEMENT"),
        (_ATTRIBUTE, "ELEMENT"),
        (_HEADER, "AUTHORIZATION"),
        (_OPTION, "OPTION"),
    ):
        for match in pattern.finditer(text):
            value = match["value"]
            if _TEMPLATE.fullmatch(value) or (pattern is _HEADER and not re.search(r"\d", value)):
                continue
            yield Span(*match.span("value"), kind, _lasting(value))


def _keys(text: str) -> Iterator[Span]:
    """Yield the lines of private keys, also where only the start or the end of one can be seen."""
    for begin in re.finditer(r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----", text):
        end = text.find("-----END", begin.end())
        stop = end if 0 <= end <= begin.end() + 20_000 else min(len(text), begin.end() + 4_000)
        yield from _key_lines(text, begin.end(), stop, closed=end == stop)
    for last in re.finditer(r"-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----", text):
        start = last.start()
        while start > 0:
            before = text.rfind("\n", 0, max(0, start - 1)) + 1
            if not _is_key_line(text[before:start]):
                break
            yield from _key_lines(text, before, start, closed=True)
            if before == 0:
                break
            start = before


def _is_key_line(line: str) -> bool:
    body = line.strip().lstrip("+- \t>#*/\"'`").rstrip("\"'`,;\\+ nr")
    return _KEY_LINE.fullmatch(body) is not None


def _key_lines(text: str, start: int, stop: int, *, closed: bool) -> Iterator[Span]:
    for run in re.finditer(r"[^\n]+", text[start:stop]):
        if not closed and not _is_key_line(run[0]) and run[0].strip("+- \t\r"):
            return
        for part in re.finditer(
            r"[A-Za-z0-9+/]{4,}={0,2}|[A-Za-z0-9+/]{2}==", run[0].replace("\\n", "  ").replace("\\r", "  ")
        ):
            yield Span(start + run.start() + part.start(), start + run.start() + part.end(), "PRIVATE_KEY")


def _tokens(text: str) -> Iterator[Span]:
    for match in _WEB_TOKEN.finditer(text):
        yield Span(*match.span(), "WEB_TOKEN")
    for match in _TOKEN.finditer(text):
        value = match[0]
        if re.search(r"\d", value) and re.search(r"[A-Za-z]", value) and looks_random(value):
            yield Span(*match.span(), "RANDOM")


def _flat(text: str, found: list[Span]) -> list[Span]:
    """Cut spans at line breaks and join those that overlap; the longer one names the kind."""
    lines = [piece for span in found for piece in _by_line(text, span)]
    flat: list[Span] = []
    for span in sorted(lines, key=lambda s: (s.start, s.start - s.end)):
        if flat and span.start < flat[-1].end:
            flat[-1] = flat[-1]._replace(end=max(flat[-1].end, span.end), sure=flat[-1].sure or span.sure)
        else:
            flat.append(span)
    return flat


def _by_line(text: str, span: Span) -> Iterator[Span]:
    if "\n" not in text[span.start : span.end]:
        yield span
        return
    position = span.start
    for line in text[span.start : span.end].split("\n"):
        mark = _MARK_AND_SPACE.match(line) if position > span.start else None
        start = position + (mark.end() if mark else 0)
        end = position + len(line.rstrip("\r \t"))
        if end - start >= 2 and "-----" not in line[: 5 + (mark.end() if mark else 0)]:
            yield span._replace(start=start, end=end)
        position += len(line) + 1
