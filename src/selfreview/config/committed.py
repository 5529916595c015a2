"""Reading configuration files from a commit instead of the working tree: what a gate believes."""

from __future__ import annotations

from selfreview.config.files import MAX_BYTES, LinkError, RepoReader
from selfreview.errors import ConfigError
from selfreview.git.run import Git
from selfreview.trust import CONF_NAME


def commit_reader(git: Git, commit: str) -> RepoReader:
    """Return a reader of a commit's files.

    As in the working tree, a link is followed while it stays in the commit, and the local plugin is never read through
    one.

    Args:
        git: Git in the repository.
        commit: The full id of a commit or tree.
    """

    def read(name: str) -> bytes | None:
        asked = f"{commit}:{name}\n".encode("utf-8", "surrogateescape")
        below = ["--", name] if "/" in name else []  # most are at the top, which is listed once
        entries = git.run(["ls-tree", "-z", "--full-tree", commit, *below], fixed=True)
        raw = name.encode("utf-8", "surrogateescape")
        found = next((entry for entry in entries.split(b"\0") if entry.partition(b"\t")[2] == raw), None)
        if found is None:
            return None
        if name == CONF_NAME and found.startswith(b"120000 "):
            raise LinkError(f"{name} is a symbolic link, which is not followed", hint="put the file itself there")
        check = ["cat-file", "--follow-symlinks", "--batch-check=%(objecttype) %(objectsize) %(objectname)"]
        header = git.run(check, stdin=asked, fixed=not found.startswith(b"120000 ")).partition(b"\n")[0]
        kind, _, size = header.partition(b" ")
        match kind:
            case b"blob":
                pass
            case b"symlink" | b"dangling" | b"loop" | b"notdir":
                raise LinkError(f"{name} of the base is a symbolic link that leads nowhere in it")
            case _:
                raise ConfigError(f"{name} of the base is not a regular file")
        length, _, oid = size.partition(b" ")
        if int(length) > MAX_BYTES:
            raise ConfigError(f"{name} of the base is larger than {MAX_BYTES // (1024 * 1024)} MiB")
        return git.run(["cat-file", "blob", oid], fixed=True)

    return read
