"""Sources and configurations made of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Key
from selfreview.config import toml
from selfreview.config.keys import CORE_KEYS
from selfreview.config.sources import Source, SourceKind
from selfreview.config.view import Config, resolve


def source(text: str, kind: SourceKind = "repository", label: str = "selfreview.toml") -> Source:
    """A source as a file of this text makes it."""
    file = toml.parse(text.encode(), label)
    return Source(kind=kind, values=file.document, place=file.place)


@pytest.fixture
def configure(tmp_path: Path) -> Callable[..., Config]:
    """Resolve texts as the person's and the repository's file."""

    def configure(
        repository: str = "",
        *,
        user: str = "",
        keys: tuple[Key, ...] = (),
        trusted: bool = True,
        excuse: Any = None,
        more: tuple[Source, ...] = (),
    ) -> Config:
        sources = [source(user, "user", "config.toml"), source(repository), *more]
        return resolve((*CORE_KEYS, *keys), sources, root=tmp_path, trusted=trusted, excuse=excuse)

    return configure


@pytest.fixture
def reader() -> Callable[[Mapping[str, str | bytes]], Callable[[str], bytes | None]]:
    """A reader of a repository's files that are given as text or bytes."""

    def reader(files: Mapping[str, str | bytes]) -> Callable[[str], bytes | None]:
        def read(name: str) -> bytes | None:
            content = files.get(name)
            return content.encode() if isinstance(content, str) else content

        return read

    return reader
