"""C#: errors that vanish, tests that do not test, queries and commands of values, checks that are off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import BUILT, SQL, SQL_HINT, SQL_SAFE, Flow, Rule, node, repeated

LANGUAGES = ("csharp",)

RULES = (
    Rule(
        id="csharp-empty-catch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*(\([^)]{0,500}\))?\s*\{\s*\}",
        match=node(
            "catch_clause",
            {"not": {"has": {"kind": "catch_declaration", "regex": r"Cancel|Timeout|ObjectDisposed"}}},
            {"not": {"has": {"kind": "catch_filter_clause"}}},
            body=r"^\{\s*\}$",
        ),
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
    Rule(
        id="csharp-sql-injection",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Use parameters, or FromSqlInterpolated.",
        needs=("Command", "Sql", "Query", "Execute"),
        hint=SQL_HINT,
        flow=Flow(
            sink=r"^new\w*(Command|DataAdapter)$|\.(FromSqlRaw|ExecuteSqlRaw\w*|SqlQuery\w*|Query\w*|Execute\w*)(<.*>)?$|"
            r"\.CommandText=$",
            text=SQL,
            safe=rf"{SQL_SAFE}|^(int|long|Guid|Convert\.To(Int|Double)\w*)\b|nameof\(",
        ),
        where="product",
        bad=(
            'var command = new SqlCommand("SELECT * FROM users WHERE name = \'" + name + "\'", connection);',
            "command.CommandText = $\"SELECT * FROM users WHERE name = '{name}'\";",
            """
            class Store {
                void Find(string name) {
                    var sql = string.Format("SELECT * FROM users WHERE name = '{0}'", name);  <--
                    context.Users.FromSqlRaw(sql);
                }
            }
            """,
        ),
        good=(
            'var command = new SqlCommand("SELECT * FROM users WHERE name = @name", connection);',
            'context.Users.FromSqlInterpolated($"SELECT * FROM users WHERE name = {name}");',
            'command.CommandText = $"SELECT * FROM users WHERE id = {int.Parse(id)}";',
            'log.Info("SELECT * FROM users WHERE name = \'" + name + "\'");',
            """
            struct Row {
                void Dispose() { db.Query("SELECT 1"); GC.SuppressFinalize(this); Swap(ref this); db.Query(this); }
            }
            """,
        ),
    ),
    Rule(
        id="csharp-command-injection",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a & runs its own command.",
        suggestion="Start the program itself and fill ArgumentList.",
        needs=("Process", ".Arguments"),
        hint=r"\"(/c|-c|/C) ?",
        flow=Flow(
            sink=r"Process\.Start$|^newProcessStartInfo$|\.Arguments=$",
            text=r"^(/[cC]|-c)\s[^\0]*\0",
            safe=r"(?i:quote|escape)|^[A-Z][A-Z0-9_]*$|^int\.",
        ),
        where="product",
        bad=('Process.Start("cmd.exe", "/c git log " + branch);', 'info.Arguments = $"-c \\"git log {branch}\\"";'),
        good=('Process.Start("git", "log");', 'Process.Start("cmd.exe", "/c dir");'),
    ),
    Rule(
        id="csharp-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave the check on, or compare the certificate with the one that is expected.",
        needs=("ValidationCallback", "DangerousAcceptAnyServerCertificateValidator"),
        match={
            "any": [
                {
                    "kind": "assignment_expression",
                    "regex": r"(?s)Certificate(Custom)?ValidationCallback\s*(\+?=)\s*(\(?[\w\s,]*\)?\s*=>\s*"
                    r"(true|\{\s*return true;\s*\})|delegate\s*(\([^)]*\))?\s*\{\s*return true;\s*\}|"
                    r".*DangerousAcceptAnyServerCertificateValidator)$",
                }
            ]
        },
        where="product",
        bad=(
            "handler.ServerCertificateCustomValidationCallback = (a, b, c, d) => true;",
            "handler.ServerCertificateCustomValidationCallback = "
            "HttpClientHandler.DangerousAcceptAnyServerCertificateValidator;",
            "ServicePointManager.ServerCertificateValidationCallback += (s, c, h, e) => true;",
        ),
        good=("handler.ServerCertificateCustomValidationCallback = (a, cert, c, d) => Known(cert);",),
    ),
    Rule(
        id="csharp-binary-formatter",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Reading this format runs code of any type, as the sender chooses.",
        suggestion="Use System.Text.Json, or another format that holds data only.",
        needs=("BinaryFormatter", "NetDataContractSerializer", "LosFormatter", "SoapFormatter", "TypeNameHandling"),
        match={
            "any": [
                {
                    "kind": "object_creation_expression",
                    "regex": r"^new\s+(BinaryFormatter|NetDataContractSerializer|LosFormatter|SoapFormatter)\(",
                },
                {
                    "kind": "assignment_expression",
                    "regex": r"TypeNameHandling\s*=\s*TypeNameHandling\.(All|Auto|Objects)$",
                },
            ]
        },
        where="product",
        bad=(
            "var state = new BinaryFormatter().Deserialize(stream);",
            "settings.TypeNameHandling = TypeNameHandling.All;",
        ),
        good=("var state = JsonSerializer.Deserialize<State>(stream);",),
    ),
    Rule(
        id="csharp-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use PasswordHasher, or Rfc2898DeriveBytes with a salt for each password.",
        needs=("MD5", "SHA1", "SHA256"),
        hint=r"(?i)(HashData|ComputeHash)\((?s:.){0,500}passw",
        match=node(
            "invocation_expression",
            function=r"(?i)(md5|sha1|sha256|sha512)\w*(\.Create\(\s*\))?\.(HashData|ComputeHash)$",
            arguments=r"(?i)passw(or)?d",
        ),
        where="product",
        bad=("var digest = MD5.HashData(Encoding.UTF8.GetBytes(password));",),
        good=("var digest = SHA256.HashData(content);",),
    ),
    Rule(
        id="csharp-raw-html",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Markup put together from values is declared safe: a value that holds a tag runs script in the page.",
        suggestion="Let the page encode the values.",
        needs=("Html.Raw(", "HtmlString("),
        flow=Flow(
            sink=r"^Html\.Raw$|^new(Mvc)?HtmlString$",
            text=BUILT,
            safe=r"(?i:encode|escape|sanitiz|json)|^[A-Z][A-Z0-9_]*$",
        ),
        where="product",
        bad=('return new HtmlString("<b>" + name + "</b>");',),
        good=('return new HtmlString("<b>new</b>");', 'return new HtmlString("<b>" + Html.Encode(name) + "</b>");'),
    ),
)
