"""Texts that we write on a forge. They are Markdown; text of others or of a model in them is made inert."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from selfreview.api import Analysis, HistoryEntry, Notice
from selfreview.model.feedback import FeedbackItem, hidden
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.marks import UNASKED, Mark, because, cycle_mark
from selfreview.pullrequest.feedback.unresolved import Unresolved, excerpt, grouped, where, who
from selfreview.secrets.scanner import mask_secrets

_LINKING = re.compile(r"(://)|(www(?=\.))|([@#](?=\w))|(gh-(?=\d))", re.IGNORECASE)
"""Text that a forge makes a link or a mention of, wherever it stands: no backslash prevents that."""
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_URL = re.compile(r"https?://[\w.:/#?=&%~-]{1,500}", re.ASCII)
"""A link that cannot end the place that it stands in."""
_MAX_QUOTED = 160
_MAX_WORDS = 2_000
PARTLY = "the suggestion is applied; what is said beside it is left to a person"
"""Reply where nothing but the suggestion in a comment was done."""


def inert(text: str, limit: int = _MAX_WORDS) -> str:
    """Return text of others or of a model as one line of Markdown that mentions nobody, links and runs nothing.

    Secrets in it are hidden.
    """
    line = mask_secrets(" ".join(visible(text).split()))
    line = line if len(line) <= limit else f"{line[: limit - 1]}…"
    line = _LINKING.sub(_unlinked, line)
    return re.sub(r"([\\`*_\[\]<>#|~!$])", r"\\\1", line.replace("&", "&amp;"))


def _unlinked(match: re.Match[str]) -> str:
    return ":\u200b//" if match[1] else f"{match[0]}\u200b"


def mentions(logins: Iterable[str]) -> str:
    """Return logins as mentions; bots and odd names are left out."""
    return " ".join(f"@{login}" for login in dict.fromkeys(logins) if _LOGIN.fullmatch(login))


def done(sha: str, what: str) -> str:
    """Return the reply to feedback that a commit answers."""
    return f"Done in {sha}{f': {inert(what)}' if what.strip() else '.'}"


def there_already(sha: str) -> str:
    """Return the reply to a suggestion that the branch already has; ``sha`` is empty where it is not known."""
    return f"The branch has this already, since {sha}." if sha else "The branch has this already."


def by_model(answer: str) -> str:
    """Return the answer to a question, which nobody may take for the words of the person whose account it is."""
    return f"{inert(answer)}\n\n<sub>Written by a model, through selfreview.</sub>"


def claimed(sha: str) -> str:
    """Return the reply to feedback that is named by a commit which somebody else may have made."""
    return f"{sha} says that it answers this; it may not be by selfreview. Say so here if it does not."


def claim(sha: str, item: FeedbackItem) -> str:
    """Return a line about feedback without a thread that is named by a commit which somebody else may have made."""
    begun = quoted(item)
    return f"{sha} says that it answers [this]({item.url}): {begun}" if _URL.fullmatch(item.url) else (
        f"{sha} says that it answers {begun}"
    )  # fmt: skip


def claims(lines: Sequence[str], keys: Iterable[str]) -> str:
    """Return the comment that lists what commits claim, one line each, with the keys of it."""
    marks = "".join(hidden(Mark.ANSWERED.of(key)) for key in keys)
    ask = "Nothing is done about these, for commits that may not be by selfreview say that they answer them."
    rest = "Where one does not, say so in a new comment."
    return _joined(marks, f"{ask} {rest}", "\n".join(f"- {line}" for line in lines))


class Summary(NamedTuple):
    """The comment that is edited in place at each answer.

    Attributes:
        cycle: Which answer it is; 0: that is not known.
        max_cycles: How many there may be.
        lines: What was done, one line each, as Markdown.
        sha: The commit.
        reviewers: Whom to ask to look again.
        keys: Of all feedback that was answered so far and has no thread to say so.
        left: How many review comments the commit does not answer.
        unchecked: Which of the project's checks took no part, and why, as a sentence; or empty.
        untold: Keys of the feedback whose answers the forge refused.
        unasked: Whether it refused to ask for another review.
    """

    cycle: int
    max_cycles: int
    lines: Sequence[str]
    sha: str
    reviewers: Sequence[str]
    keys: Sequence[str]
    left: int = 0
    unchecked: str = ""
    untold: Sequence[str] = ()
    unasked: bool = False

    def text(self) -> str:
        """Return it as Markdown."""
        names = mentions(self.reviewers)
        count = f"{len(self.lines)} of {len(self.lines) + self.left} review comments"
        which = count if self.left else "the review comments"
        ask = f"{names} I've addressed {which}. Please re-review when you have a chance." if names else (
            f"{which[0].upper()}{which[1:]} are addressed."
        )  # fmt: skip
        ask += " The rest is left to a person." if self.left else ""
        listed = "\n".join(f"- {line}" for line in self.lines)
        checks = f"{inert(self.unchecked[0].upper() + self.unchecked[1:])}." if self.unchecked else ""
        cycle = f"Fix cycle {self.cycle} of at most {self.max_cycles}, commit" if self.cycle else "Commit"
        about = f"{cycle} {self.sha}."
        marks = "".join(hidden(Mark.ANSWERED.of(key)) for key in self.keys)
        marks += hidden(cycle_mark(self.cycle)) if self.cycle else ""
        marks += "".join(hidden(Mark.REFUSED.of(key)) for key in self.untold) + (
            hidden(UNASKED) if self.unasked else ""
        )
        return _joined(marks, ask, about, checks, listed)  # the marks first: what is too long is cut at its end


class Escalation(NamedTuple):
    """The comment that calls a person.

    Attributes:
        why: Reasons that are of no one piece of feedback, as sentences.
        left: The feedback that is left to a person.
        history: What was said and what came of it, one line each, as Markdown.
        label: The label that the pull request has now, or empty.
        ours: Whether we put it there.
        settles: Whether the forge tells of one who takes it away, which settles all that is listed.
        kept: Why a person was called before, by the keys of what they were called for.
        by_people: Keys of what a person was called for, and has settled.
    """

    why: Sequence[str]
    left: Sequence[Unresolved]
    history: Sequence[str]
    label: str
    ours: bool = False
    settles: bool = True
    kept: Mapping[str, str] = MappingProxyType({})
    by_people: Sequence[str] = ()

    def text(self) -> str:
        """Return it as Markdown."""
        label = self.label
        marks = [hidden(Mark.LABELLED.of(label))] if label and self.ours else []
        marks += [hidden(Mark.BY_PEOPLE.of(key)) for key in self.by_people]
        listed = {left.judged.item.key for left in self.left}
        for reason in dict.fromkeys(self.kept.values()):
            keys = [key for key, given in self.kept.items() if given == reason and key not in listed]
            marks += [hidden(because(reason)), *(hidden(Mark.HANDED_OVER.of(key)) for key in keys)] if keys else []
        reasons = [f"- {inert(reason)}" for reason in self.why]
        for reason, items in grouped(self.left).items():
            marks += [hidden(because(mask_secrets(reason))), *(hidden(Mark.HANDED_OVER.of(item.key)) for item in items)]
            reasons += [f"- {inert(reason)}:", *(f"  - {_pointed_at(item)}" for item in items)]
        lines = "\n".join(f"- {line}" for line in self.history)
        history = f"<details><summary>What was said, and what came of it</summary>\n\n{lines}\n\n</details>"
        own = label and self.ours and self.settles
        threads = ", and resolve the threads" if any(left.judged.item.thread for left in self.left) else ""
        removal = f", or take the label `{label}` away: that says that all of it is settled" if own else ""
        return _joined(
            "".join(marks),
            "A person is needed here. selfreview does nothing more about what is listed below.",
            "\n".join(reasons),
            f"To have it tried again, run `selfreview reset` on the branch. Else answer{threads}{removal}.",
            history if self.history else "",
            f"The label `{label}` says the same." if label else "",
        )


def _pointed_at(item: FeedbackItem) -> str:
    """Return the place, the author and the beginning of a comment, with a link to it."""
    place = inert(where(item))
    place = f"[{place}]({item.url})" if _URL.fullmatch(item.url) else place
    return f"{place} {inert(who(item))}: {inert(excerpt(item.body))}"


def quoted(item: FeedbackItem) -> str:
    """Return the beginning of a comment, as one inert line."""
    place = f" on {inert(item.spot.path)}" if item.spot is not None else ""
    return f"{inert(who(item))}{place}: {inert(excerpt(item.body, _MAX_QUOTED))}"


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def redacted(notice: Notice) -> Notice:
    """Return a notice with every secret in its text hidden."""
    history = tuple(_entry(entry) for entry in notice.history)
    return msgspec.structs.replace(
        notice, title=mask_secrets(notice.title), text=mask_secrets(notice.text), history=history
    )


def without_secrets(item: FeedbackItem) -> FeedbackItem:
    """Return a piece of feedback with every secret in it hidden, for what is printed."""
    spot = msgspec.structs.replace(item.spot, hunk=mask_secrets(item.spot.hunk)) if item.spot is not None else None
    return msgspec.structs.replace(item, body=mask_secrets(item.body), spot=spot)


def analysis_without_secrets(analysis: Analysis) -> Analysis:
    """Return an analysis with every secret in it hidden."""
    judged = [
        msgspec.structs.replace(
            piece,
            item=without_secrets(piece.item),
            description=mask_secrets(piece.description),
            answer=mask_secrets(piece.answer),
            why=mask_secrets(piece.why),
        )
        for piece in analysis.judged
    ]
    return msgspec.structs.replace(analysis, judged=tuple(judged))


def _entry(entry: HistoryEntry) -> HistoryEntry:
    return msgspec.structs.replace(entry, what=mask_secrets(entry.what), outcome=mask_secrets(entry.outcome))
