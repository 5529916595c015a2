"""``selfreview rule``: list the rules of all reviewers, explain one, or try them on their examples."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from selfreview.api import RuleExample, RuleInfo, Severity, Side
from selfreview.app.loading import Project, configured
from selfreview.app.rules import Failure, ListedRule, is_tested, listed_rules, rules_named, try_examples
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo_if_any, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.stored import columns, write_json, write_lines
from selfreview.cli.terminal import Terminal
from selfreview.errors import ExitCode
from selfreview.model.issue import GATE
from selfreview.reporters.terminal.code import Paint
from selfreview.syntax.languages import spoken_name
from selfreview.text.escape import visible
from selfreview.text.layout import fit, fold, listing, plural, wrap
from selfreview.text.toml import toml_value

_WIDEST = 100
_MARK = "> "
_SECRETS = "secrets"
"""Reviewer whose examples would themselves be secrets to every scanner."""


@click.command(name="rule")
@click.argument("names", nargs=-1, metavar="[RULE]...", shell_complete=completions.rules)
@click.option(
    "--reviewer",
    metavar="NAME",
    shell_complete=completions.reviewers,
    help="Only the rules of this reviewer.",
)
@click.option("--test", is_flag=True, help="Try the rules on their examples; exit 1 where one is not as it says.")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@plugin_options
def command(
    *,
    names: tuple[str, ...],
    reviewer: str | None,
    test: bool,
    format_name: str,
    plugins: tuple[str, ...],
    overrides: tuple[str, ...],
) -> int:
    """List the rules of all reviewers, explain those named, or try them on their examples.

    RULE is an id such as python-eval, with its reviewer before it where several have it: rules/broken-syntax.
    """
    project = load_project(find_repo_if_any(), plugins=plugins, overrides=overrides)
    with configured(project, Terminal()):
        listed = listed_rules(project, reviewer)
        chosen = rules_named(listed, names) if names else listed
        if test:
            return _try(chosen, project, format_name)
    if format_name == "json":
        write_json([_as_json(each) for each in chosen])
        return ExitCode.PASSED
    paint = Paint(console.use_color(project.config["color"], sys.stdout.isatty()))
    if not names:
        write_lines(_table(chosen, paint))
        return ExitCode.PASSED
    for number, each in enumerate(chosen):
        write_lines([*([""] if number else []), *_page(each, paint)])
    return ExitCode.PASSED


def _as_json(listed: ListedRule) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(listed.rule)
    return {"reviewer": listed.reviewer.name, **fields, "same": listed.same()}


def _table(listed: Sequence[ListedRule], paint: Paint) -> Iterator[str]:
    """Yield a line for each rule; on a terminal, each fits into it."""
    name = max((len(each.rule.id) for each in listed), default=0)
    who = max((len(each.reviewer.name) for each in listed), default=0)
    width = columns() if sys.stdout.isatty() else sys.maxsize
    for each in listed:
        rule = each.rule
        severity = paint.severity(rule.severity, 10) if rule.severity is not None else f"{'-':10}"
        room = max(width - name - who - 16, 20)
        yield f"{visible(rule.id):{name}}  {each.reviewer.name:{who}}  {severity}  {fit(fold(rule.summary), room)}"


_WHERE = {"product": "not in tests", "tests": "in tests alone"}


def _page(listed: ListedRule, paint: Paint) -> Iterator[str]:
    """Yield all that is known of a rule."""
    rule = listed.rule
    yield f"{paint(visible(rule.id), 'bold')}  (reviewer {listed.reviewer.name})"
    facts = [paint.severity(rule.severity)] if rule.severity is not None else []
    facts += [rule.category.value] if rule.category is not None else []
    facts += [", ".join(map(spoken_name, rule.languages))] if rule.languages else []
    facts += [_WHERE[rule.where]] if rule.where in _WHERE else []
    facts += ["may bring a fix"] if rule.has_fix else []
    yield f"  {' · '.join(facts)}" if facts else ""
    yield from _section("", rule.summary)
    yield from _section(paint("Why", "bold"), rule.why)
    yield from _section(paint("Instead", "bold"), rule.advice)
    for title, examples in (("Reported", rule.bad[:1]), ("Not reported", rule.good[:1])):
        for example in examples:
            yield from ("", paint(title, "bold"), *_code(example, rule, paint))
    if listed.reviewer.name == _SECRETS:
        yield from ("", "  No example is shown: whatever looks like a credential is reported where it stands.")
    yield from _section(paint("Reported by other tools, too", "bold"), ", ".join(listed.same()))
    yield from _section(paint("Where it stands", "bold"), rule.place)
    yield from ("", paint("Turn it off", "bold"), *(f"  {line}" for line in _ways_off(listed)))
    if rule.url is not None:
        yield from ("", visible(rule.url))


def _section(title: str, text: str | None) -> Iterator[str]:
    if text:
        yield ""
        if title:
            yield title
        yield from (f"  {line}" for line in wrap(text, min(columns(), _WIDEST) - 2))


def _code(example: RuleExample, rule: RuleInfo, paint: Paint) -> Iterator[str]:
    """Yield the code of an example, with a mark at the lines that are reported."""
    yield f"  {paint(visible(example.path), 'dim')}"
    for title, text, side in (("before", example.before, Side.OLD), ("after", example.code, Side.NEW)):
        if example.before is not None:
            yield f"  {title}: {'deleted' if text is None else ''}".rstrip()
        for number, line in enumerate((text or "").removesuffix("\n").split("\n") if text else (), 1):
            marked = side is example.side and number in example.lines and rule.tested
            yield f"  {_MARK if marked else '  '}{fit(visible(line), _WIDEST)}".rstrip()


COMMENTS = {
    "bandit": "# nosec {}",
    "biome": "// biome-ignore {}: reason",
    "clang-tidy": "// NOLINT({})",
    "eslint": "// eslint-disable-line {}",
    "golangci-lint": "//nolint:{}",
    "gosec": "// #nosec {}",
    "mypy": "# type: ignore[{}]",
    "pylint": "# pylint: disable={}",
    "pyright": "# pyright: ignore[{}]",
    "rubocop": "# rubocop:disable {}",
    "ruff": "# noqa: {}",
    "semgrep": "# nosemgrep: {}",
    "shellcheck": "# shellcheck disable={}",
    "staticcheck": "//lint:ignore {} reason",
    "swiftlint": "// swiftlint:disable:this {}",
}
"""Comments for other tools, by the tool: with a rule of it that reports the same, they count here."""


def _comments(listed: ListedRule) -> Iterator[str]:
    """Yield the comments for other tools that let an issue of a rule be."""
    from selfreview.review.tool_comments import QUIETED

    if listed.reviewer.name not in QUIETED or listed.rule.severity is Severity.CRITICAL:
        return
    if listed.reviewer.name == _SECRETS:
        yield "gitleaks:allow"
    for name in listed.same():
        tool, _, rule = name.partition("/")
        if tool in COMMENTS:
            yield COMMENTS[tool].format(rule.rpartition(".")[2] if tool == "semgrep" else rule)


def _ways_off(listed: ListedRule) -> Iterator[str]:
    rule = listed.rule
    if listed.reviewer.name == GATE:
        yield "no setting does; a maintainer lets one issue pass: selfreview gate --accept FINGERPRINT"
        return
    if rule.unreviewed:
        yield 'a file:      exclude = ["PATTERN"]; nobody can review what this is about'
    else:
        yield f"everywhere:  ignore = {toml_value([rule.id])}"
        pattern = "legacy/**" if rule.where == "product" else "tests/**"
        yield f"some files:  per_file_ignores = {toml_value({pattern: [rule.id]})}"
        if rule.severity is None or rule.severity.rank > Severity.LOW.rank:
            yield f"milder:      severity = {toml_value({rule.id: 'low'})}"
    sign = "#" if {"python", "ruby", "bash"} & set(rule.languages) or not rule.languages else "//"
    yield f"one issue:   {sign} selfreview: ignore[{rule.id}] reason"
    yield f"one file:    {sign} selfreview: ignore-file[{rule.id}] reason"
    if comments := list(_comments(listed)):
        yield f"other tools: {', '.join(comments)}"


def _try(chosen: Sequence[ListedRule], project: Project, format_name: str) -> int:
    """Try rules on their examples, and print what is wrong; return the exit code."""
    tried = [each for each in chosen if is_tested(each.rule)]
    outcomes = [(each, outcome) for each in tried for outcome in try_examples(each, project.config)]
    failures = [outcome for _, outcome in outcomes if outcome is not None]
    untested = [each for each in chosen if not is_tested(each.rule)]
    code = ExitCode.ISSUES if failures else ExitCode.PASSED
    if format_name == "json":
        write_json({
            "rules": len(tried),
            "examples": len(outcomes),
            "failures": [_failure(failure) for failure in failures],
            "untested": [each.name for each in untested],
        })  # fmt: skip
        return code
    lines = [line for failure in failures for line in _told(failure)]
    own = [each for each in untested if each.rule.place is not None and each.rule.tested]
    lines += [f"{visible(each.rule.place or '')}: {visible(each.rule.id)} has no test" for each in own]
    counts = Counter(each.reviewer.name for each in untested if each.rule.place is None and not each.rule.unreviewed)
    if counts:
        parts = [f"{plural(number, 'rule')} of {name}" for name, number in counts.items()]
        lines.append(f"without tests: {listing(parts, len(parts))}")
    lines.append(f"{plural(len(tried), 'rule')}, {plural(len(outcomes), 'example')}, {len(failures)} failed")
    write_lines(lines)
    return code


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "rule": failure.rule.name,
        "place": failure.example.place,
        "why": failure.why,
        "example": msgspec.to_builtins(failure.example),
    }


def _told(failure: Failure) -> Iterator[str]:
    rule, example = failure.rule, failure.example
    place = f"{visible(example.place)}: " if example.place is not None else ""
    kind = "bad" if example in rule.rule.bad else "good"
    yield f"{place}{rule.name}: a {kind} example {failure.why}:"
    text = example.before if example.code is None else example.code
    yield from (f"    {fit(visible(line), _WIDEST)}" for line in (text or "").removesuffix("\n").split("\n"))
