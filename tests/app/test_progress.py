"""Progress that others can read: while a run lasts, of any run, and never in its way."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.app import progress
from selfreview.app.progress import ProgressFile, ProgressReader, WatchedUi
from selfreview.app.ui import SilentUi
from selfreview.model.event import LoggedEvent
from selfreview.model.result import ReviewerStatus
from selfreview.model.usage import Usage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
ABOUT = {"pid": 7, "command": "run", "branch": "work", "worktree": "/tree", "session": "s-1"}


def whats(found: list[LoggedEvent]) -> list[object]:
    return [event.data["what"] for event in found]


def test_a_reader_reads_along_until_the_run_ends(tmp_path: Path) -> None:
    folder = tmp_path / "progress"
    reader = ProgressReader(folder)
    assert reader.read() == []
    file = ProgressFile(folder)
    file.say("begun", **ABOUT)
    file.say("step", text="checking: tests")
    begun, step = reader.read()
    assert (begun.kind, begun.cursor, begun.session, begun.item.branch) == ("progress", "", "s-1", "work")
    assert (step.item.worktree, step.data) == ("/tree", {"pid": 7, "what": "step", "text": "checking: tests"})
    assert reader.read() == []
    file.say("step", text="more")
    assert whats(reader.read()) == ["step"]
    file.close()
    assert list(folder.iterdir()) == []
    (ended,) = reader.read()
    assert (ended.data["what"], ended.data["pid"], ended.session) == ("ended", 7, "s-1")
    assert reader.read() == []


def test_a_reader_that_comes_later_reads_all_of_it(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path)
    file.say("begun", **ABOUT)
    assert whats(ProgressReader(tmp_path).read()) == ["begun"]
    assert whats(ProgressReader(tmp_path).read()) == ["begun"]
    file.close()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path / "progress")
    (path,) = (tmp_path / "progress").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.name.startswith(f"{os.getpid()}-")
    file.close()


def test_what_a_killed_run_left_is_not_shown_and_removed_by_the_next(tmp_path: Path) -> None:
    script = "import sys, pathlib; from selfreview.app.progress import ProgressFile\n"
    script += (
        "f = ProgressFile(pathlib.Path(sys.argv[1])); f.say('begun'); print('there', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        reader = ProgressReader(tmp_path)
        assert whats(reader.read()) == ["begun"]
        process.kill()
        process.wait()
    assert whats(reader.read()) == ["ended"]
    assert ProgressReader(tmp_path).read() == []
    assert len(list(tmp_path.iterdir())) == 1
    mine = ProgressFile(tmp_path)
    other = ProgressFile(tmp_path)  # which lets the one alone that lives
    assert len(list(tmp_path.iterdir())) == 2
    mine.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_a_run_says_no_more_than_so_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MAX_BYTES", 1_000)
    file = ProgressFile(tmp_path)
    for number in range(100):
        file.say("step", text=f"{number}")
    (path,) = tmp_path.iterdir()
    assert 900 < path.stat().st_size <= 1_000
    assert json.loads(path.read_text().splitlines()[-1])["what"] == "step"
    file.close()


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "progress").write_text("a file")
    file = ProgressFile(tmp_path / "progress")
    file.say("begun", **ABOUT)
    file.close()
    assert ProgressReader(tmp_path / "progress").read() == []


@pytest.mark.parametrize("line", [b"no json\n", b"[]\n", b'{"what": "step"}\n', b'{"at": "now", "what": "half'])
def test_lines_that_are_none_are_passed_over(tmp_path: Path, line: bytes) -> None:
    file = ProgressFile(tmp_path)
    (path,) = tmp_path.iterdir()
    with path.open("ab") as stream:
        stream.write(line)
    assert ProgressReader(tmp_path).read() == []
    file.close()


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "progress").mkdir()
    (tmp_path / "other").write_text('{"at": "now", "what": "begun"}\n')
    (tmp_path / "progress" / "1-a.jsonl").symlink_to(tmp_path / "other")
    file = ProgressFile(tmp_path / "progress")
    assert ProgressReader(tmp_path / "progress").read() == []
    assert (tmp_path / "other").exists()
    file.close()


class Shown(SilentUi):
    def __init__(self) -> None:
        super().__init__()
        self.shown: list[object] = []

    def progress(self, text: str) -> None:
        self.shown.append(text)

    def spent(self, usage: Usage) -> None:
        self.shown.append(usage.requests)


def test_what_is_shown_is_written_down_and_shown_all_the_same(tmp_path: Path) -> None:
    file, shown = ProgressFile(tmp_path), Shown()
    ui = WatchedUi(shown, file)
    ui.progress("refining (1/3) with mine: 2 to fix")
    with ui.watching() as listener:
        listener.started("claude")
        for number in range(1, 10):
            listener.advanced("claude", number, 9)
        listener.finished("claude", ReviewerStatus.OK)
    ui.spent(Usage(requests=2, input_tokens=100, output_tokens=10, cost_usd=0.25))
    ui.spent(Usage())
    ui.note("beside it")
    assert shown.shown == ["refining (1/3) with mine: 2 to fix", 2, 0]
    assert shown.notes == ["beside it"]
    told = [
        {key: value for key, value in event.data.items() if key != "pid"} for event in ProgressReader(tmp_path).read()
    ]
    assert told[0] == {"what": "step", "text": "refining (1/3) with mine: 2 to fix"}
    assert told[1:3] == [
        {"what": "started", "reviewer": "claude"},
        {"what": "advanced", "reviewer": "claude", "done": 1, "of": 9},
    ]
    assert told[-2:] == [
        {"what": "finished", "reviewer": "claude", "status": "ok"},
        {"what": "spent", "requests": 2, "costUsd": 0.25, "inputTokens": 100, "outputTokens": 10},
    ]
    file.close()
