"""Items that ``selfreview init`` writes, and the source of their text."""

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Template:
    """One file.

    Attributes:
        path: Where it goes, below the repository's root.
        name: Its template, below ``templates/ci``.
        unsourced: The template to take where nobody knows where selfreview came from, or None for the same.
        program: Whether it is made executable.
        merged: Whether it is a JSON document that is put into the one that is there.
        others: Whether a file of that name is mostly somebody else's: one that is there is no error.
    """

    path: str
    name: str
    unsourced: str | None = None
    program: bool = False
    merged: bool = False
    others: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Item:
    """One item of the list.

    Attributes:
        what: One line for the list.
        files: Files that are written.
        then: The next step, in one line.
    """

    what: str
    files: tuple[Template, ...]
    then: str


HOOKS = "hooks"
"""The one item that is no file of the repository: git's own hooks, as ``selfreview hook install`` makes them."""

_SKILL = "agents/SKILL.md"
_CLAUDE = (
    Template(path=".claude/settings.json", name="agents/claude.json", merged=True),
    Template(path=".claude/skills/selfreview/SKILL.md", name=_SKILL),
)
_CODEX = (
    Template(path=".codex/hooks.json", name="agents/codex.json", merged=True),
    Template(path=".codex/rules/selfreview.rules", name="agents/codex.rules"),
)
_GEMINI = (Template(path=".gemini/settings.json", name="agents/gemini.json", merged=True),)
_SHARED = (Template(path=".agents/skills/selfreview/SKILL.md", name=_SKILL),)
"""The skill where Codex and Gemini look for it, and others (agentskills.io)."""
SHARED_BY = {_SHARED[0].path: (_CODEX[0].path, _GEMINI[0].path)}
"""Files that stay as long as one of these has hooks of ours."""

ITEMS: Mapping[str, Item] = {
    "config": Item(
        what="settings, selfreview.toml",
        files=(Template(path="selfreview.toml", name="selfreview.toml"),),
        then="selfreview config --describe lists every key",
    ),
    "github": Item(
        what="a workflow for GitHub Actions",
        files=(Template(path=".github/workflows/selfreview.yml", name="github.yml"),),
        then="commit it; it reviews the pull requests that are opened afterwards",
    ),
    "gitlab": Item(
        what="a job for GitLab CI",
        files=(Template(path=".gitlab-ci.yml", name="gitlab.yml"),),
        then="commit it; it reviews the merge requests that are opened afterwards",
    ),
    "generic": Item(
        what="a shell script for any other CI system",
        files=(Template(path=".ci/selfreview.sh", name="generic.sh", program=True),),
        then="have CI run sh .ci/selfreview.sh; its first lines say which variables it reads",
    ),
    "pre-commit": Item(
        what="hooks for pre-commit",
        files=(Template(path=".pre-commit-config.yaml", name="pre-commit.yaml", unsourced="pre-commit-local.yaml"),),
        then="pre-commit install --hook-type pre-commit --hook-type pre-push",
    ),
    HOOKS: Item(
        what="git's own hooks in this clone, without pre-commit",
        files=(),
        then="commit something: selfreview hook status shows what is installed",
    ),
    "claude-code": Item(
        what="hooks and a skill for Claude Code",
        files=_CLAUDE,
        then="restart Claude Code; it reviews before it stops",
    ),
    "codex": Item(
        what="hooks and a skill for Codex",
        files=(*_CODEX, *_SHARED),
        then="start codex, trust this project and, with /hooks, its hooks",
    ),
    "gemini": Item(
        what="hooks and a skill for Gemini CLI",
        files=(*_GEMINI, *_SHARED),
        then="start gemini and trust this folder; it reviews before it stops",
    ),
    "agents": Item(
        what="all of these, and what other coding agents should know, AGENTS.md",
        files=(Template(path="AGENTS.md", name="AGENTS.md", others=True), *_CLAUDE, *_CODEX, *_GEMINI, *_SHARED),
        then="restart your agents; Codex and Gemini ask you to trust the folder, and Codex its hooks",
    ),
}
"""Every item by its name, in the order of the list."""
