"""Code that does something else than it says, or never runs."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, call, in_condition, node, repeated

RULES = (
    Rule(
        id="javascript-assignment-in-condition",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is assigned, not compared: it overwrites what was there, and decides alone.",
        suggestion="Compare with ===.",
        needs=("if (", "if("),
        hint=r"\bif\s*\(\s*[\w.]+\s*=[^=>]",
        match={
            "kind": "assignment_expression",
            "inside": in_condition(),
            "has": {
                "field": "right",
                "any": [
                    {"kind": "string"},
                    {"kind": "number"},
                    {"kind": "true"},
                    {"kind": "false"},
                    {"kind": "null"},
                    {"kind": "undefined"},
                    {"kind": "identifier"},
                ],
            },
        },
        bad=("if (state = 'open') go();", "if (a = b) go();"),
        good=(
            "if (state === 'open') go();",
            "if ((match = find())) go(match);",
            "if (match = find()) go(match);",
            "if (node = node.parent) go();",
            "if ((a = b)) go();",
        ),
    ),
    Rule(
        id="javascript-compare-nan",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="NaN is equal to nothing, not even to itself: the comparison always has the same outcome.",
        suggestion="Use Number.isNaN.",
        needs=("NaN",),
        hint=r"[!=]==?\s*(Number\.)?NaN|NaN\s*[!=]=",
        match=node("binary_expression", {"has": {"regex": r"^(Number\.)?NaN$"}}, operator="^[!=]==?$"),
        bad=("if (value === NaN) skip();",),
        good=("if (Number.isNaN(value)) skip();", "const value = NaN;"),
    ),
    Rule(
        id="javascript-compare-literal-object",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A new array or object equals no other: the comparison always has the same outcome.",
        suggestion="Compare the length or the contents.",
        needs=("= []", "= {}", "=[]", "={}"),
        hint=r"[!=]==?\s*(\[|\{)",
        match=node(
            "binary_expression",
            {"has": {"field": "right", "any": [{"kind": "array"}, {"kind": "object"}]}},
            operator="^[!=]==?$",
        ),
        bad=("if (items === []) stop();", "const empty = value == {};"),
        good=("if (items.length === 0) stop();", "const items = [];"),
    ),
    Rule(
        id="javascript-compare-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=("==", " < ", " > ", "<=", ">="),
        hint=r"(?<![\w.\]])([\w.\[\]]+)\s*(===?|<|>|<=|>=)\s*\1(?![\w.\[(])",
        match=repeated(
            "$VALUE === $VALUE",
            "$VALUE == $VALUE",
            "$VALUE < $VALUE",
            "$VALUE > $VALUE",
            "$VALUE <= $VALUE",
            "$VALUE >= $VALUE",
        ),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "member_expression"}]}},
        where="product",
        bad=("if (first.size === first.size) merge();",),
        good=(
            "if (first.size === second.size) merge();",
            "if (value !== value) return 'nan';",
            "while (i < i.length) {}",
        ),
    ),
    Rule(
        id="javascript-assign-same",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The property is assigned to itself, which does nothing.",
        suggestion="Assign what was meant, or remove the statement.",
        needs=(" = ",),
        hint=r"(?<![\w.])(\w+\.\w+)\s*=\s*\1\s*[;\n]",
        match=repeated("$OBJECT.$NAME = $OBJECT.$NAME"),
        constraints={"NAME": {"not": {"regex": r"^(href|src|scrollTop|value|innerHTML|hash|data|currentTime)$"}}},
        where="product",
        bad=("this.width = this.width;",),
        good=(
            "this.width = other.width;",
            "anchor.href = anchor.href;",
            "module.exports = exports = module.exports.main;",
        ),
    ),
    Rule(
        id="javascript-negation-before-in",
        severity=Severity.HIGH,
        category=Category.LOGIC,
        message="The negation binds to the left value alone: true or false is looked for, not the value.",
        suggestion="Put the whole test in parentheses after the negation.",
        needs=(" in ", " instanceof "),
        hint=r"!\s*[\w.]+\s+(in|instanceof)\s",
        match=node(
            "binary_expression",
            {"has": {"field": "left", "kind": "unary_expression", "regex": "^!"}},
            operator="^(in|instanceof)$",
        ),
        bad=("if (!key in table) add(key);", "if (!error instanceof TypeError) throw error;"),
        good=("if (!(key in table)) add(key);", "for (const key in table) use(!key);"),
    ),
    Rule(
        id="javascript-typeof-unknown",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="typeof never gives this text, so the comparison always has the same outcome.",
        suggestion="Compare with one of the texts that typeof gives.",
        needs=("typeof",),
        hint=r"typeof(?s:.){0,500}[!=]==?\s*['\"]",
        match={
            "kind": "binary_expression",
            "all": [
                {"has": {"field": "left", "kind": "unary_expression", "regex": r"^typeof\b"}},
                {"has": {"field": "operator", "regex": "^[!=]==?$"}},
                {
                    "has": {
                        "field": "right",
                        "kind": "string",
                        "not": {
                            "regex": r"^.(undefined|object|boolean|number|string|function|symbol|bigint|unknown|date).$"
                        },
                    }
                },
            ],
        },
        bad=("if (typeof value === 'undefned') stop();", "if (typeof list == 'array') go();"),
        good=("if (typeof value === 'undefined') stop();", "if (typeof value === typeof other) stop();"),
    ),
    Rule(
        id="javascript-length-below-zero",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A length is never below zero, so the comparison always has the same outcome.",
        suggestion="Compare with > 0.",
        needs=(".length",),
        hint=r"\.length\s*(>=|<)\s*0(?![.\w])",
        match={"any": [{"pattern": "$LIST.length >= 0"}, {"pattern": "$LIST.length < 0"}]},
        bad=("if (items.length >= 0) go();", "while (items.length < 0) go();"),
        good=("if (items.length > 0) go();", "if (items.length < 10) go();"),
    ),
    Rule(
        id="javascript-index-as-condition",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="indexOf gives 0 for the first element, which counts as false, and -1 for none, which counts as true.",
        suggestion="Use includes, or compare with -1.",
        needs=("ndexOf(", "earch("),
        hint=r"(if|while)\s*\(\s*!?\s*[\w.]+\.(lastI|i)ndexOf\([^()]{0,500}\)\s*\)|[?&|]",
        match={
            "kind": "call_expression",
            "has": {"field": "function", "regex": r"\.(lastIndexOf|indexOf)$"},
            "inside": {
                "any": [
                    {
                        "kind": "parenthesized_expression",
                        "inside": {"any": [{"kind": "if_statement"}, {"kind": "while_statement"}]},
                    },
                    {
                        "kind": "unary_expression",
                        "regex": "^!",
                        "inside": {
                            "kind": "parenthesized_expression",
                            "inside": {"any": [{"kind": "if_statement"}, {"kind": "while_statement"}]},
                        },
                    },
                ]
            },
        },
        bad=("if (names.indexOf(name)) go();", "if (!names.indexOf(name)) go();"),
        good=(
            "if (names.indexOf(name) !== -1) go();",
            "if (~names.indexOf(name)) go();",
            "if (names.includes(name)) go();",
        ),
    ),
    Rule(
        id="javascript-shared-fill",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every element is the same object: changing one changes all.",
        suggestion="Use Array.from with a function that makes one for each.",
        needs=(".fill(",),
        match=call(r"\.fill$", {"any": [{"kind": "array"}, {"kind": "object"}]}),
        where="product",
        bad=("const rows = new Array(3).fill([]);",),
        good=("const rows = Array.from({ length: 3 }, () => []);", "const row = new Array(3).fill(0);"),
    ),
    Rule(
        id="javascript-state-mutated",
        languages=("javascript", "tsx"),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="React does not notice a change of this.state: the page is not drawn again.",
        suggestion="Use this.setState.",
        needs=("this.state.",),
        match=node(
            "assignment_expression",
            {
                "inside": {
                    "kind": "method_definition",
                    "stopBy": "end",
                    "not": {"has": {"field": "name", "regex": "^constructor$"}},
                }
            },
            {"inside": {"kind": "class_declaration", "stopBy": "end", "regex": r"Component\b"}},
            left=r"^this\.state\.",
        ),
        where="product",
        bad=(
            """
            class Box extends React.Component {
              open() {
                this.state.open = true;  <--
              }
            }
            """,
        ),
        good=(
            "class Box extends React.Component { open() { this.setState({ open: true }); } }",
            "class Machine { open() { this.state.open = true; } }",
        ),
    ),
    Rule(
        id="javascript-unreachable",
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
