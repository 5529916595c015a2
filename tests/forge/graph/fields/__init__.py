"""Resolvers of the fields of each type."""

from __future__ import annotations

from tests.forge.graph.fields import checks, people, pulls, remarks, repositories, writing
from tests.forge.graph.table import Table

FIELDS: Table = {
    **repositories.FIELDS,
    **people.FIELDS,
    **pulls.FIELDS,
    **remarks.FIELDS,
    **checks.FIELDS,
    **writing.FIELDS,
}
