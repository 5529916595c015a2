"""The ``rules`` reviewer: the embedded rule pack, applied in process."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from selfreview.api import (
    Category,
    ChangedFile,
    ConfigView,
    Depth,
    FileStatus,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    Side,
    SourceText,
    hookimpl,
)
from selfreview.errors import SelfreviewError
from selfreview.model.change import LineRange, overlaps
from selfreview.reviewers.evidence import state_of
from selfreview.reviewers.rules.base import Before, compare
from selfreview.reviewers.rules.broken import broken, not_understood, without_breaks
from selfreview.reviewers.rules.source import Parseable, parseable, short_lines, spelled
from selfreview.rules import Rule, load
from selfreview.rules.scripts import language_before, language_in, may_be_script
from selfreview.rules.vocabulary import TOLD_BY_COMPARISON
from selfreview.syntax.languages import language_of
from selfreview.syntax.parsing import eased, is_python, parse
from selfreview.syntax.testfiles import is_run_as_test, is_test

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_CHARACTERS = 2_000_000
"""Larger files are generated; parsing them takes longer than a person waits."""

_DECORATION = re.compile(r"\s*(?:@\w|\[[A-Z]|#\[)")
_COMMENT = re.compile(r"\s*(?://|#|\*|/\*)")
_FEWEST_WORDS = 3

_Broken = Callable[[LineRange], Finding | None]
"""Function that returns the broken code of a file; called with the first lines that the parser rejects."""

OUT_OF_ORDER = frozenset({"python-unreachable", "javascript-unreachable", "javascript-duplicate-case"})
"""Rules that look at the order of statements."""


class RulesReviewer:
    """Reviewer that finds code known to be wrong, by its syntax."""

    name = "rules"
    depth = Depth.STATIC
    default = True

    def selects(self, file: ChangedFile) -> bool:
        """Take files in a language that the pack has rules for, and those that may be scripts in one."""
        known = language_of(file.path) is not None or takes_tests_away(file)
        return (known and not (file.binary or file.is_symlink or file.is_submodule)) or may_be_script(file)

    def cache_key(self, context: ReviewContext) -> bytes | None:  # noqa: ARG002 - findings depend on nothing of it
        """Digest this reviewer's code, the pack, what reads the languages, and the parser's version."""
        import importlib.metadata

        from selfreview.reviewers import evidence
        from selfreview.reviewers.tools.program import digest, source_digest

        here = Path(__file__).parent
        sources = (here, Path(evidence.__file__), *(here.parent.parent / name for name in ("rules", "syntax")))
        return digest([importlib.metadata.version("ast-grep-py"), source_digest(*sources)])

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Apply the rules to the new side of each file, and compare it with the old one."""
        languages = {file.path: language_in(file, context) for file in files}
        named_before = {language_of(file.path_at_base) for file in files if file.old_path is not None}
        rules = load({language for language in {*languages.values(), *named_before} if language})
        review = Review()
        for file in files:
            if file.status is FileStatus.DELETED:
                continue
            if (language := languages[file.path]) is None:
                review.not_applicable.append(file.path)
                continue
            with _crashing_alone(review, file.path):
                _add_file(review, file, language, rules, context)
        _judge_tests(review, files, context)
        return review


@contextlib.contextmanager
def _crashing_alone(review: Review, *paths: str) -> Iterator[None]:
    """Keep a defect of the pack, which some files trigger, from costing other files their review."""
    try:
        yield
    except SelfreviewError:
        raise
    except BaseException as error:  # noqa: BLE001 - the parser is native code, which raises BaseException (a Rust panic)
        review.crashes.update(dict.fromkeys(paths, error))


def _add_file(review: Review, file: ChangedFile, language: str, rules: Iterable[Rule], context: ReviewContext) -> None:
    source = context.text(file)
    if source is None:
        review.unreviewed[file.path] = "its content cannot be read"
    elif sum(map(len, source.lines)) > MAX_CHARACTERS:
        review.not_applicable.append(file.path)
        review.findings.append(_too_large(file.path, source))
    else:
        parsed = parseable(source)
        found = _review_file(file, source, parsed, rules, context, language=language, text_only=review.text_only)
        review.findings.extend(found)
        if any(overlaps(file.added, number, number) for number in parsed.left_out):
            review.not_applicable.append(file.path)


def takes_tests_away(file: ChangedFile) -> bool:
    """Return whether the tests of a file are not run any more, by its name: it is deleted or renamed."""
    if file.status is FileStatus.RENAMED:
        return is_run_as_test(file.path_at_base) and not is_run_as_test(file.path)
    return file.status is FileStatus.DELETED and is_test(file.path)


def _judge_tests(review: Review, files: Sequence[ChangedFile], context: ReviewContext) -> None:
    """Add the files whose tests are deleted, and drop findings on tests that are elsewhere now."""
    removed: dict[str, set[int]] = {}
    for found in review.findings:
        if found.rule == "removed-test":
            removed.setdefault(found.file, set()).add(found.line_start)
    deleted = [file.path for file in files if takes_tests_away(file)]
    if not removed and not deleted:
        return
    from selfreview.reviewers.rules.deleted import Tests, deleted_tests

    with _crashing_alone(review, *removed, *deleted):
        tests = Tests(context)
        whole = tests.deleted(file for file in files if takes_tests_away(file))
        gone = {path: tests.gone(path, lines) for path, lines in removed.items()}
        emptied = [one for path, lines in gone.items() if (one := tests.emptied(path, len(lines))) is not None]
        for one in emptied:
            gone[one.file.path] = set()
        review.findings = [
            found for found in review.findings if found.rule != "removed-test" or found.line_start in gone[found.file]
        ]
        if whole or emptied:
            from selfreview.rules.common.skips import RULES

            rule = next(rule for rule in RULES if rule.id == "removed-test-files")
            review.findings += deleted_tests(context, tests, [*whole, *emptied], rule)
    review.unsettled += [*removed, *deleted]  # that depends on the other files of the change


def _review_file(
    file: ChangedFile,
    source: SourceText,
    parsed: Parseable,
    rules: Iterable[Rule],
    context: ReviewContext,
    *,
    language: str,
    text_only: dict[str, str],
) -> Iterator[Finding]:
    elsewhere = "product" if is_test(file.path) else "tests"
    here = [rule for rule in rules if language in rule.languages and rule.where != elsewhere]
    coded = {rule.id: rule for rule in here if rule.coded}
    for number in sorted(parsed.left_out):
        yield _at_line(coded["line-too-long-to-review"], file.path, number)
    compared: list[Finding] = []
    old = context.text(file, Side.OLD) if file.status is not FileStatus.ADDED else None
    if old is not None:
        from selfreview.reviewers.rules.removed import removed

        compared = list(removed(file, language, short_lines(old), short_lines(source), coded))
        if language == "bash":
            from selfreview.reviewers.rules.removed import no_longer_strict

            compared += no_longer_strict(file, short_lines(old), short_lines(source), coded)
    told = {one.line_start for one in compared if (one.rule or "").startswith("existing-test-skipped")}
    before: Before | None = None
    if old is not None and sum(map(len, old.lines)) <= MAX_CHARACTERS:
        before = functools.partial(_find_before, file, old, source, rules)

    def find_break(lines: LineRange) -> Finding | None:
        text_only[file.path] = f"its syntax is not understood at line {min(lines.first, len(source.lines))}"
        rule = coded.get("broken-syntax")
        return None if rule is None else broken(rule, file, language, parsed, new=source, old=old)

    for found in compare(
        _find(file.path, parsed, language, here, find_break), file, old.lines if old else (), source.lines, before
    ):
        if found.rule in TOLD_BY_COMPARISON and (
            found.line_start in told or _is_explained(source.lines, found.line_start)
        ):
            continue
        whole = parsed.long.isdisjoint(range(found.line_start, found.line_end + 1))
        yield found if whole else msgspec.structs.replace(found, edits=())  # a fix could write what was cut short
    yield from compared


def _is_explained(lines: Sequence[str], number: int) -> bool:
    """Return whether the line above, but for decorations of the same test, is a comment of some words: a reason."""
    above = next((line for line in reversed(lines[: number - 1]) if not _DECORATION.match(line)), "")
    return _COMMENT.match(above) is not None and len(re.findall(r"[^\W\d_]{2,}", above)) >= _FEWEST_WORDS


def _find_before(
    file: ChangedFile, old: SourceText, new: SourceText, rules: Iterable[Rule], ids: Container[str | None]
) -> Iterator[Finding]:
    """Yield what some rules find on the old side of a file, in the language that it was in."""
    language = language_before(file, old)
    if language == "php":
        from selfreview.reviewers.rules.source import is_made_php

        if is_made_php(old.text, new.text):
            return
    if language is not None:
        wanted = [rule for rule in rules if rule.id in ids and language in rule.languages]
        yield from _find(file.path, parseable(old), language, wanted)


def _find(
    path: str, parsed: Parseable, language: str, rules: Sequence[Rule], find_break: _Broken | None = None
) -> Iterator[Finding]:
    before = "\n".join(parsed.lines)
    text = spelled(before, language)
    if language == "php":
        from selfreview.reviewers.rules.source import named_plainly, php_only

        before = php_only(text)
        text = named_plainly(before, rules)
    text = eased(text, language)
    wanted = [rule for rule in rules if not rule.coded and _may_match(rule, text)]
    leaves = re.search(r"\b(?:return|raise|throw|break|continue|case)\b", text) is not None
    ordered = {rule.id: rule for rule in rules if leaves and rule.id in OUT_OF_ORDER}
    if not wanted and not ordered and (find_break is None or (language == "python" and is_python(text))):
        return
    root = parse(text, language)
    apply = functools.partial(_apply, path=path, parsed=parsed, language=language, before=before, wanted=wanted)
    lines = not_understood(root) if find_break is not None else []
    if find_break is None or not lines or (broken := find_break(lines[0])) is None:
        yield from apply(root, text, ordered=ordered)
        return
    yield broken
    # Which statement stands behind which is not known: such findings, and their fixes, would follow from the break.
    rest = without_breaks(text, language)
    again = itertools.chain(apply(root, text, ordered={}), apply(parse(rest, language), rest, ordered={}))
    yield from {(one.rule, one.line_start, one.column): one for one in again}.values()


def _apply(
    root: SgNode,
    text: str,
    *,
    path: str,
    parsed: Parseable,
    language: str,
    before: str,
    wanted: Sequence[Rule],
    ordered: Mapping[str, Rule],
) -> Iterator[Finding]:
    """Yield what rules find in a parsed text; ``before`` is the text as it was until spellings were made plain."""
    if not wanted and not ordered:
        return
    from selfreview.reviewers.rules.flow import flows
    from selfreview.reviewers.rules.grammar import GRAMMARS
    from selfreview.reviewers.rules.match import matches
    from selfreview.reviewers.rules.tidy import tidy

    if (tidied := tidy(text, root, language)) != text:
        text, root = tidied, parse(tidied, language)
    # hints only spare time, and on long lines they cost it
    relevant = [rule for rule in wanted if parsed.long or not rule.hint or re.search(rule.hint, text)]
    written, shown = (parsed.lines, parsed.lines) if text == before else (before.split("\n"), text.split("\n"))
    for found in matches(root, [rule for rule in relevant if rule.match], path, parsed.lines):
        place = slice(found.line_start - 1, found.line_end)
        kept = not found.edits or written[place] == shown[place]
        yield found if kept else msgspec.structs.replace(found, edits=())  # a fix would write what was moved
    if ordered:
        from selfreview.reviewers.rules.statements import out_of_order

        yield from out_of_order(root, language, ordered, path)
    if flowing := [rule for rule in relevant if rule.flow]:
        yield from flows(root, flowing, GRAMMARS[language], path, text)


def _may_match(rule: Rule, text: str) -> bool:
    """Return whether a file has the words that a rule needs, whatever is between them."""
    return any(all(word in text for word in words) for words in words_of(rule.needs))


@functools.cache
def words_of(needs: tuple[str, ...]) -> list[list[str]]:
    """Return the words of each text that a rule needs: white space and comments may stand between them."""
    return [re.findall(r"\w+|[^\w\s()\[\]{}]+", need) for need in needs]


def _at_line(rule: Rule, path: str, number: int) -> Finding:
    return Finding(
        file=path,
        line_start=number,
        line_end=number,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
        unreviewed=True,
    )


def _too_large(path: str, source: SourceText) -> Finding:
    return Finding(
        file=path,
        line_start=0,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        description=f"No rule looked at this file: it holds more than {MAX_CHARACTERS:,} characters.",
        suggested_fix="Make several files of it, mark it linguist-generated, or name it in exclude.",
        rule="file-too-large-to-review",
        evidence=state_of(source.text),
        unreviewed=True,
    )


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:  # noqa: ARG001
    """Register the reviewer."""
    registry.add(RulesReviewer())
