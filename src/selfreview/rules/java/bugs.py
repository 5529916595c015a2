"""Errors that vanish, code that does something else than it says, tests that do not test."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import repeated

RULES = (
    Rule(
        id="java-empty-catch",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done and name it `ignored`.",
        needs=("catch",),
        hint=r"catch\s*\([^)]{0,500}\)\s*\{\s*\}",
        match={
            "kind": "catch_clause",
            "all": [
                {"has": {"field": "body", "regex": r"^\{\s*\}$"}},
                {"not": {"has": {"kind": "catch_formal_parameter", "regex": r"\s(ignored?|expected|unused|_)$"}}},
                {
                    "not": {
                        "has": {
                            "kind": "catch_formal_parameter",
                            "regex": r"InterruptedException|NumberFormatException",
                        }
                    }
                },
            ],
        },
        where="product",
        bad=("try { save(); } catch (IOException e) {\n}",),
        good=(
            "try { save(); } catch (IOException e) { log.warn(e); }",
            "try { save(); } catch (IOException ignored) {}",
            "try { save(); } catch (IOException e) { /* the cache is only a help */ }",
        ),
    ),
    Rule(
        id="java-interrupt-dropped",
        languages=("java",),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The request to stop is dropped: the thread cannot be ended any more.",
        suggestion="Call Thread.currentThread().interrupt(), or let the exception pass.",
        needs=("InterruptedException",),
        hint=r"catch\s*\([^)]{0,500}InterruptedException[^)]{0,500}\)\s*\{\s*\}",
        match={
            "kind": "catch_clause",
            "all": [
                {"has": {"field": "body", "regex": r"^\{\s*\}$"}},
                {"has": {"kind": "catch_formal_parameter", "regex": r"InterruptedException"}},
            ],
        },
        where="product",
        bad=("try { Thread.sleep(10); } catch (InterruptedException e) {}",),
        good=("try { Thread.sleep(10); } catch (InterruptedException e) { Thread.currentThread().interrupt(); }",),
    ),
    Rule(
        id="java-string-identity",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="== compares the objects, not their text: equal texts from different places are unequal.",
        suggestion="Use equals.",
        needs=('== "', '!= "', '" ==', '" !='),
        match={
            "kind": "binary_expression",
            "all": [
                {"has": {"field": "operator", "regex": "^[!=]=$"}},
                {"has": {"kind": "string_literal"}},
                {"not": {"regex": r"\bnull\b"}},
            ],
        },
        bad=('if (name == "root") stop();', 'boolean other = "root" != name;'),
        good=('if ("root".equals(name)) stop();', "if (letter == 'x') stop();", "if (name == null) stop();"),
    ),
    Rule(
        id="java-compare-same",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=("==", ".equals(", " < ", " > ", "<=", ">="),
        hint=r"(?<![\w.\]])([\w.]+)\s*(==|<|>|<=|>=)\s*\1(?![\w.\[(])|(?<![\w.])(\w+)\.equals\(\s*\3\s*\)",
        match=repeated(
            "$VALUE == $VALUE",
            "$VALUE < $VALUE",
            "$VALUE > $VALUE",
            "$VALUE <= $VALUE",
            "$VALUE >= $VALUE",
            "$VALUE.equals($VALUE)",
        ),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "field_access"}]}},
        where="product",
        bad=("if (first == first) merge();", "return name.equals(name);"),
        good=("if (first == second) merge();", "return name.equals(other);", "return value != value;"),
    ),
    Rule(
        id="java-assign-same",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The value is assigned to itself, which does nothing.",
        suggestion="Assign what was meant.",
        needs=(" = ",),
        hint=r"(?<![\w.])((this\.)?\w+)\s*=\s*\1\s*;",
        match=repeated("$VALUE = $VALUE") | {"inside": {"kind": "expression_statement"}},
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "field_access"}]}},
        where="product",
        bad=("class A { A(int width) { width = width; } }",),
        good=("class A { A(int width) { this.width = width; } }",),
    ),
    Rule(
        id="java-exception-not-thrown",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is made and dropped: without throw the program goes on.",
        suggestion="Write throw before it.",
        needs=("Exception(", "Error("),
        hint=r"(?m)^[ \t]*(\w.*\)\s*\{?\s*)?new\s+\w+(Exception|Error)\(",
        match={
            "kind": "object_creation_expression",
            "regex": r"^new\s+\w+(Exception|Error)\(",
            "inside": {"kind": "expression_statement"},
        },
        where="product",
        fix="throw $MATCH",
        bad=('if (value < 0) new IllegalArgumentException("negative");',),
        good=('if (value < 0) throw new IllegalArgumentException("negative");', "fail(new IllegalStateException());"),
    ),
    Rule(
        id="java-disabled-test",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=("@Disabled", "@Ignore"),
        match={
            "any": [{"kind": "marker_annotation"}, {"kind": "annotation"}],
            "regex": r"^@(Disabled|Ignore)(\(\s*(\"\")?\s*\))?$",
        },
        where="tests",
        bad=(
            """
            class SumTest {
                @Disabled  <--
                @Test
                void adds() {}
            }
            """,
        ),
        good=(
            'class SumTest { @Disabled("needs a printer") @Test void adds() {} }',
            """
            class SumTest {
                // off because it takes too much memory
                @Test
                @Disabled
                void adds() {}
            }
            """,
        ),
    ),
    Rule(
        id="java-assert-constant",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("assertTrue(true", "assertFalse(false", "assertEquals(true, true"),
        match={
            "kind": "method_invocation",
            "regex": r"^(Assert(ions)?\.)?assert(True\(\s*true\b|False\(\s*false\b|Equals\(\s*true,\s*true)",
        },
        where="tests",
        bad=("assertTrue(true);",),
        good=("assertTrue(total(1) == 1);",),
    ),
    Rule(
        id="java-print-left",
        languages=("java",),
        severity=Severity.SUGGESTION,
        category=Category.STYLE,
        message="This looks like output for finding a bug.",
        suggestion="Remove it, or use the logger.",
        needs=("System.out.print", ".printStackTrace()"),
        match={
            "kind": "method_invocation",
            "regex": r"^System\.out\.print(ln|f)?\(|^\w+\.printStackTrace\(\s*\)$",
        },
        where="product",
        bad=("System.out.println(user);", "error.printStackTrace();"),
        good=("log.info(user);", "error.printStackTrace(writer);"),
    ),
)
