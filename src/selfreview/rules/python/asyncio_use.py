"""Coroutines that block, or never run."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-blocking-in-async",
        languages=("python",),
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
        languages=("python",),
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
)
