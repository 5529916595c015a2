"""A result's verdict, counts and summary are derived where it was changed: nobody can forget to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import selfreview

ROOT = Path(selfreview.__file__).parent
DERIVED_FROM = frozenset({"issues", "reviewers", "incomplete_reasons", "status"})
"""What of a result its verdict, counts and summary are derived from."""
CHANGES = frozenset({"append", "extend", "insert", "remove", "clear", "pop"})
OTHERS = frozenset({"self", "issue", "review", "report", "part", "fix", "amended", "run"})
"""What has such attributes and is no result: a reviewer's own answer, an issue, a report, the state of a run."""


def changed(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the variable and the attribute that a statement changes."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [part for t in node.targets for part in (t.elts if isinstance(t, ast.Tuple) else [t])]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
        targets = [node.func.value]
    for target in targets:
        if isinstance(target, ast.Attribute) and target.attr in DERIVED_FROM:
            yield ast.unparse(target.value), target.attr


def drafts_of(function: ast.FunctionDef) -> set[str]:
    """Return the variables of a function that are drafts: its parameters, and what ``revise`` gave it."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = {a.arg for a in given if a.annotation is not None and ast.unparse(a.annotation) == "Draft"}
    for node in ast.walk(function):
        if isinstance(node, ast.withitem) and ".revise(" in ast.unparse(node.context_expr) and node.optional_vars:
            names.add(ast.unparse(node.optional_vars))
    return names


def undrafted(source: str) -> list[str]:
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            drafts = drafts_of(function)
            for node in ast.walk(function):
                for name, attribute in changed(node):
                    if name not in drafts | OTHERS:
                        found.append(f"{function.name}: {name}.{attribute}")
    return found


@pytest.mark.parametrize("package", ["app", "apply", "cli", "guard", "pullrequest", "refine", "review"])
def test_only_a_draft_is_changed(package: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {place}"
        for path in sorted((ROOT / package).rglob("*.py"))
        if path != ROOT / "review" / "engine.py"  # where results are made and derived
        for place in undrafted(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "result.issues.append(issue)",
        "result.issues += found",
        "after.issues = []",
        "result.status = ResultStatus.INCOMPLETE",
        "result.status, result.stop = status, stop",
        "reviewed.result.reviewers.extend(reports)",
    ],
)
def test_a_change_that_is_forgotten_is_seen(line: str) -> None:
    assert undrafted(f"def f(result: Result, reviewed):\n    {line}\n") != []


def test_a_draft_may_be_changed() -> None:
    assert undrafted("def f(after: Draft):\n    after.issues += found\n") == []
    assert undrafted("def f(result):\n    with engine.revise(result) as draft:\n        draft.issues.clear()\n") == []
