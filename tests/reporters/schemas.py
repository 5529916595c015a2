"""The schemas of the report formats, as their consumers publish them; see ``tests/schemas/README.md``."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parent.parent / "schemas"


@functools.cache
def _schema(name):
    return Draft202012Validator(json.loads((FOLDER / name).read_text(encoding="utf-8")))


@functools.cache
def _junit():
    from lxml import etree

    return etree.XMLSchema(etree.parse(FOLDER / "junit-10.xsd"))


def check_json(name: str, text: str):
    """Return the document, once the schema has accepted it."""
    document = json.loads(text)
    errors = [f"{error.json_path}: {error.message}" for error in _schema(name).iter_errors(document)]
    assert not errors, "\n".join(errors)
    return document


def check_junit(text: str):
    """Return the root element, once the schema has accepted it."""
    from lxml import etree

    root = etree.fromstring(text.encode("utf-8"))
    schema = _junit()
    assert schema.validate(root), str(schema.error_log)
    return root
