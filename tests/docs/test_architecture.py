"""The page about the architecture names what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from selfreview.app import state
from selfreview.app.run import RUN

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "selfreview"
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
LAYERS = TEXT.partition("\n## Layers\n")[2].partition("\n## ")[0]
NAMES = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", TEXT)


def test_every_module_that_is_named_exists() -> None:
    assert len(NAMES) > 40
    elsewhere = {"src/selfreview/", "selfreview/", "selfreview/patches/"}  # the root, and folders in git's
    assert [name for name in NAMES if name not in elsewhere and not (SOURCES / name).exists()] == []


def test_the_stages_are_those_of_a_run() -> None:
    listed = re.search(r"```\n(.*?)```", TEXT, re.DOTALL)
    assert listed is not None
    assert re.split(r"[\s→]+", listed[1].strip()) == [stage.__name__ for stage in RUN]


def test_the_states_are_there() -> None:
    named = re.findall(r"^\| (`\w+Run`|`Run`)(?:, (`\w+Run`))? \|", TEXT, re.MULTILINE)
    assert len(named) == 8
    assert [name for pair in named for name in pair if name and not hasattr(state, name.strip("`"))] == []


def test_every_package_has_a_layer_in_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = max((contract["layers"] for contract in contracts if "layers" in contract), key=len)
    order = {name.strip().removeprefix("selfreview."): i for i, layer in enumerate(layers) for name in layer.split("|")}
    rows = re.findall(r"^\| [a-z ]+ \| ((?:`[a-z_]+(?:/|\.py)`(?:, )?)+) \|", LAYERS, re.MULTILINE)
    named = [name.removesuffix("/").removesuffix(".py") for row in rows for name in re.findall(r"`([^`]+)`", row)]
    packages = {path.parent.name for path in SOURCES.glob("*/__init__.py")}
    assert packages <= set(named)
    assert named == sorted(named, key=lambda name: order[name])


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 120
