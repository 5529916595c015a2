"""Whose settings count for a pull request."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab


@pytest.mark.parametrize(("own", "code"), [(True, ExitCode.USAGE), (False, ExitCode.PASSED)])
def test_settings_that_cannot_be_read_are_an_error_where_they_count(lab: Lab, own: bool, code: ExitCode) -> None:
    pull = lab.repository.pull("topic", author=lab.dev if own else lab.rev)
    lab.workspace.write("selfreview.toml", "fixers = nothing\n")
    ran = lab.pr("status", str(pull.number))
    assert (ran.code, "selfreview.toml" in ran.err) == (code, own), ran
