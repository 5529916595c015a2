"""The files beside the code: ``templates/`` and ``hooks/``.

In a wheel they lie in the package, in a checkout and an editable install at the top level.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfreview.text.escape import visible

if TYPE_CHECKING:
    from jinja2 import Environment

KINDS = ("templates", "hooks")


def folder(kind: str) -> Path:
    """Return the folder of one kind.

    Args:
        kind: ``"templates"`` or ``"hooks"``.

    Raises:
        FileNotFoundError: If this installation lacks it, which is a defect of the package.
    """
    if kind not in KINDS:
        raise ValueError(f"no such kind of resource: {kind}")
    package = Path(__file__).resolve().parent
    for candidate in (package / "_data" / kind, package.parent.parent / kind):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"selfreview was installed without its {kind} folder")


def read(kind: str, name: str) -> bytes:
    """Return the bytes of one file, by its path below the folder."""
    return folder(kind).joinpath(*name.split("/")).read_bytes()


def read_text(kind: str, name: str) -> str:
    """Return the text of one file, with line feeds alone at the ends of lines."""
    return read(kind, name).decode("utf-8").replace("\r\n", "\n")


def template_environment(folder: str, *, html: bool) -> Environment:
    """Return where templates come from: our own folder alone, for what is inert must not be for a repository to say.

    Every text that a template prints is made visible, whoever forgot to; what is our own markup stays.

    Args:
        folder: The folder below ``templates/``.
        html: Whether they are HTML; what is not has filters of its own.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    def seen(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    return Environment(
        loader=FunctionLoader(lambda name: read_text("templates", f"{folder}/{name}")),
        autoescape=html,  # noqa: S701 - see above
        finalize=seen,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=0,
    )
