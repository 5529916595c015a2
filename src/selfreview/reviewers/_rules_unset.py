"""Judge what a shell script deletes below a variable: whether the variable can be empty, and what that deletes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import TYPE_CHECKING

from msgspec import structs

from selfreview.model.issue import Finding, Severity

if TYPE_CHECKING:
    from ast_grep_py import SgNode

RULE = "bash-remove-unset"

_BELOW = re.compile(r'"?\$\{?(?P<name>\w+)\}?"?/(?P<rest>\*|\w*"?\*?)?"?')
_SYSTEM = frozenset(
    "bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var".split()  # noqa: SIM905
)
_SHEBANG = re.compile(r"#!\S*sh\s+(?P<options>[-+].*)")
_NEVER_EMPTY = re.compile(r"\$\{\w+:[?]|\$\{\w+:?[-=][^}$`]*\w")
_EXPANSION = re.compile(r"\$\{[^}]*\}|\$\w+|\$[@*#?$!-]")
_HELD_BY = frozenset({"declaration_command", "redirected_statement", "list"})
_OPTIONS = {"e": "errexit", "u": "nounset"}


class _Empty(IntEnum):
    """How likely a value is empty."""

    NEVER = 0
    HARDLY = 1
    MAYBE = 2


def judged(found: Finding, command: SgNode, root: SgNode) -> Finding | None:
    """Return the finding with its severity and words, or None where the variable cannot be empty.

    Args:
        found: What the rule says of the command.
        command: The ``rm``.
        root: Root of the parsed file.
    """
    options = _in_force(command, root)
    places = [place for word in command.children() if (place := _BELOW.fullmatch(word.text())) is not None]
    open_to = [(_emptiness(place["name"], command, root, options), place) for place in places]
    if not open_to:
        return found
    worst, place = max(open_to, key=lambda item: item[0])
    if worst is _Empty.NEVER:
        return None
    rest = (place["rest"] or "").strip('"*')
    what = "from the root of the file system" if not rest or rest in _SYSTEM else f"/{rest} instead"
    when = "empty" if "nounset" in options else "empty or unset"
    severity = Severity.LOW if worst is _Empty.HARDLY else found.severity
    return structs.replace(found, severity=severity, description=f"When the variable is {when} this deletes {what}.")


def _in_force(command: SgNode, root: SgNode) -> set[str]:
    """Return the names of the options that are on where a command runs."""
    options: set[str] = set()
    if (shebang := _SHEBANG.match(root.text())) is not None:
        _switch(options, shebang["options"].split())
    for switch in _before(root.find_all(kind="command", regex=r"^set\s"), command):
        if _encloses(switch, command):
            _switch(options, switch.text().split()[1:])
    return options


def _switch(options: set[str], words: list[str]) -> None:
    """Apply the words behind ``set``."""
    sign = "-"
    for word in words:
        if word == "--":
            return
        if word[0] in "-+":
            sign, names = word[0], [_OPTIONS[letter] for letter in word[1:] if letter in _OPTIONS]
        else:
            names = [word]
        for name in names:
            options.add(name) if sign == "-" else options.discard(name)


def _emptiness(name: str, command: SgNode, root: SgNode, options: set[str]) -> _Empty:
    """Return how likely a variable is empty, by the assignments that can reach a command."""
    every = [node for node in root.find_all(kind="variable_assignment") if _name_of(node) == name]
    reaching: list[_Empty] = []
    certain = False
    for node in _before(every, command):
        if _encloses(node, command):
            reaching, certain = [], True
        reaching.append(_value(node, options))
    if not certain and every and any(a.kind() == "function_definition" for a in command.ancestors()):
        # A function runs after what is written below it.
        return max(_value(node, options) for node in every)
    return max(reaching) if certain else _Empty.MAYBE


def _value(node: SgNode, options: set[str]) -> _Empty:
    """Return how likely what an assignment gives is empty."""
    value = node.field("value")
    if value is None or node.text().partition("=")[0].endswith("+"):
        return _Empty.MAYBE
    text = value.text()
    commands = value.find_all(kind="command_substitution")
    if value.kind() == "command_substitution":
        commands = [value]
    for inner in commands:
        text = text.replace(inner.text(), "")
    if _NEVER_EMPTY.search(text) or re.search(r"\w", _EXPANSION.sub("", text)):
        return _Empty.NEVER
    if not commands:
        return _Empty.MAYBE
    parent = node.parent()
    kind = parent.kind() if parent is not None else ""
    handled = kind == "list" and parent is not None and re.search(r"\|\|\s*(?:exit|return|die)\b", parent.text())
    if handled or ("errexit" in options and kind not in ("declaration_command", "list") and "|" not in value.text()):
        return _Empty.NEVER
    return _Empty.HARDLY if "nounset" in options else _Empty.MAYBE


def _name_of(node: SgNode) -> str:
    name = node.field("name")
    return name.text() if name is not None else ""


def _before(nodes: list[SgNode], command: SgNode) -> Iterator[SgNode]:
    end = command.range().start.index
    return (node for node in nodes if node.range().end.index <= end)


def _encloses(node: SgNode, command: SgNode) -> bool:
    """Whether a statement is sure to have run before a command that stands behind it."""
    parent = node.parent()
    while parent is not None and parent.kind() in _HELD_BY:
        if parent.kind() == "list" and parent.range().start.index != node.range().start.index:
            break  # it may be what && or || leaves out
        node, parent = parent, parent.parent()
    return parent is not None and parent in command.ancestors()
