"""Schemas of GitHub's API documents, as far as they are read. Fields that may be missing or null there may be here."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from selfreview.errors import ForgeError

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
