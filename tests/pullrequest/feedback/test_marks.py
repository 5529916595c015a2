"""Hidden marks."""

from __future__ import annotations

import pytest

from selfreview.model.feedback import hidden, marks_in
from selfreview.pullrequest.feedback.marks import Mark, handed_over_in, is_marked


def test_keys_are_read_from_where_they_were_written() -> None:
    bodies = [
        hidden(Mark.ANSWERED.of("inline:1@aa")) + "x" + hidden(Mark.HANDED_OVER.of("review:2@bb")),
        hidden("summary"),
    ]
    assert Mark.ANSWERED.values_in(bodies) == {"inline:1@aa"}
    assert set(handed_over_in(bodies)) == {"review:2@bb"}
    assert list(marks_in(bodies[0])) == ["re=inline:1@aa", "esc=review:2@bb"]


@pytest.mark.parametrize("key", ["gh:o/r#5:rc:123@aa", "!1/notes/7~2@bb", "id with spaces@cc"])
def test_ids_of_any_forge_are_found_again(key: str) -> None:
    body = hidden(Mark.ANSWERED.of(key)) + hidden(Mark.HANDED_OVER.of(key))
    assert (Mark.ANSWERED.values_in([body]), handed_over_in([body])) == ({key}, {key: ""})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "selfreview:summary",
        "<!-- selfreview: -->",
        "<!-- selfreview:a b -->",
        "<!--selfreview:a-->",
        "<!-- other:a -->",
        "Thanks.\n> <!-- selfreview:summary -->",
        "> <!-- selfreview:summary -->",
    ],
)
def test_anything_else_is_no_mark(body: str) -> None:
    assert not is_marked(body)
