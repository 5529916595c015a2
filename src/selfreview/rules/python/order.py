"""Code that its place keeps from ever running."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-unreachable",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="What stands behind this statement never runs.",
        suggestion="Remove it, or leave under the condition that was meant.",
        needs=(),
        coded=True,
        bad=(
            """
            def total(items):
                return len(items)  <--
                log(items)
            """,
            """
            for item in items:
                if item.old:
                    continue  <--
                    count += 1
            """,
            """
            def total(items):
                raise NotImplementedError  <--
                # the old way
                return len(items)
            """,
        ),
        good=(
            """
            def total(items):
                if not items:
                    return 0
                return len(items)
            """,
            """
            def none():
                return
                yield
            """,
            """
            def none():
                raise StopError
                for item in ():
                    yield item
            """,
            """
            def none():
                raise NotImplementedError
                "why"
            """,
        ),
    ),
)
