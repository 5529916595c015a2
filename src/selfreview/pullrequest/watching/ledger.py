"""Known state of each pull request, and outcomes of its fix cycles."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from selfreview.errors import ExitCode
from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.ports import Done, Job, Tell, worst
from selfreview.pullrequest.watching.schedule import LONGEST_WAIT_S, wait_after
from selfreview.store.watched import Watched, Watching

_MAX_SAID = 500


class Ledger:
    """The rows of one repository's pull requests.

    Args:
        forge: ``host/owner/name``.
        memory: Where they are kept.
        hints: What the forge says by itself: hints are settled with what they led to.
        tell: Is told what came of cycles.

    Attributes:
        rows: By number.
        worst: The worst exit code of all cycles.
    """

    def __init__(self, forge: str, memory: Watching, hints: Hints, tell: Tell) -> None:
        self._forge = forge
        self._memory = memory
        self._hints = hints
        self._tell = tell
        self.rows: dict[int, Watched] = {}
        self.worst = int(ExitCode.PASSED)
        self._unseen: set[int] = set()
        self._not_shown: set[str] = set()

    def load(self) -> None:
        """Read the stored rows."""
        self.rows = self._memory.all(self._forge)

    def keep(self, rows: Sequence[Watched]) -> None:
        """Store rows, in place of older ones."""
        self._memory.save(self._forge, *rows)
        self.rows |= {row.number: row for row in rows}

    def forget_all_but(self, numbers: Collection[int]) -> None:
        """Remove the rows of all other pull requests, which are not watched any more."""
        gone = self.rows.keys() - numbers
        self._memory.forget(self._forge, gone)
        for number in gone:
            del self.rows[number]
            self._tell("gone", number)

    def seen(self, wanted: Collection[int], shown: Collection[int]) -> None:
        """Record the pull requests that a look showed; each missing one is reported once, until it is seen again."""
        unseen = set(wanted) - set(shown)
        for number in sorted(unseen - self._unseen):
            self._tell("unseen", number, why="the forge does not show it; the next look asks again")
        for number in sorted(self._unseen & set(shown)):
            self._tell("seen_again", number)
        self._unseen = unseen
        if unseen:
            self.worst = worst(self.worst, ExitCode.INCOMPLETE)

    def settle_hints(self, number: int) -> list[str]:
        """Record that a pull request's hints are handled; return the hints' names."""
        names = self._hints.settle(number)
        self._memory.act_on(names)
        return names

    def wait(self) -> None:
        """Record that news wait, which counts where this look is the only one."""
        self.worst = worst(self.worst, ExitCode.INCOMPLETE)

    def take(self, ended: Sequence[tuple[Job, Done]], interval: float) -> None:
        """Record the outcomes of cycles. A mark counts as seen only where everything was handled.

        Args:
            ended: The cycles, and how they ended.
            interval: Seconds between two looks.
        """
        now = time.time()
        before = {job.number: self.rows.get(job.number) or Watched(job.number) for job, _ in ended}
        self.keep([_after(before[job.number], job, done, interval=interval, now=now) for job, done in ended])
        for job, done in ended:
            self.worst = worst(self.worst, done.code)
            for note in done.notes:
                self._tell("note", job.number, text=note)
            for text in done.not_shown:
                if text not in self._not_shown:  # the same for every pull request
                    self._not_shown.add(text)
                    self._tell("note", text=text)
            about = {"outcome": done.outcome, "code": done.code, "why": list(done.why)}
            if done.settled:
                self._tell("ended", job.number, **about)
                self._settled(job, done, news=before[job.number].done != job.mark)
            else:
                self._tell("put_off", job.number, **about, wait=self.rows[job.number].due - now)

    def _settled(self, job: Job, done: Done, *, news: bool) -> None:
        hinted = self.settle_hints(job.number)
        if news:
            self._hints.no_echo(job.number)
        elif hinted and done.outcome == "nothing_to_do":  # what it was about may not show yet
            self._hints.echo(job.number, time.monotonic())


def _after(row: Watched, job: Job, done: Done, *, interval: float, now: float) -> Watched:
    """Return the row of a pull request after a cycle."""
    said = "; ".join((done.outcome.replace("_", " "), *done.why))[:_MAX_SAID]
    if done.settled:
        return Watched(job.number, done=job.mark, told=job.mark, swept=now, said=said)
    if done.wait_s is not None:  # it is no attempt that failed
        return row._replace(tried=job.mark, due=now + min(done.wait_s, LONGEST_WAIT_S), said=said)
    tries = row.tries + 1
    return row._replace(tried=job.mark, tries=tries, due=now + wait_after(tries, interval), said=said)
