"""Every format by its name on the command line, with the exit code that the review has."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from selfreview.cli.main import group
from selfreview.plugins.builtins import Builtins

REPORTERS = "selfreview.reporters."
FORMATS = [name for name, module in Builtins().modules.items() if module.startswith(REPORTERS)]


@pytest.mark.parametrize("command", ["run", "gate"])
def test_the_help_names_every_format_of_ours(command):
    help_text = CliRunner().invoke(group, [command, "--help"]).output
    told = " ".join(help_text.split())
    assert {"sarif", "junit", "gitlab", "rdjson"} <= {*FORMATS}
    assert f"{', '.join(FORMATS)}; to stdout or FILE" in told
