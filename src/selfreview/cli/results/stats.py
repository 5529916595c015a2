"""``selfreview stats``: numbers about the reviews of a repository."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence

import click

from selfreview.app.stats import Rule, Stats, export, since_of, statistics
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.stored import columns, stored, write_json, write_lines
from selfreview.model.issue import Severity
from selfreview.model.usage import Usage
from selfreview.model.wire import display_path, utc_now
from selfreview.reporters.terminal.code import Paint
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit, plural, wrap
from selfreview.text.toml import toml_value

_MOST = 10
"""Maximum number of rules, and of weeks, that a terminal shows."""
_BAR = 20
"""Columns of the longest bar."""
_WIDEST = 40


@click.command(name="stats")
@click.option("--since", metavar="WHEN", help="Only from WHEN on: 30d, 4w, or a date such as 2026-11-01.")
@click.option("--branch", metavar="NAME", shell_complete=completions.branches, help="Only of this branch.")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@click.option("--export", "exports", is_flag=True,
              help="Write the JSON to selfreview/analytics/review-loop.json of the git directory, too.")  # fmt: skip
@plugin_options
def command(
    *,
    since: str | None,
    branch: str | None,
    format_name: str,
    exports: bool,
    plugins: tuple[str, ...],
    overrides: tuple[str, ...],
) -> None:
    """Show numbers about the reviews of this repository: what they caught, what became of it, and what it cost.

    They outlive the reviews themselves: 20,000 runs and 400 days are kept. The time saved is an estimate, by
    stats_minutes_per_fix.
    """
    repo = find_repo()
    begin = since_of(since, utc_now()) if since is not None else ""
    minutes = load_project(repo, plugins=plugins, overrides=overrides).config["stats_minutes_per_fix"]
    with stored(repo) as store:
        stats = statistics(
            store.summaries(begin, branch),
            store.tallies(begin, branch),
            store.caught(begin, branch),
            store.calls(begin, branch),
            minutes_per_fix=minutes,
        )
    stats.since, stats.branch = begin or None, branch
    if format_name == "json":
        write_json(stats)
    else:
        write_lines(_lines(stats, Paint(console.use_color("auto", sys.stdout.isatty()))))
    if exports:
        path = export(stats, repo.common_dir / "selfreview")
        console.note(f"note: written to {visible(display_path(str(path)))}")


def _lines(stats: Stats, paint: Paint) -> Iterator[str]:
    if not stats.reviews:
        yield "no review to count" if stats.since or stats.branch else "no review yet; start with: selfreview run"
        return
    since = f" since {stats.since[:10]}" if stats.since else ""
    took = f"; half took at most {_seconds(stats.median_ms)}, nine of ten {_seconds(stats.slow_ms)}"
    branches = "1 branch" if stats.branches == 1 else f"{stats.branches} branches"
    yield _fact("reviews", f"{stats.reviews} of {branches}{since}{took}")
    if stats.first_reviews:
        share = _percent(stats.first_passed, stats.first_reviews)
        yield _fact("first", f"{stats.first_passed} of {stats.first_reviews} passed at the first review ({share})")
    if stats.requests:
        mean = f"{stats.mean_iterations:g} refinements and {stats.mean_reviews:g} reviews"
        yield _fact("requests", f"{mean} on average before {plural(len(stats.requests), 'pull request')}")
    if stats.fix_cycles or stats.escalations:
        calls = f"{plural(stats.escalations, 'call')} for a person"
        yield _fact("feedback", f"{plural(stats.fix_cycles, 'fix cycle')}, {calls}")
    fixes = sum(stats.fixes.values())
    if fixes:
        by = ", ".join(f"{number} by {visible(name) or 'a fixer'}" for name, number in stats.fixes.items())
        yield _fact("fixed", by)
        saved = f"about {_hours(stats.minutes_saved)}, at {stats.minutes_per_fix:g} min for each of {fixes}"
        yield _fact("saved", f"{saved} (an estimate: stats_minutes_per_fix)")
    for name, usage in stats.models.items():
        yield _fact("models", f"{visible(name)}: {_cost(usage)}")
    yield from _caught(stats, paint)
    yield from _by_week(stats, paint)
    yield from _by_rule(stats.rules, paint)
    yield from _noise(stats.rules, paint)


def _caught(stats: Stats, paint: Paint) -> Iterator[str]:
    if stats.issues:
        yield from ("", paint("Issues by category", "bold"))
        most = stats.issues[0].issues
        rows = [(one.category, one.issues, _severities(one.severities)) for one in stats.issues]
        yield from _bars(rows, most)


def _by_week(stats: Stats, paint: Paint) -> Iterator[str]:
    weeks = stats.weeks[-_MOST:]
    yield from ("", paint("Issues by week", "bold"))
    rows = []
    for week in weeks:
        ranked = sorted(week.issues.items(), key=lambda item: (-item[1], item[0]))
        told = [f"{number} {name}" for name, number in ranked] or ["no issue"]
        cost = [_cost(week.usage)] if week.usage.requests or week.usage.cost_usd else []
        about = f"{', '.join(told)} in {plural(week.reviews, 'review')}"
        rows.append((week.begins, sum(week.issues.values()), "; ".join([about, *cost])))
    yield from _bars(rows, max(number for _, number, _ in rows))
    if len(stats.weeks) > len(weeks):
        yield f"  and {len(stats.weeks) - len(weeks)} weeks before: --format json has them"


def _by_rule(rules: Sequence[Rule], paint: Paint) -> Iterator[str]:
    if rules:
        yield from ("", paint("Most common rules", "bold"))
        yield from _bars([(_name(one), one.issues, _became(one)) for one in rules[:_MOST]], rules[0].issues)
    if len(rules) > _MOST:
        yield f"  and {len(rules) - _MOST} more: --format json has them"


def _noise(rules: Sequence[Rule], paint: Paint) -> Iterator[str]:
    noisy = sorted((one for one in rules if one.noise), key=lambda one: (-one.turned_down, one.selector))
    if noisy:
        yield from ("", paint("Noise", "bold"))
    for one in noisy[:_MOST]:
        share = f"{one.turned_down} of {one.decided} suppressed, accepted or refuted"
        off = f"to turn it off: ignore = {toml_value([one.selector])}"
        more = f" (selfreview rule {one.rule})" if one.rule else ""
        for number, line in enumerate(wrap(visible(f"{one.selector}: {share}; {off}{more}"), columns() - 4)):
            yield f"  {'  ' if number else ''}{line}"


def _name(rule: Rule) -> str:
    return fit(visible(rule.selector), _WIDEST)


def _became(rule: Rule) -> str:
    names = ("fixed", "gone", "accepted", "suppressed", "baseline", "refuted", "out_of_scope", "open")
    numbers = ((getattr(rule, name), name.replace("_", " ")) for name in names)
    return ", ".join(f"{number} {name}" for number, name in numbers if number)


def _bars(rows: Sequence[tuple[str, int, str]], most: int) -> Iterator[str]:
    """Yield a line for each row: its name, its number, a bar as long as that, and what else there is to say."""
    name_width = max(cells(name) for name, _, _ in rows)
    number_width = max(len(str(number)) for _, number, _ in rows)
    longest = min(_BAR, most)
    for name, number, about in rows:
        bar = "#" * math.ceil(number * longest / most) if most else ""
        pad = " " * (name_width - cells(name))
        yield f"  {name}{pad}  {number:>{number_width}}  {bar:<{longest}}  {about}".rstrip()


def _severities(by: Mapping[str, int]) -> str:
    return ", ".join(f"{by[severity.value]} {severity.value}" for severity in Severity if severity.value in by)


def _fact(label: str, text: str) -> str:
    return f"{label:<10}{text}"


def _cost(usage: Usage) -> str:
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return f"{sent:,} tokens in, {usage.output_tokens:,} out, ${usage.cost_usd:.2f}"


def _seconds(milliseconds: int | None) -> str:
    return f"{(milliseconds or 0) / 1000:.1f}s"


def _hours(minutes: float) -> str:
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _percent(part: int, whole: int) -> str:
    return f"{round(100 * part / whole)} %"
