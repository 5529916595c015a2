"""The source of the installed selfreview, for files that have to name it."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any

URL, REVISION, ACTION = "https://example.com/selfreview", "TAG-OR-COMMIT", "OWNER/selfreview"
"""Placeholders in the templates, which stay where the source is not known."""
_UNKNOWN = f"{REVISION} # a tag or commit of it"

_SAFE_URL = re.compile(r"https://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._~-]+)+")  # no user, no password
_SAFE_NAME = re.compile(r"[A-Za-z0-9._+-]+(?:/[A-Za-z0-9._+-]+)*")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """A commit of a public repository of selfreview.

    Attributes:
        url: The repository, ``https://…``.
        commit: The commit's full id.
        name: What people call it: the tag or branch that was asked for, or the version.
    """

    url: str
    commit: str
    name: str

    @property
    def action(self) -> str | None:
        """Name of the repository for ``uses:`` of a workflow, or None where it is not on GitHub."""
        host, _, path = self.url.removeprefix("https://").removesuffix(".git").partition("/")
        return path if host == "github.com" and path.count("/") == 1 else None


def installed_source() -> Source | None:
    """Return the source of this installation, or None where it is no repository that others can reach."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution("selfreview")
    except PackageNotFoundError:
        return None  # run from a checkout
    return parse_source(found.read_text("direct_url.json"), found.version)


def parse_source(record: str | None, version: str) -> Source | None:
    """Read the record that installers keep of where a package came from (PEP 610).

    Args:
        record: The text of ``direct_url.json``, or None where there is none.
        version: The package's version.
    """
    try:
        read = json.loads(record or "{}")
    except (ValueError, RecursionError):
        return None
    direct: Mapping[str, Any] = read if isinstance(read, dict) else {}
    vcs = direct.get("vcs_info")
    if not isinstance(vcs, dict) or vcs.get("vcs") != "git":
        return None
    url, commit, name = (
        str(value) for value in (direct.get("url"), vcs.get("commit_id"), vcs.get("requested_revision"))
    )
    if not _SAFE_URL.fullmatch(url) or not _COMMIT.fullmatch(commit):
        return None
    named = "requested_revision" in vcs and _SAFE_NAME.fullmatch(name) and name != commit
    return Source(url=url, commit=commit, name=name if named else version)


def fill(text: str, source: Source | None) -> str:
    """Return a template's text with the source in it, as far as it is known."""
    if source is None or (ACTION in text and source.action is None):
        return text
    pinned = f"{source.commit} # {source.name}"
    return (
        text.replace(_UNKNOWN, pinned)
        .replace(REVISION, source.commit)
        .replace(f"{URL} # wherever selfreview was cloned from", source.url)
        .replace(URL, source.url)
        .replace(ACTION, source.action or ACTION)
    )


def is_filled(text: str) -> bool:
    """Return whether a text has no placeholder left."""
    return REVISION not in text
