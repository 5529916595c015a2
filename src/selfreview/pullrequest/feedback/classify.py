"""Classification of feedback as far as it needs no judgement: author, settled or not, plain code or not.

The order is fixed: our own, who is not listened to, hidden and resolved, answered already, and only then what it says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import Feedback, FeedbackItem, ItemKind, Opinion, Thread, marks_in
from selfreview.pullrequest.feedback.markdown import blocks, visible
from selfreview.pullrequest.feedback.marks import ALONE, Mark, block_key, is_marked, whole_key
from selfreview.pullrequest.feedback.suggestions import block_of, meant
from selfreview.pullrequest.feedback.trivial_comments import is_lead_in
from selfreview.pullrequest.feedback.trust import Policy


def classify(feedback: Feedback, policy: Policy, handled: Collection[str]) -> list[Judged | FeedbackItem]:
    """Judge the feedback that can be judged mechanically.

    Returns:
        In the order of the snapshot: each item judged, or as it is where it has to be read. One that is judged with
        ``words_left`` should be read too; the judgement is what counts where nobody can.
    """
    threads = {thread.id: thread for thread in feedback.threads}
    by_id = {item.id: item for item in feedback.items}
    reviews = {item.review for item in feedback.items if item.review is not None}
    unanswered = {thread.id: _unanswered(thread, by_id, policy, handled) for thread in threads.values()}
    spoken = {thread.id: _spoken(thread, by_id, policy) for thread in threads.values()}
    known = _Known(threads, unanswered, spoken, by_id, reviews, policy, handled, _among_bots(feedback, policy))
    return [_judge(item, known) for item in feedback.items]


def withdrawn(feedback: Feedback, policy: Policy, keys: Collection[str], before: Feedback | None = None) -> set[str]:
    """Return the keys of feedback that is withdrawn: deleted, reworded, or resolved by people who count.

    Args:
        feedback: All that is said.
        policy: Who is listened to.
        keys: The feedback.
        before: An earlier snapshot. What was said in a thread since then may take back what is asked for there, and
            a thread that was resolved since then settles all that was.
    """
    over = (Meaning.RESOLVED, Meaning.UNTRUSTED, Meaning.IGNORED)
    threads = {thread.id: thread for thread in feedback.threads}
    by_id = {item.id: item for item in feedback.items}
    unanswered = {thread.id: _unanswered(thread, by_id, policy, ()) for thread in feedback.threads}
    moved = _moved(before, feedback, unanswered) if before is not None else ()
    asked = {
        item.key
        for item in feedback.items
        if not any(meaning in over for meaning, _ in _reasons_to_skip(item, threads, policy))
        and (item.thread not in unanswered or item.id in unanswered[item.thread])
        and item.thread not in moved
    }
    return {key for key in keys if whole_key(key) not in asked}


def _moved(before: Feedback, now: Feedback, unanswered: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the threads that were resolved, or got a comment that counts, since a snapshot."""
    earlier = {thread.id: thread for thread in before.threads}
    return {
        thread.id
        for thread in now.threads
        if (there := earlier.get(thread.id)) is not None
        and ((thread.resolved and not there.resolved) or set(unanswered[thread.id]) - set(there.items))
    }


def _among_bots(feedback: Feedback, policy: Policy) -> bool:
    """Return whether only bots have written for so long that they may be answering one another, and us.

    What came with one review counts once, however much that is.
    """
    sources: set[str] = set()
    for item in feedback.items:
        if item.author is None or policy.is_me(item.author) or policy.refusal(item.author) is not None:
            continue
        if is_anothers(item, policy):
            continue
        if not item.author.is_bot:
            sources = set() if visible(item.body) else sources
        elif visible(item.body):
            sources.add(item.review or item.id)
    return len(sources) > MAX_BY_BOTS


def _unanswered(thread: Thread, by_id: dict[str, FeedbackItem], policy: Policy, handled: Collection[str]) -> list[str]:
    """Return the ids of the comments in a thread that may count and were not answered in it.

    An answer of ours names what it answers: what was said before that is settled with it, what came in between is not.
    Of one to a question only that is settled: what is asked for before it may be under way.
    """
    since: list[str] = []
    words: dict[str, set[str]] = {}  # by id, what was answered, in which words
    for name in thread.items:
        item = by_id.get(name)
        if item is None:
            continue
        if is_anothers(item, policy):
            continue
        if policy.is_me(item.author) and is_marked(item.body):
            named = {key.rpartition("@")[0]: key for key in Mark.ANSWERED.values_in([item.body])}
            for one, key in named.items():
                words.setdefault(one, set()).add(key)
            last = max((since.index(comment_id) for comment_id in named if comment_id in since), default=-1)
            alone = ALONE in marks_in(item.body)
            since = [comment_id for comment_id in since if comment_id not in named] if alone else since[last + 1 :]
        elif policy.is_persons(item.author) and _SETTLING.fullmatch(_first_line(visible(item.body))):
            since = []
        elif policy.refusal(item.author) is None and visible(item.body):
            since.append(name)
    for key in handled:
        words.setdefault(key.rpartition("@")[0], set()).add(key)
    edited = [n for n in thread.items if n in words and n in by_id and by_id[n].key not in words[n] and n not in since]
    return [*edited, *since]


def _spoken(thread: Thread, by_id: dict[str, FeedbackItem], policy: Policy) -> list[str]:
    """Return the ids of the comments in a thread before the last reply of the person whose account it is."""
    for at in range(len(thread.items) - 1, -1, -1):
        item = by_id.get(thread.items[at])
        if item is not None and policy.is_persons(item.author) and not is_marked(item.body) and visible(item.body):
            return list(thread.items[:at])
    return []


class _Known(NamedTuple):
    """Context by which an item of feedback is judged.

    Attributes:
        threads: By id.
        unanswered: By thread: the items that were not answered in it.
        spoken: By thread: the items after which the person spoke whose account it is.
        items: All that is said, by id.
        reviews: Ids of the reviews that came with comments.
        policy: Who is listened to.
        handled: Keys of what was answered.
        among_bots: Whether bots have talked among themselves for too long.
    """

    threads: Mapping[str, Thread]
    unanswered: Mapping[str, Sequence[str]]
    spoken: Mapping[str, Collection[str]]
    items: Mapping[str, FeedbackItem]
    reviews: Collection[str | None]
    policy: Policy
    handled: Collection[str]
    among_bots: bool


def _judge(item: FeedbackItem, known: _Known) -> Judged | FeedbackItem:
    for meaning, why in _reasons_to_skip(item, known.threads, known.policy):
        said_here = known.unanswered.get(item.thread or "") and known.policy.is_persons(item.author)
        return Judged(item=item, meaning=meaning, why=REPLY if meaning is Meaning.IGNORED and said_here else why)
    if item.key in known.handled:
        return Judged(item=item, meaning=Meaning.HANDLED, why="it was answered")
    if known.among_bots and item.author is not None and item.author.is_bot:
        why = f"bots spoke more than {MAX_BY_BOTS} times, and nobody else says anything: they may answer one another"
        return Judged(item=item, meaning=Meaning.IGNORED, why=why)
    later: Sequence[str] = ()
    if item.thread is not None and item.thread in known.unanswered:
        since = known.unanswered[item.thread]
        if item.id not in since:
            return Judged(item=item, meaning=Meaning.HANDLED, why="it was answered in its thread")
        later = since[since.index(item.id) + 1 :]
    if not visible(item.body):
        return wordless(item, known.reviews, "it has no words of its own")
    taken_up = any(known.items[name].author == item.author for name in later)  # they may have thought of something else
    taken_up = taken_up or item.id in known.spoken.get(item.thread or "", ())
    words = words_beside(item) if item.kind is ItemKind.INLINE else None
    if words is not None and block_key(item.key) in known.handled:
        return Judged(item=item, meaning=Meaning.NEEDS_PERSON, why=WORDS_LEFT, words_left=True)
    if words is None or taken_up:
        return item
    why = "a suggestion block, and words beside it" if words else "a suggestion block"
    return Judged(
        item=item,
        meaning=Meaning.SUGGESTION,
        why=why,
        description="apply the suggestion",
        words_left=bool(words),
    )


def wordless(item: FeedbackItem, reviews: Collection[str | None], why: str) -> Judged:
    """Judge an item without words that ask for anything: a review's comments may have them."""
    if item.opinion is not Opinion.CHANGES_REQUESTED or item.id in reviews:
        return Judged(item=item, meaning=Meaning.PRAISE, why=why)
    why = "changes are requested, and nothing says which"
    return Judged(item=item, meaning=Meaning.NEEDS_PERSON, why=why)


def _reasons_to_skip(
    item: FeedbackItem, threads: Mapping[str, Thread], policy: Policy
) -> Iterator[tuple[Meaning, str]]:
    """Yield the reasons why an item needs no action, the first one first."""
    if policy.is_me(item.author) and is_marked(item.body):
        yield Meaning.OWN, "written by selfreview"
    refusal = policy.refusal(item.author)
    if refusal is not None:
        yield refusal
    if is_anothers(item, policy):
        yield Meaning.IGNORED, ANOTHERS
    if item.hidden:
        yield Meaning.RESOLVED, "it was hidden on the forge"
    if item.opinion is Opinion.DISMISSED:
        yield Meaning.RESOLVED, "the review was dismissed"
    thread = threads.get(item.thread or "")
    if thread is not None and thread.resolved and item.id not in thread.since:
        yield Meaning.RESOLVED, "its thread is resolved"


def is_anothers(item: FeedbackItem, policy: Policy) -> bool:
    """Return whether a comment is by a selfreview of another account: it asks for nothing, and proves nothing."""
    return is_marked(item.body) and not policy.is_me(item.author)


def words_beside(item: FeedbackItem) -> str | None:
    """Return the words beside the one suggestion of a comment, which has a place; None where it has no such one.

    Words that only lead up to it are none.
    """
    if item.spot is None or block_of(item) is None or meant(item.spot) is None:
        return None
    if block_of(msgspec.structs.replace(item, body=visible(item.body))) != block_of(item):
        return None  # its page hides it, or what is in it
    lines = item.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    block = next(block for block in blocks(item.body) if block.language == "suggestion")
    words = visible("\n".join([*lines[: block.start], *lines[block.end :]]))
    return "" if is_lead_in(words) else words


def _first_line(text: str) -> str:
    return text.partition("\n")[0].strip()


MAX_BY_BOTS = 20
"""Number of bots' comments, without any of a person, after which bots do not count until a person comments."""
REPLY = "said in an open thread by the person whose account it is, which resolves nothing"
"""Reason why the person's own replies in a thread are not acted on."""
ANOTHERS = "another selfreview wrote it"
"""Reason to ignore a text that begins with a mark of ours but is by another account: two would answer each other."""
IN_PLACE = "the branch has it already"
"""Reason why nothing is done about a suggestion."""
WORDS_LEFT = "its suggestion is applied, and nobody could read the words beside it"

_SETTLING = re.compile(r"(?:done|fixed)(?: in [0-9a-f]{7,40})?[.!]?|won['\u2019]?t ?fix[.!]?", re.IGNORECASE)
"""The first line of a reply by which the person whose account it is settles what was said before in a thread."""
