"""Answers become drafts only where they are one object of the right shape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.llm.answers import decode
from selfreview.llm.answers.decode import MAX_ISSUES, Decoded, Judgement
from selfreview.llm.answers.schema import FINDINGS, ClaimVerdict
from selfreview.llm.transport.fences import Words
from selfreview.llm.transport.request import Fault, ModelError
from selfreview.model.issue import Category, Severity
from selfreview.testing.words import with_words

Decoding = TypeVar("Decoding")
SECRET_WORD = "xyzzy-of-the-answer"
ISSUE: dict[str, Any] = {
    "severity": "high",
    "category": "logic",
    "file": "a.py",
    "lineStart": 3,
    "lineEnd": 4,
    "evidence": "    return x[0]",
    "failure": "x is empty -> IndexError -> should return None",
    "description": "Empty list.",
    "suggestedFix": "Check it.",
    "confidence": 0.9,
}


WORDS = Words("tobakumi", "kelidona")


def decode_findings(text: str) -> Decoded:
    return decode.decode_findings(text, WORDS)


def decode_judgements(text: str, count: int) -> list[Judgement]:
    return decode.decode_judgements(text, count, WORDS)


def worded(text: str) -> str:
    return with_words(text, WORDS.opening + WORDS.closing)


def answer(*issues: Any, **more: Any) -> str:
    return worded(json.dumps({"issues": list(issues), "summary": "s", "verdict": "pass", **more}))


def garbage(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        decode_findings(text)
    assert caught.value.fault is Fault.GARBAGE
    assert SECRET_WORD not in caught.value.message
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    "wrapping",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```\n",
        "Here is my review {{in braces}} of f(x):\n\n{}\n\nThat is all. {{}}",
        '<think>Maybe {{"issues": []}}? No.</think>\n{}',
        "\ufeff{}",
    ],
)
def test_one_object_is_read_out_of_whatever_stands_around_it(wrapping):
    decoded = decode_findings(wrapping.format(answer(ISSUE, verdict="PASS")))
    (draft,) = decoded.drafts
    assert (draft.severity, draft.category) == (Severity.HIGH, Category.LOGIC)
    assert (draft.file, draft.line_start, draft.line_end) == ("a.py", 3, 4)
    assert draft.evidence == "    return x[0]"
    assert draft.failure.startswith("x is empty")
    assert (draft.description, draft.suggested_fix, draft.confidence) == ("Empty list.", "Check it.", 0.9)
    assert (decoded.void, decoded.verdict, decoded.doubts) == ([], "pass", [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "{}",
        "[]",
        "null",
        f"I found nothing, {SECRET_WORD}.",
        answer() + answer(),
        f'I was shown {{"issues": []}}.\n{answer(ISSUE)}',
        answer(ISSUE)[:-40],
        'Quoted: {"issues": [], "summary": ""} and then ' + answer(ISSUE)[:-40],
        answer(ISSUE)[:-1],
        json.dumps([ISSUE]),
        "[" + answer() + "]",
        json.dumps(ISSUE),
        json.dumps({"error": SECRET_WORD}),
        json.dumps({"error": SECRET_WORD, "issues": []}),
        json.dumps({"issues": None}),
        json.dumps({"issues": {}}),
        json.dumps({"issues": SECRET_WORD}),
        json.dumps({"summary": "clean"}),
        json.dumps(answer()),
        '{"issues": [1], "issues": []}',
        '{"a":' * 100_000,
        '{"issues": [], "n": ' + "9" * 5000 + "}",
        '{"issues": [' + "[" * 100_000,
    ],
)
def test_anything_else_is_garbage_and_never_clean(text):
    garbage(text)


def test_more_issues_than_a_review_has_are_garbage_and_not_cut():
    assert len(decode_findings(answer(*[ISSUE] * MAX_ISSUES)).drafts) == MAX_ISSUES
    assert "201" in garbage(answer(*[ISSUE] * (MAX_ISSUES + 1)))
    garbage(answer(*[ISSUE] * 10_000))


@pytest.mark.parametrize(
    "change",
    [
        {"severity": "blocker-" + SECRET_WORD},
        {"severity": None},
        {"severity": 3},
        {"category": "correctness"},
        {"evidence": ""},
        {"evidence": " \n"},
        {"evidence": None},
        {"evidence": ["x"]},
        {"file": ""},
        {"file": 7},
        {"lineStart": "3"},
        {"lineStart": -1},
        {"lineStart": 10**12},
        {"lineStart": 10**400},
        {"lineStart": 3.5},
        {"lineStart": True},
        {"lineStart": None},
        {"lineEnd": "9"},
        {"description": "", "failure": " "},
        {"description": {}},
        {"suggestedFix": ["x"]},
    ],
)
def test_what_cannot_be_used_voids_that_issue_only(change):
    decoded = decode_findings(answer({**ISSUE, **change}, ISSUE, SECRET_WORD))
    assert len(decoded.drafts) == 1
    assert [line.split(":")[0] for line in decoded.void] == ["issues[0]", "issues[2]"]
    assert SECRET_WORD not in "".join(decoded.void)


def test_an_answer_of_which_nothing_is_left_is_not_clean():
    decoded = decode_findings(answer({**ISSUE, "severity": "?"}))
    assert decoded.drafts == []
    assert decoded.void == ["issues[0]: severity is none of critical, high, medium, low, suggestion"]


@pytest.mark.parametrize(
    "severity", ["critical", " HIGH", "medium", "urgent", "", None, 3, ["low"], {"low": 1}, "low!", "suggestions"]
)
@pytest.mark.parametrize("change", [{"lineStart": -1}, {"evidence": ""}, {"description": 7}, {"category": "bug"}])
def test_an_issue_that_cannot_be_used_and_could_block_is_a_doubt(severity, change):
    decoded = decode_findings(answer({**ISSUE, "severity": "low"}, {**ISSUE, **change, "severity": severity}))
    assert len(decoded.drafts) == len(decoded.void) == len(decoded.doubts) == 1
    assert "1 of the 2 issues" in decoded.doubts[0]


@pytest.mark.parametrize("entry", [None, 5, SECRET_WORD, [], {}, [ISSUE]])
def test_what_is_no_issue_at_all_is_a_doubt(entry):
    assert decode_findings(answer(ISSUE, entry)).doubts


@pytest.mark.parametrize("severity", ["low", "Suggestion "])
@pytest.mark.parametrize("change", [{"lineStart": -1}, {"evidence": ""}, {"description": 7}, {"category": "bug"}])
def test_an_issue_that_cannot_be_used_and_blocks_nothing_is_only_counted(severity, change):
    decoded = decode_findings(answer(ISSUE, {**ISSUE, **change, "severity": severity}))
    assert (len(decoded.void), decoded.doubts) == (1, [])


@pytest.mark.parametrize(
    "more",
    [
        {"critical_issues": [ISSUE]},
        {"Issues": [{"severity": "high"}]},
        {"critical_issues": ["SQL injection in line 3"]},
        {"review": {"issues": [ISSUE]}},
        {"a": {"b": [[{"c": 1}]]}},
        {"issue": ISSUE},
        {"vulnerabilities": [3]},
    ],
)
def test_issues_where_none_belong_are_a_doubt(more):
    (doubt,) = decode_findings(answer(verdict="pass", **more)).doubts
    assert "besides its list of issues" in doubt


@pytest.mark.parametrize(
    "more",
    [
        {"critical_issues": []},
        {"issue_count": 0},
        {"found": False},
        {"errors": None},
        {"other": [{}, []]},
    ],
)
def test_what_else_an_answer_holds_is_none(more):
    assert decode_findings(answer(verdict="pass", **more)).doubts == []


@pytest.mark.parametrize(
    ("more", "grave"),
    [
        ({"files": ["a.py", "b.py"]}, False),
        ({"meta": {"model": "x", "tokens": [1, 2]}}, False),
        ({"critical": ["Command injection at app.py:11"]}, True),
        ({"problems": {"app.py:11": "command injection"}}, True),
        ({"notes": "A critical command injection."}, True),
        ({"notes": "There are no critical issues."}, False),
        ({"verdict": {"value": "critical_issues"}}, True),
        ({"verdict": ["critical_issues"]}, True),
        ({"verdict": 3}, False),
        ({"summary": [ISSUE]}, True),
        ({"summary": {"text": "Fine."}}, False),
        ({"summary": "CRITICAL: command injection in app.py:11"}, True),
    ],
)
def test_what_an_answer_holds_besides_may_be_issues_in_words(more, grave):
    decoded = decode_findings(worded(json.dumps({"issues": [], "summary": "s", "verdict": "pass", **more})))
    assert len(decoded.doubts) == 1
    assert bool(decoded.missed) is grave


@pytest.mark.parametrize(
    ("beside", "doubtful", "grave"),
    [
        ("Here is my review.", False, False),
        ("Critical: os.system is injectable on line 11.", True, True),
        ("issues:\n- severity: critical\n  file: app.py", True, True),
        ("{'issues': [{'severity': 'critical', 'file': 'app.py'}]}", True, True),
        ("I found no critical issues.", True, False),
        ("The change looks fine to me. " * 10, True, False),
    ],
)
def test_words_besides_the_object_are_a_doubt_unless_they_are_few_and_harmless(beside, doubtful, grave):
    for text in (f"{beside}\n```json\n{answer()}\n```", f"{answer()}\n{beside}"):
        decoded = decode_findings(text)
        assert (bool(decoded.doubts), bool(decoded.missed)) == (doubtful, grave)


@pytest.mark.parametrize("confidence", [None, "high", 90, -1, float("nan"), float("inf"), True, 10**400])
def test_an_unusable_confidence_is_none_and_the_issue_stays(confidence):
    (draft,) = decode_findings(answer({**ISSUE, "confidence": confidence})).drafts
    assert draft.confidence is None


@pytest.mark.parametrize("verdict", [None, "", " "])
def test_no_issue_and_no_verdict_is_a_doubt(verdict):
    assert decode_findings(answer(verdict=verdict)).doubts == ["an answer lists no issue and gives no verdict"]
    assert not decode_findings(answer(ISSUE, verdict=verdict)).doubts


def test_small_liberties_are_taken_as_meant():
    odd = {**ISSUE, "severity": " High ", "lineEnd": 1, "suggestedFix": "", "extra": 1}
    (draft,) = decode_findings(answer(odd)).drafts
    assert (draft.severity, draft.line_start, draft.line_end, draft.suggested_fix) == (Severity.HIGH, 3, 3, None)
    missing = {key: value for key, value in ISSUE.items() if key not in ("lineEnd", "failure", "confidence")}
    assert decode_findings(answer(missing)).drafts[0].line_end == 3


def test_text_is_made_valid_unicode_without_nul():
    decoded = decode_findings(answer({**ISSUE, "description": "a\ud800b\0c"}, summary="\udfff"))
    assert decoded.drafts[0].description == "a\ufffdb\ufffdc"
    raw = answer(ISSUE).replace("Empty list.", "two\nlines\tand \x01.")
    assert decode_findings(raw).drafts[0].description == "two\nlines\tand \x01."


def outcome(decode: Callable[[], Decoding]) -> Decoding | None:
    """Return what is read, or None where it is garbage."""
    try:
        return decode()
    except ModelError as error:
        if error.fault is not Fault.GARBAGE or "\n" in error.message:
            raise
        return None


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*ISSUE, "issues", "judgements", "index", "answer", "error"]) | st.text(), inner
        )
    ),
    max_leaves=20,
)
ISSUE_LIKE = st.fixed_dictionaries({}, optional={key: st.just(value) | ANY_JSON for key, value in ISSUE.items()})


@given(st.text() | ANY_JSON.map(json.dumps) | st.lists(ISSUE_LIKE).map(lambda issues: json.dumps({"issues": issues})))
def test_nothing_but_a_model_error_is_raised_and_nothing_is_lost(text):
    decoded = outcome(lambda: decode_findings(text))
    if decoded is not None:
        said = json.loads(text)
        assert len(decoded.drafts) + len(decoded.void) == len(said["issues"])
        slight = [
            one for one in said["issues"] if isinstance(one, dict) and one.get("severity") in ("low", "suggestion")
        ]
        assert len(decoded.void) <= len(slight) or decoded.doubts
    judgements = outcome(lambda: decode_judgements(text, 3))
    assert judgements is None or len(judgements) == 3


def judged(*entries: Any) -> str:
    return worded(json.dumps({"judgements": list(entries)}))


def entry(index: Any, says: Any, evidence: Any = "line", reason: Any = "because") -> dict[str, Any]:
    return {"index": index, "answer": says, "evidence": evidence, "reason": reason}


def test_every_issue_has_a_judgement_in_order():
    found = decode_judgements(judged(entry(3, "refuted"), entry(1, "confirmed", ""), entry(2, "unsure")), 3)
    assert [item.answer for item in found] == [ClaimVerdict.CONFIRMED, ClaimVerdict.UNSURE, ClaimVerdict.REFUTED]
    assert (found[2].evidence, found[2].reason) == ("line", "because")


def test_a_refutation_needs_a_line():
    (item,) = decode_judgements(judged(entry(1, "refuted", "  ")), 1)
    assert item.answer is ClaimVerdict.UNSURE
    assert "because" in item.reason


def test_one_issue_may_be_judged_twice_in_one_way():
    (item,) = decode_judgements(judged(entry(1, "refuted"), entry(1, "refuted")), 1)
    assert item.answer is ClaimVerdict.REFUTED


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        judged(),
        judged(entry(0, "refuted"), entry("1", "refuted"), entry(True, "refuted"), entry(1, "maybe"), 5),
        judged(*[entry(1, "confirmed")] * 1000),
        json.dumps({"issues": []}),
        judged(entry(1, "refuted")),
        judged(entry(0, "confirmed"), entry(1, "refuted")),
        judged(entry(1, "refuted"), entry(2, "refuted"), entry(3, "confirmed")),
        judged(entry("1", "confirmed"), entry(2, "refuted")),
        judged(entry(1, "confirmed critical"), entry(2, "refuted")),
        judged(entry(1, "confirmed"), entry(2, "refuted"), entry(1, "unsure")),
        judged(entry(1, "refuted"), entry(2, "refuted", ["line"])),
    ],
)
def test_an_answer_that_does_not_judge_each_issue_in_one_way_is_garbage(text):
    with pytest.raises(ModelError) as caught:
        decode_judgements(text, 2)
    assert caught.value.fault is Fault.GARBAGE


@pytest.mark.parametrize(
    "text",
    [
        "I was unable to read the diff.",
        "Could not access the patch",
        "No diff was provided, so there is nothing to report.",
        "There is no diff to review.",
        "No issues, because the patch is empty.",
        "The diff appears to be truncated.",
        "I\u2019m not able to complete the review.",
        "I am unable to perform a code review.",
        "I could not complete the requested code review.",
        "Sorry, I can't help with that.",
        "Fine. However, I could not read the whole change.",
        "I did not receive the code.",
        "I was unable to see the diff.",
        "I did not review the change.",
        "Fine, but I haven't read all of the changes.",
        "No diff here.",
        "Sorry, no patch.",
        "Review skipped.",
        "The code review was not performed",
        "Skipping the review.",
        "Only the first file was visible; the rest was truncated.",
        "Only part of the diff is available.",
        "Only some files were shown.",
        "The rest of the patch was cut off.",
        "I skimmed only part of it.",
        "Fine, though I only looked at the first file.",
        "Rate limit reached.",
        "The context window was exceeded",
        "Not reviewed.",
        "I did not review app.py.",
        "I was not given a diff.",
        "I have no way to view the patch.",
        "Please provide the code you would like me to review.",
        "The file contents were not included in the prompt.",
        "Review not performed due to missing input.",
        "Error: model overloaded",
        "Timed out before reading everything.",
        "But I could not read app.py at all.",
        "I could not read the rest of the diff.",
    ],
)
def test_somebody_who_read_nothing_says_so(text):
    assert decode_findings(answer(summary=text)).doubts
    assert decode_findings(f"{text}\n{answer()}").doubts
    assert decode_findings(f"{answer()}\n{text}").doubts
    assert decode_findings(answer({**ISSUE, "severity": "suggestion"}, summary=text)).doubts
    assert not decode_findings(answer(ISSUE, summary=text)).doubts


def test_an_answer_without_an_issue_says_something():
    assert decode_findings(answer(summary="")).doubts
    assert not decode_findings(answer(ISSUE, summary="")).doubts


def test_what_stands_behind_the_object_is_told_with_the_summary():
    decoded = decode_findings(f"{answer(summary='Fine.')}\nTests are missing.")
    assert (decoded.summary, decoded.doubts) == ("Fine. Tests are missing.", [])


@pytest.mark.parametrize(
    "text",
    [
        "The code could not be read when the file is locked; that is mended.",
        "I could not find any issues in the change.",
        "The loader could not read the file before, and now retries.",
        "No changes in behaviour.",
        "Cannot find a failing input.",
        "parse() raises where the patch could not be read.",
        "I did not see any changes that break callers.",
        "I could not run the tests, but the change is correct.",
        "The changes were not visible to users before.",
        "No code path is affected.",
        "Errors are logged as the client could not access the file.",
        "No issues in the diff.",
        "No changes needed.",
        "No other changes here.",
        "No patch release is needed.",
        "The truncated log line is handled.",
        "The rest of the file is unchanged.",
        "Long names keep 20 characters; the rest is truncated.",
        "Rate limits are respected.",
        "Rate limit exceeded: answered with 429.",
        "Two errors are told apart (quota exceeded, rate limit reached).",
        "Review is skipped for drafts.",
        "Only the first file is read by the loader.",
        "Only one field is visible to users.",
        "We only read the first line, which is enough.",
        "I saw only some nits.",
        "Workers did not see the change of a setting; now they do.",
    ],
)
def test_what_is_said_of_the_code_is_said_of_the_code(text):
    assert not decode_findings(answer(summary=text)).doubts


def test_the_example_in_the_guide_is_an_answer():
    guide = (Path(__file__).parents[3] / "docs/guides/agents.md").read_text(encoding="utf-8")
    example = re.findall(r"```json\n(.*?)```", guide.partition("### The answer")[2], re.DOTALL)[0]
    said = json.loads(example)
    assert said.keys() == FINDINGS["properties"].keys()
    assert said["issues"][0].keys() == FINDINGS["properties"]["issues"]["items"]["properties"].keys()
    decoded = decode.decode_findings(example, Words(said["firstWord"], said["lastWord"]))
    assert (len(decoded.drafts), decoded.void, decoded.doubts) == (1, [], [])
