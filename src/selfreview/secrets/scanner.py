"""Scanner for secrets in a text, with exact places and a confidence for each.

Every rule starts from literal text that it looks for first, and reads a bounded part of the text from there or goes on
behind what it has read, so that the time is linear in the text and small.
"""

from __future__ import annotations

import base64
import bisect
import itertools
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence

from selfreview.errors import ToolTimeout
from selfreview.secrets.match import Confidence, RawMatch, SecretMatch, lower_case
from selfreview.secrets.plausibility import entropy, is_example, is_placeholder, looks_random
from selfreview.secrets.providers import FORMATS, PRIVATE_KEY_BEGIN, VENDORS, Format
from selfreview.secrets.surroundings import (
    ADDRESS,
    KEYED,
    PLACES,
    Keyed,
    address_confidence,
    address_matches,
    assignment_matches,
    password_in,
)
from selfreview.text.masking import MASK, masking

_NAME = re.compile(r"[A-Za-z_$@][\w$.:\[\]()'\"?+*&-]*")

OWN = "own-secret"
"""Rule of the values that this program itself signs in with."""
_OWN_TITLE = "Value that selfreview signs in with"

_LIMITED = frozenset({"curl-auth-header", "gcp-api-key", "jwt", "jwt-base64"})
"""Rules that also match what is limited, expired or an example."""

GENERIC = frozenset({
    "generic-api-key", "generic-password", "generic-credential-uri", "nuget-config-password", "ansible-password",
})  # fmt: skip
"""Rules that recognize a value by its surroundings alone."""

_INNER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_LONG_WORD = re.compile(r"[A-Za-z0-9_+/=~.!|$:@-]{18,}")
"""Long words: every credential with a format is part of such a word; there are few of them in most texts."""
_ESCAPE = re.compile(r"(?:\\[nrtfve0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,9}m)\Z")
"""Escape sequence of a character that belongs to no word."""
_WORD = re.compile(r"[A-Za-z0-9]{0,1000}")
_SHORT = 3
_BEFORE = 16
"""Maximum characters before a mark that a rule may look at."""
_LONG_RUN = 200

_ENCODED_MARKS = ("UFJJVkFURSBLRVkt", "BSSVZBVEUgS0VZLS", "QUklWQVRFIEtFWS0t")
"""``PRIVATE KEY-`` in base64, at each of the three places where it can start."""

_ENCODED_RUN = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_ENCODED_ALPHABET = string.ascii_letters + string.digits + "+/_-"
_BEFORE_ENCODED = 4_000
"""Maximum characters of the encoded text before the mark that are looked at."""
_SHORTEST_ENCODED = 200

_EXAMPLE_CLAIM = "eyJzdWIiOiIxMjM0NTY3ODkwIi"
"""Claim with the subject 1234567890, of the web token that every tutorial shows."""
_TEST_MODE = re.compile(r"[A-Za-z]{2,10}_?(?:test|sandbox)[_-]", re.IGNORECASE)
"""Keys of a provider's test mode: they reach no real money or data."""
_CHOSEN = re.compile(r"(?=.*[A-Za-z])(?=.*\d)(?=.*[!@#%^&*?+~])(?!.*\?\.)[\w!@#%^&*?+~.-]{8,64}")
"""Passwords that people choose where password rules ask for letters, digits and signs; no word or code is such."""
_KEY_NOISE = re.compile(r"\\[nrt]|[\s\"'`+,>]|-----|KEY|BLOCK")
_KEY_ALPHABET = re.compile(r"[A-Za-z0-9+/=_:.-]*")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{40}")

Ask = Callable[[], None]


def kinds() -> dict[str, tuple[str, Confidence]]:
    """Return what is found in files by its rule: a title, and the confidence of the surest form."""
    found: dict[str, tuple[str, Confidence]] = {}
    forms = [(form.rule, form.title, form.confidence) for form in (*FORMATS, *KEYED)]
    for rule, title, confidence in (*forms, *((each.rule, each.title, Confidence.MEDIUM) for each in VENDORS), *PLACES):
        if rule not in found or confidence.rank > found[rule][1].rank:
            found[rule] = (title, confidence)
    return found


def scan(
    text: str, *, source: bool = False, own: bool = True, remaining: Callable[[], float] | None = None
) -> list[SecretMatch]:
    """Find the secrets in a text, in order, without overlaps.

    Lines end at line feeds only. Other scanners' inline markers (``gitleaks:allow``) do not count.

    Args:
        text: Any text; lone surrogates (bytes that were not UTF-8) are allowed.
        source: Whether it is the source of a programming language, where a value without quotes is a name.
        own: Whether the values that this program signs in with count, whatever form they have.
        remaining: Returns the seconds left; asked at every place that a rule looks at.

    Raises:
        ToolTimeout: If no time is left.
    """
    clean = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes one question mark
    graded = []
    for match in rule_matches(clean, remaining):
        confidence = _confidence_of(match, clean)
        if confidence is not None and not (source and match.rule in GENERIC and _is_name(clean, match)):
            graded.append((match, confidence))
    if own:
        own_matches = (RawMatch(OWN, _OWN_TITLE, Confidence.HIGH, *place) for place in masking().places(clean))
        graded += [(match, match.confidence) for match in own_matches]
    if not graded:
        return []
    starts = _line_starts(text)
    return [_located(match, confidence, text, starts) for match, confidence in _distinct(graded)]


def _is_name(text: str, match: RawMatch) -> bool:
    """Return whether a value is an expression of the language and not a literal."""
    if match.rule == ADDRESS:
        return False  # the quote stands before the address
    quoted = match.start > 0 and text[match.start - 1] in "\"'`"
    return not quoted and _NAME.fullmatch(text, match.start, match.end) is not None


def _distinct(graded: Sequence[tuple[RawMatch, Confidence]]) -> list[tuple[RawMatch, Confidence]]:
    """Keep, of matches that overlap, the most certain and then the longest."""
    kept = []
    taken = bytearray(max(match.end for match, _ in graded))
    for match, confidence in sorted(graded, key=lambda g: (-g[1].rank, g[0].start - g[0].end, g[0])):
        if taken.find(1, match.start, match.end) < 0:
            taken[match.start : match.end] = b"\1" * (match.end - match.start)
            kept.append((match, confidence))
    return sorted(kept, key=lambda g: g[0].start)


def _located(match: RawMatch, confidence: Confidence, text: str, starts: list[int]) -> SecretMatch:
    line = bisect.bisect_right(starts, match.start)
    return SecretMatch(
        rule=match.rule,
        title=match.title,
        confidence=confidence,
        value=text[match.start : match.end],
        start=match.start,
        end=match.end,
        line=line,
        column=match.start - starts[line - 1] + 1,
        end_line=bisect.bisect_right(starts, max(match.start, match.end - 1)),
    )


def _line_starts(text: str) -> list[int]:
    """Return the offset at which each line of a text starts; lines end at line feeds only."""
    return [0, *itertools.accumulate(len(line) + 1 for line in text.split("\n")[:-1])]


def rule_matches(text: str, remaining: Callable[[], float] | None = None) -> Iterator[RawMatch]:
    """Yield every match of every rule.

    Args:
        text: Any text without lone surrogates.
        remaining: Returns the seconds left; asked at every place that a rule looks at.

    Raises:
        ToolTimeout: If no time is left.
    """

    def ask() -> None:
        if remaining is not None and remaining() <= 0:
            raise ToolTimeout("the secret scanner did not finish in time")

    for matches in _by_rule(text, ask):
        ask()
        yield from matches


def _by_rule(text: str, ask: Ask) -> Iterator[Iterator[RawMatch]]:
    words = "\n".join(_LONG_WORD.findall(text))
    for form in FORMATS:
        marks = [mark for mark in form.marks if mark in words or " " in mark]
        if marks:
            yield _formats(form, marks, text, ask)
    low = lower_case(text)
    for rule in KEYED:
        yield _keyed(rule, text, low, ask)
    yield assignment_matches(text, low, ask)
    yield address_matches(text, ask)
    yield _encoded_keys(text, ask)


def _formats(form: Format, marks: list[str], text: str, ask: Ask) -> Iterator[RawMatch]:
    for mark in marks:
        position = text.find(mark)
        if position < 0:
            continue
        pattern = re.compile(form.pattern)
        run = re.compile(f"{form.run}{{{_LONG_RUN},}}+") if form.run else None
        while position >= 0:
            ask()
            match = _match(pattern, text, position, mark, form.offsets)
            if match is not None:
                start, end = match.span("value" if "value" in pattern.groupindex else 0)
                rest = _WORD.match(text, end) if end == match.end() else None
                extent = start, rest.end() if rest else end
                if entropy(text[slice(*extent)]) >= form.entropy:
                    yield RawMatch(form.rule, form.title, form.confidence, *extent)
            passed = run.match(text, position) if run and not match and not _joined(text, position, mark) else match
            position = text.find(mark, max(position + 1, passed.end() if passed else 0))


def _match(
    pattern: re.Pattern[str], text: str, position: int, mark: str, offsets: tuple[int, ...]
) -> re.Match[str] | None:
    """Match where the mark occurs at a position, and nothing before or after makes the word longer."""
    for offset in offsets:
        start = position - offset
        if start >= 0 and not _joined(text, start, mark):
            match = pattern.match(text, start)
            if match and (not _joined(text, match.end(), "") or _is_longer(mark, match[0])):
                return match
    return None


def _joined(text: str, index: int, mark: str) -> bool:
    """Return whether the characters beside a place belong to one word; an escape before it belongs to none."""
    if not (0 < index < len(text) and text[index - 1] in _INNER and text[index] in _INNER):
        return False
    if text[index - 1] == "_" and mark.endswith("_"):
        return False  # token_ghp_...
    return _ESCAPE.search(text, max(0, index - _BEFORE), index) is None


def _is_longer(mark: str, value: str) -> bool:
    """Return whether a value may exceed its documented length: providers lengthen theirs. A digest has one case."""
    return len(mark) > _SHORT and mark.endswith("_") and value != value.lower() and value != value.upper()


def _keyed(rule: Keyed, text: str, low: str, ask: Ask) -> Iterator[RawMatch]:
    for mark in rule.marks:
        position = low.find(mark)
        if position < 0:
            continue
        pattern = re.compile(rule.pattern, re.IGNORECASE)
        before = re.compile(f"(?:{rule.before})$") if rule.before else None
        while position >= 0:
            ask()
            behind = position + len(mark)
            match = pattern.match(text, position)
            if match and (before is None or before.search(low[max(0, position - _BEFORE) : position])):
                value = match["value"]
                if entropy(value) >= rule.entropy and (not rule.random or looks_random(value)):
                    yield RawMatch(rule.rule, rule.title, rule.confidence, *match.span("value"))
                    behind = max(behind, match.end())
            position = low.find(mark, behind)


def _encoded_keys(text: str, ask: Ask) -> Iterator[RawMatch]:
    """Yield base64 texts on one line that hold a private key; ``ask`` is called at each mark, and raises in the end."""
    for mark in _ENCODED_MARKS:
        position = text.find(mark)
        while position >= 0:
            ask()
            first = max(0, position - _BEFORE_ENCODED)
            start = first + len(text[first:position].rstrip(_ENCODED_ALPHABET))
            run = _ENCODED_RUN.match(text, position)
            end = run.end() if run else position
            if end - start >= _SHORTEST_ENCODED:
                yield RawMatch("private-key", "Private key in base64", Confidence.HIGH, start, end)
            position = text.find(mark, max(end, position + 1))


def _confidence_of(match: RawMatch, text: str) -> Confidence | None:
    """Return the confidence of a match, or None where its value is a placeholder.

    Args:
        match: The match as its rule reported it.
        text: The text that it was found in.
    """
    value = text[match.start : match.end]
    generic = match.rule in GENERIC
    if is_placeholder(value, generic=generic):
        return None
    inner = password_in(text, match.start, match.end)
    if match.rule == ADDRESS or inner is not None:
        grade = address_confidence(text, *(inner or (match.start, match.end)))
        if grade is None or match.rule == ADDRESS or grade != Confidence.MEDIUM:
            return grade
    judge = _JUDGES.get(match.rule)
    if judge is not None:
        return judge(value)
    if match.rule in _LIMITED:
        return Confidence.DOUBTFUL if _EXAMPLE_CLAIM in value else Confidence.MEDIUM
    if generic:
        made = looks_random(value) or (match.rule == "generic-password" and _CHOSEN.fullmatch(value))
        return Confidence.LOW if made else Confidence.DOUBTFUL
    if _TEST_MODE.match(value) and match.confidence == Confidence.HIGH:
        return Confidence.MEDIUM
    return match.confidence


def _key_confidence(value: str) -> Confidence | None:
    """Grade a private key: code that only names the first and the last line of a key is none."""
    if "-----" not in value:
        return Confidence.HIGH  # in base64, or PuTTY's
    body = _KEY_NOISE.sub("", value[value.find("KEY") : value.rfind("-----END")])
    if not _KEY_BODY.search(body):
        return Confidence.DOUBTFUL if _KEY_ALPHABET.fullmatch(body) else None
    return Confidence.MEDIUM if "ENCRYPTED" in value[:200] else Confidence.HIGH


def _basic_confidence(value: str) -> Confidence | None:
    """Grade the value of a ``Basic`` header by the password in it."""
    try:
        _, colon, password = base64.b64decode(value, validate=True).decode("utf-8").partition(":")
    except ValueError:
        return None
    if not colon or not password.isprintable() or is_placeholder(password, generic=True):
        return None
    return Confidence.MEDIUM if looks_random(password) else Confidence.DOUBTFUL


def _user_confidence(value: str) -> Confidence | None:
    """Grade the user and the password that a command is given."""
    user, _, password = value.partition(":")
    return None if is_example(password or user) else Confidence.MEDIUM


_JUDGES: dict[str, Callable[[str], Confidence | None]] = {
    "private-key": _key_confidence,
    "basic-auth-header": _basic_confidence,
    "curl-auth-user": _user_confidence,
    "generic-api-key": lambda _: Confidence.LOW,  # the rule has tried the value's randomness itself
}


_PUBLIC_START = re.compile(
    PRIVATE_KEY_BEGIN + r"|github_pat_|gh[pousr]_|gl[a-z]{2,5}-|xox[abeoprs]-|xapp-|"
    r"[sr]k_(?:live|test)_|sk-(?:ant-[a-z]+[0-9]{2}|proj|svcacct|admin|or-v1|lf)-|A[KS]IA|AIza|GOCSPX-|npm_|pypi-|hf_|SG\.|"
    r"do[opr]_v1_|shp[a-z]{2}_|gls[ac]_|hvs\.|lin_api_|dapi|figd_|PMAK-|dckr_pat_|NRAK-|whsec_|eyJ"
)
"""Public prefixes of formats: every value of a format starts so, and they are no part of the secret."""
_SHORTEST_HIDDEN = 8
_SHORTEST_BEGINNING = 12


def mask(text: str, matches: Iterable[SecretMatch]) -> str:
    """Hide the values of matches in the text that they were found in.

    The number of lines stays; what every value of a format starts with (``ghp_``, ``AKIA``) stays visible.

    Args:
        text: What was scanned.
        matches: What :func:`~selfreview.secrets.scanner.scan` found in it.
    """
    parts: list[str] = []
    done = 0
    for match in sorted(matches, key=lambda m: m.start):
        parts += (text[done : match.start], _hidden(match))
        done = match.end
    return "".join([*parts, text[done:]])


def mask_secrets(text: str) -> str:
    """Find the secrets in a text and hide them."""
    return mask(text, scan(text))


def hide(text: str, matches: Iterable[SecretMatch]) -> str:
    """Hide the values of matches wherever they occur in another text, such as a message that quotes the code.

    Words that only stand where a secret would (``hunter2``) are too short or too common to be looked for. What quotes
    the code may have been cut, so the beginning of a value is hidden as well.
    """
    for match in matches:
        if match.confidence is Confidence.DOUBTFUL:
            continue
        for piece in (match.value, *match.value.split("\n")):
            words = piece.strip()
            if len(words) >= _SHORTEST_HIDDEN and not _PUBLIC_START.fullmatch(words):
                text = _without_beginning(text.replace(words, MASK), words)
    return text


def _without_beginning(text: str, value: str) -> str:
    """Return a text without the beginnings of a value, where they are too long to occur by chance."""
    public = _PUBLIC_START.match(value)
    beginning = value[: max(_SHORTEST_BEGINNING, (public.end() if public else 0) + _SHORTEST_HIDDEN)]
    at = text.find(beginning)
    while at >= 0:
        text = text[:at] + MASK + text[at + common_length(value, text[at : at + len(value)]) :]
        at = text.find(beginning, at + len(MASK))
    return text


def common_length(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _hidden(match: SecretMatch) -> str:
    """Return the replacement of a value, on as many lines."""
    known = match.confidence is Confidence.HIGH or match.rule == "private-key"
    start = _PUBLIC_START.match(match.value) if known else None
    visible = start[0] if start and len(match.value) >= 2 * len(start[0]) + _SHORTEST_HIDDEN else ""
    return visible + MASK + f"\n{MASK}" * match.value.count("\n")
