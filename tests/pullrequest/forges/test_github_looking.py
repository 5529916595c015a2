"""The cheap look: few requests, another mark for news, and one that cannot be read costs no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfreview.api import Location
from selfreview.errors import BusyError, ForgeError
from selfreview.pullrequest.forges.github.connection import GitHubConnection
from tests.pullrequest.forges.conftest import Octo
from tests.pullrequest.forges.scripted import Asked, Said, Scripted, Step

NEWS: dict[str, Callable[[Octo], object]] = {
    "a comment": lambda octo: octo.pull.comment(octo.ann, "x"),
    "a review": lambda octo: octo.pull.review(octo.ann, "APPROVED"),
    "an inline comment": lambda octo: octo.pull.inline(octo.ann, "a.py", 1, "x"),
    "a push": lambda octo: octo.pull.push(),
    "closed": lambda octo: octo.pull.close(),
    "merged": lambda octo: octo.pull.merge(),
    "draft": lambda octo: octo.pull.set_draft(True),
    "another base": lambda octo: octo.pull.edit(base="other"),
    "a check that failed": lambda octo: octo.repository.check("t", "failure", octo.pull.head_sha),
    "the last thread resolved": lambda octo: octo.pull.threads[-1].resolve(octo.ann),
}


@pytest.mark.parametrize("news", list(NEWS))
def test_news_have_another_mark(octo: Octo, news: str) -> None:
    octo.pull.inline(octo.ann, "a.py", 1, "first")
    number = octo.pull.number
    before = octo.connection.look([number])[number]
    assert octo.connection.look([number])[number] == before
    NEWS[news](octo)
    after = octo.connection.look([number])[number]
    assert after.mark != before.mark
    assert after.state == octo.connection.request(number).state
    assert (after.head_sha, after.draft) == (octo.pull.head_sha, octo.pull.draft)


def test_many_are_looked_at_in_few_requests(octo: Octo) -> None:
    numbers = [octo.repository.pull(f"b{number}", author=octo.me).number for number in range(60)]
    octo.forge.requests.clear()
    assert list(octo.connection.look([*numbers, *numbers])) == numbers
    assert octo.said == ["POST /graphql"] * 3
    assert octo.connection.look([]) == {}


def test_case_59_one_that_cannot_be_read_costs_no_other(octo: Octo) -> None:
    second = octo.repository.pull("second", author=octo.me)
    found = octo.connection.look([octo.pull.number, 999, second.number])
    assert set(found) == {octo.pull.number, second.number}


def _node(number: int) -> dict[str, object]:
    return {"number": number, "state": "OPEN", "isDraft": False, "headRefOid": "s", "updatedAt": "2026"}


def _numbers(asked: Asked) -> list[int]:
    words = asked.body["query"].split("pullRequest(number: ")[1:]
    return [int(word.partition(")")[0]) for word in words]


def _look(server: Scripted) -> GitHubConnection:
    return GitHubConnection(Location("github.com", "o/r"), server.client())


def test_case_59_nulls_and_errors_leave_out_those_concerned() -> None:
    def answer(_: Asked) -> Step:
        repository = {"p1": _node(1), "p2": None, "p3": _node(3), "p4": _node(4), "p5": {**_node(5), "state": None}}
        errors = [
            {"type": "SERVICE_UNAVAILABLE", "path": ["repository", "p3"], "message": "x"},
            {"type": "NOT_FOUND", "path": ["repository", "p2"], "message": "y"},
        ]
        return Said(200, {"data": {"repository": repository}, "errors": errors})

    with Scripted(answer) as server:
        assert set(_look(server).look([1, 2, 3, 4, 5])) == {1, 4}


def test_what_may_not_be_read_of_one_hides_nothing_else_of_it(octo: Octo) -> None:
    octo.forge.refuse(
        "repository.p1.commits.nodes.0.commit.statusCheckRollup",
        message="Resource not accessible by personal access token",
        times=None,
    )
    number = octo.pull.number
    before = octo.connection.look([number])[number]
    assert octo.connection.look([number])[number] == before
    octo.pull.comment(octo.ann, "x")
    assert octo.connection.look([number])[number].mark != before.mark


def test_case_58_too_many_at_once_are_halved_and_that_is_remembered() -> None:
    def answer(asked: Asked) -> Step:
        numbers = _numbers(asked)
        if len(numbers) > 7:
            return Said(502)
        return Said(200, {"data": {"repository": {f"p{number}": _node(number) for number in numbers}}})

    with Scripted(answer) as server:
        connection = _look(server)
        assert set(connection.look(range(1, 31))) == set(range(1, 31))
        assert [len(_numbers(asked)) for asked in server.asked] == [25, 12, 6, 6, 6, 6, 6]
        server.asked.clear()
        connection.look(range(1, 13))
        assert [len(_numbers(asked)) for asked in server.asked] == [6, 6]


def test_case_58_one_that_is_always_too_much_costs_no_other() -> None:
    def answer(asked: Asked) -> Step:
        numbers = _numbers(asked)
        if 3 in numbers:
            return Said(504)
        return Said(200, {"data": {"repository": {f"p{number}": _node(number) for number in numbers}}})

    with Scripted(answer) as server:
        assert set(_look(server).look([1, 2, 3, 4])) == {1, 2, 4}


def test_a_forge_that_always_gives_up_is_an_error_soon() -> None:
    with Scripted(lambda _: Said(502)) as server:
        with pytest.raises(ForgeError):
            _look(server).look(range(1, 501))
        assert len(server.asked) < 12


def test_case_57_what_was_seen_before_a_limit_is_kept() -> None:
    def answer(asked: Asked) -> Step:
        numbers = _numbers(asked)
        if 26 in numbers:
            return Said(429, {})
        return Said(200, {"data": {"repository": {f"p{number}": _node(number) for number in numbers}}})

    with Scripted(answer) as server:
        connection = _look(server)
        assert set(connection.look(range(1, 51))) == set(range(1, 26))
        with pytest.raises(BusyError):
            connection.look(range(1, 51))


@pytest.mark.parametrize(
    "body", [{"data": {"repository": None}, "errors": [{"type": "NOT_FOUND", "message": "no"}]}, {}]
)
def test_a_repository_that_is_not_shown_is_an_error(body: object) -> None:
    with Scripted([Said(200, body)]) as server, pytest.raises(ForgeError):
        _look(server).look([1])
