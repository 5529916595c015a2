"""Parse a file's hunks with unidiff, made safe.

unidiff stumbles over quoted or odd names, undecodable bytes and unusual line ends. So it is given one file at a time,
under a name of our own, decoded with ``surrogateescape`` and split on line feeds only.
"""

from __future__ import annotations

from selfreview.api.context import DiffLine, Hunk
from selfreview.errors import PatchError

_NO_NEWLINE = "\\"


def parse_hunks(body: bytes) -> tuple[Hunk, ...]:
    """Parse the hunks of one file.

    Args:
        body: The patch from its first ``@@`` line to its end.

    Raises:
        PatchError: If a hunk is cut off, longer than it says, or no unified hunk.
    """
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    text = body.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    fed = ["--- a/file\n", "+++ b/file\n", *(line + "\n" for line in lines)]
    try:
        parsed = PatchSet(fed)
    except UnidiffParseError as error:
        raise PatchError(f"a hunk cannot be read: {error}") from error
    if len(parsed) != 1:
        raise PatchError("a hunk cannot be read: it holds another file's header")
    return tuple(
        Hunk(hunk.source_start, hunk.target_start, tuple(_line(line) for line in hunk if line.line_type != _NO_NEWLINE))
        for hunk in parsed[0]
    )


def _line(line: object) -> DiffLine:
    kind = line.line_type  # type: ignore[attr-defined]  # unidiff is untyped
    text = line.value.removesuffix("\n")  # type: ignore[attr-defined]
    return DiffLine(kind, line.source_line_no, line.target_line_no, text)  # type: ignore[attr-defined]


def first_hunk(data: bytes, start: int, end: int) -> int:
    """Return where the first ``@@`` line of a file's patch begins, or ``end`` where it has none."""
    found = data.find(b"\n@@ -", start, end)
    return found + 1 if found >= 0 else end
