"""A model as the fixer: the real client, a server that says what the table says, and what the person has afterwards."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply, Script
from tests.cli.refining.cases import Case
from tests.cli.refining.lab import Lab
from tests.cli.refining.talk import MODELS, ONE, TWO, Talk, report
from tests.conftest import Workspace
from tests.fixers.talks import says


@pytest.mark.long  # test_refine.py has an agent do the same
@pytest.mark.parametrize(("case", "talk", "default"), MODELS, ids=[case.deed for case, _, _ in MODELS])
def test_a_model(workspace: Workspace, case: Case, talk: Talk, default: Script | None) -> None:
    lab = Lab(workspace)
    lab.use("good", "[claude]\nfix_max_turns = 3\n", top=case.top)
    (lab.outside / "target").write_text("out\n")
    (workspace.root / "out").symlink_to(lab.outside)
    before = lab.snapshot()
    with MessagesServer(talk, default=default) as server:
        key = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
        ran = lab.refine("--apply", fixer="claude", here=True, **key)
    result = ran.json
    assert (result["stop"], len(result["iterations"])) == (case.stop, case.iterations), ran
    assert ran.code == (ExitCode.PASSED if case.passes else ExitCode.ISSUES)
    assert lab.session().state == case.state
    refinements = [iteration["refinement"] for iteration in result["iterations"]]
    assert case.says in "\n".join(
        one["notes"] + str([fixer["error"] for fixer in one["fixers"]]) for one in refinements
    )
    if case.deed != "slow":  # who does not wait for an answer does not know what it cost
        assert sum(one["usage"]["requests"] for one in refinements) == len(server.requests)
    before["tree"].update({path: (0o100644, data) for path, data in case.files.items()})
    assert lab.snapshot() == before
    assert (lab.outside / "target").read_text() == "out\n"
    assert lab.workspaces == []
    assert "Traceback" not in ran.err


def test_one_budget_for_the_whole_run(workspace: Workspace) -> None:
    """What the first iteration cost is not there for the second."""
    lab = Lab(workspace)
    lab.use("good", "[claude]\nmax_tokens_total = 67_000\nfix_max_turns = 3\n")

    def dear(request: RecordedRequest) -> Reply:
        return Reply(content=report()(request).content, stop_reason="tool_use", output_tokens=60_000)

    with MessagesServer([says(ONE), dear], default=says(TWO)) as server:
        key = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
        ran = lab.refine("--apply", fixer="claude", **key)
    assert ran.json["stop"] == "budget", ran
    assert ran.code == ExitCode.ISSUES
    assert len(server.requests) == 2
