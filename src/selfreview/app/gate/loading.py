"""Loading of a gate's settings from the base, as far as they load, and errors in those that the change brings.

A change that breaks them would stop every gate once it is merged, but that of its own repair. Where the base's do not
load, those of them that load count at their strictest, and only for a change that may be what repairs them: otherwise
no repair could be merged, and whatever else would pass without what is missing.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from selfreview.api import ConfigView, Registry, Reviewer, capabilities
from selfreview.app.loading import Project, check_rules, reviewers_of
from selfreview.config.bootstrap import Loaded
from selfreview.config.sources import PYPROJECT, REPO_FILE, RepoReader, commit_reader, paths_named
from selfreview.errors import ConfigError, PluginError
from selfreview.git.objects import later_names
from selfreview.git.run import Git
from selfreview.model.issue import NEVER, lowest_blocking
from selfreview.model.wire import display_path
from selfreview.refine.checks import configured_checks
from selfreview.review.baseline import BaselineEntry, Known, parse_baseline
from selfreview.review.rule_names import check_selectors, unknown_selectors
from selfreview.review.select_reviewers import AUTO, unregistered
from selfreview.review.selection import SELECTED
from selfreview.trust.subject import CONF_NAME

_TABLES = frozenset({REPO_FILE, PYPROJECT})
"""The files that hold settings, besides the local plugin."""

_LOCAL = frozenset({CONF_NAME})
_FILES = _TABLES | _LOCAL


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


class _Reading(NamedTuple):
    """The part of the base's settings that loads.

    Attributes:
        project: With these alone.
        reload: Loads it again, with overrides.
        local: Whether the local plugin takes part.
        names: The reviewers that there are.
        missing: The reviewers that the settings name and that are not there.
        faulty: What has to change for the rest to load: each group of files by one of them.
        own_rules: Whether the repository's own rules load, too; without them, they are among what has to change.
    """

    project: Project
    reload: Callable[[Sequence[str]], Project]
    local: bool
    names: frozenset[str]
    missing: frozenset[str]
    faulty: Sequence[frozenset[str]]
    own_rules: bool


class BaseProject(NamedTuple):
    """The project of a gate, with errors in the files that hold its settings.

    Attributes:
        value: The project.
        broken: By path, what is wrong with a file that only the change breaks.
        note: What is wrong with the base's and what counts instead, or None.
        unsure: Whether the change may be what repairs the base's, and nobody knows without running code of it.
        changed: With a note, the files of settings that the change edits.
    """

    value: Project
    broken: Mapping[str, str]
    note: str | None
    unsure: bool = False
    changed: Sequence[str] = ()


class Baselines(NamedTuple):
    """The base's baseline and the change's, with errors in their file; as :class:`BaseProject`."""

    value: Known
    broken: Mapping[str, str]
    note: str | None


def load_base(git: Git, base: str, head: str, load: Load, *, head_code: bool) -> BaseProject:
    """Load the base's settings, or the part of them that loads where the change may be what repairs them.

    Args:
        git: Git in the repository.
        base, head: Full ids of commits.
        load: Loads a project; of the change no code is run.
        head_code: Whether commands may run code of the change.

    Raises:
        ConfigError: If the base's are broken and the change does not repair them, or what the command line and the
            environment say is.
        PluginError: If a plugin cannot be loaded.
    """
    ours, theirs = commit_reader(git, base), commit_reader(git, head)
    changed = [name for name in sorted(_FILES) if not _same(name, ours, theirs)]
    try:
        project = load(ours, trusted=True)
        config = project.config
        changed += _changed_rules(config["rules_path"], ours, theirs)
        reviewers = reviewers_of(project.manager, config)
        names = frozenset(reviewers.names())
        _check_names(config, names)
        check_rules(project, reviewers, is_of_files)
        demands = frozenset(name for name, _ in _unmet(config, reviewers, head_code=head_code))
    except (ConfigError, PluginError) as error:
        return _repaired(error, (ours, theirs), load, changed)

    def look(loaded: Loaded) -> None:
        _check_demands(loaded, demands, head_code)
        if CONF_NAME not in changed and loaded.manager.left_out() and not project.manager.left_out():
            _check_rules_beside(loaded, reviewers)

    fault = _fault(theirs, load, names, look) if changed else None
    if fault is None:
        return BaseProject(project, {}, None)
    concerned = [name for name in changed if name in fault]
    return BaseProject(project, dict.fromkeys(concerned or changed, fault), None)


def _repaired(
    error: ConfigError | PluginError, sides: tuple[RepoReader, RepoReader], load: Load, changed: list[str]
) -> BaseProject:
    """Return the part of the base's settings that loads, where the change may be what repairs them.

    Raises:
        ConfigError: If it is not: what does not load could be what stops the change.
        PluginError: The same.
    """
    ours, theirs = sides
    known = _read_what_loads(ours, load, error)
    if not (all(files.intersection(changed) for files in known.faulty) if known.own_rules else changed):
        raise _unrepaired(error)
    if _fault(theirs, load, known.names, lambda loaded: _check_repair(loaded, known, changed)) is not None:
        raise _unrepaired(error)
    project = known.project
    if _TABLES in known.faulty:
        repaired = load(theirs, trusted=False).config
        project = known.reload(_strictest(project.config, repaired, known.names))
    note = f"the base's settings do not load; those that do load are used, at their strictest: {error.message}"
    # The plugin that this gate lacks may have asked for anything; only one that is gone asks for nothing any more.
    lacking = CONF_NAME in changed or not known.local
    unsure = lacking and bool((theirs(CONF_NAME) or b"").strip())
    return BaseProject(project, {}, note, unsure, changed)


def _unrepaired(error: ConfigError | PluginError) -> ConfigError | PluginError:
    message = f"the base's settings do not load, and this change does not fix them: {error.message}"
    return type(error)(message, hint=error.hint or "fix them on the base, or in this change")


def _check_repair(loaded: Loaded, known: _Reading, changed: list[str]) -> None:
    """Check that the change names no unknown reviewer that the base names, unless it may bring that one.

    Raises:
        ConfigError: If it does.
    """
    still = _named(loaded.config) & known.missing
    if still and CONF_NAME not in changed:
        raise ConfigError(f"there is no reviewer named {min(still)!r}")


def read_baselines(git: Git, base: str, head: str, name: str) -> Baselines:
    """Return the base's baseline and the change's entries; none where only the base's cannot be read.

    Args:
        git: Git in the repository.
        base, head: Full ids of commits.
        name: The baseline's path.

    Raises:
        ConfigError: If neither can be read.
    """
    entries, wrong = _entries(git, base, name, f"{name} of the base")
    now, fault = _entries(git, head, name, name)
    if wrong is not None and fault is not None:
        raise wrong
    own = {mark: entry for mark, entry in now.items() if mark not in entries}
    later = functools.partial(later_names, git, head)
    note = None if wrong is None else f"the base's baseline is ignored, because it cannot be read: {wrong.message}"
    return Baselines(Known(entries, own, still=now, later=later), {} if fault is None else {name: fault.message}, note)


def _entries(git: Git, commit: str, name: str, label: str) -> tuple[Mapping[str, BaselineEntry], ConfigError | None]:
    try:
        data = commit_reader(git, commit)(name)
        return (parse_baseline(data, label) if data is not None else {}), None
    except ConfigError as error:
        return {}, error


def _fault(read: RepoReader, load: Load, names: frozenset[str], look: Callable[[Loaded], None]) -> str | None:
    """Return the error of settings, or None; their local plugin is compiled, and not run.

    Args:
        read: Reads the files that hold them.
        load: Loads a project.
        names: The reviewers that there are for the base. A local plugin may bring more, so that with one no name is
            wrong for sure.
        look: Raises a ConfigError for what else is wrong.
    """
    try:
        project = load(read, trusted=False)
        loaded, config = project.loaded, project.config
        registered = reviewers_of(loaded.manager, config)  # reads its own rules
        conf = read(CONF_NAME)
        if conf is not None and conf.strip():
            compile(conf, CONF_NAME, "exec", dont_inherit=True)
        elif names:
            agents = {f"agent-{name}" for name in config.table("agents")}
            _check_names(config, names | agents | config.table("command").keys() | set(registered.names()))
            check_rules(project, registered, is_of_files)
        look(loaded)
    except (ConfigError, PluginError) as error:
        return error.message
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{CONF_NAME}: {display_path(str(error))}"
    return None


def is_of_files(place: str) -> bool:
    """Return whether the place of a setting is a file of the repository."""
    return place.rpartition(":")[0] in _FILES


def _check_names(config: ConfigView, known: frozenset[str]) -> None:
    """Check that files of the repository name only known reviewers.

    Raises:
        ConfigError: If one is not there.
    """
    found = unregistered(config, known)
    if found is not None and is_of_files(found[1]):
        raise ConfigError(f"there is no reviewer named {found[0]!r} ({found[1]})")


def _check_demands(loaded: Loaded, known: frozenset[str], head_code: bool) -> None:
    """See that nothing new is required that every later gate would lack: it could pass no change, nor its repair.

    Raises:
        ConfigError: If something is.
    """
    for name, why in _unmet(loaded.config, reviewers_of(loaded.manager, loaded.config), head_code=head_code):
        if name not in known:
            raise ConfigError(f"{name} is required, but this gate cannot run it: {why}")


def _check_rules_beside(loaded: Loaded, base: Registry[Reviewer]) -> None:
    """Check that a change that leaves the local plugin as it is names only rules that there are.

    Args:
        loaded: The change's settings, without that plugin.
        base: The base's reviewers, those of the plugin among them.

    Raises:
        ConfigError: If one is not there.
    """
    reviewers = reviewers_of(loaded.manager, loaded.config)
    for reviewer in base:
        if reviewer.name not in reviewers:
            reviewers.add(reviewer)
    check_selectors(loaded.config, reviewers, loaded.config.place, is_of_files)


def _changed_rules(entries: Sequence[str], ours: RepoReader, theirs: RepoReader) -> list[str]:
    """Return the files with rules of the repository's own, as the base names them, that differ."""
    names: set[str] = set()
    for entry in entries:
        names.update([name for read in (ours, theirs) for name in paths_named(read, entry) or ()] or [entry])
    return [name for name in sorted(names) if not _same(name, ours, theirs)]


def _same(name: str, ours: RepoReader, theirs: RepoReader) -> bool:
    try:
        return ours(name) == theirs(name)
    except ConfigError:
        return False


def _read_what_loads(ours: RepoReader, load: Load, error: ConfigError | PluginError) -> _Reading:
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
        tries, faulty = [(ours, True), (tables_only, False)], [_FILES]
    else:
        tries = [(tables_only, False)] if tables_load else [(conf_only, True)] if local_loads else []
        faulty = [files for files, fine in ((_TABLES, tables_load), (_LOCAL, local_loads)) if not fine]
    without_rules = ["rules_path=[]"]
    for (read, local), extra in itertools.product([*tries, (nothing, False)], ([], without_rules)):
        try:
            project = load(read, trusted=True, local=local, overrides=extra)
            reviewers = reviewers_of(project.manager, project.config)
            names = frozenset(reviewers.names())
            lost = any(unknown.path[0] == SELECTED for unknown in unknown_selectors(project.config, reviewers))
        except (ConfigError, PluginError):
            continue
        break
    else:
        raise error

    def reload(overrides: Sequence[str]) -> Project:
        return load(read, trusted=True, local=local, overrides=[*extra, *overrides])

    missing = frozenset(_named(project.config) - names)
    if missing or lost:
        overrides = _without(project.config, missing) if missing else []
        project = reload([*overrides, *(['select=["*"]'] if lost else [])])
    return _Reading(project, reload, local, names, missing, faulty, own_rules=not extra)


def _strictest(config: ConfigView, repaired: ConfigView, names: Collection[str]) -> list[str]:
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


def _named(config: ConfigView) -> set[str]:
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
    names = {"default", *(name for value in values if not isinstance(value, str) for name in value)}

    def lowest(name: str) -> str:
        found = filter(None, (lowest_blocking(value, name) for value in values))
        strictest = min(found, key=lambda severity: severity.rank, default=None)
        return NEVER if strictest is None else strictest.value

    return {name: lowest(name) for name in sorted(names)}


_HEAD_CODE = "it would run code of the change, which needs --allow-head-code"


def _unmet(config: ConfigView, reviewers: Registry[Reviewer], *, head_code: bool) -> Iterator[tuple[str, str]]:
    """Yield the required checks and reviewers that can never run in a gate like this one, each with why.

    Args:
        config: The configuration.
        reviewers: All that there are.
        head_code: Whether commands may run code of the change.
    """
    commands = config.table("command")
    if not head_code:
        yield from (
            (f"the check {check.name}", _HEAD_CODE) for check in configured_checks(config) if check.explicitly_required
        )
        yield from ((f"the reviewer {name}", _HEAD_CODE) for name, table in commands.items() if table.get("required"))
    for name in config["required_reviewers"]:
        if name in commands:
            continue
        why = capabilities.of_reviewer(reviewers.get(name)).why_unavailable()
        if why is not None:
            yield f"the reviewer {name}", why[0]
