"""The README's picture is what the tool prints, times aside."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from scripts.terminal_picture import PICTURE, shown, svg

from tests.docs.test_tutorial import plain

SVG = "{http://www.w3.org/2000/svg}"


def lines(picture: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def without_times(picture: str) -> str:
    """Return a picture without what depends on how long the run took."""
    return re.sub(r' textLength="[\d.]+"', "", plain(picture))


def test_it_shows_what_the_tool_prints(tmp_path: Path) -> None:
    made = svg(shown(tmp_path / "shop"))
    committed = PICTURE.read_text(encoding="utf-8")
    assert [plain(line) for line in lines(made)] == [plain(line) for line in lines(committed)], (
        "python -m scripts.terminal_picture"
    )
    assert without_times(made) == without_times(committed)


def test_styles_and_markup() -> None:
    picture = svg("\x1b[1;31m<a> & b\x1b[0m c\n")
    assert lines(picture) == ["$ selfreview run --apply", "<a> & b c"]
    (span,) = [span for span in ElementTree.fromstring(picture).iter(f"{SVG}tspan") if span.text == "<a> & b"]
    assert (span.get("font-weight"), span.get("fill"), span.get("textLength")) == ("bold", "#ff7b72", "58.8")


def test_it_loads_nothing() -> None:
    assert not re.findall(r"(?:href|src|url\()", PICTURE.read_text(encoding="utf-8"))
