"""What we write on a forge: words of others are inert in it, and marks survive."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import Person
from selfreview.pullrequest import texts
from selfreview.pullrequest.feedback.marks import Mark, handed_over_in, marks_in
from selfreview.pullrequest.feedback.unresolved import Unresolved, who
from selfreview.pullrequest.forges.github.comments import fit
from tests.pullrequest.said import inline, item

LEFT = [Unresolved(Judged(item=inline("do it", url="https://f.test/o/a#r_1"), meaning=Meaning.NEEDS_PERSON), "why not")]

_LIVE = re.compile(r"[@#]\w|gh-\d|://|www\.", re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "@octo",
        "`@octo`",
        "a@octo",
        "é@octo",
        "_@octo",
        "&#64;octo",
        "&amp;#64;octo",
        "`&#64;octo`",
        "```\n&#64;octo\n```",
        "@octo/team",
        "#12",
        "octo/app#12",
        "GH-12",
        "gh-12",
        "https://evil.example",
        "_https://evil.example",
        "HTTPS://evil.example",
        "ftp://x",
        "www.evil.example",
        "WWW.evil.example",
        "<https://evil.example>",
        "@\u200bocto",
        "@<b></b>octo",
        "mailto:a@octo.example",
    ],
)
def test_nobody_is_mentioned_and_nothing_linked(text: str) -> None:
    written = texts.inert(text)
    assert not _LIVE.search(written)
    assert not re.search(r"&(?!amp;)", written)


@given(
    st.lists(
        st.sampled_from(
            [
                "@",
                "#",
                "a",
                "1",
                "`",
                "<",
                ">",
                "&",
                "#64;",
                "amp;",
                "[",
                "](",
                ")",
                "http",
                "://",
                "www.",
                "!",
                "\n",
                "<!-- selfreview:re=x -->",
                "\u200b",
                "GH-",
                "~",
                "|",
                "$",
                "\\",
                "-",
                "*",
            ]
        )
    ).map("".join)
    | st.text()
)
def test_no_markup_of_others_survives(text: str) -> None:
    written = texts.inert(text)
    assert "\n" not in written
    assert not _LIVE.search(written)
    bare = re.sub(r"\\.", "", written)
    assert not re.search(r"[`*_\[\]<>|~!$\\]", bare)
    assert not list(marks_in(written))


@given(st.text())
def test_words_have_a_limit(text: str) -> None:
    written = texts.inert(text * 50, 100)
    assert len(re.sub(r"\\(.)", r"\1", written.replace("\u200b", "").replace("&amp;", "&"))) <= 100


@pytest.mark.parametrize(
    ("logins", "expected"),
    [
        (["rev", "rev", "ann-x"], "@rev @ann-x"),
        (["lint[bot]", "a b", "x\n@y", "", "-x", "@z", "o/team"], ""),
    ],
)
def test_only_plain_logins_are_mentioned(logins: list[str], expected: str) -> None:
    assert texts.mentions(logins) == expected


def summary(lines: list[str], keys: list[str]) -> str:
    return texts.Summary(cycle=2, max_cycles=3, lines=lines, sha="abc", reviewers=["rev"], keys=keys).text()


def test_the_summary_asks_the_reviewers_in_the_words_that_are_asked_for() -> None:
    written = summary(["one", "two"], ["review:1@aa"])
    assert "@rev I've addressed the review comments. Please re-review when you have a chance." in written
    assert "- one\n- two" in written
    assert "Fix cycle 2 of at most 3, commit abc." in written
    assert Mark.ANSWERED.values_in([written]) == {"review:1@aa"}
    assert "cycle=2" in set(marks_in(written))


@pytest.mark.parametrize(
    ("reviewers", "said"),
    [
        (["rev"], "@rev I've addressed 1 of 3 review comments. Please re-review when you have a chance. The rest is"),
        ([], "1 of 3 review comments are addressed. The rest is left to a person."),
    ],
)
def test_the_summary_says_how_much_is_left(reviewers: list[str], said: str) -> None:
    written = texts.Summary(cycle=1, max_cycles=2, lines=["a"], sha="abc", reviewers=reviewers, keys=[], left=2)
    assert said in written.text()


def test_marks_survive_a_comment_that_is_too_long() -> None:
    keys = [f"review:{number}@{number:012x}" for number in range(100)]
    long = [texts.inert("x" * 5_000)] * 100
    assert Mark.ANSWERED.values_in([fit(summary(long, keys), 65_000)]) == set(keys)
    called = texts.Escalation(
        why=["y" * 5_000] * 100, history=long, left=[], kept=dict.fromkeys(keys, "x"), label="needs-human"
    )
    assert handed_over_in([fit(called.text(), 65_000)]) == dict.fromkeys(keys, "x")


def test_a_call_for_a_person_says_why_and_what_was_said() -> None:
    written = texts.Escalation(["the cap @octo"], LEFT, ["rev: x — open"], "needs-human").text()
    assert "- the cap @\u200bocto" in written
    assert "- why not:\n  - [app.py:2](https://f.test/o/a#r_1) rev: do it" in written
    assert handed_over_in([written]) == {LEFT[0].judged.item.key: "why not"}
    assert "- rev: x — open" in written
    assert "`needs-human`" in written
    assert "<details>" not in texts.Escalation(["x"], [], [], "").text()


def test_a_quotation_is_short_and_says_whose_it_is() -> None:
    assert texts.quoted(inline("a\nb")) == "rev on app.py: a b"
    assert texts.quoted(inline("Do:\n```suggestion\nx = 1\n```")) == "rev on app.py: Do: \\[suggests x = 1\\]"
    assert texts.quoted(item("c", None)) == "ghost: c"
    assert who(item("c", None)) == "ghost"
    assert texts.quoted(item("c", Person(login="@all", id="9"))).startswith("@\u200ball")
    assert len(texts.quoted(item("d" * 900))) < 200
