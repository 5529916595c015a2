"""``selfreview init``: write files that set a repository up for selfreview, and overwrite none."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from selfreview import resources
from selfreview.cli import console, offered
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
from selfreview.cli.setup.init_files import UnmergeableError, checked, merged, replace, unmerged, write_new
from selfreview.config.files import worktree_reader
from selfreview.errors import ConfigError, HookError, OutputError, SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.text.escape import visible


@click.command(name="init")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=offered.items_of_init)
@click.option("--list", "list_", is_flag=True, help="List what can be written; write nothing.")
@click.option("--print", "print_", is_flag=True, help="Print what would be written; write nothing.")
@click.option("--uninstall", is_flag=True, help="Remove what init wrote and nobody changed since; other files stay.")
def command(names: Sequence[str], list_: bool, print_: bool, uninstall: bool) -> None:
    """Write configuration, CI jobs, hooks and texts for coding agents into this repository.

    Without a NAME, a terminal is asked. A file that is there already is left as it is, and what would have been written
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
    if elsewhere is None and write_new(root, file.path, content.encode(), program=file.program):
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
        there = checked(root, path).read_bytes()
        wanted = merged(there, ours)
    except (OSError, UnmergeableError) as error:
        return str(error)
    if wanted == there:
        console.say(f"{path} is there already, with what would be written in it")
        return None
    replace(root, path, wanted)
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
    target = checked(root, file.path)
    try:
        there = target.read_bytes()
        left = unmerged(there, ours) if file.merged else None if there == ours.encode() else there
    except FileNotFoundError:
        return
    except (OSError, UnmergeableError) as error:
        raise OutputError(f"{file.path} cannot be read, and stays: {error}") from error
    if left == there:
        console.say(f"{file.path} is not as it was written, and stays")
        return
    settings = _settings_that_need(file.path, root)
    if settings is not None:
        console.say(f"{file.path} stays: it goes with {settings}, too")
        return
    if left is not None:
        replace(root, file.path, left)
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
    from selfreview.config.files import PYPROJECT, REPO_FILE, repository_source

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
