"""Checks that are off, errors that vanish, and what is left over."""

from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import chosen, in_condition

_FUNCTION = {
    "any": [
        {"kind": kind} for kind in ("function_definition", "method_declaration", "anonymous_function", "arrow_function")
    ]
}


def _called(names: str) -> dict[str, Any]:
    """Return a rule for a statement that consists of a call of one of some functions."""
    return {
        "has": {"kind": "function_call_expression", "has": {"field": "function", "regex": rf"^\\?({names})$"}},
    }


_BEHIND_A_BUFFER = {
    "follows": {
        "any": [{"kind": "expression_statement"}, {"kind": "if_statement"}],
        "has": {**_called("ob_start")["has"], "stopBy": "end"},
        "stopBy": "end",
    }
}
"""Statements behind ``ob_start``, whose output goes to the program itself, and not to a visitor."""

RULES = (
    Rule(
        id="php-tls-verify-off",
        languages=("php",),
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
        languages=("php",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use password_hash and password_verify.",
        needs=("md5(", "sha1(", "hash("),
        hint=r"(?i)(md5|sha1|hash)\((?s:.){0,500}passw",
        match={
            "kind": "function_call_expression",
            "all": [
                {"has": {"field": "function", "regex": r"^\\?(md5|sha1|hash)$"}},
                {"has": {"field": "arguments", "regex": r"(?i)passw(or)?d"}},
            ],
        },
        where="product",
        bad=("$digest = md5($password);", "$digest = hash('sha256', $user->password);"),
        good=("$digest = md5($content);", "$digest = password_hash($password, PASSWORD_DEFAULT);"),
    ),
    Rule(
        id="php-predictable-secret",
        languages=("php",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="These values can be predicted, and so can this secret.",
        suggestion="Use random_bytes or random_int.",
        needs=("rand(", "uniqid(", "time("),
        hint=r"(?i)\$\w*(token|secret|passw|otp|nonce|salt|api_?key)\w*\s*=(?s:.){0,500}(rand|uniqid)\(",
        match={
            "kind": "assignment_expression",
            "all": [
                {"has": {"field": "left", "regex": r"(?i)(token|secret|password|otp|nonce|salt|api_?key)$"}},
                {"has": {"field": "right", "regex": r"\b(mt_rand|rand|uniqid|str_shuffle)\("}},
                {"not": chosen("right")},
            ],
        },
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
        languages=("php",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="== turns digests such as 0e1234 into numbers, so that different ones are equal.",
        suggestion="Use hash_equals.",
        needs=("md5(", "sha1(", "hash("),
        hint=r"[!=]=",
        match={
            "kind": "binary_expression",
            "all": [
                {"has": {"field": "operator", "regex": "^[!=]=$"}},
                {"has": {"kind": "function_call_expression", "regex": r"^\\?(md5|sha1|hash|hash_hmac)\("}},
            ],
        },
        where="product",
        bad=("if (md5($body) == $digest) accept();",),
        good=("if (hash_equals($digest, md5($body))) accept();", "if (md5($a) === md5($b)) same();"),
    ),
    Rule(
        id="php-extract-request",
        languages=("php",),
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
        languages=("php",),
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The exception is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*\([^)]{0,500}\)\s*\{\s*\}",
        match={
            "kind": "catch_clause",
            "all": [
                {"has": {"field": "body", "regex": r"^\{\s*\}$"}},
                {"not": {"regex": r"\$(ignore|unused|expected)\w*"}},
            ],
        },
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
        languages=("php",),
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
        languages=("php",),
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
        languages=("php",),
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
        languages=("php",),
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
)
