"""One process imports every plugin that comes with selfreview, instead of one process for each."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from selfreview.plugins.builtins import Builtins
from selfreview.testing import fakes
from selfreview.testing.contracts import plugin
from selfreview.testing.contracts.plugin import Imported, importing

OWN = frozenset({*(place.partition(":")[0] for place in Builtins().modules.values()), fakes.__name__})


@pytest.fixture(scope="session", autouse=True)
def _one_process_for_all() -> Iterator[None]:
    @functools.cache
    def ours() -> dict[str, Imported]:
        return importing(*sorted(OWN))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugin, "importing", lambda module: ours() if module in OWN else importing(module))
        yield
