from __future__ import annotations

import json
from pathlib import Path

from selfreview.cli.results.report import verdict_schema
from tests.conftest import Workspace

ROOT = Path(__file__).parent.parent.parent


def test_the_committed_schema_is_what_the_model_says() -> None:
    committed = json.loads((ROOT / "docs" / "schema" / "verdict.schema.json").read_text(encoding="utf-8"))
    assert committed == json.loads(json.dumps(verdict_schema()))


def test_every_key_of_a_result_is_in_the_schema(workspace: Workspace) -> None:
    workspace.write("app.py", "import os\nprint(undefined_name)\n")
    result = workspace.review()
    definitions = verdict_schema()["$defs"]
    assert isinstance(definitions, dict)
    assert set(definitions["Result"]["properties"]) - {"notPassedBy"} == set(result)  # which is missing in this one
    assert result["issues"]
    for issue in result["issues"]:
        assert set(issue) <= set(definitions["Issue"]["properties"])
