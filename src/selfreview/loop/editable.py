"""Editable installs that would have a check import the person's tree instead of the workspace.

Where a package is installed in place, Python finds it at the path that was recorded then, whatever folder a test runs
in. The same folders of the workspace, put on ``PYTHONPATH``, come first: before path files, and before the finders that
setuptools installs, which are asked after the path.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selfreview.programs import find_on_path

_QUOTED = re.compile(r"""(['"])((?:\\.|(?!\1).)+)\1""")


def import_folders(person: Path, workspace: Path, venv: Path | None) -> list[Path]:
    """Return the folders of a workspace that stand for what is installed in place from the person's tree.

    Args:
        person: Top level of the person's tree.
        workspace: Top level of the workspace.
        venv: The virtual environment that lies in the person's tree, or None.
    """
    root = person.resolve()
    found: dict[Path, None] = {}
    for site in _site_folders(venv):
        for folder in (*_of_path_files(site), *_of_finders(site), *_of_records(site)):
            resolved = folder.resolve()
            if resolved.is_relative_to(root) and not _inside_venv(resolved, venv):
                found[workspace / resolved.relative_to(root)] = None
    return [folder for folder in found if folder.is_dir()]


def _site_folders(venv: Path | None) -> Iterator[Path]:
    """Return where the Pythons that a check may use keep their packages."""
    prefixes: dict[Path, None] = {}
    if venv is not None:
        prefixes[venv] = None
    if os.environ.get("VIRTUAL_ENV"):
        prefixes[Path(os.environ["VIRTUAL_ENV"])] = None
    for name in ("python3", "python"):
        program = find_on_path(name, os.environ)
        if program is not None:
            prefixes[Path(program).parent.parent] = None
    for prefix in prefixes:
        yield from sorted(prefix.glob("lib/python3*/site-packages"))
        yield from sorted(prefix.glob("Lib/site-packages"))


def _of_path_files(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.pth")):
        for line in _text(file).splitlines():
            if line.strip() and not line.startswith(("#", "import ", "import\t")):
                yield site / line.strip()


def _of_finders(site: Path) -> Iterator[Path]:
    """Return the folders above the packages that setuptools' finders map."""
    for file in sorted(site.glob("__editable__*finder*.py")):
        for match in _QUOTED.finditer(_text(file)):
            path = Path(match[2].replace("\\\\", "\\"))
            if path.is_absolute() and (path.exists() or path.with_suffix(".py").exists()):
                yield path.parent


def _of_records(site: Path) -> Iterator[Path]:
    """Return the source folders of what pip says is installed in place; ``src`` where there is one."""
    for file in sorted(site.glob("*.dist-info/direct_url.json")):
        try:
            said = json.loads(_text(file))
        except json.JSONDecodeError:
            continue
        url = said.get("url") if isinstance(said, dict) and said.get("dir_info", {}).get("editable") else None
        if isinstance(url, str) and url.startswith("file:"):
            folder = Path(unquote(urlsplit(url).path))
            yield from (path for path in (folder / "src", folder) if path.is_dir())


def _inside_venv(folder: Path, venv: Path | None) -> bool:
    return venv is not None and folder.is_relative_to(venv.resolve())


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:  # not ours to read: then it is not ours to run either
        return ""
