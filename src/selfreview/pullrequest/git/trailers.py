"""Trailers of a commit that answers feedback: the branch alone shows what was handled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.git.run import Git
from selfreview.text.escape import visible
from selfreview.text.layout import listing

_CALLING = re.compile(r"([@#])(?=\w)|(!)(?=\d)")
"""A mention, or a number of an issue or a request: with a space behind it, it is neither."""
_NUMBERED = re.compile(r"\b(gh)-(?=\d)", re.IGNORECASE)
_NONE = r"(?!(?:UTF|SHA|ISO|RFC|PEP|CVE|MD|AES|RSA|IPV|HTTP|TLS|EUC|CP|IEEE|ECMA)-)"
"""Standards that are written like keys."""
_KEY = re.compile(rf"\b{_NONE}([A-Z][A-Z0-9_]+)-(?=\d)")
"""A key of a tracker that knows no ``#``: some link it wherever it stands."""
_CLOSING = re.compile(r"\b(?:clos|fix|resolv|implement|complet|end|refs?|part of)", re.IGNORECASE)
_ANY_KEY = re.compile(rf"\b{_NONE}([a-z][a-z0-9_]*)-(?=\d)", re.IGNORECASE)
"""A key in a text with a word that trackers act on: they take more than one behind it, and some in small letters."""
_NO_CI = re.compile(r"\*{2,}|(no_ci)", re.IGNORECASE)
_BRACKETS = str.maketrans("[]", "()")


def quiet(text: str) -> str:
    """Return a text of others as one line of a commit message, with mentions, numbers and keys made inert.

    No ``[skip ci]`` or another order in brackets, no mention, no reference that closes an issue or links one, no
    address, no trailer, and nothing that a terminal does not show.
    """
    line = visible(" ".join(text.split())).translate(_BRACKETS)
    line = _NO_CI.sub(lambda match: "no ci" if match[1] else "*", line)
    line = (_ANY_KEY if _CLOSING.search(line) else _KEY).sub(r"\1 ", line)
    line = _NUMBERED.sub(r"\1 ", line)
    line = _CALLING.sub(r"\g<0> ", line.replace("://", ": //"))
    return re.sub(r"\b(skip-checks)\s*:", r"\1", line, flags=re.IGNORECASE)


REQUEST = "Selfreview-PR"
CYCLE = "Selfreview-Cycle"
FEEDBACK = "Selfreview-Feedback"

_NUMBER = re.compile(r"[0-9]{1,6}")
_LOGIN = re.compile(r"\w[\w.-]{0,99}(\[bot\])?")


class FixCommit(NamedTuple):
    """A commit that answers feedback.

    Attributes:
        sha: The commit.
        cycle: Which answer it is, from 1.
        keys: The feedback that it answers (``FeedbackItem.key``).
    """

    sha: str
    cycle: int
    keys: tuple[str, ...]


def subject(cycle: int, paths: Sequence[str]) -> str:
    """Return the first line of a fix commit's message."""
    names = listing((visible(Path(path).name) for path in paths), 2)
    return f"Address review comments in {names} (fix cycle {cycle})"


def message(
    subject: str, done: Iterable[str], *, request: str, cycle: int, keys: Sequence[str], authors: Iterable[str]
) -> str:
    """Return the message of a fix commit; text and file names of others in it are made inert.

    Args:
        subject: Its first line.
        done: What it does, one entry each; empty ones are left out.
        request: The pull request, as ``owner/name#5``.
        cycle: Which answer it is, from 1.
        keys: The feedback that it answers.
        authors: Whom to name as co-authors, as ``Name <address>``.
    """
    lines = [f"{REQUEST}: {_word(request)}", f"{CYCLE}: {cycle}", *(f"{FEEDBACK}: {_word(key)}" for key in keys)]
    lines += [f"Co-authored-by: {' '.join(author.split())}" for author in dict.fromkeys(authors)]
    body = "\n".join(f"- {text}" for entry in done if (text := quiet(entry)))
    parts = [quiet(subject), body, "\n".join(lines)]
    return "\n\n".join(part for part in parts if part).replace("\0", "") + "\n"


def _word(text: str) -> str:
    """Return text made fit to be one value of one trailer."""
    return re.sub(r"[\x00-\x20\x7f-\xa0\u2028\u2029]", "_", text)


def co_author(login: str, account: str | None) -> str | None:
    """Return GitHub's credit line for the author of a suggestion, or None where the name cannot stand there."""
    if account is None or not account.isdigit() or not _LOGIN.fullmatch(login):
        return None
    return f"{login} <{account}+{login}@users.noreply.github.com>"


def fix_commits(git: Git, request: str, head: str, base: str) -> list[FixCommit]:
    """Return the commits of a branch that answer feedback on one pull request, oldest first.

    Args:
        git: Where the commits are.
        request: The pull request, as ``owner/name#5``.
        head: The branch's commit.
        base: What the branch is to be merged into: commits that it has are none of the branch.

    Raises:
        GitError: If git cannot tell.
    """
    output = git.run(["log", "-z", "--reverse", "--format=%H%n%B", head, "--not", base, "--"])
    found = []
    for entry in output.decode("utf-8", "replace").split("\0"):
        sha, _, text = entry.partition("\n")
        commit = read_message(sha, text, request)
        if commit is not None:
            found.append(commit)
    return found


def read_message(sha: str, text: str, request: str) -> FixCommit | None:
    """Return what a commit's message says that it answers on a pull request, or None.

    The last paragraph that names the pull request counts; a hook may have added something after it.
    """
    values: dict[str, list[str]] = {REQUEST: [], CYCLE: [], FEEDBACK: []}
    paragraphs = [part.split("\n") for part in text.split("\n\n")]
    ours = next((lines for lines in reversed(paragraphs) if f"{REQUEST}: {request}" in map(str.rstrip, lines)), [])
    for line in ours:
        name, separator, value = line.partition(": ")
        if separator and name in values:
            values[name].append(value.strip())
    number = next((int(value) for value in values[CYCLE] if _NUMBER.fullmatch(value)), None)
    if request not in values[REQUEST] or number is None:
        return None
    return FixCommit(sha.strip(), number, tuple(key for key in values[FEEDBACK] if key))
