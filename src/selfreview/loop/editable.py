"""Editable installs that would have a check import the person's tree instead of the workspace.

Where a package is installed in place, Python finds it at the path that was recorded then, whatever folder a test runs
in. The interpreter itself is asked where it would import from: that covers path files, the finders of every build
backend, and links. The same folders of the workspace are then put on ``PYTHONPATH``, which comes before most of them,
and it is asked again, because some finders come before that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from selfreview.errors import ToolError
from selfreview.proc import Runner

_PROBE = """
import importlib.util, json, sys
sys.path[:] = [entry for entry in sys.path if entry]
mapped, found = {}, {}
for finder in sys.meta_path:
    kind = finder if isinstance(finder, type) else type(finder)
    module = sys.modules.get(kind.__module__)
    for table in (getattr(module, "MAPPING", 0), getattr(finder, "_redirections", 0),
                  getattr(finder, "known_source_files", 0)):
        if isinstance(table, dict):
            mapped.update((name, path) for name, path in table.items() if isinstance(path, str))
for name in {n.partition(".")[0] for n in (*json.loads(sys.stdin.read()), *mapped)}:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        continue
    if spec is not None:
        found[name] = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
print(json.dumps({"path": sys.path, "prefix": [sys.prefix, sys.exec_prefix], "mapped": mapped, "found": found}))
"""
_SECONDS = 60.0
_MOST_NAMES = 2_000


class Redirected(NamedTuple):
    """Paths by which an interpreter imports from the workspace, and names for which that fails.

    Attributes:
        folders: Folders of the workspace for ``PYTHONPATH``.
        packages: Paths below the top level of what is imported from them, for what was built in place.
        stuck: Names that it imports from the person's tree all the same.
    """

    folders: list[Path]
    packages: list[str]
    stuck: list[str]


def redirect(python: str, person: Path, workspace: Path, runner: Runner, env: Mapping[str, str]) -> Redirected:
    """Find out how an interpreter imports from the workspace what it would import from the person's tree.

    Args:
        python: The interpreter.
        person: Top level of the person's tree.
        workspace: Top level of the workspace.
        runner: Runs it.
        env: Variables that a check gets.

    Raises:
        ToolError: If it cannot be run, or does not answer.
    """
    root = person.resolve()
    names = sorted(_importable(workspace))[:_MOST_NAMES]
    said = _ask(python, names, workspace, runner, env)
    folders: dict[Path, None] = {}
    packages: set[str] = set()
    stuck: set[str] = set()
    for entry in said["path"]:
        inside = _inside(entry, root, said["prefix"])
        if inside is not None:
            folders[inside] = None
    for name, place in (*_places(said["found"]), *said["mapped"].items()):
        inside = _inside(place, root, said["prefix"])
        if inside is None or not _exists(workspace / inside):
            continue
        folder = _above(inside, name)
        if folder is None:
            stuck.add(name)
        else:
            folders[folder] = None
            if (workspace / inside).is_dir():
                packages.add(inside.as_posix())
    paths = [workspace / folder for folder in folders if (workspace / folder).is_dir()]
    if paths:
        again = _ask(python, names, workspace, runner, {**env, "PYTHONPATH": os.pathsep.join(map(str, paths))})
        for name, places in again["found"].items():
            before: set[str] = set()
            for place in filter(None, places):
                # A namespace package has portions in both trees: the one in front is what is imported.
                inside = _inside(place, root, again["prefix"])
                in_front = inside is not None and os.path.realpath(workspace / inside) in before
                if inside is not None and _exists(workspace / inside) and not in_front:
                    stuck.add(name)
                before.add(os.path.realpath(place))
    return Redirected(paths, sorted(packages), sorted(stuck))


def _ask(python: str, names: list[str], cwd: Path, runner: Runner, env: Mapping[str, str]) -> Any:
    done = runner.run([python, "-c", _PROBE], cwd=cwd, timeout=_SECONDS, stdin=json.dumps(names).encode(), env=env)
    try:
        return json.loads(done.stdout.strip().rpartition(b"\n")[2])
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{python} does not say where it imports from") from error


def _importable(workspace: Path) -> Iterator[str]:
    """Yield names of modules and packages that lie where projects keep them."""
    for folder in (workspace, workspace / "src", workspace / "lib", workspace / "python"):
        for item in folder.iterdir() if folder.is_dir() else ():
            if item.stem.isidentifier() and (item.suffix == ".py" or (not item.suffix and item.is_dir())):
                yield item.stem


def _places(found: Mapping[str, Iterable[str | None]]) -> Iterator[tuple[str, str]]:
    for name, places in found.items():
        yield from ((name, place) for place in places if place)


def _inside(place: str, root: Path, prefixes: Iterable[str]) -> Path | None:
    """Return a path relative to the person's tree; None where it lies elsewhere, or in an environment in that tree."""
    path = Path(os.path.realpath(place))
    if not path.is_relative_to(root):
        return None
    environments = [Path(os.path.realpath(prefix)) for prefix in prefixes]
    if any(path.is_relative_to(prefix) for prefix in environments if prefix not in (root, *root.parents)):
        return None
    inside = path.relative_to(root)
    if inside.name == "__init__.py":
        inside = inside.parent
    return None if "site-packages" in inside.parts else inside


def _above(inside: Path, name: str) -> Path | None:
    """Return the folder that a name is imported from; None where the path is not named as the module is."""
    parts, wanted = inside.with_suffix("").parts, tuple(name.split("."))
    return Path(*parts[: -len(wanted)]) if parts[-len(wanted) :] == wanted else None


def _exists(path: Path) -> bool:
    return path.exists() or path.with_suffix(".py").exists()
