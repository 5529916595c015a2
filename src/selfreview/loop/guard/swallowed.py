"""Swallowed errors: caught without being handled."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfreview.loop.guard.comments import without_comments
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pysource import last_name, tree_of

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
