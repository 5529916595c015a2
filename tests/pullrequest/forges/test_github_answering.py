"""Answers in threads: each once, in its own thread."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfreview.errors import ForgeError, RefusedError
from selfreview.model.feedback import hidden, mark_of
from tests.forge import InlineComment
from tests.pullrequest.forges.conftest import Octo

MARK = "reply=inline:7@abc"
REPLIES = "*/comments/*/replies"

Name = Callable[[InlineComment], str]
NAMES = pytest.mark.parametrize(
    "name", [lambda one: one.thread.node_id, lambda one: f"inline:{one.id}"], ids=["by its id", "by its first comment"]
)


@NAMES
def test_an_answer_is_given_once_in_its_thread(octo: Octo, name: Name) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    top.reply(octo.ann, "and why else?")
    octo.pull.inline(octo.ann, "a.py", 9, "another thread at the same line")
    first = octo.connection.answer(octo.pull.number, name(top), MARK, "because")
    second = octo.connection.answer(octo.pull.number, name(top), MARK, "because")
    assert first is not None
    assert second is not None
    assert (first.id, first.created, second.created) == (second.id, True, False)
    assert [len(thread.comments) for thread in octo.pull.threads] == [3, 1]
    answer = octo.pull.threads[0].comments[-1]
    assert answer.body == f"{hidden(MARK)}\nbecause"
    assert first.id == f"inline:{answer.id}"
    # GitHub takes answers to a thread's first comment only.
    (posted,) = [said for said in octo.said if said.startswith("POST") and "graphql" not in said]
    assert posted == f"POST /repos/octo/app/pulls/{octo.pull.number}/comments/{top.id}/replies"


@NAMES
def test_case_11_a_second_answer_has_another_mark(octo: Octo, name: Name) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    octo.connection.answer(octo.pull.number, name(top), "one", "1")
    octo.connection.answer(octo.pull.number, name(top), "two", "2")
    assert [mark_of(one.body) for one in top.thread.comments] == [None, "one", "two"]


@NAMES
def test_case_55_a_mark_in_somebody_elses_answer_does_not_count(octo: Octo, name: Name) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    top.reply(octo.ann, f"{hidden(MARK)}\nbecause")
    answered = octo.connection.answer(octo.pull.number, name(top), MARK, "because")
    assert answered is not None
    assert answered.created
    assert len(top.thread.comments) == 3


@NAMES
@pytest.mark.parametrize("after", [True, False])
def test_cases_45_and_58_an_answer_whose_confirmation_is_lost(octo: Octo, name: Name, after: bool) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    octo.forge.reset("POST", REPLIES, after_effect=after)
    answered = octo.connection.answer(octo.pull.number, name(top), MARK, "because")
    assert answered is not None
    assert answered.created
    assert len(top.thread.comments) == 2


@NAMES
def test_case_2_a_thread_that_is_gone_is_not_answered(octo: Octo, name: Name) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    thread = name(top)
    top.delete()
    assert octo.connection.answer(octo.pull.number, thread, MARK, "because") is None


@NAMES
def test_case_2_a_thread_that_goes_while_it_is_answered(octo: Octo, name: Name) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    octo.forge.fail("POST", REPLIES, status=404, message="Not Found", times=None)
    answered = octo.connection.answer(octo.pull.number, name(top), MARK, "because")
    if name(top).startswith("inline:"):
        assert answered is None
    else:  # it is there, only REST does not take the answer
        assert answered is not None
        assert len(top.thread.comments) == 2
        assert answered.id == f"inline:{top.thread.comments[-1].id}"


def test_a_thread_whose_first_comment_is_gone_is_answered(octo: Octo) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    top.reply(octo.ann, "well?")
    top.delete()
    assert octo.connection.answer(octo.pull.number, top.thread.node_id, MARK, "because") is not None
    assert len(top.thread.comments) == 2


def test_an_answer_by_a_bot_is_known_again(octo: Octo) -> None:
    bot = octo.repository.allow(octo.forge.user("fixer[bot]"), "write")
    octo.forge.token(octo.token, bot)
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    for created in (True, False):
        answered = octo.connection.answer(octo.pull.number, top.thread.node_id, MARK, "because")
        assert answered is not None
        assert answered.created is created


def test_an_answer_in_a_long_thread_is_known_again(octo: Octo) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    for number in range(150):
        top.reply(octo.ann, str(number))
    octo.connection.answer(octo.pull.number, top.thread.node_id, MARK, "because")
    for number in range(150):
        top.reply(octo.ann, str(number))
    octo.connection.answer(octo.pull.number, top.thread.node_id, MARK, "because")
    assert len(top.thread.comments) == 302


def test_a_refusal_is_an_error_and_not_a_thread_that_is_gone(octo: Octo) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    octo.forge.fail("POST", REPLIES, status=403, message="Resource not accessible by integration")
    with pytest.raises(RefusedError):
        octo.connection.answer(octo.pull.number, top.thread.node_id, MARK, "because")
    octo.forge.fail("POST", "/graphql", times=None)
    with pytest.raises(ForgeError):
        octo.connection.answer(octo.pull.number, top.thread.node_id, MARK, "because")
    assert len(top.thread.comments) == 1
