"""Length limit for text of a model: cut where it is read, so that no report, comment or log can be flooded."""

from __future__ import annotations

MOST_SAID = 4_000
"""Maximum characters of one text: fifty lines, of which a person reads the first few."""


def shortened(text: str, most: int = MOST_SAID) -> str:
    """Return a text; of a long text the beginning, with a note that it is cut.

    It is cut between words where it has some: of half a secret, nobody would know any more that it is one.
    """
    if len(text) <= most:
        return text
    begun = text[:most].rsplit(None, 1)[0] if not text[most].isspace() else text[:most].rstrip()
    return f"{begun}… [shortened: it had {len(text):,} characters]"
