"""What is run on the words of others takes no longer than they are long: no repeat within a repeat that may split them
in many ways. That is seen from how a pattern is made, and needs no clock.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from selfreview import pullrequest
from selfreview.model import feedback

GREEDY = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
FENCED = (_constants.POSSESSIVE_REPEAT, _constants.ATOMIC_GROUP, _constants.ASSERT, _constants.ASSERT_NOT)
"""What is never gone back into."""
ONE = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN)


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield all patterns of what answers feedback."""
    found = pkgutil.walk_packages(pullrequest.__path__, "selfreview.pullrequest.")
    for module in [*(importlib.import_module(one.name) for one in found), feedback]:
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{module.__name__}.{name}", value
            elif isinstance(value, tuple):
                each = (one[0] if isinstance(one, tuple) and one else one for one in value)
                yield from ((f"{module.__name__}.{name}", one) for one in each if isinstance(one, re.Pattern))


def endless(parsed: Any) -> bool:
    """Whether there is a repeat in a part of a pattern that may be of any length, and may be gone back into."""
    for kind, value in parsed:
        if kind in GREEDY and (value[1] == _constants.MAXREPEAT or endless(value[2])):
            return True
        if kind not in FENCED and kind not in GREEDY and any(endless(one) for one in below(kind, value)):
            return True
    return False


def below(kind: Any, value: Any) -> list[Any]:
    """Return the parts that a part consists of."""
    if kind is _constants.BRANCH:
        return list(value[1])
    if kind is _constants.SUBPATTERN:
        return [value[3]]
    if kind in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [value[1]]
    if kind is _constants.ATOMIC_GROUP:
        return [value]
    return [value[2]] if kind in (*GREEDY, _constants.POSSESSIVE_REPEAT) else []


def is_marked_off(body: Any) -> bool:
    """Whether each round of a repeat begins with a sign that says that it is another one."""
    while len(body) and body[0][0] is _constants.SUBPATTERN:
        body = body[0][1][3]
    return len(body) > 0 and body[0][0] in ONE


def splits(parsed: Any) -> Iterator[Any]:
    """Yield repeats over something that may be of any length."""
    for kind, value in parsed:
        if kind in GREEDY and value[1] > 1 and endless(value[2]) and not is_marked_off(value[2]):
            yield value[2]
        for one in below(kind, value):
            yield from splits(one)


@pytest.mark.parametrize(("name", "pattern"), [pytest.param(*one, id=one[0]) for one in patterns()])
def test_no_pattern_splits_what_others_wrote_in_many_ways(name: str, pattern: re.Pattern[Any]) -> None:
    assert not list(splits(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))), name


@pytest.mark.parametrize(
    ("pattern", "bad"),
    [
        (r"(?:(?:ok|a+)[\s.,]*){1,6}", True),
        (r"(?:a+)+", True),
        (r"(?:a|b*c?){2}", True),
        (r"(?:x(?:a|b+))*", False),
        (r"a+(?:-a+)*", False),
        (r"(?:a{1,9}){1,3}", False),
        (r"(?:a++)*", False),
        (r"(?>(?:a+b)*)c", True),
        (r"a*b*", False),
    ],
)
def test_such_a_pattern_is_known(pattern: str, bad: bool) -> None:
    assert bool(list(splits(_parser.parse(pattern)))) is bad
