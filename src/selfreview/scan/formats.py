"""Credential formats that providers document and that the embedded scanner only reports next to a second value.

It wants an Azure secret's tenant id or an AWS key id's secret on a line nearby; one alone is as leaked as both.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

_BEFORE = r"(?<![A-Za-z0-9_])"
_AFTER = r"(?![A-Za-z0-9_])"


class Format(NamedTuple):
    """One format.

    Attributes:
        rule: Stable id; the embedded scanner's where it has one.
        title: What it is, for a person.
        marks: Literal text, one of which every match holds; looked for first.
        pattern: Regular expression; its group ``value``, or all of it, is the secret.
        entropy: Fewest bits per character.
    """

    rule: str
    title: str
    marks: tuple[str, ...]
    pattern: str
    entropy: float = 3.0


FORMATS = (
    Format(
        "azure-ad-client-secret",
        "Microsoft Entra (Azure AD) client secret",
        ("Q~",),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
    ),
    Format(
        "aws-access-token",
        "AWS access key ID",
        ("AKIA", "ASIA"),
        _BEFORE + r"(?:AKIA|ASIA)[A-Z2-7]{16}" + _AFTER,
    ),
)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find_formats(text: str) -> Iterator[tuple[Format, int, int]]:
    """Yield every match as its format and the value's extent in code points."""
    for form in FORMATS:
        if not any(mark in text for mark in form.marks):
            continue
        for match in _compiled(form.pattern).finditer(text):
            group = "value" if "value" in match.re.groupindex else 0
            if entropy(match[group]) >= form.entropy:
                yield form, *match.span(group)


def entropy(value: str) -> float:
    """Return Shannon's entropy of a text in bits per character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in (value.count(c) for c in set(value)))
