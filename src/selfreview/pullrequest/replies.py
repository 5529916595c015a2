"""Replies after a push: answers in threads, one summary, and a request for review. All can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from selfreview.api import AnswersThreads, Comments, Connection, Judged, RequestsReviews
from selfreview.errors import NotFoundError, RefusedError
from selfreview.model.feedback import Feedback, FeedbackItem, Opinion, hidden, marks_in
from selfreview.pullrequest import texts
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.feedback.classify import is_anothers
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.marks import (
    ALONE,
    CLAIMED,
    SUMMARY,
    UNASKED,
    Mark,
    cycle_mark,
    tried_again,
    whole_key,
)
from selfreview.pullrequest.feedback.trust import Policy
from selfreview.pullrequest.feedback.unresolved import Unresolved, where, who
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.ports import CycleSettings

Note = Callable[[str], None]
_ANSWER = "the answer to {} ({})"
_LOOK = "asking for another look"
_SAID = "the comment that says what was done"
_REFUSALS = (RefusedError, NotFoundError)
_UNWRITTEN = "its answer could not be written on the forge"


class Replies:
    """Writes the replies on one pull request.

    Attributes:
        unfinished: What :meth:`finish` has still to do, once that is put down here, or was refused by the forge.
        asked: Called with the logins of people who were asked for another review.
    """

    def __init__(
        self,
        connection: Connection,
        feedback: Feedback,
        answered: AnsweredState,
        policy: Policy,
        *,
        settings: CycleSettings,
        note: Note,
    ) -> None:
        self._connection = connection
        self._feedback = feedback
        self._answered = answered
        self._policy = policy
        self._settings = settings
        self._note = note
        self._number = feedback.request.number
        self.unfinished: list[str] = []
        self.asked: Callable[[Sequence[str]], object] = len

    def due(self, commit: FixCommit, *, refused: bool = False) -> list[str]:
        """Return the missing replies to a commit of ours, as phrases."""
        items, last = self._of(commit)
        reported = self._answered.replied if refused else self._answered.replied | self._answered.refused
        found = [
            _ANSWER.format(where(item), who(item))
            for key, item in items.items()
            if item.thread is not None and last[item.thread] == key and key not in reported
            if isinstance(self._connection, AnswersThreads)
            and not self._reported_elsewhere(Mark.ANSWERED.of(key), commit)
        ]
        summary = self._answered.summary
        if items and not self.is_reported(commit):
            found += [*([_LOOK] if self._to_ask(list(items.values()), commit.sha) else []), _SAID]
        elif refused and summary is not None and UNASKED in marks_in(summary.body):
            found.append(_LOOK)
        return found

    def _of(self, commit: FixCommit) -> tuple[dict[str, FeedbackItem], dict[str | None, str]]:
        """Return the feedback that a commit answers, by the commit's key for it, and each thread's last such key."""
        by_key = {item.key: item for item in self._feedback.items}
        items = {key: by_key[whole_key(key)] for key in commit.keys if whole_key(key) in by_key}
        return items, {item.thread: key for key, item in items.items()}

    def _did(self, what: str) -> None:
        if what in self.unfinished:
            self.unfinished.remove(what)

    def finish(self, commit: FixCommit, done: Mapping[str, str], *, known: bool = True, left: int = 0) -> bool:
        """Write all missing replies to a pushed commit; return whether the summary was missing.

        Args:
            commit: The pushed commit.
            done: What was done about each item, as plain text, by the commit's key for it; where it is missing, only
                that it was done.
            known: Whether it was made here, as far as is remembered; anybody can write such a message.
            left: How many items it does not answer.

        Raises:
            ForgeError: If the forge fails for now: called again, it goes on.
        """
        items, last = self._of(commit)
        words = {key: done.get(key, texts.PARTLY if whole_key(key) != key else "") for key in items}
        sha, untold = commit.sha[:12], []
        for key, item in items.items():  # one answer a thread, to what was said last: it stands for what was before
            if item.thread is not None and last[item.thread] == key and not self._is_answered(key, commit):
                text = texts.done(sha, words[key]) if known else texts.claimed(sha)
                if self._reply(item, key, text):
                    self._did(_ANSWER.format(where(item), who(item)))
                elif isinstance(self._connection, AnswersThreads):
                    untold.append(key)
        if not items or self._needs_no_more(commit, items, last, known=known):
            return False  # the summary came last; or what it names is not there: somebody else wrote it
        unasked = not self._ask_again(list(items.values()), commit.sha)
        if not unasked:
            self._did(_LOOK)
        if known:
            self._summarise(commit, items, words, left, untold, unasked=unasked)
        elif self._answered.summary is None:
            number = commit.cycle if commit.cycle <= self._answered.cycles else 0  # anybody can write one
            words = dict.fromkeys(items, "as the commit says")
            self._summarise(commit._replace(cycle=number), items, words, left, untold, unasked=unasked)
        else:
            self._list_claims([commit], untold)  # an edit of the summary would notify nobody
        self._did(_SAID)
        return True

    def try_again(self, made: Callable[[FixCommit], bool]) -> None:
        """Try once more to write the replies that the forge refused in an earlier cycle, and not again after that.

        Raises:
            ForgeError: If the forge fails for now.
        """
        summary = self._answered.summary
        if summary is None or not isinstance(self._connection, Comments):
            return
        body = tried_again(summary.body)
        if body == summary.body:
            return
        by_key = {item.key: item for item in self._feedback.items}
        for commit in self._answered.commits:
            sha = commit.sha[:12]
            for key in self._answered.refused.intersection(commit.keys):
                item = by_key.get(whole_key(key))
                words = texts.PARTLY if whole_key(key) != key else ""
                text = texts.done(sha, words) if made(commit) else texts.claimed(sha)
                if item is not None and not self._reply(item, key, text):
                    self._note("the reply was refused twice, and is not tried again")
        last = self._answered.commits[-1]
        items = [by_key[whole_key(key)] for key in last.keys if whole_key(key) in by_key]
        if UNASKED in marks_in(summary.body) and not self._ask_again(items, last.sha):
            self._note("asking for another review was refused twice, and is not tried again")
        try:
            self._connection.comment(self._number, SUMMARY, body.partition("-->")[2].strip())
        except _REFUSALS as error:
            self._note(f"the comment that says what was done was refused: {error.message}")

    def _needs_no_more(
        self, commit: FixCommit, items: Mapping[str, FeedbackItem], last: Mapping[str | None, str], *, known: bool
    ) -> bool:
        """Return whether all replies that belong to a commit exist; the number of a commit by others proves nothing."""
        if known:
            return self.is_reported(commit)
        named = [key for key, i in items.items() if (last[i.thread] == key if i.thread else self._counts(i))]
        done = all(self._is_answered(key, commit) for key in named)
        return done and (self._answered.summary is not None or self.is_reported(commit))

    def reply_to_claims(self, commits: Sequence[FixCommit]) -> None:
        """Reply, where nobody has, that commits name the feedback: else it would seem unread."""
        self._list_claims(commits)
        last = {thread.items[-1] for thread in self._feedback.threads if thread.items and not thread.resolved}
        by_key = {i.key: i for i in self._feedback.items if i.id in last and self._policy.refusal(i.author) is None}
        for commit in commits:
            for item in [by_key.pop(key) for key in commit.keys if key in by_key]:
                if not self._is_answered(item.key, commit):
                    self.answer(item, texts.claimed(commit.sha[:12]))

    def _list_claims(self, commits: Sequence[FixCommit], untold: Sequence[str] = ()) -> None:
        """List in a comment the feedback without a thread that commits name and that no comment of ours reports.

        It is a new one each time: an edit notifies nobody.
        """
        claims: dict[str, tuple[FeedbackItem, FixCommit]] = {}
        by_key = {i.key: i for i in self._feedback.items if (i.thread is None or i.key in untold) and self._counts(i)}
        for commit in commits:
            for key in commit.keys:
                if key in by_key and not self._is_answered(key, commit):
                    claims[key] = by_key[key], commit
        if not claims or not isinstance(self._connection, Comments):
            return
        lines = [texts.claim(commit.sha[:12], item) for item, commit in claims.values()]
        mark = f"{CLAIMED}={commits[-1].sha[:12]}"
        try:
            self._connection.comment(self._number, mark, texts.claims(lines, claims))
        except _REFUSALS as error:
            self._note(f"the comment that says what commits claim was refused: {error.message}")

    def _counts(self, item: FeedbackItem) -> bool:
        return self._policy.refusal(item.author) is None and not is_anothers(item, self._policy)

    def _is_answered(self, key: str, commit: FixCommit) -> bool:
        """Return whether feedback is reported as answered: by us, or of this commit by another selfreview."""
        return key in self._answered.replied | self._answered.refused or self._reported_elsewhere(
            Mark.ANSWERED.of(key), commit
        )

    def answer(self, item: FeedbackItem, text: str) -> bool:
        """Answer one item in its thread; return whether that has been possible."""
        return self._reply(item, item.key, text)

    def _reply(self, item: FeedbackItem, key: str, text: str) -> bool:
        """Answer the feedback of a key."""
        if item.thread is None or not isinstance(self._connection, AnswersThreads):
            return False
        try:
            there = self._connection.answer(self._number, item.thread, Mark.ANSWERED.of(key), text)
        except _REFUSALS as error:  # of what is locked, say: all else goes on
            self._note(f"the answer to {item.url or item.id} was refused: {error.message}")
            return False
        if there is None:
            self._note(f"the thread of {item.url or item.id} is gone, so nothing was answered there")
        return there is not None

    def reviewers(self, items: Iterable[FeedbackItem]) -> list[str]:
        """Return the logins of people to ask for another look: authors of items, and whoever still requests changes."""
        names = [item.author.login for item in items if item.author is not None and not item.author.is_bot]
        opinions = self._policy.opinions(self._feedback)
        names += [name for name, opinion in opinions.items() if opinion is Opinion.CHANGES_REQUESTED]
        author = self._feedback.request.author
        mine = {self._policy.me.login, author.login if author is not None else ""}
        return [name for name in dict.fromkeys(names) if name not in mine]

    def reviewers_of(self, commit: FixCommit) -> list[str]:
        """Return the logins of people to ask for another look at a commit."""
        keys = {whole_key(key) for key in commit.keys}
        return self.reviewers(item for item in self._feedback.items if item.key in keys)

    def is_reported(self, commit: FixCommit) -> bool:
        """Return whether the summary reports a commit."""
        mark = cycle_mark(commit.cycle)
        return any(mark in marks_in(item.body) for item in self._answered.ours) or self._reported_elsewhere(
            mark, commit
        )

    def _reported_elsewhere(self, mark: str, commit: FixCommit) -> bool:
        """Return whether another selfreview, of an account that may write, reports of a commit what a mark stands for.

        Nothing else is believed of it. What it says has to be seen: the mark alone would be no word to anybody.
        """
        return any(
            mark in marks_in(item.body) and commit.sha[:12] in visible(item.body)
            for item in self._feedback.items
            if is_anothers(item, self._policy) and self._policy.refusal(item.author) is None and not item.hidden
        )

    def _summarise(
        self,
        commit: FixCommit,
        items: Mapping[str, FeedbackItem],
        done: Mapping[str, str],
        left: int,
        untold: Sequence[str],
        *,
        unasked: bool,
    ) -> None:
        if not isinstance(self._connection, Comments):
            self._note("this forge takes no comments from us")
            return
        lines = [f"{texts.quoted(item)} — {texts.inert(done[key] or 'done')}" for key, item in items.items()]
        keys = dict.fromkeys((*sorted(self._answered.replied | self._answered.refused), *commit.keys))
        summary = texts.Summary(
            cycle=commit.cycle,
            max_cycles=self._settings.max_fix_cycles,
            lines=lines,
            sha=commit.sha[:12],
            reviewers=self.reviewers(items.values()),
            keys=[key for key in keys if key not in untold],
            left=left,
            unchecked=self._settings.unchecked,
            untold=untold,
            unasked=unasked,
        )
        try:
            self._connection.comment(self._number, SUMMARY, summary.text())
        except _REFUSALS as error:
            self._note(f"the comment that says what was done was refused: {error.message}")

    def _to_ask(self, items: Sequence[FeedbackItem], sha: str) -> list[str]:
        """Return the logins of people to ask who were neither asked already nor have looked at a commit."""
        asked = {name.casefold() for name in self._feedback.request.requested}
        asked |= {i.author.login.casefold() for i in self._feedback.items if i.commit == sha and i.author is not None}
        return [name for name in self.reviewers(items) if name.casefold() not in asked]

    def _ask_again(self, items: Sequence[FeedbackItem], sha: str) -> bool:
        """Ask for another review; return whether nothing of that was refused."""
        names = self._to_ask(items, sha)
        if not names:
            return True
        if not isinstance(self._connection, RequestsReviews):
            self._note("this forge cannot be asked for another review")
            return True
        try:
            refused = self._connection.request_reviews(self._number, names)
        except _REFUSALS as error:
            self._note(f"nobody was asked for another review: {error.message}")
            return False
        for name in refused:
            self._note(f"{name} cannot be asked for another review")
        if done := [name for name in names if name not in refused]:
            self.asked(done)
        return not refused

    def answer_all(self, answers: Sequence[tuple[Judged, str]]) -> list[Unresolved]:
        """Answer feedback that needs no edit, in its thread, else in a comment; return what could not be answered."""
        left = []
        for piece, text in answers:
            if self._reply(piece.item, piece.item.key, f"{text}{hidden(ALONE)}"):
                continue
            body = f"{hidden(Mark.ANSWERED.of(piece.item.key))}\n\n> {texts.quoted(piece.item)}\n\n{text}"
            try:
                if not isinstance(self._connection, Comments):
                    left.append(Unresolved(piece, _UNWRITTEN))
                    continue
                self._connection.comment(self._number, f"answer={piece.item.id}", body)
            except _REFUSALS as error:
                left.append(Unresolved(piece, f"{_UNWRITTEN}: {error.message}"))
        return left
