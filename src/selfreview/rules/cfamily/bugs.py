"""Code that does something else than it says."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import in_condition, repeated

C = ("c", "cpp")

RULES = (
    Rule(
        id="c-assignment-in-condition",
        languages=C,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A constant is assigned, not compared: the condition always has the same outcome.",
        suggestion="Compare with ==.",
        needs=("if (", "if("),
        hint=r"\bif\s*\(\s*[\w.\->]+\s*=[^=]",
        match={
            "kind": "assignment_expression",
            "inside": in_condition(),
            "all": [
                {"has": {"field": "operator", "regex": "^=$"}},
                {
                    "has": {
                        "field": "right",
                        "any": [
                            {"kind": "number_literal"},
                            {"kind": "true"},
                            {"kind": "false"},
                            {"kind": "null"},
                            {"kind": "char_literal"},
                        ],
                    }
                },
            ],
        },
        bad=("void f(int a) { if (a = 0) stop(); }",),
        good=("void f(int a) { if (a == 0) stop(); }", "void f(void) { if (p = next()) use(p); }"),
    ),
    Rule(
        id="c-empty-if",
        languages=C,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The semicolon ends the if: what follows always runs.",
        suggestion="Remove the semicolon.",
        needs=("if (", "if("),
        hint=r"\bif\s*\([^{};]{0,500}\)\s*;",
        match={
            "kind": "if_statement",
            "all": [
                {"has": {"field": "consequence", "kind": "expression_statement", "regex": "^;$"}},
                {"not": {"has": {"field": "alternative", "regex": "."}}},
            ],
        },
        bad=("void f(int a) { if (a > 0); stop(); }",),
        good=("void f(int a) { if (a > 0) stop(); }", "void f(int a) { if (a) ; else stop(); }"),
    ),
    Rule(
        id="c-compare-same",
        languages=C,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A value is compared with itself, so the outcome never changes.",
        suggestion="Compare with what was meant.",
        needs=(" == ", " <= ", " >= "),
        hint=r"(?<![\w.\]>])([\w.\->]+)\s*(==|<=|>=)\s*\1(?![\w.\[(\-])",
        match=repeated("$VALUE == $VALUE", "$VALUE <= $VALUE", "$VALUE >= $VALUE"),
        constraints={"VALUE": {"any": [{"kind": "identifier"}, {"kind": "field_expression"}]}},
        where="product",
        bad=("int f(void) { return a->size == a->size; }",),
        good=("int f(void) { return a->size == b->size; }", "int f(double x) { return x != x; }"),
    ),
    Rule(
        id="c-feof-loop",
        languages=C,
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="feof is true only after a read has failed: the last round works on the data of the one before.",
        suggestion="Loop on the outcome of the read.",
        needs=("feof(",),
        match={"kind": "while_statement", "has": {"field": "condition", "regex": r"^\(\s*!\s*feof\(\s*\w+\s*\)\s*\)$"}},
        bad=("void f(void) { while (!feof(file)) { fgets(line, 9, file); } }",),
        good=("void f(void) { while (fgets(line, 9, file)) { } }",),
    ),
    Rule(
        id="cpp-swallow-all",
        languages=("cpp",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every exception is dropped here without a trace.",
        suggestion="Catch what is expected, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*\(\s*(\.\.\.|[\w:&\s]*exception[\w:&\s]*)\s*\)\s*\{\s*\}",
        match={
            "kind": "catch_clause",
            "all": [
                {"has": {"field": "body", "regex": r"^\{\s*\}$"}},
                {"has": {"field": "parameters", "regex": r"\.\.\.|exception"}},
            ],
        },
        where="product",
        bad=(
            "void f() { try { save(); } catch (...) {\n} }",
            "void f() { try { save(); } catch (std::exception& e) {} }",
        ),
        good=(
            "void f() { try { save(); } catch (...) { rollback(); throw; } }",
            "void f() { try { save(); } catch (...) { /* destructors must not throw */ } }",
        ),
    ),
    Rule(
        id="cpp-catch-by-value",
        languages=("cpp",),
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Only the part of the base class is copied: what the real exception says is lost.",
        suggestion="Catch by const reference.",
        needs=("catch",),
        hint=r"catch\s*\(\s*(const\s+)?std::\w+\s+\w+\s*\)",
        match={
            "kind": "catch_clause",
            "has": {"field": "parameters", "regex": r"^\(\s*(const\s+)?std::\w+\s+\w+\s*\)$"},
        },
        where="product",
        bad=("void f() { try { save(); } catch (std::runtime_error e) { log(e); } }",),
        good=("void f() { try { save(); } catch (const std::runtime_error& e) { log(e); } }",),
    ),
    Rule(
        id="c-weak-random-secret",
        languages=C,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="rand can be predicted from a few of its values, and so can this secret.",
        suggestion="Use getrandom, arc4random or the system's cryptographic source.",
        needs=("rand()", "random()"),
        hint=r"(?i)(token|secret|passw|nonce|salt|key|session)\w*\s*(\[[^\]]*\])?\s*=(?s:.){0,500}\brand(om)?\(\s*\)",
        match={
            "any": [
                {
                    "kind": "assignment_expression",
                    "all": [
                        {
                            "has": {
                                "field": "left",
                                "regex": r"(?i)(token|secret|password|nonce|salt|session_?id)\s*(\[.*\])?$",
                            }
                        },
                        {"has": {"field": "right", "regex": r"\brand(om)?\(\s*\)"}},
                    ],
                },
                {
                    "kind": "init_declarator",
                    "all": [
                        {
                            "has": {
                                "field": "declarator",
                                "regex": r"(?i)(token|secret|password|nonce|salt|session_?id)$",
                            }
                        },
                        {"has": {"field": "value", "regex": r"\brand(om)?\(\s*\)"}},
                    ],
                },
            ]
        },
        where="product",
        bad=("void f(void) { token[i] = rand() % 256; }", "void f(void) { int nonce = rand(); }"),
        good=("void f(void) { int dice = rand() % 6; }",),
    ),
)
