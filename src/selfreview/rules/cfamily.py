"""C and C++: memory, formats, commands, and code that does something else than it says."""

from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, call, in_condition, node, repeated

LANGUAGES = ("c", "cpp")

_CHECKS_SIZE: dict[str, Any] = {
    "kind": "if_statement",
    "has": {"field": "condition", "has": {"kind": "sizeof_expression", "stopBy": "end"}},
    "stopBy": "end",
}
"""A condition on the size of a buffer."""

RULES = (
    Rule(
        id="c-assignment-in-condition",
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
        match=node("catch_clause", body=r"^\{\s*\}$", parameters=r"\.\.\.|exception"),
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
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="rand can be predicted from a few of its values, and so can this secret.",
        suggestion="Use getrandom, arc4random or the system's cryptographic source.",
        needs=("rand()", "random()"),
        hint=r"(?i)(token|secret|passw|nonce|salt|key|session)\w*\s*(\[[^\]]*\])?\s*=(?s:.){0,500}\brand(om)?\(\s*\)",
        match={
            "any": [
                node(
                    "assignment_expression",
                    left=r"(?i)(token|secret|password|nonce|salt|session_?id)\s*(\[.*\])?$",
                    right=r"\brand(om)?\(\s*\)",
                ),
                node(
                    "init_declarator",
                    declarator=r"(?i)(token|secret|password|nonce|salt|session_?id)$",
                    value=r"\brand(om)?\(\s*\)",
                ),
            ]
        },
        where="product",
        bad=("void f(void) { token[i] = rand() % 256; }", "void f(void) { int nonce = rand(); }"),
        good=("void f(void) { int dice = rand() % 6; }",),
    ),
    Rule(
        id="c-gets",
        severity=Severity.CRITICAL,
        category=Category.SECURITY,
        message="gets writes past the end of the buffer as soon as a line is longer than it.",
        suggestion="Use fgets with the size of the buffer.",
        needs=("gets(",),
        match=call("^(std::)?gets$"),
        bad=("void f(void) { gets(line); }",),
        good=("void f(void) { fgets(line, sizeof line, stdin); }", "void f(void) { reader.gets(line); }"),
    ),
    Rule(
        id="c-format-from-variable",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is taken for a format: a % in it reads or writes memory.",
        suggestion='Pass "%s" as the format.',
        needs=("printf(", "syslog("),
        hint=r"\b(printf|fprintf|sprintf|syslog)\((\s*\w+\s*,)?\s*\w[\w.>\-\[\]]*\s*\)",
        match={
            "any": [
                node(
                    "call_expression",
                    {
                        "has": {
                            "field": "arguments",
                            "regex": r"^\(\s*[\w.\->\[\]]+\s*\)$",
                            "has": {
                                "nthChild": 1,
                                "any": [
                                    {"kind": "identifier"},
                                    {"kind": "field_expression"},
                                    {"kind": "subscript_expression"},
                                ],
                            },
                        }
                    },
                    {
                        "not": {
                            "has": {
                                "field": "arguments",
                                "regex": r"^\(\s*[A-Z][A-Z0-9_]*\s*\)$|(?i:fmt|format|usage|help|msg)",
                            }
                        }
                    },
                    function="^printf$",
                ),
                node(
                    "call_expression",
                    {
                        "has": {
                            "field": "arguments",
                            "regex": r"^\(\s*\w+\s*,\s*[a-z][\w.\->\[\]]*\s*\)$",
                            "not": {"regex": r"(?i)fmt|format|usage|help|msg"},
                        }
                    },
                    function="^(fprintf|sprintf|syslog)$",
                ),
            ]
        },
        where="product",
        bad=("void f(char *name) { printf(name); }", "void f(char *line) { fprintf(stderr, line); }"),
        good=(
            'void f(char *name) { printf("%s", name); }',
            "void f(void) { printf(USAGE); }",
            'void f(int n) { fprintf(stderr, "%d", n); }',
        ),
    ),
    Rule(
        id="c-scanf-unbounded",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="%s without a width writes past the end of the buffer as soon as a word is longer than it.",
        suggestion="Give the width: %63s for a buffer of 64.",
        needs=("scanf(",),
        hint=r"scanf\([^;]{0,500}\"[^\"]{0,500}%s",
        match=call(r"^(std::)?[fs]?scanf$")
        | {"has": {"field": "arguments", "has": {"kind": "string_literal", "regex": r"%s"}}},
        bad=('void f(void) { scanf("%s", name); }', 'void f(void) { fscanf(file, "%d %s", &n, name); }'),
        good=('void f(void) { scanf("%63s", name); }', 'void f(void) { scanf("%d", &n); }'),
    ),
    Rule(
        id="c-sprintf-text",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="sprintf writes past the end of the buffer as soon as the text is longer than expected.",
        suggestion="Use snprintf with the size of the buffer.",
        needs=("sprintf(",),
        hint=r"\bv?sprintf\([^;]{0,500}%s",
        match=call(r"^(std::)?v?sprintf$", {}, {"kind": "string_literal", "regex": r"%s"})
        | {"not": {"inside": {"kind": "function_definition", "has": _CHECKS_SIZE, "stopBy": "end"}}},
        where="product",
        bad=('void f(void) { sprintf(path, "%s/%d", folder, n); }',),
        good=(
            'void f(char *a) { if (strlen(a) > sizeof(path) - 1) { return; } sprintf(path, "%s", a); }',
            'void f(void) { snprintf(path, sizeof path, "%s", folder); }',
            'void f(void) { sprintf(out, "%d", n); }',
        ),
    ),
    Rule(
        id="c-unbounded-copy",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="The copy goes past the end of the buffer as soon as the text is longer than expected.",
        suggestion="Copy with the size of the buffer: snprintf, strlcpy or std::string.",
        needs=("strcpy(", "strcat("),
        match=call(r"^(std::)?str(cpy|cat)$", {}, {"not": {"kind": "string_literal"}}),
        where="product",
        bad=("void f(char *name) { strcpy(copy, name); }",),
        good=('void f(void) { strcpy(copy, "none"); }', "void f(void) { strlcpy(copy, name, sizeof copy); }"),
    ),
    Rule(
        id="c-memset-swapped",
        severity=Severity.HIGH,
        category=Category.LOGIC,
        message="The size is 0, so nothing is written: the value comes second, the size third.",
        suggestion="Swap the last two arguments.",
        needs=("memset(",),
        hint=r"memset\([^;]{0,500},\s*0\s*\)",
        match=call(
            r"^(std::)?memset$",
            {},
            {"not": {"kind": "number_literal", "regex": "^0$"}},
            {"kind": "number_literal", "regex": "^0$"},
        ),
        bad=("void f(void) { memset(buffer, sizeof(buffer), 0); }",),
        good=("void f(void) { memset(buffer, 0, sizeof(buffer)); }", "void f(void) { memset(buffer, 0, 0); }"),
    ),
    Rule(
        id="c-malloc-without-terminator",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="There is no room for the terminating zero: copying the text writes past the end.",
        suggestion="Allocate one more, or use strdup.",
        needs=("alloc(strlen(",),
        match={
            "any": [
                call("^malloc$", {"regex": r"^strlen\(\s*[\w.\->]+\s*\)$"}),
                call("^malloc$", {"regex": r"^strlen\(\s*\w+\s*\)\s*\*\s*sizeof\s*\(\s*char\s*\)$"}),
            ]
        },
        bad=("void f(char *t) { char *copy = malloc(strlen(t)); }",),
        good=("void f(char *t) { char *copy = malloc(strlen(t) + 1); }",),
    ),
    Rule(
        id="c-copy-bounded-by-source",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The limit is the length of what is copied, not the room there is: it limits nothing.",
        suggestion="Give the size of the target.",
        needs=("strncpy(", "strncat(", "memcpy("),
        hint=r"strn(?:cpy|cat)\(\s*\w+\s*,\s*(\w+)\s*,\s*strlen\(\s*\1",
        match=repeated("strncpy($TO, $FROM, strlen($FROM))", "strncat($TO, $FROM, strlen($FROM))"),
        bad=("void f(char *t) { strncpy(copy, t, strlen(t)); }",),
        good=("void f(char *t) { strncpy(copy, t, sizeof copy - 1); }",),
    ),
    Rule(
        id="c-realloc-same",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="When memory is short the pointer is lost and what it pointed to can never be freed.",
        suggestion="Assign to another variable and test it first.",
        needs=("realloc(",),
        match=repeated("$POINTER = realloc($POINTER, $SIZE)", "$POINTER = ($TYPE)realloc($POINTER, $SIZE)"),
        where="product",
        bad=("void f(void) { list = realloc(list, n); }",),
        good=("void f(void) { bigger = realloc(list, n); }",),
    ),
    Rule(
        id="c-predictable-temporary",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Between choosing the name and opening the file somebody else can put a link there.",
        suggestion="Use mkstemp or tmpfile.",
        needs=("mktemp(", "tmpnam(", "tempnam("),
        match=call(r"^(std::)?(mktemp|tmpnam|tempnam)$"),
        where="product",
        bad=("void f(void) { char *path = tmpnam(NULL); }",),
        good=("void f(void) { int fd = mkstemp(path); }",),
    ),
    Rule(
        id="c-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on.",
        needs=("CURLOPT_SSL_VERIFY", "SSL_VERIFY_NONE"),
        match={
            "kind": "call_expression",
            "regex": r"(?s)^curl_easy_setopt\(.*CURLOPT_SSL_VERIFY(PEER|HOST)\s*,\s*(0L?|false)\s*\)$|"
            r"^SSL(_CTX)?_set_verify\(.*SSL_VERIFY_NONE",
        },
        where="product",
        bad=(
            "void f(void) { curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 0L); }",
            "void f(void) { SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL); }",
        ),
        good=("void f(void) { curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L); }",),
    ),
)
