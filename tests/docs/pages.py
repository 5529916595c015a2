"""The pages of the documentation, and what is on them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
AROUND = tuple(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md", "hooks/README.md"))
PAGES = (*AROUND, *sorted(DOCS.rglob("*.md")))
_FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page, each with its language."""
    return _FENCE.findall(text)


def without_code(text: str) -> str:
    """Return a page without its code."""
    return _SPAN.sub("", _FENCE.sub("", text))


def links(text: str) -> list[str]:
    """Return the links of a page to other places of this tree."""
    found = re.findall(r"\]\(([^)\s]+)\)", without_code(text))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings and of what has an id, as MkDocs and GitHub make them."""
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower() for title in titles)
    return {re.sub(r"\s", "-", title) for title in plain} | set(re.findall(r'\bid="([^"]+)"', text))


def command_lines(text: str) -> list[str]:
    """Return what a page shows of selfreview's command lines: in blocks of code, and in spans of it."""
    found: list[str] = []
    for language, block in blocks(text):
        if language == "text":
            continue  # a synopsis
        joined = re.sub(r"\\\n\s*", " ", block)
        begin = r"\$ " if language == "console" else "(?:run: |entry: )?"  # a console shows output, too
        found += re.findall(rf"^[ \t]*{begin}(?:\w+=\S* )*(?:\S*/)?selfreview ([a-z-].*)$", joined, re.MULTILINE)
    outside = _FENCE.sub("", text)
    found += re.findall(r"^    (?:\$ |run: |entry: )?(?:\w+=\S* )*selfreview ([a-z-].*)$", outside, re.MULTILINE)
    found += re.findall(r"`(?:\w+=\S* )*selfreview ([a-z-][^`\n]*)`", outside)
    return [re.split(r"\s+(?:#|[|>&;])", line)[0].strip() for line in found]
