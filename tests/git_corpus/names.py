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

NAMES: dict[str, tuple[Name, ...]] = {
    "spaces": ("two words.txt", " lead.txt", "trail.txt ", " ", "tab\there.txt", "trailing tab.txt\t"),
    "line_breaks": ("new\nline.txt", "line.txt\n", "return\r.txt", "line\u2028separator.txt", "\x0b\x0c\x1c\x85.txt"),
    "quotes": ('say "hi".txt', "it's.txt", '"quoted.txt"', '"', "`.txt"),
    "backslashes": ("back\\slash.txt", "caf\\303\\251.txt", "x\\xff.txt", "\\n", "trail\\"),
    "headers": (
        "x b/y b/z.txt",
        "b/a.txt",
        "a/b/a/b/file.txt",
        "{old => new}.txt",
        "/dev/null"[1:],
        "#file.txt",
        "x\tb.txt",
    ),
    "options": ("-rf.txt", "--cached", "--output=pwned.txt", "--", "-", "--no-index/x.txt"),
    "pathspecs": (":(exclude)x.txt", ":/x.txt", ":!x.txt", "*[ab]?.txt", "**/x.txt", ":(attr:x)", "!x.txt"),
    "revisions": ("HEAD", "main", "HEAD..main", "@{u}", "^main", "main:x.txt"),
    "unicode": ("\N{PARTY POPPER} party.txt", "caf\u00e9.txt", "cafe\u0301.txt", "\u202egnp.txt", "\ufeffbom.txt"),
    "shell": ("$(touch pwned);`touch pwned`&.txt", "%s%n%(path).txt", "~", "a|b>c.txt", "..."),
    "control": (b"\x01\x1b[31m\x7f.txt", b"\x08.txt"),
    "not_utf8": (b"caf\xe9.txt", b"\xff\xfe.txt", b"\xed\xa0\x80.txt", b"\xc3", b"ok/\xe9/caf\xc3\xa9.txt"),
    "long": ("n" * 251 + ".txt", "/".join(["d" * 100] * 12) + "/deep.txt"),
}


def odd_names(names: tuple[Name, ...], lab: Lab) -> Iterator[Check]:
    """Each name as a tracked file that changed and, below a folder, as one that is new."""
    tags = {name: f"tag{number}" for number, name in enumerate(names)}
    repo = lab.repo({name: text(6, tag=tag) for name, tag in tags.items()})
    repo.write({name: text(6, {2: "two", 5: "five"}, tag=tag) for name, tag in tags.items()})
    repo.write({b"new/" + raw(name): text(4, tag=f"new {tag}") for name, tag in tags.items()})
    files = [modified(name, 2, 5, removed=2) for name in names]
    yield from repo.everywhere([*files, *(added(b"new/" + raw(name), 4) for name in names)], "tree", "patch")


for situation, odd in NAMES.items():
    register(f"names.{situation}", partial(odd_names, odd), needs="linux")


@case("linux")
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
    yield from repo.everywhere(files, "tree", "staged", "patch")


@case("posix")
def headers_without_a_hunk(lab: Lab) -> Iterator[Check]:
    """Only the `diff --git` line names an empty file or a new mode, and there the names are ambiguous."""
    empty, mode, gone = "x b/x b/x", "m b/m", "g b/ b/g"
    repo = lab.repo({mode: text(2), gone: ""})
    repo.write({empty: ""}).at(mode).chmod(0o755)
    repo.at(gone).unlink()
    # The gone file and the new one are both empty, which git calls a rename.
    yield from repo.everywhere([renamed(gone, empty), modified(mode)], "tree", "staged", "patch")


@case("linux")
def sorted_by_bytes(lab: Lab) -> Iterator[Check]:
    """`a-b`, `a.b`, `a/b` and upper case sort as bytes, not as words of a language or as folders."""
    names: list[Name] = ["a/b", "a.b", "a-b", "B", "b", "\u00e4", "\U0001f600", "\uffee", b"\xff", "_"]
    repo = lab.repo({"keep": text(1)})
    repo.write({name: text(2, tag=f"tag{number}") for number, name in enumerate(names)})
    yield from repo.everywhere([added(name, 2) for name in names], "tree", "commit")


@case("linux")
def everything_odd_at_once(lab: Lab) -> Iterator[Check]:
    names = [name for group in NAMES.values() for name in group]
    repo = lab.repo({name: text(3, tag=f"tag{number}") for number, name in enumerate(names)})
    for name in names:
        repo.at(name).unlink()
    yield from repo.everywhere([deleted(name, 3) for name in names], "tree", "staged", "patch")
