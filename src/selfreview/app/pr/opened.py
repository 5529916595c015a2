"""A pull request that is worked on: its forge, its configuration, and whose feedback counts."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.api import (
    ChangeRequest,
    ConfigView,
    CreatesRequests,
    Location,
    Permission,
    ReadsFeedback,
    ReadsRequests,
    TakesForks,
    TellsWhereabouts,
    Whereabouts,
)
from selfreview.app.loading import Project, configured, find_repo, load_project, open_store, tell_untrusted
from selfreview.app.pr.forge import Place, locations, open_forge, push_remote
from selfreview.app.pr.request import FeedbackRequest
from selfreview.app.ui import Ui
from selfreview.config import LoadOptions
from selfreview.config.sources import commit_reader
from selfreview.errors import ConfigError, ForgeError, NotFoundError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import commit_of, current_branch, only_commit
from selfreview.pullrequest.feedback.trust import Policy, folded
from selfreview.pullrequest.git.remotes import fetch
from selfreview.pullrequest.ports import CycleSettings
from selfreview.refine.checks import configured_checks, is_trusted
from selfreview.text.layout import listing


class Sides(NamedTuple):
    """Both sides of a pull request.

    Attributes:
        place: The repository that has the pull requests.
        home: The repository that has the branch; the same, unless it is a fork.
        source: The fork, as ``owner/name``; None where both are the same.
    """

    place: Place
    home: Place
    source: str | None

    def find(self, branch: str, commit: str | None) -> ChangeRequest | None:
        """Return the open pull request of a branch, or None.

        Raises:
            ForgeError: If the forge does not show pull requests, or cannot be asked.
        """
        connection = self.place.connection
        if self.source is not None and isinstance(connection, TakesForks):
            return connection.find_from(self.source, branch, commit)
        if not isinstance(connection, ReadsRequests):
            raise ForgeError(f"{self.place.forge.name} shows no pull requests")
        return connection.find(branch, commit)

    def create(self, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request for a branch.

        Raises:
            ForgeError: If the forge refuses.
        """
        connection = self.place.connection
        if self.source is not None and isinstance(connection, TakesForks):
            return connection.create_from(self.source, head=head, base=base, title=title, body=body, draft=draft)
        if not isinstance(connection, CreatesRequests):
            raise ForgeError(f"{self.place.forge.name} opens no pull requests for us")
        return connection.create(head=head, base=base, title=title, body=body, draft=draft)


@contextlib.contextmanager
def both_sides(project: Project, remote: str | None, ui: Ui, *, opens: bool = False) -> Iterator[Sides]:
    """Connect to both sides of the branch that is checked out.

    Args:
        project: With a repository.
        remote: The remote that has the pull requests; None: what the forge says that the branch's repository is a fork
            of, where a remote is that, else the branch's own.
        ui: Is warned of secrets that nobody can mask.
        opens: Whether one is to be opened: then a fork is not taken for what it is a fork of.

    Raises:
        ForgeError: If no forge is known, or it cannot be asked.
        UsageError: If it is not clear where the pull requests are.
    """
    assert project.repo is not None  # noqa: S101 - there is a forge
    places = locations(project)
    own = push_remote(project.repo)
    if own is None or own not in places:  # the forge has nothing to say of where it is pushed to
        own = remote
    alone = len(set(map(_key, places.values()))) < 2 and not opens
    with contextlib.ExitStack() as stack:

        def connect(name: str | None) -> Place:
            place = open_forge(project, ui, name)
            stack.callback(place.connection.close)
            return place

        home = connect(own)
        named = places.get(remote) if remote is not None else None
        same = named is not None and _key(named) == _key(home.location)
        if alone or (same and remote is not None):
            yield Sides(home, home, None)
            return
        there = home.connection.whereabouts() if isinstance(home.connection, TellsWhereabouts) else None
        found = _parent(there, home, places, remote, opens=opens)
        place = connect(found) if found is not None else home if remote is None else connect(remote)
        if found is None or there is None:
            yield Sides(place, place, None)
        elif not isinstance(place.connection, TakesForks):
            raise ForgeError(f"{place.forge.name} takes no pull requests of forks from us", hint=f"--remote {own}")
        else:
            yield Sides(place, home, there.path)


def _parent(
    there: Whereabouts | None, home: Place, places: dict[str, Location], remote: str | None, *, opens: bool
) -> str | None:
    """Return the remote of the repository that the branch's repository is a fork of, or None.

    Raises:
        UsageError: If there is none, and one is needed.
    """
    if there is None or there.parent is None:
        return None
    wanted = _key(Location(home.location.host, there.parent))
    names = [name for name, location in places.items() if _key(location) == wanted]
    if remote is not None:
        return remote if remote in names else None
    if names or not opens:
        return names[0] if names else None
    raise UsageError(
        f"{home.remote} ({there.path}) is a fork of {there.parent}, which no remote is",
        hint=f"git remote add upstream URL, to open it there; --remote {home.remote}, to open it in the fork",
    )


def _key(location: Location) -> tuple[str, str]:
    return location.host.lower(), location.path.lower()


_MAX_NAMED = 5


def checks_left_out(config: ConfigView, *, own: bool) -> str:
    """Return which of the project's checks may not run, and why, as a sentence for everybody; empty where all may."""
    names = [check.name for check in configured_checks(config) if not is_trusted(check, config)]
    if not names:
        return ""
    why = "nobody agreed to them here" if own else "they would run code of somebody else"
    return f"the project's checks did not run, for {why}: {listing(names, _MAX_NAMED)}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class OpenedRequest:
    """A pull request, with its configuration, forge and policy.

    Attributes:
        project: The configuration that counts for it.
        place: Its forge.
        request: It, as it was read now.
        own: Whether the person of the token opened it.
        policy: Who is listened to.
        settings: What is configured.
    """

    project: Project
    place: Place
    request: ChangeRequest
    own: bool
    policy: Policy
    settings: CycleSettings

    @property
    def repo(self) -> Repo:
        """The repository, without which there is no forge."""
        assert self.project.repo is not None  # noqa: S101 - there is a forge
        return self.project.repo


@contextlib.contextmanager
def opened(asked: FeedbackRequest, ui: Ui) -> Iterator[OpenedRequest]:
    """Open a pull request; its plugins are configured, and its forge is connected, for as long as the context lasts.

    Args:
        asked: Which one.
        ui: Is told what a person should know.

    Raises:
        ForgeError: If the forge cannot be asked, or has none.
        UsageError: If it is not clear which one is meant.
    """
    repo = find_repo(asked.folder, ui)
    broken: ConfigError | None = None
    try:
        project = load_project(repo, ui, asked.loading)
    except ConfigError as error:  # of a branch that may be somebody else's, whose settings do not count
        broken = error
        project = load_project(repo, ui, dataclasses.replace(asked.loading, read_repo_file=lambda _: None))
    with contextlib.ExitStack() as stack:
        stack.enter_context(configured(project, ui))
        sides = stack.enter_context(both_sides(project, asked.remote, ui))
        place = sides.place
        connection = place.connection
        if not isinstance(connection, ReadsRequests):
            raise ForgeError(f"{place.forge.name} shows no pull requests")
        request = connection.request(asked.number) if asked.number is not None else _of_branch(project, sides)
        me = connection.whoami()
        own = request.author is not None and request.author.id is not None and request.author.id == me.id
        if own and broken is not None:
            raise broken
        if not own:  # its author does not say how it is handled here
            project = load_project(repo, ui, _of_base(repo, place, request, asked.loading))
            stack.enter_context(configured(project, ui))
        tell_untrusted(project.loaded, ui)
        config = project.config
        permission = connection.permission if isinstance(connection, ReadsFeedback) else lambda _: Permission.NONE
        policy = Policy(
            permission=functools.cache(permission),
            me=me,
            allowed_users=folded(config["feedback.allowed_users"]),
            allowed_bots=folded(config["feedback.allowed_bots"]),
            ignored_users=folded(config["feedback.ignored_users"]),
        )
        settings = CycleSettings(
            max_fix_cycles=config["feedback.max_fix_cycles"],
            drafts=config["feedback.drafts"],
            label=config["feedback.label"],
            waits=config["feedback.max_waits"],
            unchecked=checks_left_out(config, own=own),
        )
        yield OpenedRequest(project=project, place=place, request=request, own=own, policy=policy, settings=settings)


def _of_branch(project: Project, sides: Sides) -> ChangeRequest:
    assert project.repo is not None  # noqa: S101 - there is a forge
    branch = current_branch(project.repo.git)
    if branch is None:
        raise UsageError("no branch is checked out", hint="give the number of the pull request")
    found = sides.find(branch, commit_of(project.repo.git, "HEAD"))
    if found is None and (over := _over(project, sides, branch)) is not None:
        return over
    if found is None:
        raise NotFoundError(f"{branch} has no open pull request", hint="selfreview pr create opens one")
    return found


def _over(project: Project, sides: Sides, branch: str) -> ChangeRequest | None:
    """Return the pull request that is recorded here for the branch, or None."""
    assert project.repo is not None  # noqa: S101 - there is a forge
    connection = sides.place.connection
    with open_store(project.repo) as store:
        known = store.session(str(project.repo.root), branch)
    if known is None or known.request is None or known.forge != sides.place.name:
        return None
    assert isinstance(connection, ReadsRequests)  # noqa: S101 - it was looked for there
    try:
        return connection.request(known.request)
    except NotFoundError:
        return None


def _of_base(repo: Repo, place: Place, request: ChangeRequest, options: LoadOptions) -> LoadOptions:
    """Return how to load the configuration of the base's tip."""
    ref = f"refs/remotes/{place.remote}/{request.base}"
    why = fetch(repo.git, place.remote, [request.base])
    commit = only_commit(repo.git, ref)
    if why is not None or commit is None:
        raise ForgeError(f"the base {request.base} cannot be fetched: {why or ref}")
    # Its author chose the base. So what it could run is, as anywhere, what the person agreed to, by its content.
    return dataclasses.replace(options, read_repo_file=commit_reader(repo.git, commit), head_code=False)
