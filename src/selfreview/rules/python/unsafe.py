"""Calls that run or trust what they are given."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-eval",
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as Python: who controls any part of it controls this process.",
        suggestion="Use ast.literal_eval or json.loads for data, a table of functions for operations.",
        needs=("eval(", "exec("),
        match={"any": [{"pattern": "eval($CODE)"}, {"pattern": "exec($CODE)"}]},
        constraints={"CODE": {"not": {"kind": "string", "not": {"has": {"kind": "interpolation"}}}}},
        where="product",
        bad=(
            """
            def load(text):
                return eval(text)  <--
            """,
            'exec(f"import {name}")',
        ),
        good=("eval('1 + 1')", "model.eval()", "cursor.exec(query)"),
    ),
    Rule(
        id="python-yaml-load",
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="yaml.load with this loader builds any Python object that the document names, which runs code.",
        suggestion="Use yaml.safe_load.",
        needs=("yaml.load",),
        match={
            "any": [
                {"pattern": "yaml.load($DOCUMENT)"},
                {"pattern": "yaml.load_all($DOCUMENT)"},
                {"pattern": "yaml.load($DOCUMENT, Loader=$LOADER)"},
                {"pattern": "yaml.load($DOCUMENT, $LOADER)"},
            ]
        },
        constraints={"LOADER": {"regex": r"^(yaml\.)?(Unsafe|Full)?Loader$"}},
        bad=("data = yaml.load(stream)", "data = yaml.load(stream, Loader=yaml.Loader)"),
        good=(
            "data = yaml.safe_load(stream)",
            "data = yaml.load(stream, Loader=yaml.SafeLoader)",
            "data = yaml.load(stream, Loader=yaml.CSafeLoader)",
            "data = yaml.load(stream, SafeLoader)",
        ),
    ),
)
