"""Damaged files: syntax errors, conflict markers, secrets, hidden code, changed encodings, line ends and modes."""

from __future__ import annotations

import codecs
import collections
import json
import re
import warnings
from collections.abc import Iterable, Iterator

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.patch import File, Patch, Rejection, is_pointed_at
from selfreview.guard.settings import read_json, read_toml
from selfreview.secrets.match import Confidence
from selfreview.secrets.redactor import PLACEHOLDER
from selfreview.syntax.parsing import parse

_GRAMMARS = frozenset({"javascript", "typescript", "tsx", "go", "java", "ruby", "php", "csharp", "rust", "bash"})
"""Languages whose grammar is exact enough; preprocessors and templates make errors of their own."""
_LONGEST = 500_000


def syntax_error(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that has more syntax errors than before."""
    for file in patch.files:
        where = _broken(file) if file.new_text and file.new_text != file.old_text else None
        if where is not None:
            yield Rejection(file.path, "syntax-error", f"Correct the syntax: {where}.")


def _broken(file: File) -> str | None:
    name = file.path.casefold()
    if len(file.new_text) > _LONGEST:
        return None
    if file.language == "python":
        error = python_error(file.new_text)
        return error if error and (not file.old_text or python_error(file.old_text) is None) else None
    if name.endswith(".json"):
        return "it is no valid JSON" if _breaks_json(file) else None
    if name.endswith(".toml"):
        return "it is no valid TOML" if _breaks_toml(file) else None
    if file.language in _GRAMMARS:
        errors = _errors(file.language, file.new_text)
        if errors and len(errors) > len(_errors(file.language, file.old_text)):
            return f"line {errors[0]} cannot be parsed as {file.language}"
    return None


def _breaks_toml(file: File) -> bool:
    return read_toml(file.new_text) is None and read_toml(file.old_text) is not None


def _breaks_json(file: File) -> bool:
    if _is_json(file.new_text):
        return False
    lenient = not _is_json(file.old_text)  # also where there was nothing: some readers allow comments
    return not (
        lenient and (read_json(file.new_text) is not None or (bool(file.old_text) and read_json(file.old_text) is None))
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def python_error(text: str) -> str | None:
    """Return where and why a Python text does not compile, or None where it does."""
    clean = text.removeprefix("\ufeff").encode("utf-8", "replace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(clean, "<text>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            return str(error) or "it is nested too deeply"  # running out of memory says nothing
    return None


def _errors(language: str, text: str) -> list[int]:
    """Return the lines of a text that its grammar does not understand."""
    root = parse(text.encode("utf-8", "replace").decode("utf-8"), language)
    return [node.range().start.line + 1 for node in root.find_all(kind="ERROR")]


_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?\r?$", re.MULTILINE)


def conflict_marker(patch: Patch) -> Iterator[Rejection]:
    """Reject new markers of a merge conflict."""
    for file in patch.files:
        if len(_CONFLICT.findall(file.new_text)) > len(_CONFLICT.findall(file.old_text)):
            yield Rejection(file.path, "conflict-marker", "Resolve the conflict, and leave no conflict markers behind.")


def placeholder(patch: Patch) -> Iterator[Rejection]:
    """Reject placeholders of hidden secrets: written to a file, they would replace the secret."""
    for file in patch.files:
        if set(PLACEHOLDER.findall(file.new_text)) - set(PLACEHOLDER.findall(file.old_text)):
            reason = "Leave lines with a REDACTED placeholder as they are; it stands for a value that was hidden."
            yield Rejection(file.path, "redaction-placeholder", reason)


_LONGEST_SHOWN = 1_000_000


def secret(patch: Patch) -> Iterator[Rejection]:
    """Reject new values that look like secrets and were in none of the edited files; in tests, only certain ones."""
    known: set[str] | None = None
    for file in patch.files:
        if not any(hunk.new for hunk in file.hunks) or len(file.new_text) > _LONGEST_SHOWN:
            continue
        values = _values(file, file.new_text)
        if not values:
            continue
        if known is None:
            known = {value for other in patch.files for value in _values(other, other.old_text)}
        for line, value in values.items():
            if line not in known and not any(line in other.old_text for other in patch.files):
                reason = f"Read the {value.lower()} from the environment; write no secret into a file."
                yield Rejection(file.path, "secret", reason)
                break


def _values(file: File, text: str) -> dict[str, str]:
    """Return the secrets of a text, each with what it is."""
    from selfreview.secrets.scanner import scan

    least = Confidence.MEDIUM.rank if file.is_test else Confidence.LOW.rank
    found = scan(text, source=file.language is not None) if text else []
    return {match.value: match.title for match in found if match.confidence.rank >= least}


_HIDDEN = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\u2060-\u2064\U000e0000-\U000e007f]"
    "|(?<=[\x20-\x7e])[\u200c-\u200f\u061c\u115f\u1160\u3164\uffa0\xad]|[\u200c-\u200f\u061c\u3164](?=[\x20-\x7e])|(?<!^)\ufeff"
)
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,16}\U000e007f")


def hidden_character(patch: Patch) -> Iterator[Rejection]:
    """Reject new characters that are invisible or turn the direction of text, where no script or emoji needs them."""
    for file in patch.files:
        more = _count(file.new_text) - _count(file.old_text)
        if more:
            code = f"U+{ord(min(more)):04X}"
            reason = f"Write {code} as an escape or leave it out: nobody would see it."
            yield Rejection(file.path, "hidden-character", reason)


def _count(text: str) -> collections.Counter[str]:
    return (
        collections.Counter()
        if text.isascii() and text.isprintable()
        else collections.Counter(_HIDDEN.findall(_FLAG.sub("", text)))
    )


_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?")
_UTF8 = frozenset({"utf8", "u8", "utf", "ascii", "us-ascii"})
"""Other names of UTF-8 and of its beginning; so are all that begin with ``utf-8-``."""
_DECEIVING = {
    "java": (re.compile(r"\\u+00(?:0[aAdD]|2[2aAfF]|5[cC])"), "the Unicode escape of a quote, slash or line end"),
    "c": (re.compile(r"//[^\n]*(?:\\|\?\?/)[ \t]*$", re.MULTILINE), "the end of the comment that continues it"),
    "cpp": (re.compile(r"//[^\n]*(?:\\|\?\?/)[ \t]*$", re.MULTILINE), "the end of the comment that continues it"),
}
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def binary(patch: Patch) -> Iterator[Rejection]:
    """Reject NUL bytes: in a file that was text, in a new one, and in a binary one that was edited."""
    for file in patch.files:
        if file.new is None or file.new.mode == LINK or b"\0" not in file.new.data:
            continue
        same = file.old is not None and file.old.data == file.new.data
        wide = file.old is not None and file.old.data.startswith(_WIDE) and file.new.data.startswith(_WIDE)
        if not same and not wide:
            yield Rejection(file.path, "binary", "Write text only; leave binary files as they are.")


def encoding(patch: Patch) -> Iterator[Rejection]:
    """Reject bytes that are not UTF-8 in a file that was, or in a new one."""
    for file in patch.files:
        if file.new is None or file.new.mode == LINK or b"\0" in file.new.data or _is_utf8(file.new):
            continue
        if file.old is None or _is_utf8(file.old):
            yield Rejection(file.path, "encoding", "Write the file as valid UTF-8, as it was before.")


def hidden_code(patch: Patch) -> Iterator[Rejection]:
    """Reject what makes a text mean something else than it shows.

    That is a new declaration of an encoding other than UTF-8, by which a comment can be code, an escape that ends a
    comment or a string of Java, and a comment of C that goes on in the next line.
    """
    for file in patch.files:
        if file.new is None or file.new.mode == LINK:
            continue
        declared = _declared(file.new)
        if declared not in (None, "utf-8", _declared(file.old)):
            reason = f"Write the file in UTF-8, and do not declare the encoding {declared}."
            yield Rejection(file.path, "encoding", reason)
            continue
        for language, (pattern, what) in _DECEIVING.items():
            if file.language == language and len(pattern.findall(file.new_text)) > len(pattern.findall(file.old_text)):
                yield Rejection(file.path, "hidden-code", f"Take out {what}: it does not mean what it looks like.")


def _declared(entry: Entry | None) -> str | None:
    """Return the encoding that the first two lines of a text declare, as Python and Ruby read them."""
    data = entry.data if entry is not None and entry.mode != LINK else b""
    for line in re.split(rb"\r\n|\r|\n", data.removeprefix(codecs.BOM_UTF8), maxsplit=2)[:2]:
        match = _CODING.match(line)
        if match is not None:
            name = match[1].decode("ascii").lower().replace("_", "-")
            return "utf-8" if name in _UTF8 or name.startswith("utf-8-") else name
        if not _BLANK.fullmatch(line):
            return None
    return None


def _is_utf8(entry: Entry) -> bool:
    try:
        entry.data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def file_format(patch: Patch) -> Iterator[Rejection]:
    """Reject changed line endings, byte order marks or modes of a file, where no issue is about them."""
    for file in patch.files:
        if file.old is None or file.new is None or LINK in (file.old.mode, file.new.mode):
            continue
        what = next(_differences(file, patch), None)
        if what is not None:
            reason = f"Keep the file's {what} as it was; change only the lines that the fix needs."
            yield Rejection(file.path, "file-format", reason)


def _differences(file: File, patch: Patch) -> Iterator[str]:
    assert file.old is not None  # noqa: S101 - the caller has looked
    assert file.new is not None  # noqa: S101
    old, new = file.old.data, file.new.data
    last = len(file.old_lines)
    first_line = is_pointed_at(file, patch.bounds, 1, 1)
    if file.old.mode != file.new.mode and not first_line:
        yield "mode"
    if not file.old_text or not file.new_text:
        return
    if old.startswith(codecs.BOM_UTF8) != new.startswith(codecs.BOM_UTF8) and not first_line:
        yield "byte order mark"
    if _ends_changed(file) and not is_pointed_at(file, patch.bounds, 0, 0):
        yield "kind of line ends"
    ends = old.endswith(b"\n"), new.endswith(b"\n")
    if (
        ends[0] != ends[1]
        and _last_line(old) == _last_line(new)
        and not is_pointed_at(file, patch.bounds, last - 1, last)
    ):
        yield "end (with or without a final line break)"


def _ends_changed(file: File) -> bool:
    """Return whether an otherwise equal line has another line ending, or new lines have one that no line had."""
    old, new = file.old_text.split("\n")[:-1], file.new_text.split("\n")[:-1]
    kinds = {line.endswith("\r") for line in old}
    if kinds and not {line.endswith("\r") for line in new} <= kinds:
        return True
    if len(kinds) < 2:
        return False
    starts = [(hunk.old_start - 1, hunk.new_start - 1, len(hunk.old), len(hunk.new)) for hunk in file.hunks]
    there = here = 0
    for old_start, new_start, old_size, new_size in (*starts, (len(old), len(new), 0, 0)):
        if any(a.endswith("\r") != b.endswith("\r")
               for a, b in zip(old[there:old_start], new[here:new_start], strict=False)):  # fmt: skip
            return True
        there, here = old_start + old_size, new_start + new_size
    return False


def _last_line(data: bytes) -> bytes:
    return data.rstrip(b"\r\n").rpartition(b"\n")[2]


LARGEST = 1_000_000
"""Maximum size in bytes."""


def large_file(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that is, or has grown to, more than a megabyte."""
    for file in patch.files:
        old = len(file.old.data) if file.old is not None else 0
        if file.new is not None and len(file.new.data) > LARGEST >= old:
            yield Rejection(file.path, "large-file", "Do not add a file of more than one megabyte; a fix needs none.")


def special_files(paths: Iterable[str]) -> list[Rejection]:
    """Reject a FIFO, a socket or a device: no patch can hold one, and whoever opens one may wait for ever.

    Args:
        paths: Where they were; nothing is there any more, so that the tree can be read.
    """
    reason = "Leave no FIFO, socket or device behind, and put none in place of a file."
    return [Rejection(path, "special-file", reason) for path in paths]
