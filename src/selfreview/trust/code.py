"""Display of the code that a person is asked to trust, as Python will read it and with nothing in it hidden."""

from __future__ import annotations

from selfreview.text.escape import visible


def code_lines(source: bytes) -> list[str]:
    """Return the numbered lines of a Python file, with everything invisible or controlling made visible.

    Its encoding and its line ends are those that Python sees: a declared encoding can make other code out of what an
    editor shows, and a lone carriage return ends a line. What Python cannot decode is shown byte by byte.
    """
    from importlib.util import decode_source

    try:
        text = decode_source(source)
    except (SyntaxError, ValueError, LookupError):  # an unknown encoding, or bytes that are not in it
        text = source.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        del lines[-1]
    digits = len(str(len(lines)))
    return [f"{number:>{digits}} | {visible(line.expandtabs(4))}".rstrip() for number, line in enumerate(lines, 1)]
