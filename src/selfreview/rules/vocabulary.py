"""Words of functions, tests, assertions and permission checks in each language and framework."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Words(NamedTuple):
    """Patterns to search for in one language, as Python writes them, in single lines unless noted otherwise.

    Attributes:
        functions: Node kinds of named functions and methods.
        test: A function that is a test, by the lines from its first decorator or annotation to its name.
        skip: A line that turns a test off.
        sometimes: A skip that depends on something, by its line and the two behind it.
        table: A test that is run for each entry of a table, whose names stand there.
    """

    functions: tuple[str, ...]
    test: str
    skip: str
    sometimes: str = r"(?!)"
    table: str | None = None


_SCRIPT = Words(
    functions=("function_declaration", "method_definition", "variable_declarator"),
    test=r"\b(it|test|specify)(\.\w+)*\s*\(\s*['\"`]|\bx(it|test)\(\s*['\"`]",
    skip=r"\b(it|test|specify)\.(skip|todo|fixme)\(|\bx(it|test)\(",
    sometimes=r"\.(skip|fixme)\(\s*[^'\"`\s]",
    table=r"\b(?:it|test|specify)\(\s*[\w.]+\s*,",
)

WORDS = {
    "python": Words(
        functions=("function_definition",),
        test=r"\bdef test",
        skip=r"^\s*@(pytest\.)?mark\.(skip|xfail)\b|^\s*@(unittest\.)?skip\b|^\s*(pytest\.skip|self\.skipTest)\("
        r"|^\s*raise (\w+\.)*SkipTest\b",
        sometimes=r"\bxfail\(\s*[^)\s]",
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": Words(
        functions=("function_declaration", "method_declaration"),
        test=r"\bfunc (\([^)]*\) )?Test|\b[FPX]?(It|Specify)\(\s*[\"`]",
        skip=r"\b[tb]\.Skip(f|Now)?\(",
    ),
    "java": Words(
        functions=("method_declaration",),
        test=r"@(Test|ParameterizedTest|RepeatedTest)\b|(?<!private )\bvoid test\w*\s*\(\s*\)",
        skip=r"@(Ignore|Disabled)\b",
    ),
    "kotlin": Words(
        functions=("function_declaration",),
        test=r"@(Test|ParameterizedTest)\b",
        skip=r"@(Ignore|Disabled)\b",
    ),
    "csharp": Words(
        functions=("method_declaration",),
        test=r"\[(Test|Fact|Theory|TestMethod|TestCase)\b",
        skip=r"\[Ignore\b|\bSkip\s*=",
    ),
    "ruby": Words(
        functions=("method", "singleton_method"),
        test=r"\b(it|specify|test|scenario)\s*\(?\s*['\"]|\bdef test_",
        skip=r"^\s*(skip|pending)\b|^\s*x(it|specify|scenario)\b",
    ),
    "php": Words(
        functions=("method_declaration", "function_definition"),
        test=r"function test|@test\b|#\[Test\]",
        skip=r"->markTest(Skipped|Incomplete)\(",
    ),
    "rust": Words(
        functions=("function_item",),
        test=r"#\[(\w+::)*test\b",
        skip=r"#\[ignore\b",
    ),
}
"""Patterns by ast-grep's language name."""

_ACCESS = (
    r"login_required|permissions?_required|user_passes_test|staff_member_required|superuser_required|admin_required|"
    r"auth(entication)?_required|jwt_required|token_required|roles?_required|"
    r"require_(login|auth\w*|admin|permission|user|role)|requires_auth|csrf_protect|authenticate_user!?|authenticate!?|"
    r"authorize!?|PreAuthorize|RolesAllowed|Secured|requireAuth\w*|ensureAuthenticated|ensureLoggedIn|verifyToken|"
    r"checkAuth\w*|has_perms?|has_permission|hasPermission|hasRole|check_permissions?|checkPermissions?|"
    r"PermissionDenied|\[Authorize|UseGuards"
)
_STATE = r"is_authenticated|isAuthenticated|is_superuser|is_staff|is_admin|isAdmin"

GUARD = rf"(?<!\w)(?:{_ACCESS})(?!\w)|^(?=.*\b(?:if|elif|unless|assert|and|or|guard)\b|.*(?:&&|\|\|)).*\b(?:{_STATE})\b"
"""A permission check: a word that means one, or a condition on what somebody is."""

SANITISER = (
    r"\b(compare_digest|verify_signature|verifySignature|check_signature|timingSafeEqual|hash_equals|ConstantTimeCompare|"
    r"secure_filename|safe_join|bleach\.clean|html\.escape|markupsafe\.escape|escapeHtml|htmlspecialchars|EscapeString|sanitize\w*|DOMPurify|"
    r"shlex\.quote|escapeshellarg|Shellwords\.escape|url_has_allowed_host_and_scheme|is_safe_url|check_password|"
    r"verify_password|password_verify|validate_csrf|verify_csrf\w*)\b"
)
"""Words of a call that makes a value harmless or proves where it comes from."""

SANITISER_FUNCTIONS = frozenset(
    {"bleach.clean", "django.utils.html.escape", "html.escape", "markupsafe.escape", "shlex.quote"}
)
"""Those of them that Python may import without their module, which the words above ask for."""

TOLD_BY_COMPARISON = frozenset(
    {
        "python-skip-without-reason", "javascript-skipped-test", "go-skip-without-reason", "java-disabled-test",
        "kotlin-disabled-test", "csharp-disabled-test", "ruby-skipped-test", "php-skip-without-reason",
        "rust-ignored-test",
    }
)  # fmt: skip
"""Rules on any skip that a comparison reports better for a test that ran before."""

_GO_PLATFORMS = "linux|darwin|windows|unix|freebsd|netbsd|openbsd|amd64|arm64|386|arm|js|wasm|cgo|gc|race|go1"
SKIPS_OF_MANY = {
    "python": r"^pytestmark\b[^=\n]*=\s*(?:\[[^\]]*?|[^\n]*?)\bmark\.(?:skip\b|xfail\b(?!\s*\(\s*[^)\s]))"
    r"|^(?:pytest\.)?skip\(|^__test__\s*=\s*False\b|^(?:sys\.)?exit\(\s*\d*\s*\)"
    r"|^raise\s+(?:SystemExit|(?:unittest\.)?SkipTest|pytest\.skip\.Exception)\b(?!\(\s*\w+\()"
    r"|(?P<group>^[ \t]*@(?:(?:pytest\.)?mark\.|unittest\.)?skip\b[^:]*?^[ \t]*class\b)",
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"),
        r"(?P<group>\b(?:describe|context|suite)(?:\.\w+)*\.skip\b[\w.]*\(|\bx(?:describe|context)\()",
    ),
    "go": rf"^//go:build\b(?=[^\n]*(?<![!\w.])(?!(?:{_GO_PLATFORMS})\b)[a-z])"
    r"|^func TestMain\((?P<m>\w+) \*testing\.M\) \{(?:(?:(?!\b(?P=m)\b)[^\n])*\}$|(?:(?!\b(?P=m)\b|^\})[\s\S])*^\})",
    **dict.fromkeys(("java", "kotlin"), r"(?P<group>^[ \t]*@(?:Disabled|Ignore)\b[^;{}]*?\bclass\b)"),
    "csharp": r"(?P<group>^[ \t]*\[Ignore\b[^;{}]*?\bclass\b)",
    "ruby": r"(?P<group>\bx(?:describe|context|feature)\b)",
}
"""Patterns that turn off all tests of a file, or of the block that begins with ``group``, by language."""

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
_CONTINUED = re.compile(r"\s*(?:\?\.|\.|->)\s*(?=\w)")
_BRACKET = re.compile(r"[(){}\[\]]")
_LOOP = re.compile(r"\s*for\b")
_LONGEST = 40
_VOCABULARY = _ALWAYS | _VERBS | _PREDICATES | _OF_HANDLES
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def asserting(lines: Sequence[str], language: str, starts: Sequence[int]) -> frozenset[int]:
    """Return the numbers of the lines that assert something; within brackets, only the first.

    Args:
        lines: The lines of a file, with comments and texts blank.
        language: Their language.
        starts: What :func:`statements` returns for them.
    """
    if language == "rust":
        return frozenset(number for number, line in enumerate(lines, 1) if _RUST.search(line))
    found: set[int] = set()
    for number, (line, start) in enumerate(zip(lines, starts, strict=True), 1):
        continued = _CONTINUED.match(line)
        if continued and start in found:
            is_assertion = _asserts(line, inner=True) or _says(line, continued.end())
        else:
            is_assertion = start not in found and _asserts(line, inner=start != number)
        if is_assertion:
            found.add(number)
    return frozenset(found)


def statements(lines: Sequence[str]) -> list[int]:
    """Return, for each line, on which line the statement starts that it belongs to."""
    starts: list[int] = []
    opened: list[tuple[str, int]] = []
    for number, line in enumerate(lines, 1):
        start = number
        while (
            opened
            and line.strip()
            and line.lstrip()[0] not in ")]}"
            and _indent(line) <= _indent(lines[opened[-1][1] - 1])
        ):
            opened.pop()  # that bracket was no code, or nothing of what is around it goes on
        if opened and opened[-1][0] != "{":
            start = starts[opened[-1][1] - 1]
        elif _CONTINUED.match(line):
            margin = _indent(line)
            above = range(number - 1, max(number - _LONGEST, 0), -1)
            start = next(
                (starts[n - 1] for n in above if lines[n - 1].strip() and _indent(lines[n - 1]) <= margin), number
            )
        starts.append(start)
        for bracket in _BRACKET.findall(line):
            if bracket in "([{":
                opened.append((bracket, number))
            elif opened:
                opened.pop()
    return starts


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
    for number, name in enumerate(chain):
        if not name.endswith("(") or name == ("check(" if number else "require("):
            continue
        if number and chain[0] in _VERBS:
            return True  # a module or a handle of that name
        words = words_of(name)
        claims = {*words, *(word.removesuffix("f") for word in words)}
        if (
            not claims.isdisjoint(_VERBS | _PREDICATES)
            or claims >= {"not", "receive"}
            or (name is chain[-1] and chain[number - 1].endswith("(") and _is_camel(name, words))
        ):
            return True
        if number == 1 and _HANDLE.fullmatch(chain[0]) and not claims.isdisjoint(_OF_HANDLES):
            return True
    return False


def _is_camel(name: str, words: Sequence[str]) -> bool:
    return len(words) > 1 and words[0] in _PREFIXES and "_" not in name


def _says(line: str, at: int) -> bool:
    called = [words_of(name) for name in _chain(line, at) if name.endswith("(")]
    return any(not (_PREFIXES | _PREDICATES | _VERBS).isdisjoint(words) for words in called)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
