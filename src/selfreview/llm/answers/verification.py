"""Verifier: a fresh context that tries to refute the finders' findings."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.api import Finding, IssueStatus, ReviewContext, Side, SourceText
from selfreview.errors import SelfreviewError
from selfreview.llm.answers.decode import Judgement, decode_judgements
from selfreview.llm.answers.quotes import Numbered, gapped_hits, hits, quotes_of, squeeze
from selfreview.llm.answers.schema import VERDICTS, ClaimVerdict, garbage
from selfreview.llm.context.excerpts import Reference
from selfreview.llm.context.material import Material
from selfreview.llm.context.outline import language_of, outline, parse
from selfreview.llm.context.prompts import ModelSettings
from selfreview.llm.context.tasks import PromptTask, split
from selfreview.llm.context.view import FileView
from selfreview.llm.transport.ask import Fanout, FaultTracker, ask, is_doubtful
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.fences import escape
from selfreview.llm.transport.request import ModelClient, ModelError, ModelRequest, unasked
from selfreview.model.result import Usage
from selfreview.syntax.parsing import spared

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_CLAIMS_AT_ONCE = 5


@dataclasses.dataclass(frozen=True)
class Verified:
    """Outcome of a verification.

    Attributes:
        findings: All that were given, in the same order, marked.
        unsettled: The files with findings that should have been verified and were not.
        errors: Why some could not be verified; those stay open.
        usage: What it cost.
    """

    findings: list[Finding]
    unsettled: frozenset[str]
    errors: list[ModelError]
    usage: Usage


class Verifier:
    """Verifier of findings.

    Args:
        material: What is shown.
        settings: Of the model.
        client: Sends.
        budget: What may be spent.
        fanout: Asks several at once.
        context: The change.
    """

    def __init__(
        self,
        material: Material,
        settings: ModelSettings,
        client: ModelClient,
        budget: Budget,
        fanout: Fanout,
        *,
        context: ReviewContext,
    ) -> None:
        self._material = material
        self._settings = settings
        self._client = client
        self._budget = budget
        self._fanout = fanout
        self._citations = Citations(material, context)

    def verify(
        self, findings: Sequence[Finding], stopped: ModelError | None = None, *, every: bool = False
    ) -> Verified:
        """Verify those findings that the effort asks for, or all of them.

        Args:
            findings: What the finders say.
            stopped: Why nothing more can be asked, or None.
            every: Whether all are verified.
        """
        result = list(findings)
        batches = self._batches(findings, every=every)
        stop = FaultTracker(stopped)
        asked = self._fanout.run(
            batches,
            lambda batch: self._ask([findings[index] for index in batch], stop),
            lambda outcome: is_doubtful(outcome[1]),
        )
        usage, errors, unsettled = Usage(), [], set()
        for batch, (judgements, error, spent) in zip(batches, asked, strict=True):
            usage.add(spent)
            if error is not None:
                errors.append(error)
                unsettled.add(findings[batch[0]].file)
                continue
            for index, judgement in zip(batch, judgements, strict=True):
                result[index] = self._marked(findings[index], judgement)
        return Verified(result, frozenset(unsettled), errors, usage)

    def _batches(self, findings: Sequence[Finding], *, every: bool) -> list[list[int]]:
        by_part: dict[tuple[str, int], list[int]] = defaultdict(list)
        for index, finding in enumerate(findings):
            wanted = every or self._settings.is_verified(finding.severity, finding.category.value)
            if wanted and finding.status is IssueStatus.OPEN and finding.file in self._material.views:
                by_part[finding.file, self._part(finding)[0]].append(index)
        return [
            indexes[start : start + _CLAIMS_AT_ONCE]
            for indexes in by_part.values()
            for start in range(0, len(indexes), _CLAIMS_AT_ONCE)
        ]

    def _ask(self, claimed: Sequence[Finding], stop: FaultTracker) -> tuple[list[Judgement], ModelError | None, Usage]:
        if stop.why is not None:
            return [], stop.why, Usage()
        try:
            request = self.request(claimed)
        except SelfreviewError as error:  # a prompt that only these claims break: the others are judged all the same
            return [], unasked(error), Usage()

        def understand(text: str) -> list[Judgement]:
            judgements = decode_judgements(text, len(claimed), request.words)
            for judgement in judgements:
                if judgement.answer is ClaimVerdict.REFUTED and not self._citations.was_shown(
                    claimed[0].file, judgement.evidence
                ):
                    raise garbage("an answer refutes an issue with a line that stands nowhere in what it was shown")
            return judgements

        asked = ask(request, understand, self._client, self._budget)
        stop.take(asked.error)
        return asked.value or [], asked.error, asked.usage

    def request(self, claimed: Sequence[Finding]) -> ModelRequest:
        """Return the request for findings of one file."""
        path = claimed[0].file
        _, view = self._part(claimed[0])
        task = PromptTask(name=path, views=(view,), references=self._material.references.get(path, ()))
        return self._material.request(
            name=f"verify:{path}",
            material=self._material.show(task),
            user=self._material.verify([_claim(finding) for finding in claimed]),
            schema=VERDICTS,
            model=self._settings.verify_model,
            max_tokens=self._settings.answer_tokens,
            effort=self._settings.thinking,
        )

    def _part(self, finding: Finding) -> tuple[int, FileView]:
        """Return the part of a file that holds a finding's line: of a large file only that is shown."""
        parts = list(split(self._material.views[finding.file], self._settings.task_tokens))
        for number, part in enumerate(parts):
            lines = (line for piece in part.pieces for line in piece.lines)
            if finding.side is Side.NEW and any(line.number == finding.line_start for line in lines):
                return number, part
            if finding.side is Side.OLD and any(line.mark == "-" and line.text == finding.evidence for line in lines):
                return number, part
        return 0, parts[0]

    def _marked(self, finding: Finding, judgement: Judgement) -> Finding:
        """Mark a finding; a refutation that cites no decisive line of code only makes it unconfirmed."""
        if judgement.answer is ClaimVerdict.CONFIRMED:
            return finding
        status, reason = IssueStatus.UNCONFIRMED, f"not confirmed on verification: {judgement.reason}"
        if judgement.answer is ClaimVerdict.REFUTED and self._citations.decides(finding, judgement.evidence):
            status, reason = IssueStatus.DISMISSED, f"refuted on verification: {judgement.reason}"
        return msgspec.structs.replace(finding, status=status, status_reason=" ".join(reason.split()))


def _claim(finding: Finding) -> str:
    lines = f"line {finding.line_start}" if finding.line_end <= finding.line_start else (
        f"lines {finding.line_start}-{finding.line_end}"
    )  # fmt: skip
    quote = f"\nthe line in question: {finding.evidence.strip()}" if finding.evidence else ""
    return f"{finding.file}, {lines} ({finding.severity}, {finding.category}){quote}\n{finding.description}"


_MIN_QUOTE = 6
_IMPORT = re.compile(
    r"[ \t]*(?:import\b|from[ \t]+\S+[ \t]+import\b|#[ \t]*include\b|using[ \t]+[\w.:]+[ \t]*;|"
    r"use[ \t]+[\w:\\{]|package[ \t]|(?:const|let|var)[ \t].{1,200}=[ \t]*require\()"
)
_NUMBER = re.compile(r"^\s*\d*\s*[+|]?\s")


class _Shown(NamedTuple):
    """Line that was shown: its file with its text, its number, and the kinds of its characters."""

    path: str
    text: str
    number: int
    line: str
    parts: str


class Citations:
    """Lookup of cited lines in what a verifier was shown. Files are read and parsed only when something is cited.

    Args:
        material: What was shown.
        context: The change.
    """

    def __init__(self, material: Material, context: ReviewContext) -> None:
        self._material = material
        self._context = context
        self._parts: dict[tuple[str, str], list[str]] = {}
        self._heads: dict[tuple[str, str], frozenset[int]] = {}

    def decides(self, finding: Finding, quote: str) -> bool:
        """Return whether a quote holds a line of code, other than those that the finding is about.

        Words decide nothing: not those of a comment or a string, and not a line that is mostly made of them. Neither
        does the first line of a function or a type with the rest of it below, an import, or a bracket: they stand
        there whether or not the finding is right. Of a finding whose own line is not known, nothing decides.
        """
        if not self._is_placed(finding):
            return False
        restored = self._material.redactor.restore(quote)
        quoted = {squeeze(form) for line in restored.split("\n") for form in (line, _NUMBER.sub("", line))}
        wanted = [form for form in quoted if len(form) >= _MIN_QUOTE]
        claimed = squeeze(finding.evidence or "")
        return bool(wanted) and any(
            squeeze(shown.line) != claimed
            and not (shown.path == finding.file and _is_about(finding, shown.number))
            and not self._is_frame(shown)
            and any(_is_cited(form, shown.line, shown.parts) for form in wanted)
            for shown in self._shown(finding.file)
        )

    def was_shown(self, path: str, quote: str) -> bool:
        """Return whether any line of a quote is, or is in, a line shown with a file; removed lines and comments count.

        It need decide nothing. Who cites what is nowhere did not read.
        """
        texts = [line.text for piece in self._material.views[path].pieces for line in piece.lines]
        for reference in self._material.references.get(path, ()):
            texts += reference.text.split("\n")
        lines = [Numbered(0, 0, Side.NEW, text) for text in texts]
        quotes = quotes_of(self._material.redactor.restore(quote))
        return bool(hits(quotes, lines, contained=False) or gapped_hits(quotes, lines))

    def _is_placed(self, finding: Finding) -> bool:
        """Return whether the finding quotes a line that exists."""
        text = self._context.text(self._material.views[finding.file].file, finding.side)
        return text is not None and bool(finding.evidence) and finding.evidence in text.lines

    def _is_frame(self, shown: _Shown) -> bool:
        """Return whether a line only declares something: the head of a definition, an import, or a bracket."""
        if _IMPORT.match(shown.line) or not re.search(r"\w", shown.line):
            return True
        key = shown.path, shown.text
        if key not in self._heads:
            self._heads[key] = frozenset(_heads(shown.path, shown.text))
        return shown.number in self._heads[key]

    def _shown(self, path: str) -> Iterator[_Shown]:
        """Yield the lines that were shown with a file."""
        view = self._material.views[path]
        yield from self._of_view(view)
        for reference in self._material.references.get(path, ()):
            yield from self._of_reference(reference)

    def _of_view(self, view: FileView) -> Iterator[_Shown]:
        text = self._context.text(view.file)
        if text is None:
            return
        parts = self._parts_of(view.file.path, text.text)
        for piece in view.pieces:
            for line in piece.lines:
                if line.number is not None and line.number <= len(parts):
                    number = line.number
                    yield _Shown(view.file.path, text.text, number, text.line(number), parts[number - 1])

    def _of_reference(self, reference: Reference) -> Iterator[_Shown]:
        data = self._context.read_path(reference.path)
        if data is None:
            return
        text = SourceText.from_bytes(data)
        parts = self._parts_of(reference.path, text.text)
        shown = frozenset(reference.text.split("\n"))
        for number in range(reference.line_start, min(reference.line_end, len(text.lines)) + 1):
            if text.line(number) in shown:
                yield _Shown(reference.path, text.text, number, text.line(number), parts[number - 1])

    def _parts_of(self, path: str, text: str) -> list[str]:
        key = path, text
        if key not in self._parts:
            self._parts[key] = parts_of_lines(path, text)
        return self._parts[key]


def _is_about(finding: Finding, number: int) -> bool:
    return finding.side is Side.NEW and finding.line_start <= number <= max(finding.line_start, finding.line_end)


def _heads(path: str, text: str) -> Iterator[int]:
    """Yield the lines that functions and types of more than one line begin with, decorators and all, to their body."""
    lines = text.split("\n")
    for item in outline(path, text):
        if item.kind == "value" or item.line_end <= item.line_start:
            continue
        signature, read = squeeze(item.signature), ""
        for number in range(item.line_start, item.line_end):
            line = squeeze(lines[number - 1])
            decorates = not read and line.startswith("@")
            if not decorates and not (line and signature.startswith(read + line.rstrip("{:"))):
                break
            read += "" if decorates and not signature.startswith(line) else line
            yield number


def _is_cited(quote: str, line: str, parts: str) -> bool:
    """Return whether a quote without white space is at least half of a line without comments, and both mostly code."""
    whole = squeeze(line)
    marked = [
        (shown, part)
        for char, part in zip(line.removesuffix("\r"), parts, strict=False)
        if part != COMMENT and not char.isspace()
        for shown in escape(char)
    ]
    code_text = "".join(char for char, _ in marked)
    if code_text and quote.startswith(code_text) and quote in whole:
        quote = code_text  # with the comment behind it, or a part of that
    at = code_text.find(quote)
    # Most of a line, so that a word that stands anywhere decides nothing.
    if at < 0 or len(quote) < _MIN_QUOTE or 2 * len(quote) < len(code_text):
        return False
    code = [part == CODE for _, part in marked]
    return 2 * sum(code) >= len(code) and 2 * sum(code[at : at + len(quote)]) >= len(quote)


CODE, STRING, COMMENT = "c", "s", "-"
_MAX_CHARS = 1_000_000
_STRING = re.compile(r"string|heredoc|nowdoc|(?:_text|^text|regex|char\w*)(?:_literal)?$|regex_pattern|^sigil")
_INSIDE = re.compile(r"interpol|substitution|expansion")
_COMMENT = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|;|%|<!--|\"\"\"|'''|REM\b).*", re.IGNORECASE)
_BLOCK = re.compile(r"/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)


def parts_of_lines(path: str, text: str) -> list[str]:
    """Return for every line what each of its characters is: ``CODE``, ``STRING`` or ``COMMENT``.

    By syntax where the language is known, else a comment is known by how it or its line begins.
    """
    language = language_of(path)
    known = language is not None and len(text) <= _MAX_CHARS
    extents = _by_syntax(parse(str(language), text)) if known else _by_look(text)
    kinds = [CODE] * len(text)
    for start, end, kind in extents:
        kinds[start:end] = kind * (end - start)
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append("".join(kinds[at : at + len(line)]))
        at += len(line) + 1
    if known:
        written = text.split("\n")
        for number in spared(text, str(language)):
            code, mark, words = written[number].partition("#")
            lines[number] = CODE * len(code) + COMMENT * len(mark + words)
    return lines


def _by_syntax(root: SgNode) -> Iterator[tuple[int, int, str]]:
    """Yield extents, outer before inner: what is interpolated into a string is code again."""
    waiting = [(root, CODE)]
    while waiting:
        node, around = waiting.pop()
        name = node.kind() if node.is_named() else ""
        kind = around
        if "comment" in name:
            kind = COMMENT
        elif around is CODE and _STRING.search(name):
            kind = STRING
        elif around is STRING and _INSIDE.search(name) and not _STRING.search(name):
            kind = CODE
        if kind is not around:
            span = node.range()
            yield span.start.index, span.end.index, kind
        if kind is not COMMENT:
            waiting += [(child, kind) for child in reversed(node.children())]


def _by_look(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _BLOCK.finditer(text):
        yield match.start(), match.end(), COMMENT
    at = 0
    for line in text.split("\n"):
        if _COMMENT.match(line):
            yield at, at + len(line), COMMENT
        at += len(line) + 1
