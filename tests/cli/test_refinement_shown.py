"""What reports and commands say of refinement: in a run, and afterwards."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Workspace

FLAWED = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False, timeout=9)\n"


@pytest.fixture
def flawed(workspace: Workspace) -> Workspace:
    """A workspace whose change the fixer of the rule pack mends."""
    workspace.write("app.py", FLAWED)
    return workspace


def words(text: str) -> str:
    """A text without the breaks of its lines."""
    return " ".join(text.split())


def test_the_report_says_what_refinement_did_and_what_is_left_to_do(flawed: Workspace) -> None:
    said = words(flawed.selfreview("run").out)
    assert "refinement 1 · 1 open: 1 addressed · +1 -1 in 1 file ·" in said
    assert "rules: 1 of 1 addressed" in said
    assert said.count("after 1 refinement: nothing blocks any more") == 1
    assert said.count("not applied (nobody was asked: not on a terminal): selfreview apply puts it into") == 1
    assert said.count("change.patch") == 1


def test_json_holds_the_same_without_sentences_for_it_among_the_notes(flawed: Workspace) -> None:
    document = flawed.review()
    assert (document["stop"], document["stopReason"]) == ("passed", "nothing blocks any more")
    assert document["patch"]["reason"] == "nobody was asked: not on a terminal"
    assert not [note for note in document["notes"] if "refine" in note]
    (iteration,) = document["iterations"]
    (addressed,) = iteration["addressed"]
    assert [addressed["id"]] == iteration["refinement"]["addressedIssueIds"]
    assert addressed["rule"] == "python-tls-verify-off"
    assert iteration["review"]["passed"] is True


def test_what_was_addressed_is_known_also_where_it_was_applied(flawed: Workspace) -> None:
    done = flawed.selfreview("run", "--apply", "-f", "json:result.json")
    document = json.loads((flawed.root / "result.json").read_bytes())
    assert (done.code, document["passed"], document["patch"]["applied"]) == (0, True, True)
    assert [issue["rule"] for issue in document["iterations"][0]["addressed"]] == ["python-tls-verify-off"]
    assert document["iterations"][0]["review"]["iterations"] == []
