"""Queries of the module's own texts do not block; those of what somebody passes do."""

from __future__ import annotations

import textwrap

import pytest

from selfreview.api import Severity, SourceText
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.ruff.judge import Query
from selfreview.reviewers.ruff.python_file import PythonFile
from tests.reviewers.fakes import only, run


def severity(body: str) -> Severity:
    """Return the severity of the only finding about a query."""
    return only(run(RuffReviewer(), {"a.py": f"{textwrap.dedent(body).strip()}\n"}), "S608").severity


@pytest.mark.parametrize(
    "body",
    [
        """
        TABLE = "items"
        def f(c, a, b):
            c.execute(f"REPLACE INTO {TABLE} VALUES (?, ?)", (a, b))
        """,
        """
        FIELDS = ("a", "b")
        TABLE = "main" + "_items"
        def f(c):
            c.execute("SELECT " + ", ".join(FIELDS) + " FROM " + TABLE)
        """,
        """
        def f(c, ids):
            marks = ",".join("?" for _ in ids)
            c.execute(f"SELECT * FROM items WHERE id IN ({marks})", ids)
        """,
        """
        def f(c, ids):
            c.execute("SELECT * FROM items WHERE id IN (%s)" % ",".join(["?"] * len(ids)), ids)
        """,
        """
        def f(c, ids):
            c.execute("SELECT * FROM items WHERE id IN ({})".format(("?, " * len(ids)).rstrip(", ")), ids)
        """,
        """
        COLUMNS = frozenset({"name", "age"})
        def f(c, column, value):
            if column not in COLUMNS:
                raise ValueError(column)
            c.execute(f"SELECT * FROM items WHERE {column} = ?", (value,))
        """,
        """
        def f(c, column, value):
            if column in ("name", "age"):
                c.execute(f"SELECT * FROM items WHERE {column} = ?", (value,))
        """,
        """
        def f(c, old):
            where = "WHERE old = 1" if old else ""
            c.execute(f"SELECT * FROM items {where}")
        """,
        """
        def f(c):
            for table, column in (("a", "x"), ("b", "y")):
                c.execute(f"DELETE FROM {table} WHERE {column} = 1")
        """,
        """
        ORDERS = {"new": "at DESC", "old": "at ASC"}
        def f(c, order):
            c.execute(f"SELECT * FROM items ORDER BY {ORDERS[order]}")
        """,
        """
        def f(c, name):
            parts = ["a = 1"]
            if name:
                parts.append("name = ?")
            c.execute("SELECT * FROM items WHERE " + " AND ".join(parts), (name,))
        """,
        """
        class Store:
            TABLE = "items"
            def f(self, c):
                c.execute(f"SELECT * FROM {self.TABLE} WHERE id = ?", (1,))
        """,
        """
        from names import TABLE
        def f(c):
            c.execute(f"SELECT * FROM {TABLE} WHERE id = ?", (1,))
        """,
    ],
)
def test_own_texts_are_low(body: str) -> None:
    assert severity(body) is Severity.LOW


@pytest.mark.parametrize(
    "body",
    [
        """
        def f(c, name):
            c.execute("SELECT * FROM items WHERE name = '" + name + "'")
        """,
        """
        def f(c, name):
            c.execute(f"SELECT * FROM items WHERE name = '{name}'")
        """,
        """
        TABLE = "items"
        def f(c, name):
            c.execute(f"SELECT * FROM {TABLE} WHERE name = '{name}'")
        """,
        """
        def f(c, ids):
            c.execute("SELECT * FROM items WHERE id IN (%s)" % ",".join(ids))
        """,
        """
        def f(c, columns):
            marks = ", ".join(f"{column} = ?" for column in columns)
            c.execute(f"UPDATE items SET {marks} WHERE id = 1")
        """,
        """
        def f(c, name):
            c.execute("SELECT * FROM items WHERE name IN (%s)" % (name * 3))
        """,
        """
        COLUMNS = ("name", "age")
        def f(c, column):
            if column not in COLUMNS:
                log(column)
            c.execute(f"SELECT * FROM items WHERE {column} = 1")
        """,
        """
        COLUMNS = ("name", "age")
        def f(c, column):
            if column in COLUMNS:
                raise ValueError(column)
            c.execute(f"SELECT * FROM items WHERE {column} = 1")
        """,
        """
        COLUMNS = ("name", "age")
        def f(c, column):
            if column not in COLUMNS:
                raise ValueError(column)
            column = input()
            c.execute(f"SELECT * FROM items WHERE {column} = 1")
        """,
        """
        def f(c, column, allowed):
            if column not in allowed:
                raise ValueError(column)
            c.execute(f"SELECT * FROM items WHERE {column} = 1")
        """,
        """
        def f(c, request):
            where = "WHERE old = 1"
            where += request.args["where"]
            c.execute(f"SELECT * FROM items {where}")
        """,
        """
        TABLE = "items"
        def choose(name):
            global TABLE
            TABLE = name
        def f(c):
            c.execute(f"SELECT * FROM {TABLE} WHERE id = ?", (1,))
        """,
        """
        ORDERS = {}
        def g(name, text):
            ORDERS[name] = text
        def f(c, order):
            c.execute(f"SELECT * FROM items ORDER BY {ORDERS[order]}")
        """,
        """
        def f(c, name):
            parts = ["a = 1"]
            parts.append(f"name = '{name}'")
            c.execute("SELECT * FROM items WHERE " + " AND ".join(parts))
        """,
        """
        class Store:
            TABLE = "items"
            def g(self, table):
                self.TABLE = table
            def f(self, c):
                c.execute(f"SELECT * FROM {self.TABLE} WHERE id = ?", (1,))
        """,
        """
        TABLE = input()
        def f(c):
            c.execute(f"SELECT * FROM {TABLE} WHERE id = ?", (1,))
        """,
    ],
)
def test_what_somebody_passes_blocks(body: str) -> None:
    assert severity(body) is Severity.MEDIUM


def test_what_is_not_found_or_without_end_is_not_ours() -> None:
    assert not Query(PythonFile(SourceText.from_bytes(b"x = 1\n")).root, 5, 5).is_ours()
    text = "a = 'x' + b\nb = 'y' + a\nc.execute('SELECT 1 FROM t WHERE ' + a)\n"
    assert not Query(PythonFile(SourceText.from_bytes(text.encode())).root, 3, 11).is_ours()
