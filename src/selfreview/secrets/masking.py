"""Hide secrets in text that is shown, sent or stored."""

from __future__ import annotations

import re
from collections.abc import Iterable

from selfreview.secrets.match import Confidence, SecretMatch
from selfreview.secrets.providers import PRIVATE_KEY_BEGIN
from selfreview.secrets.scanner import scan
from selfreview.text.masking import MASK

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
