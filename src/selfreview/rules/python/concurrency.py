"""Coroutines that block or never run, and objects that are shared or change while they are gone through."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, node

RULES = (
    Rule(
        id="python-blocking-in-async",
        severity=Severity.MEDIUM,
        category=Category.PERFORMANCE,
        message="The whole event loop stands still until this call returns, and every other task with it.",
        suggestion="Await an asynchronous equivalent, or use asyncio.to_thread.",
        needs=("async def",),
        hint=r"\b(time\.sleep|requests\.\w+|urlopen)\(",
        match={
            "kind": "call",
            "has": {
                "field": "function",
                "regex": r"^(time\.sleep|requests\.(get|post|put|patch|delete|head|request)|urllib\.request\.urlopen)$",
            },
            "inside": {
                "kind": "function_definition",
                "regex": r"^async\b",
                "stopBy": {"any": [{"kind": "function_definition"}, {"kind": "lambda"}]},
            },
        },
        where="product",
        bad=(
            """
            async def poll():
                time.sleep(1)  <--
            """,
            """
            async def fetch(url):
                return requests.get(url).json()  <--
            """,
        ),
        good=(
            """
            async def poll():
                await asyncio.sleep(1)
            """,
            """
            def poll():
                time.sleep(1)

            async def main():
                await asyncio.to_thread(lambda: time.sleep(1))
            """,
        ),
    ),
    Rule(
        id="python-coroutine-not-awaited",
        severity=Severity.HIGH,
        category=Category.LOGIC,
        message="The coroutine is made and dropped: nothing of it runs.",
        suggestion="Write await before it.",
        needs=("asyncio.",),
        hint=r"(?m)^[ \t]*asyncio\.(sleep|wait|open|create_sub|to_thread)",
        match={
            "kind": "call",
            "has": {
                "field": "function",
                "regex": r"^asyncio\.(sleep|wait_for|wait|open_connection|create_subprocess_\w+|to_thread)$",
            },
            "inside": {"kind": "expression_statement"},
        },
        fix="await $MATCH",
        bad=(
            """
            async def poll():
                asyncio.sleep(1)  <--
            """,
        ),
        good=(
            """
            async def poll():
                await asyncio.sleep(1)
            """,
            "task = asyncio.wait_for(job, 1)",
        ),
    ),
    Rule(
        id="python-shared-rows",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="All rows are the same object: changing one changes every one.",
        suggestion="Use a comprehension, which makes one object for each.",
        needs=("] *", "]*", "fromkeys("),
        hint=r"[\]}]\s*\]\s*\*|\]\s*\*(?s:.){0,500}\]\s*\*|fromkeys\((?s:.){0,500}(\[\]|\{\})",
        match={
            "any": [
                node(
                    "binary_operator",
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
                    operator=r"^\*$",
                ),
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
                        "pattern": {"context": "for $ITEM in $LIST:\n    $$$BODY", "selector": "for_statement"},
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
