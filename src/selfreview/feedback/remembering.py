"""Remembered judgements of feedback by a model: nobody is asked twice about the same words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

import msgspec

from selfreview.errors import StoreError
from selfreview.feedback.analysis import Reader
from selfreview.feedback.feedback_prompt import UNREAD
from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import FeedbackItem
from selfreview.model.issue import Severity
from selfreview.model.kept import kept_json
from selfreview.model.wire import from_json

_VERSION = "judged 2"
"""Version of stored judgements; another one forgets all, for they mean something else then."""


class Memory(Protocol):
    """Storage of blobs by key; any may be gone again."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored blobs among keys."""

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Store blobs by key."""


class _Said(msgspec.Struct, frozen=True, kw_only=True):
    """Judgement without the item that was judged."""

    meaning: Meaning
    why: str
    severity: Severity
    description: str
    answer: str


class Remembering:
    """Reader that asks another reader only about items that it was not asked about yet.

    The same words in the same thread are known again, where the same is asked about them: a word more in the thread,
    another requirement or another model may change what they mean.

    Args:
        reader: Is asked.
        memory: Keeps its answers.
        request: The pull request, as ``host/owner/name#5``.
        about: Stands for who is asked, and for what is asked beside the feedback.
        anew: Keys of what a person wants tried again: it is asked about once more where it was left to a person.
        note: Told where nothing can be remembered.
    """

    def __init__(
        self,
        reader: Reader,
        memory: Memory,
        request: str,
        *,
        about: str,
        anew: Collection[str],
        note: Callable[[str], None],
    ) -> None:
        self._reader = reader
        self._memory = memory
        self._request = request
        self._about = about
        self._anew = anew
        self._note = note

    def __call__(
        self, items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]
    ) -> Mapping[str, Judged]:
        """Judge items, by their ids."""
        keys = {item.id: self._key(item, trusted.get(item.thread or "", ())) for item in items}
        known = self._known(items, keys)
        left = [item for item in items if item.id not in known]
        read = self._reader(left, trusted) if left else {}
        self._keep({keys[name]: one for name, one in read.items() if name in keys and one.why != UNREAD})
        return {**known, **read}

    def _key(self, item: FeedbackItem, thread: Sequence[FeedbackItem]) -> bytes:
        words = "\n".join([_VERSION, self._request, self._about, item.key, *(other.key for other in thread)])
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()

    def _known(self, items: Sequence[FeedbackItem], keys: Mapping[str, bytes]) -> dict[str, Judged]:
        try:
            found = self._memory.get_many(list(keys.values()))
        except StoreError as error:
            self._note(f"what was said of feedback before is not known: {error.message}")
            return {}
        known = {}
        for item in items:
            said = _read(found.get(keys[item.id]))
            if said is not None and not (said.meaning is Meaning.NEEDS_PERSON and item.key in self._anew):
                known[item.id] = Judged(item=item, **msgspec.structs.asdict(said))
        return known

    def _keep(self, judged: Mapping[bytes, Judged]) -> None:
        entries = {
            key: kept_json(
                _Said(
                    meaning=one.meaning,
                    why=one.why,
                    severity=one.severity,
                    description=one.description,
                    answer=one.answer,
                )
            )
            for key, one in judged.items()
        }
        try:
            self._memory.put_many(entries)
        except StoreError as error:
            self._note(f"what is said of feedback is not remembered: {error.message}")


def _read(data: bytes | None) -> _Said | None:
    """Return a stored judgement, or None where there is none, or none of ours."""
    if data is None:
        return None
    try:
        return from_json(data, _Said)
    except msgspec.MsgspecError:
        return None
