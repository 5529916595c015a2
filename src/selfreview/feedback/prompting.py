"""Reviewers' feedback in the form in which fixers are shown it."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import ItemKind, Judged
from selfreview.feedback.feedback_prompt import cut
from selfreview.feedback.unresolved import who
from selfreview.feedback.visible import visible
from selfreview.model.wire import display_path
from selfreview.scan.redact import mask_secrets

_MOST = 60_000
"""Maximum characters of all feedback together; the rest is cut, the last comments first."""


def material(work: Sequence[Judged]) -> str:
    """Return feedback as Markdown: the reviews' own words, then the comments on files."""
    reviews = [one for one in work if one.item.kind is not ItemKind.INLINE]
    inline = [one for one in work if one.item.kind is ItemKind.INLINE]
    parts = []
    if reviews:
        parts.append("## Review Summary")
        parts += [_said(one) for one in reviews]
    if inline:
        parts.append("## File-Level Comments")
        parts += [f"### {_where(one)}\n{_said(one)}" for one in inline]
    return mask_secrets(cut("\n\n".join(parts), _MOST))


def _where(one: Judged) -> str:
    spot = one.item.spot
    if spot is None:
        return "the pull request as a whole"
    path = display_path(spot.path)
    return path if spot.line is None else f"{path}:{spot.line}"


def _said(one: Judged) -> str:
    item = one.item
    opinion = f", {item.opinion.replace('_', ' ')}" if item.opinion is not None else ""
    head = " ".join(part for part in (f"{who(item)}{opinion}", item.created, item.url) if part)
    quoted = "\n".join(f"> {line}" for line in cut(visible(item.body), 8_000).split("\n"))
    return f"{head}\n{quoted}"
