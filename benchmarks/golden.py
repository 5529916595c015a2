"""The golden record: what a version of the program prints for many changes, to be compared with another version.

    python benchmarks/golden.py gather CASES --data EVAL [--history REPOSITORY …]
    python benchmarks/golden.py record CASES RECORD --program VENV/bin/selfreview [--jobs N]
    python benchmarks/golden.py compare RECORD OTHER

``gather`` makes the changes once: whole repositories and small ones of EVAL, every example of every rule, and the last
commits of the histories that are named. ``record`` has one version review each (``run``, ``gate``, SARIF), and plays
the stories of ``golden_stories.py``: refinement, ``apply``, ``undo``, hooks, a fix cycle. ``compare`` prints every
difference, and exits with 1 if there is any. Ids, times and folders are left out of a record.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.golden_stories import STORIES

from selfreview.rules import Removal, load_all
from selfreview.syntax.languages import EXTENSIONS
from selfreview.testing.isolation import GIT_ENVIRONMENT

COMMITS = 3
"""How many of a history's last commits are taken."""
COMMANDS = {
    "run": ("run", "--no-fix", "--base", "main", "--format", "json"),
    "gate": ("gate", "--base", "main", "--format", "json"),
    "sarif": ("report", "--format", "sarif"),
}
NOT_COMPARED = {
    "timestamp": "TIME",
    "runId": "RUN",
    "durationMs": 0,
    "guid": "ID",
    "startTimeUtc": "TIME",
    "endTimeUtc": "TIME",
    "semanticVersion": "VERSION",
}
"""What differs from run to run, by its key in JSON, with what stands there in a record."""
VOLATILE = (
    (re.compile(r"\b[a-z]+-\d{8}-?\d{6}-[0-9a-f]{4}\b"), "RUN"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "COMMIT"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\b\d+(\.\d+)? ?(m?s|min)\b"), "SECONDS"),
    (re.compile(r'\btime="\d+\.\d+"'), 'time="SECONDS"'),
    (re.compile(r"={3,}"), "==="),
    (re.compile(r"127\.0\.0\.1:\d+"), "SERVER"),
)


def git(folder: Path, *arguments: str, stdin: bytes | None = None) -> str:
    """Run git in a folder, and return what it prints."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=stdin, capture_output=True, check=True, env={**os.environ, **GIT_ENVIRONMENT},
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace").strip()


def gather(cases: Path, data: Path, histories: list[Path]) -> None:
    """Write each change as a bundle with the branches ``main`` and ``work``."""
    cases.mkdir(parents=True)
    for bundle in sorted((data / "repos").glob("*.bundle")):
        shutil.copy(bundle, cases / f"repo-{bundle.name}")
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = Path(name)
        subprocess.run([sys.executable, str(data / "lookup_cases.py"), str(folder / "lookup")], check=True)
        for path in sorted((folder / "lookup").iterdir()):
            _bundle(path, "base", "A", cases / f"lookup-{path.name}.bundle")
        _examples(folder / "rules", cases)
        for history in histories:
            _last_commits(history, cases)
    print(f"{len(list(cases.iterdir()))} changes")


def _last_commits(history: Path, cases: Path) -> None:
    """Take the last commits of a history; a partial copy does not have all that older ones need."""
    label = history.parent.name.split("+")[-1] if history.name == "repo" else history.stem
    taken = 0
    for commit in git(history, "rev-list", "--no-merges", "--max-count=20", "HEAD").split():
        with contextlib.suppress(subprocess.CalledProcessError):
            _bundle(history, f"{commit}^", commit, cases / f"commit-{label}-{taken}.bundle")
            taken += 1
        if taken == COMMITS:
            break


def _bundle(repository: Path, base: str, head: str, target: Path) -> None:
    """Write two trees of a repository as a history of two commits."""
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        short = Path(name)
        git(short, "init", "--quiet", "--bare")
        (short / "objects" / "info" / "alternates").write_text(f"{_objects(repository)}\n")
        first = git(short, "commit-tree", f"{git(repository, 'rev-parse', f'{base}^{{tree}}')}", "-m", "before")
        tree = git(repository, "rev-parse", f"{head}^{{tree}}")
        second = git(short, "commit-tree", tree, "-p", first, "-m", "after")
        git(short, "update-ref", "refs/heads/main", first)
        git(short, "update-ref", "refs/heads/work", second)
        git(short, "bundle", "create", "--quiet", str(target.absolute()), "main", "work")


def _objects(repository: Path) -> str:
    return str(Path(repository, git(repository, "rev-parse", "--git-path", "objects")).resolve())


def _examples(folder: Path, cases: Path) -> None:
    """Write a change for each language: every example of its rules in a file of its own."""
    for language in sorted({language for rule in load_all() for language in rule.languages}):
        root = folder / language
        extension = next(extension for extension, name in EXTENSIONS.items() if name == language)
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for rule in load_all():
            for kind in ("bad", "good") if language in rule.languages else ():
                for number, example in enumerate(getattr(rule, kind)):
                    path = f"{'tests/test_' if rule.where == 'tests' else 'src/'}{rule.id}_{kind}_{number}{extension}"
                    path = path.replace("-", "_")
                    if not isinstance(example, Removal):
                        after[path] = _plain(example)
                    elif example.language == language:
                        before[path] = _plain(example.before)
                        after |= {} if example.after is None else {path: _plain(example.after)}
        git(root.parent if root.parent.exists() else folder.parent, "init", "--quiet", "-b", "main", str(root))
        _commit(root, {"README.md": "examples\n", **before})
        git(root, "checkout", "--quiet", "-b", "work")
        for path in before:
            (root / path).unlink()
        _commit(root, after)
        _bundle(root, "main", "work", cases / f"rules-{language}.bundle")


def _plain(example: str) -> str:
    return re.sub(r"[ \t]*<--$", "", textwrap.dedent(example).lstrip("\n"), flags=re.MULTILINE)


def _commit(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "files")


class Desk:
    """A home folder and a repository of their own, and one version of the program.

    Args:
        folder: A folder that nobody else uses.
        program: The program's path.
    """

    def __init__(self, folder: Path, program: Path) -> None:
        self.folder, self.root, self._program = folder, folder / "repo", program
        (folder / "home").mkdir()
        self.environment = {
            **GIT_ENVIRONMENT, "HOME": str(folder / "home"), "PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "SELFREVIEW_OFFLINE": "true",
        }  # fmt: skip
        self.lines: list[str] = []

    def program(self, *arguments: str, **environment: str) -> str:
        """Run the program, and return its exit status and what it printed."""
        return self.other(str(self._program), *arguments, **environment)

    def other(self, *argv: str, **environment: str) -> str:
        """Run another program in the repository, and return its exit status and what it printed."""
        done = subprocess.run(
            argv, cwd=self.root, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
            capture_output=True, check=False,
        )  # fmt: skip
        out = self._steady(done.stdout.decode("utf-8", "replace"))
        return f"exit {done.returncode}\n{out}{self._steady(done.stderr.decode('utf-8', 'replace'))}"

    def say(self, *argv: str, **environment: str) -> None:
        """Run the program as a step of a story, and write down what it did, and how the tree is afterwards."""
        self.lines += [f"$ selfreview {' '.join(argv)}", self.program(*argv, **environment), self.state()]

    def state(self) -> str:
        """Return the status of the tree, its difference from HEAD, and the subjects of its commits."""
        return "\n".join(
            self.other("git", *arguments)
            for arguments in (("status", "--short"), ("diff", "HEAD"), ("log", "--format=%s"), ("stash", "list"))
        )

    def story(self) -> str:
        """Return what was written down."""
        return self._steady("\n".join(self.lines))

    def _steady(self, text: str) -> str:
        text = text.replace(str(self.folder.resolve()), "FOLDER").replace(str(self.folder), "FOLDER")
        with contextlib.suppress(ValueError):
            text = json.dumps(_steadied(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
        for pattern, word in VOLATILE:
            text = pattern.sub(word, text)
        return text


def _steadied(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: NOT_COMPARED[key] if key in NOT_COMPARED and not isinstance(item, dict) else _steadied(item)
            for key, item in value.items()
        }
    return [_steadied(item) for item in value] if isinstance(value, list) else value


@contextlib.contextmanager
def desk(program: Path) -> Iterator[Desk]:
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        yield Desk(Path(name), program)


def record_case(bundle: Path, target: Path, program: Path) -> str:
    """Review one change with every command."""
    with desk(program) as at:
        git(bundle.parent, "clone", "--quiet", "--branch", "main", str(bundle.absolute()), str(at.root))
        git(at.root, "checkout", "--quiet", "work")
        for name, arguments in COMMANDS.items():
            (target / f"{bundle.stem}.{name}.txt").write_text(at.program(*arguments), encoding="utf-8")
    return bundle.stem


def record_story(name: str, target: Path, program: Path) -> str:
    """Play one story."""
    with desk(program) as at:
        STORIES[name](at)
        (target / f"story-{name}.txt").write_text(at.story(), encoding="utf-8")
    return name


def record(cases: Path, target: Path, program: Path, jobs: int) -> None:
    """Write what one version prints."""
    target.mkdir(parents=True)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        work = [pool.submit(record_story, name, target, program) for name in STORIES]
        work += [pool.submit(record_case, bundle, target, program) for bundle in sorted(cases.glob("*.bundle"))]
        for done in concurrent.futures.as_completed(work):
            print(done.result(), flush=True)


def compare(before: Path, after: Path) -> int:
    """Print how two records differ."""
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()})
    differ = 0
    for name in names:
        texts = [(folder / name).read_text("utf-8") if (folder / name).exists() else "" for folder in (before, after)]
        if texts[0] != texts[1]:
            differ += 1
            lines = (text.splitlines() for text in texts)
            print("\n".join(difflib.unified_diff(*lines, f"before/{name}", f"after/{name}", n=2, lineterm="")))
    print(f"{len(names)} outputs, {differ} differ")
    return int(bool(differ))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("gather")
    command.add_argument("cases", type=Path)
    command.add_argument("--data", type=Path, required=True)
    command.add_argument("--history", type=Path, nargs="*", default=[], dest="histories")
    command.set_defaults(run=gather)
    command = commands.add_parser("record")
    command.add_argument("cases", type=Path)
    command.add_argument("target", type=Path)
    command.add_argument("--program", type=Path, required=True)
    command.add_argument("--jobs", type=int, default=2)
    command.set_defaults(run=record)
    command = commands.add_parser("compare")
    command.add_argument("before", type=Path)
    command.add_argument("after", type=Path)
    command.set_defaults(run=compare)
    options = vars(parser.parse_args())
    return int(options.pop("run")(**options) or 0)


if __name__ == "__main__":
    sys.exit(main())
