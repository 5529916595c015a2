"""Every reporter that comes with selfreview keeps the contract."""

from __future__ import annotations

import inspect
import json
from xml.etree import ElementTree as ET

import pytest

from selfreview.api import Registry, Reporter, Result
from selfreview.model.wire import from_json
from selfreview.plugins.builtins import Builtins, load
from selfreview.testing.context import MemoryConfig
from selfreview.testing.contracts import ReporterContract


def _builtin() -> dict[str, tuple[str, Reporter]]:
    """Return the module and the reporter of every format, by name."""
    found = {}
    for module in Builtins().modules.values():
        if module.startswith("selfreview.reporters."):
            registry: Registry[Reporter] = Registry("reporter")
            plugin = load(module)
            register = plugin.selfreview_register_reporters
            given = {"registry": registry, "config": MemoryConfig()}
            register(**{name: given[name] for name in inspect.signature(register).parameters})
            found |= {reporter.name: (module.partition(":")[0], reporter) for reporter in registry}
    return found


REPORTERS = _builtin()
LIMITED = {"github"}
"""Formats whose reader takes only so many issues; each says so where it leaves some out."""


class TestEvery(ReporterContract):
    @pytest.fixture(params=REPORTERS)
    def reporter(self, request: pytest.FixtureRequest):
        self.module, found = REPORTERS[request.param]
        self.log_commands = request.param == "github"
        self.has_all_issues = request.param not in LIMITED
        return found

    def check(self, data: bytes) -> None:
        if data.startswith(b"<?xml"):
            ET.fromstring(data)


def test_a_json_report_is_one_document() -> None:
    class Json(ReporterContract):
        def check(self, data: bytes) -> None:
            from_json(data, Result)

    Json().test_text_of_others_acts_on_nobody(REPORTERS["json"][1])


def test_every_line_of_jsonl_is_a_document() -> None:
    class Lines(ReporterContract):
        def check(self, data: bytes) -> None:
            assert all(json.loads(line) for line in data.splitlines())

    Lines().test_text_of_others_acts_on_nobody(REPORTERS["jsonl"][1])
