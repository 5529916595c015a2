"""Topics: one weakness each, by the rules of all tools that report it."""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.model.issue import Issue

UNREADABLE = "nothing can read the file from here on"
GIVES_UP = frozenset(
    {
        "SC1009", "SC1046", "SC1047", "SC1049", "SC1050", "SC1051", "SC1056", "SC1057", "SC1058", "SC1061", "SC1062",
        "SC1072", "SC1073", "SC1088", "SC1089",
    }
)  # fmt: skip
"""Codes that ShellCheck reports, several at a time, at the place where it stops reading."""

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
    "a shell runs what a value says": frozenset(
        {
            "rules/python-shell-injection",
            "rules/python-subprocess-shell-injection",
            "rules/python-shell-variable",
            "rules/python-command-line-from-values",
            "rules/python-options-from-values",
            "ruff/S602",
            "ruff/S604",
            "ruff/S605",
        }
    ),
    "a query is put together from values": frozenset(
        {"rules/python-sql-injection", "rules/python-sql-number-in-text", "ruff/S608"}
    ),
    "any certificate is accepted": frozenset({"rules/python-tls-verify-off", "ruff/S501"}),
    "a context without verification": frozenset({"rules/python-tls-context-unverified", "ruff/S323"}),
    "any host key is accepted": frozenset({"rules/python-ssh-any-host-key", "ruff/S507"}),
    "a text is run as Python": frozenset({"rules/python-eval", "ruff/S307", "bandit/B307", "pylint/eval-used"}),
    "a text is run as JavaScript": frozenset({"rules/javascript-eval", "eslint/no-eval"}),
    "a document makes any object": frozenset({"rules/python-yaml-load", "ruff/S506"}),
    "a temporary name that others can take": frozenset({"rules/python-mktemp", "ruff/S306"}),
    "a debugger that is open to all": frozenset({"rules/python-flask-debug", "ruff/S201"}),
    "a call that blocks the event loop": frozenset(
        {"rules/python-blocking-in-async", "ruff/ASYNC210", "ruff/ASYNC251"}
    ),
    "a test that any error passes": frozenset({"rules/python-raises-anything", "ruff/B017"}),
    "a value becomes markup": frozenset(
        {
            "rules/javascript-html-from-text",
            "rules/javascript-html-from-request",
            "rules/javascript-react-raw-html",
        }
    ),
    "an empty variable deletes too much": frozenset({"rules/bash-remove-unset", "shellcheck/SC2115"}),
    "a loop over what ls prints": frozenset({"rules/bash-loop-over-ls", "shellcheck/SC2045"}),
    "leaving a finally block drops the error": frozenset({"rules/python-return-in-finally", "ruff/B012"}),
    "an assertion of a tuple": frozenset({"rules/python-assert-tuple", "ruff/F631"}),
    "a comparison with nan": frozenset({"rules/python-compare-nan", "ruff/PLW0177"}),
    "an assignment to itself": frozenset({"rules/python-assign-same", "ruff/PLW0127"}),
    "an exception that is not raised": frozenset({"rules/python-error-not-raised", "ruff/PLW0133"}),
    "exceptions joined with or": frozenset({"rules/python-except-or", "ruff/B030", "ruff/PLW0711"}),
    "a literal makes the condition true": frozenset({"rules/python-or-literal", "rules/python-or-true", "ruff/SIM222"}),
    "keys that share one value": frozenset({"rules/python-shared-rows", "ruff/RUF024"}),
    "strip takes characters, not a word": frozenset({"rules/python-strip-word", "ruff/B005"}),
    "output is redirected in the wrong order": frozenset({"rules/bash-redirect-order", "shellcheck/SC2069"}),
}
"""Rules by what they are about; a rule belongs to one topic at most."""

_TOPIC_OF = {rule: topic for topic, rules in TOPICS.items() for rule in rules}


def topic_of(issue: Issue) -> str | None:
    """Return the topic of an issue, where its rule is declared."""
    return _TOPIC_OF.get(f"{issue.reviewer}/{issue.rule}")


def same_as(name: str) -> list[str]:
    """Return the rules of all tools that report the same weakness as a rule, ``REVIEWER/RULE``."""
    topic = _TOPIC_OF.get(name)
    # What cannot be read is no weakness, but a state.
    return [] if topic is None or topic == UNREADABLE else sorted(TOPICS[topic] - {name})


def is_same(name: str, issue: Issue) -> bool:
    """Return whether a tool's rule, ``TOOL/RULE`` or ``TOOL/*``, is the weakness that an issue reports."""
    if name in (f"{issue.reviewer}/{issue.rule}", f"{issue.reviewer}/*"):
        return True
    topic = topic_of(issue)
    return topic is not None and topic != UNREADABLE and _TOPIC_OF.get(name) == topic


def reviewers_about(name: str) -> set[str]:
    """Return the tools that report the weakness which a tool's rule is."""
    return {rule.partition("/")[0] for rule in (name, *same_as(name))}
