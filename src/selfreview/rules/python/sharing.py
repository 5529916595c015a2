"""Objects that are shared, or change while they are gone through."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-shared-rows",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="All rows are the same object: changing one changes every one.",
        suggestion="Use a comprehension, which makes one object for each.",
        needs=("] *", "]*", "fromkeys("),
        hint=r"[\]}]\s*\]\s*\*|\]\s*\*(?s:.){0,500}\]\s*\*|fromkeys\((?s:.){0,500}(\[\]|\{\})",
        match={
            "any": [
                {
                    "kind": "binary_operator",
                    "all": [
                        {"has": {"field": "operator", "regex": r"^\*$"}},
                        {
                            "has": {
                                "field": "left",
                                "kind": "list",
                                "has": {
                                    "any": [
                                        {"kind": "list", "regex": r"^\[\s*\]$"},
                                        {"kind": "dictionary", "regex": r"^\{\s*\}$"},
                                        {"kind": "binary_operator", "has": {"field": "left", "kind": "list"}},
                                    ]
                                },
                            }
                        },
                    ],
                },
                {"pattern": "dict.fromkeys($KEYS, [])"},
                {"pattern": "dict.fromkeys($KEYS, {})"},
            ]
        },
        where="product",
        bad=("grid = [[0] * width] * height", "rows = [[]] * 3", "groups = dict.fromkeys(names, [])"),
        good=(
            "grid = [[0] * width for _ in range(height)]",
            "row = [0] * width",
            "groups = dict.fromkeys(names, 0)",
            "lines = [[blank]] * 3",
        ),
    ),
    Rule(
        id="python-default-evaluated-once",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The default is computed once, when the module is loaded, not at each call.",
        suggestion="Use None as the default and compute the value in the body.",
        needs=("now()", "utcnow()", "today()", "time()", "uuid4()"),
        hint=r"=\s*[\w.]*(now|utcnow|today|time|uuid4)\(\s*\)",
        match={
            "any": [{"kind": "default_parameter"}, {"kind": "typed_default_parameter"}],
            "has": {
                "field": "value",
                "regex": r"^((datetime\.)?(datetime|date)\.(now|utcnow|today)|timezone\.now|time\.time|(uuid\.)?uuid4)"
                r"\((?s:.*)\)$",
            },
        },
        bad=(
            """
            def save(item, at=datetime.now()):  <--
                item.at = at
            """,
            """
            def save(item, at: float = time.time()):  <--
                item.at = at
            """,
        ),
        good=(
            """
            def save(item, at=None):
                item.at = at or datetime.now()
            """,
            """
            def save(item, clock=time.time):
                item.at = clock()
            """,
        ),
    ),
    Rule(
        id="python-remove-while-iterating",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Removing from a list while going through it skips the element after each removed one.",
        suggestion="Go through a copy, or build a new list.",
        needs=(".remove(",),
        match={
            "pattern": "$LIST.remove($ITEM)",
            "all": [
                {
                    "inside": {
                        "pattern": {
                            "context": "for $ITEM in $LIST:\n    $$$BODY",
                            "selector": "for_statement",
                        },
                        "stopBy": {"any": [{"kind": "function_definition"}, {"kind": "for_statement"}]},
                    }
                },
                {
                    "not": {
                        "inside": {
                            "kind": "block",
                            "has": {"any": [{"kind": "break_statement"}, {"kind": "return_statement"}]},
                            "stopBy": {"any": [{"kind": "for_statement"}, {"kind": "function_definition"}]},
                        }
                    }
                },
            ],
        },
        bad=(
            """
            for item in items:
                if item.old:
                    items.remove(item)  <--
            """,
        ),
        good=(
            """
            for item in list(items):
                if item.old:
                    items.remove(item)
            """,
            """
            for item in items:
                if item.old:
                    items.remove(item)
                    break
            """,
            """
            for item in items:
                others.remove(item)
            """,
        ),
    ),
)
