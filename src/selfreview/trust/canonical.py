"""Canonical encoding of TOML values: the same bytes for the same value, however it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def canonical(value: object) -> bytes:
    """Encode a TOML value so that two values have the same bytes exactly if they are the same value.

    Every part carries its type and its length, so that no text can pass for structure. Tables are sorted by key.
    """
    if isinstance(value, Mapping):
        pairs = sorted((str(key).encode("utf-8", "surrogatepass"), item) for key, item in value.items())
        return _tagged(b"t", (_tagged(b"k", (key,)) + canonical(item) for key, item in pairs))
    if isinstance(value, (list, tuple)):
        return _tagged(b"a", map(canonical, value))
    if isinstance(value, bytes):
        return _tagged(b"b", (value,))
    if isinstance(value, str):
        return _tagged(b"s", (value.encode("utf-8", "surrogatepass"),))
    # bool, int, float and the four kinds of date and time: their type's name, and a text that is exact.
    return _tagged(b"v", (f"{type(value).__name__}:{value!r}".encode(),))


def _tagged(tag: bytes, parts: Iterable[bytes]) -> bytes:
    body = b"".join(parts)
    return b"%s%d:%s" % (tag, len(body), body)
