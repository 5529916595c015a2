"""Passwords, tokens and digests that can be guessed."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import chosen

RULES = (
    Rule(
        id="python-weak-password-hash",
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use argon2, bcrypt, or hashlib.scrypt with a salt for each password.",
        needs=("md5", "sha1", "sha256", "sha512"),
        hint=r"(?i)(md5|sha\d+)\((?s:.){0,500}(password|passwd|passphrase)",
        match={
            "kind": "call",
            "all": [
                {"has": {"field": "function", "regex": r"(^|\.)(md5|sha1|sha224|sha256|sha512)$"}},
                {"has": {"field": "arguments", "regex": r"(?i)\b\w*(password|passwd|passphrase)\w*\b"}},
                {"not": {"has": {"field": "arguments", "regex": r"(?i)password_?hash|reset|hashed"}}},
            ],
        },
        where="product",
        bad=("digest = hashlib.md5(password.encode()).hexdigest()", "sha256(salt + user_password)"),
        good=("hashlib.md5(content)", "hashlib.scrypt(password, salt=salt, n=2, r=8, p=1)", "hashlib.sha1(path)"),
    ),
    Rule(
        id="python-predictable-secret",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The random module can be predicted from a few of its values, and so can this secret.",
        suggestion="Use the secrets module.",
        needs=("random.",),
        match={
            "kind": "assignment",
            "all": [
                {
                    "has": {
                        "field": "left",
                        "regex": r"(?i)(^|[._])(token|secret|password|passwd|api_?key|otp|nonce|session_?id|csrf\w*|"
                        r"salt|secret_key|access_token|reset_token|verification_code)$",
                    }
                },
                {
                    "has": {
                        "field": "right",
                        "regex": r"\brandom\.(choices?|randint|random|sample|randrange|getrandbits)\(",
                    }
                },
                {"not": {"has": {"field": "right", "regex": r"SystemRandom"}}},
                {"not": chosen("right")},
            ],
        },
        where="product",
        bad=(
            "token = ''.join(random.choice(LETTERS) for _ in range(32))",
            "self.reset_token = random.randint(0, 10**6)",
            "token = ''.join(random.choices(tokens, k=8))",
            "salt = random.choice(salts) + str(random.random())",
            "token = random.choice(LETTERS)",
        ),
        good=(
            "token = secrets.token_urlsafe()",
            "token = random.SystemRandom().choice(LETTERS)",
            "word = random.choice(words)",
            "tokens = random.sample(tokens, 3)",
            "token = random.choice(tokens)",
            "token = random.choices(list(self.doc['tokens']), weights=weights)[0]",
            "password = passwords[random.randrange(len(passwords))]",
        ),
    ),
    Rule(
        id="python-digest-compared",
        languages=("python",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="== stops at the first difference: by timing, the right signature can be found byte after byte.",
        suggestion="Use hmac.compare_digest.",
        needs=("hmac", "signature"),
        hint=r"[!=]=",
        match={
            "kind": "comparison_operator",
            "all": [
                {"regex": r"[!=]="},
                {"not": {"regex": r"inspect|getsource"}},
                {
                    "any": [
                        {"has": {"kind": "call", "regex": r"^hmac\.(new|digest)\("}},
                        {
                            "all": [
                                {"has": {"nthChild": 1, "regex": r"(?i)(signature|hmac|digest)(\.hexdigest\(\s*\))?$"}},
                                {
                                    "has": {
                                        "nthChild": {"position": 1, "reverse": True},
                                        "regex": r"(?i)(signature|hmac|digest)(\.hexdigest\(\s*\))?$",
                                    }
                                },
                                {"regex": r"(?i)hmac|signature"},
                            ]
                        },
                    ]
                },
            ],
        },
        where="product",
        bad=(
            "if signature == expected_signature: accept()",
            "valid = hmac.new(key, body, sha256).hexdigest() == header",
        ),
        good=(
            "valid = hmac.compare_digest(signature, expected)",
            "if digest == expected_digest: return",
            "if signature == '': return",
            "if inspect.signature == signature: return",
        ),
    ),
)
