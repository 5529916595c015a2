import re

import pytest

from selfreview.api import IssueStatus, Registry, ReviewerStatus, Severity, Side
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement
from selfreview.model.result import (
    Coverage,
    ErrorInfo,
    Excluded,
    Iteration,
    NotPassed,
    ResultStatus,
    ScopeSummary,
    Verdict,
)
from selfreview.reporters import formats
from selfreview.text.layout import cells

from .builders import Texts, incomplete, issue, ran, render, result
from .samples import CONTEXT, SAMPLES

NO_MODEL = "No model took part: static reviewers find known patterns and do not read logic."


def report(outcome, context=None, **options):
    return render(formats.terminal, outcome, context, **options)


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    assert report(SAMPLES[name], CONTEXT) == snapshot


@pytest.mark.parametrize("width", [40, 200])
def test_report_on_narrow_and_wide_terminals(width, snapshot):
    assert report(SAMPLES["needs_work"], CONTEXT, width=width) == snapshot


def test_report_without_context(snapshot):
    assert report(SAMPLES["needs_work"], None) == snapshot


def test_report_in_colour(snapshot):
    assert report(SAMPLES["needs_work"], CONTEXT, color=True) == snapshot


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_colour_changes_nothing_but_colour(name, width):
    colored = report(SAMPLES[name], CONTEXT, color=True, width=width)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == report(SAMPLES[name], CONTEXT, width=width)


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_line_is_wider_than_the_terminal(name, width):
    assert max(cells(line) for line in report(SAMPLES[name], CONTEXT, width=width).splitlines()) <= width


def test_refinement_in_colour_and_on_a_narrow_terminal(snapshot):
    assert report(SAMPLES["refined"], color=True) == snapshot(name="colour")
    assert report(SAMPLES["refined"], width=40) == snapshot(name="narrow")


def test_without_refinement_nothing_is_said_of_it():
    assert "refine" not in report(SAMPLES["needs_work"], CONTEXT)


def test_every_issue_is_counted_once_before_and_once_after_a_refinement():
    text = report(SAMPLES["refined"])
    assert "refinement 1 · 3 open: 2 addressed, 1 still open, 1 new ·" in text
    assert "refinement 2 · 2 open: 1 addressed, 1 still open ·" in text
    assert "refinement 3 · 1 open: none addressed, 1 still open · nothing changed\n" in text


def test_a_fixer_that_was_asked_twice_appears_once_with_all_that_was_not_kept():
    reports = [FixerReport(name="claude", issues=["sr-1", "sr-2"], rejected=[why]) for why in ("one", "two")]
    refinement = Refinement(addressed_issue_ids=["sr-2", "sr-9"], fixers=reports)
    text = report(result(iterations=[Iteration(refinement=refinement, review=result())]))
    assert "\n  claude: 1 of 2 addressed\n    rejected: one\n    rejected: two\n\n" in text


def test_of_what_a_fixer_says_much_is_cut_and_says_so():
    answers = [FixAnswer(issue=f"sr-{n}", outcome=FixOutcome.FALSE_POSITIVE) for n in range(9)]
    refinement = Refinement(fixers=[FixerReport(name="claude", answers=answers)])
    text = report(result(iterations=[Iteration(refinement=refinement, review=result())]))
    assert "    sr-4 reported as a false positive\n    and 4 more: selfreview show --iteration N\n\n" in text


def test_a_pass_takes_four_lines():
    assert len(report(SAMPLES["pass"]).splitlines()) == 4


def test_what_is_about_a_whole_file_comes_before_what_is_about_its_lines():
    text = report(result(issue("a.py", 7, "high"), issue("a.py", 0, "medium"), issue("b.py", 1, "medium")))
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("a.py", "b.py"))] == [
        "a.py", "a.py:7", "b.py:1",
    ]  # fmt: skip


def test_the_file_with_the_worst_issue_comes_first_and_within_it_the_worst_then_by_line():
    found = [
        issue("a.py", 1, "medium", "a1"),
        issue("b.py", 9, "medium", "b9"),
        issue("b.py", 2, "medium", "b2"),
        issue("b.py", 5, "critical", "b5"),
        issue("c.py", 1, "high", "c1"),
    ]
    assert re.findall(r"^  ([abc]\d)$", report(result(*found)), re.MULTILINE) == ["b5", "b2", "b9", "c1", "a1"]


def test_issues_of_one_line_come_by_column():
    found = [issue("a.py", 1, description=f"c{column}", column=column) for column in (9, 3, 12)]
    assert re.findall(r"^  (c\d+)$", report(result(*found)), re.MULTILINE) == ["c3", "c9", "c12"]


def test_every_severity_is_a_word():
    text = report(result(*(issue(severity=severity) for severity in Severity)))
    assert all(re.search(rf"\b{severity.value}\b", text.rsplit("change", 1)[0]) for severity in Severity)


def test_the_head_of_an_issue_takes_one_line_where_it_fits_and_keeps_place_and_severity_together():
    outcome = result(issue("a/long/path/to/app.py", 3, "high", "Bad.", rule="F821"))
    one = "a/long/path/to/app.py:3  high logic · ruff F821 · sr-00000000"
    assert report(outcome, width=len(one)).startswith(f"{one}\n  Bad.\n")
    two = "a/long/path/to/app.py:3  high logic\n  ruff F821 · sr-00000000\n  Bad.\n"
    assert report(outcome, width=len(one) - 1).startswith(two)
    assert report(outcome, width=35).startswith(two)
    three = "a/long/path/to/app.py:3\n  high logic\n  ruff F821 · sr-00000000\n  Bad.\n"
    assert report(outcome, width=34).startswith(three)


@pytest.mark.parametrize("status", [s for s in IssueStatus if s not in (IssueStatus.OPEN, IssueStatus.UNCONFIRMED)])
def test_an_issue_that_does_not_count_is_counted_and_not_listed(status):
    text = report(result(issue(description="Hidden.", status=status)))
    assert "Hidden." not in text
    plain = {IssueStatus.DUPLICATE: "reported twice", IssueStatus.OUT_OF_SCOPE: "outside of the change"}
    assert f"no issues · 1 {plain.get(status, status.value.replace('_', ' '))} · pass" in text


def test_an_unconfirmed_issue_is_listed_in_brief():
    text = report(result(issue(description="Perhaps.", status=IssueStatus.UNCONFIRMED)))
    assert "1 unconfirmed\n  medium  src/app.py:3  Perhaps. [ruff]" in text
    assert "1 unconfirmed" in text


def test_what_blocks_is_shown_in_full_whatever_its_severity():
    low = issue(severity="low", description="Small.")
    assert "\n  Small.\n" in report(result(low, severity_threshold="low", passed=False))
    assert "\n  Small.\n" in report(result(low, severity_threshold={"logic": "suggestion", "default": "never"}))
    assert "1 low\n  src/app.py:3  Small. [ruff]" in report(result(low, severity_threshold={"default": "high"}))


def test_minor_issues_are_listed_by_severity_one_a_line_with_the_texts_aligned():
    found = [
        issue("a.py", 100, "suggestion", "Three."),
        issue("b.py", 5, "low", "Two."),
        issue("a.py", 100, "low", "One.", column=7, rule="E1"),
        issue("a.py", 101, "low", "Gone.", side=Side.OLD),
    ]
    assert report(result(*found)).split("\nchange")[0] == (
        "3 low\n"
        "  a.py:100:7  One. [ruff E1]\n"
        "  a.py:101    (removed line) Gone. [ruff]\n"
        "  b.py:5      Two. [ruff]\n"
        "\n"
        "1 suggestion\n"
        "  a.py:100  Three. [ruff]\n"
    )


def test_a_minor_issue_that_fills_the_line_exactly_takes_one_and_one_column_less_takes_two():
    found = issue("a.py", 1, "low", "x" * 32)
    line = f"  a.py:1  {'x' * 32} [ruff]"
    assert f"\n{line}\n" in report(result(found), width=len(line))
    assert f"\n  a.py:1\n    {'x' * 32} [ruff]\n" in report(result(found), width=len(line) - 1)


def test_texts_are_aligned_only_where_all_have_room():
    found = [issue("a.py", 1, "low", "x" * 32), issue("long_name.py", 1, "low", "y")]
    wide = report(result(*found), width=57)
    assert f"\n  a.py:1          {'x' * 32} [ruff]\n  long_name.py:1  y [ruff]\n" in wide
    narrow = report(result(*found), width=56)
    assert f"\n  a.py:1  {'x' * 32} [ruff]\n  long_name.py:1  y [ruff]\n" in narrow


def test_a_line_that_is_filled_exactly_is_not_padded():
    found = [issue("a.py", 1, "low", "x" * 32), issue("long_name.py", 1, "low", "y")]
    text = report(result(*found), width=49)
    assert f"\n  a.py:1  {'x' * 32} [ruff]\n  long_name.py:1  y [ruff]\n" in text


def test_an_aligned_text_is_cut_at_the_width():
    found = [issue("a.py", 1, "low", "x" * 90), issue("long_name.py", 1, "low", "y")]
    lines = report(result(*found), width=80).splitlines()
    assert lines[1] == f"  a.py:1          {'x' * 54}… [ruff]"
    assert cells(lines[1]) == 80


def test_a_minor_issue_without_room_for_its_text_takes_two_lines():
    path = "a/" * 20 + "a.py"
    text = report(result(issue(path, 1, "low", "word " * 30), issue("b.py", 1, "low", "Short.")))
    assert f"\n  {path}:1\n    word word" in text
    assert "… [ruff]\n  b.py:1  Short. [ruff]\n" in text


def test_the_summary_says_when_threshold_and_verdict_part():
    high = issue(severity="high")
    low = issue(severity="low")
    text = report(result(high, severity_threshold="critical", passed=True))
    assert " 1 high in 1 file · needs_work, passed (threshold critical) · 0.4s " in text
    text = report(result(low, severity_threshold="low", passed=False))
    assert " 1 low in 1 file · pass, not passed (threshold low) · 0.4s " in text
    text = report(result(low, severity_threshold="high", passed=False))
    assert "pass, not passed (a plugin)" in text
    reasons = ["2 open issues, 1 more than max_issues allows", "1 suppression or baseline entry to mend (strict)"]
    outcome = result(low, severity_threshold="high", passed=False, not_passed_reasons=reasons)
    outcome.not_passed_by = [NotPassed.MAX_ISSUES, NotPassed.STRICT, NotPassed.PLUGIN]
    assert "pass, not passed (max_issues, strict)" in report(outcome)
    outcome.not_passed_reasons, outcome.not_passed_by = ["not strict enough for max_issues"], [NotPassed.PLUGIN]
    assert "pass, not passed (a plugin)" in report(outcome)
    text = report(result(high, severity_threshold={"default": "never"}, passed=True))
    assert "needs_work, passed (thresholds per category)" in text


def test_the_summary_takes_one_line_where_it_fits_and_always_ends_with_the_verdict():
    outcome = result(issue(), issue(status=IssueStatus.SUPPRESSED))
    one = "= 1 medium in 1 file · 1 suppressed · needs_work · 0.4s ="
    assert report(outcome, width=len(one)).splitlines()[-1] == one
    assert report(outcome, width=len(one) - 1).splitlines()[-2:] == [
        "==== 1 medium in 1 file · 1 suppressed ".ljust(len(one) - 1, "="),
        "==== needs_work · 0.4s ".ljust(len(one) - 1, "="),
    ]


def test_the_summary_says_when_everything_came_from_the_cache():
    cached = [ran(cached=True), ran("x", ReviewerStatus.NOT_APPLICABLE)]
    assert "· 0.4s, cached ==" in report(result(reviewers=cached))
    assert "cached" not in report(result(reviewers=[*cached, ran("rules")]))
    assert "cached" not in report(result(reviewers=[ran("rules", ReviewerStatus.NOT_APPLICABLE)]))


def test_an_incomplete_result_says_so_loudly_and_names_who_is_missing():
    text = report(incomplete(verdict=Verdict.NEEDS_WORK))
    assert "!!! INCOMPLETE: this change has not passed !!!" in text
    assert "\nrules timed out: no answer within 60 s\n  hint: raise agent_timeout\n" in text
    assert "\ncommand.eslint failed: exited with status 2" in text
    assert "What rules and command.eslint would have found is not known." in text
    assert "no issues · incomplete, needs_work ·" in text
    assert "· pass" not in text


def test_a_required_reviewer_that_was_skipped_is_named_as_missing():
    skipped = ran("claude", ReviewerStatus.SKIPPED, error="no credentials", hint="set ANTHROPIC_API_KEY", required=True)
    text = report(incomplete(reviewers=[ran(), skipped]))
    assert "\nclaude skipped: no credentials\n  hint: set ANTHROPIC_API_KEY\n" in text
    assert text.count("no credentials") == 1


def test_a_reviewer_that_was_skipped_or_is_required_and_finished_is_not_missing():
    skipped = ran("semgrep", ReviewerStatus.SKIPPED, error="not installed")
    failed = ran("rules", ReviewerStatus.FAILED, error="crashed")
    banner = report(incomplete(reviewers=[ran(required=True), skipped, failed])).split("\n\n")[0]
    assert "What rules would have found" in banner
    assert "semgrep" not in banner


def test_another_reason_about_a_reviewer_that_failed_is_kept():
    text = report(incomplete(incomplete_reasons=["rules did not review b.py: too deep"]))
    assert "\nrules did not review b.py: too deep\n" in text


def test_an_incomplete_result_without_a_culprit_gives_its_summary_and_the_files():
    excluded = [Excluded(path="a.lock", why="lock file")]
    coverage = Coverage(files=4, reviewed_files=1, excluded=excluded)
    text = report(incomplete(reviewers=[ran()], summary="Cut off.", coverage=coverage))
    assert "\nCut off. 2 of 4 files had no review at all.\n" in text
    text = report(incomplete(summary="Cut off."))
    assert "Cut off" not in text
    assert "no review at all" not in text
    text = report(incomplete(reviewers=[], incomplete_reasons=["x.py could not be read"], summary="Cut off."))
    assert "\nx.py could not be read\n\n" in text


def test_an_incomplete_result_gives_its_other_reasons_once():
    outcome = incomplete(
        incomplete_reasons=["rules timed out: no answer within 60 s", "ruff did not review x.py: too deep"],
        notes=["Of the scope.", NO_MODEL],
        scope=ScopeSummary(mode="diff", notes=["Of the scope."]),
    )
    outcome.reviewers[1].gap = outcome.incomplete_reasons[0]
    banner, rest = report(outcome).split("\n\n")
    assert "\nruff did not review x.py: too deep\nWhat rules and" in banner
    assert banner.count("no answer within 60 s") == 1
    assert "\nnote      Of the scope.\n" in rest
    assert "x.py" not in rest


def test_a_skipped_reviewer_is_listed_with_its_hint_and_one_without_applicable_files_is_not():
    text = report(SAMPLES["needs_work"])
    assert "skipped   semgrep: not installed (pip install semgrep)" in text
    assert "hadolint" not in text
    skipped = [ran("a", ReviewerStatus.SKIPPED, error="why"), ran("b", ReviewerStatus.SKIPPED, hint="do it")]
    text = report(result(reviewers=[*skipped, ran("c", ReviewerStatus.SKIPPED)]))
    assert "skipped   a: why\n          b: not run (do it)\n" in text


def test_excluded_files_are_grouped_by_reason_and_cut_after_five():
    text = report(SAMPLES["needs_work"], width=200)
    assert (
        "vendor/v0.js, vendor/v1.js, vendor/v2.js, vendor/v3.js (vendored), package-lock.json (lock file) and 2 more"
    ) in text
    five = [Excluded(path=f"{n}.png", why="binary") for n in range(5)]
    text = report(result(coverage=Coverage(files=5, excluded=five)))
    assert "excluded  0.png, 1.png, 2.png, 3.png, 4.png (binary)\n" in text


def test_it_says_when_no_model_took_part():
    assert NO_MODEL in report(SAMPLES["pass"])
    assert NO_MODEL in report(SAMPLES["incomplete"])
    assert NO_MODEL not in report(result(model_reviewed=True))
    assert NO_MODEL not in report(SAMPLES["nothing"])
    assert NO_MODEL not in report(SAMPLES["error"])


def test_notes_of_the_scope_and_of_the_result_are_shown_once():
    scope = ScopeSummary(mode="branch", notes=["Two.", "One."])
    text = report(result(scope=scope, notes=["One.", "Three.", NO_MODEL]))
    assert "note      Two.\n          One.\n          Three.\nNo model" in text
    assert text.count("No model") == 1


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ({"mode": "staged", "head": "a" * 40}, "the index against HEAD"),
        ({"mode": "staged"}, "the index against the empty tree"),
        ({"mode": "commit", "head": "a" * 40}, "commit aaaaaaaa"),
        (
            {"mode": "range", "base": "v1", "merge_base": "b" * 64, "head": "a" * 40},
            "aaaaaaaa against v1 (bbbbbbbb)",
        ),
        ({"mode": "head", "base": "b" * 40, "merge_base": "b" * 40, "head": "a" * 40}, "aaaaaaaa against bbbbbbbb"),
        ({"mode": "branch"}, "the working tree against the empty tree"),
        ({"mode": "branch", "base": "bbbbbbb", "merge_base": "b" * 40}, "the working tree against bbbbbbb"),
        ({"mode": "branch", "base": "beef", "merge_base": "b" * 40}, "the working tree against beef (bbbbbbbb)"),
        ({"mode": "branch", "base": "topic-" + "x" * 34}, f"the working tree against topic-{'x' * 34}"),
        ({"mode": "diff"}, "the diff given"),
    ],
)
def test_it_says_what_was_compared(scope, said):
    assert f"change    {said}\n" in report(result(scope=ScopeSummary(**scope)))
    nothing = result(scope=ScopeSummary(**scope), status=ResultStatus.NOTHING_TO_REVIEW, coverage=Coverage())
    assert report(nothing) == f"nothing to review: no changes in {said}\n"


def test_nothing_to_review_because_everything_is_excluded_names_the_files():
    outcome = result(
        status=ResultStatus.NOTHING_TO_REVIEW,
        scope=None,
        summary="Nothing to review: the only changed file is excluded.",
        coverage=Coverage(files=1, excluded=[Excluded(path="a.lock", why="lock file")]),
    )
    assert report(outcome) == "nothing to review: the only changed file is excluded\nexcluded  a.lock (lock file)\n"


def test_a_renamed_file_is_found_by_both_of_its_names():
    context = Texts(new={"new.py": "a\nb"}, old={"old.py": "x\ny"}, renamed={"new.py": "old.py"})
    found = [issue("new.py", 1), issue("new.py", 2, side=Side.OLD), issue("old.py", 1, side=Side.OLD)]
    text = report(result(*found), context)
    assert "> 1  │ a" in text
    assert "> 2  │ y" in text
    assert "> 1  │ x" in text


def test_of_two_files_that_swapped_names_the_one_at_the_head_is_meant():
    context = Texts(
        new={"a.py": "now a", "b.py": "now b"},
        old={"a.py": "was a", "b.py": "was b"},
        renamed={"a.py": "b.py", "b.py": "a.py"},
    )
    text = report(result(issue("a.py", 1), issue("b.py", 1)), context)
    assert text.index("now a") < text.index("b.py:1") < text.index("now b")


def test_a_path_that_is_not_utf8_is_found_also_in_its_lossy_form():
    context = Texts(new={"caf\udce9.py": "code"})
    for path in ("caf\udce9.py", "caf\ufffd.py"):
        assert "> 1  │ code" in report(result(issue(path, 1)), context)


def test_of_many_issues_the_worst_are_shown_in_full_and_the_others_in_brief():
    found = [issue(f"f{n:03}.py", 1, "high" if n < 200 else "medium", f"Issue {n}.") for n in range(202)]
    text = report(result(issue("f300.py", 1, "critical", "Issue 300."), *found))
    assert text.count("\n  Issue ") == 200
    assert "\n3 more issues, not shown in full\n  high    f199.py:1  Issue 199. [ruff]\n" in text
    assert "\n  medium  f201.py:1  Issue 201. [ruff]\n" in text
    assert all(f"Issue {n}." in text for n in [*range(202), 300])
    assert " 1 critical, 200 high, 2 medium in 203 files " in text


def test_a_description_of_any_length_is_cut_and_says_so():
    text = report(result(issue(description="line\n" * 100_000, severity="high")))
    assert text.count("  line\n") == 60
    assert "… shortened; --format json has all of it" in text


def test_a_description_of_sixty_lines_is_not_cut():
    text = report(result(issue(description="line\n" * 60, severity="high")))
    assert text.count("  line\n") == 60
    assert "… cut" not in text


def test_a_description_of_one_endless_line_is_cut_too():
    text = report(result(issue(description="x" * 20_001, severity="high")), width=2000)
    assert text.count("x") == 20_001  # and one in "text 40"
    assert "… shortened; --format json has all of it" in text


@pytest.mark.parametrize("column", [None, 150])
def test_code_that_is_too_long_is_cut_at_the_width(column):
    context = Texts(new={"a.py": "\n".join("x" * 300 for _ in range(3))})
    lines = report(result(issue("a.py", 2, column=column)), context, width=60).split("\n\n")[0].splitlines()
    assert max(map(cells, lines)) == 60


def test_errors_and_hints_are_wrapped_beside_their_labels():
    long = "word " * 30
    failed = ran("ruff", ReviewerStatus.FAILED, error=long, hint=long)
    outcome = incomplete(reviewers=[failed], incomplete_reasons=[long])
    outcome.error = ErrorInfo(message=long, hint=long)
    lines = report(outcome, width=50).splitlines()
    assert max(map(cells, lines)) <= 50
    assert [line for line in lines if line.startswith("word")] == ["word word word word word word word word word"]


def test_text_of_others_cannot_pose_as_the_report():
    text = report(result(issue(description="Fine.\n==== no issues · pass · 0.1s ====\n\nexcluded  all")))
    posing = [line for line in text.splitlines() if "pass" in line or line.startswith("excluded")]
    assert posing == ["  ==== no issues · pass · 0.1s ===="]


def test_it_is_registered_by_its_name():
    registry = Registry("reporter")
    formats.terminal.selfreview_register_reporters(registry)
    assert registry.names() == ["terminal"]


def test_the_file_that_declares_a_failing_check_is_none_of_the_files_with_issues():
    check = issue(file="selfreview.toml", reviewer="check-unit", rule="unit", line_start=0)
    assert " in 1 file " in report(result(issue(file="app.py"), check))
    assert " in " not in report(result(check)).splitlines()[-1]
