"""Paths of the files that SARIF locations name by URIs, base ids and the run's table of artifacts."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote_to_bytes

from selfreview.reviewers import _sarif_model as sarif
from selfreview.reviewers._report import Span, Spot

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: a single one is a Windows drive
_DRIVE = re.compile(r"/[A-Za-z]:")
_MAX_BASES = 10


class Artifacts:
    """Resolves the locations of one run to paths as a tool would print them: relative to its folder, or absolute."""

    def __init__(self, run: sarif.Run) -> None:
        self._artifacts = run.artifacts or []
        self._bases = run.original_uri_base_ids or {}

    def spot(self, location: sarif.Location) -> Spot:
        """Return a location's file and region."""
        physical = location.physical_location
        note = location.message.text if location.message else None
        if physical is None:
            return Spot(note=note)
        span = physical.region.span if physical.region else Span()
        return Spot(self.path(physical.artifact_location), span, note)

    def path(self, location: sarif.ArtifactLocation | None) -> str | None:
        """Return the path, or None where none is named."""
        if location is None:
            return None
        index = location.index
        if location.uri is None and index is not None and 0 <= index < len(self._artifacts):
            location = self._artifacts[index].location or location
        if location.uri is None:
            return None
        return self._resolve(location.uri, location.uri_base_id, _MAX_BASES)

    def _resolve(self, uri: str, base_id: str | None, left: int) -> str:
        if _SCHEME.match(uri) or uri.startswith("/") or base_id is None or left == 0:
            return uri_to_path(uri)
        base = self._bases.get(base_id)
        if base is None or base.uri is None:  # such as %SRCROOT%, which stands for the top level
            return uri_to_path(uri)
        return posixpath.join(self._resolve(base.uri, base.uri_base_id, left - 1), uri_to_path(uri))


def uri_to_path(uri: str) -> str:
    """Return the path that a URI reference names; another scheme than ``file`` is returned as it is."""
    scheme = _SCHEME.match(uri)
    if scheme is None:
        return _unquote(uri)
    if scheme[0].lower() != "file:":
        return uri
    rest = uri[len("file:") :]
    if rest.startswith("//"):
        host, slash, tail = rest[2:].partition("/")
        rest = slash + tail if host in ("", "localhost") else f"//{host}{slash}{tail}"
    path = _unquote(rest)
    return path[1:] if _DRIVE.match(path) else path


def _unquote(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")
