"""Values that become part of a query or a command, and checks that are off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import BUILT, SQL, SQL_HINT, SQL_SAFE

RULES = (
    Rule(
        id="csharp-sql-injection",
        languages=("csharp",),
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
        languages=("csharp",),
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
        languages=("csharp",),
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
        languages=("csharp",),
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
        languages=("csharp",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use PasswordHasher, or Rfc2898DeriveBytes with a salt for each password.",
        needs=("MD5", "SHA1", "SHA256"),
        hint=r"(?i)(HashData|ComputeHash)\((?s:.){0,500}passw",
        match={
            "kind": "invocation_expression",
            "all": [
                {
                    "has": {
                        "field": "function",
                        "regex": r"(?i)(md5|sha1|sha256|sha512)\w*(\.Create\(\s*\))?\.(HashData|ComputeHash)$",
                    }
                },
                {"has": {"field": "arguments", "regex": r"(?i)passw(or)?d"}},
            ],
        },
        where="product",
        bad=("var digest = MD5.HashData(Encoding.UTF8.GetBytes(password));",),
        good=("var digest = SHA256.HashData(content);",),
    ),
    Rule(
        id="csharp-raw-html",
        languages=("csharp",),
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
