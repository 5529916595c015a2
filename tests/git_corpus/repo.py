"""A sandbox for one case: a home of its own, real git, fixed identity and dates."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .expect import Check, Name, raw
from .tool import source_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .expect import File

Content = str | bytes
KEPT = ("PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT")
DATE = "2001-02-03T04:05:06Z"
WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "A U Thor"), ("EMAIL", "author@example.com"), ("DATE", DATE))
}
SETTINGS = {  # of the builders' git only; the tool never sees them
    "protocol.file.allow": "always",
    "init.defaultBranch": "main",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.fsync": "none",
}


def text(count: int, changes: Mapping[int, str] | None = None, *, tag: str = "line", end: str = "\n") -> str:
    """`count` different lines; `changes` replaces some by number."""
    rows = (f"{tag} {number} of {tag}" for number in range(1, count + 1))
    return "".join((changes or {}).get(number, row) + end for number, row in enumerate(rows, 1))


class Lab:
    """One case's folder: `home`, `tmp`, and the repositories beside them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.tmp = root / "tmp"
        self.global_config = self.home / "gitconfig"
        for folder in (self.home, self.tmp):
            folder.mkdir()
        self.global_config.touch()
        self.env = {
            **{key: os.environ[key] for key in KEPT if key in os.environ},
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "TMPDIR": str(self.tmp),
            **{f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")},
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.global_config),
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(source_folder()),
        }

    @property
    def git_env(self) -> dict[str, str]:
        """What the builders' git sees: the tool's environment, an identity, and a few settings."""
        injected = {"GIT_CONFIG_COUNT": str(len(SETTINGS))}
        for number, (key, value) in enumerate(SETTINGS.items()):
            injected |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return {**self.env, **WHO, **injected}

    def git(
        self, *args: Name, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, fails: bool = False
    ) -> bytes:
        """Run git; it must succeed, or fail where the case is about a failure."""
        done = subprocess.run(
            ["git", *args], cwd=cwd, env={**self.git_env, **(env or {})}, input=stdin, capture_output=True, check=False
        )
        if (done.returncode != 0) is not fails:
            raise RuntimeError(f"git {args} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def repo(self, files: Mapping[Any, Content] | None = None, *init: str, name: Name = "repo") -> Repo:
        """A new repository on `main`, with a first commit if `files` are given."""
        path = self.root / os.fsdecode(name)
        path.mkdir(parents=True)
        self.git("init", "-q", "--template=", "-b", "main", *init, cwd=path)
        repo = Repo(self, path)
        if files is not None:
            repo.commit(files, "first")
        return repo

    def clone(self, source: Repo, *args: str, name: str = "clone") -> Repo:
        """A clone through the file protocol, so that depth and filters count."""
        url = source.path.as_uri()
        self.git("clone", "-q", "--template=", *args, url, str(self.root / name), cwd=self.root)
        return Repo(self, self.root / name)

    def folder(self, name: str = "plain") -> Repo:
        """A folder without a repository."""
        (self.root / name).mkdir(parents=True)
        return Repo(self, self.root / name)

    def script(self, name: str, body: str) -> Path:
        """An executable outside every repository."""
        path = self.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    def trap(self) -> tuple[Path, Path]:
        """A program that nothing may run, and the file it makes if something does."""
        marker = self.root / "marker"
        return self.script("trap", f'cat >/dev/null 2>&1 </dev/null; echo garbage; : >"{marker}"'), marker


class Repo:
    """A working tree under construction."""

    def __init__(self, lab: Lab, path: Path) -> None:
        self.lab = lab
        self.path = path

    def git(self, *args: Name, **more: Any) -> bytes:
        """Run git at the top of the tree."""
        return self.lab.git(*args, cwd=self.path, **more)

    def rev(self, name: str = "HEAD") -> str:
        """The full hash of a revision."""
        return self.git("rev-parse", "--verify", "-q", name).decode().strip()

    def at(self, name: Name) -> Path:
        """A path in the tree."""
        return self.path / os.fsdecode(raw(name))

    def write(self, files: Mapping[Any, Content]) -> Repo:
        """Write files, with their folders."""
        for name, content in files.items():
            path = self.at(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def add(self, *names: Name) -> Repo:
        """Stage paths as they are spelt, or everything."""
        self.git("--literal-pathspecs", "add", "-A", "--", *names)
        return self

    def commit(self, files: Mapping[Any, Content] | None = None, message: str = "change", *more: str) -> str:
        """Write files, stage everything, commit; the hash of the commit."""
        self.write(files or {}).add()
        self.git("commit", "-q", "--allow-empty", "-m", message, *more)
        return self.rev()

    def branch(self, name: str, start: str = "HEAD") -> Repo:
        """A new branch, checked out."""
        self.git("checkout", "-q", "-b", name, start)
        return self

    def switch(self, name: str) -> Repo:
        """Check out what exists."""
        self.git("checkout", "-q", name, "--")
        return self

    def config(self, settings: Mapping[str, str]) -> Repo:
        """Set the repository's own configuration."""
        for key, value in settings.items():
            self.git("config", key, value)
        return self

    def check(
        self,
        *argv: Name,
        files: Iterable[File] = (),
        exits: int | tuple[int, ...] = 0,
        env: Mapping[str, str] | None = None,
        sub: str = "",
        **more: Any,
    ) -> Check:
        """One run of the tool here, or in the sub-folder `sub`."""
        codes = (exits,) if isinstance(exits, int) else exits
        return Check(argv, self.path / sub, {**self.lab.env, **(env or {})}, tuple(files), exits=codes, **more)

    def refuses(self, *argv: Name, hint: bool = False, **more: Any) -> Check:
        """A run that must end with a usage error."""
        return self.check(*argv, exits=4, hint=hint, **more)

    def patch(self, *args: str) -> Path:
        """A patch file beside the repository, as git writes it when nobody configures it."""
        path = self.lab.root / "change.patch"
        path.write_bytes(self.git("-c", "core.quotePath=true", "diff", "--no-ext-diff", "-M", *args, "--"))
        return path

    def everywhere(self, files: Iterable[File], *scopes: str) -> Iterator[Check]:
        """The same uncommitted change as the tree, the index, a commit and a patch show it."""
        files = tuple(files)
        wanted = scopes or ("tree",)
        if "tree" in wanted:
            yield self.check(files=files)
        self.add()
        if "staged" in wanted:
            yield self.check("--staged", files=files)
        self.git("commit", "-q", "-m", "change")
        if "commit" in wanted:
            yield self.check("--commit", "HEAD", files=files)
        if "patch" in wanted:
            yield self.check("--diff", str(self.patch("HEAD~1", "HEAD")), files=files)
