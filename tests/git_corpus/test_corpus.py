"""Every git situation of the corpus, through the real command line."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

from . import __name__ as package
from . import __path__ as folders
from .expect import compare
from .registry import CASES
from .repo import Lab
from .tool import run

if TYPE_CHECKING:
    from pathlib import Path

for module in pkgutil.iter_modules(folders):
    if not module.name.startswith("test_"):
        importlib.import_module(f"{package}.{module.name}")


@pytest.mark.parametrize("name", sorted(CASES))
def test_scope(name: str, tmp_path: Path) -> None:
    """The tool lists exactly what the case put into the change."""
    situation = CASES[name]
    if situation.missing:
        pytest.skip(situation.missing)
    problems = []
    for check in situation.build(Lab(tmp_path)):
        outcome, traces = run(check, tmp_path)
        problems += [f"{check.title}: {text}" for text in (*compare(check, outcome), *traces)]
    assert not problems, "\n" + "\n".join(problems)


def test_the_corpus_is_large() -> None:
    """A theme that fails to register would otherwise vanish quietly."""
    assert len(CASES) >= 150
