"""Every git situation of the corpus, through the real command line."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from . import __name__ as package
from . import __path__ as folders
from .expect import compare
from .registry import CASES, WHOLE, short_form, theme_of
from .repo import Lab
from .tool import run

if TYPE_CHECKING:
    from pathlib import Path

for module in pkgutil.iter_modules(folders):
    if not module.name.startswith("test_"):
        importlib.import_module(f"{package}.{module.name}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take every situation with ``--long``, else a part of each theme that is always the same."""
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", sorted(CASES) if metafunc.config.getoption("--long") else short_form(CASES))


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


def test_the_short_form_has_something_of_every_theme() -> None:
    """What must be refused is there whole: a mistake there is a false pass."""
    themes = Counter(theme_of(name) for name in CASES)
    short = Counter(theme_of(name) for name in short_form(CASES))
    assert {theme for theme, count in themes.items() if short[theme] < min(count, 3)} == set()
    assert {theme for theme in WHOLE if short[theme] < themes[theme]} == set()


def test_the_corpus_is_large() -> None:
    """A theme that fails to register would otherwise vanish quietly."""
    assert len(CASES) >= 150
