"""A Postgres server in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_TEXT = ("--encoding=UTF8", "--locale=C")
"""Else the encoding is that of the locale, and none here."""


def programs() -> Path | None:
    """Return the folder of the server's programs, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Run one on a unix socket alone; yield the URL of its database."""
    bin_ = programs()
    assert bin_ is not None
    # Not pytest's folder: a socket's path is short, and the server runs as somebody else where we are root.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:
        folder = Path(name)
        user = None
        if os.getuid() == 0:
            user = "postgres"
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        folder.chmod(0o755)

        def run(*command: str) -> None:
            done = subprocess.run(command, user=user, cwd="/", capture_output=True, check=False)
            assert done.returncode == 0, done.stderr.decode()

        data = folder / "data"
        run(str(bin_ / "initdb"), "-D", str(data), "-U", "selfreview", "-A", "trust", "-N", *_TEXT)
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        run(str(bin_ / "pg_ctl"), "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            run(str(bin_ / "createdb"), "-h", str(folder), "-U", "selfreview", "watching")
            yield f"postgresql://selfreview@/watching?host={folder}"
        finally:
            run(str(bin_ / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop")
