"""Assertions in tests: the lines of code that make one, and the words by which calls do, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.syntax.statements import CONTINUED

_ALWAYS = frozenset({"assert", "expect", "should", "refute"})
"""Words of a call that asserts wherever it stands."""
_VERBS = frozenset(
    {"verify", "check", "must", "wont", "ensure", "require", "fail", "flunk", "received", "raises", "warns"}
)
_PREDICATES = frozenset({"equal", "equals", "same", "ok", "throws", "rejects"})
"""Words of a call that asserts where nothing is done with what it returns, as these verbs."""
_PREFIXES = frozenset({"is", "has", "contains", "does", "to", "matches", "be", "have", "contain", "match"})
"""First words of calls that assert what something is; alone, and on other than a handle, they mean much else."""
_OF_HANDLES = frozenset(
    """
    is not true false truthy falsy nil null undefined like match has contains error fatal empty len zero panics pass
    type greater less regexp subset eventually delta exactly implements
    """.split()  # noqa: SIM905 - a table to read
)
"""Words by which what a test is given, as ``t`` and ``s``, asserts."""
_HANDLE = re.compile(r"[a-z]{1,2}|tb|test|suite")
_RUST = re.compile(r"\b\w*(?:assert|snapshot)\w*!|\bpanic!|^\s*(?:\w+(?:\.|::))*(?:check|verify)(?![a-z])\w*\(")
"""Macros: there, ``expect`` takes a value out and ``ok`` drops an error."""

_ARGUMENTS = r"[^()]*+"
for _ in range(3):
    _ARGUMENTS = rf"(?:[^()]++|\({_ARGUMENTS}\))*+"
_CALLED = r"[!?]?(?:<[^<>()]*+(?:<[^<>()]*+>[^<>()]*+)?>)?"
_CALL = re.compile(
    r"(?<![\w$])(?<!def )(?<!fun )(?<!func )(?<!function )(?<!void )(?<!new )(?<![=!<>]= )(?<!&& )(?<!\|\| )"
    rf"(\w+){_CALLED}(?=\s?\(|\s\{{|(?:\.|::|->)\w+[!?]?[(<])"
)
_INFIX = re.compile(
    r"^\s*(?:assert|refute)(?:_\w+[?!]?)?\s+[^\s=:,)]|[.>]should(?:_not)?\b|\.(?:must|wont)_\w+|\bis_expected\b|"
    r"[\w)\]}\"'`]\s+should(?:Not)?(?:Be|Have|Contain|Throw|Match|Equal|Start|End)\w*(?:\s|$)|,\s*(?:\w+\.)?Should\w+\s*[,)]"
)
"""Assertions without brackets."""
_START = re.compile(
    r"(?:^|[{;)]|\(\)\s*[=-]>(?=\s)|\b(?:else|then|do|with|await|try)\b)\s*(?:(?:await|async|with)\b\s*)*(?=[\w$@.])"
)
"""Start of a statement."""
_LINK = re.compile(rf"[$@]*(\w+){_CALLED}(\s?\({_ARGUMENTS}\)|\s?\(|\s\{{)?(\s?(?:\.|\?\.|!!\.|->|\?->|::))?")
_LOOP = re.compile(r"\s*for\b")
_VOCABULARY = _ALWAYS | _VERBS | _PREDICATES | _OF_HANDLES
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def asserting(lines: Sequence[str], language: str, starts: Sequence[int]) -> frozenset[int]:
    """Return the numbers of the lines that assert something; within brackets, only the first.

    Args:
        lines: The lines of a file, with comments and texts blank.
        language: Their language.
        starts: What :func:`~selfreview.syntax.statements.statement_starts` returns for them.
    """
    if language == "rust":
        return frozenset(number for number, line in enumerate(lines, 1) if _RUST.search(line))
    found: set[int] = set()
    for number, (line, start) in enumerate(zip(lines, starts, strict=True), 1):
        continued = CONTINUED.match(line)
        if continued and start in found:
            is_assertion = _asserts(line, inner=True) or _says(line, continued.end())
        else:
            is_assertion = start not in found and _asserts(line, inner=start != number)
        if is_assertion:
            found.add(number)
    return frozenset(found)


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case."""
    return [part.lower() for part in _PARTS.findall(name)]


def is_vocabulary(name: str) -> bool:
    """Return whether a name is part of writing assertions, rather than of what they are about."""
    words = words_of(name)
    return not _VOCABULARY.isdisjoint(words) or (len(words) > 0 and words[0] in _PREFIXES)


def _asserts(line: str, *, inner: bool) -> bool:
    """Return whether a line asserts something; an inner line does not start a statement."""
    for call in _CALL.finditer(line):
        words = words_of(call[1])
        if not _ALWAYS.isdisjoint(words) and ("should" not in words or _is_of(line, call)):
            return True
    if _INFIX.search(line):
        return True
    starts = () if _LOOP.match(line) else _START.finditer(line, len(line) - len(line.lstrip()) + 1 if inner else 0)
    return any(_is_claim(list(_chain(line, start.end()))) for start in starts)


def _is_of(line: str, call: re.Match[str]) -> bool:
    """Return whether a call is a method of something, not a helper as ``shouldRetry()`` may be, nor a mock's setup."""
    if re.search("(?i)called|receive", call[1]):
        return False
    return line[: call.start()].endswith((".", "->", "::")) or call[1] == "Should" or call[0].endswith(">")


def _chain(line: str, at: int) -> Iterator[str]:
    """Yield the names that a statement starts with; those that are called end with a bracket."""
    while link := _LINK.match(line, at):
        yield link[1] + ("(" if link[2] else "")
        at = link.end()
        if link[3] is None:
            return


def _is_claim(chain: Sequence[str]) -> bool:
    """Return whether the names that a statement starts with are those of an assertion."""
    calls = (number for number, name in enumerate(chain) if name.endswith("("))
    return any(_claims(chain, number) for number in calls if chain[number] != ("check(" if number else "require("))


def _claims(chain: Sequence[str], number: int) -> bool:
    """Return whether a call in a chain asserts something."""
    name = chain[number]
    words = words_of(name)
    claims = {*words, *(word.removesuffix("f") for word in words)}
    if not claims.isdisjoint(_VERBS | _PREDICATES) or claims >= {"not", "receive"}:
        return True
    if number and chain[0] in _VERBS:
        return True  # a module or a handle of that name
    if name is chain[-1] and chain[number - 1].endswith("(") and _is_camel(name, words):
        return True
    return number == 1 and _HANDLE.fullmatch(chain[0]) is not None and not claims.isdisjoint(_OF_HANDLES)


def _is_camel(name: str, words: Sequence[str]) -> bool:
    return len(words) > 1 and words[0] in _PREFIXES and "_" not in name


def _says(line: str, at: int) -> bool:
    called = [words_of(name) for name in _chain(line, at) if name.endswith("(")]
    return any(not (_PREFIXES | _PREDICATES | _VERBS).isdisjoint(words) for words in called)
