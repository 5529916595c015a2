"""Consent to send a repository's code to a model: asked once per repository and receiver, and remembered.

The answer lies in the person's own data folder, so no repository can give it for them.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

from selfreview.errors import TrustError
from selfreview.trust.folder import Folder, data_folder, file_name, now


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
        consent = None if data is None else _parse(data)
        return consent.given if consent and (consent.repository, consent.receiver) == (where, receiver) else None

    def remember(self, repository: Path, receiver: str, *, given: bool) -> None:
        """Record an answer, in place of an earlier one.

        Raises:
            TrustError: If it cannot be recorded.
        """
        import json

        where = os.path.realpath(repository)
        consent = Consent(repository=where, receiver=receiver, given=given, at=now())
        data = json.dumps(dataclasses.asdict(consent), ensure_ascii=True, indent=1).encode("ascii")
        self._files.write(file_name(where, receiver), data)

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
            consent = _parse(data)
            if consent is None:
                raise TrustError(f"the consent record {path} is damaged", hint="delete that file to be asked again")
            found.append(consent)
        return sorted(found, key=lambda consent: (consent.repository, consent.receiver))


def _parse(data: bytes) -> Consent | None:
    """Parse one record; None where it is damaged, which never counts as an answer."""
    import json

    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        return None
    kinds = {"repository": str, "receiver": str, "given": bool, "at": str}
    if not isinstance(raw, dict) or raw.keys() != kinds.keys():
        return None
    return Consent(**raw) if all(type(raw[name]) is kind for name, kind in kinds.items()) else None
