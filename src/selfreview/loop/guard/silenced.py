"""Code that suppression comments cover, line by line, so that a comment that moves to other code is seen."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.loop.guard.markranges import Ranges
from selfreview.loop.guard.newmarks import is_of_faults, is_of_more
from selfreview.loop.guard.silencers import KINDS, counts

_COMMENT = re.compile(r"#|(?<!:)//|/\*|--\s|<!--")
_NAME = re.compile(r"[\w@/-]*\w")
_ANYWHERE = re.compile(
    r"(?:else|try|finally|do|then|fi|done|begin|end|esac|pass|break|continue|return(?:none|nil|null|true|false|\d)?)?\W*",
    re.IGNORECASE,
)
"""Lines that are common in any code, so that they identify none."""


class Silenced(NamedTuple):
    """Code that suppression comments silence, compared without white space and comments.

    Attributes:
        code: All lines of code.
        beside: The kinds of marks that are about one line, each with its code, once a line.
        rules: By kind and rule, the code that is silenced; the rule is empty where a mark names none.
    """

    code: Counter[str]
    beside: Counter[tuple[str, str]]
    rules: dict[tuple[str, str], Counter[str]]

    def gone_since(self, old: Silenced) -> Counter[tuple[str, str]]:
        """Return the suppression comments that are gone with the code that they were about."""
        gone = old.beside - self.beside
        return Counter({mark: min(count, old.code[mark[1]] - self.code[mark[1]]) for mark, count in gone.items()})

    def more_than(self, old: Silenced) -> list[str]:
        """Return the kinds of suppression comments that silence code that existed before and was not silenced."""
        found = []
        for (kind, rule), codes in self.rules.items():
            for code, now in codes.items():
                was = max(old.rules[kind, rule][code], old.rules[kind, ""][code])
                if now > was and self.code[code] - now < old.code[code] - was:
                    found.append(kind)
        return found


def silenced(path: str, lines: Sequence[str]) -> Silenced:
    """Return the code that suppression comments of a text silence, but for those of its format and its tests."""
    text = "\n".join(lines)
    code = [_bare(line) for line in lines]
    ranges = Ranges(lines)
    found = Silenced(Counter(code), Counter(), defaultdict(Counter))
    for kind, pattern in KINDS:
        if not counts(kind, path, text):
            continue
        number, at, told = 1, 0, 0
        reached: dict[str, int] = defaultdict(int)
        for match in pattern.finditer(text):
            number, at = number + text.count("\n", at, match.start()), match.start()
            last = number + match.group().rstrip().count("\n")
            names = _NAME.findall(match.groupdict().get("rules") or "") or [""]
            behind = _bare(text[text.rfind("\n", 0, at) + 1 : at])
            if not is_of_faults(kind, match):
                continue
            if not is_of_more(lines[number - 1]):
                about = code[number - 1] if behind else _next(code[last:])
                found.beside[kind, about] += told != number
                told = number
                for name in names:
                    found.rules[kind, name][about] += 1
                continue
            covered = ranges.of(match, last) or range(last + 1, len(lines) + 1)
            for name in names:
                first = max(covered.start, reached[name])
                inside = code[first - 1 : covered.stop - 1]
                found.rules[kind, name].update(line for line in inside if _ANYWHERE.fullmatch(line) is None)
                reached[name] = max(reached[name], covered.stop)
    return found


def _bare(line: str) -> str:
    """Return a line without white space, up to where a comment may begin."""
    return "".join(_COMMENT.split(line, maxsplit=1)[0].split())


def _next(code: Sequence[str]) -> str:
    """Return the first line that is neither empty nor an annotation."""
    return next((line for line in code if line and not line.startswith(("@", "["))), "")
