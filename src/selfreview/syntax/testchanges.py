"""Comparison of two states of a file: whether tests that were there are unchanged, and only whole tests are new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from selfreview.syntax.source import Source, Unit

_DOCSTRING = re.compile(r"(\"\"\"|''')(.*?)\1", re.DOTALL)
_RUST_COMMENT = re.compile(r"(?m)(?:^[ \t]*//[/!][^\n]*\n?)+")
_RUST_FENCE = re.compile(r"```.*?```", re.DOTALL)
_RUST_TESTS = re.compile(r"#\[cfg\((?:all\()?\s*test\b|#\[(?:\w+::)*(?:test|rstest|test_case)\b")
_IN_SOURCE = re.compile(r"\bimport\.meta\.vitest\b")
_CASE = re.compile(r"[^)]*(?:TestCase|Minitest::Test|Test::Unit)\b")


def only_adds_tests(old: Source, new: Source) -> bool:
    """Return whether a test file differs by whole tests with new names alone, and all that was there is unchanged.

    Not known, and so False, where either has no syntax tree.
    """
    if old.units is None or new.units is None:
        return False
    names = Counter(re.findall(r"\w+", old.text))
    return _only_adds(old.units, new.units, old.text, names)


def keeps_tests(old: Source, new: Source, *, runs_functions: bool = False) -> bool:
    """Return whether the tests inside of a product file are unchanged, but for whole new ones.

    Args:
        old, new: The two states.
        runs_functions: Whether a runner takes plain functions of it for tests.
    """
    if _doctests(old) - _doctests(new):
        return False
    if old.units is None or new.units is None:
        return (old.units is None and old.text == new.text) or not _mentions_tests(old)
    tests, left = (list(_regions(source.units or (), old.language, runs_functions)) for source in (old, new))
    names = Counter(re.findall(r"\w+", old.text))
    for test in tests:
        found = next((other for other in left if other.text == test.text), None)
        if found is None:
            found = next((other for other in left if _grew(test, other, old.text, names)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _only_adds(old: Sequence[Unit], new: Sequence[Unit], text: str, names: Counter[str]) -> bool:
    """Return whether some units are as they were, with nothing but new tests between them."""
    left = list(old)
    for unit in new:
        if left and unit.text == left[0].text:
            left.pop(0)
        elif _is_new_test(unit, text, names):
            continue
        elif left and _grew(left[0], unit, text, names):
            left.pop(0)
        else:
            return False
    return not left


def _grew(old: Unit, new: Unit, text: str, names: Counter[str]) -> bool:
    """Return whether a group of tests, such as a class, has new tests, and is the same otherwise."""
    if old.members is None or new.members is None or old.around != new.around:
        return False
    return _only_adds(old.members, new.members, text, names)


def _is_new_test(unit: Unit, text: str, names: Counter[str]) -> bool:
    if unit.test is None:
        return False
    plain = re.fullmatch(r"\w+", unit.test) is not None and not re.search(
        rf"[\"'`]{re.escape(unit.test)}[\"'`]", unit.text
    )
    return unit.test not in names if plain else unit.test not in text


def _regions(units: Sequence[Unit], language: str | None, runs_functions: bool) -> Iterator[Unit]:
    """Yield the units of a product file that are tests, or hold nothing else."""
    for unit in units:
        if _is_region(unit, language, runs_functions):
            yield unit
        elif unit.members is not None:
            yield from _regions(unit.members, language, runs_functions)


def _is_region(unit: Unit, language: str | None, runs_functions: bool) -> bool:
    if language == "rust":
        return _RUST_TESTS.search(unit.around[0] if unit.members is not None else unit.text) is not None
    if language in ("python", "ruby"):
        head = unit.around[0] if unit.members is not None else ""
        return _CASE.search(head) is not None or (runs_functions and unit.test is not None)
    if language in ("javascript", "typescript", "tsx"):
        return _IN_SOURCE.search(unit.text) is not None or (runs_functions and unit.test is not None)
    return unit.test is not None


def _mentions_tests(source: Source) -> bool:
    words = r"\b(?:TestCase|vitest|TEST(?:_\w+)?|Minitest)\b|#\[(?:cfg\()?test|@Test\b|\[(?:Fact|Theory|Test)\b"
    return re.search(words, source.text) is not None


def _doctests(source: Source) -> Counter[str]:
    """Return the examples in documentation that a runner tries, a comment or docstring at a time."""
    if source.language == "python":
        texts = (match[2] for match in _DOCSTRING.finditer(source.text) if ">>>" in match[2])
        return Counter("\n".join(_examples(text)) for text in texts)
    if source.language == "rust":
        comments = (re.sub(r"(?m)^[ \t]*//[/!]", "", match[0]) for match in _RUST_COMMENT.finditer(source.text))
        return Counter(fence for text in comments for fence in _RUST_FENCE.findall(text))
    return Counter()


def _examples(docstring: str) -> Iterator[str]:
    inside = False
    for line in docstring.splitlines():
        inside = ">>>" in line or (inside and bool(line.strip()))
        if inside:
            yield line.strip()
