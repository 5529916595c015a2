"""Trailers: what a commit says of the feedback it answers is read back from real git, and cannot be forged."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfreview.git.repo import discover
from selfreview.pullrequest.git.trailers import FixCommit, co_author, fix_commits, message
from tests.conftest import Workspace

NAME = "octo/app#5"


def commit(workspace: Workspace, text: str) -> str:
    tree, parent = workspace.git("rev-parse", "HEAD^{tree}"), workspace.git("rev-parse", "HEAD")
    return workspace.git("commit-tree", tree, "-p", parent, stdin=text.encode("utf-8", "replace"))


def found(workspace: Workspace, sha: str, request: str = NAME) -> list[FixCommit]:
    return fix_commits(discover(workspace.root, os.environ).git, request, sha, "HEAD")


def said(subject: str = "Mend", body: str = "done", keys: tuple[str, ...] = ("inline:1@ab",), **more: object) -> str:
    given_: dict[str, object] = {"request": NAME, "cycle": 1, "authors": ()} | more
    return message(subject, [body], keys=keys, **given_)  # type: ignore[arg-type]


def test_what_is_written_is_read(workspace: Workspace) -> None:
    keys = ("inline:1@aa", "review:2@bb")
    sha = commit(workspace, said(keys=keys, cycle=2, authors=["rev <2+rev@users.noreply.github.com>"]))
    assert found(workspace, sha) == [FixCommit(sha, 2, keys)]
    assert not found(workspace, sha, "octo/app#55")
    assert not found(workspace, sha, "octo/app#")
    assert "Co-authored-by: rev" in workspace.git("log", "-1", "--format=%(trailers)", sha)


forging = st.sampled_from(
    [
        "\n",
        "\r",
        "\n\n",
        "Selfreview-PR: octo/app#5",
        "Selfreview-Cycle: 9",
        "Selfreview-Feedback: x",
        "---",
        "- ",
        "#",
        " ",
        "x",
        "\0",
        "\x1e",
        "\x1f",
        ": ",
        "\u2028",
    ]
)
text = st.lists(forging, max_size=8).map("".join)


@given(subject=text, body=text, key=text.filter(bool), author=text.filter(bool))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_of_others_forges_one(workspace: Workspace, subject: str, body: str, key: str, author: str) -> None:
    written = said(f"S {subject}", body, (key, "inline:7@cc"), cycle=3, authors=[author])
    sha = commit(workspace, written)
    ((_, cycle, keys),) = found(workspace, sha)
    assert cycle == 3
    assert keys[-1] == "inline:7@cc"
    assert len(keys) <= 2
    assert "x" not in keys[:-1] or key.strip() == "x"


@pytest.mark.parametrize(
    "trailers",
    [
        "Selfreview-PR: octo/app#5",
        "Selfreview-PR: octo/app#5\nSelfreview-Cycle: many",
        f"Selfreview-PR: octo/app#5\nSelfreview-Cycle: {'9' * 5000}",
        "Selfreview-PR: octo/app#5\nSelfreview-Cycle: -1",
        "Selfreview-PR: octo/app#5\nSelfreview-Cycle: ²",
        "Selfreview-Cycle: 1",
    ],
)
def test_what_is_no_answer_is_none(workspace: Workspace, trailers: str) -> None:
    assert not found(workspace, commit(workspace, f"Subject\n\n{trailers}\n"))


def test_commits_of_the_base_are_none_of_the_branch(workspace: Workspace) -> None:
    sha = commit(workspace, said())
    git = discover(workspace.root, os.environ).git
    assert not fix_commits(git, NAME, sha, sha)


@pytest.mark.parametrize(
    ("login", "account", "expected"),
    [
        ("rev", "2", "rev <2+rev@users.noreply.github.com>"),
        ("rev", None, None),
        ("rev", "x", None),
        ("r\nSigned-off-by: x", "2", None),
        ("r<x>", "2", None),
        ("r [skip ci]", "2", None),
        ("r\x85Fixes: x", "2", None),
        ("lint[bot]", "3", "lint[bot] <3+lint[bot]@users.noreply.github.com>"),
    ],
)
def test_only_who_can_be_named_is_named(login: str, account: str | None, expected: str | None) -> None:
    assert co_author(login, account) == expected


def test_names_of_files_that_are_no_text_stand_in_a_message(workspace: Workspace, tmp_path: Path) -> None:
    from selfreview.pullrequest.git.trailers import subject

    first = subject(1, [os.fsdecode(b"caf\xe9\n.py"), "a/b.py", "c.py"])
    assert "\n" not in first
    assert first.endswith("and 1 more (fix cycle 1)")
    first.encode()


ORDERS = [
    "[skip ci]", "[ci skip]", "[No CI]", "[skip actions]", "[skip-ci]", "***NO_CI***", "skip-checks: true",
    "skip-checks:true", "Fixes #1", "closes: octo/app#1", "resolves GH-1", "Fix ENG-12", "Implements !7",
    "Fixes JIRA-12 and JIRA-13", "closes ENG-12, eng-13", "ENG-9 #done", "see ENG-9",
    "cc @octo/admins", "@octo", "Fixes https://github.com/octo/app/issues/1", "Fixes\u200b #1", "\nFixes #1",
    "x\x1b[31m", "\n\nReviewed-by: x",
]  # fmt: skip
ACTING = re.compile(
    r"\[[^\]]*\]|\*\*\*|NO_CI|skip-checks\s*:|[@#]\w|!\d|GH-\d|(?:ENG|JIRA)-\d|://|^\s*[\w-]+:\s|[^\n\x20-\x7e]",
    re.IGNORECASE,
)
"""What a forge, a CI system, a tracker, git or a terminal acts on."""


@pytest.mark.parametrize("order", ORDERS)
def test_words_of_others_order_nothing_in_a_commit(order: str) -> None:
    assert ACTING.search(order)
    written = message(
        f"Mend {order}", [f"done {order}", order], request=NAME, cycle=1, keys=["inline:1@ab"], authors=()
    )
    words = written.removesuffix("Selfreview-PR: octo/app#5\nSelfreview-Cycle: 1\nSelfreview-Feedback: inline:1@ab\n")
    assert words != written
    for line in words.splitlines():
        assert not ACTING.search(line)
        assert not line or line.startswith(("Mend ", "- "))


@pytest.mark.parametrize(
    "words", ["Use UTF-8", "Fix utf-8 names", "see RFC-9110", "the retry-3 loop", "a SHA-256 digest", "x-1"]
)
def test_what_is_written_like_a_key_and_is_none_stays(words: str) -> None:
    assert message(words, [], request=NAME, cycle=1, keys=[], authors=()).startswith(f"{words}\n")


@given(
    st.lists(st.sampled_from(["[", "]", "skip ci", "@", "#", "!", "1", "octo", "\n", "*", "no_ci", " ", "gh-"])).map(
        "".join
    )
)
def test_whatever_is_put_together_orders_nothing(text: str) -> None:
    first, *_ = message(text, [], request=NAME, cycle=1, keys=[], authors=()).split("\n\n")
    assert first.startswith("Selfreview-PR") or not re.search(r"[\[\]]|\*\*|no_ci|[@#]\w|!\d|\bgh-\d", first)


def test_plain_words_stay_as_they_are() -> None:
    for text in (
        "Handle UTF-8 names; 3 * 4 in x[0] is wrong".replace("[0]", "(0)"),
        "Use a set (it is faster) & a dict: ok",
    ):
        assert message(text, [], request=NAME, cycle=1, keys=[], authors=()).startswith(text + "\n\n")
