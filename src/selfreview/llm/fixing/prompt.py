"""The task of a fixer as text for a model, and the report of its answers that it ends with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from selfreview.api.fixer import Document, FixContext, FixRequest
from selfreview.errors import ConfigError, ToolError
from selfreview.git.run import as_tool
from selfreview.llm.answers.schema import list_of, one_of, shortened, string
from selfreview.llm.context.prompts import FOLDER, template_environment
from selfreview.llm.transport.fences import Fences, escape
from selfreview.model.issue import Issue, Side
from selfreview.model.refinement import FixAnswer, FixOutcome
from selfreview.model.wire import display_path
from selfreview.resources import read
from selfreview.secrets.redactor import Redactor

_LONGEST = 2_000
_TAIL = 100_000
"""Characters at the end of an agent's message in which its report is looked for."""
_START = "{"
_LOCAL = re.compile(
    r"(?<![\w.:/~])(?:/(?:home|Users)/[^\s/]+/|/root/|[A-Z]:\\Users\\[^\s\\]+\\)(?:[^\s'\"`/\\]+[/\\])*(?=\w)"
)
"""Folders of somebody's machine, in front of the name of a file."""

_SHAPE = (
    '{"answers": [{"issue": "the id as given", "outcome": "addressed|false_positive|needs_person|not_addressed", '
    '"why": "what was done, or why not"}], "elsewhere": [{"path": "a file that the change does not touch", '
    '"why": "why it had to be edited"}], "notes": "new concerns, or an empty string"}'
)
"""The report as a prompt shows it."""

PROPERTIES: Mapping[str, Any] = {
    "answers": list_of(
        "One for each issue.",
        issue=string("Its id as given"),
        outcome=one_of(FixOutcome),
        why=string("What was done, or why not"),
    ),
    "elsewhere": list_of(
        "The files that you edited and that the change does not touch.",
        path=string("Path from the top of the repository"),
        why=string("Why it had to be edited"),
    ),
    "notes": string("New concerns; empty where there are none"),
}
"""The report as arguments of a tool."""


class Report(NamedTuple):
    """A report.

    Attributes:
        answers: One an issue at most; of two for the same, the last.
        notes: Plain text.
        reasons: By path, why a file was edited that the change does not touch.
        wrong: What cannot be understood, a sentence each.
    """

    answers: tuple[FixAnswer, ...] = ()
    notes: str = ""
    reasons: Mapping[str, str] = MappingProxyType({})
    wrong: tuple[str, ...] = ()


def parse_report(given: Mapping[str, Any], ids: Collection[str], safe: Callable[[str], str]) -> Report:
    """Read a report.

    Args:
        given: The arguments that the model or agent gave.
        ids: The issues that there are.
        safe: Takes secrets out of a text.
    """
    answers: dict[str, FixAnswer] = {}
    wrong: list[str] = []
    entries = given.get("answers")
    for entry in entries if isinstance(entries, list) else ():
        issue = entry.get("issue") if isinstance(entry, dict) else None
        outcome = entry.get("outcome") if isinstance(entry, dict) else None
        if issue not in ids:
            wrong.append(f"there is no issue {escape(str(issue))[:40]!r}; there are {', '.join(ids)}")
        elif outcome not in list(FixOutcome):
            wrong.append(f"{escape(str(outcome))[:40]!r} is no outcome; there are {', '.join(FixOutcome)}")
        else:
            why = _plain(entry.get("why"), safe)
            answers[str(issue)] = FixAnswer(issue=str(issue), outcome=FixOutcome(outcome), why=why)
    if not isinstance(entries, list):
        wrong.append("answers must be a list")
    return Report(tuple(answers.values()), _plain(given.get("notes"), safe), _reasons(given, safe), tuple(wrong))


def _reasons(given: Mapping[str, Any], safe: Callable[[str], str]) -> dict[str, str]:
    entries = given.get("elsewhere")
    reasons = {}
    for entry in entries if isinstance(entries, list) else ():
        path, why = (entry.get("path"), entry.get("why")) if isinstance(entry, dict) else (None, None)
        if isinstance(path, str) and isinstance(why, str) and why.strip():
            reasons[path.removeprefix("./")] = _plain(why, safe)
    return reasons


def last_report(text: str, ids: Collection[str], safe: Callable[[str], str]) -> Report | None:
    """Return the last report that a text holds, or None.

    Whatever else stands in the text, and around the report, is passed over: an agent's edits are looked at in any case.
    """
    decoder = json.JSONDecoder(strict=False)
    text = text[-_TAIL:]
    found, end = None, text.find(_START)
    while end >= 0:
        try:
            value, after = decoder.raw_decode(text, end)
        except (ValueError, RecursionError):
            after = end + 1
        else:
            if isinstance(value, dict) and isinstance(value.get("answers"), list):
                found = value
        end = text.find(_START, after)
    return None if found is None else parse_report(found, ids, safe)


def _plain(value: object, safe: Callable[[str], str]) -> str:
    text = _LOCAL.sub("", safe(value.strip())) if isinstance(value, str) else ""
    return shortened(text, _LONGEST)


FEEDBACK = "feedback"
"""Rule under which people's comments on a pull request are listed among issues; it is only a name for them."""

_OWN_NAMES = {"fixer.md.j2": f"{FOLDER}/fixer.md.j2"}
_AROUND = 8

Excerpt = Callable[[str, int, int], str]
"""Function that returns numbered lines of a file, from the first to the last given."""


class FixPrompt:
    """Prompts of one request, rendered from templates.

    Args:
        request: What is to be done.
        context: The workspace.
        redactor: Takes secrets out of everything.
        fences: The delimiters of the conversation.

    Raises:
        ConfigError: If the repository's own prompt cannot be rendered.
    """

    def __init__(self, request: FixRequest, context: FixContext, redactor: Redactor, fences: Fences) -> None:
        self._request = request
        self._context = context
        self._redactor = redactor
        self._fences = fences

    def rules(self, *, tools: bool) -> str:
        """Return the rules.

        Args:
            tools: Whether the model works with tools of ours; else it is an agent with its own, which answers in JSON.
        """
        request = self._request
        return self._render(
            "fixer.md.j2",
            tools=tools,
            shape=_SHAPE,
            checks=bool(self._context.checks) and tools,
            guidelines=[self._document(document) for document in request.guidelines],
            requirements=[self._document(document) for document in request.requirements],
        )

    def task(self, excerpt: Excerpt | None = None) -> str:
        """Return the question.

        Args:
            excerpt: Returns numbered lines of a file, redacted; None shows no code.
        """
        request, safe = self._request, self._redactor.redact
        known = {issue.id for issue in request.issues}
        attempts = [f"attempt {a.iteration}, {a.issue}: {a.what}" for a in request.attempts if a.issue in known]
        return self._render(
            "task.md.j2",
            files=safe("\n".join(f"{file.status}: {display_path(file.path)}" for file in self._context.change.files)),
            threshold=escape(safe(request.threshold)),
            iteration=request.iteration,
            issues=[self._issue(issue, excerpt) for issue in request.issues],
            attempts=safe("\n".join(attempts)),
            rejected=safe("\n".join(f"- {reason}" for reason in request.rejected)),
            heading=safe(request.occasion.heading) if request.occasion is not None else "",
            material=safe(request.occasion.material) if request.occasion is not None else "",
            instructions=safe(request.occasion.instructions) if request.occasion is not None else "",
        )

    def _issue(self, issue: Issue, excerpt: Excerpt | None) -> dict[str, str]:
        code = ""
        if excerpt is not None and issue.line_start > 0 and issue.side is Side.NEW:
            code = excerpt(issue.file, issue.line_start - _AROUND, max(issue.line_start, issue.line_end) + _AROUND)
        return {
            "id": issue.id,
            "text": self._redactor.redact(describe(issue)),
            "code": code,
            "path": self._redactor.redact(display_path(issue.file)),
        }

    def _document(self, document: Document) -> Document:
        return Document(self._redactor.redact(document.path), self._redactor.redact(document.text))

    def _render(self, name: str, **values: Any) -> str:
        own = self._own(name)
        text = own if own is not None else read("templates", f"fixing/{name}").decode()
        environment = template_environment({name: text}, self._fences)
        try:
            rendered = environment.get_template(name).render(**values).strip() + "\n"
        except Exception as error:  # an expression in a repository's file raises anything
            if own is None:
                raise
            what = " ".join(str(error).split()) or type(error).__name__
            raise ConfigError(
                f"the prompt {name} cannot be rendered: {what}", hint=f"see {_OWN_NAMES[name]}"
            ) from error
        return self._redactor.redact(rendered)  # the prompt may be the repository's own

    def _own(self, name: str) -> str | None:
        """Return the repository's version at the change's base, so that no change instructs its own fixer."""
        base = self._context.change.scope.merge_base
        if name not in _OWN_NAMES or base is None:
            return None
        try:
            argv, env = as_tool(["cat-file", "blob", f"{base}:{_OWN_NAMES[name]}"])
            done = self._context.run(argv, env=env, ok=(0, 128))
        except ToolError:
            return None  # no git, or no such tree: there is no version of the repository's own then
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def describe(issue: Issue) -> str:
    """Return an issue as text."""
    place = display_path(issue.file)
    if issue.line_start > 0:
        side = "" if issue.side is Side.NEW else " of the version before the change"
        last = f"-{issue.line_end}" if issue.line_end > issue.line_start else ""
        place += f", line {issue.line_start}{last}{side}"
    parts = [f"severity: {issue.severity}, category: {issue.category}"]
    parts += [f"where: {place}"] if place else []
    if issue.rule is not None and issue.reviewer != FEEDBACK:
        parts.append(f"rule: {issue.rule} of {issue.reviewer}")
    if issue.evidence is not None:
        parts.append(f"the line: {issue.evidence}")
    parts.append(f"what: {issue.description}")
    if issue.suggested_fix is not None:
        parts.append(f"suggestion: {issue.suggested_fix}")
    for other in issue.related:
        note = f" ({other.note})" if other.note else ""
        parts.append(f"see also: {display_path(other.file)}, line {other.line_start}{note}")
    return "\n".join(parts)
