"""Stores of a person's answers: what a repository may run, and whether its code may be sent to a model.

They are kept in the person's own data folder, so no repository can give an answer for them: one file for each
repository and digest, and one for each repository and receiver.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

from selfreview.errors import TrustError
from selfreview.trust.folder import Folder, data_folder, file_name
from selfreview.trust.subject import TrustSubject


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrustRecord:
    """One permission to run code and commands.

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
    """The stored permissions to run code and commands.

    Args:
        folder: Where it is kept; created, private to the user, when something is first recorded.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = Folder(folder, "trust")

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> TrustStore:
        """Return the store in the user's own data folder, or in ``SELFREVIEW_DATA_DIR`` where that is set.

        Raises:
            TrustError: If there is no such folder, or it is not an absolute path.
        """
        return cls(data_folder(environ) / "trust")

    def is_trusted(self, repository: Path, subject: TrustSubject) -> bool:
        """Return whether exactly this content is trusted for this repository.

        Args:
            repository: The common git directory; a repository that was moved is asked about again.
            subject: What would run.

        Raises:
            TrustError: If the record cannot be read, or others could have written it.
        """
        where = os.path.realpath(repository)
        data = self._files.read(file_name(where, subject.digest))
        record = None if data is None else _parse_trust(data)
        return record is not None and (record.repository, record.digest) == (where, subject.digest)

    def trust(self, repository: Path, subject: TrustSubject) -> TrustRecord:
        """Record that this content may run.

        Raises:
            TrustError: If it cannot be recorded.
        """
        from selfreview.model.wire import utc_now

        record = TrustRecord(
            repository=os.path.realpath(repository),
            digest=subject.digest,
            contents=tuple(subject.describe()),
            at=utc_now(),
        )
        _write(self._files, file_name(record.repository, record.digest), record)
        return record

    def untrust(self, repository: Path) -> int:
        """Forget all permissions of a repository; return how many there were.

        Raises:
            TrustError: If a record cannot be read or removed.
        """
        where = os.path.realpath(repository)
        mine = [record for record in self.records() if record.repository == where]
        for record in mine:
            self._files.remove(file_name(where, record.digest))
        return len(mine)

    def records(self) -> list[TrustRecord]:
        """Return every record, sorted by repository and time.

        Raises:
            TrustError: If a record cannot be read or is damaged.
        """
        found = []
        for path, data in self._files.items():
            record = _parse_trust(data)
            if record is None:
                raise TrustError(f"the trust record {path} is damaged", hint="delete that file to be asked again")
            found.append(record)
        return sorted(found, key=lambda record: (record.repository, record.at, record.digest))


def _parse_trust(data: bytes) -> TrustRecord | None:
    """Parse one record; None where it is damaged, which never counts as trust."""
    raw = _json(data)
    names = [field.name for field in dataclasses.fields(TrustRecord)]
    if not isinstance(raw, dict) or sorted(raw) != sorted(names) or not isinstance(raw["contents"], list):
        return None
    texts = [raw["repository"], raw["digest"], raw["at"], *raw["contents"]]
    if not all(isinstance(text, str) for text in texts):
        return None
    return TrustRecord(**{**raw, "contents": tuple(raw["contents"])})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Consent:
    """One answer about sending code to a model.

    Attributes:
        repository: Real path of the repository's common git directory.
        receiver: Who gets the code (``"api.anthropic.com"``).
        given: Whether it may be sent.
        at: When, in UTC, ISO 8601, ending in ``Z``.
    """

    repository: str
    receiver: str
    given: bool
    at: str


class ConsentStore:
    """The stored answers about sending code to models.

    Args:
        folder: Where it is kept; created, private to the user, with the first answer.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = Folder(folder, "consent")

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> ConsentStore:
        """Return the store in the user's own data folder, or in ``SELFREVIEW_DATA_DIR`` where that is set.

        Raises:
            TrustError: If there is no such folder, or it is not an absolute path.
        """
        return cls(data_folder(environ) / "consent")

    def answer(self, repository: Path, receiver: str) -> bool | None:
        """Return the stored answer, or None where there is none.

        Args:
            repository: The common git directory; a repository that was moved is asked about again.
            receiver: Who would get the code.

        Raises:
            TrustError: If the record cannot be read, or others could have written it.
        """
        where = os.path.realpath(repository)
        data = self._files.read(file_name(where, receiver))
        consent = None if data is None else _parse_consent(data)
        return consent.given if consent and (consent.repository, consent.receiver) == (where, receiver) else None

    def remember(self, repository: Path, receiver: str, *, given: bool) -> None:
        """Record an answer, in place of an earlier one.

        Raises:
            TrustError: If it cannot be recorded.
        """
        from selfreview.model.wire import utc_now

        where = os.path.realpath(repository)
        consent = Consent(repository=where, receiver=receiver, given=given, at=utc_now())
        _write(self._files, file_name(where, receiver), consent)

    def forget(self, repository: Path) -> int:
        """Forget all answers for a repository; return how many there were.

        Raises:
            TrustError: If a record cannot be read or removed.
        """
        where = os.path.realpath(repository)
        mine = [consent for consent in self.records() if consent.repository == where]
        return sum(self._files.remove(file_name(where, consent.receiver)) for consent in mine)

    def records(self) -> list[Consent]:
        """Return every answer, sorted by repository and receiver.

        Raises:
            TrustError: If a record cannot be read or is damaged.
        """
        found = []
        for path, data in self._files.items():
            consent = _parse_consent(data)
            if consent is None:
                raise TrustError(f"the consent record {path} is damaged", hint="delete that file to be asked again")
            found.append(consent)
        return sorted(found, key=lambda consent: (consent.repository, consent.receiver))


def _parse_consent(data: bytes) -> Consent | None:
    """Parse one record; None where it is damaged, which never counts as an answer."""
    raw = _json(data)
    kinds = {"repository": str, "receiver": str, "given": bool, "at": str}
    if not isinstance(raw, dict) or raw.keys() != kinds.keys():
        return None
    return Consent(**raw) if all(type(raw[name]) is kind for name, kind in kinds.items()) else None


def _json(data: bytes) -> object:
    """Return a JSON document, or None where it is damaged."""
    import json

    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _write(files: Folder, name: str, record: TrustRecord | Consent) -> None:
    """Write a record in ASCII, so that a path whose bytes are not UTF-8 (lone surrogates here) survives."""
    import json

    files.write(name, json.dumps(dataclasses.asdict(record), ensure_ascii=True, indent=1).encode("ascii"))
