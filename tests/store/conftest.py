from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.store import Store


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "selfreview"


@pytest.fixture
def store(directory: Path) -> Iterator[Store]:
    with Store.open(directory) as opened:
        yield opened
