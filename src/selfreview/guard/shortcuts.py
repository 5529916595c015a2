"""Shortcuts in place of a fix: swallowed errors, ignored failures, stubs, code that detects tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfreview.guard.patch import File, Patch, Rejection, issues_of
from selfreview.guard.pysource import Function, functions, last_name, statements, tree_of

_STRINGS = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_SLASHES = re.compile(rf"({_STRINGS})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_HASHES = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(?<![\w$\[{])#(?![\[{])[^\n]*", re.DOTALL)
_HASHED = frozenset({"ruby", "bash", "bats", "python"})


def without_comments(text: str, language: str | None) -> str:
    """Return a text in which comments are blanked; the remaining code keeps its place."""
    pattern = _HASHES if language in _HASHED else _SLASHES
    return pattern.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


_BROAD = frozenset({"Exception", "BaseException", "AssertionError"})
_EMPTY = {
    "braces": re.compile(r"\bcatch\b\s*(?:\([^)]*\))?\s*(?:when\s*\([^)]*\)\s*)?\{\s*\}"
                         r"|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined)\s*\)"),
    "ruby": re.compile(r"\brescue\b(?:\s+(?:Exception"
                       r"|StandardError))?(?:\s*=>\s*\w+)?\s*(?:then\s*)?\n?\s*(?:nil\s*)?\bend\b|\brescue\s+nil\b"),
    "go": re.compile(r"\bif\b[^{\n]*\berr\s*!=\s*nil\s*\{\s*\}|^\s*_\s*=\s*err\s*$"
                     r"|\brecover\(\)\s*\}\(\)", re.MULTILINE),
}  # fmt: skip
_BRACES = frozenset({"javascript", "typescript", "tsx", "java", "csharp", "php", "cpp", "kotlin"})


def error_swallowed(patch: Patch) -> Iterator[Rejection]:
    """Reject additional places where any error is caught and ignored."""
    for file in patch.files:
        if file.new_text and _count(file, file.new_text) > _count(file, file.old_text):
            reason = "Catch only the errors that are expected, and handle them; do not catch and ignore any error."
            yield Rejection(file.path, "error-swallowed", reason)


def _count(file: File, text: str) -> int:
    if file.language == "python":
        tree = tree_of(text)
        return sum(map(_swallows, ast.walk(tree))) if tree is not None else 0
    kind = "braces" if file.language in _BRACES else file.language
    pattern = _EMPTY.get(kind or "")
    return len(pattern.findall(without_comments(text, file.language))) if pattern else 0


def _swallows(node: ast.AST) -> bool:
    if isinstance(node, ast.ExceptHandler):
        return _is_broad(node.type) and all(map(_does_nothing, node.body))
    if isinstance(node, ast.With | ast.AsyncWith):
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        return any(last_name(call) == "suppress" and any(map(_is_broad, call.args)) for call in calls)
    return False


def _is_broad(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Tuple):
        return any(map(_is_broad, node.elts))
    return node is None or last_name(node) in _BROAD


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return):
        return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.Pass | ast.Continue) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


_IGNORED = re.compile(
    r"\|\|\s*(?:true|:|exit\s+0|/bin/true)(?![\w/.-])|(?<![\w-])set\s+\+(?:e\b|o\s+(?:errexit|pipefail)\b)"
    r"|;\s*true\s*$|--exit-zero\b|\bcontinue-on-error:\s*true\b|\ballow_failure:\s*true\b|\bignore_errors:\s*(?:true|yes)\b",
    re.MULTILINE,
)
_STRICT = (
    re.compile(r"(?<![\w-])set\s+-(?:[a-df-z]*e[a-z]*\b|[a-z]*o\s+errexit\b)"),
    re.compile(r"\bset\s[^\n]*\bpipefail\b"),
)
"""Commands that make a script end at the first failure."""
_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|da|k|z)?sh\b")
_DASHED = re.compile(r"^\t-[@\w]", re.MULTILINE)
_SHELL_NAMES = re.compile(
    r"(?:gnu)?makefile|[^/]*\.mk|dockerfile[^/]*|containerfile|justfile|procfile|[^/]*\.(?:ya?ml|json|toml|cfg|ini|bats|zsh|ksh|env)"
)


def shell_error_ignored(patch: Patch) -> Iterator[Rejection]:
    """Reject additional ``|| true``, ``set +e`` and the like, and fewer ``set -e``."""
    for file in patch.files:
        if file.new is None or not _has_commands(file):
            continue
        old, new = (without_comments(text, "bash") for text in (file.old_text, file.new_text))
        weaker = any(pattern.search(old) and not pattern.search(new) for pattern in _STRICT)
        if _count_ignored(new, file) > _count_ignored(old, file) or weaker:
            reason = "Handle the failure of the command instead of ignoring it (no `|| true`, no `set +e`)."
            yield Rejection(file.path, "shell-error-ignored", reason)


def _has_commands(file: File) -> bool:
    name = file.path.rpartition("/")[2].casefold()
    script = file.language is None and _SHEBANG.match(file.new_text) is not None
    return file.language == "bash" or script or _SHELL_NAMES.fullmatch(name) is not None


def _count_ignored(text: str, file: File) -> int:
    dashes = len(_DASHED.findall(text)) if file.path.casefold().endswith(("makefile", ".mk")) else 0
    return len(_IGNORED.findall(text)) + dashes


_NOT_DONE = re.compile(
    r"\b(?:unimplemented|todo)!\s*\(|\bNotImplementedException\b|\braise\s+NotImplementedError\b"
    r"|\bUnsupportedOperationException\s*\(|\b(?:Error|Exception|panic|fatalError|TODO|RuntimeException)\s*\(\s*"
    r"[\"'`](?:not (?:yet )?(?:implemented|supported)|todo|unimplemented)[^\"'`]*[\"'`]",
    re.IGNORECASE,
)


def stub(patch: Patch) -> Iterator[Rejection]:
    """Reject a function whose body was removed."""
    for file in patch.files:
        if file.is_test or not file.new_text:
            continue
        name = _python(file) if file.language == "python" else _other(file)
        if name is not None:
            yield Rejection(file.path, "stub", f"Write the code of {name}; do not leave a stub in its place.")


def _python(file: File) -> str | None:
    new = functions(tree_of(file.new_text))
    for name, old in functions(tree_of(file.old_text)).items():
        function = new.get(name)
        if function is None or _is_stub(old) or not _is_stub(function) or _is_abstract(function):
            continue
        if not (_returns_none(function) and len(statements(old)) == 1):
            return name
    return None


def _other(file: File) -> str | None:
    if file.language is None or not file.old_text:
        return None
    old, new = (
        len(_NOT_DONE.findall(without_comments(text, file.language))) for text in (file.old_text, file.new_text)
    )
    return "what is not implemented" if new > old else None


def _is_stub(function: Function) -> bool:
    body = statements(function)
    if not body:
        return True
    first = body[0]
    if isinstance(first, ast.Raise) and first.exc is not None:  # nothing that follows it runs
        return last_name(first.exc) == "NotImplementedError"
    return _returns_none(function)


def _returns_none(function: Function) -> bool:
    body = statements(function)
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    value = body[0].value
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _is_abstract(function: Function) -> bool:
    return any(last_name(node) in ("abstractmethod", "overload") for node in function.decorator_list)


_LOOKS = re.compile(
    r"['\"](?:pytest|unittest|_pytest|nose2?|pydevd|jest|mocha|vitest)['\"]\s+(?:not\s+)?in\s+[\w.]*sys\.(?:modules|argv)"
    r"|\bsys\.modules\.get\(\s*['\"](?:_?pytest|unittest)|\bPYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER|ADDOPTS)\b|\b_called_from_test\b"
    r"|\b(?:JEST|VITEST)_(?:WORKER|POOL)_ID\b|\benv\.VITEST\b|\bNODE_ENV\s*={2,3}\s*['\"`]test|\btypeof\s+(?:jest|describe|it)\b"
    r"|\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\.|\bcfg!\(\s*test\s*\)|\bos\.Args\[0\],\s*\"\.test\""
    r"|\bXCTestConfigurationFilePath\b|\bRSPEC_VERSION\b|\bPHPUNIT_COMPOSER_INSTALL\b|\borg\.junit\.\w+.*\b(?:forName|StackTrace)"
)
_SERVICES = re.compile(
    r"(?:environ(?:\.get\(|\[)|getenv\(|Getenv\(|ENV(?:\.fetch\(|\[)|env::var\(|LookupEnv\()\s*['\"](?:CI|GITHUB_ACTIONS|GITLAB_CI"
    r"|SELFREVIEW\w*|TOX_ENV_NAME)['\"]|\bprocess\.env\.(?:CI|GITHUB_ACTIONS)\b"
)
_ABOUT_SERVICES = re.compile(r"\bCI\b|continuous integration|github|gitlab", re.IGNORECASE)


def detects_tests(patch: Patch) -> Iterator[Rejection]:
    """Reject additional code that detects whether a test runner or a CI service runs it.

    An issue that is about such a service may have the code look for it.
    """
    for file in patch.files:
        if file.is_test or file.language is None or not file.new_text:
            continue
        old, new = (without_comments(text, file.language) for text in (file.old_text, file.new_text))
        about = any(_ABOUT_SERVICES.search(issue.description) for issue in issues_of(file, patch.bounds))
        patterns = (_LOOKS,) if about else (_LOOKS, _SERVICES)
        if any(len(pattern.findall(new)) > len(pattern.findall(old)) for pattern in patterns):
            reason = "Behave the same whoever runs the code: do not ask whether it is being tested."
            yield Rejection(file.path, "detects-tests", reason)
