"""Certificates, tokens and passwords."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.javascript._shapes import JS
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import call, chosen

RULES = (
    Rule(
        id="javascript-tls-verify-off",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; pass the certificate of an authority of your own as ca.",
        needs=("rejectUnauthorized", "NODE_TLS_REJECT_UNAUTHORIZED", "strictSSL"),
        match={
            "any": [
                {"kind": "pair", "regex": r"^['\"]?(rejectUnauthorized|strictSSL)['\"]?\s*:\s*(false|!1)$"},
                {
                    "kind": "assignment_expression",
                    "regex": r"NODE_TLS_REJECT_UNAUTHORIZED['\"\]]*\s*=\s*['\"]?0"
                    r"|\.rejectUnauthorized\s*=\s*(false|!1)$",
                },
            ]
        },
        where="product",
        bad=(
            "const agent = new https.Agent({ rejectUnauthorized: false });",
            "const agent = new https.Agent({ rejectUnauthorized: !1 });",
            "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';",
        ),
        good=(
            "const agent = new https.Agent({ rejectUnauthorized: true });",
            "const off = process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0';",
        ),
    ),
    Rule(
        id="javascript-jwt-unverified",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The token's signature is not checked: anybody can write one that says what they like.",
        suggestion="Verify with the key and the list of algorithms that are expected.",
        needs=("none", "ignoreExpiration"),
        hint=r"algorithms?['\"]?\s*:\s*\[?\s*['\"]none|ignoreExpiration\s*:\s*true",
        match={
            "kind": "pair",
            "regex": r"^['\"]?algorithms?['\"]?\s*:\s*\[?\s*['\"]none['\"]|^ignoreExpiration\s*:\s*true",
        },
        where="product",
        bad=(
            "jwt.verify(token, key, { algorithms: ['none'] });",
            "jwt.verify(token, key, { ignoreExpiration: true });",
        ),
        good=("jwt.verify(token, key, { algorithms: ['HS256'] });", "style({ display: 'none' });"),
    ),
    Rule(
        id="javascript-predictable-secret",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Math.random can be predicted from a few of its values, and so can this secret.",
        suggestion="Use crypto.randomBytes, crypto.randomUUID or crypto.getRandomValues.",
        needs=("Math.random",),
        match={
            "any": [
                {
                    "kind": "variable_declarator",
                    "all": [
                        {
                            "has": {
                                "field": "name",
                                "regex": r"(?i)(token|secret|password|passwd|otp|nonce|csrf|salt|api_?key|sessionid)$",
                            }
                        },
                        {"has": {"field": "value", "regex": r"Math\.random\(\s*\)"}},
                        {"not": chosen("value")},
                    ],
                },
                {
                    "kind": "assignment_expression",
                    "all": [
                        {
                            "has": {
                                "field": "left",
                                "regex": r"(?i)(token|secret|password|passwd|otp|nonce|csrf|salt|api_?key|sessionid)$",
                            }
                        },
                        {"has": {"field": "right", "regex": r"Math\.random\(\s*\)"}},
                        {"not": chosen("right")},
                    ],
                },
            ]
        },
        where="product",
        bad=("const token = Math.random().toString(36);", "user.resetToken = String(Math.random());"),
        good=(
            "const token = crypto.randomUUID();",
            "const index = Math.floor(Math.random() * 6);",
            "const token = tokens[Math.floor(Math.random() * tokens.length)];",
            "token = this.tokens[Math.floor(Math.random() * n)];",
        ),
    ),
    Rule(
        id="javascript-weak-password-hash",
        languages=JS,
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use argon2, bcrypt or crypto.scrypt with a salt for each password.",
        needs=("createHash(", "md5(", "sha1("),
        hint=r"(?i)(createHash|md5|sha1)\((?s:.){0,500}passw",
        match={
            "any": [
                call(r"createHash\(\s*['\"](md5|sha1|sha256|sha512)['\"]\s*\)\.update$", {"regex": r"(?i)passw(or)?d"}),
                call(r"^(md5|sha1|sha256)$", {"regex": r"(?i)passw(or)?d"}),
            ]
        },
        where="product",
        bad=("const digest = crypto.createHash('md5').update(password).digest('hex');", "save(md5(user.password));"),
        good=(
            "const digest = crypto.createHash('sha256').update(content).digest('hex');",
            "bcrypt.hash(password, 12);",
        ),
    ),
    Rule(
        id="javascript-cors-any-with-credentials",
        languages=JS,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Any site may send requests with the visitor's cookies and read the answers.",
        suggestion="List the origins that may.",
        needs=("cors(",),
        match=call(
            r"^cors$",
            {
                "kind": "object",
                "all": [
                    {"regex": r"\borigin\s*:\s*(true|['\"]\*['\"])"},
                    {"regex": r"\bcredentials\s*:\s*true"},
                ],
            },
        ),
        where="product",
        bad=("app.use(cors({ origin: true, credentials: true }));",),
        good=("app.use(cors());", "app.use(cors({ origin: ORIGINS, credentials: true }));"),
    ),
)
