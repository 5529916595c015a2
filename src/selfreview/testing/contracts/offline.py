"""A machine without a network, and the configuration of a plugin that is tried there."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

from selfreview.testing.context import MemoryConfig, default_config


@contextmanager
def offline(error: OSError | None = None) -> Iterator[list[str]]:
    """Let every connection and every look-up of a host fail, and yield what was tried, as it comes.

    Args:
        error: How they fail; by default the connection is refused.
    """
    tried: list[str] = []

    def refuse(*arguments: Any, **_: Any) -> NoReturn:
        tried.append(repr(arguments[-1] if isinstance(arguments[0], socket.socket) else arguments[0]))
        raise error or ConnectionRefusedError(111, "Connection refused")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "connect_ex", refuse)
        yield tried


def config_of(plugin: object, module: str | None, values: Mapping[str, Any]) -> MemoryConfig:
    """Return the defaults of selfreview and of a plugin, with other values for some keys.

    Args:
        plugin: The plugin; its keys are declared by itself, or by its module.
        module: The module, where it is not that of the plugin's class.
        values: By name of a key.
    """
    hooks = plugin if hasattr(plugin, "selfreview_addoption") else sys.modules.get(module or type(plugin).__module__)
    known = default_config(hooks)
    unknown = sorted(values.keys() - known.keys())
    assert not unknown, f"{unknown[0]} is no key: declare it in selfreview_addoption"
    return MemoryConfig({**known, **values})
