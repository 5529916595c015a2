"""Files that the commands of the project's own checks name."""

from __future__ import annotations

import dataclasses
import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

from selfreview.api.config import ConfigView
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pointing import issues_of
from selfreview.loop.guard.runners import runs_checks, runs_tests

_APART = re.compile(r"[|&;\n()]+")
_SHORT_FLAG = re.compile(r"-(?:[qvxsl]+|r[a-zA-Z]+|\w\d+)")
_LOADS = re.compile(r"conf|rc|require|import|load|plugin|setup|preset|env|init|setting|project|report|format|hook|file")
"""Names of long options whose value is a part of the check."""
_WORDS = re.compile(r"[\s\"'`$={}<>,]+")


def check_script(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of a file that the command of a check names, unless an issue is about that file.

    What a known runner or linter is given to look at is no part of the check: other rules see to tests.
    """
    commands = list(_commands(patch.bounds.config))
    for file in patch.files:
        if any(_before(file, words, part=True) for words in commands) and not any(issues_of(file, patch.bounds)):
            reason = "Correct the code, and leave the file that a configured check runs as it is."
            yield Rejection(file.path, "check-removed", reason)


def with_tests(patch: Patch) -> Patch:
    """Return a patch in which a file counts as one with tests where a check gives it to a test runner by name."""
    commands = list(_commands(patch.bounds.config))
    files = [
        dataclasses.replace(file, given_to_tests=True)
        if any(runs_tests(before) for words in commands for before in _before(file, words, part=False))
        else file
        for file in patch.files
    ]
    return Patch(patch.edits, files, patch.bounds)


def _commands(config: ConfigView) -> Iterator[Sequence[str]]:
    """Yield the words of each command that the checks start."""
    for value in config.table("checks").values():
        run = value["run"] if isinstance(value, dict) else value
        if not isinstance(run, str):
            yield list(run)
            # A shell is given its commands as one word.
            yield from (word for text in run for word in _split(text) if len(word) > 1)
        else:
            yield from _split(run)


def _split(text: str) -> Iterator[Sequence[str]]:
    folder = ""
    for part in _APART.split(text):
        try:
            words = shlex.split(part)
        except ValueError:
            words = []
        words = [*words, *(word for word in _WORDS.split(part) if word not in words)]
        if folder:
            words += [posixpath.join(folder, word) for word in words]
        yield words
        if len(words) > 1 and words[0] == "cd":
            folder = posixpath.join(folder, words[1])


def _before(file: File, words: Sequence[str], *, part: bool) -> list[Sequence[str]]:
    """Return the words before each word of a command that names a file, as part of the command or to be checked."""
    found = []
    for path in dict.fromkeys((file.path, file.old_path)):
        for number, word in enumerate(words):
            if path in _names(word, after=words[number - 1] if number else ""):
                before = words[:number]
                checked = runs_checks(before) and file.language is not None and not _takes_next(before[-1])
                if checked is not part:
                    found.append(before)
    return found


def _takes_next(word: str) -> bool:
    """Return whether a word is an option whose value, the next word, is part of the check, such as a configuration."""
    word = word.rpartition("/")[2]
    if word.startswith("--"):
        return "=" not in word and _LOADS.search(word) is not None
    return word.startswith("-") and _SHORT_FLAG.fullmatch(word) is None


def _names(word: str, *, after: str) -> set[str]:
    """Return the paths that a word may name."""
    plain = posixpath.normpath(word.rpartition("=")[2].replace("\\", "/"))
    names = {plain, f"{plain}/__main__.py"}
    if after == "-m":
        module = word.replace(".", "/")
        names |= {f"{module}.py", f"{module}/__main__.py"}
    return names
