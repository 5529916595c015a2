"""Detection of changes that remove what stops a shell script at a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from selfreview.api import ChangedFile, Finding
from selfreview.model.change import overlaps
from selfreview.model.issue import Side
from selfreview.reviewers._rules_blame import tied
from selfreview.reviewers._rules_live import differing
from selfreview.rules.live import live_lines
from selfreview.rules.rule import Rule
from selfreview.syntax.parsing import parse

_SET = re.compile(r"^\s*set\s+(?P<options>-[^#;|]*)")
_SHEBANG = re.compile(r"^#!\S*\b(?:ba|da|k|z)?sh\s+(?P<options>-.*)")
_SOURCED = re.compile(r"^\s*(?:source|\.)\s+\S")
_LETTERS = {"e": "errexit", "u": "nounset"}


def no_longer_strict(
    file: ChangedFile, old: Sequence[str], new: Sequence[str], rules: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Yield the removed line that made a script stop, where no other line does so now.

    Args:
        file: The file.
        old, new: Its lines on both sides.
        rules: The rules that code finds, by id.
    """
    rule = rules.get("bash-strict-mode-removed")
    if rule is None or not any(map(_options, old)):
        return
    was, now = _live(old), _live(new)
    if any(map(_SOURCED.match, now)):
        return
    gone, _ = differing(was, now, file.spans)
    kept = {option for line in now for option in _options(line)}
    for number, line in enumerate(was, 1):
        if "errexit" in _options(line) - kept and overlaps(gone, number, number):
            found = Finding(
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
            yield tied(found, file)
            return


def _live(lines: Sequence[str]) -> list[str]:
    """Return lines without comments and texts; the line that names the shell is none."""
    return [*lines[:1], *live_lines(parse("\n".join(lines), "bash"), "bash", lines)[1:]]


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
