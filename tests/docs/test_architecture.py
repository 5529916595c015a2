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


def test_every_part_has_a_layer_in_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = max((contract["layers"] for contract in contracts if "layers" in contract), key=len)
    order = {name.strip().removeprefix("selfreview."): i for i, layer in enumerate(layers) for name in layer.split("|")}
    rows = re.findall(r"^\| [a-z ]+ \| ((?:`[a-z_]+(?:/|\.py)`(?:, )?)+) \|", LAYERS, re.MULTILINE)
    named = [name.removesuffix("/").removesuffix(".py") for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert set(named) == set(order)
    assert named == sorted(named, key=lambda name: order[name])


MAP = (ROOT / "AGENTS.md").read_text("utf-8")


def test_the_map_names_the_parts_of_the_program_that_call_hooks() -> None:
    (row,) = [line for line in MAP.splitlines() if line.startswith("| a hook in `hookspecs.py` |")]
    hooks = set(re.findall(r"^def (selfreview_\w+)", (SOURCES / "hookspecs.py").read_text("utf-8"), re.MULTILINE))
    call = re.compile(
        r"\b(?:call\w*|_tell|_invoke)\(\s*\"(selfreview_\w+)\"|^HOOK = \"(selfreview_\w+)\"", re.MULTILINE
    )
    called: dict[str, set[str]] = {}
    for path in SOURCES.rglob("*.py"):
        for names in call.findall(path.read_text("utf-8")):
            called.setdefault("".join(names), set()).add(path.relative_to(SOURCES).parts[0])
    in_a_loop = {"selfreview_register_forges", "selfreview_register_notifiers"}  # of app/loading.py
    assert set(called) | in_a_loop == hooks
    parts = {part for where in called.values() for part in where}
    assert {name.rstrip("/") for name in re.findall(r"`(\w+/)`", row)} == parts


def test_no_row_of_the_map_names_a_file_twice() -> None:
    for line in MAP.splitlines():
        for cell in line.split(" | ") if line.startswith("| ") else []:
            named = re.findall(r"`([\w/]+\.py)`", cell)
            assert len(named) == len(set(named)), line


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 120
