"""What feedback means as far as that needs no judgement: whose it is, whether it is settled, whether it is plain code.

The order is fixed: our own, who is not listened to, hidden and resolved, answered already, and only then what it says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.feedback.fences import blocks
from selfreview.feedback.marks import is_marked, settled_in
from selfreview.feedback.suggestions import block_of, meant
from selfreview.feedback.trust import Policy
from selfreview.feedback.visible import visible
from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import Feedback, FeedbackItem, ItemKind, Opinion, Thread


def classify(feedback: Feedback, policy: Policy, handled: Collection[str]) -> list[Judged | FeedbackItem]:
    """Judge what can be judged mechanically.

    Args:
        feedback: All that is said.
        policy: Who is listened to.
        handled: Keys of what was answered already, in commits and in comments of ours.

    Returns:
        In the order of the snapshot: each item judged, or as it is where it has to be read.
    """
    threads = {thread.id: thread for thread in feedback.threads}
    by_id = {item.id: item for item in feedback.items}
    reviews = {item.review for item in feedback.items if item.review is not None}
    standing = {thread.id: _standing(thread, by_id, policy, handled) for thread in threads.values()}
    known = _Known(threads, standing, by_id, reviews, policy, handled, _among_bots(feedback, policy))
    return [_judge(item, known) for item in feedback.items]


def _among_bots(feedback: Feedback, policy: Policy) -> bool:
    """Whether only bots have talked for so long that they may be answering one another, and us.

    What came with one review counts once, however much that is.
    """
    said: set[str] = set()
    for item in feedback.items:
        if item.author is None or policy.is_me(item.author) or policy.refusal(item.author) is not None:
            continue
        if not item.author.is_bot:
            said = set() if visible(item.body) else said
        elif visible(item.body):
            said.add(item.review or item.id)
    return len(said) > MOST_BY_BOTS


def _standing(thread: Thread, by_id: dict[str, FeedbackItem], policy: Policy, handled: Collection[str]) -> list[str]:
    """Return the ids of what was said in a thread, may count, and was not answered in it.

    An answer of ours names what it answers: what was said before that is settled with it, what came in between is not.
    """
    since: list[str] = []
    words: dict[str, set[str]] = {}  # by id, what was answered, in which words
    for name in thread.items:
        item = by_id.get(name)
        if item is None:
            continue
        if policy.is_me(item.author) and is_marked(item.body):
            named = {key.rpartition("@")[0]: key for key in settled_in([item.body])}
            for one, key in named.items():
                words.setdefault(one, set()).add(key)
            last = max((since.index(one) for one in named if one in since), default=-1)
            since = since[last + 1 :]
        elif policy.is_me(item.author) and policy.refusal(item.author) is not None:
            since = []  # by the person whose account it is
        elif policy.refusal(item.author) is None and visible(item.body):
            since.append(name)
    for key in handled:
        words.setdefault(key.rpartition("@")[0], set()).add(key)
    edited = [n for n in thread.items if n in words and n in by_id and by_id[n].key not in words[n] and n not in since]
    return [*edited, *since]


class _Known(NamedTuple):
    """What an item is judged by.

    Attributes:
        threads: By id.
        standing: By thread: the items that were not answered in it.
        items: All that is said, by id.
        reviews: Ids of the reviews that came with comments.
        policy: Who is listened to.
        handled: Keys of what was answered.
        among_bots: Whether bots have talked among themselves for too long.
    """

    threads: Mapping[str, Thread]
    standing: Mapping[str, Sequence[str]]
    items: Mapping[str, FeedbackItem]
    reviews: Collection[str | None]
    policy: Policy
    handled: Collection[str]
    among_bots: bool


def _judge(item: FeedbackItem, known: _Known) -> Judged | FeedbackItem:
    for meaning, why in _settled(item, known.threads, known.policy):
        return Judged(item=item, meaning=meaning, why=why)
    if item.key in known.handled:
        return Judged(item=item, meaning=Meaning.HANDLED, why="it was answered")
    if known.among_bots and item.author is not None and item.author.is_bot:
        why = f"bots spoke more than {MOST_BY_BOTS} times, and nobody else says anything: they may answer one another"
        return Judged(item=item, meaning=Meaning.IGNORED, why=why)
    later: Sequence[str] = ()
    if item.thread is not None and item.thread in known.standing:
        since = known.standing[item.thread]
        if item.id not in since:
            return Judged(item=item, meaning=Meaning.HANDLED, why="it was answered in its thread")
        later = since[since.index(item.id) + 1 :]
    if not visible(item.body):
        return _wordless(item, known.reviews)
    taken_up = any(known.items[name].author == item.author for name in later)  # they may have thought of something else
    if item.kind is ItemKind.INLINE and is_plain_suggestion(item) and not taken_up:
        return Judged(
            item=item, meaning=Meaning.SUGGESTION, why="a suggestion block", description="apply the suggestion"
        )
    return item


def _wordless(item: FeedbackItem, reviews: Collection[str | None]) -> Judged:
    """Judge what has no words of its own: a review's comments may have them."""
    if item.opinion is not Opinion.CHANGES_REQUESTED or item.id in reviews:
        return Judged(item=item, meaning=Meaning.PRAISE, why="it has no words of its own")
    why = "changes are requested, and nothing says which"
    return Judged(item=item, meaning=Meaning.NEEDS_PERSON, why=why)


def _settled(item: FeedbackItem, threads: Mapping[str, Thread], policy: Policy) -> Iterator[tuple[Meaning, str]]:
    """Yield why an item is nobody's business, the first reason first."""
    if policy.is_me(item.author) and is_marked(item.body):
        yield Meaning.OWN, "written by selfreview"
    refusal = policy.refusal(item.author)
    if refusal is not None:
        yield refusal
    if item.hidden:
        yield Meaning.RESOLVED, "it was hidden on the forge"
    if item.opinion is Opinion.DISMISSED:
        yield Meaning.RESOLVED, "the review was dismissed"
    thread = threads.get(item.thread or "")
    if thread is not None and thread.resolved:
        yield Meaning.RESOLVED, "its thread is resolved"


def is_plain_suggestion(item: FeedbackItem) -> bool:
    """Whether a comment is one suggestion with a place, and no further words that ask for something else."""
    if item.spot is None or block_of(item) is None or meant(item.spot) is None:
        return False
    if block_of(msgspec.structs.replace(item, body=visible(item.body))) != block_of(item):
        return False  # its page hides it, or what is in it
    lines = item.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    block = next(block for block in blocks(item.body) if block.language == "suggestion")
    around = "\n".join([*lines[: block.start], *lines[block.end :]])
    return len(visible(around)) <= _MOST_WORDS


MOST_BY_BOTS = 20
"""Times that bots speak, and no person does, after which nothing of theirs counts until one says something."""

_MOST_WORDS = 400
"""Characters beside a suggestion that are taken as its explanation."""
