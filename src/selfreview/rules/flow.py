"""Data flow of a value inside one function, as a rule describes it."""

from __future__ import annotations

import msgspec

HOLE = "\0"
"""Stands in a template for a part that is neither constant nor harmless."""

NUMBER = "\x02"
"""Stands in a template for a part that is formatted as a number."""


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """A value that must not reach a call, found by following variables backwards within one function.

    Every argument of a call is resolved to a template: the text of its constant parts, with ``HOLE`` for each part that
    matters and ``0`` for one that does not. Patterns are Python's, searched anywhere unless anchored.

    Attributes:
        sink: What is called: the text before the arguments (``cursor.execute``), ``return`` or
            ``echo`` for such a statement, the target and ``=`` for an assignment (``node.innerHTML=``).
        text: What the template must look like; ``\\0`` stands for a hole.
        argument: Position of the only argument that counts, from 0; -1: any.
        source: Text of an expression that makes a part matter (``request.args``). Empty: every part that is not
            constant matters, unless it is harmless.
        safe: Text of an expression that is harmless (``int(…)``, ``escape(…)``).
        when: What the text of the whole call must hold besides (``shell=True``). Empty: anything.
        unless: What the function must not hold anywhere: a check of the value. Empty: nothing.
    """

    sink: str
    text: str
    argument: int = -1
    source: str = ""
    safe: str = ""
    when: str = ""
    unless: str = ""
