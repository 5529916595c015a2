"""Application of a repository's own ast-grep rules to one file, as it is written, and their fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from selfreview.api import Finding, RuleInfo
from selfreview.model.issue import Edit
from selfreview.reviewers.rules.match import finding
from selfreview.reviewers.rules.parseable import Parseable
from selfreview.reviewers.rules.statements import removal
from selfreview.rules import Rule
from selfreview.syntax.parsing import parse
from selfreview.text.masking import MASK

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

_LONGEST_VALUE = 100
"""Characters of a variable's code in a message."""


class OwnRule(Rule, frozen=True, kw_only=True):
    """A rule of the repository's own.

    Attributes:
        utils: ast-grep rules that ``match`` names.
        transform: Variables that are made of others.
        files: Patterns of the only paths that it looks at; None: all.
        ignores: Patterns of paths that it does not look at.
        url: Address of its documentation.
        place: ``FILE:LINE`` where it stands.
        example_path: The path of its examples, at which it looks whatever its patterns are.
    """

    utils: Mapping[str, Any] = {}
    transform: Mapping[str, Any] = {}
    files: tuple[str, ...] | None = None
    ignores: tuple[str, ...] = ()
    url: str | None = None
    place: str = ""
    example_path: str = ""

    def looks_at(self, path: str) -> bool:
        """Return whether the rule is for a file of its language at a path."""
        if path == self.example_path:
            return True
        if any(re.fullmatch(pattern, path) for pattern in self.ignores):
            return False
        return self.files is None or any(re.fullmatch(pattern, path) for pattern in self.files)

    def info(self) -> RuleInfo:
        """Return the rule as a reviewer lists it."""
        listed = super().info()
        return msgspec.structs.replace(listed, advice=self.suggestion or None, url=self.url, place=self.place)


def why_wrong(rule: OwnRule) -> str | None:
    """Return what ast-grep has against a rule, or None."""
    try:
        parse("", rule.languages[0]).find_all(_config(rule))
    except Exception as error:  # noqa: BLE001 - the native code raises several, and names what is wrong in the text
        told = str(error).partition("Stack backtrace:")[0].partition("Caused by:")
        return re.sub(r"^\s*\d+:\s*", "", told[2] or told[0], flags=re.MULTILINE)
    return None


def own_findings(path: str, parsed: Parseable, language: str, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Yield what the repository's own rules, of the given ones, find in a file."""
    own = [rule for rule in rules if isinstance(rule, OwnRule) and rule.looks_at(path)]
    if not own:
        return
    root = parse("\n".join(parsed.lines), language)
    for rule in own:
        for match in root.find_all(_config(rule)):
            # What a rule makes of a secret, no scan knows for one any more.
            secret = bool(rule.transform) and _holds_secret(match, parsed.lines)
            edit = _edit(rule, match, parsed.lines) if rule.fix is not None and not secret else None
            found = finding(rule, match, path, edits=(edit,) if edit is not None else ())
            message = _filled(rule.message, match, secret=secret)
            yield msgspec.structs.replace(found, description=" ".join(message.split()))


def _config(rule: OwnRule) -> Config:
    parts = {"rule": rule.match, "constraints": rule.constraints, "utils": rule.utils, "transform": rule.transform}
    return cast("Config", {name: value for name, value in parts.items() if value})


_VARIABLE = re.compile(r"\$(\$\$)?([A-Z_][A-Z0-9_]*)")


def _holds_secret(match: SgNode, lines: Sequence[str]) -> bool:
    from selfreview.secrets.scanner import scan

    span = match.range()
    return bool(scan("\n".join(lines[span.start.line : span.end.line + 1])))


def _filled(template: str, match: SgNode, *, secret: bool) -> str:
    """Return a message in which variables are replaced by their code, the beginning of what is long.

    Args:
        template: The message.
        match: What the rule found.
        secret: Whether variables that are made of others are masked.
    """

    def value(variable: re.Match[str]) -> str:
        if secret and match.get_transformed(variable[2]) is not None:
            return MASK
        code = _value(variable, match)
        return variable[0] if code is None else code[:_LONGEST_VALUE]

    return _VARIABLE.sub(value, template)


def _value(variable: re.Match[str], match: SgNode) -> str | None:
    """Return the code of a variable; None where the rule has none of that name."""
    name = variable[2]
    if variable[1]:
        nodes = match.get_multiple_matches(name)
        if not nodes:
            return None
        start, end = nodes[0].range().start.index, nodes[-1].range().end.index
        return match.get_root().root().text()[start:end]
    made = match.get_transformed(name)
    node = match.get_match(name)
    return made if made is not None or node is None else node.text()


def _edit(rule: OwnRule, match: SgNode, lines: Sequence[str]) -> Edit | None:
    """Return the edit of a rule's fix at a match, or None where it would write several lines."""
    span = match.range()
    if not rule.fix:
        return removal(match, lines, rule.languages)
    values = [_value(variable, match) or "" for variable in _VARIABLE.finditer(rule.fix)]
    if span.start.line != span.end.line or any("\n" in value for value in values):
        return None
    line = lines[span.start.line]
    filled = iter(values)
    indent = line[: len(line) - len(line.lstrip())]
    return Edit(
        line_start=span.start.line + 1,
        column_start=span.start.column,
        line_end=span.end.line + 1,
        column_end=span.end.column,
        replacement=_VARIABLE.sub(lambda _: next(filled), rule.fix).replace("\n", f"\n{indent}"),
    )
