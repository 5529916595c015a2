"""Settings of a gate where the base's do not load: those of them that load, at their strictest.

Only a change that may be what repairs them gets so far, for otherwise no repair could be merged. Whatever else would
pass without what is missing, which is why nothing else does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from selfreview.api import ConfigView, Severity
from selfreview.app.loading import Project
from selfreview.app.registries import reviewers_of
from selfreview.config.files import PYPROJECT, REPO_FILE, RepoReader
from selfreview.errors import ConfigError, PluginError
from selfreview.review.select_reviewers import AUTO
from selfreview.review.verdict import NEVER
from selfreview.trust import CONF_NAME

TABLES = frozenset({REPO_FILE, PYPROJECT})
"""The files that hold settings, besides the local plugin."""

_LOCAL = frozenset({CONF_NAME})
FILES = TABLES | _LOCAL


class Load(Protocol):
    """A function that loads a project."""

    def __call__(
        self, read: RepoReader, /, *, trusted: bool, local: bool = True, overrides: Sequence[str] = ()
    ) -> Project:
        """Load it.

        Args:
            read: Reads the repository's files.
            trusted: Whether code of theirs may run.
            local: Whether the local plugin takes part.
            overrides: ``KEY=VALUE``, weaker than the command line's.
        """


class Reading(NamedTuple):
    """The part of the base's settings that loads.

    Attributes:
        project: With these alone.
        reload: Loads it again, with overrides.
        local: Whether the local plugin takes part.
        names: The reviewers that there are.
        missing: The reviewers that the settings name and that are not there.
        faulty: What has to change for the rest to load: each group of files by one of them.
    """

    project: Project
    reload: Callable[[Sequence[str]], Project]
    local: bool
    names: frozenset[str]
    missing: frozenset[str]
    faulty: Sequence[frozenset[str]]


def read_what_loads(ours: RepoReader, load: Load, error: ConfigError | PluginError) -> Reading:
    """Return the part of the base's settings that loads.

    Args:
        ours: Reads the base's files.
        load: Loads a project.
        error: What was raised when all of them were loaded.

    Raises:
        ConfigError: If not even nothing loads: it is not the base's settings that are wrong.
        PluginError: The same, of a plugin of the environment.
    """

    def conf_only(name: str) -> bytes | None:
        return ours(name) if name == CONF_NAME else None

    def tables_only(name: str) -> bytes | None:
        # That there is a plugin excuses keys that may be its own; a link in its place is none of the tables' faults.
        return ours(name) if name != CONF_NAME else b"" if _is_there(ours, name) else None

    def nothing(_name: str) -> bytes | None:
        return None

    load(nothing, trusted=True)  # or else it is the call that is wrong
    local_loads = not isinstance(error, PluginError) and _loads(load, conf_only, local=True)
    tables_load = _loads(load, tables_only, local=False)
    if local_loads and tables_load:
        # Each loads by itself: it is what one says of the other, such as the name of a reviewer.
        tries, faulty = [(ours, True), (tables_only, False)], [FILES]
    else:
        tries = [(tables_only, False)] if tables_load else [(conf_only, True)] if local_loads else []
        faulty = [files for files, fine in ((TABLES, tables_load), (_LOCAL, local_loads)) if not fine]
    for read, local in [*tries, (nothing, False)]:
        try:
            project = load(read, trusted=True, local=local)
            names = frozenset(reviewers_of(project.manager, project.config).names())
        except (ConfigError, PluginError):
            continue
        break
    else:
        raise error

    def reload(overrides: Sequence[str]) -> Project:
        return load(read, trusted=True, local=local, overrides=overrides)

    missing = frozenset(named(project.config) - names)
    if missing:
        project = reload(_without(project.config, missing))
    return Reading(project, reload, local, names, missing, faulty)


def strictest(config: ConfigView, repaired: ConfigView, names: Collection[str]) -> list[str]:
    """Return overrides for what the base may have asked for: what the change asks for where that is more.

    Args:
        config: What loads of the base.
        repaired: The change's.
        names: The reviewers that there are.
    """
    limit = _stricter(config["severity_threshold"], repaired["severity_threshold"])
    required = {*config["required_reviewers"], *(set(repaired["required_reviewers"]) & set(names))}
    table = ", ".join(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in limit.items())
    return [f"severity_threshold={{{table}}}", f"required_reviewers={json.dumps(sorted(required & set(names)))}"]


def named(config: ConfigView) -> set[str]:
    """Return the reviewers that settings name."""
    listed = config["reviewers"]
    return {*([listed] if isinstance(listed, str) else listed), *config["required_reviewers"]} - {AUTO}


def _without(config: ConfigView, missing: Collection[str]) -> list[str]:
    overrides = [f"required_reviewers={json.dumps([n for n in config['required_reviewers'] if n not in missing])}"]
    listed = config["reviewers"]
    if not isinstance(listed, str):
        # In place of who is not there all others look.
        overrides.append(f"reviewers={json.dumps([AUTO, *(n for n in listed if n not in {AUTO, *missing})])}")
    return overrides


def _is_there(read: RepoReader, name: str) -> bool:
    try:
        return read(name) is not None
    except ConfigError:
        return True


def _loads(load: Load, read: RepoReader, *, local: bool) -> bool:
    try:
        load(read, trusted=True, local=local)
    except (ConfigError, PluginError):
        return False
    return True


def _stricter(*values: str | Mapping[str, str]) -> dict[str, str]:
    tables = [{"default": value} if isinstance(value, str) else value for value in values]
    names = {"default", *(name for table in tables for name in table)}

    def lowest(name: str) -> str:
        found = [table.get(name, table.get("default", Severity.MEDIUM.value)) for table in tables]
        return min(found, key=lambda value: 99 if value == NEVER else Severity(value).rank)

    return {name: lowest(name) for name in sorted(names)}
