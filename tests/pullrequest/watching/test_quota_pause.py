"""How long no cycle is begun, and who knows of it."""

from __future__ import annotations

from selfreview.errors import ExitCode
from selfreview.pullrequest.watching.ports import Done
from selfreview.pullrequest.watching.schedule import QuotaPause


class Memory(dict[str, str]):
    """Settings that are kept."""

    def setting(self, key: str) -> str | None:
        return self.get(key)

    def set_setting(self, key: str, value: str | None) -> None:
        self[key] = value or ""


def used_up(wait_s: float | None) -> Done:
    return Done("waiting", int(ExitCode.INCOMPLETE), ("a quota is used up",), wait_s=wait_s)


def test_one_that_says_so_holds_up_all_and_the_next_watcher_knows() -> None:
    memory, told = Memory(), []
    hold = QuotaPause("h/o/r", memory, lambda event, number=None, **about: told.append((event, about)))
    assert not hold.left
    fixed = Done("fixed", 0)
    assert hold.run(1, lambda _: fixed) is fixed
    hold.take(hold.run(1, lambda _: used_up(600)))
    hold.take(hold.run(2, lambda _: fixed))
    assert [event for event, _ in told] == ["held"]
    again = QuotaPause("h/o/r", memory, lambda *_, **__: None)
    assert 590 < again.left <= 601
    done = again.run(3, lambda _: fixed)
    assert (done.outcome, done.why, done.finished) == ("waiting", ("a quota is used up",), False)
    assert not QuotaPause("h/o/other", memory, lambda *_, **__: None).left


def test_a_reset_that_is_later_counts_and_a_clock_that_was_set_back_holds_nothing() -> None:
    memory = Memory()
    hold = QuotaPause("h/o/r", memory, lambda *_, **__: None)
    for wait in (600, 60, 1200, None):
        hold.take(used_up(wait))
    assert 1190 < hold.left <= 1201
    memory["held h/o/r"] = "9999999999 a quota"
    assert not QuotaPause("h/o/r", memory, lambda *_, **__: None).left
    memory["held h/o/r"] = "junk"
    assert not QuotaPause("h/o/r", memory, lambda *_, **__: None).left
