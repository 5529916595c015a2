"""Every configuration key of selfreview itself, declared once, and the registry that plugins add theirs to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from selfreview.api import Key
from selfreview.api.config import KeyKind
from selfreview.config.tables import (
    MOST_SECONDS,
    check_agents,
    check_baseline,
    check_checks,
    check_commands,
    check_complete,
    check_globs,
    check_max_issues,
    check_per_file,
    check_rule_paths,
    check_runnable,
    check_select,
    check_selectors,
    check_severities,
    check_workspace,
)
from selfreview.config.values import Problem, has_kind
from selfreview.errors import RegistrationError
from selfreview.model.issue import DEFAULT_THRESHOLD, NEVER, Category, Severity

THRESHOLDS = (*(severity.value for severity in Severity), NEVER)
"""Values of a severity threshold; with ``never`` nothing blocks."""


def _check_threshold(value: str | Mapping[str, Any]) -> Problem | None:
    if isinstance(value, str):
        return None
    names = ("default", *(category.value for category in Category))
    for name, severity in value.items():
        if name not in names:
            from selfreview.text.suggestion import did_you_mean

            return Problem(f"is not a category; there are {', '.join(names)}", (name,), did_you_mean(name, names))
        if severity not in THRESHOLDS:
            return Problem(f"must be one of {', '.join(THRESHOLDS)}", (name,))
    return None


def _check_per_file(table: Mapping[str, Any]) -> Problem | None:
    """Return the error in ``per_file_ignores``, below whose header a key of the file itself is meant as one."""
    name = next((name for name in table if any(key.name == name for key in OWN_KEYS)), None)
    if name is not None:
        hint = f"{name} belongs above [per_file_ignores]; for files of that name: **/{name}"
        return Problem("is a configuration key, and no pattern of files", (name,), hint)
    return check_per_file(table)


def _check_base(value: str) -> Problem | None:
    return None if value.strip() and not value.startswith("-") else Problem("must name a commit")


def _check_seconds(value: float) -> Problem | None:
    return None if value <= MOST_SECONDS else Problem(f"must be at most {MOST_SECONDS}")


def _check_reviewers(value: str | list[str]) -> Problem | None:
    if isinstance(value, str):
        return None
    return _check_names(value) or (None if value else Problem('must name a reviewer, or be "auto"'))


def _check_fixers(value: str | list[str]) -> Problem | None:
    return None if isinstance(value, str) else _check_names(value)


def _check_names(value: list[str]) -> Problem | None:
    for index, name in enumerate(value):
        if not name.strip() or name in value[:index]:
            return Problem("must hold names, each once", (index,))
    return None


CORE_KEYS: tuple[Key, ...] = (
    Key(
        name="enabled",
        kind="bool",
        default=True,
        help="Whether anything is done here: off, nothing is reviewed, pushed, sent, or written on a forge.",
    ),
    Key(
        name="severity_threshold",
        kind="str_or_table",
        default=DEFAULT_THRESHOLD,
        choices=THRESHOLDS,
        check=_check_threshold,
        help="The lowest severity that blocks, or `never`; also per category, as a table with `default`. What stands "
        "for something that nobody could review blocks at every other value.",
    ),
    Key(
        name="base",
        kind="str",
        default=None,
        check=_check_base,
        help="What the change is compared with; by default it is discovered.",
    ),
    Key(
        name="reviewers",
        kind="str_or_list",
        default="auto",
        choices=("auto",),
        check=_check_reviewers,
        help="Which reviewers run: `auto`, or a list of names, of which `auto` can be one.",
    ),
    Key(
        name="required_reviewers",
        kind="list",
        default=[],
        check=_check_names,
        help="Reviewers without which the result is incomplete.",
    ),
    Key(
        name="exclude",
        kind="list",
        default=[],
        check=check_globs,
        help="Files that are not reviewed, as patterns in the manner of `.gitignore`; listed in the result.",
    ),
    Key(
        name="requirements",
        kind="list",
        default=[],
        check=check_globs,
        help="Documents that say what the change is meant to do, as patterns; models are shown them.",
    ),
    Key(
        name="on_incomplete",
        kind="str",
        default="fail",
        choices=("fail", "warn"),
        help="Whether a review that could not take place fails the run or only warns; a gate it always fails.",
    ),
    Key(
        name="self_suppressions",
        kind="str",
        default="list",
        choices=("list", "ignore"),
        help="Whether a gate honours and lists what a change of this repository's own branches says against its own "
        "review (`list`), or not (`ignore`); of a change from elsewhere it never does.",
    ),
    Key(
        name="max_issues",
        kind="table",
        default={},
        check=check_max_issues,
        help="How many open issues there may be, those that block among them: by `total`, severity or category.",
    ),
    Key(
        name="baseline",
        kind="str",
        default="selfreview-baseline.toml",
        check=check_baseline,
        help="The file of issues that are known and do not count; `selfreview baseline` keeps it.",
    ),
    Key(
        name="strict",
        kind="bool",
        default=False,
        help="Whether suppressions and baseline entries that are invalid or match nothing fail the review.",
    ),
    Key(
        name="reviewer_timeout",
        kind="float",
        default=120.0,
        minimum=1,
        check=_check_seconds,
        help="Seconds that one reviewer may take that has no timeout of its own.",
    ),
    Key(
        name="max_file_bytes",
        kind="int",
        default=2_000_000,
        minimum=1,
        help="Files above this size in bytes are not reviewed; listed in the result.",
    ),
    Key(name="cache", kind="bool", default=True, help="Whether results are kept and used again for the same content."),
    Key(
        name="offline",
        kind="bool",
        default=False,
        help="Whether nothing may be sent to a model: such reviewers are skipped, with the reason.",
    ),
    Key(
        name="color",
        kind="str",
        default="auto",
        choices=("auto", "always", "never"),
        help="Whether what a terminal shows is coloured; `NO_COLOR` and `FORCE_COLOR` are honoured.",
    ),
    Key(
        name="jobs",
        kind="int",
        default=0,
        minimum=0,
        help="How many reviewers run at once; 0 stands for the number of processors.",
    ),
    Key(
        name="command",
        kind="table",
        default={},
        executes=True,
        check=check_commands,
        check_merged=check_complete,
        help="Tools as reviewers, one table each: `[command.NAME]`.",
    ),
    Key(
        name="agents",
        kind="table",
        default={},
        executes=True,
        check=check_agents,
        check_merged=check_runnable,
        help="Agents as reviewers, one table each: `[agents.NAME]`.",
    ),
    Key(
        name="agent_timeout",
        kind="float",
        default=600.0,
        minimum=1,
        check=_check_seconds,
        help="Seconds that one agent may take for one part of a review.",
    ),
    Key(
        name="agent_confinement",
        kind="bool",
        default=True,
        user_only=True,
        help="Whether the system keeps agents from what is not theirs, where it can (Linux, with Landlock).",
    ),
    Key(
        name="fetch_timeout",
        kind="float",
        default=30.0,
        minimum=1,
        check=_check_seconds,
        help="Seconds that one call of a forge may take, with all its requests and waiting.",
    ),
    Key(
        name="select",
        kind="list",
        default=["*"],
        check=check_select,
        help="What is reported: rules, reviewers, or both as `reviewer/rule`, with `*` for any characters of the rule.",
    ),
    Key(
        name="ignore",
        kind="list",
        default=[],
        check=check_selectors,
        help="What is not reported, as in `select`; of the two, what is more specific counts.",
    ),
    Key(
        name="per_file_ignores",
        kind="table",
        default={},
        check=_check_per_file,
        help="What is not reported in some files, as in `ignore`, by patterns as in `exclude`.",
    ),
    Key(
        name="severity",
        kind="table",
        default={},
        check=check_severities,
        help="Severities of rules and reviewers, as in `select`, in place of those that reviewers give.",
    ),
    Key(
        name="rules_path",
        kind="list",
        default=[],
        check=check_rule_paths,
        help="Folders and files of the repository with ast-grep rules in YAML, which the reviewer `rules` applies too.",
    ),
    Key(
        name="stats_minutes_per_fix",
        kind="float",
        default=5.0,
        minimum=0,
        help="Minutes that a person is taken to need for an issue that a fixer fixed: `selfreview stats` estimates the "
        "time saved with it.",
    ),
)

LOOP_KEYS: tuple[Key, ...] = (
    Key(
        name="max_iterations",
        kind="int",
        default=3,
        minimum=0,
        help="How many times a change is refined at most; the review after the last one always happens.",
    ),
    Key(
        name="fixers",
        kind="str_or_list",
        default="auto",
        choices=("auto",),
        check=_check_fixers,
        help="Which fixers run, in order of preference: `auto`, or a list of names, of which `auto` can be one.",
    ),
    Key(
        name="fixer_timeout",
        kind="float",
        default=900.0,
        minimum=1,
        check=_check_seconds,
        help="Seconds that one fixer may take in one iteration.",
    ),
    Key(
        name="refine_timeout",
        kind="float",
        default=3600.0,
        minimum=1,
        check=_check_seconds,
        help="Seconds that all iterations of a run may take together.",
    ),
    Key(
        name="apply",
        kind="str",
        default="ask",
        choices=("ask", "always", "never"),
        help="Whether a refinement is applied to your tree: after a question on a terminal, always, or never.",
    ),
    Key(
        name="tests",
        kind="str",
        default="hold",
        choices=("hold", "allow"),
        user_only=True,
        help="Whether fixers' edits of existing tests, snapshots and fixtures wait for your approval, or are treated "
        "as other edits.",
    ),
    Key(
        name="checks",
        kind="table",
        default={},
        executes=True,
        check=check_checks,
        check_merged=check_runnable,
        help='The project\'s own checks, run when nothing open blocks: `NAME = "command"`, or one table each.',
    ),
    Key(
        name="workspace",
        kind="table",
        default={},
        executes=True,
        check=check_workspace,
        help="How checks are made to run in a workspace: `setup` commands, and ignored folders to `share`.",
    ),
)
"""Keys of refinement."""


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
        help="Whether `selfreview pr watch` fixes what reviewers ask for; without it, news is only reported.",
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
    Key(
        name="feedback.prompt", kind="str", default="", help="Additional instructions for fixers that answer feedback."
    ),
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
        help="How many fix cycles in a row may fail because of this machine, before people are notified.",
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


NOTIFY_KEYS: tuple[Key, ...] = (
    Key(
        name="notification_channels",
        kind="list",
        default=[],
        check=_check_names,
        help="Channels that send notifications; `selfreview notify status` lists those that exist.",
    ),
    Key(
        name="notify_on_ready",
        kind="bool",
        default=True,
        help="Whether people are notified when a branch is ready for them.",
    ),
)
"""Keys of every channel together; ``[notify.NAME]`` is each channel's own."""


_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")

OWN_KEYS = (*CORE_KEYS, *LOOP_KEYS, *FEEDBACK_KEYS, *NOTIFY_KEYS)
"""The keys that no plugin declares."""


class KeyRegistry:
    """All declared keys; the ``parser`` that ``selfreview_addoption`` is given.

    Args:
        keys: What is declared to begin with.
    """

    def __init__(self, keys: Iterable[Key] = OWN_KEYS) -> None:
        self._keys: dict[str, Key] = {}
        self._tables: dict[str, str] = {}  # the first key below each
        for key in keys:
            self.add_key(key)

    def add_key(self, key: Key) -> None:
        """Declare a key.

        Raises:
            RegistrationError: If the name is declared already, is no name, or is a table and a value at once; or if
                the kind does not exist, or the default is of another.
        """
        kinds = get_args(KeyKind)
        if key.kind not in kinds:
            hint = f"there are {', '.join(kinds)}"
            raise RegistrationError(f"configuration key {key.name!r} has an unknown kind {key.kind!r}", hint=hint)
        if not (key.default is None or isinstance(key.default, tuple) or has_kind(key, key.default)):
            message = f"configuration key {key.name!r} is a {key.kind} whose default is {key.default!r}"
            raise RegistrationError(message, hint="give it a default of its kind, or None")
        if not _NAME.fullmatch(key.name):
            message = f"configuration key {key.name!r} is not made of names joined by dots"
            raise RegistrationError(message, hint="such as 'mine.level': letters, digits, '_' and '-'")
        *tables, name = itertools.accumulate(key.name.split("."), "{}.{}".format)
        other = next((found for found in (*tables, name) if found in self._keys), self._tables.get(name))
        if other is not None:
            message = f"configuration key {name!r} is declared twice, or collides with {other!r}"
            raise RegistrationError(message, hint="begin it with the name of your plugin")
        self._keys[name] = key
        for table in tables:
            self._tables.setdefault(table, name)

    def get(self, name: str) -> Key | None:
        """Return a key, or None."""
        return self._keys.get(name)

    def has_below(self, name: str) -> bool:
        """Say whether a name is that of a table with declared keys."""
        return name in self._tables

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys.values())

    def __len__(self) -> int:
        return len(self._keys)
