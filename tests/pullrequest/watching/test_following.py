"""What a watcher makes of hints, with a forge and a queue that only count."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Location, Person
from selfreview.errors import BusyError, ForgeError, StoreError
from selfreview.model.feedback import ChangeRequest, RequestState, Sighting
from selfreview.pullrequest.watching.hints import MAX_PENDING, Hints
from selfreview.pullrequest.watching.ports import Done, Job, Settings
from selfreview.pullrequest.watching.schedule import QuotaPause
from selfreview.pullrequest.watching.watcher import Watcher, WatcherParts
from selfreview.store import Store

OPEN, CLOSED = RequestState.OPEN, RequestState.CLOSED


class Forge:
    """Lists pull requests, and shows them in a state each; None is not shown."""

    location = Location("github.com", "octo/app")

    def __init__(self, states: Mapping[int, RequestState | None]) -> None:
        self.states = dict(states)
        self.listings = 0
        self.looks: list[list[int]] = []
        self.error: ForgeError | None = None

    def whoami(self) -> Person:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def request(self, number: int) -> ChangeRequest:
        raise NotImplementedError

    def find(self, branch: str, commit: str | None = None) -> ChangeRequest | None:
        raise NotImplementedError

    def all_open(self) -> list[ChangeRequest]:
        self.listings += 1
        return [
            ChangeRequest(
                number=number, url="", updated="", title="t", body="", state=OPEN, draft=False, author=None, head="b",
                head_sha="a" * 40, base="main", head_repository="octo/app", same_repository=True, may_push=True,
            )
            for number in self.states
        ]  # fmt: skip

    def look(self, numbers: Sequence[int]) -> Mapping[int, Sighting]:
        self.looks.append(list(numbers))
        if self.error is not None:
            raise self.error
        return {
            number: Sighting(number=number, state=state, draft=False, head_sha="a" * 40, mark="m")
            for number in numbers
            if (state := self.states[number]) is not None
        }


class Queue:
    """Takes cycles, which end when they are told to."""

    def __init__(self) -> None:
        self.active: dict[int, Job] = {}
        self.over: list[Callable[[], list[tuple[Job, Done]]]] = []

    def put(self, job: Job, *, fresh: bool) -> Done | None:
        self.active[job.number] = job
        return None

    def end(self, number: int) -> tuple[Job, Done]:
        return self.active.pop(number), Done("nothing_to_do", 0)

    def ended(self) -> list[tuple[Job, Done]]:
        return self.over.pop(0)() if self.over else []

    def stop(self, number: int) -> bool:
        raise NotImplementedError

    def resize(self, most: int) -> None:
        raise NotImplementedError

    def tidy(self) -> list[int]:
        return []

    def close(self, wait_s: float) -> list[tuple[Job, Done]]:
        raise NotImplementedError


class Scene:
    """A watcher that has looked once."""

    def __init__(self, store: Store, forge: Forge) -> None:
        self.forge, self.queue, self.hints = forge, Queue(), Hints(quiet_s=0)
        self.settings = Settings(auto=True, interval=100_000.0, max_concurrency=1)
        self.told: list[tuple[str, int | None, dict[str, Any]]] = []

        def tell(event: str, number: int | None = None, **about: Any) -> None:
            self.told.append((event, number, about))

        self.hold = QuotaPause("github.com/octo/app", store, tell)
        self.watcher = Watcher(
            forge,
            "github.com/octo/app",
            WatcherParts(
                concerns=list,
                settings=lambda: self.settings,
                memory=store.watching,
                tasks=self.queue,
                hints=self.hints,
                hold=self.hold,
                tell=tell,
            ),
        )
        self.watcher._look_at_all()
        for number in list(self.queue.active):
            self.watcher.take([self.queue.end(number)])
        self.told.clear()
        forge.listings, forge.looks = 0, []
        self._names = 0

    def hint(self, *numbers: int) -> bool:
        """Hint, and have that followed; return whether all of it was taken."""
        taken = []
        for number in numbers:
            self._names += 1
            taken.append(self.hints.add(number, f"d-{self._names}", time.monotonic()))
        self.watcher._follow_hints()
        return all(taken)

    def events(self, name: str) -> list[dict[str, Any]]:
        return [about for event, _, about in self.told if event == name]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path) as found:
        yield found


def full(hints: Hints, others: Collection[int] = (999,)) -> int:
    """Return how many hints are still taken."""
    number = next(iter(others))
    return next(count for count in range(MAX_PENDING + 1) if not hints.add(number, f"{number}-{count}", 0.0))


@pytest.mark.parametrize("state", [CLOSED, RequestState.MERGED, None])
def test_hints_that_lead_to_nothing_are_settled(store: Store, state: RequestState | None) -> None:
    scene = Scene(store, Forge({5: state}))
    for _ in range(50):
        assert scene.hint(5, 5)
    assert full(scene.hints) == MAX_PENDING


def test_hints_that_a_person_only_is_told_of_are_settled(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    scene.settings = scene.settings._replace(auto=False)
    assert scene.hint(5)
    assert full(scene.hints) == MAX_PENDING


def test_hints_that_led_to_a_cycle_are_settled_when_it_ends(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    assert scene.hint(5)
    assert scene.queue.active.keys() == {5}
    assert full(scene.hints) == MAX_PENDING - 1
    scene.watcher.take([scene.queue.end(5)])
    assert full(scene.hints, [998]) == 1


def test_one_that_the_forge_does_not_show_now_is_looked_at_again(store: Store) -> None:
    scene = Scene(store, Forge({5: None}))
    scene.hint(5)
    assert scene.hints.echoes(time.monotonic() + 10.5) == [5]


def test_hints_about_others_list_all_once_an_interval(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN, 6: OPEN}))
    for number in range(1000, 1100):
        assert scene.hint(number)
    assert scene.forge.listings == 1
    scene.forge.states[1101] = OPEN  # opened since
    scene.hint(1101)
    assert (scene.forge.listings, scene.queue.active) == (1, {})
    assert scene.hint(5)  # those that are known need no listing
    assert scene.queue.active.keys() == {5}
    scene.settings = scene.settings._replace(interval=0.0)
    scene.hint(6)
    scene.hint(1102)
    assert scene.queue.active.keys() == {5, 6, 1101}
    assert scene.forge.listings == 2
    assert full(scene.hints) == MAX_PENDING - 3  # those of the three that are at work


def test_what_a_look_began_in_the_meantime_is_not_begun_once_more(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    scene.hint(1000)
    scene.forge.states[7] = OPEN
    scene.hint(7)
    scene.watcher._look_at_all()
    looks = len(scene.forge.looks)
    scene.watcher._follow_hints()
    assert (scene.queue.active.keys(), len(scene.forge.looks)) == ({7}, looks)
    scene.watcher.take([scene.queue.end(7)])
    scene.watcher._follow_hints()
    assert scene.queue.active == {}
    assert full(scene.hints) == MAX_PENDING


def test_hints_while_the_forge_fails_wait(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    scene.forge.error = ForgeError("down")
    for _ in range(5):
        scene.hint()
        scene.hint(5)
    scene.forge.error = None
    assert len(scene.forge.looks) == 1
    assert scene.hints.ripe(time.monotonic() + 60.0) == [5]


def test_too_many_hints_are_told(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    assert full(scene.hints) == MAX_PENDING
    for number in (5, 6, 7):
        assert not scene.hints.add(number, f"more-{number}", 0.0)
    scene.watcher._follow_hints()
    assert scene.events("problem")[0]["why"].startswith("4 hints were not taken")
    scene.hint(5)
    scene.hint(6)
    assert len(scene.events("problem")) == 1  # at most once a minute


BUSY = Done("waiting", 5, ("leave me alone",), wait_s=3000.0, busy=True)


def test_what_a_cycle_was_told_by_the_forge_holds_for_all(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN, 6: OPEN}))
    scene.hint(5)
    job = scene.queue.active.pop(5)

    def over() -> list[tuple[Job, Done]]:
        scene.watcher.stop()
        return []

    scene.forge.looks = []
    scene.queue.over = [lambda: [(job, BUSY)], over]
    scene.watcher.run(once=False)
    scene.hint(6)
    assert (scene.forge.listings, scene.forge.looks, scene.queue.active) == (0, [], {})
    assert [about["wait"] for about in scene.events("paused")] == [3000.0]
    assert scene.events("put_off")[0]["wait"] == pytest.approx(3000.0)
    assert scene.hold.left == pytest.approx(3000.0, abs=60)


def test_what_a_look_is_told_by_the_forge_holds_for_cycles(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    scene.forge.error = BusyError("leave me alone", wait_s=500.0)
    assert scene.watcher._poll(once=False) == 500.0
    assert scene.hold.left == pytest.approx(500.0, abs=60)
    assert scene.hold.run(5, lambda _: pytest.fail("it was begun")).outcome == "waiting"


def test_a_shorter_pause_shortens_none(store: Store) -> None:
    scene = Scene(store, Forge({5: OPEN}))
    job = Job(5, "m")
    scene.watcher.take([(job, BUSY), (job, BUSY._replace(wait_s=0.0))])
    scene.hint(5)
    assert scene.forge.looks == []


def test_a_pause_that_cannot_be_kept_is_kept_to_all_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(key: str, value: str | None) -> None:
        raise StoreError(f"no room for {key} {value}")

    scene = Scene(store, Forge({5: OPEN}))
    monkeypatch.setattr(store, "set_setting", fail)
    scene.forge.error = BusyError("leave me alone", wait_s=500.0)
    assert scene.watcher._poll(once=False) == 500.0
    assert scene.hold.left
    assert "no room" in scene.events("problem")[0]["why"]
