"""Checks of certificates, signatures and host keys that are turned off."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule

RULES = (
    Rule(
        id="python-tls-verify-off",
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; for an authority of your own give its certificate's path as verify=.",
        needs=("verify",),
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
        languages=("python",),
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="Certificates or host names are not checked: whoever sits between can read and change what is sent.",
        suggestion="Use ssl.create_default_context() as it is, with cafile= for an authority of your own.",
        needs=("_create_unverified_context", "CERT_NONE", "check_hostname"),
        match={
            "any": [
                {"pattern": "ssl._create_unverified_context"},
                {"pattern": "$CONTEXT.verify_mode = ssl.CERT_NONE"},
                {"pattern": "$CONTEXT.check_hostname = False"},
                {"kind": "keyword_argument", "regex": r"^cert_reqs\s*=\s*(ssl\.CERT_NONE|['\"]CERT_NONE['\"])$"},
            ]
        },
        where="product",
        bad=(
            "context = ssl._create_unverified_context()",
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
        languages=("python",),
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
)
