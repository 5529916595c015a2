"""No secret remains in what anyone says about a file."""

from __future__ import annotations

import random

from selfreview.api import Category, Edit, Finding, Issue, Place, Severity, Side, SourceText
from selfreview.model.wire import to_json
from selfreview.scan.hider import Hider
from selfreview.text.masking import MASK
from tests.scan import tokens

TOKEN = tokens.FORMATS["github-pat"](random.Random(1))
GONE = tokens.FORMATS["stripe-access-token"](random.Random(2))
NEW = f'import os\ntoken = "{TOKEN}"\nx = 1'
OLD = f'token = "{GONE}"'


def text_of(path: str, side: Side) -> SourceText | None:
    return SourceText(tuple((NEW if side is Side.NEW else OLD).split("\n")), is_utf8=True) if path == "a.py" else None


def said(**fields: object) -> Finding:
    base = {
        "file": "a.py",
        "line_start": 2,
        "severity": Severity.LOW,
        "category": Category.LOGIC,
        "description": "text",
    }
    return Finding(**{**base, **fields})  # type: ignore[arg-type]


def test_hides_what_another_reviewer_quotes() -> None:
    finding = said(
        description=f"Possible password: {TOKEN!r}",
        evidence=f'token = "{TOKEN}"',
        suggested_fix=f"remove {TOKEN}, it replaced {GONE}",
        related=(Place(file="b.py", line_start=1, line_end=1, note=f"uses {TOKEN}"),),
    )
    clean = Hider(text_of).clean(finding)
    wire = to_json(clean).decode()
    assert TOKEN not in wire
    assert GONE not in wire
    assert clean.evidence == f'token = "{MASK}"'


def test_works_on_issues_too() -> None:
    issue = Issue(
        id="sr-1", severity=Severity.LOW, category=Category.LOGIC, file="a.py", line_start=2, line_end=2, side=Side.OLD,
        description="text", reviewer="ruff", fingerprint="v1:x", evidence=OLD, related=[],
    )  # fmt: skip
    clean = Hider(text_of).clean(issue)
    assert clean.evidence == f'token = "{MASK}"'
    assert clean.related == []


def test_drops_a_fix_that_repeats_one_and_keeps_others() -> None:
    place = {"line_start": 1, "column_start": 0, "line_end": 1, "column_end": 0}
    other = Edit(**place, replacement="y = 2")  # type: ignore[arg-type]
    assert Hider(text_of).clean(said(edits=(other,))).edits == (other,)
    assert Hider(text_of).clean(said(edits=(Edit(**place, replacement=TOKEN),))).edits == ()  # type: ignore[arg-type]


def test_shows_a_text_with_the_same_lines() -> None:
    source = Hider(text_of).source("a.py")
    assert source is not None
    assert source.lines == ("import os", f'token = "{TOKEN[:4]}{MASK}"', "x = 1")


def test_says_nothing_else_about_what_holds_no_secret() -> None:
    hider = Hider(lambda path, side: SourceText(("x = 1",), is_utf8=True))
    finding = said(evidence="x = 1")
    assert hider.clean(finding) is finding
    assert hider.source("b.py") == SourceText(("x = 1",), is_utf8=True)
    assert Hider(text_of).source("missing") is None
