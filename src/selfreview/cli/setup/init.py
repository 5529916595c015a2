"""``selfreview init``: write files that set a repository up for selfreview, and overwrite none."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from selfreview import resources
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo
from selfreview.cli.init_items import (
    HOOKS,
    ITEMS,
    REVISION,
    SHARED_BY,
    Item,
    Source,
    Template,
    fill,
    installed_source,
    is_filled,
)
from selfreview.config.sources import worktree_reader
from selfreview.errors import ConfigError, HookError, OutputError, SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.text.escape import visible


@click.command(name="init")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completions.items_of_init)
@click.option("--list", "list_", is_flag=True, help="List what can be written; write nothing.")
@click.option("--print", "print_", is_flag=True, help="Print what would be written; write nothing.")
@click.option("--uninstall", is_flag=True, help="Remove what init wrote and nobody changed since; other files stay.")
def command(names: Sequence[str], list_: bool, print_: bool, uninstall: bool) -> None:
    """Write configuration, CI jobs, hooks and texts for coding agents into this repository.

    Without a NAME, it asks on a terminal. An existing file is left as it is, and what would have been written
    is printed; settings of agents are put into it, and what is in it stays.
    """
    if list_:
        console.say("\n".join(_listed()))
        return
    unknown = [name for name in names if name not in ITEMS]
    if unknown:
        raise UsageError(f"there is no {unknown[0]!r} to write", hint=f"there are: {', '.join(ITEMS)}")
    repo, source = find_repo(), installed_source()
    if uninstall and not names:
        raise UsageError("name what to remove", hint=f"selfreview init --uninstall {' '.join(ITEMS)}")
    chosen = list(dict.fromkeys(names or _ask()))
    if uninstall:
        _finish([problem for name in chosen for problem in _take_away(repo, name, source)])
        return
    if print_:
        for name in chosen:
            for file in ITEMS[name].files:
                _print(file.path, _content(file, source))
        return
    _finish([problem for name in chosen for problem in _write(repo, name, source)])


def _finish(problems: Sequence[SelfreviewError]) -> None:
    """Exit with an error where some files were not written; the others are.

    Raises:
        SelfreviewError: The only problem, or one that counts them.
    """
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise OutputError("; ".join(problem.message for problem in problems), hint=problems[0].hint)


def _listed() -> Iterator[str]:
    width = max(map(len, ITEMS))
    for number, (name, item) in enumerate(ITEMS.items(), 1):
        yield f"{number}  {name:{width}}  {item.what}"


def _ask() -> Sequence[str]:
    """Ask a terminal what to write.

    Raises:
        UsageError: If there is none, or the answer names something else.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "there is no terminal to ask on: name what to write", hint=f"selfreview init {' '.join(ITEMS)}"
        )
    console.say("\n".join(_listed()), err=True)
    answer = click.prompt("Which? Names or numbers; nothing for none", default="", show_default=False, err=True)
    known = {**{name: name for name in ITEMS}, **{str(number): name for number, name in enumerate(ITEMS, 1)}}
    words = str(answer).replace(",", " ").split()
    for word in words:
        if word not in known:
            raise UsageError(f"there is no {word!r} to write")
    return [known[word] for word in words]


def _write(repo: Repo, name: str, source: Source | None) -> Iterator[SelfreviewError]:
    """Write one item, report it, and yield the errors."""
    item = ITEMS[name]
    problems: list[SelfreviewError] = []
    try:
        if name == HOOKS:
            _install_hooks()
        problems = [problem for file in item.files for problem in _write_file(repo.root, file, source)]
        if name == "pre-commit":
            _tell_of_both(repo)
    except (ConfigError, HookError, OutputError) as error:
        problems = [error]  # the other items are written all the same
    if not problems:
        console.say(f"  next: {_next(item, source)}")
    yield from problems


def _write_file(root: Path, file: Template, source: Source | None) -> Iterator[SelfreviewError]:
    content = _content(file, source)
    elsewhere = _settings_elsewhere(root) if file.path == "selfreview.toml" else None
    if elsewhere is None and _write_new(root, file.path, content.encode(), program=file.program):
        console.say(f"wrote {file.path}")
        return
    why = _merge(root, file.path, content) if elsewhere is None and file.merged else "it differs"
    if why is None:
        return
    if elsewhere is None and _is_same(root / file.path, content.encode()):
        console.say(f"{file.path} is there already, as it would be written")
        return
    place = elsewhere or file.path
    console.say(f"{visible(place)} is there already, and stays as it is ({visible(why)}). For you to merge:")
    _print(file.path, content)
    if not file.others:
        yield UsageError(f"{visible(place)} is there already", hint="merge what is printed above by hand")


def _merge(root: Path, path: str, ours: str) -> str | None:
    """Merge settings into an existing document, and return why that is impossible, or None."""
    try:
        there = _checked(root, path).read_bytes()
        wanted = _merged(there, ours)
    except (OSError, UnmergeableError) as error:
        return str(error)
    if wanted == there:
        console.say(f"{path} is there already, with what would be written in it")
        return None
    _replace(root, path, wanted)
    console.say(f"merged into {path}")
    return None


def _settings_that_need(path: str, root: Path) -> str | None:
    """Return the settings with our hooks that still need a file which several agents share, or None."""
    for settings in SHARED_BY.get(path, ()):
        with contextlib.suppress(OSError):
            if b"selfreview hook turn" in (root / settings).read_bytes():
                return settings
    return None


def _take_away(repo: Repo, name: str, source: Source | None) -> Iterator[SelfreviewError]:
    """Remove the files of one item unless they were edited since, and yield the errors."""
    if name == HOOKS:
        try:
            _uninstall_hooks()
        except HookError as error:
            yield error
    for file in ITEMS[name].files:
        try:
            _take_away_file(repo.root, file, _content(file, source))
        except OutputError as error:
            yield error


def _take_away_file(root: Path, file: Template, ours: str) -> None:
    target = _checked(root, file.path)
    try:
        there = target.read_bytes()
        rest = _unmerged(there, ours) if file.merged else None if there == ours.encode() else there
    except FileNotFoundError:
        return
    except (OSError, UnmergeableError) as error:
        raise OutputError(f"{file.path} cannot be read, and stays: {error}") from error
    if rest == there:
        console.say(f"{file.path} is not as it was written, and stays")
        return
    settings = _settings_that_need(file.path, root)
    if settings is not None:
        console.say(f"{file.path} stays: it goes with {settings}, too")
        return
    if rest is not None:
        _replace(root, file.path, rest)
        console.say(f"taken out of {file.path}")
        return
    try:
        target.unlink()
    except OSError as error:
        raise OutputError(f"{file.path} cannot be removed: {error.strerror or error}") from error
    console.say(f"removed {file.path}")
    with contextlib.suppress(OSError):  # a folder that holds something else stays
        for folder in list(target.relative_to(root).parents)[:-1]:
            (root / folder).rmdir()


def _settings_elsewhere(root: Path) -> str | None:
    """Return the file that has settings already, where it is not the one to be written.

    Raises:
        ConfigError: If it cannot be read.
    """
    from selfreview.config.sources import PYPROJECT, REPO_FILE, repository_source

    if os.path.lexists(root / REPO_FILE) or repository_source(worktree_reader(root), []) is None:
        return None
    return f"[tool.selfreview] in {PYPROJECT}"


def _is_same(path: Path, content: bytes) -> bool:
    try:
        return not path.is_symlink() and path.is_file() and path.read_bytes() == content
    except OSError:
        return False


def _content(file: Template, source: Source | None) -> str:
    name = file.unsourced if file.unsourced is not None and source is None else file.name
    return fill(resources.read("templates", f"ci/{name}").decode("utf-8"), source)


def _next(item: Item, source: Source | None) -> str:
    open_ = [file.path for file in item.files if not is_filled(_content(file, source))]
    if not open_:
        return item.then
    return f"in {open_[0]}, say where selfreview comes from, and a commit of it for {REVISION}; then {item.then}"


def _print(path: str, content: str) -> None:
    console.say(f"--- {path}")
    click.echo(content, nl=False)
    console.say(f"--- end of {path}")


def _tell_of_both(repo: Repo) -> None:
    from selfreview.cli.setup.hook import tell_of_both

    tell_of_both(repo)


def _install_hooks() -> None:
    from selfreview.cli.setup.hook import install

    click.get_current_context().invoke(install, types=(), force=False, print_=False)


def _uninstall_hooks() -> None:
    from selfreview.cli.setup.hook import uninstall

    click.get_current_context().invoke(uninstall, types=())


_STEP = re.compile(r"selfreview hook turn \w+")
_OURS = re.compile(r"selfreview hook turn\b")


class UnmergeableError(ValueError):
    """A document that nothing can be put into, such as one with comments."""


def _merged(text: bytes, ours: str) -> bytes:
    """Return a document with our settings in it.

    What somebody changed about a hook of ours, such as its timeout, stays.

    Args:
        text: What is there.
        ours: The document of our settings alone.

    Raises:
        UnmergeableError: If it is no such document, or has something else where ours would be.
    """
    there, wanted = _read(text), _read(ours.encode())
    result = _with(there, wanted)
    return text if result == there else _written(result, text)


def _unmerged(text: bytes, ours: str) -> bytes | None:
    """Return a document without our settings, or None where nothing else is in it.

    Raises:
        UnmergeableError: If it is no such document.
    """
    there, wanted = _read(text), _read(ours.encode())
    rest = _without(there, wanted)
    if rest == there:
        return text
    return _written(rest, text) if rest else None


def _read(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode(), object_pairs_hook=_object, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise UnmergeableError(f"it is not plain JSON: {error}") from error
    if not isinstance(value, dict):
        raise UnmergeableError("it is no JSON object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _number(text: str) -> float:
    if repr(float(text)) != text:
        raise ValueError(f"the number {text} would be written in another way")
    return float(text)


def _with(there: Any, ours: Any) -> Any:
    if isinstance(there, dict) and isinstance(ours, dict):
        return {**there, **{key: _with(there[key], ours[key]) if key in there else ours[key] for key in ours}}
    if isinstance(there, list) and isinstance(ours, list):
        steps = {step for group in there for step in _steps(group)}
        return [*there, *(item for item in ours if item not in there and not _steps(item) & steps)]
    if there == ours:
        return there
    raise UnmergeableError("it has something else where this would be")


def _steps(group: Any) -> set[str]:
    """Return the steps of our commands in a group of hooks, whatever path or options a command has."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    commands = [str(hook.get("command")) for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []
    return {step for command in commands for step in _STEP.findall(command)}


def _without(there: Any, ours: Any) -> Any:
    """Return a value without our settings, and without what is empty then."""
    if isinstance(there, dict) and isinstance(ours, dict):
        rest = {key: _without(value, ours[key]) if key in ours else value for key, value in there.items()}
        return {key: value for key, value in rest.items() if value or not there[key]}
    if isinstance(there, list) and isinstance(ours, list):
        return list(_others(there, ours))
    return there


def _others(groups: Iterable[Any], ours: list[Any]) -> Iterable[Any]:
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if group in ours:
            continue
        if not isinstance(hooks, list):
            yield group
            continue
        rest = [hook for hook in hooks if not (isinstance(hook, dict) and _OURS.search(str(hook.get("command"))))]
        if rest or not hooks:
            yield {**group, "hooks": rest}


def _written(value: Any, like: bytes) -> bytes:
    """Return a document, with the indents and ends of lines that another one has.

    Raises:
        UnmergeableError: If there is something in it that cannot be written, such as half of a character.
    """
    indent = re.search(rb"^[{\[]\s*\n([ \t]+)", like.lstrip())
    step = indent[1].decode() if indent else "  "
    try:
        text = (json.dumps(value, indent=step, ensure_ascii=False) + "\n").encode()
    except (ValueError, RecursionError) as error:
        raise UnmergeableError(str(error)) from error
    return text.replace(b"\n", b"\r\n") if b"\r\n" in like else text


def _write_new(root: Path, path: str, content: bytes, *, program: bool) -> bool:
    """Write a file that is not there yet.

    Args:
        root: The repository's root.
        path: Where below it, with ``/``.
        content: The whole file.
        program: Whether it is made executable.

    Returns:
        Whether it was written: False where something has that name already, be it a link to nothing.

    Raises:
        OutputError: If a folder on the way is a link or no folder, or it cannot be written.
    """
    folder = root
    try:
        for part in path.split("/")[:-1]:
            folder = folder / part
            if folder.is_symlink():
                raise OutputError(f"{folder} is a symbolic link, and nothing is written through it")
            folder.mkdir(exist_ok=True)
        target = root / path
        # O_EXCL: what is there is neither replaced nor, where it is a link, followed.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(target, flags, 0o777 if program else 0o666)
    except FileExistsError:
        if folder.is_dir():
            return False
        raise OutputError(f"{folder} is no folder") from None
    except OSError as error:
        raise OutputError(f"{root / path} cannot be written: {error.strerror or error}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        target.unlink(missing_ok=True)  # half a file is worse than none
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error
    return True


def _replace(root: Path, path: str, content: bytes) -> None:
    """Replace an existing file, keeping its mode.

    Args:
        root: The repository's root.
        path: Where below it, with ``/``.
        content: The whole file.

    Raises:
        OutputError: If it or a folder on the way is a link, or it cannot be written.
    """
    target = _checked(root, path)
    made: str | None = None
    try:
        descriptor, made = tempfile.mkstemp(dir=target.parent, prefix=".selfreview-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(made).chmod(stat.S_IMODE(target.stat().st_mode))
        Path(made).replace(target)
    except OSError as error:
        if made is not None:
            Path(made).unlink(missing_ok=True)
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error


def _checked(root: Path, path: str) -> Path:
    """Return a file's place, where neither it nor a folder on the way is a link.

    Raises:
        OutputError: If one is.
    """
    target = root
    for part in path.split("/"):
        target = target / part
        if target.is_symlink():
            raise OutputError(f"{target} is a symbolic link, and nothing is written through it")
    return target
