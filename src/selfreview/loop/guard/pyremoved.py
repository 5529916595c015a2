"""Removed Python tests and assertions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pointing import asks_for_removal, lines_pointed_at
from selfreview.loop.guard.pysource import functions, statements, tree_of
from selfreview.loop.guard.pytests import Case, gained, match_tests, parameters


def test_removed(patch: Patch) -> Iterator[Rejection]:
    """Reject the removal of a test, unless an issue asks for the removal of the test or of its subject."""
    matches = match_tests(patch)
    subjects, elsewhere = removed_subjects(patch), gained(patch)
    for old, new in matches:
        used = {node.id for node in ast.walk(old.node) if isinstance(node, ast.Name)}
        used |= {node.attr for node in ast.walk(old.node) if isinstance(node, ast.Attribute)}
        moved = bool(old.texts) and elsewhere.issuperset(old.texts)
        if new is None and not (subjects & used) and not is_wanted_gone(old, patch) and not moved:
            reason = f"Keep the test {old.name}; correct the code until it passes."
            yield Rejection(old.file.path, "test-removed", reason)


def assertion_removed(patch: Patch) -> Iterator[Rejection]:
    """Reject a test that asserts less, or runs with fewer cases, than before; what moved to another test counts."""
    matches = match_tests(patch)
    elsewhere = gained(patch)
    for old, new in matches:
        if new is None or not statements(new.node) or is_wanted_gone(old, patch):
            continue
        gone = set(old.texts) - set(new.texts) - elsewhere
        if len(set(new.texts)) * new.cases < len(set(old.texts)) * old.cases and gone:
            reason = f"Keep every assertion of {old.name}; correct the code until they hold."
            yield Rejection(new.file.path, "assertion-removed", reason)
        elif new.cases < old.cases and (not new.cases or _fewer(*(parameters(c.node, c.values) for c in (old, new)))):
            yield Rejection(new.file.path, "test-cases-removed", f"Keep every case that {old.name} runs with.")


def is_wanted_gone(case: Case, patch: Patch) -> bool:
    """Return whether an issue asks for something in a test to be removed."""
    return any(
        asks_for_removal(issue) and issue.line_start <= case.last and case.first <= issue.line_end
        for issue in patch.bounds.issues
        if issue.file in (case.file.path, case.file.old_path)
    )


def removed_subjects(patch: Patch) -> set[str]:
    """Return the names of removed functions and classes whose removal an issue asks for."""
    found = set()
    for file in patch.files:
        if file.language != "python" or file.is_test:
            continue
        if not any(asks_for_removal(i) for i in patch.bounds.issues if i.file in (file.path, file.old_path)):
            continue
        pointed = lines_pointed_at(file, patch.bounds)
        old, new = tree_of(file.old_text), tree_of(file.new_text)
        kept = set(_names(new))
        found |= {name for name, line in _names(old).items() if line in pointed and name not in kept}
    return found


def _names(tree: ast.Module | None) -> dict[str, int]:
    if tree is None:
        return {}
    found = {name.rpartition(".")[2]: node.lineno for name, node in functions(tree).items()}
    return found | {node.name: node.lineno for node in tree.body if isinstance(node, ast.ClassDef)}


def _fewer(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> bool:
    return sum(map(len, new)) < sum(map(len, old))
