"""From all that is said to what is to be done: mechanically first, then plugins, then a model, else a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from selfreview.errors import PluginError
from selfreview.feedback.asking import UNREAD
from selfreview.feedback.classify import classify
from selfreview.feedback.trust import Policy
from selfreview.model.cycle import Analysis, Judged, Meaning, Overall
from selfreview.model.feedback import Feedback, FeedbackItem

Reader = Callable[[Sequence[FeedbackItem], Mapping[str, Sequence[FeedbackItem]]], Mapping[str, Judged]]
"""Judges items by reading them, given what was said before in their threads; by the item's id."""


def analyse(
    feedback: Feedback,
    policy: Policy,
    handled: Collection[str],
    *,
    plugin: Callable[[FeedbackItem], Judged | None],
    reader: Reader,
) -> Analysis:
    """Judge everything that is said.

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
    by_plugin: dict[str, Judged] = {}
    for item in first:
        if isinstance(item, FeedbackItem) and (answer := plugin(item)) is not None:
            by_plugin[item.id] = _checked(answer, item)
    left = [item for item in first if isinstance(item, FeedbackItem) and item.id not in by_plugin]
    read = reader(left, _threads(feedback, policy)) if left else {}
    judged = tuple(
        one if isinstance(one, Judged) else by_plugin.get(one.id) or read.get(one.id) or _unread(one) for one in first
    )
    return Analysis(number=feedback.request.number, judged=judged, overall=_overall(judged))


def _checked(answer: object, item: FeedbackItem) -> Judged:
    if not isinstance(answer, Judged) or answer.item != item:
        raise PluginError(
            f"a plugin answered selfreview_classify_feedback with {answer!r:.80}",
            hint="answer a Judged of the item that was given, or None",
        )
    return answer


def _unread(item: FeedbackItem) -> Judged:
    return Judged(item=item, meaning=Meaning.NEEDS_PERSON, why=UNREAD)


def _threads(feedback: Feedback, policy: Policy) -> Mapping[str, Sequence[FeedbackItem]]:
    """Return what people who are listened to, and we, said in each thread."""
    found: defaultdict[str, list[FeedbackItem]] = defaultdict(list)
    for item in feedback.items:
        if item.thread is not None and (policy.is_me(item.author) or policy.refusal(item.author) is None):
            found[item.thread].append(item)
    return found


def _overall(judged: Sequence[Judged]) -> Overall:
    meanings = {one.meaning for one in judged if one.meaning.is_open}
    if meanings & {Meaning.ACTIONABLE, Meaning.SUGGESTION, Meaning.QUESTION}:
        return Overall.READY_TO_FIX
    return Overall.NEEDS_HUMAN_INPUT if meanings else Overall.NOTHING_TO_DO
