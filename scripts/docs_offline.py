"""A hook of MkDocs: the site loads nothing from elsewhere. With ``--strict`` a page that does fails the build."""

from __future__ import annotations

import logging
import re

_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|object)\b[^>]*?\b(?:src|data)=[\"']?((?:https?:)?//[^\"' >]+)"
    r"|<link\b(?![^>]*\brel=[\"']?(?:canonical|next|prev)\b)[^>]*?\bhref=[\"']?((?:https?:)?//[^\"' >]+)",
    re.IGNORECASE,
)


def loaded_from_elsewhere(html: str) -> list[str]:
    """Return the addresses that a browser would load something from."""
    return [script or link for script, link in _LOADED.findall(html)]


def on_post_page(output: str, page: object, config: object) -> None:  # noqa: ARG001 - as MkDocs calls it
    """Warn of a page that loads something from elsewhere."""
    for address in loaded_from_elsewhere(output):
        logging.getLogger("mkdocs.hooks").warning("%s loads %s", page, address)
