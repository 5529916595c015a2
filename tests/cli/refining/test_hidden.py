"""What was hidden from a model stays hidden from it, and from those that review, for the whole run."""

from __future__ import annotations

import json

import pytest

from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from tests.cli.refining.lab import APP, Lab
from tests.cli.refining.talk import ONE, report
from tests.conftest import Workspace
from tests.fixers.talks import edit, says
from tests.llm.scripted_answers import CLEAN
from tests.rows import crossed

PLACE = "postgres://admin:"
"""What tells that a password follows."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("where", "password"), crossed(["app.py", "other.py"], {"a word": "qvmiefxaksqvck", "mixed": "Xq7Zt2Lm9Rw4Kd8V"})
)
def test_what_an_edit_lays_bare(workspace: Workspace, password: str, where: str) -> None:
    """Refinement 1 takes away what told of a password; neither the review after it nor refinement 2 shows it."""
    lab = Lab(workspace)
    line = f'URL = "{PLACE}{password}@db.example.com/x"\n'
    if where == "app.py":
        workspace.write("app.py", APP.decode() + line)
    else:
        workspace.write(where, line)
        workspace.git("add", where)
        workspace.git("commit", "--quiet", "-m", "address")
        workspace.git("branch", "--force", "main")
    elsewhere = [] if where == "app.py" else [{"path": where, "why": "the address"}]
    talk = [says(ONE, edit(where, PLACE, "q ")), report(elsewhere=elsewhere), report()]
    fixing: list[RecordedRequest] = []

    def reply(request: RecordedRequest) -> Reply:
        if not any(tool["name"] == "report" for tool in request.body.get("tools", ())):
            return Reply(text=CLEAN)
        fixing.append(request)
        said = talk[len(fixing) - 1]
        return said if isinstance(said, Reply) else said(request)

    with MessagesServer(default=reply) as server:
        key = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
        more = ("--apply", "--max-iterations", "2", "--reviewer", "marks", "--reviewer", "claude")
        ran = lab.refine(*more, fixer="claude", here=True, **key)
    assert len(fixing) == 3, ran
    assert f'"q {password}@' in (workspace.root / where).read_text()
    assert len(server.requests) > len(fixing)
    shown = [json.dumps(request.body) for request in server.requests]
    assert [text for text in shown if password in text] == []
    assert [text for text in shown if "@db.example.com" in text]
