"""Text of others in a commit message, made inert: forges, CI systems and trackers read it, and must do nothing."""

from __future__ import annotations

import re

from selfreview.text.escape import visible

_CALLING = re.compile(r"([@#])(?=\w)|(!)(?=\d)")
"""A mention, or a number of an issue or a request: with a space behind it, it is neither."""
_NUMBERED = re.compile(r"\b(gh)-(?=\d)", re.IGNORECASE)
_NONE = r"(?!(?:UTF|SHA|ISO|RFC|PEP|CVE|MD|AES|RSA|IPV|HTTP|TLS|EUC|CP|IEEE|ECMA)-)"
"""Standards that are written like keys."""
_KEY = re.compile(rf"\b{_NONE}([A-Z][A-Z0-9_]+)-(?=\d)")
"""A key of a tracker that knows no ``#``: some link it wherever it stands."""
_CLOSING = re.compile(r"\b(?:clos|fix|resolv|implement|complet|end|refs?|part of)", re.IGNORECASE)
_ANY_KEY = re.compile(rf"\b{_NONE}([a-z][a-z0-9_]*)-(?=\d)", re.IGNORECASE)
"""A key in a text with a word that trackers act on: they take more than one behind it, and some in small letters."""
_NO_CI = re.compile(r"\*{2,}|(no_ci)", re.IGNORECASE)
_BRACKETS = str.maketrans("[]", "()")


def quiet(text: str) -> str:
    """Return a text of others as one line of a commit message, with mentions, numbers and keys made inert.

    No ``[skip ci]`` or another order in brackets, no mention, no reference that closes an issue or links one, no
    address, no trailer, and nothing that a terminal does not show.
    """
    line = visible(" ".join(text.split())).translate(_BRACKETS)
    line = _NO_CI.sub(lambda match: "no ci" if match[1] else "*", line)
    line = (_ANY_KEY if _CLOSING.search(line) else _KEY).sub(r"\1 ", line)
    line = _NUMBERED.sub(r"\1 ", line)
    line = _CALLING.sub(r"\g<0> ", line.replace("://", ": //"))
    return re.sub(r"\b(skip-checks)\s*:", r"\1", line, flags=re.IGNORECASE)
