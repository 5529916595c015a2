"""What a case expects of one run, in words, and the comparison with what the tool said."""

from __future__ import annotations

import base64
import enum
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Name = str | bytes
Lines = int | tuple[int, int]


class Why(enum.Enum):
    """Whether a file is left out of the review; the reason's words are the tool's own business."""

    REVIEWED = "null"
    EXCLUDED = "a reason"
    EITHER = "null or a reason"


@dataclass(frozen=True)
class File:
    """One file of the change."""

    path: bytes
    status: tuple[str, ...]
    added: tuple[tuple[int, int], ...] = ()
    removed: int = 0
    old_path: bytes | None = None
    binary: bool = False
    why: Why = Why.REVIEWED

    def excluded(self, why: Why = Why.EXCLUDED) -> File:
        """The same file, listed but not reviewed."""
        return replace(self, why=why)

    def as_binary(self) -> File:
        """The same file as a binary one, which never has lines."""
        return replace(self, binary=True, why=Why.EXCLUDED, added=(), removed=0)

    def or_status(self, *others: str) -> File:
        """The same file where git itself leaves the status open."""
        return replace(self, status=(*self.status, *others))


@dataclass(frozen=True)
class Check:
    """One run of the tool and what must come out of it."""

    argv: tuple[Name, ...]
    cwd: Path
    env: Mapping[str, str]
    files: tuple[File, ...] = ()
    choices: tuple[tuple[File, ...], ...] = ()  # more right answers, where git's own answer is arbitrary
    exits: tuple[int, ...] = (0,)
    hint: bool = False  # an error must say what to do
    scope: Mapping[str, object] = field(default_factory=dict)  # a tuple is a choice
    stdin: bytes = b""
    never: tuple[Path, ...] = ()  # files that only a program the tool must not run would make
    prefix: tuple[str, ...] = ()
    captured: Path | None = None  # a run that happened already (in a hook): its output is in this folder

    @property
    def title(self) -> str:
        """How the check is named in a failure."""
        words = " ".join(repr(word)[1 if isinstance(word, bytes) else 0 :] for word in self.argv)
        return f"run {words}".rstrip()


@dataclass(frozen=True)
class Outcome:
    """What one run of the tool left behind."""

    code: int
    out: bytes
    err: str
    document: Any  # the parsed standard output; None if it was not one JSON document


def raw(name: Name) -> bytes:
    """A path as git stores it."""
    return name.encode() if isinstance(name, str) else name


def spans(lines: Sequence[Lines]) -> tuple[tuple[int, int], ...]:
    """`3, (6, 8)` as ranges."""
    return tuple((item, item) if isinstance(item, int) else item for item in lines)


def added(path: Name, count: int) -> File:
    """A new file of `count` lines."""
    return File(raw(path), ("added",), ((1, count),) if count else ())


def modified(path: Name, *lines: Lines, removed: int = 0) -> File:
    """A file that keeps its name; `lines` are new-side numbers or ranges."""
    return File(raw(path), ("modified",), spans(lines), removed)


def deleted(path: Name, count: int) -> File:
    """A file of `count` lines that is gone."""
    return File(raw(path), ("deleted",), (), count)


def renamed(old: Name, new: Name, *lines: Lines, removed: int = 0) -> File:
    """A file under a new name."""
    return File(raw(new), ("renamed",), spans(lines), removed, raw(old))


def copied(old: Name, new: Name, *lines: Lines, removed: int = 0) -> File:
    """A file made from another one, which only a patch can say."""
    return File(raw(new), ("copied",), spans(lines), removed, raw(old))


def type_changed(path: Name, *lines: Lines, removed: int = 0) -> File:
    """A file that became a symbolic link, or the reverse."""
    return File(raw(path), ("type_changed",), spans(lines), removed)


def compare(check: Check, outcome: Outcome) -> list[str]:
    """Every way in which the outcome is not what the case expects."""
    problems = []
    if "Traceback" in outcome.err:
        problems.append("a traceback on standard error")
    if outcome.code not in check.exits:
        problems.append(f"exit code {outcome.code}, expected {' or '.join(map(str, check.exits))}")
    if not isinstance(outcome.document, dict):
        problems.append(f"standard output is not one JSON document: {outcome.out[:300]!r}")
    elif outcome.code == 0:
        problems += compare_change(check, outcome.document)
    else:
        problems += compare_error(check, outcome)
    return [*problems, f"stderr: {outcome.err.strip()[-600:]}"] if problems and outcome.err.strip() else problems


def compare_error(check: Check, outcome: Outcome) -> list[str]:
    """An error is one line for a person and one document for a machine."""
    problems = []
    error = outcome.document.get("error")
    if outcome.document.get("status") != "error" or not isinstance(error, dict) or not error.get("message"):
        problems.append(f"not an error document: {outcome.out[:300]!r}")
    elif check.hint and not error.get("hint"):
        problems.append(f"no hint in the document: {error!r}")
    lines = outcome.err.splitlines()
    if sum(line.startswith("error: ") for line in lines) != 1:
        problems.append("standard error does not hold exactly one `error: ` line")
    if check.hint and not any(line.startswith("hint: ") for line in lines):
        problems.append("no `hint: ` line on standard error")
    return problems


def compare_change(check: Check, document: dict[str, Any]) -> list[str]:
    """The listed files against the expected ones, and the document against itself."""
    listed = document.get("files")
    if not isinstance(listed, list):
        return ["the document has no list `files`"]
    problems = []
    order = [path_of(item, "path") or b"" for item in listed]
    if order != sorted(order):
        problems.append(f"files are not sorted by the bytes of their paths: {order}")
    answers = check.choices or (check.files,)
    best: list[str] = min((compare_files(answer, listed) for answer in answers), key=len)
    problems += best
    problems += compare_scope(check, document.get("scope") or {}, listed)
    return problems


def compare_files(expected: Sequence[File], listed: list[dict[str, Any]]) -> list[str]:
    """File by file, by path."""
    problems = []
    by_path = {path_of(item, "path"): item for item in listed}
    if len(by_path) != len(listed):
        problems.append("a path is listed twice")
    for file in sorted(expected, key=lambda item: item.path):
        item = by_path.pop(file.path, None)
        if item is None:
            problems.append(f"{file.path!r} is missing (expected {' or '.join(file.status)})")
        else:
            problems += [f"{file.path!r}: {text}" for text in compare_file(file, item)]
    problems += [f"{path!r} is not expected: {item}" for path, item in by_path.items()]
    return problems


def compare_file(file: File, item: dict[str, Any]) -> list[str]:
    """Every key of one file."""
    problems = []
    why, ranges = item.get("excluded"), [tuple(pair) for pair in item.get("addedLines") or ()]
    if item.get("status") not in file.status:
        problems.append(f"status {item.get('status')!r}, expected {' or '.join(file.status)}")
    if path_of(item, "oldPath") != file.old_path:
        problems.append(f"oldPath {item.get('oldPath')!r}, expected {file.old_path!r}")
    if item.get("binary") is not file.binary:
        problems.append(f"binary {item.get('binary')!r}, expected {file.binary}")
    if ranges != list(file.added):
        problems.append(f"addedLines {ranges[:20]}, expected {list(file.added)[:20]}")
    if item.get("removedLines") != file.removed:
        problems.append(f"removedLines {item.get('removedLines')!r}, expected {file.removed}")
    if file.why is not Why.EITHER and bool(why) is not (file.why is Why.EXCLUDED):
        problems.append(f"excluded {why!r}, expected {file.why.value}")
    for key, name in (("path", file.path), ("oldPath", file.old_path)):
        if name is not None and is_utf8(name) is (f"{key}Bytes" in item and item[f"{key}Bytes"] is not None):
            problems.append(f"{key}Bytes must be there exactly when the path is not UTF-8")
    return problems


def compare_scope(check: Check, scope: dict[str, Any], listed: list[dict[str, Any]]) -> list[str]:
    """The counts are those of the files listed; the rest is what the case says."""
    counts = {
        "files": len(listed),
        "addedLines": sum(last - first + 1 for item in listed for first, last in item.get("addedLines") or ()),
        "removedLines": sum(item.get("removedLines") or 0 for item in listed),
    }
    return [
        f"scope.{key} is {scope.get(key)!r}, expected {value!r}"
        for key, value in {**counts, **check.scope}.items()
        if scope.get(key) not in (value if isinstance(value, tuple) else (value,))
    ]


def path_of(item: dict[str, Any], key: str) -> bytes | None:
    """The bytes of a path in the document."""
    if item.get(f"{key}Bytes") is not None:
        return base64.b64decode(item[f"{key}Bytes"])
    return item[key].encode() if item.get(key) is not None else None


def is_utf8(name: bytes) -> bool:
    """Whether a path can be shown as it is."""
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
