"""Analysis of feedback into decisions: mechanically, by plugins, by a model that is asked once, else by a person."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from selfreview.errors import PluginError, StoreError
from selfreview.model.cycle import Analysis, Judged, Meaning, Overall
from selfreview.model.feedback import Feedback, FeedbackItem, ItemKind
from selfreview.model.issue import Severity
from selfreview.model.wire import from_json, kept_json
from selfreview.pullrequest.feedback.classify import classify, is_anothers, wordless
from selfreview.pullrequest.feedback.issues import APPLIED
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.trivial_comments import is_pointer, is_thanks
from selfreview.pullrequest.feedback.trust import Policy
from selfreview.store.cache import Cache

UNREAD = "no model could say what it means"

Reader = Callable[[Sequence[FeedbackItem], Mapping[str, Sequence[FeedbackItem]]], Mapping[str, Judged]]
"""Judges items by reading them, given the earlier comments of their threads; returns judgements by the item's id."""


def analyse(
    feedback: Feedback,
    policy: Policy,
    handled: Collection[str],
    *,
    plugin: Callable[[FeedbackItem], Judged | None],
    reader: Reader,
) -> Analysis:
    """Judge all feedback of a snapshot.

    Raises:
        PluginError: If a plugin answers with something else than a judgement of the item.
    """
    first = classify(feedback, policy, handled)
    to_read = [piece if isinstance(piece, FeedbackItem) else piece.item for piece in first if _is_to_be_read(piece)]
    by_plugin: dict[str, Judged] = {}
    for item in to_read:
        if (answer := plugin(item)) is not None:
            by_plugin[item.id] = _checked(answer, item)
    left = [item for item in to_read if item.id not in by_plugin]
    reviews = {item.review for item in feedback.items if item.kind is ItemKind.INLINE}
    read = reader(left, _threads(feedback, policy)) if left else {}
    judged = tuple(
        by_plugin.get(piece.id) or read.get(piece.id) or _unread(piece, reviews)
        if isinstance(piece, FeedbackItem)
        else by_plugin.get(piece.item.id) or _with_words(piece, read.get(piece.item.id))
        for piece in first
    )
    return Analysis(number=feedback.request.number, judged=judged, overall=_overall(judged))


def _is_to_be_read(piece: Judged | FeedbackItem) -> bool:
    return isinstance(piece, FeedbackItem) or piece.words_left


def _with_words(piece: Judged, words: Judged | None) -> Judged:
    """Return the meaning of a comment with a suggestion, given a reader's judgement of the words beside it."""
    if words is None:
        return piece
    applied = piece.meaning is not Meaning.SUGGESTION
    if words.meaning is Meaning.ACTIONABLE:
        done = f"{words.description} {APPLIED}"
        return replace(words, description=done) if applied else replace(words, suggests=True)
    if applied or words.meaning is Meaning.NEEDS_PERSON:
        return words
    return replace(piece, why=words.why, answer=words.answer, words_left=False)


def _checked(answer: object, item: FeedbackItem) -> Judged:
    if not isinstance(answer, Judged) or answer.item != item:
        raise PluginError(
            f"a plugin answered selfreview_classify_feedback with {answer!r:.80}",
            hint="answer a Judged of the item that was given, or None",
        )
    return answer


def _unread(item: FeedbackItem, reviews: Collection[str | None]) -> Judged:
    """Judge an item that nobody could read: call a person, unless each of its words asks for nothing."""
    words = " ".join(visible(item.body).split())
    if is_thanks(words):
        return wordless(item, reviews, "it approves or says thanks, and nothing else")
    if item.kind is ItemKind.REVIEW and item.id in reviews and is_pointer(words):
        return Judged(item=item, meaning=Meaning.PRAISE, why="it points to the review's inline comments, and no more")
    return Judged(item=item, meaning=Meaning.NEEDS_PERSON, why=UNREAD)


def _threads(feedback: Feedback, policy: Policy) -> Mapping[str, Sequence[FeedbackItem]]:
    """Return the comments of each thread that are ours or by people who are listened to."""
    found: defaultdict[str, list[FeedbackItem]] = defaultdict(list)
    for item in feedback.items:
        if item.thread is None or is_anothers(item, policy):
            continue
        if policy.is_me(item.author) or policy.refusal(item.author) is None:
            found[item.thread].append(item)
    return found


def _overall(judged: Sequence[Judged]) -> Overall:
    meanings = {piece.meaning for piece in judged if piece.meaning.is_open}
    if meanings & {Meaning.ACTIONABLE, Meaning.SUGGESTION, Meaning.QUESTION}:
        return Overall.READY_TO_FIX
    return Overall.NEEDS_HUMAN_INPUT if meanings else Overall.NOTHING_TO_DO


_VERSION = "judged 2"
"""Version of stored judgements; another one forgets all, for they mean something else then."""


class _Stored(msgspec.Struct, frozen=True, kw_only=True):
    """Judgement without the item that was judged."""

    meaning: Meaning
    why: str
    severity: Severity
    description: str
    answer: str


class CachedReader:
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
        memory: Cache,
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
        self._keep({keys[name]: piece for name, piece in read.items() if name in keys})
        return {**known, **read}

    def _key(self, item: FeedbackItem, thread: Sequence[FeedbackItem]) -> bytes:
        words = "\n".join([_VERSION, self._request, self._about, item.key, *(other.key for other in thread)])
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()

    def _known(self, items: Sequence[FeedbackItem], keys: Mapping[str, bytes]) -> dict[str, Judged]:
        try:
            found = self._memory.get_many(list(keys.values()))
        except StoreError as error:
            self._note(f"cached readings of feedback cannot be used: {error.message}")
            return {}
        known = {}
        for item in items:
            stored = _read(found.get(keys[item.id]))
            if stored is not None and not (stored.meaning is Meaning.NEEDS_PERSON and item.key in self._anew):
                known[item.id] = Judged(item=item, **msgspec.structs.asdict(stored))
        return known

    def _keep(self, judged: Mapping[bytes, Judged]) -> None:
        fields = _Stored.__struct_fields__
        entries = {
            key: kept_json(_Stored(**{name: getattr(piece, name) for name in fields})) for key, piece in judged.items()
        }
        try:
            self._memory.put_many(entries)
        except StoreError as error:
            self._note(f"readings of feedback cannot be cached: {error.message}")


def _read(data: bytes | None) -> _Stored | None:
    """Return a stored judgement, or None where there is none, or none of ours."""
    if data is None:
        return None
    try:
        return from_json(data, _Stored)
    except msgspec.MsgspecError:
        return None
