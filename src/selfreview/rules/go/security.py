"""Checks that are off, and secrets that can be guessed."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import call, chosen

RULES = (
    Rule(
        id="go-tls-verify-off",
        languages=("go",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; set RootCAs for an authority of your own.",
        needs=("InsecureSkipVerify",),
        match={
            "any": [
                {"kind": "keyed_element", "regex": r"^InsecureSkipVerify:\s*true$"},
                {"kind": "assignment_statement", "regex": r"\.InsecureSkipVerify\s*=\s*true$"},
            ]
        },
        where="product",
        bad=("config := &tls.Config{InsecureSkipVerify: true}", "config.InsecureSkipVerify = true"),
        good=("config := &tls.Config{InsecureSkipVerify: false}", "config.InsecureSkipVerify = options.Insecure"),
    ),
    Rule(
        id="go-ssh-any-host-key",
        languages=("go",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="An unknown server is trusted without question, so that one in the middle is never noticed.",
        suggestion="Use knownhosts.New or ssh.FixedHostKey.",
        needs=("InsecureIgnoreHostKey",),
        match=call(r"^ssh\.InsecureIgnoreHostKey$"),
        where="product",
        bad=("config.HostKeyCallback = ssh.InsecureIgnoreHostKey()",),
        good=("config.HostKeyCallback = ssh.FixedHostKey(key)",),
    ),
    Rule(
        id="go-jwt-unverified",
        languages=("go",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The token's signature is not checked: anybody can write one that says what they like.",
        suggestion="Use Parse with a key function that checks the algorithm.",
        needs=("ParseUnverified", "UnsafeAllowNoneSignatureType"),
        match={
            "any": [
                call(r"\.ParseUnverified$"),
                {"kind": "selector_expression", "regex": r"\.UnsafeAllowNoneSignatureType$"},
            ]
        },
        where="product",
        bad=("token, _, err := parser.ParseUnverified(text, claims)", "key := jwt.UnsafeAllowNoneSignatureType"),
        good=("token, err := parser.Parse(text, keyFunc)",),
    ),
    Rule(
        id="go-weak-password-hash",
        languages=("go",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use argon2, bcrypt or scrypt with a salt for each password.",
        needs=("md5.", "sha1.", "sha256.", "sha512."),
        hint=r"(?i)(md5|sha\d+)\.Sum\w*\((?s:.){0,500}passw",
        match=call(r"^(md5|sha1|sha256|sha512)\.Sum\w*$", {"regex": r"(?i)passw(or)?d"}),
        where="product",
        bad=("digest := md5.Sum([]byte(password))",),
        good=("digest := sha256.Sum256(content)", "digest, err := bcrypt.GenerateFromPassword([]byte(password), 12)"),
    ),
    Rule(
        id="go-predictable-secret",
        languages=("go",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="math/rand can be predicted, and so can this secret.",
        suggestion="Use crypto/rand.",
        needs=("math/rand",),
        match={
            "kind": "short_var_declaration",
            "all": [
                {"has": {"field": "left", "regex": r"(?i)(token|secret|password|otp|nonce|salt|apikey|sessionid)$"}},
                {"has": {"field": "right", "regex": r"\brand\.(Int|Read|Perm|Uint|Float)"}},
                {"not": chosen("right")},
            ],
        },
        where="product",
        bad=(
            """
            import "math/rand"
            func f() {
                token := rand.Int63()  <--
                use(token)
            }
            """,
        ),
        good=(
            """
            import "crypto/rand"
            func f() {
                token := rand.Int(rand.Reader, limit)
                use(token)
            }
            """,
            """
            import "math/rand"
            func f(tokens []string) {
                token := tokens[rand.Intn(len(tokens))]
                use(token)
            }
            """,
        ),
    ),
    Rule(
        id="go-world-writable",
        languages=("go",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Every user of the machine may change this file.",
        suggestion="Give only the rights that are needed, such as 0o755 or 0o600.",
        needs=("0777", "0o777", "0666", "0o666"),
        match={
            "kind": "call_expression",
            "all": [
                {"has": {"field": "function", "regex": r"^(os|ioutil)\.(WriteFile|Chmod)$"}},
                {"has": {"field": "arguments", "has": {"kind": "int_literal", "regex": r"^0o?(777|666)$"}}},
            ],
        },
        where="product",
        bad=("os.Chmod(path, 0777)", "os.WriteFile(path, data, 0o666)"),
        good=("os.WriteFile(path, data, 0o644)", "os.MkdirAll(path, 0o777)"),
    ),
)
