"""Tests of languages other than Python, found by how they begin."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfreview.loop.guard.comments import without_comments
from selfreview.loop.guard.jsreached import reached
from selfreview.loop.guard.likeness import likeness
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.textblocks import blocks_of
from selfreview.loop.guard.textnesting import obstacles, without_long_strings, without_strings

NOTHING, TRUTH, PARTIAL, EXACT = range(4)
_ALIKE = 0.6

_QUOTED = r"\(\s*(?P<name>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)"
_ATTRIBUTES = r"(?P<attributes>(?:#\[(?:[^\[\]\n]|\[[^\]\n]{0,500}+\])*+\]\s*+)++)"
"""All attributes in a row, which are never tried in another way: the time grows with the text alone."""
_JAVASCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_TESTS = re.compile(r"#\[(?:\w+::)?test\b")
_JAVASCRIPT = re.compile(rf"\b(?:x|f)?(?:it|test|specify)(?:\.\w+)*(?:\([^()]*\)|`[^`]*`)?{_QUOTED}")
_STARTS = {
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": re.compile(r"^func (?:\([^)]*\) )?(?P<name>(?:Test|Fuzz|Example|Benchmark)(?![a-z])\w*)\(", re.MULTILINE),
    "java": re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest)\b[^;{}]{0,500}?\b(?P<name>\w+)\s*\("
                       r"[^)]{0,500}\)[^;{}]{0,200}\{"),
    "kotlin": re.compile(r"@(?:Test|ParameterizedTest)\b[^;{}]{0,500}?\bfun\s+(?P<name>\w+|`[^`]+`)\s*\("),
    "csharp": re.compile(r"\[(?:Fact|Theory|Test|TestMethod"
                         r"|TestCase)\b[^;{}]{0,500}?\b(?P<name>\w+)\s*\([^)]{0,500}\)\s*(?:\{|=>)"),
    "rust": re.compile(rf"{_ATTRIBUTES}(?:(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+))?"),
    "ruby": re.compile(r"^[ \t]*(?:def\s+(?P<def>test_\w+[?!]?)|(?:x|f)?(?:it|specify|test"
                       r"|scenario)\b\s*\(?\s*(?P<name>\"[^\"\n]*\"|'[^'\n]*'))", re.MULTILINE),
    "php": re.compile(r"\bfunction\s+(?P<name>test\w*)\s*\(|\b(?:it|test)" + _QUOTED.replace("name", "quoted")),
    "bats": re.compile(r"^[ \t]*@test\s+(?P<name>\"[^\"\n]*\"|'[^'\n]*')", re.MULTILINE),
    "swift": re.compile(r"\bfunc\s+(?P<name>test\w*)\s*\("),
}  # fmt: skip

_NOTHING = (
    r"\bexpect\(\s*(?:true|1)\s*\)\.(?:to(?:Be|Equal|StrictEqual)\(\s*(?:true|1)\s*\)|toBeTruthy\(\))"
    r"|\bassert(?:\.ok|_?[Tt]rue|\.True)?!?\s*\(\s*true\s*\)"
    r"|\bAssert\.(?:True|IsTrue)\(\s*true\s*\)|\bassert_eq!\(\s*(?P<a>\w+)\s*,\s*(?P=a)\s*\)"
    r"|\bexpect\(true\)\.to\s+(?:be|eq)[^\n]*|\bassert\s+true\b"
)
_EXACT = (
    r"\.(?:not\.)?(?:toBe|toEqual|toStrictEqual|toHaveBeenCalledWith|toHaveBeenCalledTimes|toHaveLength"
    r"|toMatchSnapshot|toMatchInlineSnapshot|toThrow(?:Error)?"
    r"(?=\(\s*[^)\s])|deepEqual|strictEqual|deepStrictEqual|equal|eql)\(|\bassert(?:Equals?|Same|_eq!|ArrayEquals"
    r"|IterableEquals|Throws\w*)\s*\(|\bassert_equal\b"
    r"|\bassert_eq!|\b(?:require|assert)\.(?:Equal\w*|ErrorIs|ErrorAs|JSONEq|ElementsMatch|Len)\("
    r"|\bAssert\.(?:AreEqual|Equal|AreSame|Same|Throws\w*|StrictEqual)\b"
    r"|\.(?:to|should)\s+(?:eq|eql|equal|be_nil)\b|\.to\.(?:deep\.)?(?:equal|eql)\(|->(?:assertSame|assertEquals"
    r"|toBe|toEqual)\(|::(?:assertSame|assertEquals)\("
    r"|\bexpectException\w*\(|\bisEqualTo\(|\bassert_raises\b|\.to\s+raise_error\(\s*\w"
)
_TRUTH = (
    r"\.(?:not\.)?(?:toBeTruthy|toBeFalsy|toBeDefined|toBeUndefined|toHaveBeenCalled|toThrow|toBeNull)\("
    r"|\bassert(?:True|False|NotNull|Null|_not_nil)?!?\s*\("
    r"|\b(?:require|assert)\.(?:True|False|NotNil|NoError|Error|NotEmpty|Nil|ok)\(|\bAssert\.(?:True|False|NotNull"
    r"|IsTrue|IsFalse|IsNotNull)\b"
    r"|\.(?:to|to_not|not_to|should)\s+(?:be_truthy|be_falsey|be_present|be)\b|\bassert\s+|->assert(?:True|False"
    r"|NotNull|NotEmpty)\(|\bassert_not_nil\b|\bisNotNull\(|\bisTrue\("
)
_PARTIAL = (
    r"\bexpect\s*\(|\bassert\w*!?\s*\(|\b(?:require|assert)\.\w+\(|\bAssert\.\w+\b|\bt\.(?:Error|Errorf|Fatal"
    r"|Fatalf|Fail|FailNow)\(|\.should\b|->assert\w+\("
    r"|::assert\w+\(|\bassert_\w+\b|\bverify\(|\bXCTAssert\w*\(|\brefute\w*\b|\bmust_\w+\b"
)
_ASSERTION = re.compile(
    rf"(?P<nothing>{_NOTHING})|(?:\bexpect\s*\([^\n;]*?\)\s*)?(?:(?P<exact>{_EXACT})|(?P<truth>{_TRUTH}))"
    rf"|(?P<partial>{_PARTIAL})"
)
_COMPARED = re.compile(r"[!=]=|\b(?:DeepEqual|Equal\w*|Diff|Compare|ErrorIs|Is|NoError|Nil)\(")
_COMPARING = {"go": _COMPARED, "bats": re.compile(r"^\s*(?:!\s*)?(?:\[{1,2}|test)\s", re.MULTILINE)}
_WAYS_OUT = (
    r"return|next|break|exit(?:[ \t]+0)?|os\.Exit\([^)\n]*\)"
    r"|(?:process|System|std::process|Environment)(?:\.|::)[eE]xit\([^)\n]*\)"
)
_STRENGTHS = {"nothing": NOTHING, "exact": EXACT, "truth": TRUTH, "partial": PARTIAL}
_EQUALITY = re.compile(r"\(\s*[^,()]*(?:\([^()]*\))?[^,()]*\s===?\s")


@dataclasses.dataclass(frozen=True, eq=False)
class TextCase:
    """One test.

    Attributes:
        file: Where it is.
        name: Its name or title.
        text: From its beginning to that of the next, without comments.
        first, last: Its lines.
        under: What is around it, and on it, that may keep it from being found.
    """

    file: File
    name: str
    text: str
    first: int
    last: int
    under: Sequence[str] = ()

    @functools.cached_property
    def strengths(self) -> Sequence[int]:
        """Strength of each of its assertions."""
        return assertions(self.text)

    @functools.cached_property
    def reached(self) -> int:
        """Number of its assertions that are always reached; all where its language is not analysed so far."""
        if self.file.language not in _JAVASCRIPTS:
            return len(self.strengths)
        bare = without_strings(self.text, self.file.language)
        return reached(bare, [match.start() for match in _ASSERTION.finditer(self.text)], self.file.language or "")

    @property
    def comparisons(self) -> int:
        """Number of values that a test of Go or Bats compares by itself: there, a condition is what asserts."""
        pattern = _COMPARING.get(self.file.language or "")
        return len(pattern.findall(self.text)) if pattern is not None else 0

    @property
    def code(self) -> str:
        """Code between its braces, or its ``do`` and its ``end``."""
        body = self.text.partition("\n")[2] if self.file.language == "ruby" else self.text.partition("{")[2]
        return re.sub(r"[\s{}();]|\bend\b|#\[[^\]]*\]|@\w+", "", body)


class TextMatch(NamedTuple):
    """A test before and after; None where it is gone."""

    old: TextCase
    new: TextCase | None


def assertions(text: str) -> list[int]:
    """Return the strength of each assertion in a text."""
    found = []
    for match in _ASSERTION.finditer(text):
        value = next(_STRENGTHS[name] for name in _STRENGTHS if match[name] is not None)
        if value == TRUTH and _EQUALITY.match(text, match.end() - 1):
            value = EXACT  # ``assert(a == b)``
        found.append(value)
    return found


@functools.lru_cache(maxsize=1)
def match_text_tests(patch: Patch) -> tuple[TextMatch, ...]:
    """Match every test from before with the test that it is now."""
    files = [file for file in patch.files if file.language in _STARTS and (file.has_tests or file.language == "rust")]
    left = {
        (case.file.path, case.name): case
        for file in files
        if file.is_still_test
        for case in text_cases_of(file, file.new_text)
    }
    found = [
        TextMatch(case, left.pop((file.path, case.name), None))
        for file in files
        for case in text_cases_of(file, file.old_text)
    ]
    return tuple(match if match.new is not None else TextMatch(match.old, _renamed(match.old, left)) for match in found)


def text_cases_of(file: File, text: str) -> list[TextCase]:
    """Return the tests of a text; none where its language is not known."""
    pattern = _STARTS.get(file.language or "")
    if pattern is None:
        return []
    clean = without_comments(text, file.language)
    bare = without_strings(clean, file.language)
    blocks = blocks_of(bare, file.language)
    starts = [
        match
        for match in pattern.finditer(without_long_strings(clean, file.language))
        if _begins_test(match.groupdict())
    ]
    found = []
    for number, match in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(clean)
        name = next(value for key, value in match.groupdict().items() if value and key != "attributes")
        first = clean.count("\n", 0, match.start()) + 1
        body = clean[match.start() : end]
        under = obstacles(bare, blocks, match.end() - 1, bare[bare.rfind("\n", 0, match.start()) + 1 : match.end()])
        last = first + body.rstrip().count("\n")
        found.append(TextCase(file, name.strip("\"'`"), _reached(body, file), first, last, under))
    return found


def _begins_test(found: Mapping[str, str | None]) -> bool:
    """Return whether a match begins a test: in Rust, an attribute of the function decides."""
    attributes = found.get("attributes")
    return attributes is None or (found["name"] is not None and _TESTS.search(attributes) is not None)


def _reached(text: str, file: File) -> str:
    """Return a test up to where it always ends: a return with the indentation of its first line."""
    head = text.find("\n" if file.language == "ruby" else "{")
    if head < 0:
        return text
    if re.match(r"\s*return\s*;", text[head + 1 :]):
        return text[: head + 1]
    first = re.compile(r"\n([ \t]+)\S").search(text, head)
    if first is None:
        return text
    way_out = re.compile(rf"\n{first[1]}(?:{_WAYS_OUT})[ \t]*;?[ \t]*(?=\n)").search(text, first.start())
    return text if way_out is None else text[: way_out.start()]


def _renamed(old: TextCase, left: dict[tuple[str, str], TextCase]) -> TextCase | None:
    best, key = _ALIKE, None
    for name, case in left.items():
        if case.name == old.name:
            key = name
            break
        ratio = likeness(old.text, case.text, best)
        if ratio >= best:
            best, key = ratio, name
    return left.pop(key) if key is not None else None
