"""SARIF: what code scanning shows is what was found, and no upload is refused or silently cut."""

from __future__ import annotations

import json
import random
import string
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given, settings

from selfreview.api import Category, Edit, IssueStatus, Place, Side
from selfreview.model.result import ErrorInfo, Result, ResultStatus
from selfreview.reporters import formats, sarif
from selfreview.reviewers.command.sarif import uri_to_path

from .builders import Texts, incomplete, issue, ran, render, result
from .samples import CONTEXT, SAMPLES
from .schemas import check_json
from .test_hostile import outcomes

CI_VARIABLES = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "CI_PROJECT_URL")


@pytest.fixture(autouse=True)
def outside_of_ci(monkeypatch):
    """No repository is named by the machine that runs the tests."""
    for name in CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)


def run_of(outcome, context=CONTEXT):
    (run,) = check_json("sarif-2.1.0.json", render(formats.sarif, outcome, context))["runs"]
    return run


def results_of(*issues):
    return run_of(result(*issues))["results"]


def rule_of(found):
    (rule,) = run_of(result(found))["tool"]["driver"]["rules"]
    return rule


def notified(run):
    (invocation,) = run["invocations"]
    return [
        (note["descriptor"]["id"].removeprefix("selfreview/"), note["level"], note["message"]["text"])
        for note in invocation["toolExecutionNotifications"]
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    text = render(formats.sarif, SAMPLES[name], CONTEXT)
    check_json("sarif-2.1.0.json", text)
    assert text == snapshot


@settings(deadline=None, max_examples=60)
@given(outcome=outcomes)
def test_any_result_makes_a_valid_log(outcome):
    run = run_of(outcome)
    for found in run["results"]:
        for location in found["locations"] + found.get("relatedLocations", []):
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            parts = urlsplit(uri)
            assert uri.isascii()
            assert not parts.scheme
            assert not parts.netloc
            assert not uri.startswith("/")


@pytest.mark.parametrize(
    ("severity", "level"),
    [("critical", "error"), ("high", "error"), ("medium", "warning"), ("low", "note"), ("suggestion", "note")],
)
def test_level_follows_from_severity(severity, level):
    (found,) = results_of(issue(severity=severity))
    assert found["level"] == level


def test_rank_orders_by_severity_and_then_by_confidence():
    found = results_of(
        issue(severity="high", confidence=0.0), issue(severity="medium"), issue(severity="medium", confidence=0.5)
    )
    ranks = [each["rank"] for each in found]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[1] > ranks[2]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("src/a b.py", "src/a%20b.py"),
        ("a:b.py", "a%3Ab.py"),
        ("//host/x.py", "%2F/host/x.py"),
        ("C:\\x\\y.py", "C%3A%5Cx%5Cy.py"),
        ("caf\udce9.py", "caf%E9.py"),
        ("日.py", "%E6%97%A5.py"),
        ("100%?#.py", "100%25%3F%23.py"),
    ],
)
def test_a_path_is_percent_encoded_byte_by_byte(path, uri):
    (found,) = results_of(issue(path))
    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "SRCROOT"}
    assert unquote_to_bytes(uri) == path.encode("utf-8", "surrogateescape")
    if not path.startswith("/"):
        assert uri_to_path(uri) == path  # what reads SARIF here agrees


def test_a_region_spans_the_issue():
    (found,) = results_of(issue(line=3, line_end=5, column=7))
    region = found["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 7, "endLine": 5}


def test_an_issue_of_a_file_has_no_region():
    (found,) = results_of(issue(line=0))
    assert "region" not in found["locations"][0]["physicalLocation"]


def test_a_removed_line_is_no_line_of_the_new_file():
    (found,) = results_of(
        issue(line=3, side=Side.OLD, related=[Place(file="b.py", line_start=9, line_end=9, side=Side.OLD)])
    )
    assert "region" not in found["locations"][0]["physicalLocation"]
    assert found["locations"][0]["message"]["text"] == "line 3 of the old file"
    assert "region" not in found["relatedLocations"][0]["physicalLocation"]


def test_the_fingerprint_is_ours_and_none_that_github_computes_is_claimed():
    (found,) = results_of(issue(fingerprint="v1:abc"))
    assert found["partialFingerprints"] == {"selfreview/v1": "v1:abc"}


def test_edits_are_replacements_with_columns_from_1():
    edits = [
        Edit(line_start=3, column_start=0, line_end=4, column_end=0, replacement=""),
        Edit(line_start=6, column_start=4, line_end=6, column_end=4, replacement="await "),
    ]
    (found,) = results_of(issue(edits=edits))
    (change,) = found["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {"deletedRegion": {"startLine": 3, "startColumn": 1, "endLine": 4, "endColumn": 1}},
        {
            "deletedRegion": {"startLine": 6, "startColumn": 5, "endLine": 6, "endColumn": 5},
            "insertedContent": {"text": "await "},
        },
    ]


@pytest.mark.parametrize(
    ("status", "kind", "review"),
    [
        (IssueStatus.SUPPRESSED, "inSource", "accepted"),
        (IssueStatus.BASELINED, "external", "accepted"),
        (IssueStatus.ACCEPTED, "external", "accepted"),
        (IssueStatus.DISMISSED, "external", "accepted"),
        (IssueStatus.UNCONFIRMED, "external", "underReview"),
    ],
)
def test_what_does_not_count_is_suppressed_with_its_reason(status, kind, review):
    (found,) = results_of(issue(status=status, status_reason="known to all"))
    assert found["suppressions"] == [{"kind": kind, "status": review, "justification": f"{status.value}: known to all"}]


def test_what_is_open_is_not_suppressed():
    (found,) = results_of(issue())
    assert "suppressions" not in found


def test_what_stands_for_another_or_outside_is_counted_only():
    run = run_of(result(issue(status=IssueStatus.DUPLICATE), issue(status=IssueStatus.OUT_OF_SCOPE), issue()))
    assert len(run["results"]) == 1
    assert ("left-out", "warning", "Issues that are not results: 1 duplicate, 1 out of scope.") in notified(run)


def test_a_link_in_a_text_is_escaped_and_controls_are_visible():
    (found,) = results_of(issue(description="see [this](http://x/) of list[int]\x1b[31m\u202e\nmore"))
    assert found["message"]["text"] == r"see \[this\](http://x/) of list[int]\x1b[31m<U+202E>" + "\nmore"


@pytest.mark.parametrize(
    ("reviewer", "rule", "address"),
    [
        ("ruff", "F821", "https://docs.astral.sh/ruff/rules/F821/"),
        ("ruff", "invalid-syntax", None),
        ("shellcheck", "SC2086", "https://www.shellcheck.net/wiki/SC2086"),
        ("hadolint", "DL3006", "https://github.com/hadolint/hadolint/wiki/DL3006"),
        ("hadolint", "SC2086", "https://www.shellcheck.net/wiki/SC2086"),
        ("zizmor", "template-injection", "https://docs.zizmor.sh/audits/#template-injection"),
        ("zizmor", "invalid", None),
        ("command.eslint", "F821", None),
        ("claude", None, None),
    ],
)
def test_a_rule_names_the_page_that_documents_it(reviewer, rule, address):
    assert rule_of(issue(reviewer=reviewer, rule=rule)).get("helpUri") == address


def test_a_rule_of_the_pack_brings_its_own_texts():
    rule = rule_of(issue(reviewer="rules", rule="python-eval"))
    assert rule["id"] == "rules/python-eval"
    assert rule["name"] == "PythonEval"
    assert "control" in rule["shortDescription"]["text"]
    assert "literal_eval" in rule["help"]["text"]
    assert "```\n" in rule["help"]["markdown"]
    assert "<--" not in rule["help"]["markdown"]


def test_a_security_rule_has_the_score_that_github_reads():
    found = [
        issue(category=Category.SECURITY, severity="medium", rule="S1"),
        issue(category=Category.SECURITY, severity="critical", rule="S1", status=IssueStatus.ACCEPTED),
    ]
    run = run_of(result(*found))
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["properties"]["security-severity"] == "9.5"
    assert "security" in rule["properties"]["tags"]
    assert [each["properties"]["security-severity"] for each in run["results"]] == ["5.5", "9.5"]
    assert "security-severity" not in rule_of(issue(rule="S1"))["properties"]


def test_without_a_rule_the_category_stands_in():
    assert rule_of(issue(reviewer="claude", category=Category.TESTING))["id"] == "claude/testing"


def test_each_result_points_to_its_rule():
    run = run_of(SAMPLES["needs_work"])
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[found["ruleIndex"]]["id"] == found["ruleId"] for found in run["results"])
    assert len({rule["id"] for rule in rules}) == len(rules)


def test_an_incomplete_review_is_no_success():
    run = run_of(incomplete(issue(severity="low"), incomplete_reasons=["The diff was cut off."]))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 5
    assert [(kind, level) for kind, level, _ in notified(run)] == [
        ("reviewer-failed", "error"),
        ("reviewer-failed", "error"),
        ("not-reviewed", "error"),
    ]
    assert notified(run)[0][2] == "rules timed out: no answer within 60 s (raise agent_timeout)"


def test_an_incomplete_review_always_says_so():
    run = run_of(result(status=ResultStatus.INCOMPLETE, reviewers=[ran()], summary="Cut off."))
    assert ("not-reviewed", "error", "Cut off.") in notified(run)


def test_an_error_is_no_success():
    run = run_of(Result(status=ResultStatus.ERROR, error=ErrorInfo(message="no base", hint="fetch it")), None)
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 4)
    assert ("error", "error", "no base\nhint: fetch it") in notified(run)
    assert run["results"] == []


@pytest.mark.parametrize(("severity", "code"), [("low", 0), ("high", 1)])
def test_a_whole_review_is_a_success_whatever_it_found(severity, code):
    (invocation,) = run_of(result(issue(severity=severity)))["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, code)


def test_an_exit_code_that_is_not_known_is_not_told():
    warns = Texts()
    warns.config = {"on_incomplete": "warn"}  # in a run it exits with 0 then, in a gate with 5 all the same
    for context in (warns, None):
        (invocation,) = run_of(incomplete(), context)["invocations"]
        assert invocation["executionSuccessful"] is False
        assert "exitCode" not in invocation


def test_ci_says_which_repository_it_is(monkeypatch):
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    outcome = result()
    assert run_of(outcome)["versionControlProvenance"] == [
        {"repositoryUri": "https://github.com/a/b", "revisionId": "2" * 40, "mappedTo": {"uriBaseId": "SRCROOT"}}
    ]
    outcome.scope.uncommitted = True
    assert "versionControlProvenance" not in run_of(outcome)


def test_the_worst_are_kept_and_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 3)
    severities = ["low", "critical", "medium", "suggestion", "high"]
    run = run_of(
        result(issue(status=IssueStatus.ACCEPTED, severity="critical"), *(issue(severity=s) for s in severities))
    )
    assert [found["properties"]["severity"] for found in run["results"]] == ["critical", "high", "medium"]
    assert [text for kind, _, text in notified(run) if kind == "left-out"] == [
        "3 of 6 issues are left out, the least severe ones: the log would be too large."
    ]


def test_a_log_is_never_larger_than_what_is_taken(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_BYTES", 100_000)
    noise = random.Random(1)
    texts = ["".join(noise.choices(string.ascii_letters + string.digits, k=2000)) for _ in range(150)]
    run = run_of(result(*(issue(description=text) for text in texts)))
    assert 20 < len(run["results"]) < 150
    assert any(kind == "left-out" for kind, *_ in notified(run))


def test_no_more_places_than_are_taken():
    places = [Place(file="a.py", line_start=n, line_end=n) for n in range(1, 1101)]
    (run,) = json.loads(render(formats.sarif, result(issue(related=places)), CONTEXT))["runs"]
    (found,) = run["results"]
    assert len(found["locations"]) + len(found["relatedLocations"]) == 1000
    assert any(kind == "left-out" and text.startswith("101 related places") for kind, _, text in notified(run))


def test_the_limits_are_those_of_code_scanning():
    assert (sarif.MOST_RESULTS, sarif.MOST_BYTES) == (25_000, 10 * 1024 * 1024)


def test_a_review_without_issues_has_an_empty_list():
    text = render(formats.sarif, result(), CONTEXT)
    assert json.loads(text)["runs"][0]["results"] == []


def test_what_else_keeps_it_from_passing_is_told():
    run = run_of(result(passed=False, not_passed_reasons=["7 open issues, of 5 that may be"]))
    assert ("not-passed", "error", "7 open issues, of 5 that may be") in notified(run)
    assert run["invocations"][0]["exitCode"] == 1


def test_a_rule_of_the_pack_speaks_of_no_function_in_particular():
    rule = rule_of(issue(reviewer="rules", rule="removed-assertion"))
    assert "{" not in rule["help"]["text"] + rule["shortDescription"]["text"]
