"""Kinds of events, as their types say."""

from __future__ import annotations

import inspect
import re

import msgspec
from scripts.reference.text import attributes, paragraphs, table

from selfreview.model.event import EventData
from selfreview.model.request_event import KINDS


def kinds() -> str:
    """Return a section for each kind of event."""
    return "\n\n".join(_section(kind, data) for kind, data in KINDS.items())


def _section(kind: str, data: type[EventData]) -> str:
    said: dict[str, str] = {}
    for type_ in reversed(data.__mro__):
        said |= attributes(inspect.getdoc(type_) or "") if issubclass(type_, EventData) else {}
    rows = [
        (f"`{field.encode_name}`", "always" if field.required else "where known", _plain(said.get(field.name, "")))
        for field in msgspec.structs.fields(data)
    ]
    return "\n\n".join((f"### {kind}", *paragraphs(data.__doc__ or ""), table(("key", "there", "meaning"), rows)))


def _plain(text: str) -> str:
    return re.sub(r"\bNone\b", "`null`", text)
