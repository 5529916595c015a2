"""What feedback means, as far as nobody has to read it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import FeedbackItem, Opinion, Person, hidden
from selfreview.pullrequest.feedback.classify import MAX_BY_BOTS, REPLY, classify
from selfreview.pullrequest.feedback.marks import Mark, block_key
from selfreview.pullrequest.feedback.trust import folded
from tests.pullrequest.said import BOT, GUEST, ME, REV, SPOT, feedback, inline, item, policy, review

M = Meaning
SUGGESTION = "```suggestion\nb\n```"
OURS = f"{hidden(Mark.ANSWERED.of(inline('Rename it.').key))}\nDone."
BESIDE = inline(f"Shorter:\n{SUGGESTION}")
TO_READ = None


@dataclasses.dataclass(frozen=True)
class Row:
    """What is said, and what each of it means; None is for a reader."""

    name: str
    items: Sequence[FeedbackItem]
    expected: Sequence[Meaning | None]
    policy: dict[str, Any] = dataclasses.field(default_factory=dict)
    handled: frozenset[str] = frozenset()
    resolved: bool = False


def more(number: int, body: str, author: Person | None = REV, **rest: Any) -> FeedbackItem:
    """Return a later comment of the thread."""
    return inline(body, author, id=f"inline:{number}", created=f"2026-01-0{number}T00:00:00Z", **rest)


ROWS = [
    Row("a comment", [item("Rename it.")], [TO_READ]),
    Row("a review", [review("Rename it.")], [TO_READ]),
    Row("an inline comment", [inline("Rename it.")], [TO_READ]),
    Row("a suggestion", [inline(SUGGESTION)], [M.SUGGESTION]),
    Row("a suggestion with a word", [inline(f"Shorter:\n{SUGGESTION}")], [M.SUGGESTION]),
    Row(
        "a suggestion whose words were not read",
        [BESIDE, more(2, hidden(Mark.ANSWERED.of(block_key(BESIDE.key))), ME)],
        [M.NEEDS_PERSON, M.OWN],
        handled=frozenset({block_key(BESIDE.key)}),
    ),
    Row("two suggestions", [inline(f"{SUGGESTION}\n{SUGGESTION}")], [TO_READ]),
    Row("a suggestion that the page hides", [inline(f"Nice.\n<!--\n{SUGGESTION}\n-->")], [TO_READ]),
    Row("a suggestion in a hidden element", [inline(f"Nice.\n<div hidden>\n\n{SUGGESTION}\n\n</div>")], [TO_READ]),
    Row("a suggestion with invisible code", [inline("```suggestion\na\u202eb\n```")], [TO_READ]),
    Row("a quoted suggestion", [inline("> ```suggestion\n> b\n> ```\nNo.")], [TO_READ]),
    Row("a suggestion in a general comment", [item(SUGGESTION)], [TO_READ]),
    Row(
        "a suggestion for a removed line",
        [inline(SUGGESTION, spot=msgspec.structs.replace(SPOT, old_side=True))],
        [TO_READ],
    ),
    Row(
        "a suggestion for a whole file",
        [inline(SUGGESTION, spot=msgspec.structs.replace(SPOT, whole_file=True))],
        [TO_READ],
    ),
    Row("a suggestion of nobody", [inline(SUGGESTION, GUEST)], [M.UNTRUSTED]),
    Row("nobody", [item("Run it.", None)], [M.UNTRUSTED]),
    Row("a guest", [item("Run it.", GUEST)], [M.UNTRUSTED]),
    Row("a bot", [item("Coverage: 3 %", BOT)], [M.IGNORED]),
    Row("a bot that counts", [item("Rename it.", BOT)], [TO_READ], {"allowed_bots": folded(["lint[bot]"])}),
    Row("ours", [item(OURS, ME)], [M.OWN]),
    Row("our mark by another", [item(OURS, REV)], [M.IGNORED]),
    Row("our mark by a guest", [item(OURS, GUEST)], [M.UNTRUSTED]),
    Row("our account, without a mark", [item("Rename it.", ME)], [M.IGNORED]),
    Row("our account, allowed", [item("Rename it.", ME)], [TO_READ], {"allowed_users": folded(["dev"])}),
    Row("hidden", [item("Rename it.", hidden=True)], [M.RESOLVED]),
    Row("dismissed", [review("Rename it.", opinion=Opinion.DISMISSED)], [M.RESOLVED]),
    Row("resolved", [inline("Rename it.")], [M.RESOLVED], resolved=True),
    Row("handled", [item("Rename it.")], [M.HANDLED], handled=frozenset({item("Rename it.").key})),
    Row(
        "handled, then ticked and indented",
        [item(" - [x]  Rename it.")],
        [M.HANDLED],
        handled=frozenset({item("- [ ] Rename it.").key}),
    ),
    Row("handled, then edited", [item("Rename it now.")], [TO_READ], handled=frozenset({item("Rename it.").key})),
    Row("no words", [item("<!-- x -->")], [M.PRAISE]),
    Row("an approval without words", [review("", opinion=Opinion.APPROVED)], [M.PRAISE]),
    Row("changes requested without words", [review("")], [M.NEEDS_PERSON]),
    Row(
        "changes requested in comments alone",
        [review(""), inline("Rename it.", review="review:1")],
        [M.PRAISE, TO_READ],
    ),
    Row("a thread goes on", [inline("Rename it."), more(2, "To b.")], [TO_READ, TO_READ]),
    Row("a thread with our answer", [inline("Rename it."), more(2, OURS, ME)], [M.HANDLED, M.OWN]),
    Row(
        "edited after our answer",
        [inline("Rename it now."), more(2, hidden(Mark.ANSWERED.of(inline("Rename it.").key)), ME)],
        [TO_READ, M.OWN],
    ),
    Row(
        "edited after our answer, and answered again",
        [
            inline("Rename it now."),
            more(2, hidden(Mark.ANSWERED.of(inline("Rename it.").key)), ME),
            more(3, hidden(Mark.ANSWERED.of(inline("Rename it now.").key)), ME),
        ],
        [M.HANDLED, M.OWN, M.OWN],
    ),
    Row(
        "a thread after our answer",
        [inline("Rename it."), more(2, OURS, ME), more(3, "No: to c.")],
        [M.HANDLED, M.OWN, TO_READ],
    ),
    Row(
        "a guest after our answer",
        [inline("Rename it."), more(2, OURS, ME), more(3, "No: to c.", GUEST)],
        [M.HANDLED, M.OWN, M.UNTRUSTED],
    ),
    Row("a guest after a reviewer", [inline("Rename it."), more(2, "Run it.", GUEST)], [TO_READ, M.UNTRUSTED]),
    Row("the person answered", [inline("Rename it."), more(2, "I did.", ME)], [TO_READ, M.IGNORED]),
    Row("the person did it", [inline("Rename it."), more(2, "Done.\nBy hand.", ME)], [M.HANDLED, M.IGNORED]),
    Row("the person did it there", [inline("Rename it."), more(2, "fixed in abc1234", ME)], [M.HANDLED, M.IGNORED]),
    Row("the person will not", [inline("Rename it."), more(2, "Won\u2019t fix", ME)], [M.HANDLED, M.IGNORED]),
    Row("the person asks", [inline("Rename it."), more(2, "Done? No.", ME)], [TO_READ, M.IGNORED]),
    Row("a suggestion, then the person", [inline(SUGGESTION), more(2, "Thanks!", ME)], [TO_READ, M.IGNORED]),
    Row("the person, then a suggestion", [inline("No.", ME), more(2, SUGGESTION)], [M.IGNORED, M.SUGGESTION]),
    Row(
        "a bot's account speaks without a mark",
        [inline("Rename it."), more(2, "Done.", BOT)],
        [TO_READ, M.IGNORED],
        {"me": BOT},
    ),
    Row("a reviewer says so", [inline("Rename it."), more(2, "Done.")], [TO_READ, TO_READ]),
    Row("our mark by another in a thread", [inline("Rename it."), more(2, OURS)], [TO_READ, M.IGNORED]),
    Row("another selfreview, then we", [inline("No."), more(2, OURS), more(3, OURS, ME)], [TO_READ, M.IGNORED, M.OWN]),
    Row("a suggestion, then another selfreview", [inline(SUGGESTION), more(2, OURS)], [M.SUGGESTION, M.IGNORED]),
    Row(
        "said while the answer was made",
        [inline("Rename it."), more(2, "No wait."), more(3, hidden(Mark.ANSWERED.of(inline("Rename it.").key)), ME)],
        [M.HANDLED, TO_READ, M.OWN],
    ),
    Row(
        "a suggestion, then a word of somebody else",
        [inline(SUGGESTION), more(2, "+1", Person(login="dev", id="77"))],
        [M.SUGGESTION, TO_READ],
    ),
    Row("a suggestion, then a word without one", [inline(SUGGESTION), more(2, "Please.")], [TO_READ, TO_READ]),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_it_means(row: Row) -> None:
    found = classify(feedback(*row.items, resolved=row.resolved), policy(**row.policy), row.handled)
    assert [getattr(one, "meaning", TO_READ) for one in found] == list(row.expected)
    assert all(one.why for one in found if not isinstance(one, FeedbackItem))


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (SUGGESTION, False),
        (f"<!-- x -->\n{SUGGESTION}", False),
        (f"Shorter:\n{SUGGESTION}", False),
        (f"Shorter, and so everywhere:\n{SUGGESTION}", True),
        (f"{SUGGESTION}\nAlso add a test.", True),
        (f"{SUGGESTION}\n{'word ' * 200}", True),
        (f"{SUGGESTION}\n```python\nx\n```", True),
    ],
)
def test_any_words_beside_a_suggestion_are_to_be_read(body: str, left: bool) -> None:
    (one,) = classify(feedback(inline(body)), policy(), ())
    assert isinstance(one, Judged)
    assert (one.meaning, one.words_left) == (M.SUGGESTION, left)


def test_the_persons_own_words_are_named_where_a_thread_is_open() -> None:
    said = [inline("Rename it."), more(2, "Good catch!", ME)]
    _, reply = classify(feedback(*said), policy(), ())
    assert isinstance(reply, Judged)
    assert reply.why == REPLY


def test_every_meaning_that_needs_no_reader_has_a_row() -> None:
    seen = {meaning for row in ROWS for meaning in row.expected}
    assert seen == set(Meaning) - {M.ACTIONABLE, M.QUESTION} | {TO_READ}


@pytest.mark.parametrize(("count", "counts"), [(MAX_BY_BOTS, True), (MAX_BY_BOTS + 1, False)])
def test_bots_that_answer_one_another_are_left_alone_until_a_person_speaks(count: int, counts: bool) -> None:
    allowed = policy(allowed_bots=folded(["lint[bot]", "other[bot]"]))
    other = Person(login="other[bot]", id="9", is_bot=True)
    items = [item(f"Rename it {n}.", (BOT, other)[n % 2], id=f"comment:{n}") for n in range(count)]
    assert isinstance(classify(feedback(*items), allowed, ())[-1], FeedbackItem) is counts
    assert isinstance(classify(feedback(*items, item("Go on.", id="c")), allowed, ())[0], FeedbackItem)
    guest = item("Go on.", GUEST, id="c")
    assert isinstance(classify(feedback(*items, guest), allowed, ())[0], FeedbackItem) is counts
