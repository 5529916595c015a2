"""Topics: one weakness each, by the rules of all tools that report it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from selfreview.model.issue import Issue

UNREADABLE = "nothing can read the file from here on"
GIVES_UP = frozenset(
    {
        "SC1009", "SC1046", "SC1047", "SC1049", "SC1050", "SC1051", "SC1056", "SC1057", "SC1058", "SC1061", "SC1062",
        "SC1072", "SC1073", "SC1088", "SC1089",
    }
)  # fmt: skip
"""Codes that ShellCheck reports, several at a time, at the place where it stops reading."""

_BANDIT = re.compile(r"ruff/S([0-9]{3})")


def _rules(*names: str) -> frozenset[str]:
    """Return the rules of a topic, each as ``TOOL/RULE``, with bandit's beside those that ruff has of it."""
    rules = frozenset(" ".join(names).split())
    return rules | {f"bandit/B{code[1]}" for code in map(_BANDIT.fullmatch, rules) if code is not None}


TOPICS: Mapping[str, frozenset[str]] = {
    UNREADABLE: frozenset(
        {
            "text/conflict-marker",
            "text/broken-syntax",
            "ruff/invalid-syntax",
            "rules/broken-syntax",
            *(f"shellcheck/{code}" for code in GIVES_UP),
        }
    ),
    # Python. Ruff's S001 is bandit's B001, which is not written down here.
    "a shell runs what a value says": _rules(
        "rules/python-shell-injection rules/python-subprocess-shell-injection rules/python-shell-variable",
        "rules/python-command-line-from-values rules/python-options-from-values ruff/S602 ruff/S604 ruff/S605",
        "semgrep/python.lang.security.audit.subprocess-shell-true.subprocess-shell-true",
        "semgrep/python.lang.security.audit.dangerous-subprocess-use-audit.dangerous-subprocess-use-audit",
        "semgrep/python.lang.security.audit.dangerous-system-call-audit.dangerous-system-call-audit",
    ),
    "a query is put together from values": _rules(
        "rules/python-sql-injection rules/python-sql-number-in-text ruff/S608",
        "semgrep/python.lang.security.audit.formatted-sql-query.formatted-sql-query",
        "semgrep/python.sqlalchemy.security.sqlalchemy-execute-raw-query.sqlalchemy-execute-raw-query",
        "semgrep/python.lang.security.audit.sqli.psycopg-sqli.psycopg-sqli",
        "semgrep/python.lang.security.audit.sqli.asyncpg-sqli.asyncpg-sqli",
    ),
    "any certificate is accepted": _rules(
        "rules/python-tls-verify-off ruff/S501",
        "semgrep/python.requests.security.disabled-cert-validation.disabled-cert-validation",
    ),
    "a context without verification": _rules(
        "rules/python-tls-context-unverified ruff/S323",
        "semgrep/python.lang.security.unverified-ssl-context.unverified-ssl-context",
    ),
    "any host key is accepted": _rules(
        "rules/python-ssh-any-host-key ruff/S507",
        "semgrep/python.lang.security.audit.paramiko-implicit-trust-host-key.paramiko-implicit-trust-host-key",
    ),
    "a text is run as Python": _rules(
        "rules/python-eval ruff/S307 ruff/S102 pylint/eval-used pylint/W0123 pylint/exec-used pylint/W0122",
        "semgrep/python.lang.security.audit.eval-detected.eval-detected",
        "semgrep/python.lang.security.audit.exec-detected.exec-detected",
        "semgrep/python.flask.security.injection.user-eval.eval-injection",
        "semgrep/python.flask.security.injection.user-exec.exec-injection",
    ),
    "bytes make any object": _rules(
        "rules/python-unpickle-network rules/python-unpickle-argument ruff/S301",
        "semgrep/python.lang.security.deserialization.pickle.avoid-pickle",
        "semgrep/python.django.security.audit.avoid-insecure-deserialization.avoid-insecure-deserialization",
        "semgrep/python.flask.security.insecure-deserialization.insecure-deserialization",
    ),
    "a document makes any object": _rules(
        "rules/python-yaml-load ruff/S506",
        "semgrep/python.lang.security.deserialization.avoid-pyyaml-load.avoid-pyyaml-load",
    ),
    "a text becomes a template": _rules(
        "rules/python-template-from-values",
        "semgrep/python.flask.security.audit.render-template-string.render-template-string",
        "semgrep/python.flask.security.dangerous-template-string.dangerous-template-string",
    ),
    "a temporary name that others can take": _rules(
        "rules/python-mktemp ruff/S306 semgrep/python.lang.correctness.tempfile.mktemp.tempfile-insecure",
    ),
    "a file that every user may change": _rules(
        "rules/python-world-writable ruff/S103",
        "semgrep/python.lang.security.audit.insecure-file-permissions.insecure-file-permissions",
    ),
    "an archive writes outside of the folder": _rules("rules/python-extract-unfiltered ruff/S202"),
    "a debugger that is open to all": _rules(
        "rules/python-flask-debug ruff/S201 semgrep/python.flask.security.audit.debug-enabled.debug-enabled",
    ),
    "a path is taken from the request": _rules(
        "rules/python-path-from-request",
        "semgrep/python.flask.security.injection.path-traversal-open.path-traversal-open",
    ),
    "a page holds a value of the request": _rules(
        "rules/python-html-from-request",
        "semgrep/python.flask.security.audit.directly-returned-format-string.directly-returned-format-string",
        "semgrep/python.flask.security.injection.raw-html-concat.raw-html-format",
    ),
    "markup put together from values is declared safe": _rules(
        "rules/python-mark-safe-built ruff/S308 ruff/S704 bandit/B703",
        "semgrep/python.django.security.audit.avoid-mark-safe.avoid-mark-safe",
    ),
    "a fast digest of a password": _rules(
        "rules/python-weak-password-hash ruff/S324 ruff/S303",
        "semgrep/python.lang.security.audit.md5-used-as-password.md5-used-as-password",
        "semgrep/python.lang.security.insecure-hash-algorithms-md5.insecure-hash-algorithm-md5",
        "semgrep/python.lang.security.insecure-hash-algorithms.insecure-hash-algorithm-sha1",
        "semgrep/python.lang.security.insecure-hash-function.insecure-hash-function",
    ),
    "a secret that can be predicted": _rules("rules/python-predictable-secret ruff/S311"),
    "a token's signature is not checked": _rules(
        "rules/python-jwt-unverified semgrep/python.jwt.security.unverified-jwt-decode.unverified-jwt-decode",
    ),
    "another site can send requests": _rules(
        "rules/python-csrf-exempt semgrep/python.django.security.audit.csrf-exempt.no-csrf-exempt",
    ),
    "any site reads the answers": _rules(
        "rules/python-cors-any-with-credentials semgrep/python.fastapi.security.wildcard-cors.wildcard-cors",
    ),
    "a check that is left out with assertions": _rules("rules/python-assert-rights ruff/S101"),
    "a call that blocks the event loop": _rules("rules/python-blocking-in-async ruff/ASYNC210 ruff/ASYNC251"),
    "a coroutine that never runs": _rules(
        "rules/python-coroutine-not-awaited mypy/unused-coroutine pyright/reportUnusedCoroutine",
    ),
    "a test that any error passes": _rules("rules/python-raises-anything ruff/B017 ruff/PT011"),
    "an assertion that asserts nothing": _rules("rules/python-mock-assert-not-called ruff/PGH005"),
    "a call that is left from debugging": _rules(
        "rules/python-breakpoint ruff/T100 pylint/forgotten-debug-statement pylint/W1515",
        "semgrep/python.lang.best-practice.pdb.python-debugger-found",
    ),
    "output that is left from debugging": _rules("rules/python-debug-print ruff/T201"),
    "an error is dropped without a trace": _rules(
        "rules/python-bare-except-pass rules/python-except-exception-pass ruff/S110 ruff/E722 ruff/BLE001",
        "pylint/bare-except pylint/W0702 pylint/broad-exception-caught pylint/broad-except pylint/W0718 pylint/W0703",
    ),
    "leaving a finally block drops the error": _rules(
        "rules/python-return-in-finally ruff/B012 ruff/SIM107",
        "pylint/return-in-finally pylint/W0134 pylint/lost-exception pylint/W0150",
    ),
    "an assertion of a tuple": _rules("rules/python-assert-tuple ruff/F631 pylint/assert-on-tuple pylint/W0199"),
    "a comparison with nan": _rules("rules/python-compare-nan ruff/PLW0177 pylint/nan-comparison"),
    "a value is compared with itself": _rules("rules/python-compare-same ruff/PLR0124 pylint/comparison-with-itself"),
    "an assignment to itself": _rules("rules/python-assign-same ruff/PLW0127 pylint/self-assigning-variable"),
    "an exception that is not raised": _rules(
        "rules/python-error-not-raised ruff/PLW0133 pylint/pointless-exception-statement",
    ),
    "exceptions joined with or": _rules("rules/python-except-or ruff/B030 ruff/PLW0711 pylint/binary-op-exception"),
    "a literal makes the condition true": _rules(
        "rules/python-or-literal rules/python-or-true ruff/SIM222 pylint/condition-evals-to-constant pylint/R1727",
    ),
    "keys that share one value": _rules("rules/python-shared-rows ruff/RUF024"),
    "strip takes characters, not a word": _rules("rules/python-strip-word ruff/B005"),
    "a default is made once": _rules("rules/python-default-evaluated-once ruff/B008"),
    "a list changes while it is gone through": _rules(
        "rules/python-remove-while-iterating ruff/B909 pylint/modified-iterating-list pylint/W4701",
        "semgrep/python.lang.correctness.list-modify-iterating.list-modify-while-iterate",
    ),
    "code that nothing reaches": _rules(
        "rules/python-unreachable pylint/unreachable mypy/unreachable",
        "semgrep/python.lang.maintainability.return.code-after-unconditional-return",
    ),
    # JavaScript and TypeScript.
    "a text is run as JavaScript": _rules(
        "rules/javascript-eval eslint/no-eval biome/lint/security/noGlobalEval eslint/no-new-func",
        "eslint/security/detect-eval-with-expression",
        "semgrep/javascript.browser.security.eval-detected.eval-detected",
        "semgrep/javascript.lang.security.detect-eval-with-expression.detect-eval-with-expression",
    ),
    "a timer runs a text": _rules(
        "rules/javascript-timer-text eslint/no-implied-eval eslint/@typescript-eslint/no-implied-eval",
    ),
    "a value becomes markup": _rules(
        "rules/javascript-html-from-text rules/javascript-html-from-request rules/javascript-react-raw-html",
        "eslint/no-unsanitized/property eslint/no-unsanitized/method eslint/react/no-danger",
        "biome/lint/security/noDangerouslySetInnerHtml",
        "semgrep/javascript.browser.security.insecure-document-method.insecure-document-method",
        "semgrep/javascript.browser.security.insecure-innerhtml.insecure-innerhtml",
        "semgrep/javascript.browser.security.raw-html-concat.raw-html-concat",
        "semgrep/javascript.express.security.injection.raw-html-format.raw-html-format",
        "semgrep/typescript.react.security.audit.react-dangerouslysetinnerhtml.react-dangerouslysetinnerhtml",
    ),
    "a shell runs what a value of JavaScript says": _rules(
        "rules/javascript-shell-injection eslint/security/detect-child-process",
        "semgrep/javascript.lang.security.detect-child-process.detect-child-process",
        "semgrep/javascript.lang.security.audit.spawn-shell-true.spawn-shell-true",
    ),
    "a query is put together from values of JavaScript": _rules(
        "rules/javascript-sql-injection semgrep/javascript.lang.security.audit.sqli.node-knex-sqli.node-knex-sqli",
        "semgrep/javascript.lang.security.audit.sqli.node-mssql-sqli.node-mssql-sqli",
        "semgrep/javascript.lang.security.audit.sqli.node-mysql-sqli.node-mysql-sqli",
        "semgrep/javascript.lang.security.audit.sqli.node-postgres-sqli.node-postgres-sqli",
        "semgrep/javascript.express.security.injection.tainted-sql-string.tainted-sql-string",
        "semgrep/javascript.sequelize.security.audit.sequelize-injection-express.express-sequelize-injection",
    ),
    "a path is taken from the request in JavaScript": _rules(
        "rules/javascript-path-from-request eslint/security/detect-non-literal-fs-filename",
        "semgrep/javascript.lang.security.audit.path-traversal.path-join-resolve-traversal.path-join-resolve-traversal",
    ),
    "a link leads to any site": _rules(
        "rules/javascript-open-redirect",
        "semgrep/javascript.express.security.audit.express-open-redirect.express-open-redirect",
    ),
    "any certificate is accepted by JavaScript": _rules(
        "rules/javascript-tls-verify-off",
        "semgrep/problem-based-packs.insecure-transport.js-node.bypass-tls-verification.bypass-tls-verification",
    ),
    "a token's signature is not checked by JavaScript": _rules(
        "rules/javascript-jwt-unverified semgrep/javascript.jsonwebtoken.security.jwt-none-alg.jwt-none-alg",
        "semgrep/javascript.jwt-simple.security.jwt-simple-noverify.jwt-simple-noverify",
    ),
    "a fast digest of a password in JavaScript": _rules(
        "rules/javascript-weak-password-hash",
        "semgrep/javascript.lang.security.audit.md5-used-as-password.md5-used-as-password",
    ),
    "a message goes to any window": _rules(
        "rules/javascript-post-message-anywhere",
        "semgrep/javascript.browser.security.wildcard-postmessage-configuration.wildcard-postmessage-configuration",
    ),
    "an assignment in a condition": _rules(
        "rules/javascript-assignment-in-condition eslint/no-cond-assign biome/lint/suspicious/noAssignInExpressions"
    ),
    "a comparison with NaN": _rules("rules/javascript-compare-nan eslint/use-isnan biome/lint/correctness/useIsNan"),
    "a comparison with a new object": _rules(
        "rules/javascript-compare-literal-object eslint/no-constant-binary-expression",
    ),
    "a value of JavaScript is compared with itself": _rules(
        "rules/javascript-compare-same eslint/no-self-compare biome/lint/suspicious/noSelfCompare"
    ),
    "an assignment of JavaScript to itself": _rules(
        "rules/javascript-assign-same eslint/no-self-assign biome/lint/correctness/noSelfAssign"
    ),
    "a negation of the left side of in": _rules(
        "rules/javascript-negation-before-in eslint/no-unsafe-negation biome/lint/suspicious/noUnsafeNegation"
    ),
    "a type that typeof never says": _rules(
        "rules/javascript-typeof-unknown eslint/valid-typeof biome/lint/correctness/useValidTypeof"
    ),
    "a state is changed in place": _rules("rules/javascript-state-mutated eslint/react/no-direct-mutation-state"),
    "code of JavaScript that nothing reaches": _rules(
        "rules/javascript-unreachable eslint/no-unreachable biome/lint/correctness/noUnreachable"
    ),
    "the same case twice": _rules(
        "rules/javascript-duplicate-case eslint/no-duplicate-case biome/lint/suspicious/noDuplicateCase"
    ),
    "an empty catch": _rules(
        "rules/javascript-empty-catch eslint/no-empty biome/lint/suspicious/noEmptyBlockStatements"
    ),
    "a rejection is dropped": _rules(
        "rules/javascript-empty-promise-catch eslint/no-empty-function eslint/@typescript-eslint/no-empty-function",
    ),
    "an executor that is async": _rules(
        "rules/javascript-async-executor eslint/no-async-promise-executor biome/lint/suspicious/noAsyncPromiseExecutor"
    ),
    "leaving a finally block of JavaScript": _rules(
        "rules/javascript-return-in-finally eslint/no-unsafe-finally biome/lint/correctness/noUnsafeFinally"
    ),
    "a debugger statement": _rules(
        "rules/javascript-debugger eslint/no-debugger biome/lint/suspicious/noDebugger",
        "semgrep/javascript.lang.best-practice.leftover_debugging.javascript-debugger",
    ),
    "a test that runs alone": _rules(
        "rules/javascript-focused-test eslint/jest/no-focused-tests eslint/vitest/no-focused-tests",
        "biome/lint/suspicious/noFocusedTests",
    ),
    "a test that is off": _rules(
        "rules/javascript-skipped-test eslint/jest/no-disabled-tests eslint/vitest/no-disabled-tests",
        "biome/lint/suspicious/noSkippedTests",
    ),
    "an expectation of nothing": _rules(
        "rules/javascript-expect-nothing eslint/jest/valid-expect eslint/vitest/valid-expect",
    ),
    "output on the console": _rules("rules/javascript-console-log eslint/no-console biome/lint/suspicious/noConsole"),
    "a dialog of the browser": _rules(
        "rules/javascript-alert eslint/no-alert biome/lint/suspicious/noAlert",
        "semgrep/javascript.lang.best-practice.leftover_debugging.javascript-alert",
    ),
    "the checks of TypeScript are off": _rules("rules/typescript-checks-off eslint/@typescript-eslint/ban-ts-comment"),
    # Go.
    "a query of Go is put together from values": _rules(
        "rules/go-sql-injection gosec/G201 gosec/G202 semgrep/go.lang.security.audit.sqli.gosql-sqli.gosql-sqli",
        "semgrep/go.lang.security.injection.tainted-sql-string.tainted-sql-string",
    ),
    "a shell runs what a value of Go says": _rules(
        "rules/go-shell-injection gosec/G204",
        "semgrep/go.lang.security.audit.dangerous-exec-command.dangerous-exec-command",
    ),
    "a path is taken from the request in Go": _rules("rules/go-path-from-request gosec/G304"),
    "a page of Go holds a value of the request": _rules(
        "rules/go-html-from-request",
        "semgrep/go.lang.security.audit.xss.no-fprintf-to-responsewriter.no-fprintf-to-responsewriter",
    ),
    "a text of Go is declared markup": _rules(
        "rules/go-template-html-cast gosec/G203",
        "semgrep/go.lang.security.audit.xss.template-html-does-not-escape.unsafe-template-type",
    ),
    "any certificate is accepted by Go": _rules(
        "rules/go-tls-verify-off gosec/G402",
        "semgrep/problem-based-packs.insecure-transport.go-stdlib.bypass-tls-verification.bypass-tls-verification",
    ),
    "any host key is accepted by Go": _rules(
        "rules/go-ssh-any-host-key gosec/G106",
        "semgrep/go.lang.security.audit.crypto.insecure_ssh.avoid-ssh-insecure-ignore-host-key",
    ),
    "a token's signature is not checked by Go": _rules(
        "rules/go-jwt-unverified semgrep/go.jwt-go.security.audit.jwt-parse-unverified.jwt-go-parse-unverified",
    ),
    "a fast digest of a password in Go": _rules(
        "rules/go-weak-password-hash gosec/G401",
        "semgrep/go.lang.security.audit.md5-used-as-password.md5-used-as-password",
        "semgrep/go.lang.security.audit.crypto.use_of_weak_crypto.use-of-md5",
    ),
    "a secret of Go that can be predicted": _rules(
        "rules/go-predictable-secret gosec/G404 semgrep/go.lang.security.audit.crypto.math_random.math-random-used",
    ),
    "a file of Go that every user may change": _rules(
        "rules/go-world-writable gosec/G302 gosec/G306",
        "semgrep/go.lang.correctness.permissions.file_permission.incorrect-default-permission",
    ),
    "an error of Go is dropped": _rules(
        "rules/go-error-dropped rules/go-error-silenced gosec/G104 golangci-lint/errcheck",
    ),
    "a branch for an error that is empty": _rules("rules/go-empty-error-branch staticcheck/SA9003"),
    "a value of Go is compared with itself": _rules("rules/go-compare-same staticcheck/SA4000"),
    "a goroutine adds itself": _rules("rules/go-wait-group-in-goroutine staticcheck/SA2000"),
    # C and C++.
    "an assignment in a condition of C": _rules(
        "rules/c-assignment-in-condition clang-tidy/bugprone-assignment-in-if-condition",
        "clang-tidy/bugprone-assignment-in-selection-statement clang-tidy/clang-diagnostic-parentheses",
    ),
    "an empty if": _rules(
        "rules/c-empty-if clang-tidy/bugprone-suspicious-semicolon clang-tidy/clang-diagnostic-empty-body",
    ),
    "a value of C is compared with itself": _rules("rules/c-compare-same clang-tidy/misc-redundant-expression"),
    "every exception is dropped": _rules("rules/cpp-swallow-all clang-tidy/bugprone-empty-catch"),
    "an exception is caught by value": _rules(
        "rules/cpp-catch-by-value clang-tidy/misc-throw-by-value-catch-by-reference",
        "clang-tidy/cert-err09-cpp clang-tidy/cert-err61-cpp",
    ),
    "a secret of C that can be predicted": _rules(
        "rules/c-weak-random-secret clang-tidy/cert-msc30-c clang-tidy/cert-msc50-cpp clang-tidy/misc-predictable-rand",
        "clang-tidy/clang-analyzer-security.insecureAPI.rand",
    ),
    "a format that is a variable": _rules(
        "rules/c-format-from-variable clang-tidy/clang-diagnostic-format-security",
        "clang-tidy/clang-diagnostic-format-nonliteral",
    ),
    "a copy without a bound": _rules(
        "rules/c-unbounded-copy rules/c-sprintf-text rules/c-scanf-unbounded rules/c-copy-bounded-by-source",
        "clang-tidy/clang-analyzer-security.insecureAPI.strcpy clang-tidy/bugprone-unsafe-functions",
        "clang-tidy/clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling",
        "clang-tidy/cert-msc24-c clang-tidy/cert-msc33-c",
    ),
    "the arguments of memset in the wrong order": _rules(
        "rules/c-memset-swapped clang-tidy/bugprone-suspicious-memset-usage",
    ),
    "memory is lost where realloc fails": _rules("rules/c-realloc-same clang-tidy/bugprone-suspicious-realloc-usage"),
    "a temporary name of C": _rules(
        "rules/c-predictable-temporary clang-tidy/clang-analyzer-security.insecureAPI.mktemp",
    ),
    # Ruby.
    "an error of Ruby is dropped": _rules("rules/ruby-empty-rescue rubocop/Lint/SuppressedException"),
    "exit is caught": _rules("rules/ruby-rescue-everything rubocop/Lint/RescueException"),
    "a debugger of Ruby": _rules("rules/ruby-debugger rubocop/Lint/Debugger"),
    "a test of Ruby that runs alone": _rules("rules/ruby-focused-test rubocop/RSpec/Focus"),
    "a test of Ruby that is off": _rules(
        "rules/ruby-skipped-test rubocop/RSpec/Pending rubocop/RSpec/PendingWithoutReason",
    ),
    "an assignment in a condition of Ruby": _rules(
        "rules/ruby-assignment-in-condition rubocop/Lint/LiteralAssignmentInCondition",
        "rubocop/Lint/AssignmentInCondition",
    ),
    "a text is run as Ruby": _rules(
        "rules/ruby-eval rubocop/Security/Eval semgrep/ruby.lang.security.no-eval.ruby-eval",
    ),
    "a document makes any object of Ruby": _rules(
        "rules/ruby-unsafe-load rubocop/Security/MarshalLoad rubocop/Security/YAMLLoad",
        "semgrep/ruby.lang.security.bad-deserialization.bad-deserialization",
        "semgrep/ruby.lang.security.bad-deserialization-yaml.bad-deserialization-yaml",
    ),
    "markup of Ruby is declared safe": _rules(
        "rules/ruby-markup-from-values rubocop/Rails/OutputSafety",
        "semgrep/ruby.rails.security.audit.xss.avoid-html-safe.avoid-html-safe",
        "semgrep/ruby.rails.security.audit.xss.avoid-raw.avoid-raw",
    ),
    "a shell runs what a value of Ruby says": _rules(
        "rules/ruby-shell-injection rules/ruby-backticks-from-values",
        "semgrep/ruby.lang.security.dangerous-exec.dangerous-exec",
        "semgrep/ruby.lang.security.dangerous-subshell.dangerous-subshell",
    ),
    "a query of Ruby is put together from values": _rules(
        "rules/ruby-sql-injection semgrep/ruby.rails.security.brakeman.check-sql.check-sql",
        "semgrep/ruby.rails.security.injection.tainted-sql-string.tainted-sql-string",
    ),
    "any certificate is accepted by Ruby": _rules(
        "rules/ruby-tls-verify-off semgrep/ruby.lang.security.ssl-mode-no-verify.ssl-mode-no-verify",
    ),
    "a fast digest of a password in Ruby": _rules(
        "rules/ruby-weak-password-hash semgrep/ruby.lang.security.md5-used-as-password.md5-used-as-password",
        "semgrep/ruby.lang.security.weak-hashes-md5.weak-hashes-md5",
    ),
    # Java, C#, PHP, Swift, and shells.
    "an error of Swift is dropped": _rules("rules/swift-empty-catch swiftlint/no_empty_block"),
    "a query of Java is put together from values": _rules(
        "rules/java-sql-injection semgrep/java.lang.security.audit.formatted-sql-string.formatted-sql-string",
        "semgrep/java.lang.security.audit.jdbc-sql-formatted-string.jdbc-sql-formatted-string",
    ),
    "any certificate is accepted by Java": _rules(
        "rules/java-trust-all",
        "semgrep/java.lang.security.audit.crypto.ssl.insecure-trust-manager.insecure-trust-manager",
        "semgrep/java.lang.security.audit.crypto.ssl.insecure-hostname-verifier.insecure-hostname-verifier",
    ),
    "bytes make any object of Java": _rules(
        "rules/java-native-deserialisation",
        "semgrep/java.lang.security.audit.object-deserialization.object-deserialization",
    ),
    "another site can send requests to Java": _rules(
        "rules/java-csrf-off semgrep/java.spring.security.audit.spring-csrf-disabled.spring-csrf-disabled",
    ),
    "a secret of Java that can be predicted": _rules(
        "rules/java-predictable-secret semgrep/java.lang.security.audit.crypto.weak-random.weak-random",
    ),
    "a query of C# is put together from values": _rules(
        "rules/csharp-sql-injection semgrep/csharp.lang.security.sqli.csharp-sqli.csharp-sqli",
    ),
    "bytes make any object of C#": _rules(
        "rules/csharp-binary-formatter",
        "semgrep/csharp.lang.security.insecure-deserialization.binary-formatter"
        ".insecure-binaryformatter-deserialization",
    ),
    "any certificate is accepted by PHP": _rules(
        "rules/php-tls-verify-off semgrep/php.lang.security.curl-ssl-verifypeer-off.curl-ssl-verifypeer-off",
    ),
    "a page of PHP holds a value of the request": _rules(
        "rules/php-page-from-request semgrep/php.lang.security.injection.echoed-request.echoed-request",
    ),
    "a request makes variables of PHP": _rules(
        "rules/php-extract-request semgrep/php.lang.security.deserialization.extract-user-data",
    ),
    "a request makes any object of PHP": _rules(
        "rules/php-unserialize-request semgrep/php.lang.security.unserialize-use.unserialize-use",
    ),
    "a text is run as PHP": _rules("rules/php-code-from-values semgrep/php.lang.security.eval-use.eval-use"),
    "an empty variable deletes too much": _rules("rules/bash-remove-unset shellcheck/SC2115"),
    "a loop over what ls prints": _rules("rules/bash-loop-over-ls shellcheck/SC2045"),
    "output is redirected in the wrong order": _rules("rules/bash-redirect-order shellcheck/SC2069"),
    "a test writes a file": _rules("rules/bash-test-redirects shellcheck/SC2071"),
    "a test that is always true": _rules("rules/bash-test-always-true shellcheck/SC2070"),
    # Texts of any kind.
    "text that is reordered on screen": _rules(
        "text/bidi-control bandit/B613 ruff/PLE2502 pylint/bidirectional-unicode",
        "eslint/security/detect-bidi-characters clang-tidy/misc-misleading-bidirectional",
    ),
    "a password that is written down": _rules("secrets/generic-password ruff/S105 ruff/S106 ruff/S107"),
    "a character that cannot be seen": _rules("text/invisible-character ruff/PLE2515 eslint/no-irregular-whitespace"),
}
"""Rules by what they are about; a rule belongs to one topic at most."""

_OURS = ("rules/", "text/", "secrets/")
_TOPIC_OF = {rule: topic for topic, rules in TOPICS.items() for rule in rules}
_BY_END: dict[str, set[str]] = defaultdict(set)
"""Topics by every end of a rule's id behind a dot."""
for _rule, _topic in _TOPIC_OF.items():
    for _dot in re.finditer(r"\.", _rule):
        _BY_END[_rule[_dot.end() :]].add(_topic)


def topic_of(issue: Issue) -> str | None:
    """Return the topic of an issue, where its rule is declared."""
    return _TOPIC_OF.get(f"{issue.reviewer}/{issue.rule}")


def same_as(name: str) -> list[str]:
    """Return the rules of all tools that report the same weakness as a rule, ``REVIEWER/RULE``."""
    topic = _TOPIC_OF.get(name)
    # What cannot be read is no weakness, but a state.
    return [] if topic is None or topic == UNREADABLE else sorted(TOPICS[topic] - {name})


def ours_of(name: str) -> list[str]:
    """Return the embedded rules, ``REVIEWER/RULE``, about what any tool calls ``RULE``, its end, or ``TOOL/RULE``."""
    topics = {_TOPIC_OF[each] for each in _called(name)} - {UNREADABLE}
    return sorted(each for topic in topics for each in TOPICS[topic] if each.startswith(_OURS))


def tools_of(name: str) -> list[str]:
    """Return the tools, besides the embedded ones, that have a rule which is called so, as for :func:`ours_of`."""
    return sorted({each.partition("/")[0] for each in _called(name) if not each.startswith(_OURS)})


def _called(name: str) -> Iterator[str]:
    return (each for each in _TOPIC_OF if each == name or each.endswith((f"/{name}", f".{name}")))


def subjects_of(issue: Issue) -> tuple[str, ...]:
    """Return what an issue is about: its rule, all rules of its reviewer, and its topic."""
    topic = topic_of(issue)
    return (f"{issue.reviewer}/{issue.rule}", f"{issue.reviewer}/*", *((topic,) if topic is not None else ()))


def subjects_named(name: str) -> frozenset[str]:
    """Return what a tool's rule, ``TOOL/RULE`` or ``TOOL/*``, means of what issues are about."""
    return _topics_of(name) | {name}


def _topics_of(name: str) -> frozenset[str]:
    """Return the topics that a tool's rule may be of; semgrep takes the end of an id for it."""
    tool, _, rule = name.partition("/")
    whole = {_TOPIC_OF[name]} if name in _TOPIC_OF else frozenset[str]()
    ends = _BY_END.get(rule, frozenset[str]()) if tool == "semgrep" else frozenset[str]()
    return frozenset(whole | ends) - {UNREADABLE}


def reviewers_about(name: str) -> set[str]:
    """Return the tools that report the weakness which a tool's rule is."""
    rules = (rule for topic in _topics_of(name) for rule in TOPICS[topic])
    return {rule.partition("/")[0] for rule in (name, *rules)}
