"""What a machine is set up with decides nothing: the suite makes its own surroundings, and its own order."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import slow_first

ROOT = Path(__file__).parent.parent
CODE = """
import json, os, time
from tests.surroundings import make_surroundings
make_surroundings()
print(json.dumps([dict(os.environ), os.umask(0), time.strftime("%H", time.localtime(0))]))
"""
ODD = {
    "LC_ALL": "tr_TR.UTF-8",
    "LANG": "de_DE.ISO-8859-1",
    "LANGUAGE": "de",
    "TZ": "Asia/Kolkata",
    "HOME": "/read/only",
    "XDG_CONFIG_HOME": "/odd",
    "GIT_CONFIG_COUNT": "0",
    "EDITOR": "false",
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "TERM": "dumb",
    "COLUMNS": "40",
    "FORCE_COLOR": "1",
    "NO_COLOR": "1",
    "PYTHONWARNINGS": "default",
    "PYTHONUTF8": "0",
    "SELFREVIEW_OFFLINE": "1",
    "ANTHROPIC_API_KEY": "a-key",
}


def made(**odd: str) -> tuple[dict[str, str], int, str]:
    """Return the environment that is made of another one, the umask, and the hour when time began."""
    code = f"import os; os.umask(0o077)\n{CODE}"
    environ = {"PATH": os.environ["PATH"], "SYSTEMROOT": os.environ.get("SYSTEMROOT", ""), **odd}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, check=True)
    found: Any = json.loads(done.stdout)
    return tuple(found)


@pytest.mark.skipif(sys.platform == "win32", reason="no umask, no zones")
def test_what_is_odd_about_a_machine_is_left_behind() -> None:
    environ, umask, hour = made(**ODD)
    assert (umask, hour) == (0o022, "00")
    # Python itself says which encoding it took where nothing is said.
    assert set(environ) - {"LC_CTYPE"} == {"PATH", "SYSTEMROOT", "HOME", "USERPROFILE", "TZ"}
    assert not {environ[name] for name in ("HOME", "TZ")} & set(ODD.values())


@pytest.mark.parametrize("name", ["PYTEST_ADDOPTS", "PYTHONPATH", "TMPDIR", "PIP_INDEX_URL", "https_proxy"])
def test_how_the_suite_is_run_stays(name: str) -> None:
    assert made(**{name: "said"})[0][name] == "said"


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("many", [0, 1, 13, 40])
def test_every_worker_begins_with_its_part_of_the_slow_tests(workers: int, many: int) -> None:
    slow, quick = list(range(many // 3)), list(range(many // 3, many))
    ordered = slow_first(slow, quick, workers)
    assert [item for item in ordered if item in slow] == slow
    assert [item for item in ordered if item in quick] == quick
    # As xdist hands them out with --dist=worksteal: so many for each, of those that follow one another.
    bounds = [many * share // workers for share in range(workers + 1)]
    shares = [[item in slow for item in ordered[a:b]] for a, b in itertools.pairwise(bounds)]
    assert all(share == sorted(share, reverse=True) for share in shares)
    assert max(map(sum, shares)) - min(map(sum, shares)) <= 1
