"""Names of tests and of groups of tests, as the usual runners of each language find them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_CALLED = r"\(\s*(?P<quote>[\"'`])(?P<name>.+?)(?P=quote)"
_JAVASCRIPT = re.compile(
    r"(?:it|test|specify|describe|context|suite)(?:\.(?:each|concurrent|sequential)\b)*"
    r"(?:\(\s*\[.*?\]\s*\)|`[^`]*`)?" + _CALLED, re.DOTALL
)  # fmt: skip
_DEFINITIONS = {
    "python": re.compile(
        r"(?:async\s+)?def\s+(?P<name>test\w*)|class\s+(?P<class>Test\w*)|class\s+(?P<case>\w+)\s*\([^)]*TestCase\b"
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": re.compile(r"func\s+(?P<name>(?!TestMain\b)(?:Test|Benchmark|Fuzz|Example)(?![a-z])\w*)\s*\("),
    "ruby": re.compile(
        r"(?:it|specify|example|describe|context|feature|scenario|test)[ (]+(?P<quote>[\"'])(?P<name>.+?)(?P=quote)"
        r"|def\s+(?P<method>test_\w+)"
    ),
    "php": re.compile(r"(?:it|test|describe)" + _CALLED + r"|(?:[\w ]|#\[[^\n]*\]\s)*?function\s+(?P<method>test\w+)"),
    "swift": re.compile(r"(?:[\w ]|@\w+)*?func\s+(?P<name>test\w+)"),
    "c": re.compile(r"(?:TEST(?:_[FP])?|BOOST_(?:AUTO|FIXTURE)_TEST_CASE)\s*\((?P<name>[^)]*)\)"),
    "cpp": re.compile(
        r"(?:TEST(?:_[FP])?|TYPED_TEST(?:_P)?|TEST_CASE(?:_METHOD|_FIXTURE)?|SCENARIO|BOOST_(?:AUTO|FIXTURE)_TEST_CASE)"
        r"\s*\((?P<name>[^)]*)\)"
    ),
}
"""What a test begins with, without its decorators."""
_MARKED = {
    "java": (
        re.compile(r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b"),
        re.compile(r"(?P<name>\w+)\s*\("),
    ),
    "kotlin": (re.compile(r"@(?:\w+\.)*(?:Test|ParameterizedTest)\b"), re.compile(r"\bfun\s+(?P<name>`[^`]+`|\w+)")),
    "csharp": (
        re.compile(r"\[(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod|Property)\b"),
        re.compile(r"(?P<name>\w+)\s*\("),
    ),
    "rust": (
        re.compile(r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b"),
        re.compile(r"\bfn\s+(?P<name>\w+)"),
    ),
    "php": (re.compile(r"#\[\W*Test\b|\*\s*@test\b"), re.compile(r"function\s+(?P<name>\w+)")),
    "swift": (re.compile(r"@Test\b"), re.compile(r"\bfunc\s+(?P<name>`[^`]+`|\w+)")),
}
"""What marks a function as a test, and how its name is found behind the mark."""
_FUNCTION = re.compile(r"(?:function|method)_(?:declaration|definition|item)")
_SINGLED_OUT = re.compile(r"\bfocus(?:ed)?\b|\.only\b|\bfail_fast\b")


def test_name(language: str, node: SgNode, text: str) -> str | None:
    """Return the name of the test, or group of tests, that a node is, or None.

    One that keeps others from running, as ``it.only`` does, is none.

    Args:
        language: Its language.
        node: Its node, without what stands above it.
        text: Its text, with attributes and comments that stand above it.
    """
    core = node.field("definition") if node.kind() == "decorated_definition" else node
    match = _DEFINITIONS[language].match(core.text()) if core is not None and language in _DEFINITIONS else None
    if match is None and language in _MARKED and _FUNCTION.fullmatch(node.kind()):
        mark, name = _MARKED[language]
        marked = mark.search(text)
        match = name.search(text, marked.end()) if marked is not None else None
    if match is None or (language in ("ruby", "javascript", "typescript", "tsx") and _SINGLED_OUT.search(text)):
        return None
    names = match.groupdict()
    return next((names[key] for key in ("name", "class", "case", "method") if names.get(key)), None)


test_name.__test__ = False  # type: ignore[attr-defined]
