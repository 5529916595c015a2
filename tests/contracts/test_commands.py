"""The command that comes with selfreview as a plugin keeps the contract."""

from __future__ import annotations

import pytest

from selfreview.cli.plugin_commands import BUILT_IN, Commands
from selfreview.cli.pr import plugin as pr
from selfreview.testing.contracts import CommandContract


class TestPr(CommandContract):
    @pytest.fixture
    def plugin(self):
        return pr

    def test_its_name_can_be_typed(self, plugin) -> None:
        registry = Commands()
        plugin.selfreview_register_commands(registry)
        assert registry.found.keys() == BUILT_IN.keys()
