"""Errors that vanish, code that does something else than it says, tests that do not test."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import repeated

RULES = (
    Rule(
        id="csharp-empty-catch",
        languages=("csharp",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*(\([^)]{0,500}\))?\s*\{\s*\}",
        match={
            "kind": "catch_clause",
            "all": [
                {"has": {"field": "body", "regex": r"^\{\s*\}$"}},
                {"not": {"has": {"kind": "catch_declaration", "regex": r"Cancel|Timeout|ObjectDisposed"}}},
                {"not": {"has": {"kind": "catch_filter_clause"}}},
            ],
        },
        where="product",
        bad=("try { Save(); } catch { }", "try { Save(); } catch (Exception e)\n{\n}"),
        good=(
            "try { Save(); } catch (Exception e) { Log(e); }",
            "try { Save(); } catch (OperationCanceledException) { }",
            "try { Save(); } catch { /* the cache is only a help */ }",
        ),
    ),
    Rule(
        id="csharp-rethrow-loses-trace",
        languages=("csharp",),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Throwing the variable starts a new stack trace: the place of the error is lost.",
        suggestion="Write throw without the variable.",
        needs=("throw ",),
        hint=r"throw\s+\w+\s*;",
        match={
            "pattern": "throw $ERROR;",
            "inside": {
                "kind": "catch_clause",
                "stopBy": {
                    "any": [
                        {"kind": "catch_clause"},
                        {"kind": "lambda_expression"},
                        {"kind": "anonymous_method_expression"},
                        {"kind": "local_function_statement"},
                        {"kind": "finally_clause"},
                    ]
                },
                "has": {"kind": "catch_declaration", "has": {"field": "name", "pattern": "$ERROR"}},
                "not": {
                    "has": {
                        "kind": "assignment_expression",
                        "has": {"field": "left", "pattern": "$ERROR"},
                        "stopBy": "end",
                    }
                },
            },
        },
        fix="throw;",
        bad=(
            """
            try { Save(); }
            catch (Exception error)
            {
                Log(error);
                throw error;  <--
            }
            """,
        ),
        good=(
            "try { Save(); } catch (Exception error) { Log(error); throw; }",
            "try { Save(); } catch (A a) { try { Undo(); } catch (B b) { throw a; } }",
            "try { Save(); } catch (Exception error) { Later(() => { throw error; }); }",
            "try { Save(); } catch (Exception error) { try { Undo(); } finally { throw error; } }",
            "try { Save(); } catch (Exception error) { error = Wrap(error); throw error; }",
        ),
    ),
    Rule(
        id="csharp-async-void",
        languages=("csharp",),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Nobody can wait for it, and what it throws ends the process.",
        suggestion="Return Task.",
        needs=("async void",),
        match={
            "kind": "method_declaration",
            "all": [
                {"regex": r"\basync\s+void\b"},
                {"not": {"has": {"field": "parameters", "regex": r"EventArgs|object\??\s+sender"}}},
                {"not": {"regex": r"\boverride\b"}},
            ],
        },
        where="product",
        bad=("class A { async void Load() { await Task.Delay(1); } }",),
        good=("class A { async Task Load() { } async void Click(object sender, EventArgs e) { } }",),
    ),
    Rule(
        id="csharp-lock-on-shared",
        languages=("csharp",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Other code can lock the same object, and both wait for each other.",
        suggestion="Lock on a private readonly object.",
        needs=("lock (", "lock("),
        hint=r"lock\s*\(\s*(this|typeof|\")",
        match={"kind": "lock_statement", "regex": r"^lock\s*\(\s*(this|typeof\(\w+\)|\"[^\"]*\")\s*\)"},
        where="product",
        bad=("class A { void F() { lock (this) { count++; } } }",),
        good=("class A { void F() { lock (gate) { count++; } } }",),
    ),
    Rule(
        id="csharp-compare-same",
        languages=("csharp",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=("==", " < ", " > ", "<=", ">="),
        hint=r"(?<![\w.\]])([\w.]+)\s*(==|<|>|<=|>=)\s*\1(?![\w.\[(])",
        match=repeated("$VALUE == $VALUE", "$VALUE <= $VALUE", "$VALUE >= $VALUE"),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "member_access_expression"}]}},
        where="product",
        bad=("if (first.Size == first.Size) Merge();",),
        good=("if (first.Size == second.Size) Merge();",),
    ),
    Rule(
        id="csharp-disabled-test",
        languages=("csharp",),
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=("[Ignore", "Skip"),
        match={
            "kind": "attribute",
            "regex": r"^Ignore(\(\s*(\"\")?\s*\))?$|^(Fact|Theory)\(\s*Skip\s*=\s*\"\s*\"\s*\)$",
        },
        where="tests",
        bad=(
            """
            class SumTests {
                [Ignore]  <--
                [Test]
                public void Adds() { }
            }
            """,
        ),
        good=('class SumTests { [Fact(Skip = "needs a printer")] public void Adds() { } }',),
    ),
    Rule(
        id="csharp-assert-constant",
        languages=("csharp",),
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("Assert.True(true", "Assert.IsTrue(true", "Assert.False(false"),
        match={
            "kind": "invocation_expression",
            "regex": r"^Assert\.(True|IsTrue)\(\s*true\b|^Assert\.(False|IsFalse)\(\s*false\b",
        },
        where="tests",
        bad=("Assert.True(true);",),
        good=("Assert.True(Total(1) == 1);",),
    ),
    Rule(
        id="csharp-not-implemented",
        languages=("csharp",),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The program throws when it gets here.",
        suggestion="Implement it, or remove the member.",
        needs=("NotImplementedException",),
        match={"kind": "object_creation_expression", "regex": r"^new\s+NotImplementedException\("},
        where="product",
        bad=("class A { void F() { throw new NotImplementedException(); } }",),
        good=("class A { void F() { throw new NotSupportedException(); } }",),
    ),
)
