"""Rules of all reviewers: listed, found by name, and tried on their examples."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api import ConfigView, Finding, Reviewer, RuleExample, RuleInfo, WordHit, capabilities
from selfreview.app.loading import Project, reviewers_of
from selfreview.errors import UsageError
from selfreview.git.bare_patch import PatchContent, parse_patch
from selfreview.model.change import ChangedFile, FileStatus, path_bytes
from selfreview.model.issue import IssueStatus, Side
from selfreview.proc import Runner
from selfreview.review.context import RunContext, Workbench
from selfreview.review.rule_names import hint_at_ours
from selfreview.review.topics import same_as
from selfreview.reviewers.gate import GateReviewer
from selfreview.text.suggestion import did_you_mean, meant

_SECONDS = 60.0
"""Seconds that a reviewer may take for one example."""


class ListedRule(NamedTuple):
    """A rule with the reviewer that lists it."""

    reviewer: Reviewer
    rule: RuleInfo

    @property
    def name(self) -> str:
        """``REVIEWER/RULE``, which names it alone."""
        return f"{self.reviewer.name}/{self.rule.id}"

    def same(self) -> list[str]:
        """Return the rules of all tools that report the same weakness."""
        return same_as(self.name)


def listed_rules(project: Project, reviewer: str | None = None) -> list[ListedRule]:
    """Return the rules of all reviewers that list theirs, and those of a gate.

    Args:
        project: Its reviewers are asked, with its configuration.
        reviewer: The only one that is asked.

    Raises:
        UsageError: If there is no such reviewer, or it does not list its rules.
        ConfigError: If a rule of the repository's own is wrong.
    """
    reviewers = [*reviewers_of(project.manager, project.config), GateReviewer(lenient=True)]
    if reviewer is not None:
        names = [each.name for each in reviewers]
        if reviewer not in names:
            hint = did_you_mean(reviewer, names) or f"there are: {', '.join(names)}"
            raise UsageError(f"there is no reviewer named {reviewer!r}", hint=hint)
        reviewers = [each for each in reviewers if each.name == reviewer]
    found = [ListedRule(each, rule) for each in reviewers for rule in capabilities.of_reviewer(each).known_rules()]
    if reviewer is not None and not found:
        raise UsageError(f"the reviewer {reviewer!r} does not list its rules", hint="see the documentation of its tool")
    return found


def rules_named(listed: Sequence[ListedRule], names: Iterable[str]) -> list[ListedRule]:
    """Return the rules of some names, each ``RULE`` or ``REVIEWER/RULE``.

    Raises:
        UsageError: If there is no rule of a name.
    """
    found: list[ListedRule] = []
    for name in names:
        mine = [each for each in listed if name in (each.rule.id, each.name)]
        if not mine:
            raise UsageError(f"there is no rule {name!r}", hint=_hint(name, listed))
        found += [each for each in mine if each not in found]
    return found


def _hint(name: str, listed: Sequence[ListedRule]) -> str:
    """Return what was probably meant with a name that no rule has."""
    if name in {each.reviewer.name for each in listed}:
        return f"it is a reviewer: selfreview rule --reviewer {name}"
    known = [each.name if "/" in name else each.rule.id for each in listed]
    cased = [each for each in known if each.casefold() == name.casefold()]
    told = meant(cased) if cased else hint_at_ours(name, {each.name for each in listed}.__contains__)
    return told or did_you_mean(name, known) or "selfreview rule lists the rules of reviewers that list theirs"


class Failure(NamedTuple):
    """An example that a reviewer takes otherwise than its rule says.

    Attributes:
        rule: The rule.
        example: The example.
        why: What is wrong, in a few words.
    """

    rule: ListedRule
    example: RuleExample
    why: str


def is_tested(rule: RuleInfo) -> bool:
    """Return whether a rule has examples that are tests."""
    return rule.tested and bool(rule.bad or rule.good)


def try_examples(listed: ListedRule, config: ConfigView) -> Iterator[Failure | None]:
    """Try a rule on its examples, and yield for each of them what is wrong, or None."""
    for example in listed.rule.bad:
        lines = _reported(listed, example, config)
        wanted = set(example.lines)
        if not lines:
            yield Failure(listed, example, "is not reported")
        elif wanted and lines != wanted:
            yield Failure(listed, example, f"is reported in {_in_words(lines)}, not in {_in_words(wanted)}")
        else:
            yield None
    for example in listed.rule.good:
        lines = _reported(listed, example, config)
        yield Failure(listed, example, f"is reported in {_in_words(lines)}") if lines else None


def _in_words(lines: Iterable[int]) -> str:
    numbers = sorted(lines)
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}" if numbers != [0] else "the file"


def _reported(listed: ListedRule, example: RuleExample, config: ConfigView) -> set[int]:
    """Return the lines of an example that a rule reports; 0 is the file as a whole."""
    patch = parse_patch(_diff(example))
    bench = Workbench(patch.change, _WholeFile(patch), config, Runner())
    try:
        context = RunContext(bench, _SECONDS)
        files = [file for file in bench.change.files if listed.reviewer.selects(file)]
        findings = listed.reviewer.review(files, context).findings if files else []
    finally:
        bench.close()
    return {found.line_start for found in findings if _is_of(found, listed.rule)}


def _is_of(finding: Finding, rule: RuleInfo) -> bool:
    return finding.rule == rule.id and finding.status is not IssueStatus.OUT_OF_SCOPE


def _diff(example: RuleExample) -> bytes:
    """Return the change that an example stands for, with all lines of both sides."""
    old, new = (
        None if text is None else text.removesuffix("\n").split("\n") for text in (example.before, example.code)
    )
    header = {(True, False): "new file mode 100644\n", (False, True): "deleted file mode 100644\n"}
    names = [f"{side}/{example.path}" if text is not None else "/dev/null" for side, text in (("a", old), ("b", new))]
    before, after = old or [], new or []
    whole = len(before) + len(after)
    lines = difflib.unified_diff(before, after, names[0], names[1], n=whole, lineterm="")
    first = f"diff --git a/{example.path} b/{example.path}\n{header.get((old is None, new is None), '')}"
    return (first + "\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


class _WholeFile(PatchContent):
    """Content of a patch whose hunks hold all of their file, which is the whole tree."""

    def is_partial(self, _file: ChangedFile) -> bool:
        """Return False."""
        return False

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return those of the paths that the side has."""
        wanted = set(paths)
        read = ((file.path, self.read(file, side)) for file in self._patch.change.files if file.path in wanted)
        return {path: data for path, data in read if data is not None}

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of the side's files."""
        absent = FileStatus.ADDED if side is Side.OLD else FileStatus.DELETED
        return sorted((file.path for file in self._patch.change.files if file.status is not absent), key=path_bytes)

    def search(self, words: Sequence[str]) -> list[WordHit]:
        """Return the lines of the new side that hold one of the words."""
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
        texts = {path: data.decode("utf-8", "surrogateescape") for path, data in self.find(self.list_paths()).items()}
        return [
            WordHit(path, number, line)
            for path, text in texts.items()
            for number, line in enumerate(text.split("\n"), 1)
            if pattern.search(line)
        ]
