"""Values that become part of a query, a command, a page or code."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import BUILT, SQL, SQL_HINT, SQL_SAFE

SOURCE = (
    r"\$_(GET|POST|REQUEST|COOKIE|FILES|SERVER\[['\"](QUERY_STRING|HTTP_|PHP_SELF|REQUEST_URI))|"
    r"\$request->(input|get|query|post)\("
)
NUMBER = r"^\(?(int|integer|float)\)|^\(\s*(int|float)\s*\)|^(intval|floatval|count|strlen|abs|round)\("
CHECKED = r"(?i:valid|allowed|whitelist|in_array|basename|realpath|preg_match|array_key_exists|ctype_)"

RULES = (
    Rule(
        id="php-sql-injection",
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A value is written into the text of a query: one that holds a quote changes what the query does.",
        suggestion="Use a prepared statement with placeholders.",
        needs=("query", "exec", "prepare", "DB::", "execute", "get_results", "Raw("),
        hint=SQL_HINT,
        flow=Flow(
            sink=r"(?i)(\w*query\w*|\w*exec\w*|prepare|(::|->)(select|insert|update|delete|statement|raw|\w+Raw|unprepared)|get_\w+)$",
            text=SQL,
            safe=rf"{SQL_SAFE}|{NUMBER}|wpdb->|prefix|table|^implode\(",
        ),
        where="product",
        bad=(
            "$rows = $db->query(\"SELECT * FROM users WHERE name = '$name'\");",
            """
            function find($db, $name) {
                $sql = "SELECT * FROM users WHERE name = '" . $name . "'";  <--
                return mysqli_query($db, $sql);
            }
            """,
        ),
        good=(
            '$s = $db->prepare("SELECT * FROM users WHERE name = ?");',
            '$rows = $db->query("SELECT * FROM users WHERE id = " . (int) $id);',
            '$rows = $wpdb->get_results("SELECT * FROM {$wpdb->users} WHERE active = 1");',
            "error_log(\"SELECT * FROM users WHERE name = '$name'\");",
        ),
    ),
    Rule(
        id="php-shell-injection",
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A shell runs a command line put together from values: one that holds a ; runs its own command.",
        suggestion="Quote each value with escapeshellarg, or use proc_open with a list.",
        needs=("exec(", "system(", "passthru(", "popen(", "proc_open("),
        flow=Flow(
            sink=r"^\\?(exec|shell_exec|system|passthru|popen|proc_open)$",
            text=BUILT,
            argument=0,
            safe=rf"(?i:escapeshell|escape|quote)|{NUMBER}|^[A-Z][A-Z0-9_]*$|^__DIR__$|^PHP_BINARY$|^\\?tempnam\(",
        ),
        where="product",
        bad=(
            'system("git log $branch");',
            """
            function remove($folder) {
                $command = "rm -rf " . $folder;  <--
                shell_exec($command);
            }
            """,
        ),
        good=(
            'system("git log");',
            'system("git log " . escapeshellarg($branch));',
            "$pdo->exec($sql);",
            "function f() { $script = tempnam(sys_get_temp_dir(), '') . '.bat'; exec('\"' . $script . '\"'); }",
        ),
    ),
    Rule(
        id="php-page-from-request",
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A page holds a value of the request as it came: one that holds a tag runs script in the browser.",
        suggestion="Pass it through htmlspecialchars.",
        needs=("$_GET", "$_POST", "$_REQUEST", "$_COOKIE", "$_SERVER"),
        flow=Flow(
            sink=r"^(echo|print)$",
            text=r"\0",
            source=SOURCE,
            safe=rf"(?i:htmlspecialchars|htmlentities|escape|esc_|strip_tags|urlencode|json_encode|sanitize|filter_)|{NUMBER}",
            unless=r"text/plain|application/json|json_encode",
        ),
        where="product",
        bad=(
            'echo "<h1>Hello " . $_GET["name"] . "</h1>";',
            '<?php f(); ?>\n<h1>Hello <?= $_GET["name"] ?></h1>  <--',
            """
            function hello() {
                $name = $_GET["name"];
                echo "<h1>$name</h1>";  <--
            }
            """,
        ),
        good=(
            'echo "<h1>" . htmlspecialchars($_GET["name"]) . "</h1>";',
            "echo count($_GET);",
            'echo "<h1>$title</h1>";',
        ),
    ),
    Rule(
        id="php-include-from-request",
        languages=("php",),
        severity=Severity.CRITICAL,
        category=Category.SECURITY,
        message="The request chooses which file is run.",
        suggestion="Look the name up in a list of the files that may be included.",
        needs=("include", "require"),
        hint=SOURCE,
        flow=Flow(
            sink=r"^(include|require)(_once)?$",
            text=r"\0",
            source=SOURCE,
            safe=rf"basename|{NUMBER}",
            unless=CHECKED,
        ),
        where="product",
        bad=('include $_GET["page"] . ".php";', 'require_once("pages/" . $_REQUEST["page"]);'),
        good=('include "pages/" . $page . ".php";', 'include "header.php";'),
    ),
    Rule(
        id="php-path-from-request",
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A path is taken from the request: it reaches any file of the server, or an address.",
        suggestion="Look names up in a list of what may be read, or use basename.",
        needs=("$_GET", "$_POST", "$_REQUEST", "$_COOKIE", "$request->"),
        flow=Flow(
            sink=r"^\\?(file_get_contents|readfile|fopen|file|unlink|file_put_contents|copy|rename|rmdir|scandir)$",
            text=r"\0",
            argument=0,
            source=r"\$_(GET|POST|REQUEST|COOKIE)\b|\$request->(input|get|query|post)\(",
            safe=rf"basename|{NUMBER}|\$_FILES",
            unless=CHECKED,
        ),
        where="product",
        bad=('readfile($_GET["name"]);', '$data = file_get_contents("files/" . $_GET["name"]);'),
        good=('readfile("files/" . basename($_GET["name"]));', "readfile($name);"),
    ),
    Rule(
        id="php-code-from-values",
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as PHP: who controls any part of it controls the server.",
        suggestion="Use a table of functions, or a parser for the values.",
        needs=("eval(", "create_function(", "assert("),
        match={
            "kind": "function_call_expression",
            "all": [
                {"has": {"field": "function", "regex": r"^\\?(eval|create_function)$"}},
                {
                    "has": {
                        "field": "arguments",
                        "has": {"kind": "argument", "has": {"kind": "variable_name", "stopBy": "end"}},
                    }
                },
            ],
        },
        where="product",
        bad=("eval($code);", 'eval("return $expression;");'),
        good=('eval("return 1;");', "$script->eval($code);"),
    ),
    Rule(
        id="php-unserialize-request",
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="unserialize builds objects of any class that the sender names, which can run code.",
        suggestion="Use json_decode, or pass ['allowed_classes' => false].",
        needs=("unserialize(",),
        flow=Flow(
            sink=r"^\\?unserialize$",
            text=r"\0",
            argument=0,
            source=rf"{SOURCE}|base64_decode|php://input",
            unless=r"hash_equals|hash_hmac|wp_hash|verify",
            when=r"(?s)^((?!allowed_classes).)*\Z",
        ),
        where="product",
        bad=('$state = unserialize($_COOKIE["state"]);', "$state = unserialize(base64_decode($text));"),
        good=('$state = json_decode($_COOKIE["state"]);', "$state = unserialize(serialize($value));"),
    ),
    Rule(
        id="php-redirect-from-request",
        languages=("php",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="A link to this site can send visitors to any other, which looks like this one.",
        suggestion="Redirect to paths of this site only, or to a list of known addresses.",
        needs=("Location:", "location:"),
        hint=r"\$_(GET|POST|REQUEST)",
        flow=Flow(
            sink=r"^\\?header$",
            text=r"(?i)^location:\s*\0",
            argument=0,
            source=r"\$_(GET|POST|REQUEST)\b",
            unless=CHECKED,
        ),
        where="product",
        bad=('header("Location: " . $_GET["to"]);',),
        good=('header("Location: /home?from=" . $_GET["to"]);', 'header("Location: /home");'),
    ),
)
