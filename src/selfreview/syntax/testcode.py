"""Functions and tests in code: their lines, the marks and names of tests by the usual runners, what turns one off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.syntax.grammar import GRAMMARS

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TEST_CALLS = {
    "javascript": "call_expression",
    "typescript": "call_expression",
    "tsx": "call_expression",
    "ruby": "call",
    "go": "call_expression",
}
_TEST_CALL = re.compile(
    r"^[xfXFP]?(it|test|specify|scenario|describe|context|It|Specify|Describe|Context|When)(\.\w+)*\s*\(?\s*(['\"`])(.*?)\3"
)
_GROUPS = ("describe", "context", "Describe", "Context", "When")
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression"})
_LONGEST_DECORATION = 20
_DECORATION = re.compile(r"^\s*(@\w|#\[|\[[A-Z])")


class Function(NamedTuple):
    """A named function, or a test that is a call with a name; lines count from 1, decorators included."""

    name: str
    first: int
    last: int
    head: int
    """Line of the name; the decorators are above it."""


def functions(root: SgNode, language: str, lines: Sequence[str]) -> list[Function]:
    """Return the functions of a file in order; names are qualified by the functions and classes around.

    Args:
        root: Root of the parsed file.
        language: Its language.
        lines: Its lines.
    """
    found = sorted(_named(root, language), key=lambda item: (item[1], -item[2]))
    result: list[Function] = []
    around: list[tuple[str, int, int]] = []
    for name, first, last, is_class in found:
        while around and around[-1][2] < first:
            around.pop()
        if not is_class:
            qualified = ".".join([*(outer[0] for outer in around), name])
            result.append(Function(qualified, with_decoration(first, lines), last, first))
        around.append((name, first, last))
    return result


def _named(root: SgNode, language: str) -> Iterator[tuple[str, int, int, bool]]:
    for node in root.find_all(any=[{"kind": kind} for kind in GRAMMARS[language].definitions]):
        name = node.field("name") or next((c for c in node.children() if c.kind() == "simple_identifier"), None)
        value = node.field("value")
        if name is not None and (value is None or value.kind() in _FUNCTION_VALUES):
            yield (name.text(), *_lines(node), False)
    if language == "python":
        for node in root.find_all(kind="class_definition"):
            if (name := node.field("name")) is not None:
                yield (name.text(), *_lines(node), True)
    if language in _TEST_CALLS:
        for node in root.find_all(
            kind=_TEST_CALLS[language],
            regex=r"^[xfXFP]?(it|test|specify|scenario|describe|context|It|Specify|Describe|Context|When)\b",
        ):
            if match := _TEST_CALL.match(node.text()[:300]):
                yield (match[4], *_lines(node), match[1] in _GROUPS)


def _lines(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.line + 1, span.end.line + 1


def with_decoration(first: int, lines: Sequence[str]) -> int:
    """Return the first line of a definition with the decorators, attributes and annotations above it."""
    while first > 1:
        above = lines[first - 2]
        start = first - 1 if _DECORATION.match(above) else _opening(first - 1, lines)
        if start is None:
            break
        first = start
    return first


def _opening(last: int, lines: Sequence[str]) -> int | None:
    """Return where a decoration starts that ends with a closing bracket on this line."""
    closing = lines[last - 1]
    if closing.strip() not in (")", ")]", "))"):
        return None
    margin = closing[: len(closing) - len(closing.lstrip())]
    for number in range(last - 1, max(0, last - _LONGEST_DECORATION), -1):
        line = lines[number - 1]
        if line.startswith(margin) and not line[len(margin) :][:1].isspace() and line.strip():
            return number if _DECORATION.match(line) else None
    return None


_DEFINED = (
    r"(?m)"
    r"^(?:[ \t]*(?:[a-z]+[ \t]+)*(?:class|interface|struct|enum|trait|record|object|module|def|func|fn|fun|function)"
    r"(?:[ \t]*\([^)\n]*\))?|(?:export[ \t]+)?(?:const|let|var|val|type))[ \t]+\*?(\w+)"
    r"|^(\w+)[ \t]*(?::[^=\n]*)?=(?![=>])"
    r"|^[ \t]+(?:public|protected|static|export|pub)\b[^=;:(){}\n]*\b(\w+)[ \t]*[=;:]"
)
"""A line that defines something which other code can name, in the ways of all languages."""
_COMPOUND = re.compile(r"\b(?:[a-zA-Z]\w*_[a-zA-Z]\w*|\w*[a-z][A-Z]\w*)\b")
"""A name that is not a word of a natural language."""


def defined_names(code: str) -> set[str]:
    """Return the names that code of any language defines; comments and texts in it are blank."""
    return set().union(*re.findall(_DEFINED, code))


def compound_names(code: str) -> set[str]:
    """Return the names in code of any language that are no words of a natural language."""
    return set(_COMPOUND.findall(code))


class TestPatterns(NamedTuple):
    """Regular expressions for the tests of one language, for single lines unless noted otherwise.

    Attributes:
        test: A function that is a test, by the lines from its first decorator or annotation to its name.
        skip: A line that turns a test off.
        sometimes: A skip that depends on something, by its line and the two behind it.
        table: A test that is run for each entry of a table, whose names stand there.
        skip_many: What turns off all tests of a file, or of the block that begins with ``group``; several lines.
    """

    test: str
    skip: str
    sometimes: str = r"(?!)"
    table: str | None = None
    skip_many: str | None = None


_MARKS = {
    "java": r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b",
    "kotlin": r"@(?:\w+\.)*(?:Test|ParameterizedTest)\b",
    "csharp": r"\[(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod|Property)\b",
    "rust": r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b",
    "php": r"#\[\W*Test\b|\*\s*@test\b",
    "swift": r"@Test\b",
}
"""Annotations that make a function a test."""
_SCRIPT = TestPatterns(
    test=r"\b(it|test|specify)(\.\w+)*\s*\(\s*['\"`]|\bx(it|test)\(\s*['\"`]",
    skip=r"\b(it|test|specify)\.(skip|todo|fixme)\(|\bx(it|test)\(",
    sometimes=r"\.(skip|fixme)\(\s*[^'\"`\s]",
    table=r"\b(?:it|test|specify)\(\s*[\w.]+\s*,",
    skip_many=r"(?P<group>\b(?:describe|context|suite)(?:\.\w+)*\.skip\b[\w.]*\(|\bx(?:describe|context)\()",
)
_GO_PLATFORMS = "linux|darwin|windows|unix|freebsd|netbsd|openbsd|amd64|arm64|386|arm|js|wasm|cgo|gc|race|go1"

TESTS = {
    "python": TestPatterns(
        test=r"\bdef test",
        skip=r"^\s*@(pytest\.)?mark\.(skip|xfail)\b|^\s*@(unittest\.)?skip\b|^\s*(pytest\.skip|self\.skipTest)\("
        r"|^\s*raise (\w+\.)*SkipTest\b",
        sometimes=r"\bxfail\(\s*[^)\s]",
        skip_many=r"^pytestmark\b[^=\n]*=\s*(?:\[[^\]]*?|[^\n]*?)\bmark\.(?:skip\b|xfail\b(?!\s*\(\s*[^)\s]))"
        r"|^(?:pytest\.)?skip\(|^__test__\s*=\s*False\b|^(?:sys\.)?exit\(\s*\d*\s*\)"
        r"|^raise\s+(?:SystemExit|(?:unittest\.)?SkipTest|pytest\.skip\.Exception)\b(?!\(\s*\w+\()"
        r"|(?P<group>^[ \t]*@(?:(?:pytest\.)?mark\.|unittest\.)?skip\b[^:]*?^[ \t]*class\b)",
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": TestPatterns(
        test=r"\bfunc (\([^)]*\) )?Test|\b[FPX]?(It|Specify)\(\s*[\"`]",
        skip=r"\b[tb]\.Skip(f|Now)?\(",
        skip_many=rf"^//go:build\b(?=[^\n]*(?<![!\w.])(?!(?:{_GO_PLATFORMS})\b)[a-z])"
        r"|^func TestMain\((?P<m>\w+) \*testing\.M\) \{(?:(?:(?!\b(?P=m)\b)[^\n])*\}$"
        r"|(?:(?!\b(?P=m)\b|^\})[\s\S])*^\})",
    ),
    "java": TestPatterns(
        test=rf"{_MARKS['java']}|(?<!private )\bvoid test\w*\s*\(\s*\)",
        skip=r"@(Ignore|Disabled)\b",
        skip_many=r"(?P<group>^[ \t]*@(?:Disabled|Ignore)\b[^;{}]*?\bclass\b)",
    ),
    "kotlin": TestPatterns(
        test=_MARKS["kotlin"],
        skip=r"@(Ignore|Disabled)\b",
        skip_many=r"(?P<group>^[ \t]*@(?:Disabled|Ignore)\b[^;{}]*?\bclass\b)",
    ),
    "csharp": TestPatterns(
        test=_MARKS["csharp"],
        skip=r"\[Ignore\b|\bSkip\s*=",
        skip_many=r"(?P<group>^[ \t]*\[Ignore\b[^;{}]*?\bclass\b)",
    ),
    "ruby": TestPatterns(
        test=r"\b(it|specify|test|scenario)\s*\(?\s*['\"]|\bdef test_",
        skip=r"^\s*(skip|pending)\b|^\s*x(it|specify|scenario)\b",
        skip_many=r"(?P<group>\bx(?:describe|context|feature)\b)",
    ),
    "php": TestPatterns(test=rf"function test|{_MARKS['php']}", skip=r"->markTest(Skipped|Incomplete)\("),
    "rust": TestPatterns(test=_MARKS["rust"], skip=r"#\[ignore\b"),
}
"""Patterns of each language in which the tests of a file are compared before and after a change."""


def is_test_function(function: Function, language: str, lines: Sequence[str]) -> bool:
    """Return whether a function is a test, by its decorators and its head.

    Args:
        function: The function.
        language: Its language, one of :data:`TESTS`.
        lines: The lines of its file.
    """
    return re.search(TESTS[language].test, "\n".join(lines[function.first - 1 : function.head])) is not None


def is_turned_off(function: Function, language: str, code: Sequence[str]) -> bool:
    """Return whether a test is disabled or skipped, always or sometimes.

    Args:
        function: The test.
        language: Its language, one of :data:`TESTS`.
        code: The lines of its file, with comments and texts blank.
    """
    skip = re.compile(TESTS[language].skip)
    return any(skip.search(line) for line in code[function.first - 1 : function.last])


_CALLED = r"\(\s*(?P<quote>[\"'`])(?P<name>.+?)(?P=quote)"
_JAVASCRIPT = (
    r"(?s)(?:it|test|specify|describe|context|suite)(?:\.(?:each|concurrent|sequential)\b)*"
    r"(?:\(\s*\[.*?\]\s*\)|`[^`]*`)?"
) + _CALLED
_DEFINITIONS = {
    "python": (
        r"(?:async\s+)?def\s+(?P<name>test\w*)|class\s+(?P<class>Test\w*)|class\s+(?P<case>\w+)\s*\([^)]*TestCase\b"
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": r"func\s+(?P<name>(?!TestMain\b)(?:Test|Benchmark|Fuzz|Example)(?![a-z])\w*)\s*\(",
    "ruby": (
        r"(?:it|specify|example|describe|context|feature|scenario|test)[ (]+(?P<quote>[\"'])(?P<name>.+?)(?P=quote)"
        r"|def\s+(?P<method>test_\w+)"
    ),
    "php": r"(?:it|test|describe)" + _CALLED + r"|(?:[\w ]|#\[[^\n]*\]\s)*?function\s+(?P<method>test\w+)",
    "swift": r"(?:[\w ]|@\w+)*?func\s+(?P<name>test\w+)",
    "c": r"(?:TEST(?:_[FP])?|BOOST_(?:AUTO|FIXTURE)_TEST_CASE)\s*\((?P<name>[^)]*)\)",
    "cpp": (
        r"(?:TEST(?:_[FP])?|TYPED_TEST(?:_P)?|TEST_CASE(?:_METHOD|_FIXTURE)?|SCENARIO|BOOST_(?:AUTO|FIXTURE)_TEST_CASE)"
        r"\s*\((?P<name>[^)]*)\)"
    ),
}
"""Beginnings of tests, without their decorators; compiled when used, as a change is in few of the languages."""
_NAMES = {
    "java": r"(?P<name>\w+)\s*\(",
    "kotlin": r"\bfun\s+(?P<name>`[^`]+`|\w+)",
    "csharp": r"(?P<name>\w+)\s*\(",
    "rust": r"\bfn\s+(?P<name>\w+)",
    "php": r"function\s+(?P<name>\w+)",
    "swift": r"\bfunc\s+(?P<name>`[^`]+`|\w+)",
}
"""Name of a function behind an annotation that makes it a test."""
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
    match = re.match(_DEFINITIONS[language], core.text()) if core is not None and language in _DEFINITIONS else None
    if match is None and language in _MARKS and _FUNCTION.fullmatch(node.kind()):
        marked = re.search(_MARKS[language], text)
        match = re.compile(_NAMES[language]).search(text, marked.end()) if marked is not None else None
    if match is None or (language in ("ruby", "javascript", "typescript", "tsx") and _SINGLED_OUT.search(text)):
        return None
    names = match.groupdict()
    return next((names[key] for key in ("name", "class", "case", "method") if names.get(key)), None)


test_name.__test__ = False  # type: ignore[attr-defined]


class DeclaredTest(NamedTuple):
    """A test of a language whose functions are not read.

    Attributes:
        name: Its name.
        head: The line of its name, from 1.
        text: The rest of that line, from where the test begins.
        body: The lines until the next test begins.
    """

    name: str
    head: int
    text: str
    body: list[str]


_DECLARED = (
    r"(?m)^[ \t]*(?:(?:TYPED_)?TEST(?:_\w+)?|BOOST_\w*TEST_CASE|SCENARIO)[ \t]*\((?P<macro>[^)\n]*)\)"
    r"|^[ \t]*@?[tT]est\w*[ \t]*\(?[ \t]*(?P<quote>[\"'])(?P<quoted>.*)(?P=quote).*(?:\{|\bdo|=>)[ \t]*$"
    r"|^[ \t]*Scenario(?: Outline)?:[ \t]*(?P<scenario>.*)"
    r"|^[ \t]*@Test[^\n]*[ \t]func[ \t]+(?P<swift>\w+)"
    r"|^[ \t]*(?:\w+[ \t]+)*(?P<named>test\w*)[ \t]*\([^;\n]*\)[^;\n]*(?:\{|\n\{)"
)
"""A line that begins a test, in languages whose functions are not read: C, C++, Swift, bats, Elixir, Dart, Gherkin."""


def declared_tests(lines: Sequence[str]) -> Iterator[DeclaredTest]:
    """Yield the tests of a file of a language whose functions are not read: each goes on until the next begins."""
    text = "\n".join(lines)
    found = list(re.finditer(_DECLARED, text))
    for match, end in zip(found, [*(match.start() for match in found), len(text)][1:], strict=True):
        name = next(match[key] for key in ("macro", "quoted", "scenario", "swift", "named") if match[key] is not None)
        head = text.count("\n", 0, match.start()) + 1
        first = text[match.start() : end].partition("\n")[0]
        yield DeclaredTest(name, head, first, text[match.end() : end].split("\n"))
