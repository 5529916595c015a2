"""Tables that the long form of the suite goes through whole, and the short one by a few of their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

Table = Mapping[str, Any] | Iterable[str]


def few(table: Table, *short: str) -> list[Any]:
    """Return the rows of a table as parameters, of which the short form runs those that are named.

    Args:
        table: The rows by name, each a tuple where it is several parameters; or names that are the rows.
        short: The names of some.

    Raises:
        KeyError: If there is no row of such a name.
    """
    rows = _rows(table)
    if unknown := set(short) - set(rows):
        raise KeyError(f"no row is named {unknown}")
    return [_row([name], [value], name in short) for name, value in rows.items()]


def crossed(*tables: Table) -> list[Any]:
    """Return all combinations of the rows of tables; the short form runs each row once, with the first of the others.

    Args:
        tables: As for :func:`few`.
    """
    rows = [list(_rows(table).items()) for table in tables]
    firsts = [table[0][0] for table in rows]
    combined = []
    for combination in itertools.product(*rows):
        names, values = zip(*combination, strict=True)
        others = sum(name != first for name, first in zip(names, firsts, strict=True))
        combined.append(_row(names, values, others <= 1))
    return combined


def _rows(table: Table) -> dict[str, Any]:
    return dict(table) if isinstance(table, Mapping) else {name: name for name in table}


def _row(names: Iterable[str], values: Iterable[Any], short: bool) -> Any:
    spread = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return pytest.param(*spread, id="-".join(names), marks=() if short else pytest.mark.long)
