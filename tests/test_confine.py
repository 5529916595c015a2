"""Landlock, on programs of the system: what they can open after they confined themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview import confine

pytestmark = pytest.mark.skipif(not confine.version(), reason="this system has no Landlock")


def run(folder: Path, script: str, **rules: list[Path]) -> subprocess.CompletedProcess[str]:
    """Run a shell's script, confined, in a folder."""
    given = {name: [str(path) for path in rules.get(name, [])] for name in ("hidden", "read", "write")}
    argv = [sys.executable, "-I", "-S", confine.__file__, json.dumps(given), "/bin/sh", "-c", script]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("seen", "own/inner/deep", "own/beside", "work/x"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n")
    return tmp_path


def test_what_is_hidden_cannot_be_read_and_all_beside_it_can(home: Path) -> None:
    done = run(home, "cat seen own/beside work/x own/inner/deep", hidden=[home / "own" / "inner"])
    assert done.stdout == "seen\nown/beside\nwork/x\n"
    assert "denied" in done.stderr


def test_a_link_leads_to_nothing_that_is_hidden(home: Path) -> None:
    (home / "link").symlink_to(home / "own")
    (home / "other").symlink_to(home / "own" / "inner")
    for hidden in (home / "own" / "inner", home / "other"):
        assert run(home, "cat link/inner/deep other/deep", hidden=[hidden]).stdout == ""


def test_a_part_of_what_is_hidden_can_be_read_all_the_same(home: Path) -> None:
    done = run(home, "cat own/inner/deep own/beside", hidden=[home / "own"], read=[home / "own" / "inner"])
    assert done.stdout == "own/inner/deep\n"


def test_what_is_hidden_in_that_part_stays_hidden(home: Path) -> None:
    hidden = [home, home / "own" / "inner"]
    assert run(home, "cat own/inner/deep own/beside seen", hidden=hidden, read=[home / "own"]).stdout == "own/beside\n"


def test_nothing_is_written_but_where_it_may(home: Path) -> None:
    script = "echo a > seen; echo b > new; mkdir m; rm own/beside; mv seen moved; ln seen l; rm work/x; echo d > work/y"
    run(home, script, write=[home / "work"])
    there = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    assert there == ["own/beside", "own/inner/deep", "seen", "work/y"]
    assert (home / "seen").read_text() == "seen\n"


def test_devices_that_everybody_writes_to_are_written_to(home: Path) -> None:
    assert run(home, "echo x > /dev/null && head -c 1 /dev/urandom > /dev/null").returncode == 0


def test_what_it_starts_is_confined_as_well(home: Path) -> None:
    assert run(home, "sh -c 'sh -c \"cat own/beside\"'", hidden=[home / "own"]).stdout == ""


def test_it_signals_nobody_outside(home: Path) -> None:
    if confine.version() < 6:
        pytest.skip("this Landlock knows no signals")
    assert run(home, "kill -0 $PPID").returncode != 0


def test_it_ends_where_whoever_started_it_was_killed(home: Path) -> None:
    given = json.dumps({"hidden": [], "read": [], "write": [str(home)]})
    argv = [sys.executable, "-I", "-S", confine.__file__, given, "/bin/sh", "-c", "echo $$ > started; exec sleep 600"]
    starter = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])", *argv],
        cwd=home, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert starter.stdout is not None
    with starter:
        while not (home / "started").exists() or not (home / "started").read_text().strip():
            assert starter.poll() is None
        starter.kill()
        assert starter.stdout.read() == b""  # it is open until the last of them is gone


def test_a_program_that_is_not_there_is_told(home: Path) -> None:
    given = json.dumps({"hidden": [], "read": [], "write": []})
    argv = [sys.executable, "-I", "-S", confine.__file__, given, str(home / "nowhere")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, "cannot be started confined" in done.stderr) == (126, True)


def test_a_folder_that_holds_the_standard_library_by_name_is_not_looked_into(home: Path) -> None:
    """What it starts in is anybody's."""
    (home / "ctypes.py").write_text("raise SystemExit('taken')\n")
    assert run(home, "echo fine").stdout == "fine\n"
