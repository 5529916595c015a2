"""How much of a text the rules read: each character a bounded number of times, whatever the text repeats.

Counted is what patterns read, and not the time. A pattern that fails does not say how far it came; the same pattern
with everything optional does.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any

import pytest

from selfreview.errors import ToolTimeout
from selfreview.secrets import plausibility, scanner, surroundings
from selfreview.secrets.providers import FORMATS
from selfreview.secrets.scanner import rule_matches, scan
from selfreview.secrets.surroundings import KEYED

REPEATS = 280
MOST = 130
"""Times that a character may be read; a rule that reads the rest from each mark comes to half of the repeats."""

MARKS = sorted(
    {mark for rule in (*FORMATS, *KEYED) for mark in rule.marks}
    | {*surroundings._NAME_MARKS, *scanner._ENCODED_MARKS, "://", "-----END "}
)
JOINTS = ["", "/+", "='", "=A1b2C3d4?"]
STARTS = ["eyJ", "ops_eyJ", "ZXlKaGJHY2lPaU", "-----BEGIN PRIVATE KEY-----", "curl -H 'token:"]
MORE_JOINTS = ["-", "=", ".", ": ", "(", "A1b9-", "é="]


class Counted:
    """A compiled pattern that adds what it reads to a sum."""

    def __init__(self, pattern: re.Pattern[str], read: list[int]) -> None:
        self._pattern, self._read = pattern, read
        self._prefix: re.Pattern[str] = re._compiler.compile(  # type: ignore[attr-defined]
            prefixes(re._parser.parse(pattern.pattern, pattern.flags))  # type: ignore[attr-defined]
        )
        self.groupindex = pattern.groupindex

    def match(self, text: str, start: int = 0, *end: int) -> re.Match[str] | None:
        match = self._pattern.match(text, start, *end)
        furthest = max(found.end() for found in (match, self._prefix.match(text, start, *end)) if found)
        self._read.append(furthest - start + 1)
        return match

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(text: str, *extent: int) -> Any:
            self._read.append(len(text[slice(*extent)] if len(extent) == 2 else text) + 1)
            return getattr(self._pattern, name)(text, *extent)

        return call


def prefixes(parsed: Any) -> Any:
    """Return a pattern of every beginning of what a pattern matches."""
    make = type(parsed)
    rest: list[Any] = []
    part: list[Any]
    for kind, what in reversed(list(parsed)):
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                part = [(MAX_REPEAT, (0, what[1], what[2]))]
            case "SUBPATTERN":
                part = list(prefixes(what[3]))
            case "BRANCH":
                part = [(BRANCH, (None, [prefixes(one) for one in what[1]]))]
            case _:
                part = []
        whole = make(parsed.state, [(kind, what), *rest])
        rest = [(BRANCH, (None, [whole, make(parsed.state, part)]))]
    return make(parsed.state, rest)


BRANCH, MAX_REPEAT = re._constants.BRANCH, re._constants.MAX_REPEAT  # type: ignore[attr-defined]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Everything that the rules read is added to this list."""
    found: list[int] = []
    known: dict[tuple[str, int], Counted] = {}

    def compiled(pattern: str, flags: int = 0) -> Counted:
        if (pattern, flags) not in known:
            known[pattern, flags] = Counted(re.compile(pattern, flags), found)
        return known[pattern, flags]

    def counting(judge: Callable[..., Any]) -> Callable[..., Any]:
        def judged(value: str, **options: Any) -> Any:
            found.append(len(value))
            return judge(value, **options)

        return judged

    for module in (plausibility, scanner, surroundings):
        for name, value in list(vars(module).items()):
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, name, Counted(value, found))
            elif name in ("looks_random", "entropy", "is_placeholder"):
                monkeypatch.setattr(module, name, counting(value))
    monkeypatch.setattr(scanner, "re", types.SimpleNamespace(compile=compiled, IGNORECASE=re.IGNORECASE))
    return found


def check(text: str, read: list[int]) -> None:
    read.clear()
    scan(text)
    assert sum(read) <= MOST * len(text), text[:60]


@pytest.mark.parametrize("joint", [*JOINTS, *(pytest.param(joint, marks=pytest.mark.long) for joint in MORE_JOINTS)])
def test_a_mark_that_is_repeated(joint: str, read: list[int]) -> None:
    for mark in MARKS:
        check((mark + joint) * REPEATS, read)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("shift", [0, *(pytest.param(shift, marks=pytest.mark.long) for shift in (1, 2, 3))])
def test_names_amid_what_a_long_part_is_made_of(start: str, shift: int, read: list[int]) -> None:
    joint = ["=A9b/", "-A9b.", "='A9b", ": a/9/"][(STARTS.index(start) + shift) % 4]
    for mark in surroundings._NAME_MARKS:
        check(start + (mark + joint) * REPEATS, read)
        check((start + (mark + joint) * 10) * 40, read)


@pytest.mark.parametrize("run", ["A1b/", "a9Z-", "=", ": ", "\\n", "é", "x."])
@pytest.mark.parametrize("start", ["api_key=", 'token="', "password: ", "curl -u ", "jfrog", "db://u:", "eyJ"])
def test_a_long_run(start: str, run: str, read: list[int]) -> None:
    check(start + run * 2_000, read)


@pytest.mark.parametrize("text", ["token_", "login(bot ", "jfrog", "://a:", "-----BEGIN PRIVATE KEY-----", "sk-"])
def test_the_time_that_is_left_is_asked_for_within_a_rule(text: str) -> None:
    left = iter([1.0] * 600)
    with pytest.raises(ToolTimeout):
        list(rule_matches(text * 1_000, lambda: next(left, -1.0)))
