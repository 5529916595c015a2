"""Results by content: the same file under the same rules is never reviewed twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Protocol

import msgspec

from selfreview import __version__
from selfreview.api import Review, ReviewContext, Reviewer, capabilities
from selfreview.model.change import ChangedFile, path_bytes
from selfreview.model.issue import Finding, Side
from selfreview.model.result import ReviewerStatus
from selfreview.plugins.attribution import code_of

FORMAT = b"4"


_SHA1_DIGITS = 40


class Blobs(Protocol):
    """Store of blobs by key."""

    def get_many(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """Return the entries that exist."""

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Store entries."""


class FreshBlobs:
    """A cache that returns only entries of this run; those from before are replaced.

    Args:
        blobs: Where entries are kept.
    """

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._own: set[bytes] = set()

    def get_many(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """Return the entries of this run."""
        return self._blobs.get_many([key for key in keys if key in self._own])

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Store entries."""
        self._own.update(entries)
        self._blobs.put_many(entries)


class CachedReview(msgspec.Struct):
    """Cached result of one file.

    Attributes:
        applicable: Whether the reviewer could review the file.
        text_only: Why the reviewer saw only its text, or None where it looked as deep as it does.
        hint: Hint of the reviewer for the batch of files that this one was reviewed in.
        batch: Digest of that batch, where there is a hint.
    """

    findings: list[Finding]
    applicable: bool
    text_only: str | None = None
    hint: str | None = None
    batch: bytes = b""


# Made before any thread starts: msgspec builds a type's tables on first use, and two threads at once crash it.
_decoder = msgspec.json.Decoder(CachedReview)
_encoder = msgspec.json.Encoder()


class FindingCache:
    """The cache of one reviewer in one run.

    Args:
        blobs: Where entries are kept.
        reviewer: The reviewer.
        context: The reviewer's context.
    """

    def __init__(self, blobs: Blobs, reviewer: Reviewer, context: ReviewContext) -> None:
        self._blobs = blobs
        self._context = context
        self._file_key = capabilities.of_reviewer(reviewer).file_key
        key = reviewer.cache_key(context)
        known = (FORMAT, __version__.encode(), reviewer.name.encode())
        self._prefix = None if key is None else _digest(*known, key, *code_of(reviewer))  # our version is our own code
        self._keys: dict[str, bytes] = {}
        self._of_commits = b""
        self._kept: set[str] = set()

    def known(self, files: Sequence[ChangedFile]) -> dict[str, CachedReview]:
        """Return the cached results of files that were reviewed before, by path."""
        if self._prefix is None:
            return {}
        self._keys = {file.path: self._key(self._prefix, file) for file in files}
        blobs = self._blobs.get_many(list(self._keys.values()))
        known: dict[str, CachedReview] = {}
        for path, key in self._keys.items():
            if key in blobs:
                try:
                    known[path] = _decoder.decode(blobs[key])
                except msgspec.MsgspecError:
                    continue  # written by another version: a miss
        return self._without_stale_hints(known)

    def keep(self, files: Sequence[ChangedFile], review: Review) -> None:
        """Cache what a review found, if it is complete."""
        self._blobs.put_many(self.entries(files, review))

    def entries(self, files: Sequence[ChangedFile], review: Review) -> dict[bytes, bytes]:
        """Return what the cache should hold of what a review found, if it is complete.

        A finding in a file that was not among these belongs to the one of them that it names as related, one outside of
        the change to any of them. Where it is in a file that is known already, nothing is kept: it has no owner.
        """
        taken_back = self._kept.intersection(review.unsettled)
        misses = dict.fromkeys(map(self._keys.__getitem__, taken_back), b"")  # which is read as a miss
        paths = {file.path for file in files} - set(review.unreviewed) - set(review.unsettled)
        partly = review.status.incomplete and bool(review.unreviewed)
        if self._prefix is None or (review.status is not ReviewerStatus.OK and not partly):
            return misses
        again = {*review.unreviewed, *review.unsettled}
        found = [finding for finding in review.findings if finding.file not in again]
        owners = [self._owner(finding, paths) for finding in found]
        hint = None if partly else review.hint  # that of a review that ended early is about its end
        batch = self._batch(paths) if hint else b""
        entries = {
            path: CachedReview([], path not in review.not_applicable, review.text_only.get(path), hint, batch)
            for path in paths
        }
        for finding, owner in zip(found, owners, strict=True):
            if owner is None:
                return misses
            entries[owner].findings.append(finding)
        try:
            encoded = {self._keys[path]: _encoder.encode(entry) for path, entry in entries.items()}
        except UnicodeEncodeError:
            return misses  # text that is not UTF-8 is reviewed again rather than kept with a loss
        self._kept |= paths
        return misses | encoded

    def known_of_commits(self, commits: bytes) -> list[Finding] | None:
        """Return the cached results of commits, or None.

        Args:
            commits: Their digest.
        """
        if self._prefix is None:
            return None
        self._of_commits = self._key_of_commits(self._prefix, commits)
        blob = self._blobs.get_many([self._of_commits]).get(self._of_commits)
        try:
            return None if blob is None else _decoder.decode(blob).findings
        except msgspec.MsgspecError:
            return None

    def entries_of_commits(self, review: Review) -> dict[bytes, bytes]:
        """Return what the cache should hold of what was found in the commits that were asked for before."""
        try:
            return (
                {} if self._prefix is None else {self._of_commits: _encoder.encode(CachedReview(review.findings, True))}
            )
        except UnicodeEncodeError:
            return {}  # reviewed again rather than kept with a loss

    def _key_of_commits(self, prefix: bytes, commits: bytes) -> bytes:
        """Return a key of commits and the change: of what commits add, only that counts which the change does not."""
        files = self._context.change.files
        excluded = [f"{file.path}\0{file.excluded}".encode("utf-8", "surrogateescape") for file in files]
        return _digest(prefix, b"commits", commits, *excluded, *(self._key(prefix, file) for file in files))

    def amend(self, files: Sequence[ChangedFile], amended: Callable[[Finding], Finding]) -> None:
        """Cache the results of files again, with some of the findings replaced."""
        changed: dict[bytes, bytes] = {}
        for path, entry in self.known(files).items():
            findings = [amended(finding) for finding in entry.findings]
            if findings != entry.findings:
                changed[self._keys[path]] = _encoder.encode(msgspec.structs.replace(entry, findings=findings))
        self._blobs.put_many(changed)

    def _without_stale_hints(self, known: dict[str, CachedReview]) -> dict[str, CachedReview]:
        """Leave out entries with a hint that was given for other files as well, where these have changed."""
        batches: dict[bytes, set[str]] = {}
        for path, entry in known.items():
            if entry.hint:
                batches.setdefault(entry.batch, set()).add(path)
        whole = {batch for batch, paths in batches.items() if self._batch(paths) == batch}
        return {path: entry for path, entry in known.items() if not entry.hint or entry.batch in whole}

    def _owner(self, finding: Finding, paths: Set[str]) -> str | None:
        """Return the file that a finding is cached with."""
        named = (finding.file, *(place.file for place in finding.related))
        owner = next((path for path in named if path in paths), None)
        if owner is None and all(file.path != finding.file for file in self._context.change.files):
            return min(paths, default=None)
        return owner

    def _batch(self, paths: Iterable[str]) -> bytes:
        return _digest(*sorted(self._keys[path] for path in paths))

    def _key(self, prefix: bytes, file: ChangedFile) -> bytes:
        sides = [_content_id(self._context, file, side) for side in (Side.OLD, Side.NEW)]
        name = path_bytes(file.path) + b"\0" + path_bytes(file.path_at_base)
        more = [] if self._file_key is None else [self._file_key(file, self._context)]
        return _digest(prefix, name, file.status.encode(), file.new_mode.encode(), *sides, *more)


def _content_id(context: ReviewContext, file: ChangedFile, side: Side) -> bytes:
    """Return git's id of a file on one side, also where git has not made it a blob: the same content, the same id."""
    oid = file.old_oid if side is Side.OLD else file.new_oid
    if oid is not None:
        return oid.encode()
    data = context.read(file, side)
    if data is None:
        return b"none"
    long = any(len(other.old_oid or "") > _SHA1_DIGITS for other in context.change.files)
    make = hashlib.sha256 if long else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
