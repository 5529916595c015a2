"""Last output of git and the repository's hooks before they refused something: for the person here alone."""

from __future__ import annotations

from selfreview.scan.redact import mask_secrets

_MOST_LINES = 6
_MOST = 600
_AGAIN = "once that is mended, `selfreview reset` on the branch has it tried again"


def last_words(*outputs: bytes) -> str:
    """Return the last lines of outputs as one line, secrets hidden; empty where nothing was said.

    It may hold anything a hook prints, and is no text for a forge.
    """
    lines = [line.rstrip() for said in outputs for line in said.decode("utf-8", "replace").splitlines()]
    text = mask_secrets("\n".join([line for line in lines if line.strip()][-_MOST_LINES:]))  # one may span lines
    line = " / ".join(part.strip() for part in text.split("\n"))
    return line if len(line) <= _MOST else f"…{line[1 - _MOST :]}"


def way_out(said: str) -> str:
    """Return the last output with what helps after a refusal that called a person."""
    return f"{said}; {_AGAIN}" if said else _AGAIN
