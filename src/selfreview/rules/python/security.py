"""Passwords, tokens and digests that can be guessed; certificates, signatures and rights that are not checked."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, chosen, node

RULES = (
    Rule(
        id="python-weak-password-hash",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use argon2, bcrypt, or hashlib.scrypt with a salt for each password.",
        needs=("md5", "sha1", "sha256", "sha512"),
        hint=r"(?i)(md5|sha\d+)\((?s:.){0,500}(password|passwd|passphrase)",
        match=node(
            "call",
            {"not": {"has": {"field": "arguments", "regex": r"(?i)password_?hash|reset|hashed"}}},
            function=r"(^|\.)(md5|sha1|sha224|sha256|sha512)$",
            arguments=r"(?i)\b\w*(password|passwd|passphrase)\w*\b",
        ),
        where="product",
        bad=("digest = hashlib.md5(password.encode()).hexdigest()", "sha256(salt + user_password)"),
        good=("hashlib.md5(content)", "hashlib.scrypt(password, salt=salt, n=2, r=8, p=1)", "hashlib.sha1(path)"),
    ),
    Rule(
        id="python-predictable-secret",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The random module can be predicted from a few of its values, and so can this secret.",
        suggestion="Use the secrets module.",
        needs=("random.",),
        match=node(
            "assignment",
            {"not": {"has": {"field": "right", "regex": r"SystemRandom"}}},
            {"not": chosen("right")},
            left=r"(?i)(^|[._])(token|secret|password|passwd|api_?key|otp|nonce|session_?id|csrf\w*|"
            r"salt|secret_key|access_token|reset_token|verification_code)$",
            right=r"\brandom\.(choices?|randint|random|sample|randrange|getrandbits)\(",
        ),
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
    Rule(
        id="python-tls-verify-off",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; for an authority of your own give its certificate's path as verify=.",
        needs=("verify",),
        hint=r"verify\s*=\s*False",
        match={
            "kind": "keyword_argument",
            "regex": r"^verify\s*=\s*False$",
            "inside": {
                "kind": "argument_list",
                "inside": {
                    "kind": "call",
                    "has": {
                        "field": "function",
                        "regex": r"(?i)(^|[._])(requests|httpx|session|client|http|sess|s)\.(get|post|put|patch|delete|"
                        r"head|options|request|stream|send)$|^(httpx\.)?(Async)?Client$",
                    },
                },
            },
        },
        fix="verify=True",
        where="product",
        bad=("requests.get(url, verify=False)", "self.session.post(url, data=data, verify=False)"),
        good=("requests.get(url, verify=True)", "jobs.get(name, verify=False)", "requests.get(url, verify='ca.pem')"),
    ),
    Rule(
        id="python-tls-context-unverified",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Certificates or host names are not checked: whoever sits between can read and change what is sent.",
        suggestion="Use ssl.create_default_context() as it is, with cafile= for an authority of your own.",
        needs=("_create_unverified_context", "CERT_NONE", "check_hostname", "verify = False", "TCPConnector("),
        match={
            "any": [
                {"pattern": "ssl._create_unverified_context"},
                {"pattern": "$CONTEXT.verify_mode = ssl.CERT_NONE"},
                {"pattern": "$CONTEXT.check_hostname = False"},
                {
                    "kind": "assignment",
                    "regex": r"(?i)^(?:[\w.]*[._])?(?:(?:session|client)(?:\(\s*\))?|sess|s)\s*\.verify\s*=\s*False$",
                },
                {
                    "kind": "keyword_argument",
                    "regex": r"^(ssl|verify_ssl)\s*=\s*False$",
                    "inside": {"inside": {"kind": "call", "has": {"field": "function", "regex": r"\bTCPConnector$"}}},
                },
                {"kind": "keyword_argument", "regex": r"^cert_reqs\s*=\s*(ssl\.CERT_NONE|['\"]CERT_NONE['\"])$"},
            ]
        },
        where="product",
        bad=(
            "context = ssl._create_unverified_context()",
            "self.session.verify = False",
            "requests.Session().verify = False",
            "connector = aiohttp.TCPConnector(limit=9, ssl=False)",
            """
            context = ssl.create_default_context()
            context.check_hostname = False  <--
            """,
            "pool = urllib3.PoolManager(cert_reqs='CERT_NONE')",
        ),
        good=(
            "context = ssl.create_default_context()",
            "if context.verify_mode == ssl.CERT_NONE: warn()",
            "pool = urllib3.PoolManager(cert_reqs='CERT_REQUIRED')",
        ),
    ),
    Rule(
        id="python-ssh-any-host-key",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="An unknown server is trusted without question, so that one in the middle is never noticed.",
        suggestion="Load known hosts and use RejectPolicy.",
        needs=("set_missing_host_key_policy",),
        match={"pattern": "$CLIENT.set_missing_host_key_policy($POLICY)"},
        constraints={"POLICY": {"regex": r"(AutoAdd|Warning)Policy"}},
        where="product",
        bad=("client.set_missing_host_key_policy(paramiko.AutoAddPolicy())",),
        good=("client.set_missing_host_key_policy(paramiko.RejectPolicy())",),
    ),
    Rule(
        id="python-jwt-unverified",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The token's signature is not checked: anybody can write one that says what they like.",
        suggestion="Verify the signature with the key and the list of algorithms that are expected.",
        needs=("jwt", "verify_signature"),
        hint=r"verify_signature|\.decode\(",
        match={
            "any": [
                node("call", function=r"(?i)jwt\w*\.decode$", arguments=r"\bverify\s*=\s*False\b|['\"]none['\"]"),
                {"kind": "pair", "regex": r"^['\"]verify_signature['\"]\s*:\s*False$"},
            ]
        },
        where="product",
        bad=(
            "claims = jwt.decode(token, verify=False)",
            "claims = jwt.decode(token, options={'verify_signature': False})",
            "claims = jwt.decode(token, key, algorithms=['none'])",
        ),
        good=("claims = jwt.decode(token, key, algorithms=['HS256'])", "options = {'verify_signature': True}"),
    ),
    Rule(
        id="python-flask-debug",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="With the debugger on, who can make the server fail can run Python on it.",
        suggestion="Leave debug out, and start the development server with flask --debug.",
        needs=("debug=True", "debug = True"),
        hint=r"\.run\w*\([^)]{0,500}debug\s*=\s*True",
        match={
            "kind": "keyword_argument",
            "regex": r"^debug\s*=\s*True$",
            "inside": {
                "kind": "argument_list",
                "inside": {
                    "kind": "call",
                    "has": {"field": "function", "regex": r"^\w*app(lication)?\.run(_server)?$"},
                },
            },
        },
        where="product",
        bad=("app.run(host='0.0.0.0', debug=True)",),
        good=("app.run()", "app.run(debug=False)", "asyncio.run(main(), debug=True)"),
    ),
    Rule(
        id="python-assert-rights",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Assertions are left out under python -O, and this check of rights with them.",
        suggestion="Raise an error instead.",
        needs=("assert",),
        hint=r"assert\b.*\.(is_|has_|can_)",
        match={
            "kind": "assert_statement",
            "regex": r"(?i)\.(is_(admin|staff|superuser|authenticated|owner)|has_perms?|has_permission|can_\w+)\b",
        },
        where="product",
        bad=("assert request.user.is_admin", "assert user.has_perm('app.edit'), 'no'"),
        good=("assert value.is_integer", "if not user.is_admin: raise PermissionError(user)"),
    ),
    Rule(
        id="python-csrf-exempt",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Another site can make a visitor's browser send this request with the visitor's rights.",
        suggestion="Keep the check, or authenticate the caller by a signature or token.",
        needs=("csrf_exempt",),
        hint=r"@.*csrf",
        match={"kind": "decorator", "regex": r"csrf_exempt|csrf\.exempt"},
        where="product",
        bad=(
            """
            @csrf_exempt  <--
            def pay(request):
                return charge(request)
            """,
        ),
        good=("from django.views.decorators.csrf import csrf_exempt",),
    ),
    Rule(
        id="python-cors-any-with-credentials",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Any site may send requests with the visitor's cookies and read the answers.",
        suggestion="List the origins that may.",
        needs=("allow_origins", "supports_credentials"),
        match={
            "kind": "argument_list",
            "any": [
                {
                    "all": [
                        {"regex": r"allow_origins\s*=\s*\[\s*['\"]\*['\"]"},
                        {"regex": r"allow_credentials\s*=\s*True"},
                    ]
                },
                {"all": [{"regex": r"origins\s*=\s*\[?['\"]\*['\"]"}, {"regex": r"supports_credentials\s*=\s*True"}]},
            ],
        },
        where="product",
        bad=("app.add_middleware(CORSMiddleware, allow_origins=['*'], allow_credentials=True)",),
        good=(
            "app.add_middleware(CORSMiddleware, allow_origins=['*'])",
            "app.add_middleware(CORSMiddleware, allow_origins=ORIGINS, allow_credentials=True)",
        ),
    ),
)
