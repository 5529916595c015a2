"""Plugins that are offered under several names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from selfreview.plugins.manager import PluginManager


def test_one_plugin_under_two_names_is_loaded_once_and_the_first_stands(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path], install: Callable[..., Path]
) -> None:
    write_plugin("mine")
    install("acme", {"one": "mine", "two": "mine"})
    manager = load()
    assert manager.call("selfreview_report_header", config=None).count("mine") == 1
    assert [record.name for record in manager.records() if record.name in ("one", "two", "mine")] == ["one"]


def test_a_module_and_the_entry_point_that_names_it_are_one_plugin(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path], install: Callable[..., Path]
) -> None:
    write_plugin("mine")
    install("acme", {"mine-too": "mine"})
    manager = load("mine", "mine-too")
    assert manager.call("selfreview_report_header", config=None).count("mine") == 1
