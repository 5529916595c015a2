"""What of images a page does not show, no decision sees, however they are written."""

from __future__ import annotations

import re

import pytest

from selfreview.feedback import images
from selfreview.feedback.images import without_images
from selfreview.feedback.visible import visible

HIDDEN = [
    "![X](X)",
    "![X](X(X)X)",
    "![X](X(X(X)X)X)",
    r"![X](X\)X)",
    r"![X](X\(X)",
    "![X](<X)X>)",
    '![X](X "X)X")',
    "![X](X 'X)X')",
    "![X](X (X\\)X))",
    '![X](X "X\\")X")',
    '![X](\nX\n"X\nX"\n)',
    '> ![X](\n> X\n> "X\n> X")',
    "![X](X X)",
    "![X](X\\\n> X)",
    "![X][X]",
    "![X][X\nX]",
    r"![X][X\]X]",
    "![X][X[X]",
    "![X][]",
    "![X]",
    "![X [X [X] X] X](X)",
    "![X ![X](X) X](X)",
    "![X [X](X) X](X)",
    r"![X \] X](X)",
    r"![X \[ X](X)",
    r"\\![X](X)",
    "![X `]` X](X)",
    "![X `[` X](X)",
    "![X `](` X](X)",
    "![X `](X)` `[` X](X)",
    "![X `](X)` X ![X](X) X](X)",
    "![X `][` X](X)",
    "![X `][X](` X](X)",
    "![X `![` X](X)",
    "![X `![X](` X](X)",
    '![X <i title="]"> X](X)',
    '![X <i title="] ["> X](X)',
    "![X <x:]> X](X)",
    "![X [X](X]X) X](X)",
    "![X [X](X]X[) X](X)",
    "![X ![X](X]X![) X](X)",
    "![X][X](X)",
    "![X &#93; X](X)",
    "![X &#93; &#91; X](X)",
    "![X](X&#41;X)",
    "![X](X&#40;X)",
    "![X](X&#10;X)",
    "![X](X&Tab;X(X)X)",
    "![X](X '&#39;)X')",
    '![X](X "&quot;)X")',
    "![X](X&#92;)",
    "![X `[&#96; X](X)",
]


@pytest.mark.parametrize("image", HIDDEN)
@pytest.mark.parametrize("frame", ["{}", "before {} after", "[link {}](there)", "![pic](there) {}\n\n![", "![ open {}"])
def test_nothing_of_an_image_is_left(image: str, frame: str) -> None:
    shown = visible(frame.replace("{}", image.replace("X", "hidden")))
    assert "hidden" not in shown
    assert "[image]" in shown
    assert ("after" in shown) == ("after" in frame)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("![a](b)![c](d)", "[image][image]"),
        ("![a](b) and [c](d) [e](f)[g]", "[image] and [c](d) [e](f)[g]"),
        ("[![a](b)](c)", "[[image]](c)"),
        ("![a]: [b](c)", "[image]: [b](c)"),
        ("`a[0]` ![a](b) `c[0]` and [c](d)", "`a[0]` [image] `c[0]` and [c](d)"),
        ("a ![b](c\n\nd](e) f", "a [image](c\n\nd](e) f"),
        ("![ a\n \nb [c](d)", "![ a\n \nb [c](d)"),
        ("a](b) [c](d) ![", "a](b) [c](d) !["),
        ("x[0](y) [a] (b) !c", "x[0](y) [a] (b) !c"),
        ("![a`](b) [c] d", "[image] [c] d"),
        ("![a](b) c ![`d](e) f", "[image] c [image] f"),
        ("![ a [b](c)", "![ a [b](c)"),
        ("![a](b) c](d)", "[image] c](d)"),
        (r"![a \`] [b](c)", r"[image] [b](c)"),
        ("![a](" + "(" * 40, "[image](" + "(" * 40),
        ("![a](b\nc)", "[image](b\nc)"),
    ],
)
def test_what_is_no_image_stays(text: str, left: str) -> None:
    assert without_images(text) == left


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("&quot;a&quot; &#91;b&#93;", '"a" [b]'),
        ("![a](b) &quot;c&quot; &#91;d&#93; &amp; e", r"[image] \"c\" \[d\] & e"),
        (r"![a](b) \&#93; \\&#93;", r"[image] \] \\\]"),
        (r"![a](b) &#60;!-- c --&gt; d", "[image]  d"),
    ],
)
def test_entities_are_resolved(body: str, shown: str) -> None:
    assert visible(body) == shown


class Counting:
    """A pattern that adds up how far it reads."""

    def __init__(self, pattern: re.Pattern[str], read: list[int]) -> None:
        self._pattern, self._read = pattern, read

    def match(self, text: str, at: int) -> re.Match[str] | None:
        return self._count(self._pattern.match(text, at), len(text), at)

    def search(self, text: str, at: int) -> re.Match[str] | None:
        return self._count(self._pattern.search(text, at), len(text), at)

    def _count(self, found: re.Match[str] | None, length: int, at: int) -> re.Match[str] | None:
        searched = self._pattern.pattern == r"[)\n]"
        self._read.append(found.end() - at if found is not None else length - at if searched else 1)
        return found


@pytest.mark.parametrize(
    "piece",
    ["![a](", "![a](b", "![a](b ", "![a](<", "![a][", "![a]((((", "![a](b\\", "![", "](", '![a](b "', "![ [a](b"],
)
def test_a_text_is_read_a_few_times_at_most(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    for name in ("_GAP", "_BRACKETED", "_PLAIN", "_TITLE", "_LABEL", "_CLOSING"):
        monkeypatch.setattr(images, name, Counting(getattr(images, name), read))
    text = piece * 500
    without_images(text)
    assert sum(read) <= 40 * len(text)
