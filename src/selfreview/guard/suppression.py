"""Silenced code: suppression comments, code that moved ones cover, and code that is commented out."""

from __future__ import annotations

import collections
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.guard.newmarks import KINDS, Ranges, counts, is_of_faults, is_of_more
from selfreview.guard.patch import File, Patch, Rejection
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.pytext import code_lines

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
        number, at, counted_on = 1, 0, 0
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
                found.beside[kind, about] += counted_on != number
                counted_on = number
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


_BLANKET = 100
"""Weight of a suppression comment that names no rule: naming one instead is less, dropping the names is more."""
_MAKES_NAMES = re.compile(
    r"\b(?:globals|vars)\(\)|(?:(?<![\w.])(?<!def )|\bbuiltins\.)exec\(|\bsetattr\(\s*sys\.modules"
)
"""Code that defines names dynamically, so that none can be proved undefined."""
_SEPARATOR = re.compile(r"[\w@/.-]+")


def suppression(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that silences more than before, or other code; comments moved from another file do not count."""
    lines = {file.path: (_lines(file.old_text), _lines(file.new_text)) for file in patch.files}
    gone = sum((old - new for old, new in lines.values()), collections.Counter[str]())
    shifted = _shifted([file for file in patch.files if any(lines[file.path])])
    for file in patch.files:
        before, after = lines[file.path]
        kept = _without(file.new_text, (after - before) & gone)
        old, new = _weigh(file.old_text), _weigh(kept)
        more = sorted(name for name, weight in new.items() if weight > old[name] and counts(name, file.path, kept))
        if more:
            reason = f"Fix what is reported instead of silencing it: take out the new {more[0]}."
            yield Rejection(file.path, "suppression", reason)
        elif file.path in shifted:
            reason = f"Leave each {shifted[file.path]}, and where it ends, with its code, and fix what is reported."
            yield Rejection(file.path, "suppression", reason)
        elif file.language == "python" and _makes_names(file.new_lines) > _makes_names(file.old_lines):
            reason = "Do without globals(), vars() or exec(): no name can be told to be undefined where they are."
            yield Rejection(file.path, "suppression", reason)


def _makes_names(lines: Sequence[str]) -> int:
    """Return how many lines of code make names that no definition shows."""
    return sum(_MAKES_NAMES.search(line) is not None for line in live("python", lines))


def _shifted(files: Sequence[File]) -> dict[str, str]:
    """Return the kind of a suppression comment that now is about other code, by path.

    What stood beside code that stays is not free for other code; what stood beside code that is gone is, for the code
    may have become another, and so is what came with its code from another file.
    """
    sides = {
        file.path: (silenced(file.old_path, file.old_lines), silenced(file.path, file.new_lines)) for file in files
    }
    gone = {path: new.gone_since(old) for path, (old, new) in sides.items()}
    everywhere = sum(gone.values(), collections.Counter[tuple[str, str]]())
    found = {}
    for path, (old, new) in sides.items():
        come = new.beside - old.beside - everywhere
        free = collections.Counter(kind for kind, _ in gone[path].elements())
        more = collections.Counter(kind for kind, _ in come.elements()) - free
        kinds = [*new.more_than(old), *more]
        if kinds:
            found[path] = kinds[0]
    return found


def _weigh(text: str) -> dict[str, int]:
    weights: dict[str, int] = collections.Counter()
    for name, pattern in KINDS:
        for match in pattern.finditer(text):
            rules = match.groupdict().get("rules")
            weights[name] += len(_SEPARATOR.findall(rules)) if rules else _BLANKET
    return weights


def _lines(text: str) -> collections.Counter[str]:
    found = (line.strip() for line in text.split("\n"))
    return collections.Counter(line for line in found if any(pattern.search(line) for _, pattern in KINDS))


def _without(text: str, moved: collections.Counter[str]) -> str:
    if not moved:
        return text
    kept, remaining = [], moved.copy()
    for line in text.split("\n"):
        if remaining[line.strip()] > 0:
            remaining[line.strip()] -= 1
        else:
            kept.append(line)
    return "\n".join(kept)


LONGEST = 2_000
"""Characters of a line above which it is not parsed: nobody writes such lines, and parsing them takes very long."""


def live(language: str, lines: Sequence[str]) -> list[str]:
    """Return the code of lines, each at its place; of a line that is too long, all of it.

    Python is not parsed: that takes very long where there are many comments.

    Args:
        language: Their language.
        lines: The lines.
    """
    if language == "python":
        code = code_lines("\n".join(lines))
    else:
        short = [line.encode("utf-8", "replace").decode() if len(line) <= LONGEST else "" for line in lines]
        code = live_lines(parse("\n".join(short), language), language, short)
    return [alive if len(line) <= LONGEST else line for line, alive in zip(lines, code, strict=True)]


_OPENING = re.compile(r"//+|#+|--|/\*|\*|;+|<!--")
_CODE = re.compile(r"[=(){}\[\];:.]|^\s*(?:return|raise|break|continue|end)\b")
_SHORTEST = 6


def commented_out(patch: Patch) -> Iterator[Rejection]:
    """Reject code that was turned into comments, or is now inside a comment or a string."""
    for file in patch.files:
        if file.language is not None and (_has_commented(file) or _has_taken_out(file)):
            reason = "Correct the code or delete it; do not leave it as a comment."
            yield Rejection(file.path, "commented-out", reason)


def _has_commented(file: File) -> bool:
    for hunk in file.hunks:
        gone = {line.strip() for line in hunk.old if _is_code(line) and _commented(line) is None}
        if any(_commented(line) in gone for line in hunk.new):
            return True
    return False


def _is_code(line: str) -> bool:
    return len(line.strip()) >= _SHORTEST and _CODE.search(line) is not None


def _has_taken_out(file: File) -> bool:
    """Return whether former lines of code are still there, but inside a comment or a string."""
    if file.language not in GRAMMARS:
        return False
    code, text = _sorted(file.language, file.old_lines)
    code_now, text_now = _sorted(file.language, file.new_lines)
    return any(text_now[line] > text[line] and code_now[line] < code[line] for line in text_now)


def _sorted(language: str, lines: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Return the lines that are code, and those that are none."""
    code, text = Counter[str](), Counter[str]()
    for line, alive in zip(lines, live(language, lines), strict=True):
        if len(line.strip()) >= _SHORTEST:
            (code if alive.strip() else text)[line.strip()] += 1
    return code, text


def _commented(line: str) -> str | None:
    """Return the text of a line that is a comment, or None where it is none."""
    bare = line.strip()
    opening = _OPENING.match(bare)
    return None if opening is None else bare[opening.end() :].removesuffix("*/").removesuffix("-->").strip()
