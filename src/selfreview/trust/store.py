"""What a person agreed to run, kept in their own data folder and never in a repository.

There is one file for each repository and digest. Nothing is read, changed and written back, so any number of processes
can record and forget at once.
"""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from selfreview.errors import TrustError
from selfreview.trust.canonical import canonical
from selfreview.trust.subject import TrustSubject

_HINT = "set SELFREVIEW_DATA_DIR to an absolute path"


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

            try:
                folder = platformdirs.user_data_path("selfreview", appauthor=False)
            except RuntimeError as error:
                raise TrustError("you have no home folder to remember trust in", hint=_HINT) from error
        if not folder.is_absolute():
            raise TrustError(
                f"the data folder {str(folder)!r} is not an absolute path",
                hint=_HINT,
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
            paths = sorted(path for path in self.folder.iterdir() if path.suffix == ".json")
        except (FileNotFoundError, NotADirectoryError):
            return []
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

    key = canonical([os.fsencode(repository), digest])
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
