"""Reference pages on built-in plugins, output formats and exit codes."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator

from scripts.reference.text import paragraphs, prose, table

from selfreview import errors
from selfreview.errors import ExitCode
from selfreview.plugins.builtins import Builtins, load

_FORMATS = "selfreview.reporters."


def plugins() -> str:
    """Return a table of the plugins that can be named after ``-p``."""
    builtins = Builtins()
    kinds = ((builtins.essential, "always on"), (builtins.default, "on"))
    rows = [
        (f"`{name}`", _kind(module), state, _summary(module))
        for table_, state in kinds
        for name, module in table_.items()
    ]
    return table(("plugin", "kind", "state", "what it is"), rows)


def formats() -> str:
    """Return a table of the output formats."""
    return table(("format", "what it is"), [(f"`{name}`", _about(text)) for name, text in all_formats()])


def all_formats() -> Iterator[tuple[str, str]]:
    """Yield each format's name with what its module says of it."""
    for name, module in Builtins().modules.items():
        if module.startswith(_FORMATS):
            yield name, inspect.getdoc(load(module)) or ""


def exit_codes() -> str:
    """Return a table of the exit codes."""
    (body,) = (
        node.body for node in ast.parse(inspect.getsource(errors)).body if getattr(node, "name", "") == "ExitCode"
    )
    said = {}
    for node, after in itertools.pairwise(body):
        if isinstance(node, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            said[ast.unparse(node.targets[0])] = prose(str(after.value.value))
    rows = [(str(int(code)), f"`{code.name}`", said[code.name]) for code in ExitCode]
    return table(("exit code", "name", "meaning"), rows)


def _kind(module: str) -> str:
    """Return the kind of a plugin by its folder, in the singular."""
    folders = module.split(".")[1:]
    kinds = {"pullrequest": "notifier", "cli": "command"}  # the one that notifies of the review itself; ``pr``
    return next(
        (name.removesuffix("s") for name in folders[1:-1] if name in ("forges", "notifiers")), None
    ) or kinds.get(folders[0], folders[0].removesuffix("s"))


def _summary(module: str) -> str:
    text = inspect.getdoc(load(module)) or ""
    return paragraphs(text)[0]


def _about(text: str) -> str:
    said = " ".join(paragraphs(text))
    return said.partition(": ")[2][:1].upper() + said.partition(": ")[2][1:]
