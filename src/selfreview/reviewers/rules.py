"""The ``rules`` reviewer: the embedded rule pack, applied in process."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from selfreview.api import (
    ChangedFile,
    ConfigView,
    Depth,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Side,
    SourceText,
    hookimpl,
)
from selfreview.model.change import FileStatus
from selfreview.reviewers._rules_text import parseable
from selfreview.rules import Rule, is_test, language_of, load

MAX_CHARACTERS = 2_000_000
"""Larger files are generated; parsing them takes longer than a person waits."""


class RulesReviewer:
    """Looks for code that is known to be wrong, by its shape."""

    name = "rules"
    depth = Depth.STATIC
    default = True

    def selects(self, file: ChangedFile) -> bool:
        """Take files in a language that the pack has rules for."""
        return language_of(file.path) is not None and not file.binary

    def cache_key(self, context: ReviewContext) -> bytes | None:  # noqa: ARG002 - findings depend on nothing of it
        """Digest this reviewer's code, the pack and the parser's version."""
        digest = hashlib.blake2b(importlib.metadata.version("ast-grep-py").encode())
        for path in _sources():
            digest.update(path.read_bytes())
        return digest.digest()

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Apply the rules to the new side of each file."""
        by_language = _rules_by_language(files)
        review = Review()
        for file in files:
            language = language_of(file.path)
            if language is None or file.status is FileStatus.DELETED:
                continue
            source = context.text(file)
            if source is None:
                review.unreviewed[file.path] = "its content cannot be read"
            elif len(source.text) > MAX_CHARACTERS:
                review.not_applicable.append(file.path)
            else:
                review.findings.extend(_review_text(source.text, language, file.path, by_language[language]))
                review.findings.extend(_compare(file, language, context, source, by_language[language]))
        return review


def _review_text(text: str, language: str, path: str, rules: Iterable[Rule]) -> list[Finding]:
    wrong_place = "product" if is_test(path) else "tests"
    relevant = [rule for rule in rules if rule.where != wrong_place and _may_match(rule, text)]
    if not relevant:
        return []
    from ast_grep_py import SgRoot

    from selfreview.reviewers._rules_flow import flows
    from selfreview.reviewers._rules_grammar import GRAMMARS
    from selfreview.reviewers._rules_match import matches

    clean = parseable(text)
    root = SgRoot(clean, language).root()
    findings = list(matches(root, [rule for rule in relevant if rule.match], path, clean.split("\n")))
    if flowing := [rule for rule in relevant if rule.flow]:
        findings.extend(flows(root, flowing, GRAMMARS[language], path, clean))
    return findings


def _compare(
    file: ChangedFile, language: str, context: ReviewContext, new: SourceText, rules: Iterable[Rule]
) -> Iterable[Finding]:
    comparing = {rule.id: rule for rule in rules if rule.compares}
    if not comparing or not file.removed_lines + file.added_lines or file.status is FileStatus.ADDED:
        return []
    old = context.text(file, Side.OLD)
    if old is None:
        return []
    from selfreview.reviewers._rules_removed import removed

    return removed(file, language, old, new, comparing)


def _may_match(rule: Rule, text: str) -> bool:
    return any(word in text for word in rule.needs) and (not rule.hint or re.search(rule.hint, text) is not None)


def _rules_by_language(files: Iterable[ChangedFile]) -> dict[str, list[Rule]]:
    languages = {language for file in files if (language := language_of(file.path))}
    rules = load(languages)
    return {language: [rule for rule in rules if language in rule.languages] for language in languages}


def _sources() -> list[Path]:
    here = Path(__file__)
    pack = here.parent.parent / "rules"
    return [here, *sorted(here.parent.glob("_rules_*.py")), *sorted(pack.rglob("*.py"))]


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:  # noqa: ARG001
    """Register the reviewer."""
    registry.add(RulesReviewer())
