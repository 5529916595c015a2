"""Hints: several are one, and none counts twice."""

from __future__ import annotations

from selfreview.pullrequest.watching.hints import ECHOES_S, QUIET_S, Hints


def test_several_in_a_row_are_one_after_some_quiet() -> None:
    hints = Hints()
    for number in range(6):
        assert hints.add(7, f"d-{number}", float(number))
    assert hints.ripe(5.0 + QUIET_S - 0.1) == []
    assert hints.ripe(5.0 + QUIET_S) == [7]
    assert hints.ripe(99.0) == []
    assert hints.finish(7) == [f"d-{number}" for number in range(6)]
    assert hints.finish(7) == []


def test_what_never_falls_quiet_is_not_put_off_for_ever() -> None:
    hints = Hints()
    found = []
    for second in range(60):
        hints.add(7, f"d-{second}", float(second))
        found += [second] if hints.ripe(float(second)) else []
    assert len(found) == 2


def test_one_that_is_sent_again_while_the_first_is_acted_on_is_none() -> None:
    hints = Hints()
    assert hints.add(7, "d", 0.0)
    assert not hints.add(7, "d", 1.0)
    hints.ripe(9.0)
    assert not hints.add(7, "d", 10.0)
    hints.finish(7)
    assert hints.add(7, "d", 11.0)  # what was settled is known by the store


def test_one_for_what_is_under_way_waits() -> None:
    hints = Hints()
    hints.add(7, "d", 0.0)
    assert hints.ripe(9.0, busy={7}) == []
    assert hints.finish(7) == []
    assert hints.ripe(9.0) == [7]


def test_one_that_could_not_be_acted_on_comes_back() -> None:
    hints = Hints()
    hints.add(7, "d", 0.0)
    assert hints.ripe(9.0) == [7]
    hints.back(7, 9.0)
    assert hints.ripe(9.1) == []
    assert hints.ripe(9.0 + QUIET_S) == [7]
    assert hints.finish(7) == ["d"]
    hints.back(8, 9.0)
    assert hints.ripe(99.0) == []


def test_what_showed_nothing_new_is_looked_at_some_more() -> None:
    hints = Hints()
    hints.echo(7, 0.0)
    times = [second for second in range(200) if hints.echoes(float(second))]
    assert times == [10, 40, 100]
    assert len(times) == len(ECHOES_S)
    hints.echo(7, 0.0)
    hints.no_echo(7)
    assert hints.echoes(99.0) == []
