"""Scripted stand-ins for reviewers, fixers and agents; each of them is a plugin, too::

selfreview_workspace.plugin(FakeReviewer(findings=[finding("app.py", 1)]))
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import (
    Agent,
    AgentAnswer,
    Category,
    ChangedFile,
    ConfigView,
    Depth,
    Finding,
    Fix,
    FixAnswer,
    FixContext,
    Fixer,
    FixOutcome,
    FixRequest,
    Issue,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    hookimpl,
)
from selfreview.errors import ToolError
from selfreview.git.worktree_files import LINK, PLAIN, Entry, read_file, write_file

NewContent = str | bytes | Callable[[bytes], bytes] | None
Finder = Callable[[ChangedFile, ReviewContext], Iterable[Finding]]


def finding(file: str, line: int, description: str = "Something is wrong.", **more: Any) -> Finding:
    """Make a finding: of severity ``high`` and category ``logic``, unless ``more`` says otherwise."""
    values: dict[str, Any] = {"severity": Severity.HIGH, "category": Category.LOGIC, "line_end": line}
    return Finding(file=file, line_start=line, description=description, **{**values, **more})


class Clock:
    """A clock that stands until it is moved, for ``MemoryContext`` and ``FixBench``: no test has to wait."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds


class FakeReviewer:
    """A reviewer with scripted findings.

    Args:
        name: Its name.
        findings: What it reports of the files that it is given; or a function of a file and the context.
        review: The whole review, in the place of ``findings``: a failure, for one.
        raises: What it raises, in the place of both.
        depth: How deep it claims to look.

    Attributes:
        seen: Paths of the files that it was given, a list for each time that it was asked.
    """

    default = True

    def __init__(
        self,
        name: str = "fake",
        *,
        findings: Iterable[Finding] | Finder = (),
        review: Review | None = None,
        raises: BaseException | None = None,
        depth: Depth = Depth.STATIC,
    ) -> None:
        self.name = name
        self.depth = depth
        self.seen: list[list[str]] = []
        self._findings = findings if callable(findings) else tuple(findings)
        self._review = review
        self._raises = raises

    def selects(self, file: ChangedFile) -> bool:  # noqa: ARG002 - protocol
        """Take every file."""
        return True

    def cache_key(self, context: ReviewContext) -> bytes | None:  # noqa: ARG002 - protocol
        """Return None, which turns the cache off: a fake may report something else the next time."""
        return None

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Return the scripted findings."""
        self.seen.append([file.path for file in files])
        if self._raises is not None:
            raise self._raises
        if self._review is not None:
            return self._review
        return Review(findings=[found for file in files for found in self._of(file, context)])

    def _of(self, file: ChangedFile, context: ReviewContext) -> Iterable[Finding]:
        if callable(self._findings):
            return self._findings(file, context)
        return (found for found in self._findings if found.file == file.path)

    @hookimpl
    def selfreview_register_reviewers(self, registry: Registry[Reviewer]) -> None:
        """Register it."""
        registry.add(self)


class FakeFixer:
    """A fixer with scripted edits.

    Args:
        name: Its name.
        edits: By path: new content, None to remove the file, or a function of the content, which is called where there
            is any.
        reviewers: Whose issues it takes; None for everyone's.
        error: Why it fails, in one line; it edits nothing then.

    Attributes:
        requests: What it was asked.
    """

    is_mechanical = True

    def __init__(
        self,
        name: str = "fake",
        *,
        edits: Mapping[str, NewContent] | None = None,
        reviewers: Iterable[str] | None = None,
        error: str | None = None,
    ) -> None:
        self.name = name
        self.requests: list[FixRequest] = []
        self._edits = dict(edits or {})
        self._reviewers = None if reviewers is None else frozenset(reviewers)
        self._error = error

    def takes(self, issue: Issue, config: ConfigView) -> bool:  # noqa: ARG002 - protocol
        """Take issues of the reviewers that were given."""
        return self._reviewers is None or issue.reviewer in self._reviewers

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Write the scripted files, and answer ``addressed`` for every issue in one of them."""
        self.requests.append(request)
        if self._error is not None:
            return Fix(error=self._error)
        edited = {path for path, content in self._edits.items() if request.issues and _edit(context, path, content)}
        done, left = FixOutcome.ADDRESSED, FixOutcome.NOT_ADDRESSED
        return Fix(
            answers=[
                FixAnswer(issue=issue.id, outcome=done if issue.file in edited else left) for issue in request.issues
            ]
        )

    @hookimpl
    def selfreview_register_fixers(self, registry: Registry[Fixer]) -> None:
        """Register it."""
        registry.add(self)


def _edit(context: FixContext, path: str, content: NewContent) -> bool:
    """Edit a file, but never what a link leads to; return whether there was anything to do."""
    entry = read_file(context.root, path)
    if entry is not None and entry.mode == LINK:
        return False
    if content is None:
        (context.root / path).unlink(missing_ok=True)
        return entry is not None
    if callable(content):
        if entry is None:
            return False
        content = content(entry.data)
    data = content if isinstance(content, bytes) else content.encode()
    write_file(context.root, path, Entry(PLAIN if entry is None else entry.mode, data))
    return True


_PROGRAM = """\
import json, os, sys
from selfreview.testing.words import with_words
prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
said = {{"argv": sys.argv[1:], "cwd": os.getcwd(), "prompt": prompt, "names": sorted(os.environ)}}
with open({record!r}, "a", encoding="utf-8") as record:
    record.write(json.dumps(said) + "\\n")
for path, content in {edits!r}.items() if "--fix" in sys.argv else ():
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
output = {output!r}
if {repeat_words!r} and "--fix" not in sys.argv:
    output = with_words(output.decode("utf-8", "surrogateescape"), prompt).encode("utf-8", "surrogateescape")
sys.stdout.buffer.write(output)
sys.exit({status!r})
"""


class FakeAgent:
    """An agent that is a real program: it reads the prompt, remembers how it was started, and answers.

    Args:
        folder: Where its program is put.
        name: Its name; it is the reviewer and the fixer ``agent-NAME``.
        answer: What it prints.
        edits: What it writes where it is to fix: text by path from the folder that it starts in.
        status: Its exit status.
        repeat_words: Whether an answer is given the two words of its prompt, as by an agent that read it.

    Attributes:
        variables: As in :class:`selfreview.api.Agent`.
    """

    allowed_by = None
    variables: Sequence[str] = ()

    def __init__(
        self,
        folder: Path,
        name: str = "fake",
        *,
        answer: str | bytes = "",
        edits: Mapping[str, str] | None = None,
        status: int = 0,
        repeat_words: bool = True,
    ) -> None:
        self.name = name
        self.state = (str(folder),)
        self._record = folder / f"{name}.jsonl"
        program = folder / f"{name}.py"
        output = answer if isinstance(answer, bytes) else answer.encode()
        program.write_text(
            _PROGRAM.format(
                record=str(self._record),
                edits=dict(edits or {}),
                output=output,
                status=status,
                repeat_words=repeat_words,
            ),
            encoding="utf-8",
        )
        self.argv = (sys.executable, str(program))
        self.fix_argv = (*self.argv, "--fix")

    @property
    def starts(self) -> list[dict[str, Any]]:
        """Each start of the agent: ``argv``, ``cwd``, ``prompt``, and the ``names`` of its environment."""
        if not self._record.exists():
            return []
        return [json.loads(line) for line in self._record.read_text(encoding="utf-8").splitlines()]

    def read(self, output: bytes) -> AgentAnswer:
        """Return the whole output as the message.

        Raises:
            ToolError: If there is nothing, or it is not UTF-8.
        """
        try:
            text = output.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise ToolError(f"{self.name} printed bytes that are not UTF-8") from error
        if not text:
            raise ToolError(f"{self.name} printed nothing")
        return AgentAnswer(text)

    @hookimpl
    def selfreview_register_agents(self, registry: Registry[Agent]) -> None:
        """Register it."""
        registry.add(self)
