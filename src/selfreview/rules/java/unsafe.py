"""Calls that trust what they are given, and checks that are off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import chosen

RULES = (
    Rule(
        id="java-native-deserialisation",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Reading serialised objects runs code of any class on the path, as the sender chooses.",
        suggestion="Exchange JSON or another format that holds data only, or set an ObjectInputFilter.",
        needs=("ObjectInputStream(", "XMLDecoder("),
        match={
            "kind": "method_invocation",
            "all": [
                {"regex": r"^new\s+(ObjectInputStream|XMLDecoder)\("},
                {"has": {"field": "name", "regex": r"^readObject$"}},
            ],
        },
        where="product",
        bad=("Object state = new ObjectInputStream(request.getInputStream()).readObject();",),
        good=("State state = mapper.readValue(stream, State.class);", "Object o = input.readObject();"),
    ),
    Rule(
        id="java-trust-all",
        languages=("java",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate or host name is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave the checks on; load the certificate of an authority of your own into a trust store.",
        needs=("checkServerTrusted", "ostnameVerifier", "ALLOW_ALL_HOSTNAME", "TrustAllStrategy"),
        match={
            "any": [
                {
                    "kind": "method_declaration",
                    "all": [
                        {"has": {"field": "name", "regex": "^checkServerTrusted$"}},
                        {"has": {"field": "body", "regex": r"^\{\s*(//[^\n]*\s*)*\}$"}},
                    ],
                },
                {
                    "kind": "method_invocation",
                    "all": [
                        {"has": {"field": "name", "regex": r"^(set\w*)?(hostnameVerifier|HostnameVerifier)$"}},
                        {"has": {"field": "arguments", "regex": r"->\s*(true|\{\s*return true;\s*\})\s*\)$"}},
                    ],
                },
                {
                    "kind": "field_access",
                    "regex": r"(NoopHostnameVerifier|TrustAllStrategy)\.INSTANCE$|\.ALLOW_ALL_HOSTNAME_VERIFIER$",
                },
            ]
        },
        where="product",
        bad=(
            "class T { public void checkServerTrusted(X509Certificate[] chain, String type) {} }",
            "connection.setHostnameVerifier((name, session) -> true);",
            "builder.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);",
        ),
        good=(
            "class T { void checkServerTrusted(Certificate[] c, String t) { inner.checkServerTrusted(c, t); } }",
            "connection.setHostnameVerifier(verifier);",
        ),
    ),
    Rule(
        id="java-csrf-off",
        languages=("java",),
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Another site can make a visitor's browser send requests with the visitor's rights.",
        suggestion="Leave the protection on unless every caller authenticates by a token.",
        needs=("csrf",),
        hint=r"csrf\((?s:.){0,500}disable",
        match={
            "kind": "method_invocation",
            "regex": r"csrf\(\s*\)\s*\.disable\(\s*\)$|"
            r"csrf\(\s*(\w+\s*->\s*\w+\.disable\(\s*\)|AbstractHttpConfigurer::disable)\s*\)$",
        },
        where="product",
        bad=("http.csrf().disable();", "http.csrf(AbstractHttpConfigurer::disable);"),
        good=("http.csrf(withDefaults());",),
    ),
    Rule(
        id="java-weak-password-hash",
        languages=("java",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use Argon2, bcrypt or PBKDF2 with a salt for each password.",
        needs=("md5", "sha1", "sha256", "Md5PasswordEncoder", "NoOpPasswordEncoder", "StandardPasswordEncoder"),
        match={
            "any": [
                {
                    "kind": "method_invocation",
                    "all": [
                        {"has": {"field": "name", "regex": r"(?i)^(md5|sha1|sha256|sha512)(hex)?$"}},
                        {"has": {"field": "arguments", "regex": r"(?i)passw(or)?d"}},
                    ],
                },
                {"kind": "object_creation_expression", "regex": r"^new\s+(Md5|NoOp|Standard)PasswordEncoder\("},
                {"kind": "method_invocation", "regex": r"^NoOpPasswordEncoder\.getInstance\("},
            ]
        },
        where="product",
        bad=("String digest = DigestUtils.md5Hex(password);", "PasswordEncoder e = NoOpPasswordEncoder.getInstance();"),
        good=("String digest = DigestUtils.sha256Hex(content);", "PasswordEncoder e = new BCryptPasswordEncoder();"),
    ),
    Rule(
        id="java-predictable-secret",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Random can be predicted from a few of its values, and so can this secret.",
        suggestion="Use SecureRandom.",
        needs=("Random", "Math.random"),
        hint=r"(?i)(token|secret|passw|otp|nonce|csrf|salt|apikey|sessionid)\w*\s*=(?s:.){0,500}(Random\w*\(|Math\.random|nextInt)",
        match={
            "kind": "variable_declarator",
            "all": [
                {
                    "has": {
                        "field": "name",
                        "regex": r"(?i)(token|secret|password|otp|nonce|csrf|salt|apikey|sessionid)$",
                    }
                },
                {"has": {"field": "value", "regex": r"(?i)\bnew\s+Random\(|Math\.random\(|RandomStringUtils\.random"}},
                {"not": chosen("value")},
            ],
        },
        where="product",
        bad=("String token = Long.toHexString(new Random().nextLong());", "int otp = (int) (Math.random() * 1000000);"),
        good=(
            "String token = hex(new SecureRandom());",
            "int dice = new Random().nextInt(6);",
            "String token = tokens.get(new Random().nextInt(tokens.size()));",
        ),
    ),
    Rule(
        id="java-xml-entities",
        languages=("java",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="The parser follows external entities: a document can read files and reach the network.",
        suggestion="Leave disallow-doctype-decl on and external entities off.",
        needs=("general-entities", "disallow-doctype", "SECURE_PROCESSING", "SUPPORT_DTD", "ENTITIES"),
        match={
            "kind": "method_invocation",
            "regex": r"(?s)\.set(Feature|Property)\(.*(general-entities\"|SUPPORT_DTD|\w+ENTITIES)\s*,\s*true\s*\)$|"
            r"\.setFeature\(.*(disallow-doctype-decl\"|FEATURE_SECURE_PROCESSING)\s*,\s*false\s*\)$",
        },
        where="product",
        bad=('factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", false);',),
        good=('factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);',),
    ),
)
