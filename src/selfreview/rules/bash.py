"""Shell scripts: what deletes, downloads or decides more than it should, and settings that stop at a failure."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Removal, Rule, node

LANGUAGES = ("bash",)

RULES = (
    Rule(
        id="bash-remove-unset",
        severity=Severity.HIGH,
        category=Category.LOGIC,
        message="When the variable is empty or unset this deletes from the root of the file system.",
        suggestion='Write "${VAR:?}/…", which stops when it is empty.',
        needs=("rm ",),
        hint=r"\brm\s(?s:.){0,500}-\w*[rR](?s:.){0,500}\$",
        match=node(
            "command",
            {"regex": r"\s-\w*[rR]"},
            {
                "has": {
                    "any": [{"kind": "concatenation"}, {"kind": "string"}],
                    "regex": r"^\"?\$(\w+|\{\w+\})\"?/(\*|\w*\"?\*?)?\"?$",
                }
            },
            name="^rm$",
        ),
        bad=('rm -rf "$FOLDER/"', "rm -rf $FOLDER/*", "rm -rf ${ROOT}/usr"),
        good=('rm -rf "${FOLDER:?}/"', 'rm -rf "$FOLDER"', "rm -rf build/*", "rm -f $FOLDER/log"),
    ),
    Rule(
        id="bash-download-and-run",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="What the server sends is run at once: a changed server, or half an answer, runs too.",
        suggestion="Download to a file, check its digest, and run it then.",
        needs=("curl", "wget"),
        hint=r"(curl|wget)\b(?s:.){0,500}\|[\s\\]*(sudo\s.*)?(ba|z|da)?sh\b|sh\s+(-c\s+)?(\"?\$\(|<\()\s*(curl|wget)",
        match={
            "any": [
                {
                    "kind": "pipeline",
                    "regex": r"^(sudo\s+)?(curl|wget)\b(?s:.)*\|[\s\\]*(sudo\s+(-\w+\s+)*)?(ba|z|da)?sh\b"
                    r"(\s+-s?\b.*|\s*-?)?$",
                },
                {"kind": "command", "regex": r"^(sudo\s+)?(ba|z)?sh\s+(-c\s+)?\"?(\$\(|<\()\s*(curl|wget)\b"},
            ]
        },
        bad=("curl -fsSL https://example.org/install | sh", "wget -qO- https://example.org/install | sudo bash"),
        good=("curl -fsSL https://example.org/data | jq .", "curl -o install.sh https://example.org/install"),
    ),
    Rule(
        id="bash-eval",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="The text is run as a script once more: a ; or $( in the value runs its own command.",
        suggestion='Use an array and "${array[@]}", or a case statement.',
        needs=("eval ",),
        hint=r"\beval\s(?s:.){0,500}\$",
        match=node(
            "command",
            {
                "has": {
                    "any": [
                        {"kind": "simple_expansion"},
                        {"kind": "expansion"},
                        {"kind": "string", "has": {"any": [{"kind": "simple_expansion"}, {"kind": "expansion"}]}},
                    ]
                }
            },
            {"not": {"regex": r"ssh-agent|dircolors|\benv\b|\$\(|\$\{?[A-Z]+_(ENV|INIT)"}},
            name=r"^\\?eval$",
        ),
        bad=('eval "$command"', "eval $1", r'\eval "$1"'),
        good=('eval "$(ssh-agent -s)"', "eval 'echo hello'", '"${command[@]}"'),
    ),
    Rule(
        id="bash-world-writable",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Every user of the machine may change these files.",
        suggestion="Give only the rights that are needed, such as 755 or u+w.",
        needs=("chmod ",),
        hint=r"chmod\s(?s:.){0,500}(777|666|[ao]\+[rx]*w)",
        match=node("command", {"regex": r"\s(0?[0246]?(777|666)|a\+[rx]*w[rx]*|o\+[rx]*w[rx]*)(\s|$)"}, name="^chmod$"),
        bad=("chmod -R 777 /srv/data", "chmod a+rwx build"),
        good=("chmod 755 run.sh", "chmod +x run.sh", "chmod 1777 /tmp/shared"),
    ),
    Rule(
        id="bash-tls-verify-off",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="Any certificate is accepted: whoever sits between can read and change what is sent.",
        suggestion="Leave verification on; pass --cacert for an authority of your own.",
        needs=("curl", "wget", "http.sslVerify", "GIT_SSL_NO_VERIFY", "strict-ssl"),
        hint=r"--insecure|-\w*k|no-check-certificate|sslVerify[ =]false|GIT_SSL_NO_VERIFY|strict-ssl[ =]false",
        match={
            "any": [
                node(
                    "command",
                    {"has": {"kind": "word", "regex": r"^(--insecure|-[a-zA-Z]*k[a-zA-Z]*)$"}},
                    {"not": {"regex": r"localhost|127\.0\.0\.1"}},
                    name="^curl$",
                ),
                {
                    "kind": "command",
                    "regex": r"^wget\s(?s:.)*--no-check-certificate|^git\s(?s:.)*http\.sslVerify[= ]\"?false|"
                    r"^npm\s.*strict-ssl[= ]false",
                },
                {"kind": "variable_assignment", "regex": r"^GIT_SSL_NO_VERIFY=(1|true)$"},
            ]
        },
        bad=(
            "curl -k https://example.org/",
            "wget --no-check-certificate https://example.org/",
            "GIT_SSL_NO_VERIFY=1 git pull",
        ),
        good=(
            "curl -L https://example.org/",
            "curl --key k.pem https://example.org/",
            "curl -k https://localhost:8443/",
        ),
    ),
    Rule(
        id="bash-any-host-key",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="An unknown server is trusted without question, so that one in the middle is never noticed.",
        suggestion="Put the server's key into known_hosts, or use accept-new.",
        needs=("StrictHostKeyChecking",),
        match={
            "any": [{"kind": "word"}, {"kind": "string"}, {"kind": "raw_string"}],
            "regex": r"^['\"]?(-o)?StrictHostKeyChecking[= ]no['\"]?$",
        },
        bad=("ssh -o StrictHostKeyChecking=no example.org",),
        good=("ssh -o StrictHostKeyChecking=accept-new example.org",),
    ),
    Rule(
        id="bash-test-redirects",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="In [ ] this is a redirection: it writes a file, and the test is about the first value alone.",
        suggestion="Use -gt or -lt for numbers, [[ ]] for texts.",
        needs=("[ ",),
        hint=r"\[\s[^\[\]]{0,500}\s[<>]\s",
        match={
            "kind": "test_command",
            "all": [{"regex": r"^\[\s"}, {"has": {"kind": "binary_expression", "has": {"regex": "^[<>]$"}}}],
        },
        bad=('if [ "$count" > 3 ]; then go; fi',),
        good=(
            'if [ "$count" -gt 3 ]; then go; fi',
            'if [[ "$name" > "m" ]]; then go; fi',
            'if [ "$a" \\> "$b" ]; then go; fi',
        ),
    ),
    Rule(
        id="bash-test-always-true",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Without quotes an empty value leaves `[ -n ]`, which is true.",
        suggestion="Quote the variable.",
        needs=("-n $",),
        hint=r"\[\s[\s\\]*-n[\s\\]+\$",
        match={
            "kind": "test_command",
            "all": [
                {"regex": r"^\[\s"},
                {
                    "has": {
                        "kind": "unary_expression",
                        "all": [
                            {"has": {"kind": "test_operator", "regex": "^-n$"}},
                            {"has": {"any": [{"kind": "simple_expansion"}, {"kind": "expansion"}]}},
                        ],
                    }
                },
            ],
        },
        bad=("if [ -n $name ]; then go; fi",),
        good=('if [ -n "$name" ]; then go; fi', "if [[ -n $name ]]; then go; fi"),
    ),
    Rule(
        id="bash-redirect-order",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Errors go to where the output went before: redirections are done from left to right.",
        suggestion="Write >file 2>&1.",
        needs=("2>&1",),
        hint=r"2>&1\s+>",
        match={
            "kind": "redirected_statement",
            "regex": r"2>&1\s+>[\s\\]*[^&|\s]+$",
            "not": {"inside": {"any": [{"kind": "pipeline"}, {"kind": "command_substitution"}]}},
        },
        bad=("make 2>&1 > build.log",),
        good=("make > build.log 2>&1", "make 2>&1 > build.log | grep error"),
    ),
    Rule(
        id="bash-predictable-temporary",
        severity=Severity.LOW,
        category=Category.SECURITY,
        message="Somebody else can put a link at this name before the script writes to it.",
        suggestion="Use mktemp.",
        needs=("tmp/",),
        hint=r">[\s\\]*['\"]?/tmp/[\w.-]*\$",
        match={"kind": "file_redirect", "regex": r"^>+\s*['\"]?/tmp/[\w.\-]*(\$\$|\$\{?RANDOM)"},
        bad=("echo hello > /tmp/build.$$",),
        good=('echo hello > "$(mktemp)"', "echo hello > /tmp/build.log"),
    ),
    Rule(
        id="bash-loop-over-ls",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="Names with spaces fall apart into several.",
        suggestion="Loop over a pattern: for file in *.txt.",
        needs=("$(ls", "`ls"),
        match={"kind": "for_statement", "has": {"kind": "command_substitution", "regex": r"^(\$\(|`)\s*ls\b"}},
        bad=('for file in $(ls *.txt); do cat "$file"; done',),
        good=('for file in *.txt; do cat "$file"; done',),
    ),
    Rule(
        id="bash-strict-mode-removed",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="The script no longer stops where a command fails: what follows runs all the same.",
        suggestion="Keep the line, or handle each failure.",
        needs=(),
        coded=True,
        bad=(
            Removal(
                "bash",
                """
                #!/bin/bash
                set -euo pipefail  <--
                cd "$1"
                make
                """,
                """
                #!/bin/bash
                cd "$1"
                make
                """,
            ),
            Removal(
                "bash",
                """
                #!/bin/bash
                set -o errexit  <--
                make
                """,
                """
                #!/bin/bash
                set -u
                make
                """,
            ),
        ),
        good=(
            Removal(
                "bash",
                """
                #!/bin/bash
                set -euo pipefail
                make
                """,
                """
                #!/bin/bash
                set -o errexit -o nounset
                set -o pipefail
                make
                """,
            ),
            Removal(
                "bash",
                """
                #!/bin/bash
                set -e
                make
                """,
                """
                #!/bin/bash -e
                make
                """,
            ),
            Removal(
                "bash",
                """
                set -e
                make
                """,
                """
                . ./common.sh
                make
                """,
            ),
        ),
    ),
)
