"""Selection of fixers: those that cannot take part are told of where a person counts on them."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.api import ConfigView, Fixer, Registry
from selfreview.app.fixers import select_fixers
from selfreview.errors import UsageError
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.fakes import FakeFixer


class Away(FakeFixer):
    def unavailable(self, config: ConfigView) -> str:
        return "its program is missing"


class Ours(Away):
    __module__ = "selfreview.fixers.away"


def selected(*chosen: str, fixer: Fixer, **keys: Any) -> tuple[list[str], list[str]]:
    registry: Registry[Fixer] = Registry("fixer")
    registry.add(fixer)
    config = MemoryConfig({**default_config(), **keys})
    fixers, notes = select_fixers(registry, config, chosen, uploads=False)
    return [each.name for each in fixers], notes


def test_a_plugins_automatic_fixer_that_cannot_take_part_is_told_of() -> None:
    assert selected(fixer=FakeFixer("mine")) == (["mine"], [])
    assert selected(fixer=Away("mine")) == ([], ["the fixer mine cannot be used: its program is missing"])


def test_one_of_ours_is_told_of_where_it_is_named() -> None:
    assert selected(fixer=Ours("ours")) == ([], [])
    assert selected(fixer=Ours("ours"), fixers=["ours"])[1] == ["the fixer ours cannot be used: its program is missing"]
    with pytest.raises(UsageError, match="the fixer ours cannot be used"):
        selected("ours", fixer=Ours("ours"))
