"""Plugins that are asked for in odd ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import PluginError
from selfreview.plugins.manager import PluginManager

Load = Callable[..., PluginManager]
Write = Callable[..., Path]


def test_one_plugin_under_two_names_is_loaded_once(
    load: Load, write_plugin: Write, install: Callable[..., Path]
) -> None:
    write_plugin("mine")
    install("acme", {"mine-too": "mine"})
    manager = load("mine", "mine-too")
    assert manager.call("selfreview_report_header", config=None).count("mine") == 1
    assert [record.name for record in manager.records() if record.name.startswith("mine")] == ["mine-too"]


def test_an_object_that_is_not_hashable_cannot_be_a_plugin(
    load: Load, write_plugin: Write, install: Callable[..., Path]
) -> None:
    write_plugin("mine", "plugin = {}")
    install("acme", {"acme": "mine:plugin"})
    with pytest.raises(PluginError, match="an object that cannot be told apart: it is not hashable"):
        load("acme")
