"""PHP: checks that are off, errors that vanish, injection into queries, commands, pages and code."""

from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import BUILT, SQL, SQL_HINT, SQL_SAFE, Flow, Rule, chosen, in_condition, node

_FUNCTION = {
    "any": [
        {"kind": kind} for kind in ("function_definition", "method_declaration", "anonymous_function", "arrow_function")
    ]
}


def _called(names: str) -> dict[str, Any]:
    """Return a rule for a statement that consists of a call of one of some functions."""
    return {"has": {"kind": "function_call_expression", "has": {"field": "function", "regex": rf"^\\?({names})$"}}}


_BEHIND_A_BUFFER = {
    "follows": {
        "any": [{"kind": "expression_statement"}, {"kind": "if_statement"}],
        "has": {**_called("ob_start")["has"], "stopBy": "end"},
        "stopBy": "end",
    }
}
"""Statements behind ``ob_start``, whose output goes to the program itself, and not to a visitor."""

SOURCE = (
    r"\$_(GET|POST|REQUEST|COOKIE|FILES|SERVER\[['\"](QUERY_STRING|HTTP_|PHP_SELF|REQUEST_URI))|"
    r"\$request->(input|get|query|post)\("
)
NUMBER = r"^\(?(int|integer|float)\)|^\(\s*(int|float)\s*\)|^(intval|floatval|count|strlen|abs|round)\("
CHECKED = r"(?i:valid|allowed|whitelist|in_array|basename|realpath|preg_match|array_key_exists|ctype_)"

LANGUAGES = ("php",)

RULES = (
    Rule(
        id="php-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; set CURLOPT_CAINFO for an authority of your own.",
        needs=("CURLOPT_SSL_VERIFY", "verify_peer", "'verify'", '"verify"', "sslverify"),
        match={
            "any": [
                {
                    "kind": "function_call_expression",
                    "regex": r"(?is)^curl_setopt\(.*CURLOPT_SSL_VERIFY(PEER|HOST)\s*,\s*(false|0)\s*\)$",
                },
                {
                    "kind": "array_element_initializer",
                    "regex": r"(?i)^(CURLOPT_SSL_VERIFY(PEER|HOST)|['\"](verify_peer(_name)?|verify|sslverify)['\"])"
                    r"\s*=>\s*(false|0)$",
                },
            ]
        },
        where="product",
        bad=("curl_setopt($c, CURLOPT_SSL_VERIFYPEER, false);", "$client = new Client(['verify' => false]);"),
        good=("curl_setopt($c, CURLOPT_SSL_VERIFYPEER, true);", "$client = new Client(['verify' => $bundle]);"),
    ),
    Rule(
        id="php-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use password_hash and password_verify.",
        needs=("md5(", "sha1(", "hash("),
        hint=r"(?i)(md5|sha1|hash)\((?s:.){0,500}passw",
        match=node("function_call_expression", function=r"^\\?(md5|sha1|hash)$", arguments=r"(?i)passw(or)?d"),
        where="product",
        bad=("$digest = md5($password);", "$digest = hash('sha256', $user->password);"),
        good=("$digest = md5($content);", "$digest = password_hash($password, PASSWORD_DEFAULT);"),
    ),
    Rule(
        id="php-predictable-secret",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="These values can be predicted, and so can this secret.",
        suggestion="Use random_bytes or random_int.",
        needs=("rand(", "uniqid(", "time("),
        hint=r"(?i)\$\w*(token|secret|passw|otp|nonce|salt|api_?key)\w*\s*=(?s:.){0,500}(rand|uniqid)\(",
        match=node(
            "assignment_expression",
            {"not": chosen("right")},
            left=r"(?i)(token|secret|password|otp|nonce|salt|api_?key)$",
            right=r"\b(mt_rand|rand|uniqid|str_shuffle)\(",
        ),
        where="product",
        bad=("$token = md5(uniqid());", "$resetToken = mt_rand();"),
        good=(
            "$token = bin2hex(random_bytes(16));",
            "$dice = mt_rand(1, 6);",
            "$token = $tokens[mt_rand(0, count($tokens) - 1)];",
        ),
    ),
    Rule(
        id="php-digest-loosely-compared",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="== turns digests such as 0e1234 into numbers, so that different ones are equal.",
        suggestion="Use hash_equals.",
        needs=("md5(", "sha1(", "hash("),
        hint=r"[!=]=",
        match=node(
            "binary_expression",
            {"has": {"kind": "function_call_expression", "regex": r"^\\?(md5|sha1|hash|hash_hmac)\("}},
            operator="^[!=]=$",
        ),
        where="product",
        bad=("if (md5($body) == $digest) accept();",),
        good=("if (hash_equals($digest, md5($body))) accept();", "if (md5($a) === md5($b)) same();"),
    ),
    Rule(
        id="php-extract-request",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The request sets any variable of this function.",
        suggestion="Read the values that are needed by name.",
        needs=("extract(", "parse_str("),
        match={
            "kind": "function_call_expression",
            "regex": r"^\\?(extract|parse_str)\(\s*\$_(GET|POST|REQUEST|COOKIE|SERVER\['QUERY_STRING'\])\s*\)$",
        },
        where="product",
        bad=("extract($_POST);",),
        good=("extract($values);", "parse_str($_SERVER['QUERY_STRING'], $values);"),
    ),
    Rule(
        id="php-empty-catch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*\([^)]{0,500}\)\s*\{\s*\}",
        match=node("catch_clause", {"not": {"regex": r"\$(ignore|unused|expected)\w*"}}, body=r"^\{\s*\}$"),
        where="product",
        bad=("try { save(); } catch (Exception $e) {\n}",),
        good=(
            "try { save(); } catch (Exception $e) { report($e); }",
            "try { save(); } catch (Throwable $ignoredEx) { }",
            "try { save(); } catch (Exception $e) { /* the cache is only a help */ }",
        ),
    ),
    Rule(
        id="php-assignment-in-condition",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A constant is assigned, not compared: the condition always has the same outcome.",
        suggestion="Compare with ===.",
        needs=("if (", "if("),
        hint=r"if\s*\(\s*\$\w+\s*=\s*['\"\dtfn]",
        match={
            "kind": "assignment_expression",
            "inside": in_condition(),
            "has": {
                "field": "right",
                "any": [{"kind": "string"}, {"kind": "integer"}, {"kind": "boolean"}, {"kind": "null"}],
            },
        },
        bad=("if ($state = 'open') go();",),
        good=("if ($state === 'open') go();", "if ($user = find($id)) go($user);"),
    ),
    Rule(
        id="php-debug-output",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Output for finding a bug goes to every visitor, and dd ends the request.",
        suggestion="Remove the line.",
        needs=("var_dump(", "dd(", "dump(", "print_r("),
        hint=r"(?<![\w>:$])(var_dump|dd|dump)\(",
        match={
            "kind": "expression_statement",
            "any": [
                _called("dd"),
                {
                    "all": [_called("var_dump|dump")],
                    "not": {"any": [_BEHIND_A_BUFFER, {"inside": {**_BEHIND_A_BUFFER, "stopBy": _FUNCTION}}]},
                },
            ],
        },
        where="product",
        fix="",
        bad=(
            "var_dump($user);",
            "dd($user);",
            """
            class Page {
                function text() { ob_start(); render(); return ob_get_clean(); }
                function show($user) {
                    var_dump($user);  <--
                }
            }
            """,
            """
            ob_start();
            dd($user);  <--
            """,
        ),
        good=(
            "$text = print_r($user, true);",
            "$this->dump($user);",
            "function text($user) { ob_start(); var_dump($user); return rtrim(ob_get_clean()); }",
            r"function text($user) { $on = \ob_start(); try { if ($user) { dump($user); } } finally { done(); } }",
            "function text($user) { if (!ob_start()) { return ''; } var_dump($user); return ob_get_clean(); }",
        ),
    ),
    Rule(
        id="php-skip-without-reason",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The test is off and nobody will know why, or when it may be on again.",
        suggestion="Mend the test, remove it, or give the reason.",
        needs=("markTestSkipped", "markTestIncomplete"),
        match={
            "kind": "member_call_expression",
            "regex": r"^\$this->markTest(Skipped|Incomplete)\(\s*(''|\"\")?\s*\)$",
        },
        where="tests",
        bad=("$this->markTestSkipped();",),
        good=("$this->markTestSkipped('needs a printer');",),
    ),
    Rule(
        id="php-assert-constant",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do, or use expectNotToPerformAssertions.",
        needs=("assertTrue(true", "assertFalse(false"),
        match={"kind": "member_call_expression", "regex": r"^\$this->assert(True\(\s*true|False\(\s*false)\b"},
        where="tests",
        bad=("$this->assertTrue(true);",),
        good=("$this->assertTrue($total === 1);",),
    ),
    Rule(
        id="php-sql-injection",
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
        severity=Severity.CRITICAL,
        category=Category.SECURITY,
        message="The request chooses which file is run.",
        suggestion="Look the name up in a list of the files that may be included.",
        needs=("include", "require"),
        hint=SOURCE,
        flow=Flow(
            sink=r"^(include|require)(_once)?$", text=r"\0", source=SOURCE, safe=rf"basename|{NUMBER}", unless=CHECKED
        ),
        where="product",
        bad=('include $_GET["page"] . ".php";', 'require_once("pages/" . $_REQUEST["page"]);'),
        good=('include "pages/" . $page . ".php";', 'include "header.php";'),
    ),
    Rule(
        id="php-path-from-request",
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
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as PHP: who controls any part of it controls the server.",
        suggestion="Use a table of functions, or a parser for the values.",
        needs=("eval(", "create_function(", "assert("),
        match=node(
            "function_call_expression",
            {
                "has": {
                    "field": "arguments",
                    "has": {"kind": "argument", "has": {"kind": "variable_name", "stopBy": "end"}},
                }
            },
            function=r"^\\?(eval|create_function)$",
        ),
        where="product",
        bad=("eval($code);", 'eval("return $expression;");'),
        good=('eval("return 1;");', "$script->eval($code);"),
    ),
    Rule(
        id="php-unserialize-request",
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
