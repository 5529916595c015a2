"""Repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.forge.checks import CheckRun, Status
from tests.forge.labels import Label
from tests.forge.people import User
from tests.forge.pulls import PullRequest, invented_sha
from tests.forge.remote import Remote
from tests.forge.world import Entity, World

ORDER = ("none", "read", "write", "admin")


class Repository(Entity):
    """A repository.

    Attributes:
        owner: Whose it is.
        name: Its name, without the owner's.
        remote: The bare repository with its branches, or None.
        private: Whether only those who are allowed see it.
        archived: Whether nothing may be changed.
        requires_reviews: Whether a rule asks for an approval, so that there is a decision about reviews.
        default_branch: What pull requests go to by default.
        parent: What it is a fork of, or None.
    """

    prefix = "R"

    def __init__(
        self,
        world: World,
        owner: User,
        name: str,
        *,
        remote: Path | None = None,
        private: bool = False,
        parent: Repository | None = None,
    ) -> None:
        super().__init__(world)
        self.owner = owner
        self.name = name
        self.remote = None if remote is None else Remote(remote)
        self.private = private
        self.parent = parent
        self.archived = False
        self.requires_reviews = False
        self.default_branch = "main"
        self.pulls: list[PullRequest] = []
        self.labels: dict[str, Label] = {}
        self.check_runs: list[CheckRun] = []
        self.statuses: list[Status] = []
        self._permissions: dict[User, str] = {owner: "admin"}
        self._associations: dict[User, str] = {owner: "OWNER"}
        self._heads: dict[str, str] = {}

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        return f"{self.owner.login}/{self.name}"

    # --- who ---------------------------------------------------------------------------------------------------------

    def allow(self, user: User, permission: str, *, association: str | None = None) -> User:
        """Give an account a permission: ``admin``, ``write``, ``read`` or ``none``; return the account.

        Args:
            association: What the forge says of them to others, such as ``MEMBER``; None takes what follows.
        """
        if permission not in ORDER:
            raise ValueError(f"no permission: {permission}")
        with self.world.lock:
            self._permissions[user] = permission
            follows = "COLLABORATOR" if permission != "none" else "NONE"
            self._associations[user] = association or follows
        return user

    def permission(self, user: User | None) -> str:
        """Return an account's permission; a public repository may be read by anybody."""
        if user is not None and user in self._permissions:
            return self._permissions[user]
        return "none" if self.private else "read"

    def may(self, user: User | None, permission: str) -> bool:
        """Return whether an account's permission is at least ``permission``."""
        return ORDER.index(self.permission(user)) >= ORDER.index(permission)

    def association(self, user: User) -> str:
        """Return an author's association with the repository."""
        return self._associations.get(user, "NONE")

    def is_collaborator(self, user: User) -> bool:
        """Return whether an account was given a permission."""
        return self._permissions.get(user, "none") != "none"

    def collaborators(self) -> list[User]:
        """Return the accounts that were given a permission, but for those that are gone."""
        return [user for user in self._permissions if self.is_collaborator(user) and not user.deleted]

    # --- branches ----------------------------------------------------------------------------------------------------

    def heads(self) -> dict[str, str]:
        """Return the commit of each branch."""
        return dict(self._heads) if self.remote is None else self.remote.heads()

    def sha(self, branch: str) -> str:
        """Return the commit of a branch; without a remote, a branch that nobody named is made."""
        heads = self.heads()
        if branch not in heads and self.remote is None:
            heads[branch] = self._heads[branch] = invented_sha(f"{self.node_id}{branch}")
        return heads.get(branch) or "0" * 40

    def set_sha(self, branch: str, sha: str) -> None:
        """Move a branch, in a repository without a remote."""
        self._heads[branch] = sha

    def delete_branch(self, branch: str) -> None:
        """Remove a branch, in a repository without a remote."""
        with self.world.lock:
            self._heads.pop(branch, None)
            self.look()

    def look(self) -> None:
        """Update pull requests after pushes; one whose branch is gone is closed."""
        heads = self.heads()
        for pull in [one for other in self.world.repositories.values() for one in other.pulls]:
            if pull.head_repository is not self or pull.state != "open":
                continue
            sha = heads.get(pull.head)
            if sha is None:
                pull.close()
            elif sha != pull.head_sha:
                pull.moved_to(sha)

    # --- what is in it -----------------------------------------------------------------------------------------------

    def pull(
        self,
        head: str = "feature",
        *,
        author: User,
        base: str | None = None,
        title: str = "A change",
        body: str | None = None,
        draft: bool = False,
        fork: Repository | None = None,
        maintainer_can_modify: bool = False,
    ) -> PullRequest:
        """Open a pull request.

        Args:
            head: The head branch.
            fork: The repository of the head branch, where it is another one.
        """
        with self.world.lock:
            pull = PullRequest(
                self,
                len(self.pulls) + 1,
                author=author,
                head=head,
                base=base or self.default_branch,
                title=title,
                body=body,
                draft=draft,
                head_repository=fork,
                maintainer_can_modify=maintainer_can_modify,
            )
            self.sha(pull.base)
            self.pulls.append(pull)
            pull.tell("pull_request", "opened", author)
            return pull

    def label(self, name: str, color: str = "ededed", description: str | None = None) -> Label:
        """Return the label of a name, which is made if there is none."""
        with self.world.lock:
            key = name.lower()
            if key not in self.labels:
                self.labels[key] = Label(self.world, name, color, description)
            return self.labels[key]

    def check(self, name: str, conclusion: str | None, sha: str, **more: str) -> CheckRun:
        """Add a check run; ``conclusion`` None is one that still runs. ``more``: as of :class:`CheckRun`."""
        with self.world.lock:
            run = CheckRun(self, name, sha, conclusion, **more)
            self.check_runs.append(run)
            self.tell("check_run", "completed" if conclusion else "created", check_run=run)
            return run

    def status(self, context: str, state: str, sha: str, description: str | None = None) -> Status:
        """Add a commit status."""
        with self.world.lock:
            status = Status(self.world, context, sha, state, description)
            self.statuses.append(status)
            self.tell("status", "", status=status)
            return status

    def tell(self, event: str, action: str, **about: Any) -> None:
        """Report an event that no person causes to listeners such as webhooks."""
        for listener in self.world.listeners:
            listener(event, action, self, None, about)

    def latest_checks(self, sha: str) -> list[CheckRun]:
        """Return the latest attempt of each check of a commit, the newest first."""
        known: dict[tuple[str, str], CheckRun] = {}
        for one in reversed(self.check_runs):
            if one.sha == sha:
                known.setdefault((one.app, one.name), one)
        return list(known.values())

    def latest_statuses(self, sha: str) -> list[Status]:
        """Return the latest status of each context of a commit."""
        return list({one.context: one for one in self.statuses if one.sha == sha}.values())

    def rename(self, name: str) -> None:
        """Rename the repository; the old name redirects to the new one."""
        with self.world.lock:
            self.name = name
            self.world.repositories[self.full_name.lower()] = self
