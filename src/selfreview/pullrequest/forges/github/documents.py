"""GitHub's API documents: their schemas, as far as they are read, and accounts and pull requests made of them."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from selfreview.errors import ForgeError, RefusedError
from selfreview.model.feedback import ChangeRequest, Permission, Person, RequestState
from selfreview.pullrequest.forges.http.client import Call

T = TypeVar("T")


class User(msgspec.Struct):
    """An account."""

    login: str
    id: int | None = None
    type: str | None = None


class Repository(msgspec.Struct):
    """A repository."""

    id: int
    full_name: str
    owner: User | None = None
    default_branch: str | None = None
    archived: bool | None = None
    parent: Repository | None = None


class Branch(msgspec.Struct):
    """One side of a pull request."""

    ref: str
    sha: str
    repo: Repository | None = None


class Label(msgspec.Struct):
    """A label."""

    name: str


class Event(msgspec.Struct):
    """Something that happened to a pull request."""

    event: str
    actor: User | None = None
    created_at: str | None = None
    label: Label | None = None


class Pull(msgspec.Struct):
    """A pull request."""

    number: int
    state: str
    head: Branch
    base: Branch
    title: str | None = None
    body: str | None = None
    html_url: str = ""
    draft: bool | None = None
    merged_at: str | None = None
    user: User | None = None
    updated_at: str | None = None
    maintainer_can_modify: bool | None = None
    labels: list[Label] | None = None
    requested_reviewers: list[User] | None = None


class Review(msgspec.Struct):
    """A review."""

    id: int
    state: str
    body: str | None = None
    user: User | None = None
    submitted_at: str | None = None
    commit_id: str | None = None
    html_url: str = ""


class Inline(msgspec.Struct):
    """A comment on lines."""

    id: int
    path: str
    body: str | None = None
    user: User | None = None
    created_at: str | None = None
    updated_at: str | None = None
    html_url: str = ""
    line: int | None = None
    start_line: int | None = None
    original_line: int | None = None
    original_start_line: int | None = None
    side: str | None = None
    subject_type: str | None = None
    commit_id: str | None = None
    original_commit_id: str | None = None
    diff_hunk: str | None = None
    in_reply_to_id: int | None = None
    pull_request_review_id: int | None = None


class Comment(msgspec.Struct):
    """A general comment."""

    id: int
    body: str | None = None
    user: User | None = None
    created_at: str | None = None
    updated_at: str | None = None
    html_url: str = ""
    minimized: Any = None


class App(msgspec.Struct):
    """App that runs a check."""

    id: int | None = None
    slug: str | None = None


class Output(msgspec.Struct):
    """Output of a check."""

    title: str | None = None
    summary: str | None = None


class CheckRun(msgspec.Struct):
    """An attempt of a check."""

    id: int
    name: str
    status: str
    head_sha: str
    conclusion: str | None = None
    html_url: str | None = None
    details_url: str | None = None
    app: App | None = None
    output: Output | None = None


class Status(msgspec.Struct):
    """A commit status."""

    id: int
    context: str
    state: str
    description: str | None = None
    target_url: str | None = None


class Written(msgspec.Struct):
    """Comment or answer that was just written."""

    id: int
    html_url: str = ""


def read(data: object, shape: type[T]) -> T:
    """Return a document converted to a schema.

    Raises:
        ForgeError: If it is another.
    """
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        raise ForgeError(f"GitHub's answer cannot be understood: {error}") from error


_VIEWER = "query { viewer { login databaseId } }"
_BOT = "[bot]"


def person(user: User | None) -> Person | None:
    """Return an account as a person, or None where it is gone."""
    if user is None:
        return None
    return Person(
        login=user.login,
        id=None if user.id is None else str(user.id),
        is_bot=user.type == "Bot" or user.login.endswith(_BOT),
    )


def graph_login(login: str, kind: str) -> str:
    """Return a login of GraphQL as REST writes it: a bot's lacks its ending there."""
    return f"{login}{_BOT}" if kind == "Bot" and not login.endswith(_BOT) else login


def whose(call: Call) -> Person:
    """Return the account of the token; an app's token may not read ``/user``."""
    try:
        return read_person(call.get("/user"))
    except RefusedError:
        viewer = call.query(_VIEWER, {}).at("viewer")
        if not isinstance(viewer, dict):
            raise
        login = str(viewer.get("login") or "")
        number = viewer.get("databaseId")
        return Person(login=login, id=None if number is None else str(number), is_bot=login.endswith(_BOT))


def read_person(data: object) -> Person:
    """Return the account that a document is about."""
    user = read(data, User)
    return Person(login=user.login, id=str(user.id), is_bot=user.type == "Bot")


def permission_of(data: object) -> Permission:
    """Return the permission in a document; an unknown role allows nothing."""
    role = data.get("permission") if isinstance(data, dict) else None
    return _PERMISSIONS.get(str(role), Permission.NONE)


_PERMISSIONS = {
    "admin": Permission.ADMIN,
    "maintain": Permission.WRITE,
    "write": Permission.WRITE,
    "triage": Permission.READ,
    "read": Permission.READ,
}


def change_request(pull: Pull) -> ChangeRequest:
    """Return a pull request in the form that is the same for all forges."""
    head, base = pull.head.repo, pull.base.repo
    same = head is not None and base is not None and head.id == base.id
    return ChangeRequest(
        number=pull.number,
        url=pull.html_url,
        title=pull.title or "",
        body=pull.body or "",
        state=_state(pull),
        draft=bool(pull.draft),
        author=person(pull.user),
        head=pull.head.ref,
        head_sha=pull.head.sha,
        base=pull.base.ref,
        head_repository=head.full_name if head else None,
        same_repository=same,
        may_push=same or _fork_takes_pushes(pull),
        updated=pull.updated_at or "",
        labels=tuple(label.name for label in pull.labels or ()),
        requested=tuple(user.login for user in pull.requested_reviewers or ()),
    )


def _fork_takes_pushes(pull: Pull) -> bool:
    """Return whether maintainers may push to a fork: never to an organisation's, whatever its author ticked.

    A list of pull requests does not tell; then the answer is no.
    """
    repository = pull.head.repo
    owner = repository.owner if repository else None
    return bool(pull.maintainer_can_modify) and owner is not None and owner.type != "Organization"


def _state(pull: Pull) -> RequestState:
    if pull.merged_at:
        return RequestState.MERGED
    return RequestState.OPEN if pull.state == "open" else RequestState.CLOSED
