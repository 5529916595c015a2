"""Names that quoting, option parsing, pathspecs, header parsing or decoding get wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .expect import Name, added, deleted, modified, raw, renamed
from .registry import case, register
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

NAMES: dict[str, Name] = {
    "space": "two words.txt",
    "leading_space": " lead.txt",
    "trailing_space": "trail.txt ",
    "tab": "tab\there.txt",
    "newline": "new\nline.txt",
    "trailing_newline": "line.txt\n",
    "carriage_return": "return\r.txt",
    "double_quote": 'say "hi".txt',
    "single_quote": "it's.txt",
    "backslash": "back\\slash.txt",
    "looks_quoted": '"quoted.txt"',
    "looks_escaped": "caf\\303\\251.txt",
    "b_slash_inside": "x b/y b/z.txt",
    "leading_dash": "-rf.txt",
    "is_an_option": "--cached",
    "is_an_option_with_value": "--output=pwned.txt",
    "is_two_dashes": "--",
    "pathspec_magic": ":(exclude)x.txt",
    "pathspec_top": ":/x.txt",
    "pathspec_not": ":!x.txt",
    "globs": "*[ab]?.txt",
    "emoji": "\N{PARTY POPPER} party.txt",
    "composed": "caf\u00e9.txt",
    "decomposed": "cafe\u0301.txt",
    "right_to_left": "\u202egnp.txt",
    "line_separator": "line\u2028separator.txt",
    "folders_a_and_b": "a/b/a/b/file.txt",
    "folder_b": "b/a.txt",
    "is_a_revision": "HEAD",
    "is_a_branch": "main",
    "is_a_range": "HEAD..main",
    "is_dev_null": "dev/null",
    "arrow": "{old => new}.txt",
    "comment": "#file.txt",
    "format": "%s%n%(path).txt",
    "shell": "$(touch pwned);`touch pwned`&.txt",
    "control": b"\x01\x1b[31m\x7f.txt",
    "latin_1": b"caf\xe9.txt",
    "invalid_utf8": b"\xff\xfe.txt",
    "surrogate": b"\xed\xa0\x80.txt",
    "escaped_lookalike": "x\\xff.txt",
    "longest_component": "n" * 251 + ".txt",
    "deep": "/".join(["d" * 100] * 12) + "/deep.txt",
}


def one_name(name: Name, lab: Lab) -> Iterator[Check]:
    """The name as a tracked file that changed and, below a folder, as one that is new."""
    repo = lab.repo({name: text(6)})
    below = b"new/" + raw(name)
    repo.write({name: text(6, {2: "two", 5: "five"}), below: text(4, tag="new")})
    files = [modified(name, 2, 5, removed=2), added(below, 4)]
    yield from repo.everywhere(files, "tree", "commit", "patch")


for situation, odd in NAMES.items():
    register(f"names.{situation}", partial(one_name, odd), posix=True)


@case(posix=True)
def composed_and_decomposed_are_two_files(lab: Lab) -> Iterator[Check]:
    one, two = "caf\u00e9.txt", "cafe\u0301.txt"
    repo = lab.repo({one: text(3), two: text(3)})
    repo.write({one: text(3, {1: "composed"}), two: text(3, {3: "decomposed"})})
    yield from repo.everywhere([modified(one, 1, removed=1), modified(two, 3, removed=1)])


@case(posix=True)
def renames_between_odd_names(lab: Lab) -> Iterator[Check]:
    moves: dict[Name, Name] = {
        "plain.txt": 'tab\tand "quote".txt',
        "back\\slash.txt": "x b/x b/y.txt",
        b"caf\xe9.txt": "-d",
        "a => b": b"\xff/\xfe",
        ":(top)": "new\nline",
    }
    repo = lab.repo({name: text(10, tag=f"tag{number}") for number, name in enumerate(moves)})
    files = []
    for number, (old, new) in enumerate(moves.items()):
        repo.at(old).unlink()
        repo.write({new: text(10, {4: "edited"}, tag=f"tag{number}")})
        files.append(renamed(old, new, 4, removed=1))
    yield from repo.everywhere(files, "tree", "staged", "commit", "patch")


@case(posix=True)
def headers_without_a_hunk(lab: Lab) -> Iterator[Check]:
    """Only the `diff --git` line names an empty file or a new mode, and there the names are ambiguous."""
    empty, mode, gone = "x b/x b/x", "m b/m", "g b/ b/g"
    repo = lab.repo({mode: text(2), gone: ""})
    repo.write({empty: ""}).at(mode).chmod(0o755)
    repo.at(gone).unlink()
    # The gone file and the new one are both empty, which git calls a rename.
    yield from repo.everywhere([renamed(gone, empty), modified(mode)], "tree", "staged", "commit", "patch")


@case(posix=True)
def sorted_by_bytes(lab: Lab) -> Iterator[Check]:
    """`a-b`, `a.b`, `a/b` and upper case sort as bytes, not as words of a language or as folders."""
    names: list[Name] = ["a/b", "a.b", "a-b", "B", "b", "\u00e4", "\U0001f600", "\uffee", b"\xff", "_"]
    repo = lab.repo({"keep": text(1)})
    repo.write({name: text(2, tag=f"tag{number}") for number, name in enumerate(names)})
    yield from repo.everywhere([added(name, 2) for name in names], "tree", "commit")


@case(posix=True)
def everything_odd_at_once(lab: Lab) -> Iterator[Check]:
    names = list(NAMES.values())
    repo = lab.repo({name: text(3, tag=f"tag{number}") for number, name in enumerate(names)})
    for name in names:
        repo.at(name).unlink()
    yield from repo.everywhere([deleted(name, 3) for name in names], "tree", "staged", "commit", "patch")
