"""Nobody is asked twice about the same words, and a memory that fails costs no more than another question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from selfreview.errors import StoreError
from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import FeedbackItem
from selfreview.model.issue import Severity
from selfreview.pullrequest.feedback.analysis import CachedReader
from tests.pullrequest.said import ME, inline, item

M = Meaning


class Kept(dict[bytes, bytes]):
    """Keeps in memory."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return {key: self[key] for key in keys if key in self}

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        self.update(entries)


class Broken(Kept):
    """Keeps nothing."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        raise StoreError("broken")

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        raise StoreError("broken")


class Asked:
    """Asks a reader that says the same of everything, and counts what it was asked about."""

    def __init__(self, meaning: Meaning | None = M.ACTIONABLE, why: str = "so", memory: Kept | None = None) -> None:
        self.memory = memory if memory is not None else Kept()
        self.meaning, self.why = meaning, why
        self.names: list[str] = []
        self.notes: list[str] = []

    def _read(
        self, items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]
    ) -> Mapping[str, Judged]:
        assert isinstance(trusted, Mapping)
        self.names += [one.id for one in items]
        if self.meaning is None:
            return {}
        return {
            one.id: Judged(item=one, meaning=self.meaning, why=self.why, severity=Severity.HIGH, description="d")
            for one in items
        }

    def __call__(
        self,
        *items: FeedbackItem,
        thread: Sequence[FeedbackItem] = (),
        request: str = "h/o/n#5",
        about: str = "m",
        anew: Sequence[str] = (),
    ) -> Mapping[str, Judged]:
        reader = CachedReader(self._read, self.memory, request, about=about, anew=anew, note=self.notes.append)
        return reader(items, {"t1": thread})


ONE, TWO = item("Rename it."), item("And that.", id="comment:2")


def test_what_was_judged_is_known_with_all_that_was_said_of_it() -> None:
    ask = Asked()
    first = ask(ONE)
    assert ask(ONE, TWO)["comment:1"] == first["comment:1"]
    assert ask.names == ["comment:1", "comment:2"]


def test_other_words_another_request_and_a_longer_thread_are_new() -> None:
    ask = Asked()
    said = inline("Rename it.")
    ask(said, thread=[said])
    ask(msgspec.structs.replace(said, body="Rename it now."), thread=[said])
    ask(said, thread=[said], request="h/o/n#6")
    ask(said, thread=[said, inline("Never mind.", ME, id="inline:2")])
    assert len(ask.names) == 4


def test_another_model_or_question_is_asked_again() -> None:
    ask = Asked()
    for about in ("m", "n", "m"):
        ask(ONE, about=about)
    assert len(ask.names) == 2


def test_what_could_not_be_read_is_asked_about_again() -> None:
    ask = Asked(None)
    ask(ONE)
    ask(ONE)
    assert len(ask.names) == 2


def test_what_was_left_to_a_person_is_judged_anew_where_they_want_it_tried_again() -> None:
    for meaning, times in ((M.NEEDS_PERSON, 2), (M.ACTIONABLE, 1)):
        ask = Asked(meaning)
        ask(ONE)
        ask(ONE)
        assert len(ask.names) == 1
        ask(ONE, anew=[ONE.key])
        assert len(ask.names) == times


def test_a_memory_that_is_broken_or_holds_something_else_is_told_or_passed_over() -> None:
    ask = Asked(memory=Broken())
    assert ask(ONE)["comment:1"].meaning is M.ACTIONABLE
    assert len(ask.notes) == 2
    ask = Asked()
    ask(ONE)
    ask.memory.update(dict.fromkeys(ask.memory, b"{}"))
    ask(ONE)
    assert len(ask.names) == 2
