"""What is said where the queue's packages are not all there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab


def test_a_queue_that_is_installed_in_part_is_one_line_with_a_hint(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "broken" / "sqlalchemy").mkdir(parents=True)
    (tmp_path / "broken" / "sqlalchemy" / "__init__.py").write_text("raise ImportError('no sqlalchemy here')\n")
    done = subprocess.run(
        [sys.executable, "-m", "selfreview", "pr", "watch", "--once"], cwd=lab.workspace.root, capture_output=True,
        text=True, check=False, env={**os.environ, **lab.environment, "PYTHONPATH": os.pathsep.join(
            [str(tmp_path / "broken"), *filter(None, [os.environ.get("PYTHONPATH")])])},
    )  # fmt: skip
    assert done.returncode == ExitCode.USAGE, done
    assert "error: watching needs DBOS, which is not installed whole: no sqlalchemy here" in done.stderr
    assert "pip install '.[watch]'" in done.stderr
    assert "crash report" not in done.stderr
