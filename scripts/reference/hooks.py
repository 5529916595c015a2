"""Hooks, as their specifications say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from scripts.reference.text import paragraphs

from selfreview import hookspecs

_RAISING = re.compile(r" ?Raising (fails the run|is reported)\.")
_IO = re.compile(r" ?(No I/O|I/O is allowed)\.")
RAISED = {
    "fails the run": "The run ends with an error that names the plugin.",
    "is reported": "It is told on standard error, and the other plugins are still called.",
}


def all_hooks() -> dict[str, Callable[..., object]]:
    """Return the specifications by name, in the order of the file."""
    return {name: hook for name, hook in vars(hookspecs).items() if name.startswith("selfreview_")}


def hooks() -> str:
    """Return a section for each group of hooks, with one for each hook in it."""
    source = inspect.getsource(hookspecs)
    parts = []
    for title, body in re.findall(r"^# --- (\w+) -+$(.*?)(?=^# ---|\Z)", source, re.MULTILINE | re.DOTALL):
        parts.append(f"## {title.capitalize()}")
        parts += [_section(name) for name in re.findall(r"^def (selfreview_\w+)\(", body, re.MULTILINE)]
    return "\n\n".join(parts)


def _section(name: str) -> str:
    hook = all_hooks()[name]
    whole = "\n\n".join(paragraphs(inspect.getdoc(hook) or ""))
    (raising,) = set(_RAISING.findall(whole))
    (access,) = set(_IO.findall(whole))
    said = _RAISING.sub("", _IO.sub("", whole))
    signature = inspect.signature(hook)
    result = signature.return_annotation
    first = getattr(hook, "selfreview_spec", {}).get("firstresult")
    answers = f"`{result}`" + ("; the first plugin that answers other than None decides" if first else "")
    facts = [
        f"- **Returns:** {'nothing' if result == 'None' else answers}",
        f"- **I/O:** {'none' if access == 'No I/O' else 'allowed'}",
        f"- **If it raises:** {RAISED[raising]}",
    ]
    arguments = ", ".join(str(parameter) for parameter in signature.parameters.values()).replace("'", "")
    code = f"```python\n{name}({arguments})\n```"
    return "\n\n".join((f"### {name}", code, said, "\n".join(facts)))
