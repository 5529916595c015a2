"""Speed, as ratios within one run: ``pytest benchmarks -n 0 -s``.

Whole processes are timed, the two sides of a ratio in turn, and medians compared. A run on a busy machine may fail
where a quiet one passes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

PROGRAM = str(Path(sys.executable).parent / ("selfreview.exe" if os.name == "nt" else "selfreview"))
ROUNDS = 15


def run(arguments: Sequence[str], cwd: Path, *, ok: Sequence[int] = (0,)) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, check=False, env=environment(cwd))
    assert done.returncode in ok, done.stderr.decode()
    return done


def environment(cwd: Path) -> dict[str, str]:
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("GIT_", "SELFREVIEW_")) and k != "PYTHONDONTWRITEBYTECODE"
    }
    names = {
        f"GIT_{role}_{key}": "benchmark@localhost" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    return env | names | {"SELFREVIEW_CONFIG_DIR": str(cwd / ".none"), "GIT_CONFIG_NOSYSTEM": "1"}


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(ours: Callable[[], object], theirs: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Time two actions in turn after a warm-up; return both medians."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def report(what: str, ours: float, theirs: float, limit: float) -> None:
    print(f"\n{what}: {1000 * ours:.1f} ms against {1000 * theirs:.1f} ms, ratio {ours / theirs:.2f} (limit {limit})")
    assert ours <= limit * theirs


def repository(folder: Path, files: dict[str, str], *, commit: bool = True) -> Path:
    """A repository on main with one commit, and a branch that adds the files."""
    repo = folder / "repo"
    repo.mkdir()
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["commit", "-q", "--allow-empty", "-m", "first"],
        ["switch", "-q", "-c", "work"],
    ):
        run(["git", *arguments], repo)
    for name, content in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(content)
    if commit:
        run(["git", "add", "--all"], repo)
        run(["git", "commit", "-q", "-m", "work"], repo)
    return repo


def test_version(tmp_path: Path) -> None:
    bare = lambda: run([sys.executable, "-c", "pass"], tmp_path)  # noqa: E731
    report("--version / python -c pass", *compare(lambda: run([PROGRAM, "--version"], tmp_path), bare), 2.0)


def test_help(tmp_path: Path) -> None:
    imports = lambda: run([sys.executable, "-c", "import click, pluggy"], tmp_path)  # noqa: E731
    report("--help / import click, pluggy", *compare(lambda: run([PROGRAM, "--help"], tmp_path), imports), 1.5)


MODULE = '''"""Module {n}."""

import os
import subprocess


def load_{n}(path, cache={{}}):
    if path in cache:
        return cache[path]
    with open(path) as stream:
        cache[path] = stream.read()
    return cache[path]


class Thing{n}:
    def __init__(self, name):
        self.name = name

    def run(self, command):
        try:
            return subprocess.check_output(command + self.name, shell=True)
        except Exception:
            pass

    def path(self):
        return os.path.join("things", self.name)
'''


def test_twenty_files_cost_little_more_than_the_slowest_reviewer(tmp_path: Path) -> None:
    files = {f"package/module_{n}.py": MODULE.format(n=n) * 4 for n in range(14)}
    files |= {
        f"web/view_{n}.js": f"export function view{n}(a) {{\n  return a.map((x) => x + {n});\n}}\n" * 20
        for n in range(6)
    }
    repo = repository(tmp_path, files)

    def review(*more: str) -> Callable[[], object]:
        return lambda: run([PROGRAM, "run", "--no-cache", "--format", "json", *more], repo, ok=(0, 1, 5))

    everything = statistics.median(seconds(review()) for _ in range(ROUNDS))
    startup = statistics.median(seconds(review("--collect-only")) for _ in range(ROUNDS))
    names = ("ruff", "rules", "secrets", "text")
    alone = {name: statistics.median(seconds(review("--reviewer", name)) for _ in range(5)) - startup for name in names}
    slowest = max(alone, key=lambda name: alone[name])
    print(f"\n20 files: {1000 * everything:.0f} ms; start-up {1000 * startup:.0f} ms; alone beyond it: "
          + ", ".join(f"{name} {1000 * value:.0f} ms" for name, value in alone.items()))  # fmt: skip
    report("20 files beyond start-up / slowest alone", everything - startup, alone[slowest], 1.5)


def test_a_second_run_starts_no_tool(tmp_path: Path) -> None:
    repo = repository(tmp_path, {f"m{n}.py": MODULE.format(n=n) for n in range(20)})
    command = [PROGRAM, "run", "--format", "json"]
    first = seconds(lambda: run(command, repo, ok=(0, 1)))
    second = seconds(lambda: run(command, repo, ok=(0, 1)))
    result = json.loads(run(command, repo, ok=(0, 1)).stdout)
    print(f"\nfirst {1000 * first:.0f} ms, second {1000 * second:.0f} ms")
    assert all(r["cached"] for r in result["reviewers"] if r["status"] == "ok")


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read with the resource module")
def test_a_million_lines(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415 - POSIX only

    line = "value_{n} = compute(value_{n}, {i})  # a line of code like many others\n"
    files = {f"d{n % 50}/f{n}.py": "".join(line.format(n=n, i=i) for i in range(500)) for n in range(2000)}
    repo = repository(tmp_path, files)
    ours, theirs = compare(
        lambda: run([PROGRAM, "run", "--collect-only", "--format", "json"], repo),
        lambda: run(["git", "diff", "main", "work"], repo),
        rounds=5,
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\npeak memory of any child so far: {peak:.0f} MB (limit 700)")
    assert peak < 700
    report("--collect-only of 1,000,000 added lines / git diff", ours, theirs, 3.0)


def test_a_hundred_commits_cost_little_more_than_their_change_alone(tmp_path: Path) -> None:
    """A single commit is not looked into: it adds what its change does."""
    files = {f"package/module_{n}.py": MODULE.format(n=n) * 4 for n in range(30)}
    repo = repository(tmp_path, files)
    for number in range(100):
        for name in (f"package/module_{number * step % 30}.py" for step in (1, 7, 11)):
            functions = (repo / name).read_text().split("\n\n\n")
            functions[number % len(functions)] = f"def step_{number}(path):\n" + "".join(
                f"    value_{line} = path.load({number}, key={line})\n" for line in range(20)
            )
            (repo / name).write_text("\n\n\n".join([*functions, MODULE.format(n=number)]))
        run(["git", "commit", "-q", "-a", "-m", f"commit {number}"], repo)
    one = run(["git", "commit-tree", "-p", "main", "-m", "all", "HEAD^{tree}"], repo).stdout.decode().strip()

    def review(*scope: str) -> Callable[[], object]:
        return lambda: run([PROGRAM, "run", "--no-cache", "--no-fix", "--format", "json", *scope], repo, ok=(0, 1))

    ours, theirs = compare(review("--range", "main..HEAD"), review("--commit", one), rounds=7)
    report("100 commits one by one / their change alone", ours, theirs, 1.5)
    text = ["--reviewer", "secrets", "--reviewer", "text"]
    ours, theirs = compare(review("--range", "main..HEAD", *text), review("--commit", one, *text), rounds=7)
    report("the same, secrets and text alone", ours, theirs, 1.5)


def test_many_moved_functions_cost_little_more_than_new_ones(tmp_path: Path) -> None:
    methods = "".join(f"    def f{n}(self, v{n}):\n        return eval(v{n})  # value {n}\n\n" for n in range(500))
    code = f"class A:\n{methods}"
    folders = {name: tmp_path / name for name in ("moved", "new")}
    for name, folder in folders.items():
        folder.mkdir()
        repo = repository(folder, {"a.py": code if name == "moved" else "x = 1\n"})
        run(["git", "branch", "-f", "main", "work"], repo)
        (repo / "a.py").write_text("x = 1\n")
        (repo / "b.py").write_text(code.replace("    ", "  "))
        run(["git", "add", "--all"], repo)
        run(["git", "commit", "-q", "-m", "the change"], repo)
    command = [PROGRAM, "run", "--no-cache", "--format", "json"]
    moved, new = compare(
        lambda: run(command, folders["moved"] / "repo"),
        lambda: run(command, folders["new"] / "repo", ok=(1,)),
        rounds=3,
    )
    report("five hundred moved functions", moved, new, limit=4)
