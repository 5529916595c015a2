"""Skipped tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from selfreview.loop.guard.comments import without_comments
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pysource import dotted, functions, last_name, tree_of

_PYTHON = frozenset(
    {"skip", "skipif", "skipIf", "skipUnless", "xfail", "skipTest", "importorskip", "SkipTest", "expectedFailure"}
)
_RAISED = frozenset({"Skipped", "XFailed"})
_OWNERS = frozenset({"pytest", "unittest", "self", "mark", "cls"})
_AGAIN = frozenset({"flaky", "retry", "rerun", "repeat_until_success"})
"""Decorators that run a test again until it passes."""
_JAVASCRIPT = re.compile(
    r"\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip(?:If)?|only|todo|fixme|failing|runIf)\b"
    r"|\b(?:x|f)(?:it|describe|test|context|specify)\s*\(|\bthis\.skip\(\)|\.concurrent\.skip\b|\bprocess\.exit\(\s*0?\s*\)"
    r"|(?:\b(?:const|let|var)\s+|\bglobal(?:This)?\.)(?:it|test|describe|expect|assert)\s*=\s*(?:async\s*)?(?:\(|\{|function|\w+\s*=>)"
    r"|\bfunction\s+(?:it|test|describe|expect|assert)\s*\(|\b(?:test|it)\.fails\b|\bretryTimes\(|\.retries\("
)
_PATTERNS = {
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": re.compile(r"\b[tbf]\.Skip(?:f|Now)?\(|\btesting\.Short\(\)"
                     r"|\bfunc TestMain\([^)]*\)[^{]*\{(?:(?!\n\}).)*?\bos\.Exit\(\s*0"
                     r"|\bF(?:It|Describe|Context)\(|\b[PX](?:It"
                     r"|Describe|Context)\(", re.DOTALL),
    "java": re.compile(r"@(?:Ignore|Disabled\w*|EnabledIf\w*)\b|\b(?:Assume|Assumptions)\.\w+\(|\bassume(?:True"
                       r"|That|False)\(|enabled\s*=\s*false"),
    "kotlin": re.compile(r"@(?:Ignore|Disabled\w*)\b|\bassume(?:True|That|False)\("),
    "rust": re.compile(r"#\[(?:cfg_attr\([^)]*,\s*)?ignore\b"),
    "bats": re.compile(r"^\s*skip\b|^\s*(?:bats_)?test_tags\b.*\bskip\b", re.MULTILINE),
    "csharp": re.compile(r"\bSkip\s*=|\[(?:\w+,\s*)*(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive)\("),
    "ruby": re.compile(r"^\s*(?:skip|pending)\b|\bx(?:it|describe|context|specify)\b|\bf(?:it|describe|context)\b"
                       r"|,\s*(?:skip|pending|:skip|:pending)(?::|\b)", re.MULTILINE),
    "php": re.compile(r"\bmarkTest(?:Skipped|Incomplete)\(|->skip\(|->only\(|->todo\(|@requires\b"),
    "swift": re.compile(r"\bXCTSkip\w*\(|\.disabled\("),
}  # fmt: skip
_NEVER = re.compile(r"\b(?:if|while)\s*\(?\s*(?:false|0|nil|null)\s*(?:\)|\{|\bthen\b|\n)")
_EACH_OF_NONE = re.compile(r"\.each\(\s*\[\s*\]\s*\)")
_LEFT_OUT = {
    "go": re.compile(r"^//(?:go:build|\s*\+build)\b", re.MULTILINE),
    "csharp": re.compile(r"^[ \t]*#if\b", re.MULTILINE),
    "swift": re.compile(r"^[ \t]*#if\b", re.MULTILINE),
    "ruby": re.compile(r"^[ \t]*end[ \t]+(?:if|unless)\b", re.MULTILINE),
    "javascript": _EACH_OF_NONE,
    "typescript": _EACH_OF_NONE,
    "tsx": _EACH_OF_NONE,
}
_FOR_ONE_SYSTEM = re.compile(
    r"_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows"
    r"|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)_test\.go$"
)


def test_skipped(patch: Patch) -> Iterator[Rejection]:
    """Reject additional marks, such as skip and xfail, that keep tests from running or from counting."""
    for file in patch.files:
        in_source = file.language == "rust"  # tests stand beside the code
        if (file.has_tests or in_source) and file.new_text and _skipped_more(file):
            reason = "Let every test run and count: take out the new skip, xfail or only, and correct the code."
            yield Rejection(file.path, "test-skipped", reason)


def _skipped_more(file: File) -> bool:
    moved = _FOR_ONE_SYSTEM.search(file.path) is not None and _FOR_ONE_SYSTEM.search(file.old_path) is None
    return moved or _count(file, file.new_text) > _count(file, file.old_text)


def _count(file: File, text: str) -> int:
    if file.language == "python":
        tree = tree_of(text)
        if tree is None:
            return 0
        skipping = _skipping(tree)
        return sum(_skips(node, skipping) for node in ast.walk(tree))
    pattern = _PATTERNS.get(file.language or "")
    never = _NEVER.findall(without_comments(text, file.language)) if file.has_tests else ()
    left_out = _LEFT_OUT.get(file.language or "")
    tags = len(never) + (len(left_out.findall(text)) if left_out is not None and file.has_tests else 0)
    return len(pattern.findall(without_comments(text, file.language))) + tags if pattern else 0


def _skips(node: ast.AST, skipping: Collection[str]) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        again = any(last_name(decorator) in _AGAIN for decorator in node.decorator_list)
        arguments = {argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]}
        return again or (node.name.startswith("test") and not arguments.isdisjoint(skipping))
    if isinstance(node, ast.Call) and last_name(node) == "usefixtures":
        return any(isinstance(name, ast.Constant) and name.value in skipping for name in node.args)
    if isinstance(node, ast.Attribute):
        return node.attr in _PYTHON and dotted(node).split(".")[0] in _OWNERS
    if isinstance(node, ast.Name):
        return node.id in _PYTHON
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        on = isinstance(node.value, ast.Constant) and node.value.value is True
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return node.value is not None and not on and any(last_name(target) == "__test__" for target in targets)
    return _reaches_for_a_skip(node)


def _reaches_for_a_skip(node: ast.AST) -> bool:
    """Return whether code reaches a skip under another name, or by its name in a string."""
    if isinstance(node, ast.ImportFrom):
        aliased = any(alias.asname and alias.name in _PYTHON | _RAISED for alias in node.names)
        return aliased or any(alias.name in _RAISED and node.module == "_pytest.outcomes" for alias in node.names)
    if not isinstance(node, ast.Call) or dotted(node) not in ("getattr", "setattr") or len(node.args) < 2:
        return False
    of, name = node.args[:2]
    written = name.value if isinstance(name, ast.Constant) else None
    if dotted(node) == "setattr":
        return written == "__test__"
    return dotted(of).split(".")[0] in _OWNERS and (written is None or written in _PYTHON)


def _skipping(tree: ast.Module) -> set[str]:
    """Return the fixtures of a module that may skip whatever uses them."""
    return {
        name
        for name, function in functions(tree).items()
        if any(last_name(decorator) == "fixture" for decorator in function.decorator_list)
        and any(_skips(node, ()) for node in ast.walk(function))
    }
