"""Kotlin: queries, checks and errors."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import SQL, SQL_HINT, SQL_SAFE, Flow, Rule

LANGUAGES = ("kotlin",)

RULES = (
    Rule(
        id="kotlin-sql-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Pass values as arguments, with placeholders in the query.",
        needs=("rawQuery", "execSQL", "execute", "Query", "query"),
        hint=SQL_HINT,
        flow=Flow(
            sink=r"(^|\.)(rawQuery|execSQL|execute\w*|create\w*Query|prepareStatement|query\w*|SimpleSQLiteQuery|exec)$",
            text=SQL,
            safe=rf"{SQL_SAFE}|\.(toInt|toLong|size|ordinal)\b",
        ),
        where="product",
        bad=(
            "db.rawQuery(\"SELECT * FROM users WHERE name = '$name'\", null)",
            """
            fun find(name: String) {
                val sql = "SELECT * FROM users WHERE name = '" + name + "'"  <--
                statement.executeQuery(sql)
            }
            """,
        ),
        good=(
            'db.rawQuery("SELECT * FROM users WHERE name = ?", arrayOf(name))',
            "log.info(\"SELECT * FROM users WHERE name = '$name'\")",
        ),
    ),
    Rule(
        id="kotlin-trust-all",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate or host name is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave the checks on; load the certificate of an authority of your own into a trust store.",
        needs=("checkServerTrusted", "ostnameVerifier"),
        match={
            "any": [
                {
                    "kind": "function_declaration",
                    "all": [
                        {"regex": r"fun\s+checkServerTrusted\s*\("},
                        {"has": {"kind": "function_body", "regex": r"^(\{\s*\}|=\s*Unit)$"}},
                    ],
                },
                {
                    "kind": "call_expression",
                    "regex": r"ostnameVerifier\s*(\(\s*)?\{\s*_?\w*\s*,\s*_?\w*\s*->\s*true\s*\}\s*\)?$",
                },
            ]
        },
        where="product",
        bad=(
            "class T { override fun checkServerTrusted(c: Array<X509Certificate>, t: String) {} }",
            "builder.hostnameVerifier { _, _ -> true }",
        ),
        good=("builder.hostnameVerifier { name, session -> inner.verify(name, session) }",),
    ),
    Rule(
        id="kotlin-empty-catch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*\([^)]{0,500}\)\s*\{\s*\}",
        match={
            "kind": "catch_block",
            "regex": r"\)\s*\{\s*\}$",
            "not": {"regex": r"^catch\s*\(\s*(_|ignored?|expected)\b|NumberFormatException"},
        },
        where="product",
        bad=("fun f() { try { save() } catch (e: Exception) {\n} }",),
        good=(
            "fun f() { try { save() } catch (e: Exception) { log(e) } }",
            "fun f() { try { save() } catch (_: IOException) {} }",
        ),
    ),
    Rule(
        id="kotlin-swallowed-cancellation",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="runCatching also catches the cancellation of the coroutine, which then goes on.",
        suggestion="Catch what is expected, or rethrow CancellationException.",
        needs=("runCatching",),
        match={
            "kind": "call_expression",
            "regex": r"^runCatching\s*\{",
            "inside": {"kind": "function_declaration", "regex": r"^(\w+\s+)*suspend\s", "stopBy": "end"},
        },
        where="product",
        bad=("suspend fun f() { runCatching { load() } }",),
        good=("fun f() { runCatching { load() } }",),
    ),
    Rule(
        id="kotlin-not-implemented",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The program throws when it gets here.",
        suggestion="Implement it, or remove the member.",
        needs=("TODO(",),
        match={"kind": "call_expression", "regex": r"^TODO\("},
        where="product",
        bad=('fun f() { TODO("write") }',),
        good=("fun f() { list.TODO }",),
    ),
    Rule(
        id="kotlin-disabled-test",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=("@Ignore", "@Disabled"),
        match={"kind": "annotation", "regex": r"^@(Ignore|Disabled)$"},
        where="tests",
        bad=("class SumTest {\n    @Ignore  <--\n    @Test\n    fun adds() {}\n}",),
        good=('class SumTest {\n    @Ignore("needs a printer")\n    @Test\n    fun adds() {}\n}',),
    ),
    Rule(
        id="kotlin-readable-by-all",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Every other app on the device can read or change this file.",
        suggestion="Use MODE_PRIVATE.",
        needs=("MODE_WORLD_",),
        match={"kind": "simple_identifier", "regex": r"^MODE_WORLD_(READABLE|WRITEABLE)$"},
        where="product",
        bad=('openFileOutput("a", MODE_WORLD_READABLE)',),
        good=('openFileOutput("a", MODE_PRIVATE)',),
    ),
)
