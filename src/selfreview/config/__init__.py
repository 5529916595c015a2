"""Configuration: declared keys, the sources of their values, and what these make together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """The choices of a caller who loads plugins and configuration.

    Attributes:
        keys: Configuration keys that the command line sets, each of its key's type; None where it does not.
        plugins: The values of ``-p``.
        overrides: The values of ``-o``, ``KEY=VALUE``.
        trusted: True or False where the caller decides instead of the person's record: a gate that reads from the
            base, or a command that must not run anything. None asks the record.
        read_repo_file: Reads a file at the repository's top level by name; by default from the working tree.
        head_code: Whether commands may run code of the change.
    """

    keys: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    plugins: Sequence[str] = ()
    overrides: Sequence[str] = ()
    trusted: bool | None = None
    read_repo_file: Callable[[str], bytes | None] | None = None
    head_code: bool = True
