"""Find where a change takes away what stops a shell script at a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from selfreview.api import ChangedFile, Finding
from selfreview.model.change import overlaps
from selfreview.model.issue import Side
from selfreview.rules.rule import Rule

_SET = re.compile(r"^\s*set\s+(?P<options>-[^#;|]*)")
_SHEBANG = re.compile(r"^#!\S*\b(?:ba|da|k|z)?sh\s+(?P<options>-.*)")
_SOURCED = re.compile(r"^\s*(?:source|\.)\s+\S")
_LETTERS = {"e": "errexit", "u": "nounset"}


def no_longer_strict(
    file: ChangedFile, old: Sequence[str], new: Sequence[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield the removed line that made a script stop, where nothing does so now.

    Args:
        file: The file.
        old, new: Its lines on both sides.
        rules: The rules that code finds, by id.
    """
    rule = rules.get("bash-strict-mode-removed")
    if rule is None or any(map(_SOURCED.match, new)):
        return
    kept = {option for line in new for option in _options(line)}
    for number, line in enumerate(old, 1):
        lost = _options(line) - kept
        if "errexit" in lost and overlaps(file.removed, number, number):
            yield Finding(
                file=file.path,
                line_start=number,
                line_end=number,
                side=Side.OLD,
                severity=rule.severity,
                category=rule.category,
                description=rule.message,
                suggested_fix=rule.suggestion,
                rule=rule.id,
            )
            return


def _options(line: str) -> set[str]:
    """Return the names of the options that a line turns on."""
    match = _SET.match(line) or _SHEBANG.match(line)
    if match is None:
        return set()
    found: set[str] = set()
    for word in match["options"].split():
        if re.fullmatch(r"-[A-Za-z]+", word):
            found |= {_LETTERS[letter] for letter in word[1:] if letter in _LETTERS}
        elif re.fullmatch(r"[a-z]+", word):
            found.add(word)
    return found
