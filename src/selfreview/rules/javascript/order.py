"""Code that its place keeps from ever running."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript._shapes import JS
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="javascript-unreachable",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="What stands behind this statement never runs.",
        suggestion="Remove it, or leave under a condition; a value to return begins on the line of its return.",
        needs=(),
        coded=True,
        bad=(
            """
            function total(items) {
              return items.length;  <--
              log(items);
            }
            """,
            """
            function total(items) {
              return  <--
                items.length;
            }
            """,
            """
            for (const item of items) {
              throw new Error(item);  <--
              count += 1;
            }
            """,
        ),
        good=(
            """
            function total(items) {
              return count();
              function count() { return items.length; }
            }
            """,
            """
            function total(items) {
              if (!items) return 0;
              return items.length;
              // nothing else
            }
            """,
            """
            switch (kind) {
              case 1:
                return one();
                break;
              default:
                throw new Error(kind);
            }
            """,
            """
            function* none() {
              return;
              yield 1;
            }
            """,
        ),
    ),
    Rule(
        id="javascript-duplicate-case",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="An earlier case takes this value: the code here never runs for it.",
        suggestion="Give the value that was meant, or join the two cases.",
        needs=(),
        coded=True,
        bad=(
            """
            switch (kind) {
              case 1:
                one();
                break;
              case 1:  <--
                two();
                break;
            }
            """,
        ),
        good=(
            """
            switch (kind) {
              case 1:
              case 2:
                one();
                break;
              case '1':
                switch (other) { case 1: two(); }
            }
            """,
            """
            switch (true) {
              case next() > 1: one(); break;
              case next() > 1: two(); break;
            }
            """,
        ),
    ),
)
