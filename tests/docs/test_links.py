"""Every link of the documentation leads somewhere, and every page is found."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import yaml
from scripts.docs_offline import loaded_from_elsewhere

from tests.docs import pages


@functools.cache
def anchors(page: Path) -> set[str]:
    return pages.anchors(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in pages.links(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link
        if page.is_relative_to(pages.DOCS):
            assert target.is_relative_to(pages.DOCS), f"{link} is no part of the site"


def test_a_dead_link_and_a_dead_anchor_are_seen() -> None:
    text = "# One `two`\n\n[a](b.md#c) [x](#one-two) `[no](code.md)` [out](https://example.com)\n"
    assert pages.links(text) == ["b.md#c", "#one-two"]
    assert pages.anchors(text) == {"one-two"}


def test_every_page_is_in_the_navigation() -> None:
    site = yaml.safe_load((pages.ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def listed(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        inner = entry.values() if isinstance(entry, dict) else entry
        return [name for each in inner for name in listed(each)]

    names = listed(site["nav"])
    assert sorted(names) == sorted(page.relative_to(pages.DOCS).as_posix() for page in pages.DOCS.rglob("*.md"))
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("html", "loaded"),
    [
        ('<script src="https://unpkg.com/x.js"></script>', ["https://unpkg.com/x.js"]),
        ("<link rel=stylesheet href=//fonts.example/a.css>", ["//fonts.example/a.css"]),
        ('<img alt="x" src="http://a.example/b.png">', ["http://a.example/b.png"]),
        ('<link rel="canonical" href="https://a.example/"><a href="https://b.example/">b</a>', []),
        ('<script src="assets/x.js"></script><link rel=stylesheet href="../a.css"><img src="run.svg">', []),
    ],
)
def test_what_a_page_loads_from_elsewhere_is_seen(html: str, loaded: list[str]) -> None:
    assert loaded_from_elsewhere(html) == loaded
