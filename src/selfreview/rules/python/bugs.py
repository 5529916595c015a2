"""Code that does something else than it says, or never runs."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, node, repeated

_CONDITIONS = [{"kind": kind} for kind in ("if_statement", "elif_clause", "while_statement", "assert_statement")]

RULES = (
    Rule(
        id="python-compare-nan",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="NaN is equal to nothing, not even to itself: the comparison always has the same outcome.",
        suggestion="Use math.isnan, numpy.isnan or pandas.isna.",
        needs=("nan", "NaN"),
        hint=r"[!=]=\s*((np|numpy|math|pd)\.(nan|NaN|NAN)|float\(\s*.nan)|(nan|NaN|NAN|nan.\s*\))\s*[!=]=",
        match={
            "kind": "comparison_operator",
            "all": [
                {"regex": r"[!=]="},
                {"has": {"regex": r"^((np|numpy|math|pd)\.(nan|NaN|NAN)|float\(\s*['\"]nan['\"]\s*\))$"}},
            ],
        },
        bad=("if value == float('nan'): skip()", "rows = rows[rows.age != np.nan]"),
        good=("if math.isnan(value): skip()", "if value is np.nan: skip()", "value = np.nan"),
    ),
    Rule(
        id="python-compare-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=("==", " > ", " < ", ">=", "<=", " is "),
        hint=r"(?<![\w.\]])([\w.\[\]]+)\s*(==|<|>|<=|>=|\bis|\bis\s+not)\s*\1",
        match=repeated(
            "$VALUE == $VALUE",
            "$VALUE < $VALUE",
            "$VALUE > $VALUE",
            "$VALUE <= $VALUE",
            "$VALUE >= $VALUE",
            "$VALUE is $VALUE",
            "$VALUE is not $VALUE",
        ),
        constraints={"VALUE": {"any": [{"kind": "attribute"}, {"kind": "subscript"}]}},
        where="product",
        bad=("if first.size == first.size: merge()", "return self.start <= self.start"),
        good=(
            "if first.size == second.size: merge()",
            "if value != value: return 'nan'",
            "if value == value: return 1",
            "return next(a) == next(a)",
        ),
    ),
    Rule(
        id="python-assign-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The attribute is assigned to itself, which does nothing.",
        suggestion="Assign what was meant, or remove the line.",
        needs=(" = ",),
        hint=r"(?<![\w.])(\w+\.\w+)\s*=\s*\1\b",
        match=repeated("$OBJECT.$NAME = $OBJECT.$NAME") | {"inside": {"kind": "expression_statement"}},
        where="product",
        bad=("self.width = self.width",),
        good=("self.width = other.width", "self.width = self.height"),
    ),
    Rule(
        id="python-or-literal",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The text after `or` is always true, so the whole condition is.",
        suggestion="Compare with each value: `x in (a, b)`.",
        needs=("or '", 'or "'),
        hint=r"\bor\s+['\"]",
        match={
            "kind": "boolean_operator",
            "all": [
                {"has": {"field": "left", "kind": "comparison_operator", "regex": r"\s(==|in)\s"}},
                {"has": {"field": "operator", "regex": "^or$"}},
                {"has": {"field": "right", "kind": "string", "regex": r"^['\"][^'\"]"}},
            ],
            "inside": {
                "any": [
                    {"kind": "if_statement"},
                    {"kind": "elif_clause"},
                    {"kind": "while_statement"},
                    {"kind": "assert_statement"},
                    {"kind": "parenthesized_expression"},
                    {"kind": "boolean_operator"},
                ]
            },
        },
        bad=("if answer == 'y' or 'yes': go()", "assert name == 'a' or 'b'"),
        good=("if answer == 'y' or answer == 'yes': go()", "name = given == 'x' or 'default'"),
    ),
    Rule(
        id="python-or-true",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="What follows `or` is always true, so the whole condition is.",
        suggestion="Remove it, or the condition.",
        needs=("or True", "or 1"),
        hint=r"\bor\s+(True|1)\b",
        match={
            "kind": "boolean_operator",
            "all": [
                {"has": {"field": "operator", "regex": "^or$"}},
                {"has": {"field": "right", "regex": "^(True|1)$"}},
            ],
            "inside": {"any": [*_CONDITIONS, {"kind": "parenthesized_expression", "inside": {"any": _CONDITIONS}}]},
        },
        bad=("assert total(2) == 2 or True", "if (debug or 1): go()"),
        good=("shown = given or True", "if use(given or True): go()", "assert count == 2 or count == 1"),
    ),
    Rule(
        id="python-in-parenthesised-text",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Without a comma this is no tuple but the text itself: any part of the text is `in` it.",
        suggestion="Add a comma after the text, or compare with ==.",
        needs=("in (",),
        hint=r"\bin\s*\(\s*['\"][^'\"]{0,500}['\"]\s*\)",
        match={
            "kind": "parenthesized_expression",
            "all": [
                {"has": {"kind": "string"}},
                {"inside": {"kind": "comparison_operator", "regex": r"\sin\s*\(\s*['\"][^'\"]*['\"]\s*\)$"}},
            ],
        },
        bad=("if kind in ('list'): go()",),
        good=("if kind in ('list',): go()", "if kind in 'list': go()", "for kind in ('list'): go()"),
    ),
    Rule(
        id="python-strip-word",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="strip takes a set of characters, not a prefix or suffix: it also eats letters of what remains.",
        suggestion="Use removeprefix or removesuffix.",
        needs=("lstrip(", "rstrip("),
        hint=r"\.[lr]strip\(\s*['\"]\S{4,}['\"]|strip\(\s*['\"]\.\w\w",
        match=node(
            "call",
            function=r"\.[lr]strip$",
            arguments=r"^\(\s*['\"](\.[a-zA-Z0-9]{2,5}|https?://|www\.|[a-z]+[_\-:/.]|[_\-:/][a-z]{3,}|"
            r"[a-zA-Z]{4,})['\"]\s*\)$",
        ),
        bad=("stem = name.rstrip('.json')", "host = url.lstrip('http://')", "key = name.lstrip('prefix_')"),
        good=(
            "stem = name.removesuffix('.json')",
            "text = line.rstrip('\\r\\n')",
            "text = line.strip('abc')",
            "number = text.lstrip('0x')",
        ),
    ),
    Rule(
        id="python-length-below-zero",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A length is never below zero, so the comparison always has the same outcome.",
        suggestion="Compare with > 0, or test the container itself.",
        needs=("len(",),
        hint=r"len\((?s:.){0,500}\)\s*(>=|<)\s*0|0\s*<=\s*len",
        match={
            "any": [{"pattern": "len($VALUE) >= 0"}, {"pattern": "len($VALUE) < 0"}, {"pattern": "0 <= len($VALUE)"}]
        },
        bad=("if len(items) >= 0: go()", "while len(items) < 0: go()"),
        good=("if len(items) > 0: go()", "if len(items) <= 0: go()"),
    ),
    Rule(
        id="python-unreachable",
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
