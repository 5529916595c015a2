"""What a repository may run on this machine: asked once per repository and content, as ``direnv allow`` does.

A repository's own configuration can make code run: ``selfreview_conf.py`` is a plugin, and some tables name commands.
None of it runs before the person has said so. What they agreed to is one digest over that code and those tables; other
keys can change without another question. Table order and spelling (dotted keys, inline tables, comments) do not count,
because the digest is taken over the parsed values.

What they agreed to is kept outside of every repository, one file per repository and digest. Nothing is read, changed
and written back, so any number of processes can do it at once.
"""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from selfreview.errors import TrustError

CONF_NAME = "selfreview_conf.py"
"""The local plugin's file name, at the top level of a repository."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrustSubject:
    """What a repository wants to run.

    Attributes:
        digest: SHA-256 in hexadecimal over the code and the tables.
        conf: The bytes of ``selfreview_conf.py``, or None where there is none. Whoever loads it must run these bytes
            and not read the file again: it can have changed since.
        tables: The values that can make something run, as parsed.
    """

    digest: str
    conf: bytes | None
    tables: Mapping[str, Any]

    def describe(self) -> list[str]:
        """Return one line for each thing that could run, for a person who decides."""
        lines = []
        if self.conf is not None:
            count = self.conf.count(b"\n") + (not self.conf.endswith(b"\n"))
            lines.append(f"{CONF_NAME}: {count} {'line' if count == 1 else 'lines'} of Python")
        for name, value in sorted(self.tables.items()):
            lines.extend(_describe(name, value))
        return lines


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrustRecord:
    """One thing that a person agreed to.

    Attributes:
        repository: Real path of the repository's common git directory.
        digest: Of the :class:`TrustSubject`.
        contents: What it was, as :meth:`TrustSubject.describe` put it.
        at: When, in UTC, ISO 8601, ending in ``Z``.
    """

    repository: str
    digest: str
    contents: tuple[str, ...]
    at: str


def executable_content(conf: bytes | None, tables: Mapping[str, Any]) -> TrustSubject | None:
    """Return what a repository wants to run, or None where it wants nothing.

    Args:
        conf: The bytes of ``selfreview_conf.py``, or None.
        tables: The parsed values of the repository's file that can make something run. Empty tables count as nothing.
    """
    import hashlib

    asked = {name: value for name, value in tables.items() if value not in ({}, [])}
    if conf is None and not asked:
        return None
    digest = hashlib.sha256(_canonical([conf if conf is not None else False, asked])).hexdigest()
    return TrustSubject(digest=digest, conf=conf, tables=asked)


class TrustStore:
    """The record of what a person agreed to run.

    Args:
        folder: Where it is kept; created, private to the user, when something is first recorded.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> TrustStore:
        """Return the store in the user's own data folder, or in ``SELFREVIEW_DATA_DIR`` where that is set.

        Raises:
            TrustError: If there is no such folder, or it is not an absolute path: a relative one could lie in the
                repository that is to be judged.
        """
        given = environ.get("SELFREVIEW_DATA_DIR")
        if given:
            folder = Path(given)
        else:
            import platformdirs

            folder = platformdirs.user_data_path("selfreview", appauthor=False)
        if not folder.is_absolute():
            raise TrustError(
                f"the data folder {str(folder)!r} is not an absolute path",
                hint="set SELFREVIEW_DATA_DIR to an absolute path",
            )
        return cls(folder / "trust")

    def is_trusted(self, repository: Path, subject: TrustSubject) -> bool:
        """Say whether exactly this content was agreed to for this repository.

        Args:
            repository: The common git directory; a repository that was moved is asked about again.
            subject: What would run.

        Raises:
            TrustError: If the record cannot be read, or others could have written it.
        """
        where = os.path.realpath(repository)
        path = self.folder / _file_name(where, subject.digest)
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise TrustError(f"cannot read {path}: {error.strerror}") from error
        self._refuse_if_shared()
        record = _read(path)
        return record is not None and (record.repository, record.digest) == (where, subject.digest)

    def trust(self, repository: Path, subject: TrustSubject) -> TrustRecord:
        """Record that this content may run.

        Raises:
            TrustError: If it cannot be recorded.
        """
        import json
        import tempfile
        from datetime import UTC, datetime

        record = TrustRecord(
            repository=os.path.realpath(repository),
            digest=subject.digest,
            contents=tuple(subject.describe()),
            at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        # ASCII only, so that a path whose bytes are not UTF-8 (lone surrogates here) survives.
        data = json.dumps(dataclasses.asdict(record), ensure_ascii=True, indent=1).encode("ascii")
        temporary: str | None = None
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._refuse_if_shared()
            descriptor, temporary = tempfile.mkstemp(dir=self.folder, prefix=".new-")  # mode 0600
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.folder / _file_name(record.repository, record.digest))  # noqa: PTH105
        except OSError as error:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            raise TrustError(f"cannot record trust in {self.folder}: {error.strerror}") from error
        return record

    def untrust(self, repository: Path) -> int:
        """Forget everything agreed to for a repository; return how many records that were.

        Raises:
            TrustError: If a record cannot be read or removed.
        """
        where = os.path.realpath(repository)
        mine = [record for record in self.records() if record.repository == where]
        for record in mine:
            try:
                (self.folder / _file_name(where, record.digest)).unlink(missing_ok=True)
            except OSError as error:
                raise TrustError(f"cannot remove trust from {self.folder}: {error.strerror}") from error
        return len(mine)

    def records(self) -> list[TrustRecord]:
        """Return every record, sorted by repository and time.

        Raises:
            TrustError: If a record cannot be read or is damaged.
        """
        try:
            paths = sorted(self.folder.glob("*.json"))
        except OSError as error:
            raise TrustError(f"cannot read {self.folder}: {error.strerror}") from error
        found = []
        for path in paths:
            record = _read(path)
            if record is None:
                raise TrustError(f"the trust record {path} is damaged", hint="delete that file to be asked again")
            found.append(record)
        return sorted(found, key=lambda record: (record.repository, record.at, record.digest))

    def _refuse_if_shared(self) -> None:
        """Refuse a folder that another user could have put a record into."""
        if os.name != "posix":  # Windows profiles are private by their access control lists
            return
        info = self.folder.stat()
        if info.st_uid != os.geteuid():
            raise TrustError(f"the trust folder {self.folder} belongs to another user")
        if stat.S_IMODE(info.st_mode) & 0o022:
            raise TrustError(
                f"others can write to the trust folder {self.folder}", hint=f"run: chmod 700 {self.folder}"
            )


def _file_name(repository: str, digest: str) -> str:
    import hashlib

    key = _canonical([os.fsencode(repository), digest])
    return f"{hashlib.sha256(key).hexdigest()}.json"


def _read(path: Path) -> TrustRecord | None:
    """Read one record; None where it is damaged, which never counts as trust."""
    import json

    try:
        raw = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    except OSError as error:
        raise TrustError(f"cannot read {path}: {error.strerror}") from error
    names = [field.name for field in dataclasses.fields(TrustRecord)]
    if not isinstance(raw, dict) or sorted(raw) != sorted(names) or not isinstance(raw["contents"], list):
        return None
    texts = [raw["repository"], raw["digest"], raw["at"], *raw["contents"]]
    if not all(isinstance(text, str) for text in texts):
        return None
    return TrustRecord(**{**raw, "contents": tuple(raw["contents"])})


def _canonical(value: object) -> bytes:
    """Encode a TOML value so that two values have the same bytes exactly if they are the same value.

    Every part carries its type and its length, so that no text can pass for structure. Tables are sorted by key.
    """
    if isinstance(value, Mapping):
        pairs = sorted((str(key).encode("utf-8", "surrogatepass"), item) for key, item in value.items())
        return _tagged(b"t", (_tagged(b"k", (key,)) + _canonical(item) for key, item in pairs))
    if isinstance(value, (list, tuple)):
        return _tagged(b"a", map(_canonical, value))
    if isinstance(value, bytes):
        return _tagged(b"b", (value,))
    if isinstance(value, str):
        return _tagged(b"s", (value.encode("utf-8", "surrogatepass"),))
    # bool, int, float and the four kinds of date and time: their type's name, and a text that is exact.
    return _tagged(b"v", (f"{type(value).__name__}:{value!r}".encode(),))


def _tagged(tag: bytes, parts: Iterable[bytes]) -> bytes:
    body = b"".join(parts)
    return b"%s%d:%s" % (tag, len(body), body)


def _describe(name: str, value: object) -> list[str]:
    """Name a value and those below it, one line for each that is not a table; control characters are escaped."""
    if isinstance(value, Mapping) and value:
        return [line for key, item in sorted(value.items()) for line in _describe(f"{name}.{_plain(key)}", item)]
    return [f"{name} = {value!r}"]


def _plain(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else repr(key)
