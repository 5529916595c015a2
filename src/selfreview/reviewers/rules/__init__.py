"""The ``rules`` reviewer: the embedded rule pack and the repository's own rules, applied in process."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
    RuleInfo,
    Severity,
    Side,
    SourceText,
    hookimpl,
)
from selfreview.errors import SelfreviewError
from selfreview.model.change import LineRange, overlaps
from selfreview.reviewers.evidence import state_of
from selfreview.reviewers.rules.apply import Before, RuleFinder, compare
from selfreview.reviewers.rules.parseable import Parseable, broken, is_made_php, parseable, short_lines
from selfreview.rules import Rule, load, load_all
from selfreview.syntax.file_kinds import is_run_as_test, is_test
from selfreview.syntax.languages import language_before, language_in, language_of, may_be_script

if TYPE_CHECKING:
    from selfreview.reviewers.rules.own_files import OwnRules

MAX_CHARACTERS = 2_000_000
"""Larger files are generated; parsing them takes longer than a person waits."""

_DECORATION = re.compile(r"\s*(?:@\w|\[[A-Z]|#\[)")
_COMMENT = re.compile(r"\s*(?://|#|\*|/\*)")
_FEWEST_WORDS = 3

_TOO_LONG = "line-too-long-to-review"
"""Rule on lines that the parser does not get."""

_SKIPS = frozenset(
    {
        "python-skip-without-reason", "javascript-skipped-test", "go-skip-without-reason", "java-disabled-test",
        "kotlin-disabled-test", "csharp-disabled-test", "ruby-skipped-test", "php-skip-without-reason",
        "rust-ignored-test",
    }
)  # fmt: skip
"""Rules on any skip that a comparison reports better for a test that ran before."""


class RulesReviewer:
    """Reviewer that finds code known to be wrong, by its syntax.

    Args:
        config: The configuration, which may name rules of the repository's own.

    Raises:
        ConfigError: If one of them is wrong.
    """

    name = "rules"
    depth = Depth.STATIC
    default = True

    def __init__(self, config: ConfigView | None = None) -> None:
        self._own: OwnRules | None = None
        if config is not None and config.get("rules_path"):
            from selfreview.reviewers.rules.own_files import own_rules

            self._own = own_rules(config)

    def selects(self, file: ChangedFile) -> bool:
        """Take files in a language that the pack has rules for, and those that may be scripts in one."""
        known = language_of(file.path) is not None or takes_tests_away(file)
        return (known and not (file.binary or file.is_symlink or file.is_submodule)) or may_be_script(file)

    def cache_key(self, context: ReviewContext) -> bytes | None:  # noqa: ARG002 - findings depend on nothing of it
        """Digest this reviewer's code, the pack and what reads the languages, and cover the parser."""
        from ast_grep_py import ast_grep_py as parser

        from selfreview.reviewers import evidence
        from selfreview.reviewers.tools.program import digest, program_key, source_digest

        here = Path(__file__).parent
        sources = (here, Path(evidence.__file__), *(here.parent.parent / name for name in ("rules", "syntax")))
        own = () if self._own is None else (msgspec.json.encode(self._own.rules),)
        # To look up its version among what is installed takes as long as to apply the rules to a few files.
        return digest([program_key(Path(parser.__file__)), source_digest(*sources), *own])

    def rules(self) -> list[RuleInfo]:
        """List the pack, what is said of a file that is too large for it, and the repository's own rules."""
        pack = (msgspec.structs.replace(rule.info(), unreviewed=rule.id == _TOO_LONG) for rule in load_all())
        return [*pack, TOO_LARGE, *(() if self._own is None else self._own.infos)]

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Apply the rules to the new side of each file, and compare it with the old one."""
        languages = {file.path: language_in(file, context) for file in files}
        named_before = {language_of(file.path_at_base) for file in files if file.old_path is not None}
        wanted = {language for language in {*languages.values(), *named_before} if language}
        rules = [*load(wanted), *(() if self._own is None else self._own.rules)]
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
        new = _NewSide(file, source, parsed, language)
        review.findings.extend(_review_file(new, rules, context, review.text_only))
        if any(overlaps(file.added, number, number) for number in parsed.left_out):
            review.not_applicable.append(file.path)


def takes_tests_away(file: ChangedFile) -> bool:
    """Return whether the tests of a file are not run any more, by its name: it is deleted or renamed."""
    if file.status is FileStatus.RENAMED:
        return is_run_as_test(file.path_at_base) and not is_run_as_test(file.path)
    return file.status is FileStatus.DELETED and is_test(file.path)


def _judge_tests(review: Review, files: Sequence[ChangedFile], context: ReviewContext) -> None:
    """Add the files whose tests are deleted, and drop findings on tests that are elsewhere now."""
    removed = _removed_tests(review.findings)
    away = [file for file in files if takes_tests_away(file)]
    if not removed and not away:
        return
    from selfreview.reviewers.rules.deleted import Tests, deleted_tests

    paths = [*removed, *(file.path for file in away)]
    with _crashing_alone(review, *paths):
        tests = Tests(context)
        whole = tests.deleted(away)
        gone = {path: tests.gone(path, lines) for path, lines in removed.items()}
        emptied = [deleted for path, lines in gone.items() if (deleted := tests.emptied(path, len(lines))) is not None]
        for deleted in emptied:
            gone[deleted.file.path] = set()
        review.findings = [found for found in review.findings if not _is_moved(found, gone)]
        if files_gone := [*whole, *emptied]:
            from selfreview.rules.common.skips import RULES

            (rule,) = (rule for rule in RULES if rule.id == "removed-test-files")
            review.findings += deleted_tests(context, tests, files_gone, rule)
    review.unsettled += paths  # that depends on the other files of the change


def _is_moved(found: Finding, gone: Mapping[str, set[int]]) -> bool:
    """Return whether a finding is on a test that is elsewhere now, or that counts with others of its file."""
    return found.rule == "removed-test" and found.line_start not in gone[found.file]


def _removed_tests(findings: Iterable[Finding]) -> dict[str, set[int]]:
    """Return the lines of removed tests by file."""
    lines: dict[str, set[int]] = {}
    for finding in findings:
        if finding.rule == "removed-test":
            lines.setdefault(finding.file, set()).add(finding.line_start)
    return lines


class _NewSide(NamedTuple):
    """The new side of a file: its text, the lines that the parser takes, and its language."""

    file: ChangedFile
    source: SourceText
    parsed: Parseable
    language: str


def _review_file(
    new: _NewSide, rules: Iterable[Rule], context: ReviewContext, text_only: dict[str, str]
) -> Iterator[Finding]:
    file, parsed = new.file, new.parsed
    here = _rules_for(new, rules)
    coded = {rule.id: rule for rule in here if rule.coded}
    for number in sorted(parsed.left_out):
        yield coded[_TOO_LONG].finding(file.path, number, unreviewed=True)
    old = context.text(file, Side.OLD) if file.status is not FileStatus.ADDED else None
    compared = [] if old is None else list(_compared(new, old, coded))
    find_break = functools.partial(_find_break, new, old, coded.get("broken-syntax"), text_only)
    every = [
        *RuleFinder(file.path, parsed, new.language, here).findings(find_break),
        *_own_findings(file.path, parsed, new.language, here),
    ]
    before: Before | None = None
    if old is not None and sum(map(len, old.lines)) <= MAX_CHARACTERS:
        before = functools.partial(_find_before, file, old, new.source, rules)
    skipped = {found.line_start for found in compared if (found.rule or "").startswith("existing-test-skipped")}
    for found in compare(every, file, old.lines if old else (), before):
        if not _is_known_skip(found, skipped, new.source.lines):
            yield _without_lossy_fix(found, new)
    yield from compared


def _is_known_skip(found: Finding, skipped: Container[int], lines: Sequence[str]) -> bool:
    """Return whether a finding is on a skipped test that the comparison reports, or whose reason stands above it."""
    return found.rule in _SKIPS and (found.line_start in skipped or _is_explained(lines, found.line_start))


def _is_explained(lines: Sequence[str], number: int) -> bool:
    """Return whether the line above, but for decorations of the same test, is a comment of some words: a reason."""
    above = next((line for line in reversed(lines[: number - 1]) if not _DECORATION.match(line)), "")
    return _COMMENT.match(above) is not None and len(re.findall(r"[^\W\d_]{2,}", above)) >= _FEWEST_WORDS


def _rules_for(new: _NewSide, rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that look at a file, by its language and by whether it is a test.

    With the name of a test alone, code does not leave the rules that look at no test.
    """
    test = is_test(new.file.path)
    elsewhere = {"product": test and is_test(new.file.path_at_base), "tests": not test}
    return [rule for rule in rules if new.language in rule.languages and not elsewhere.get(rule.where)]


def _find_break(
    new: _NewSide, old: SourceText | None, rule: Rule | None, text_only: dict[str, str], lines: LineRange
) -> Finding | None:
    """Note that the rules did not understand all of a file, and return the place that the change broke."""
    text_only[new.file.path] = f"its syntax is not understood at line {min(lines.first, len(new.source.lines))}"
    return None if rule is None else broken(rule, new.file, new.language, new.parsed, new=new.source, old=old)


def _compared(new: _NewSide, old: SourceText, coded: Mapping[str, Rule]) -> Iterator[Finding]:
    """Yield what a comparison of both sides of a file shows."""
    from selfreview.reviewers.rules.removed import no_longer_strict, removed

    before, after = short_lines(old), short_lines(new.source)
    yield from removed(new.file, new.language, before, after, coded)
    if new.language == "bash":
        yield from no_longer_strict(new.file, before, after, coded)


def _without_lossy_fix(found: Finding, new: _NewSide) -> Finding:
    """Return a finding without a fix that could write what was cut short for the parser, or replaced."""
    whole = new.parsed.long.isdisjoint(range(found.line_start, found.line_end + 1))
    kept = new.source.is_utf8 or not any("\ufffd" in edit.replacement for edit in found.edits)
    return found if whole and kept else msgspec.structs.replace(found, edits=())


def _find_before(
    file: ChangedFile, old: SourceText, new: SourceText, rules: Iterable[Rule], ids: Container[str | None]
) -> Iterator[Finding]:
    """Yield what some rules find on the old side of a file, in the language that it was in."""
    language = language_before(file, old)
    if language == "php" and is_made_php(old.text, new.text):
        return
    if language is not None:
        wanted = [rule for rule in rules if rule.id in ids and language in rule.languages]
        parsed = parseable(old)
        yield from RuleFinder(file.path, parsed, language, wanted).findings()
        yield from _own_findings(file.path, parsed, language, wanted)


def _own_findings(path: str, parsed: Parseable, language: str, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Yield what rules of the repository's own find, where there are any among these."""
    if all(type(rule) is Rule for rule in rules):
        return
    from selfreview.reviewers.rules.own import own_findings

    yield from own_findings(path, parsed, language, rules)


TOO_LARGE = RuleInfo(
    id="file-too-large-to-review",
    severity=Severity.MEDIUM,
    category=Category.SECURITY,
    summary=f"No rule looked at this file: it holds more than {MAX_CHARACTERS:,} characters.",
    advice="Make several files of it, mark it linguist-generated, or name it in exclude.",
    unreviewed=True,
)
"""What is said of a file that the rules are not applied to."""


def _too_large(path: str, source: SourceText) -> Finding:
    return Finding(
        file=path,
        line_start=0,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        description=TOO_LARGE.summary,
        suggested_fix=TOO_LARGE.advice,
        rule=TOO_LARGE.id,
        evidence=state_of(source.text),
        unreviewed=True,
    )


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:
    """Register the reviewer."""
    registry.add(RulesReviewer(config))
