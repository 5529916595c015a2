"""Modules that shadow others, and files that Python or its tools load by name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_STARTUP = re.compile(
    r"(?:.*/)?(?:(?:site|user)customize(?:\.[^/]*|/__init__\.[^/]*)|[^/]+\.(?:pth|egg-link))", re.DOTALL
)
_ROOT = re.compile(
    r"^(?:(?:src|lib|python|py|tests?|testing|unit|unit_?tests|integration|functional|e2e|scripts?|tools?|bin|ci)/)*"
)
"""Folders that are often on the path that modules are searched on."""
_MODULE = re.compile(
    r"(?P<name>[^/.]+)(?:\.[^/]*\.(?:so|pyd)|\.(?:pyw?|pyc|so|pyd)|/__(?:init|main)__\.(?:pyc?|so|pyd))"
)
_TOOLS = frozenset(
    """
    pytest _pytest py pluggy iniconfig packaging xdist execnet pytest_asyncio anyio pytest_cov pytest_mock pytest_django
    coverage hypothesis nose nose2 tox nox virtualenv mypy ruff pylint flake8 pyright bandit pip setuptools wheel
    pkg_resources hatch hatchling poetry pdm uv twisted syrupy typeguard
    """.split()  # noqa: SIM905 - a table to read
)


def loaded_by_name(patch: Patch) -> Iterator[Rejection]:
    """Reject what an interpreter runs when it starts, and new modules that hide one of its own or of a test tool."""
    for edit in patch.edits:
        if edit.new is None:
            continue
        if _STARTUP.fullmatch(edit.path.casefold()):
            reason = "Leave what Python runs when it starts to a person; correct the code instead."
            yield Rejection(edit.path, "loaded-by-name", reason)
        elif edit.old is None and (name := _hidden(edit.path.casefold())) is not None:
            reason = f"Choose another name: it may be imported in place of the module {name} that others rely on."
            yield Rejection(edit.path, "loaded-by-name", reason)


def _hidden(path: str) -> str | None:
    """Return the module that one of this path hides where its folder is searched first."""
    match = _MODULE.fullmatch(_ROOT.sub("", path, count=1))
    name = match["name"] if match is not None else ""
    hides = name in _TOOLS or name in sys.stdlib_module_names
    return name if hides else None
