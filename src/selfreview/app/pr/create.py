"""The opening of a pull request for what was reviewed."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Sequence
from typing import NamedTuple, Self

from selfreview.api import (
    ChangeRequest,
    Comments,
    ConfigView,
    Connection,
    CreatesRequests,
    Issue,
    IssueStatus,
    NoticeEvent,
    NotifyContext,
    ReadsRequests,
    Result,
    SessionState,
)
from selfreview.app.decisions import decision, hold_branch_session
from selfreview.app.loading import Project, configured, demand_on, find_repo, load_project
from selfreview.app.notices import send_what_waits
from selfreview.app.pr.forge import Place, is_of
from selfreview.app.pr.journal import go
from selfreview.app.pr.opened import Sides, both_sides
from selfreview.app.pr.request import NewRequest
from selfreview.app.session import LOOK_BACK, LiveSession
from selfreview.app.ui import SilentUi, Ui
from selfreview.errors import (
    ForgeError,
    GitError,
    NotFoundError,
    OccupiedError,
    RefusedError,
    SelfreviewError,
    StoreError,
    UsageError,
)
from selfreview.git.repo import Repo
from selfreview.git.revisions import Base, behind, current_branch, is_ancestor, meanings
from selfreview.model.event import DefaultUsed
from selfreview.model.refinement import Stop
from selfreview.model.request_event import RequestCreated
from selfreview.model.session import Decision, Session
from selfreview.model.wire import display_path, utc_now
from selfreview.pullrequest.escalation import Message, notice, ready_title
from selfreview.pullrequest.git.branch import Branch, uncommitted
from selfreview.pullrequest.git.remotes import demand_one_place
from selfreview.pullrequest.outbox import Outbox, channels_for, setting
from selfreview.pullrequest.texts import inert
from selfreview.reporters.words import worst_first
from selfreview.resources import read
from selfreview.secrets.scanner import mask_secrets
from selfreview.store.store import Store
from selfreview.text.escape import visible

_MAX_COMMITS = 50
_MAX_ISSUES = 100


class Created(NamedTuple):
    """A pull request that is open for the branch.

    Attributes:
        request: It.
        made: Whether it was opened now.
        why: Why it was opened as a draft, as a phrase; or empty.
    """

    request: ChangeRequest
    made: bool
    why: str


def title_of(repo: Repo, base: str, branch: str) -> str:
    """Return the subject of the only commit, or the branch's name in words."""
    subjects = _subjects(repo, base)
    words = branch.rpartition("/")[2].replace("-", " ").replace("_", " ")
    text = subjects[0] if len(subjects) == 1 else words[:1].upper() + words[1:]
    return mask_secrets(visible(" ".join(text.split())))[:250] or branch


def body_of(repo: Repo, base: str, result: Result | None, *, reason: str) -> str:
    """Return the body of a pull request: its commits, and the result of the self-review."""
    from jinja2 import Environment, StrictUndefined

    # What stands in it was made inert before; Markdown is no HTML that could be escaped as a whole.
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True)  # noqa: S701
    subjects = _subjects(repo, base)
    named = f" --run {result.run_id}" if result is not None and result.run_id else ""
    where = f"`selfreview report{named}`, where it was reviewed, lists all"
    issues = result.issues if result is not None else []
    listed = worst_first(result) if result is not None else []
    accepted = [issue for issue in issues if issue.status is IssueStatus.ACCEPTED]

    text = environment.from_string(read("templates", "feedback/pull_request.md.j2").decode()).render(
        commits=_first(
            [inert(subject, 200) for subject in subjects], _MAX_COMMITS, "see the commits of this pull request"
        ),
        result=result,
        verdict=result.verdict.value.replace("_", " ") if result is not None and result.verdict is not None else "",
        iterations=len(result.iterations) if result is not None else 0,
        open=_first([_line(issue) for issue in listed], _MAX_ISSUES, where),
        accepted=_first(
            [f"{_line(issue)} — {inert(issue.status_reason or '', 300)}" for issue in accepted], _MAX_ISSUES, where
        ),
        reason=inert(reason),
    )
    return mask_secrets(text.strip() + "\n")


def _first(lines: Sequence[str], most: int, where: str) -> list[str]:
    """Return the first lines, and one that says how many more there are, and where these can be seen."""
    more = len(lines) - most
    return [*lines[:most], f"and {more} more: {where}"] if more > 0 else list(lines)


def _line(issue: Issue) -> str:
    place = display_path(issue.file) + (f":{issue.line_start}" if issue.line_start else "")
    return f"{issue.severity}: {inert(place)}: {inert(issue.description, 300)}"


def _subjects(repo: Repo, base: str) -> list[str]:
    """Return the subjects of the branch's own commits, oldest first."""
    done = repo.git.call(["log", "-z", "--reverse", "--format=%s", "HEAD", "--not", base, "--"])
    return [line for line in done.stdout.decode("utf-8", "replace").split("\0") if line] if done.returncode == 0 else []


def announce(project: Project, store: Store, place: Place, request: ChangeRequest, ui: Ui) -> None:
    """Announce once, on the configured channels, that people can take over; and send pending notices."""
    config = project.config
    asked = (*request.requested, *setting(config, "github", "reviewers", ()))
    ready = notice(
        NoticeEvent.READY,
        request,
        place.name,
        Message(ready_title(place.location.path, request), [request.title], ["opened"]),
        mention=asked,
        at=utc_now(),
    )
    channels = channels_for(ready, config)
    if not channels:
        return
    try:
        Outbox(store, [], NotifyContext(config, os.environ)).add(ready, channels, time.time())
    except SelfreviewError as error:  # the pull request is open, whoever hears of it
        ui.warn(f"no notification was sent: {error.message}")
    send_what_waits(project, ui, place.connection)


def push_branch(repo: Repo, remote: str, name: str) -> str:
    """Push the current commit to the branch of the same name, and return it.

    Raises:
        UsageError: If the remote has commits that are not here.
        GitError: If the remote refuses.
    """
    branch = Branch(repo, remote, name, os.environ)
    commit = branch.head()
    seen = branch.there()
    if seen == commit:
        return commit
    pushed = branch.push(commit, seen, hooks=True)
    if branch.there() == commit:
        branch.track()
        return commit
    if pushed.moved:
        raise UsageError(f"{remote} has commits on {name} that are not here", hint=f"git pull --rebase {remote} {name}")
    raise GitError(
        f"the push was refused: {pushed.refused or 'the remote does not say why'}", hint=pushed.output or None
    )


S = SessionState
_STUCK = frozenset(
    {Stop.CAP, Stop.NO_CHANGE, Stop.NOT_SHRINKING, Stop.SEEN_BEFORE, Stop.NOTHING_FIXABLE, Stop.BUDGET, Stop.HELD}
)
"""Ends of a refinement after which a person is needed, and can be asked by a draft."""


class _Right(NamedTuple):
    """Permission to open a pull request.

    Attributes:
        draft: Whether only as a draft.
        why: Why so, for the person.
        reason: Why the review may be left as it is, in the words of whoever skipped it; or empty.
        passed: Whether it is so because the review passed, and is the first one of this branch.
    """

    draft: bool
    why: str
    reason: str = ""
    passed: bool = False

    @classmethod
    def ready(cls, *, reason: str = "", passed: bool = False) -> Self:
        """Return the permission to open one that people can review."""
        return cls(draft=False, why="", reason=reason, passed=passed)

    @classmethod
    def as_draft(cls, why: str, *, reason: str) -> Self:
        """Return the permission to open a draft."""
        return cls(draft=True, why=why, reason=reason)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Opening:
    """The opening of a pull request that is permitted.

    Attributes:
        asked: What to open.
        repo, project: Where.
        ui: The front end.
        branch: The branch.
        last: Its decisive review, or None.
        right: The permission.
        reason: Why it is opened although its review does not pass, or empty.
    """

    asked: NewRequest
    repo: Repo
    project: Project
    ui: Ui
    branch: str
    last: Result | None
    right: _Right
    reason: str

    def find_target(self, sides: Sides) -> str:
        """Return the branch to merge into, of which the review saw all that would be merged.

        Raises:
            UsageError: If it is the branch itself, or the review did not see all.
            ForgeError: If the forge opens no pull requests, or cannot be asked.
        """
        place, connection = sides.place, sides.place.connection
        if not isinstance(connection, CreatesRequests) or not isinstance(connection, ReadsRequests):
            raise ForgeError(f"{place.forge.name} opens no pull requests for us")
        target = self.asked.base if self.asked.base is not None else connection.default_branch()
        if target == self.branch and sides.source is None:
            raise UsageError(f"{target} is the branch that pull requests are merged into", hint="git switch -c NAME")
        if self.right.passed and self.last is not None:
            _demand_all(self.repo, self.last, f"{place.remote}/{target}")
            _tell_behind(self.repo, self.last, self.ui)
        return target

    def push(self, sides: Sides) -> str:
        """Push the branch to the repository that has it, and return the commit."""
        home, config = sides.home, self.project.config
        demand_one_place(self.repo, home.remote, lambda url: is_of(home, url, config))
        return push_branch(self.repo, home.remote, self.branch)

    def open(self, sides: Sides, target: str, commit: str) -> tuple[ChangeRequest, bool]:
        """Return the pull request for a pushed commit, and whether it was opened now."""
        request = sides.find(self.branch, commit)
        if request is not None:
            _used_again(sides.place.connection, request, self.asked, self.reason, commit, ui=self.ui)
            return request, False
        against = f"refs/remotes/{sides.place.remote}/{target}"
        title = self.asked.title
        request = sides.create(
            head=self.branch,
            base=target,
            title=title if title is not None else title_of(self.repo, against, self.branch),
            body=body_of(self.repo, against, self.last, reason=self.reason),
            draft=self.asked.draft or self.right.draft,
        )
        return request, True


def create_request(asked: NewRequest, *, ui: Ui | None = None) -> Created:
    """Push the branch's commit, and open a pull request for it; one that is open already is used again.

    Args:
        asked: What to open.
        ui: The front end; by default one that keeps what it is told.

    Raises:
        UsageError: If the branch may not have one.
        OccupiedError: If a run is in progress in the working tree.
        ForgeError: If the forge refuses.
        GitError: If the remote refuses.
    """
    ui = ui or SilentUi()
    repo = find_repo(asked.folder, ui)
    project = load_project(repo, ui, asked.loading)
    with (
        configured(project, ui),
        hold_branch_session(repo, project, ui, begin=True, busy=OccupiedError) as (lived, store),
    ):
        opening = _permit(asked, repo, project, (lived.session, store), ui=ui)
        with both_sides(project, asked.remote, ui, opens=True) as sides:
            target = opening.find_target(sides)
            commit = opening.push(sides)
            request, made = opening.open(sides, target, commit)
            if made and not request.draft:
                announce(project, store, sides.place, request, ui)
        forced = decision(repo, "create", opening.reason) if asked.force else None
        _record(lived, sides.place.name, request, forced=forced)
        if made:
            _tell_created(lived, opening, sides.place.remote, request)
    return Created(request, made, opening.right.why if made else "")


def _permit(asked: NewRequest, repo: Repo, project: Project, held: tuple[Session, Store], *, ui: Ui) -> _Opening:
    """Check that the branch may have a pull request.

    Raises:
        UsageError: If it may not.
    """
    session, store = held
    branch = current_branch(repo.git)
    if branch is None:
        raise UsageError("no branch is checked out", hint="git switch -c NAME")
    demand_on(project.config, "nothing is pushed, and no pull request is opened")
    last = _last(repo, store, session)
    right = _right(repo, session, last, config=project.config, force=asked.force)
    return _Opening(
        asked=asked,
        repo=repo,
        project=project,
        ui=ui,
        branch=branch,
        last=last,
        right=right,
        reason=asked.reason.strip() if asked.force else right.reason,
    )


def _record(lived: LiveSession, forge: str, request: ChangeRequest, *, forced: Decision | None) -> None:
    """Record the pull request, of the repository with a name on a forge, in the session."""
    session = lived.session
    session.forge, session.request, session.request_url = forge, request.number, request.url
    if forced is not None:
        lived.recorder.decide(forced)
    go(lived.recorder, S.PR_CREATED, request=request.number, url=request.url, forced=forced is not None)
    go(lived.recorder, S.AWAITING_PR_FEEDBACK, request=request.number)


def _tell_created(lived: LiveSession, opening: _Opening, remote: str, request: ChangeRequest) -> None:
    """Record that a pull request was opened, by which defaults, and where its review passed, that people can begin."""
    asked = opening.asked
    defaults = (("remote", asked.remote, remote), ("base", asked.base, request.base))
    title = mask_secrets(request.title)
    lived.recorder.note(
        RequestCreated(request=request.number, url=request.url, title=title, draft=request.draft),
        *(DefaultUsed(what=what, value=display_path(taken)) for what, given, taken in defaults if given is None),
    )
    if opening.right.passed and not request.draft:
        lived.recorder.ready(f"the self-review passed, and #{request.number} is open: {title}")


def _used_again(
    connection: Connection, request: ChangeRequest, asked: NewRequest, reason: str, commit: str, *, ui: Ui
) -> None:
    """Comment on an existing pull request why its branch was pushed, and warn of options that have no effect on it."""
    given = [f"--{name}" for name in ("title", "base", "draft") if getattr(asked, name)]
    if given:
        verb = "counts" if len(given) == 1 else "count"
        ui.warn(f"{', '.join(given)} {verb} only where one is opened: #{request.number} stays as it is")
    if reason and isinstance(connection, Comments):
        text = f"Commit {commit[:12]} is pushed although its self-review does not pass: {inert(reason)}"
        try:
            connection.comment(request.number, f"reason={commit[:12]}", text)
        except (
            NotFoundError,
            RefusedError,
        ) as error:  # a conversation that is locked; the branch is pushed
            ui.warn(f"the reason is not shown on #{request.number}: {error.message}")
    elif reason:
        ui.warn(f"this forge takes no comments from us: the reason is not shown on #{request.number}")


def _last(repo: Repo, store: Store, session: Session) -> Result | None:
    """Return the decisive review: the session's, else that of what HEAD has committed, where it is another tree."""
    tree = _tree(repo)
    if session.tree != tree:  # such as that of ``run --head HEAD``, beside files that are not committed
        for result in store.results(LOOK_BACK, session.branch):
            if result.scope is not None and result.scope.whole and result.scope.tree == tree:
                return result
    if session.run_id is None:
        return None
    try:
        return store.result(session.run_id)
    except (StoreError, UsageError):  # pruned since
        return None


def _tree(repo: Repo) -> str:
    return repo.git.run(["rev-parse", "HEAD^{tree}"]).decode().strip()


def _right(repo: Repo, session: Session, last: Result | None, *, config: ConfigView, force: bool) -> _Right:
    """Return the permission of the branch to have a pull request.

    Raises:
        UsageError: If it may not.
    """
    tree = _tree(repo)
    if force or not config["self_review_before_pr"]:
        return _Right.ready()
    passed = session.state in (S.SELF_REVIEW_PASSED, S.READY_FOR_HUMAN_REVIEW) or session.request is not None
    skips = [decision.reason for decision in session.decisions if decision.action == "skip" and decision.tree == tree]
    reason = skips[-1] if skips else ""
    if session.tree == tree and passed:
        by_review = session.state is S.SELF_REVIEW_PASSED
        return _Right.ready(reason="" if by_review else reason, passed=by_review and session.request is None)
    if session.tree == tree and session.state is S.SELF_REVIEW_FAILED and session.stop in _STUCK:
        return _Right.as_draft("a draft, because refinement did not finish: it lists the open issues", reason=reason)
    committed = last is not None and last.scope is not None and last.scope.tree == tree
    if session.tree != tree and committed and last is not None and last.passed:
        return _Right.ready(passed=session.request is None)
    if skips:
        return _Right.as_draft("a draft, because the review does not pass", reason=reason)
    why = "this branch was not reviewed" if session.tree is None else "the reviewed content is not that of HEAD"
    if committed or session.tree == tree:
        why = "the review of this branch does not pass"
    dirty = uncommitted(Branch(repo, "", session.branch, os.environ).dirty())
    way = f"{dirty}: commit that, or selfreview run --head HEAD; or" if dirty else "selfreview run, or"
    raise UsageError(why, hint=f"{way} --force with --reason")


def _tell_behind(repo: Repo, last: Result, ui: Ui) -> None:
    """Warn where the review counted others' commits as the branch's own."""
    name = last.scope.base if last.scope is not None else None
    found = meanings(repo.git, name) if name is not None else []
    note = behind(repo, Base(name, found[0].commit, found[0]), "HEAD") if name is not None and found else None
    if note is not None:
        ui.note(f"note: {note}")


def _demand_all(repo: Repo, last: Result, target: str) -> None:
    """Check that a review was compared with the target of the pull request, or with an older commit.

    Raises:
        UsageError: If what it was compared with is newer, so that it did not see all that would be merged.
    """
    scope = last.scope
    onto = repo.git.line(["merge-base", "HEAD", f"refs/remotes/{target}"])
    if onto is None or scope is None or scope.merge_base is None or is_ancestor(repo, scope.merge_base, onto):
        return
    raise UsageError(
        f"what was reviewed is what {scope.base} lacks, and {target} lacks more",
        hint=f"selfreview run --base {target}, or --base BRANCH of what it was compared with, or --force with --reason",
    )
