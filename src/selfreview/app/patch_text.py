"""Printing of a kept patch, with the secrets of its files masked.

The file for ``git apply`` is exact; what a terminal shows gets into logs, recordings and other people's sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.api.reporter import PatchSource, PatchText
from selfreview.app.loading import patches_folder
from selfreview.apply.patches import Patch, PatchStore
from selfreview.errors import StoreError, UsageError
from selfreview.git.repo import Repo
from selfreview.model.result import Iteration
from selfreview.secrets.match import SecretMatch
from selfreview.secrets.scanner import hide, mask, scan

_HUNK = re.compile(r"(@@ -[0-9,]+ \+[0-9,]+ @@) (.+)")


def patches_of(repo: Repo) -> PatchSource:
    """Return a function that gives the kept patches of a repository."""

    def source(iteration: Iteration) -> PatchText:
        return kept_patch(repo, iteration)

    return source


def kept_patch(repo: Repo, iteration: Iteration) -> PatchText:
    """Return the printable patch of a refinement, or why there is none."""
    name = iteration.refinement.patch
    if name is None:
        return PatchText(None, "it changed nothing")
    try:
        return PatchText(printed(PatchStore(patches_folder(repo)).get(name)), "")
    except UsageError:
        return PatchText(None, f"its patch {name} is not kept any more")
    except (StoreError, OSError) as error:
        return PatchText(None, f"its patch {name} cannot be read: {error}")


def printed(patch: Patch) -> str:
    """Return a patch's text with every secret hidden; its lines keep their numbers.

    What is no UTF-8 becomes U+FFFD.

    Raises:
        OSError: If the patch cannot be read.
        StoreError: If what was kept is damaged.
    """
    text = _decoded(patch.file.read_bytes())
    found: list[SecretMatch] = []
    masked: dict[str, str] = {}
    for content in _contents(patch):
        matches = scan(content)
        if matches:
            found += matches
            pairs = zip(content.split("\n"), mask(content, matches).split("\n"), strict=True)
            masked.update((raw.rstrip("\r"), safe) for raw, safe in pairs if raw != safe)
    return hide("\n".join(_line(line, masked) for line in text.split("\n")), found) if found else text


def _line(line: str, masked: dict[str, str]) -> str:
    """Return a line of a patch as its file shows it with its secrets hidden."""
    hunk = _HUNK.match(line)
    if hunk is not None:  # it quotes the beginning of a line above, which git may have cut within a secret
        return hunk[1] if any(raw.startswith(hunk[2].rstrip("\r")) for raw in masked) else line
    safe = masked.get(line[1:].rstrip("\r")) if line[:1] in ("+", "-", " ") else None
    return line if safe is None else line[:1] + safe


def _contents(patch: Patch) -> Iterator[str]:
    """Yield the contents of a patch's files, before and after it."""
    for file in patch.manifest.files:
        for state in dict.fromkeys((file.old, file.new)):
            entry = patch.entry(state)
            if entry is not None and b"\0" not in entry.data:
                yield _decoded(entry.data)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
