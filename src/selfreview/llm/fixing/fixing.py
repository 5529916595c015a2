"""Fixing of issues in a workspace by a model, with tools that reach nothing else."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from selfreview.api.fixer import Fix, FixContext, FixRequest
from selfreview.errors import ToolError
from selfreview.git.run import as_tool
from selfreview.git.worktree_files import LINK, native, read_file, write_file
from selfreview.llm.context.beginning import MAX_BYTES, learn_beginning
from selfreview.llm.fixing.conversation import (
    Conversation,
    ConversationClient,
    ConversationLimits,
    ModelTool,
    Refusal,
    Toolbox,
    ToolResponse,
)
from selfreview.llm.fixing.file_tools import Confined, FileTools
from selfreview.llm.fixing.prompt import PROPERTIES, FixPrompt, Report, parse_report
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.fences import Fences
from selfreview.llm.transport.request import Fault, ModelError
from selfreview.model.change import path_from_bytes
from selfreview.secrets.redactor import Redactor

_CHECK_TAIL = 8_000
_MAX_RESTORED = 20_000_000
"""Maximum bytes of a file that an agent is given."""
_LS_FILES = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_GREP = ("grep", "--fixed-strings", "--text", "--untracked",
         "--files-with-matches", "--no-recurse-submodules", "--no-color", "-z")  # fmt: skip
_HINTS = {
    Fault.DEADLINE: "raise fixer_timeout",
    Fault.BUDGET: "raise claude.max_cost_usd or claude.max_tokens_total",
    Fault.CUT_OFF: "raise claude.answer_tokens",
    Fault.TOO_LONG: "set claude.fix_model to a model with a larger window, or lower claude.fix_max_turns",
    Fault.GARBAGE: "raise claude.fix_max_turns, or set claude.fix_model to another model",
}


def fix_issues(
    request: FixRequest, context: FixContext, limits: ConversationLimits, client: ConversationClient, budget: Budget
) -> Fix:
    """Have a model fix the issues of a request.

    Args:
        request: What is to be done.
        context: The workspace.
        limits: The model, and how long the conversation may get.
        client: Sends the conversation.
        budget: What may be spent.

    Returns:
        What it did. Where it came to no end, there is an error, and what it wrote may be half done.

    Raises:
        ConfigError: If the repository's own prompt cannot be rendered.
    """
    fences = Fences()
    redactor = Redactor(spared=[fences.mark])
    learn(context, redactor)
    place = Confined(
        context.root, _own(context), functools.partial(_listed, context), functools.partial(_holding, context)
    )
    files = FileTools(place, redactor)
    ending = _Ending(request, redactor)
    tools = [*files.tools(), *([_check_tool(context, redactor)] if context.checks else []), ending.tool()]
    prompt = FixPrompt(request, context, redactor, fences)
    conversation = Conversation(client, budget, Toolbox(tools, redactor, fences), limits, redactor.redact)
    fix = Fix(usage=conversation.usage)
    try:
        conversation.run(prompt.rules(tools=True), prompt.task(files.excerpt))
    except ToolError as error:
        fix.error, fix.hint = error.message, error.hint
        if isinstance(error, ModelError):
            fix.hint, fix.outage = _HINTS.get(error.fault, error.hint), error.outage
            fix.over_budget = error.fault is Fault.BUDGET
        return fix
    fix.answers, fix.notes = list(ending.report.answers), ending.report.notes
    fix.reasons = dict(ending.report.reasons)
    return fix


class _Ending:
    """The tool by which a model reports."""

    def __init__(self, request: FixRequest, redactor: Redactor) -> None:
        self.report = Report()
        self._ids = [issue.id for issue in request.issues]
        self._redactor = redactor
        self._refused = False

    def tool(self) -> ModelTool:
        return ModelTool(
            name="report",
            description="Say that you are done: what became of each issue, and what else worries you.",
            properties=PROPERTIES,
            required=["answers"],
            run=self._take,
            ends=True,
        )

    def _take(self, given: Mapping[str, Any]) -> ToolResponse:
        report = parse_report(given, self._ids, self._redactor.masked)
        missing = [issue for issue in self._ids if issue not in {answer.issue for answer in report.answers}]
        wrong = [*report.wrong, *(f"there is no answer for {issue}" for issue in missing)]
        if wrong and not self._refused:
            self._refused = True
            raise Refusal("; ".join(wrong))
        self.report = report
        return ToolResponse("Done.")


def _check_tool(context: FixContext, redactor: Redactor) -> ModelTool:
    def run(given: Mapping[str, Any]) -> ToolResponse:
        name = given["name"]
        if name not in context.checks:
            raise Refusal(f"there is no such check; there are {', '.join(context.checks)}")
        try:
            outcome = context.run_check(name)
        except ToolError as error:
            raise Refusal(f"the check could not run: {error.message}") from error
        words = {True: "It passed.", False: "It failed.", None: "It could not run."}
        return ToolResponse(words[outcome.passed], _tail(redactor.redact(outcome.output)), f"check {name}")

    return ModelTool(
        name="run_check",
        description="Run one of the project's checks on the files as they are now. It can take minutes.",
        properties={"name": {"type": "string", "enum": list(context.checks)}},
        required=["name"],
        run=run,
    )


def _tail(output: str) -> str:
    return output if len(output) <= _CHECK_TAIL else f"…\n{output[-_CHECK_TAIL:].partition(chr(10))[2]}"


def _own(context: FixContext) -> set[str]:
    return {file.path for file in context.change.files}


def learn(context: FixContext, redactor: Redactor) -> None:
    """Find the secrets of the change's files, also in their earlier versions, so that each is redacted everywhere."""
    learn_beginning(redactor, context.config, functools.partial(_contents, context))
    for data in _contents(context, _own(context)).values():
        if len(data) <= MAX_BYTES and b"\0" not in data:
            redactor.learn(data.decode("utf-8", "surrogateescape"))


def _contents(context: FixContext, paths: Iterable[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in paths:
        try:
            entry = read_file(context.root, path)
        except OSError:
            continue  # it is told when it is read
        if entry is not None:
            found[path] = entry.data
    return found


def restore(context: FixContext, redactor: Redactor) -> None:
    """Restore the values of placeholders that somebody wrote into files of the workspace.

    Raises:
        GitError: If git cannot say what was changed.
        OSError: If a file cannot be read or written.
    """
    for path in context.edited():
        target = native(context.root, path)
        if not target.is_symlink() and target.is_file() and target.stat().st_size > _MAX_RESTORED:
            continue  # larger than what was shown, and than what the guard keeps
        entry = read_file(context.root, path)
        if entry is not None and entry.mode != LINK and b"REDACTED_" in entry.data:
            data = redactor.restore(entry.data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            if data != entry.data:
                write_file(context.root, path, entry._replace(data=data))


def _listed(context: FixContext) -> list[str]:
    argv, env = as_tool(_LS_FILES)
    done = context.run(argv, env=env)
    return list(dict.fromkeys(path_from_bytes(name) for name in done.stdout.split(b"\0")[:-1]))


def _holding(context: FixContext, text: str) -> list[str]:
    """Return the paths of the files, perhaps many, in which git finds a text; no match is no error."""
    argv, env = as_tool([*_GREP, "-e", text])
    done = context.run(argv, env=env, ok=(0, 1))
    return list(dict.fromkeys(path_from_bytes(name) for name in done.stdout.split(b"\0")[:-1]))
