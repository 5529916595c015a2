"""Write a plugin that works, with its tests and a page about it, for its author to go on from.

python scripts/new_plugin.py reviewer my-tool                     one that comes with selfreview
python scripts/new_plugin.py reviewer my-tool --external ../mine  one in a package of its own

Nothing that exists is overwritten.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

KINDS = ("reviewer", "fixer", "agent", "reporter", "notifier", "forge", "command")
PACKAGES = {"notifier": "pullrequest/notifiers", "forge": "pullrequest/forges"}
"""Folders of kinds below ``src/selfreview`` and ``tests``, where they are not the kind with an s."""
PREFIXES = {"fixer": "fix-", "agent": "agent-", "notifier": "notify-", "forge": "forge-"}
"""Beginnings of the names of plugins in the list of those that come with selfreview."""
EXTERNAL_ONLY = ("command",)
"""Kinds of plugins that selfreview does not come with: its own commands are modules of ``cli/``."""
FILES = Path(__file__).parent / "new_plugin_files"
ROOT = Path(__file__).parent.parent
USE = {
    "reviewer": "selfreview run --reviewer {name}",
    "fixer": "selfreview run --fixer {name}",
    "agent": "selfreview run --reviewer agent-{name}",
    "reporter": "selfreview run --format {name}",
    "notifier": "selfreview notify test {name}",
    "forge": "selfreview pr status",
    "command": "selfreview {name}",
}


def main(arguments: Sequence[str]) -> int:
    """Write the files that a command line asks for; return the exit status."""
    options = _parser().parse_args(arguments)
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", options.name):
        return _refuse(f"{options.name!r} is no name: letters, digits and single '-' between them, in lower case")
    if options.name in taken(options.kind):
        return _refuse(f"{options.name!r} is taken: selfreview comes with a plugin of that name, or a {options.kind}")
    if options.kind in EXTERNAL_ONLY and options.external is None:
        return _refuse(
            f"a {options.kind} is a package of its own: --external DIR; CONTRIBUTING.md is for selfreview's own"
        )
    if options.external is not None:
        folder, files = options.external, external(options.kind, options.name)
    else:
        folder, files = options.root, builtin(options.kind, options.name)
        if not (folder / "src" / "selfreview" / package_of(options.kind)).is_dir():
            return _refuse(f"{folder} is no source tree of selfreview; --external DIR writes a package of its own")
    there = [path for path in files if (folder / path).exists()]
    if there:
        return _refuse(
            f"{folder / there[0]} exists, and nothing is overwritten; for one package with both, write it to another "
            "folder, and move its module, its tests and its line of [project.entry-points.selfreview] over"
        )
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        sys.stdout.write(f"{folder / path}\n")
    sys.stdout.write(next_step(options.kind, options.name, options.external))
    return 0


def taken(kind: str) -> frozenset[str]:
    """Return the names that a plugin of a kind cannot have, because others or words of the command line have them."""
    sys.path.insert(0, str(ROOT / "src"))
    from selfreview.cli.commands import COMMANDS  # noqa: PLC0415 - of the source tree that this script is in
    from selfreview.plugins.builtins import Builtins  # noqa: PLC0415 - the same

    if kind == "command":
        return frozenset(COMMANDS)
    modules = Builtins().modules
    start = f"selfreview.{package_of(kind).replace('/', '.')}."
    of_kind = {name: module for name, module in modules.items() if module.startswith(start)}
    own = {module.rpartition(".")[2].replace("_", "-") for module in of_kind.values()}
    short = {name.removeprefix(PREFIXES.get(kind, "")) for name in of_kind}
    return frozenset({*modules, *own, *short, "auto", "gate", "selfreview"})


def package_of(kind: str) -> str:
    """Return the folder of the plugins of a kind that come with selfreview, below ``src/selfreview`` and ``tests``."""
    return PACKAGES.get(kind, f"{kind}s")


def builtin(kind: str, name: str) -> Mapping[str, str]:
    """Return the files of a plugin that comes with selfreview, by path from the root of its source tree."""
    stem = name.replace("-", "_")
    package = package_of(kind)
    words = _words(kind, name, module=f"selfreview.{package.replace('/', '.')}.{stem}")
    return {
        f"src/selfreview/{package}/{stem}.py": _filled(f"{kind}.py", words),
        f"tests/{package}/test_{stem}.py": _filled(f"test_{kind}.py", words),
        f"docs/guides/plugin-{name}.md": _filled("docs.md", words),
    }


def external(kind: str, name: str) -> Mapping[str, str]:
    """Return the files of a plugin in a package of its own, by path from its folder."""
    stem = name.replace("-", "_")
    package = f"selfreview_{stem}"
    words = _words(kind, name, module=f"{package}.plugin")
    return {
        "pyproject.toml": _filled("pyproject.toml", {**words, "package": package}),
        "README.md": _filled("docs.md", words),
        f"src/{package}/__init__.py": f'"""The {kind} {name} for selfreview."""\n',
        f"src/{package}/plugin.py": _filled(f"{kind}.py", words),
        f"tests/test_{stem}.py": _filled(f"test_{kind}.py", words),
    }


def next_step(kind: str, name: str, folder: Path | None) -> str:
    """Say what is left to do."""
    if folder is not None:
        return f"next: pip install -e '{folder}[dev]' && pytest {folder}\n"
    module = f"selfreview.{package_of(kind).replace('/', '.')}.{name.replace('-', '_')}"
    line = f'"{PREFIXES.get(kind, "")}{name}": "{module}",'
    return (
        f"next: add this line to DEFAULT in src/selfreview/plugins/builtins.py:\n        {line}\n"
        f"and guides/plugin-{name}.md to nav in mkdocs.yml; python -m scripts.generate_reference renews the reference\n"
    )


def _words(kind: str, name: str, *, module: str) -> dict[str, str]:
    title = "".join(part.capitalize() for part in name.split("-"))
    constant = name.replace("-", "_").upper()
    return {
        "kind": kind,
        "name": name,
        "title": title,
        "constant": constant,
        "module": module,
        "use": USE[kind].format(name=name),
        "entry": f"command-{name}" if kind == "command" else name,
    }


def _filled(template: str, words: Mapping[str, str]) -> str:
    text = (FILES / f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", help="what a person types after --reviewer, --fixer, --format or selfreview")
    parser.add_argument("--external", type=Path, metavar="DIR", help="write a package of its own there")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR", help="another source tree of selfreview")
    return parser


def _refuse(message: str) -> int:
    sys.stderr.write(f"error: {message}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
