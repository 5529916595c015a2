"""``selfreview hook run``: what the shims and pre-commit call."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from selfreview.app.policies import HOOK
from selfreview.app.run import RUN
from selfreview.app.state import ReviewedRun
from selfreview.cli import console
from selfreview.cli.common import find_repo
from selfreview.cli.failure import fail
from selfreview.cli.review.run import command as run_command
from selfreview.cli.running import request_of, review_request
from selfreview.errors import ExitCode, SelfreviewError, UsageError
from selfreview.git.push_ranges import Push, PushRange, Update, parse_updates, plan_push
from selfreview.git.repo import Repo
from selfreview.git.scope import resolved_paths
from selfreview.text.escape import visible

_SCOPES = frozenset({"paths", "base", "head", "staged", "commit", "range", "diff", "collect_only"})
_REFINING = frozenset({"max_iterations", "fixers", "apply", "stage"})
_NOT_IN_A_HOOK = _SCOPES | _REFINING
_WORST_FIRST = (
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL_ERROR,
    ExitCode.USAGE,
    ExitCode.INCOMPLETE,
    ExitCode.ISSUES,
    ExitCode.PASSED,
)


class _Ended(NamedTuple):
    """The outcome of a review.

    Attributes:
        code: Its exit code.
        fixable: Whether there is a fixer for something that blocks.
    """

    code: int
    fixable: bool


@click.group(name="run")
def command() -> None:
    """Do what a hook does; git's hooks and pre-commit call this."""


def _options() -> list[click.Parameter]:
    """The options of ``selfreview run`` that do not choose what is reviewed."""
    return [option for option in run_command.params if option.name not in _NOT_IN_A_HOOK]


_RUN = "run"
"""The command that was stopped where pre-commit names a range: neither a commit nor a push."""
_FIXES = " and offers fixes"
_LOOK = f"selfreview run{{}} looks again{_FIXES}, "
"""Advice after a stopped command, with the options that choose its scope: a hook itself never refines."""


@command.command(name="pre-commit", params=_options())
def pre_commit(**options: Any) -> int:
    """Review what a commit would take: the staged content.

    Of a merge, only the files that are as in none of the merged commits. Under pre-commit with --from-ref and
    --to-ref: that range.
    """
    repo = find_repo(hook=True)
    asked = _range_of_pre_commit(repo, os.environ)
    if asked is not None:
        return _stop(_review(repo, options, range=asked), _RUN, "")
    merged = resolved_paths(repo)
    if merged is None:
        return _stop(_review(repo, options, staged=True), "commit", _LOOK.format(" --staged"))
    if not merged:
        console.note("selfreview: nothing to review, this merge takes every file as one side has it")
        return ExitCode.PASSED
    paths = [str(repo.root / path) for path in merged]
    return _stop(_review(repo, options, paths, merge=True, staged=True), "commit", _LOOK.format(" --staged"))


@command.command(name="pre-push", params=[*_options(), click.Argument(["remote"], required=False),
                                          click.Argument(["url"], required=False)])  # fmt: skip
def pre_push(remote: str | None, url: str | None, **options: Any) -> int:  # noqa: ARG001 - git passes both
    """Review what a push would send: for every ref on standard input, the commits that nobody has seen yet.

    REMOTE and URL are what git hands to its hook. Without them, under pre-commit, its variables say what is pushed.
    """
    if any(":" in text for text in options["formats"]):
        raise UsageError("one push can have several reports, so they cannot go to one file", hint="--format NAME")
    repo = find_repo(hook=True)
    if remote is None and "PRE_COMMIT" in os.environ:
        asked = None if "PRE_COMMIT_REMOTE_NAME" in os.environ else _range_of_pre_commit(repo, os.environ)
        if asked is not None:
            return _stop(_review(repo, options, range=asked), _RUN, "")
        remote = os.environ.get("PRE_COMMIT_REMOTE_NAME")
        updates = [_update_of_pre_commit(os.environ)]
    else:
        updates = parse_updates(_standard_input())
    return _stop(_review_push(repo, options, plan_push(repo, updates, remote)), "push", _LOOK.format(""))


def _range_of_pre_commit(repo: Repo, environ: Mapping[str, str]) -> str | None:
    """Return the range that ``pre-commit run --from-ref A --to-ref B`` names, understood as pre-commit does.

    But where a shallow clone lacks the merge base, pre-commit compares both ends, and so takes for the change what it
    does not have of A; this range cannot be reviewed instead.
    """
    old, new = environ.get("PRE_COMMIT_FROM_REF"), environ.get("PRE_COMMIT_TO_REF")
    if "PRE_COMMIT" not in environ or not old or not new:
        return None
    related = repo.git.line(["merge-base", "--", old, new]) is not None
    shallow = repo.git.line(["rev-parse", "--is-shallow-repository"]) == "true"
    return f"{old}...{new}" if related or shallow else f"{old}..{new}"


def _update_of_pre_commit(environ: Mapping[str, str]) -> Update:
    """Return the ref that pre-commit says is pushed; by default the current branch, to nowhere in particular.

    What pre-commit calls FROM is a commit that the remote has. When the root commit is pushed, it names no commits.
    """
    local = environ.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"
    new = environ.get("PRE_COMMIT_TO_REF") or local
    return Update(new, environ.get("PRE_COMMIT_REMOTE_BRANCH") or local, environ.get("PRE_COMMIT_FROM_REF") or "")


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "git's pre-push hook names the refs on standard input, and there is none",
            hint="to review what a push would send: selfreview run --range @{push}..HEAD",
        )
    return sys.stdin.buffer.read()


def _review_push(repo: Repo, options: dict[str, Any], push: Push) -> _Ended:
    """Review every range, and return the worst exit code."""
    codes, fixable = [ExitCode.PASSED.value], False
    for ref in push.no_commit:
        console.note(f"error: {ref} points at no commit, so it cannot be reviewed")
        codes.append(ExitCode.INCOMPLETE)
    if not push.ranges and not push.no_commit:
        console.note("selfreview: nothing to review, the remote has these commits already")
    for number, item in enumerate(push.ranges, 1):
        if len(push.ranges) > 1:
            _tell(options, _heading(item, number, len(push.ranges)), first=number == 1)
        ended = _review(repo, options, range=f"{item.old}..{item.new}")
        codes.append(ended.code)
        fixable = fixable or ended.fixable
    return _Ended(min(codes, key=_badness), fixable)


def _tell(options: dict[str, Any], heading: str, *, first: bool) -> None:
    """Print a heading: above a report for people in the report itself, else on standard error."""
    if options["formats"] in ((), ("terminal",)):
        console.say(f"{'' if first else chr(10)}{heading}")
        sys.stdout.flush()
    else:
        console.note(heading)


def _heading(item: PushRange, number: int, total: int) -> str:
    refs = ", ".join(visible(ref.removeprefix("refs/heads/").removeprefix("refs/")) for ref in item.refs)
    commits = "1 commit" if item.commits == 1 else f"{item.commits} commits"
    return f"selfreview: {number} of {total}: {refs} ({commits})"


def _badness(code: int) -> int:
    return _WORST_FIRST.index(ExitCode(code))


def _review(repo: Repo, options: dict[str, Any], paths: Sequence[str] = (), **scope: Any) -> _Ended:
    """Review one scope; an error ends this review, not those of the other refs."""
    policy = dataclasses.replace(HOOK, find_repo=lambda _request, _ui: repo)
    fixable = False

    def look(run: ReviewedRun) -> ReviewedRun:
        nonlocal fixable
        fixable = _is_fixable(run)  # while plugins are configured
        return run

    try:
        request = request_of(options, paths=paths, **scope)
        return _Ended(review_request(request, policy, RUN | look)[1], fixable)
    except SelfreviewError as error:
        return _Ended(fail(error.message, error.hint, error.exit_code, formats=options["formats"]), fixable=False)


def _is_fixable(run: ReviewedRun) -> bool:
    """Return whether a fixer that is selected by default accepts an issue that blocks."""
    from selfreview.app.fixers import select_fixers
    from selfreview.app.loading import fixers_of
    from selfreview.refine.call_fixer import would_take

    blocking = [issue for issue in run.result.issues if run.threshold.blocks(issue)]
    if not blocking:
        return False
    fixers, _ = select_fixers(fixers_of(run.manager, run.config), run.config, (), uploads=False)
    return any(would_take(fixer, issue, run.config) for fixer in fixers for issue in blocking)


def _stop(ended: _Ended, what: str, look: str) -> int:
    code = ended.code
    if code != ExitCode.PASSED:
        instead = look.replace(_FIXES, "") if not ended.fixable else look
        again = "" if what == _RUN else f" git {what}"
        skip = f"SELFREVIEW_SKIP=1{again} goes ahead without a review"
        console.note(f"selfreview stopped the {what}; {instead}{skip}")
    return code
