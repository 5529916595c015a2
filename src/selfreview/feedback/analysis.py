"""Analysis of feedback into decisions: mechanically first, then by plugins, then by a model, else by a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec.structs import replace

from selfreview.errors import PluginError
from selfreview.feedback.classify import classify, is_anothers, wordless
from selfreview.feedback.feedback_prompt import UNREAD
from selfreview.feedback.issues import APPLIED
from selfreview.feedback.thanks import is_pointer, is_thanks
from selfreview.feedback.trust import Policy
from selfreview.feedback.visible import visible
from selfreview.model.cycle import Analysis, Judged, Meaning, Overall
from selfreview.model.feedback import Feedback, FeedbackItem, ItemKind

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

    Args:
        feedback: It.
        policy: Who is listened to.
        handled: Keys of what was answered already.
        plugin: Asks plugins what an item means.
        reader: Asks a model.

    Raises:
        PluginError: If a plugin answers with something else than a judgement of the item.
    """
    first = classify(feedback, policy, handled)
    to_read = [one if isinstance(one, FeedbackItem) else one.item for one in first if _is_to_be_read(one)]
    by_plugin: dict[str, Judged] = {}
    for item in to_read:
        if (answer := plugin(item)) is not None:
            by_plugin[item.id] = _checked(answer, item)
    left = [item for item in to_read if item.id not in by_plugin]
    reviews = {item.review for item in feedback.items if item.kind is ItemKind.INLINE}
    read = reader(left, _threads(feedback, policy)) if left else {}
    judged = tuple(
        by_plugin.get(one.id) or read.get(one.id) or _unread(one, reviews)
        if isinstance(one, FeedbackItem)
        else by_plugin.get(one.item.id) or _with_words(one, read.get(one.item.id))
        for one in first
    )
    return Analysis(number=feedback.request.number, judged=judged, overall=_overall(judged))


def _is_to_be_read(one: Judged | FeedbackItem) -> bool:
    return isinstance(one, FeedbackItem) or one.words_left


def _with_words(one: Judged, words: Judged | None) -> Judged:
    """Return the meaning of a comment with a suggestion, given a reader's judgement of the words beside it."""
    if words is None or (words.meaning is Meaning.NEEDS_PERSON and words.why == UNREAD):
        return one
    applied = one.meaning is not Meaning.SUGGESTION
    if words.meaning is Meaning.ACTIONABLE:
        done = f"{words.description} {APPLIED}"
        return replace(words, description=done) if applied else replace(words, suggests=True)
    if applied or words.meaning is Meaning.NEEDS_PERSON:
        return words
    return replace(one, why=words.why, answer=words.answer, words_left=False)


def _checked(answer: object, item: FeedbackItem) -> Judged:
    if not isinstance(answer, Judged) or answer.item != item:
        raise PluginError(
            f"a plugin answered selfreview_classify_feedback with {answer!r:.80}",
            hint="answer a Judged of the item that was given, or None",
        )
    return answer


def _unread(item: FeedbackItem, reviews: Collection[str | None]) -> Judged:
    """Judge an item that nobody could read: call a person, unless each of its words asks for nothing.

    Args:
        item: It.
        reviews: Ids of the reviews that came with inline comments.
    """
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
    meanings = {one.meaning for one in judged if one.meaning.is_open}
    if meanings & {Meaning.ACTIONABLE, Meaning.SUGGESTION, Meaning.QUESTION}:
        return Overall.READY_TO_FIX
    return Overall.NEEDS_HUMAN_INPUT if meanings else Overall.NOTHING_TO_DO
