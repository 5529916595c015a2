"""The page: what it says, and that nothing which a change or a tool says can be markup in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from selfreview.api import IssueStatus, SourceText
from selfreview.api.reporter import PatchReporter, PatchText
from selfreview.model.issue import Edit
from selfreview.model.result import Verdict
from selfreview.reporters import formats
from selfreview.reporters.html import code
from selfreview.reporters.html import page as html_page
from selfreview.reporters.html.code import edited, excerpt, patch_rows
from selfreview.reporters.html.page import reasons
from selfreview.text.escape import visible

from .builders import issue, render, result
from .samples import CONTEXT, SAMPLES
from .test_hostile import context_of, outcomes

MARKUP = "</h4></style></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'>&lt;{{ 7*7 }}{% raw %}]]>-->"
PATCH = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"


def page(outcome, context=CONTEXT, patches=None):
    reporter = formats.html
    return render(reporter.with_patches(patches) if patches else reporter, outcome, context)


def without_assets(text):
    """A page without its style, its script and their digests, which have no place in a snapshot."""
    text = re.sub(r"(<style>|<script>).*?(</style>|</script>)", r"\1…\2", text, flags=re.DOTALL)
    return re.sub(r"sha256-[\w+/=]+", "sha256-…", text)


class Elements(HTMLParser):
    """What a browser would make of a page, as far as markup goes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.targets, self.open, self.text = set(), set(), [], [], ""
        self.ids = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.targets += [value for name, value in attrs if name in ("href", "src")]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text += data


EVERYTHING = (
    Elements(page(SAMPLES["needs_work"])),
    Elements(page(SAMPLES["refined"], patches=lambda _: PatchText(PATCH, ""))),
)


@pytest.mark.parametrize("name", SAMPLES)
def test_page(name, snapshot):
    assert without_assets(page(SAMPLES[name])) == snapshot


def test_the_page_without_code_shows_what_was_seen(snapshot):
    found = issue(evidence="\tcursor = open(f)", column=2, line_end=9)
    assert without_assets(page(result(found), None)) == snapshot


@pytest.mark.parametrize("name", SAMPLES)
def test_the_policy_lets_in_the_pages_own_style_and_script_alone(name):
    text = page(SAMPLES[name])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#39;", "'")
    for kind in ("style", "script"):
        (inline,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    parsed = Elements(text)
    assert not parsed.open
    assert not {name for name in parsed.attributes if name.startswith("on") or name in ("style", "src")}
    assert all(target.startswith("#") for target in parsed.targets)
    assert {target[1:] for target in parsed.targets} <= set(parsed.ids)
    assert len(parsed.ids) == len(set(parsed.ids))


@settings(deadline=None, max_examples=20)
@given(outcome=outcomes)
def test_no_character_of_others_acts_on_a_page(outcome):
    written = page(outcome, context_of(outcome), lambda _: PatchText(outcome.issues[0].description, ""))
    assert [char for char in written if char != "\n" and visible(char) != char] == []
    parsed = Elements(written)
    assert parsed.tags <= EVERYTHING[0].tags | EVERYTHING[1].tags | {"details", "summary"}
    assert parsed.attributes <= EVERYTHING[0].attributes | EVERYTHING[1].attributes


def test_markup_is_shown_as_it_is():
    found = issue(
        MARKUP,
        description=MARKUP,
        rule=MARKUP,
        reviewer=MARKUP,
        suggested_fix=MARKUP,
        evidence=MARKUP,
        id=MARKUP,
        fingerprint=MARKUP,
        also_reported_by=[MARKUP],
    )
    parsed = Elements(page(result(found, issue(), notes=[MARKUP]), None, lambda _: PatchText(MARKUP, "")))
    assert "img" not in parsed.tags
    assert parsed.text.count(MARKUP) >= 9
    assert "issue-0" in parsed.ids


def test_a_blocking_issue_and_the_verdict_are_said_in_words():
    text = Elements(page(result(issue(severity="high"), issue(severity="low")))).text
    assert "Did not pass" in text
    assert "1 issue blocks (medium or worse)" in text
    assert text.count("blocks ·") == 1
    assert "No issue is open." in Elements(page(result())).text


def reasons_of(outcome):
    return [reason.text for reason in reasons(outcome)]


def test_what_a_plugin_made_worse_is_a_reason():
    assert "Did not pass" in Elements(page(result(passed=False))).text
    assert reasons_of(result(passed=False, summary="Not on a Friday.")) == ["Not on a Friday."]
    assert reasons_of(result(passed=False, summary="")) == ["a plugin decided so"]
    assert reasons_of(result(passed=False, verdict=Verdict.NEEDS_WORK)) == ["the verdict is needs work"]


@pytest.mark.parametrize("blocking", [0, 1])
def test_a_limit_that_is_exceeded_is_the_reason_and_is_told_once(blocking):
    outcome = result(issue(severity="high" if blocking else "low"), passed=False)
    outcome.not_passed_reasons, outcome.notes = ["3 open issues, 1 more than\nmax_issues allows"], ["a note"]
    assert reasons_of(outcome)[blocking:] == ["3 open issues, 1 more than max_issues allows"]
    text = Elements(page(outcome)).text
    assert text.count("more than max_issues allows") == 1
    assert "not passed:" not in text
    assert "the verdict is" not in text
    assert "a note" in text


def test_a_link_goes_to_the_first_issue_of_an_id():
    ids = Elements(page(result(issue(id="sr-0000000a"), issue("b.py", id="sr-0000000a"), issue(id="filters")))).ids
    assert {"sr-0000000a", "issue-1", "issue-2"} <= set(ids)
    assert ids.count("filters") == 1


def test_what_filters_compare_cannot_be_mistaken():
    text = page(
        result(
            issue(reviewer="a b"), issue(reviewer="a", status=IssueStatus.SUPPRESSED), issue(also_reported_by=["a b"])
        )
    )
    keys = [set(value.split()) for value in re.findall(r'data-k="([^"]*)"', text)]
    known = dict(re.findall(r'value="([^"]*)" data-key="([^"]*)"', text))
    assert sum(known["a b"] in key for key in keys) == 2
    assert sum(known["a"] in key for key in keys) == 1
    assert sum(known["suppressed"] in key for key in keys) == 1
    assert len(set(known.values())) == len(known)


def test_only_the_worst_are_shown_with_their_code(monkeypatch):
    monkeypatch.setattr(html_page, "MOST_IN_FULL", 2)
    found = [issue(line=line, severity=severity) for line, severity in ((4, "low"), (5, "high"), (6, "medium"))]
    text = page(result(*found))
    assert text.count('class="code"') == 2
    assert "Code is shown for the worst 2." in text
    assert 'id="sr-00000000"' in text


def test_patches_are_shown_where_they_are_to_be_had():
    reporter = formats.html
    assert isinstance(reporter, PatchReporter)
    asked = []

    def patches(iteration):
        asked.append(iteration)
        return PatchText(PATCH, "") if iteration.refinement.patch else PatchText(None, "it changed <nothing>")

    text = page(SAMPLES["refined"], patches=patches)
    assert asked == SAMPLES["refined"].iterations
    assert '<div class="l del"><code>-old</code></div>' in text
    assert text.count("it changed &lt;nothing&gt;") == 2
    assert "-old" not in page(SAMPLES["refined"])


# --- code ----------------------------------------------------------------------------------------------------------


def source(*lines):
    return SourceText(lines, is_utf8=True)


def shown(rows):
    return ["".join(row[:1] + row[2:]) for row in rows]


def test_a_long_line_is_cut_around_its_column():
    line = "x" * 5000 + " needle " + "y" * 5000
    (row,) = excerpt(issue(line=1, column=5002), source(line), ())
    assert row.marked == "needle"
    assert row.text.startswith("…")
    assert row.after.endswith("…")
    assert len(row.text + row.after) < 450


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([(2, 4, 2, 5, "two")], ["2 -    b", "  +    two"]),
        ([(2, 0, 3, 0, "")], ["2 -    b"]),
        ([(2, 5, 2, 5, "\n    c")], ["2      b", "  +    c"]),
        ([(1, 0, 1, 1, "A"), (3, 0, 3, 1, "C")], ["1 -a", "  +A", "2      b", "3 -c", "  +C"]),
        ([(4, 0, 4, 0, "d\n")], ["+d"]),
    ],
    ids=["within a line", "a whole line", "a line more", "two places", "after the end"],
)
def test_an_edit_is_a_diff(edits, expected):
    found = issue(line=2, edits=[Edit(**dict(zip(Edit.__struct_fields__, edit, strict=True))) for edit in edits])
    rows = shown(edited(found, source("a", "    b", "c")))
    assert [text for text in rows if "replaces" not in text] == expected


@pytest.mark.parametrize(
    "edits",
    [[(1, 0, 1, 3, "x"), (1, 1, 1, 2, "y")], [(1, 0, 1, 99, "x")], [(9, 0, 9, 1, "x")], [(0, 0, 1, 0, "x")]],
    ids=["overlapping", "beyond the line", "beyond the end", "before the start"],
)
def test_an_edit_that_fits_nothing_is_told_in_words(edits):
    found = issue(line=1, edits=[Edit(**dict(zip(Edit.__struct_fields__, edit, strict=True))) for edit in edits])
    rows = shown(edited(found, source("abc")))
    assert rows[0].startswith("replaces ")
    assert rows[1] == "+x"


def test_an_edit_is_shown_over_what_was_seen_where_there_is_no_code():
    found = issue(
        line=7, evidence="a = b", edits=[Edit(line_start=7, column_start=4, line_end=7, column_end=5, replacement="c")]
    )
    assert shown(edited(found, None)) == ["7 -a = b", "  +a = c"]


def test_an_edit_of_a_masked_line_is_told_in_words():
    masked = f"key = {code.MASK}"
    found = issue(line=1, edits=[Edit(line_start=1, column_start=6, line_end=1, column_end=9, replacement="env")])
    assert shown(edited(found, source(masked)))[0].startswith("replaces 1:7 to 1:10")


def test_a_long_patch_is_cut(monkeypatch):
    monkeypatch.setattr(code, "MOST_PATCH", 4)
    rows = patch_rows(PATCH)
    assert [row.kind for row in rows] == ["name", "name", "name", "hunk", "hunk"]
    assert rows[-1].text == "and 2 more lines"


def test_an_old_line_is_taken_from_the_old_side():
    text = page(SAMPLES["needs_work"])
    assert '<div class="l hit"><span class="n">&gt; 3 - </span><code>    <mark>assert</mark> rows == []</code>' in text
    assert "removed line" in text
