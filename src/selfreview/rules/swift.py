"""Swift: checks, errors and leftovers."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

LANGUAGES = ("swift",)

RULES = (
    Rule(
        id="swift-empty-catch",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The error is dropped here without a trace.",
        suggestion="Handle or log it, or say in a comment why nothing has to be done.",
        needs=("catch",),
        hint=r"catch\s*\{\s*\}",
        match={"kind": "catch_block", "regex": r"^catch\s*\{\s*\}$"},
        where="product",
        bad=("func f() { do { try save() } catch {\n} }",),
        good=(
            "func f() { do { try save() } catch { log(error) } }",
            "func f() { do { try save() } catch { /* the cache is only a help */ } }",
        ),
    ),
    Rule(
        id="swift-not-implemented",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="The program ends when it gets here.",
        suggestion="Implement it, or throw an error.",
        needs=("fatalError(",),
        match={
            "kind": "call_expression",
            "regex": r"(?i)^fatalError\(\s*\"(todo|not (yet )?implemented|unimplemented)",
        },
        where="product",
        bad=('func f() { fatalError("not implemented") }',),
        good=('func f() { fatalError("init(coder:) has not been implemented") }',),
    ),
    Rule(
        id="swift-assert-constant",
        severity=Severity.MEDIUM,
        category=Category.TESTING,
        message="The assertion holds whatever the code does.",
        suggestion="Assert what the code has to do.",
        needs=("XCTAssertTrue(true", "XCTAssert(true", "XCTAssertFalse(false"),
        match={"kind": "call_expression", "regex": r"^XCTAssert(True)?\(\s*true\b|^XCTAssertFalse\(\s*false\b"},
        where="tests",
        bad=("func testSum() { XCTAssertTrue(true) }",),
        good=("func testSum() { XCTAssertTrue(total == 1) }",),
    ),
    Rule(
        id="swift-password-in-defaults",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="UserDefaults is a plain file: backups and everybody with the device can read the secret.",
        suggestion="Keep it in the keychain.",
        needs=("UserDefaults",),
        hint=r"(?i)UserDefaults(?s:.){0,500}(passw|token|secret)",
        match={
            "kind": "call_expression",
            "regex": r"(?is)^UserDefaults\.standard\.set\(.*forKey:\s*\"[^\"]*(password|token|secret)[^\"]*\"\s*\)$",
        },
        where="product",
        bad=('func f() { UserDefaults.standard.set(password, forKey: "password") }',),
        good=('func f() { UserDefaults.standard.set(name, forKey: "name") }',),
    ),
    Rule(
        id="swift-trust-any-server",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The server's certificate is accepted unseen: whoever sits between can read and change what is sent.",
        suggestion="Call performDefaultHandling, or evaluate the trust first.",
        needs=("URLCredential(trust:",),
        match={
            "kind": "call_expression",
            "regex": r"^completionHandler\(\s*\.\s*useCredential\s*,\s*URLCredential\(\s*trust:",
            "not": {
                "inside": {
                    "kind": "function_declaration",
                    "regex": r"SecTrustEvaluate|SecCertificate|pinned|evaluate\(",
                    "stopBy": "end",
                }
            },
        },
        where="product",
        bad=(
            """
            func f(trust: SecTrust) {
                completionHandler(.useCredential, URLCredential(trust: trust))  <--
            }
            """,
        ),
        good=(
            """
            func f(trust: SecTrust) {
                if SecTrustEvaluateWithError(trust, nil) {
                    completionHandler(.useCredential, URLCredential(trust: trust))
                }
            }
            """,
        ),
    ),
)
