"""A fork of the program finds the secrets that a program of its own finds."""

from __future__ import annotations

from tests.conftest import Workspace


def test_forks_find_what_a_program_that_starts_as_usual_finds(workspace: Workspace) -> None:
    workspace.write(
        "app.py", 'KEY = "AKIAQ3EGUZPRWT7HXL5N"\n\n# caf\u00e9\nOTHER = "ghp_' + "a1B2c3D4e5F6g7H8i9J0" * 2 + '"\n'
    )
    argv = ("run", "--no-fix", "--no-cache", "--reviewer", "secrets", "--format", "json")
    forked, started = workspace.selfreview(*argv), workspace.run_subprocess(*argv)
    found, expected = (
        [(i["rule"], i["lineStart"], i["column"]) for i in ran.json["issues"]] for ran in (forked, started)
    )
    assert "aws-access-token" in [rule for rule, _, _ in found]
    assert found == expected
