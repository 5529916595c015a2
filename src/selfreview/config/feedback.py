"""Configuration keys of the feedback on pull requests."""

from __future__ import annotations

import re

from selfreview.api import Key

_DATABASE = re.compile(r"postgres(ql)?://([^/?#@:]*(:[^/?#@]*)?@)?[^?#]*(\?[^#]*)?", re.ASCII)


def _check_database(value: str) -> str | None:
    match = _DATABASE.fullmatch(value)
    if value and match is None:
        return "must be the URL of a Postgres database, as postgresql://user@host/name"
    if match is not None and (match[3] or "password=" in (match[4] or "")):
        return "must hold no password: it belongs into ~/.pgpass, or into PGPASSWORD in the environment"
    return None


def _check_worker(value: str) -> str | None:
    return None if re.fullmatch(r"[A-Za-z0-9._-]{0,60}", value) else "must hold letters, digits, dots, - and _ only"


FEEDBACK_KEYS: tuple[Key, ...] = (
    Key(
        name="auto_address_review_comments",
        kind="bool",
        default=False,
        executes=True,  # a branch of somebody else that is checked out here must not have it
        help="Whether `selfreview pr watch` fixes what reviewers ask for; without it, it only tells of news.",
    ),
    Key(
        name="self_review_before_pr",
        kind="bool",
        default=True,
        help="Whether `selfreview pr create` asks for a review that passed, or else makes a draft.",
    ),
    Key(
        name="feedback.max_fix_cycles",
        kind="int",
        default=2,
        minimum=0,
        help="How many times feedback on one pull request is answered with a fix, before a person is called.",
    ),
    Key(
        name="feedback.allowed_users",
        kind="list",
        default=[],
        help="Logins whose feedback alone counts, in addition to the right to write; empty: all who have that right.",
    ),
    Key(name="feedback.allowed_bots", kind="list", default=[], help="Exact names of bots whose feedback counts."),
    Key(name="feedback.ignored_users", kind="list", default=[], help="Logins whose feedback never counts."),
    Key(name="feedback.prompt", kind="str", default="", help="What fixers are told besides when they answer feedback."),
    Key(
        name="feedback.analyzer",
        kind="bool",
        default=True,
        help="Whether a model or an agent reads feedback, where one may be asked; else what has to be read is a "
        "person's.",
    ),
    Key(name="feedback.drafts", kind="bool", default=False, help="Whether feedback on drafts is answered too."),
    Key(
        name="feedback.fix_timeout",
        kind="float",
        default=1800.0,
        minimum=1,
        help="Seconds that one answer to feedback may take.",
    ),
    Key(
        name="feedback.fix_default_branch",
        kind="bool",
        default=False,
        executes=True,  # the author of a pull request chose the base, whose settings count
        help="Whether fixes are pushed to the repository's default branch too, where a pull request merges that one.",
    ),
    Key(
        name="feedback.recreate_worktree",
        kind="bool",
        default=False,
        help=(
            "Whether a working tree is made for a branch that none has, and removed when its pull request is over; "
            "else the feedback waits."
        ),
    ),
    Key(
        name="feedback.max_waits",
        kind="int",
        default=10,
        minimum=1,
        help="How many times in a row this machine may be able to do nothing, before people are told of that.",
    ),
    Key(
        name="feedback.label",
        kind="str",
        default="human-review-required",
        help="The label of a pull request that needs a person; empty: none.",
    ),
    Key(
        name="feedback.poll_interval",
        kind="float",
        default=120.0,
        minimum=5,
        help="Seconds between two looks of `selfreview pr watch`.",
    ),
    Key(
        name="feedback.max_concurrent_fixes",
        kind="int",
        default=5,
        minimum=1,
        help="How many pull requests `selfreview pr watch` fixes at once.",
    ),
    Key(
        name="feedback.database_url",
        kind="str",
        default="",
        user_only=True,
        check=_check_database,
        help="A Postgres database that watchers on several machines share; empty: a file beside the store.",
    ),
    Key(
        name="feedback.worker",
        kind="str",
        default="",
        user_only=True,
        check=_check_worker,
        help="Name of this watcher among those that share a database, the same after each start; empty: the host's.",
    ),
    Key(
        name="feedback.clones",
        kind="str",
        default="",
        user_only=True,
        help="The folder of the clones that a watcher with a shared database works in; empty: below the cache folder.",
    ),
)
"""Keys of the feedback on pull requests, in the order in which the reference lists them."""
