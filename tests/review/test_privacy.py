"""What tools and plugins say, without secrets."""

from __future__ import annotations

import random

import pytest

from selfreview.api import Category, Edit, Finding, Issue, Place, Review, Severity, Side, SourceText
from selfreview.model.wire import to_json
from selfreview.review.privacy import MAX_CHARACTERS, Hider, Privacy
from selfreview.review.tasks import Outcome, Task, no_entries
from selfreview.text.masking import MASK
from tests.review.builders import Reviewing, make_bench, make_finding
from tests.secrets import tokens

TOKEN = "ghp_" + "9aF2kLq7Zx" + "W3mNb8RtYc" + "5VdHs1Jp6G" + "uEoTz0"
ODD = "q8Zt3Vn1Lw" + "6Ks0Xb9Rm2"


def privacy(*guilty: str, **files: str) -> Privacy:
    """What is known once the ``secrets`` reviewer has found something in some of the files."""
    bench = make_bench(**files)
    findings = [make_finding(file=path, severity=Severity.HIGH) for path in guilty]
    task = Task(Reviewing("secrets"), bench.change.reviewable)
    return Privacy(bench, [Outcome(task, Review(findings=findings), 0, cached=False, entries=no_entries)])


@pytest.mark.parametrize("text", [None, "", "semgrep is not installed (pip install semgrep)", "line 3: bad indent"])
def test_words_without_a_secret_stay(text: str | None) -> None:
    assert privacy().words(text) == text


def test_words_are_one_line_cut_after_they_were_scanned() -> None:
    said = privacy().words("no\n\tgood " + "x " * (MAX_CHARACTERS // 2 - 10) + TOKEN)
    assert said.startswith("no good x x")
    assert len(said) == MAX_CHARACTERS
    assert TOKEN[:6] not in said


def test_a_secret_of_a_file_is_hidden_wherever_it_is_quoted() -> None:
    knowing = privacy("a.py", a_py=f'api_key = "{ODD}"\n')
    assert knowing.words(f"cannot read <{ODD}>") == f"cannot read <{MASK}>"


def test_all_parts_of_a_review_are_cleaned() -> None:
    said = f"token={TOKEN}"
    finding = make_finding(description=said, evidence=said)
    review = Review(findings=[finding], error=said, hint=said, unreviewed={"a.py": said})
    cleaned = privacy("a.py", a_py=f'token = "{TOKEN}"\n').review(review)
    assert TOKEN not in repr(cleaned)
    assert (cleaned.error or "").startswith("token=ghp_")


def test_what_a_finding_says_itself_is_cleaned_where_the_file_holds_none() -> None:
    edit = Edit(line_start=1, column_start=1, line_end=1, column_end=2, replacement=f'token = "{TOKEN}"')
    place = Place(file="a.py", line_start=1, line_end=1, note=f"not {TOKEN}")
    texts = dict.fromkeys(("description", "suggested_fix", "rule", "evidence", "status_reason"), f'"{TOKEN}"')
    told = privacy().clean(make_finding(**texts, related=(place,), edits=(edit,)))
    assert TOKEN[4:] not in repr(told)
    assert (told.edits, told.related[0].note) == ((), f"not {MASK}")


def test_code_and_words_without_a_secret_stay() -> None:
    edit = Edit(line_start=1, column_start=1, line_end=1, column_end=2, replacement="token = makeToken4Us8Now")
    said = make_finding(description="Set token: see RFC 6750.", evidence="token = makeToken4Us8Now", edits=(edit,))
    assert privacy().clean(said) == said


LEAKED = tokens.FORMATS["github-pat"](random.Random(1))
GONE = tokens.FORMATS["stripe-access-token"](random.Random(2))
NEW_TEXT = f'import os\ntoken = "{LEAKED}"\nx = 1'
OLD_TEXT = f'token = "{GONE}"'


def text_of(path: str, side: Side) -> SourceText | None:
    return (
        SourceText(tuple((NEW_TEXT if side is Side.NEW else OLD_TEXT).split("\n")), is_utf8=True)
        if path == "a.py"
        else None
    )


def quoting(**fields: object) -> Finding:
    base = {
        "file": "a.py",
        "line_start": 2,
        "severity": Severity.LOW,
        "category": Category.LOGIC,
        "description": "text",
    }
    return Finding(**{**base, **fields})  # type: ignore[arg-type]


def test_hides_what_another_reviewer_quotes() -> None:
    finding = quoting(
        description=f"Possible password: {LEAKED!r}",
        evidence=f'token = "{LEAKED}"',
        suggested_fix=f"remove {LEAKED}, it replaced {GONE}",
        related=(Place(file="b.py", line_start=1, line_end=1, note=f"uses {LEAKED}"),),
    )
    clean = Hider(text_of).clean(finding)
    wire = to_json(clean).decode()
    assert LEAKED not in wire
    assert GONE not in wire
    assert clean.evidence == f'token = "{MASK}"'


def test_a_word_in_the_place_of_a_secret_is_hidden_in_the_line_that_is_quoted() -> None:
    line = 'y = eval(x)  # password = "hunter2Zq8vKx3LmN0pRt"'
    hider = Hider(lambda _path, _side: SourceText(("x = 1", line), is_utf8=True))
    quoted = hider.clean(quoting(evidence=line)).evidence or ""
    assert (quoted.startswith("y = eval(x)"), "hunter2" in quoted, MASK in quoted) == (True, False, True)
    assert hider.clean(quoting(evidence="x = 1", line_start=1)).evidence == "x = 1"


def test_works_on_issues_too() -> None:
    issue = Issue(
        id="sr-1", severity=Severity.LOW, category=Category.LOGIC, file="a.py", line_start=2, line_end=2, side=Side.OLD,
        description="text", reviewer="ruff", fingerprint="v1:x", evidence=OLD_TEXT, related=[],
    )  # fmt: skip
    clean = Hider(text_of).clean(issue)
    assert clean.evidence == f'token = "{MASK}"'
    assert clean.related == []


def test_drops_a_fix_that_repeats_one_and_keeps_others() -> None:
    place = {"line_start": 1, "column_start": 0, "line_end": 1, "column_end": 0}
    other = Edit(**place, replacement="y = 2")  # type: ignore[arg-type]
    assert Hider(text_of).clean(quoting(edits=(other,))).edits == (other,)
    assert Hider(text_of).clean(quoting(edits=(Edit(**place, replacement=LEAKED),))).edits == ()  # type: ignore[arg-type]


def test_shows_a_text_with_the_same_lines() -> None:
    source = Hider(text_of).source("a.py")
    assert source is not None
    assert source.lines == ("import os", f'token = "{LEAKED[:4]}{MASK}"', "x = 1")


def test_says_nothing_else_about_what_holds_no_secret() -> None:
    hider = Hider(lambda path, side: SourceText(("x = 1",), is_utf8=True))
    finding = quoting(evidence="x = 1")
    assert hider.clean(finding) is finding
    assert hider.source("b.py") == SourceText(("x = 1",), is_utf8=True)
    assert Hider(text_of).source("missing") is None
