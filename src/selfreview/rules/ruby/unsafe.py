"""Calls that trust what they are given, and checks that are off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule
from selfreview.rules.shapes import chosen

RULES = (
    Rule(
        id="ruby-eval",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The text is run as Ruby: who controls any part of it controls this process.",
        suggestion="Use a table of operations, public_send with a checked name, or define_method.",
        needs=("eval", "send(params", "send params", "constantize"),
        hint=r"\beval[\s(]|(send|_eval)[\s(]\s*params|params(?s:.){0,500}constantize",
        match={
            "any": [
                {
                    "kind": "call",
                    "all": [
                        {"has": {"field": "method", "regex": "^eval$"}},
                        {
                            "has": {
                                "field": "arguments",
                                "has": {
                                    "nthChild": 1,
                                    "not": {"kind": "string", "not": {"has": {"kind": "interpolation"}}},
                                },
                            }
                        },
                        {"not": {"has": {"field": "receiver", "not": {"regex": "^(Kernel|binding)$"}}}},
                    ],
                },
                {
                    "kind": "call",
                    "all": [
                        {"has": {"field": "method", "regex": "^((public_)?send|(instance|class|module)_eval)$"}},
                        {"has": {"field": "arguments", "has": {"nthChild": 1, "regex": r"^params\b"}}},
                    ],
                },
                {"kind": "call", "regex": r"^params[\[.].*\.(safe_)?constantize$"},
            ]
        },
        where="product",
        bad=(
            "value = eval(text)",
            "user.send(params[:field])",
            "user.instance_eval(params[:q])",
            "params[:kind].constantize",
        ),
        good=(
            "value = eval('1 + 1')",
            "user.public_send(:name)",
            "redis.eval(script)",
            "user.instance_eval(code)",
            "'User'.constantize",
        ),
    ),
    Rule(
        id="ruby-unsafe-load",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Loading this builds any object that the sender names, which runs code.",
        suggestion="Use JSON.parse or YAML.safe_load.",
        needs=("unsafe_load", "Marshal.load", "YAML.load"),
        match={
            "any": [
                {"kind": "call", "regex": r"^(YAML|Psych)\.unsafe_load(_file)?[\s(]"},
                {
                    "kind": "call",
                    "regex": r"(?s)^(Marshal|YAML|Psych)\.load[\s(].*"
                    r"(\bparams\b|\bcookies\b|request\.|Base64\.|decode64)",
                },
            ]
        },
        where="product",
        bad=("data = YAML.unsafe_load(text)", "data = Marshal.load(Base64.decode64(cookies[:state]))"),
        good=(
            "data = YAML.safe_load(text)",
            "data = Marshal.load(Marshal.dump(value))",
            "data = YAML.load(File.read(path))",
        ),
    ),
    Rule(
        id="ruby-tls-verify-off",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; set ca_file for an authority of your own.",
        needs=("VERIFY_NONE", "verify: false", "verify_ssl: false", "ssl_verify"),
        match={
            "any": [
                {"kind": "scope_resolution", "regex": r"SSL::VERIFY_NONE$"},
                {"kind": "pair", "regex": r"^(verify_ssl|ssl_verify):\s*false$"},
                {
                    "kind": "pair",
                    "regex": r"^verify:\s*false$",
                    "inside": {
                        "kind": "argument_list",
                        "inside": {"kind": "call", "regex": r"^(HTTParty|Faraday|Excon)\b"},
                    },
                },
                {
                    "kind": "pair",
                    "regex": r"^verify:\s*false$",
                    "inside": {"kind": "hash", "inside": {"kind": "pair", "regex": r"^ssl:"}},
                },
            ]
        },
        where="product",
        bad=("http.verify_mode = OpenSSL::SSL::VERIFY_NONE", "HTTParty.get(url, verify: false)"),
        good=("http.verify_mode = OpenSSL::SSL::VERIFY_PEER", "form.check(name, verify: false)"),
    ),
    Rule(
        id="ruby-csrf-off",
        languages=("ruby",),
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Another site can make a visitor's browser send these requests with the visitor's rights.",
        suggestion="Keep the check, or authenticate the caller by a token.",
        needs=("verify_authenticity_token",),
        match={"kind": "call", "regex": r"^skip_before_(action|filter)[ (]+:verify_authenticity_token"},
        where="product",
        bad=("skip_before_action :verify_authenticity_token",),
        good=("before_action :verify_authenticity_token",),
    ),
    Rule(
        id="ruby-permit-everything",
        languages=("ruby",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Every attribute that the sender names is set, such as admin.",
        suggestion="Permit the attributes by name.",
        needs=("permit!",),
        match={"kind": "call", "regex": r"(?s)^params\b.*\.permit!$"},
        where="product",
        bad=("User.new(params.require(:user).permit!)",),
        good=("User.new(params.require(:user).permit(:name))",),
    ),
    Rule(
        id="ruby-weak-password-hash",
        languages=("ruby",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="A fast digest of a password is guessed at billions of tries a second.",
        suggestion="Use bcrypt or Argon2.",
        needs=("Digest::",),
        hint=r"(?i)digest\b(?s:.){0,500}passw",
        match={
            "kind": "call",
            "regex": r"(?is)^(OpenSSL::)?Digest::(MD5|SHA\d*)\.(hex|base64)?digest[\s(].*passw(or)?d",
        },
        where="product",
        bad=("digest = Digest::MD5.hexdigest(password)",),
        good=("digest = Digest::SHA256.hexdigest(content)", "digest = BCrypt::Password.create(password)"),
    ),
    Rule(
        id="ruby-predictable-secret",
        languages=("ruby",),
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="rand can be predicted from a few of its values, and so can this secret.",
        suggestion="Use SecureRandom.",
        needs=("rand", "sample"),
        hint=r"(?i)(token|secret|passw|otp|nonce|salt|api_?key)\w*\s*=(?s:.){0,500}\b(rand|sample|shuffle)\b",
        match={
            "kind": "assignment",
            "all": [
                {
                    "has": {
                        "field": "left",
                        "regex": r"(?i)(^|[._@])(token|secret|password|otp|nonce|salt|api_?key|\w+_token)$",
                    }
                },
                {"has": {"field": "right", "regex": r"(^|[^.\w])rand\(|\brand\b$|\.(sample|shuffle)\b"}},
                {"not": {"has": {"field": "right", "regex": r"SecureRandom"}}},
                {"not": chosen("right")},
            ],
        },
        where="product",
        bad=("token = rand(10**10).to_s", "user.reset_token = LETTERS.sample"),
        good=("token = SecureRandom.hex(16)", "dice = rand(6)", "token = @tokens.sample"),
    ),
)
