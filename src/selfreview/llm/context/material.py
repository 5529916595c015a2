"""Material for a model: everything that it is shown of a change, gathered once per run and redacted."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from selfreview.api import ChangedFile, Document, ReviewContext
from selfreview.llm.context import guidelines
from selfreview.llm.context.beginning import learn_beginning
from selfreview.llm.context.excerpts import Reference
from selfreview.llm.context.exclusions import Exclusions
from selfreview.llm.context.guidelines import Instructions
from selfreview.llm.context.prompts import ModelSettings, Prompts, digest, load_texts
from selfreview.llm.context.related import related
from selfreview.llm.context.tasks import PromptTask, pack
from selfreview.llm.context.view import FileView, render, submodules, view_of
from selfreview.llm.transport.fences import Fences, Words, escape, random_word
from selfreview.llm.transport.request import ModelRequest
from selfreview.model.wire import display_path
from selfreview.secrets.redactor import Redactor


@dataclasses.dataclass(frozen=True, kw_only=True)
class Material:
    """Material for prompts: the changed files and what belongs to them.

    Attributes:
        views: The changed files, by path.
        references: Unchanged code by the path of the changed file that it belongs to.
        prompts: Renders questions.
        system: The part that all requests share.
        exclusions: What is not reported.
        redactor: Takes secrets out of every text.
        key: Stands for everything that is the same for all files.
        notes: What a person should know of how it was gathered.
        submodules: A line for each that the change moves to another commit: every task is told of them.
    """

    views: Mapping[str, FileView]
    references: Mapping[str, tuple[Reference, ...]]
    prompts: Prompts
    system: str
    exclusions: Exclusions
    redactor: Redactor
    key: bytes
    notes: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    _sealed: dict[str, str] = dataclasses.field(default_factory=dict)
    _first_words: dict[str, str] = dataclasses.field(default_factory=dict)

    def request(self, *, material: str, user: str, **more: Any) -> ModelRequest:
        """Return the request for a question; whatever it is put together from, no secret is in it.

        The parts were redacted where they were told apart from our own words. The whole is redacted once more, since
        the repository's own prompts are in it too. The same text stays the same bytes for as long as the run lasts,
        whatever becomes known to be a secret in the meantime, and has the same first word: the service keeps it.

        Args:
            material: What the question is about.
            user: The question.
            more: As for :class:`~selfreview.llm.transport.request.ModelRequest`.
        """
        words = Words(self._first_words.setdefault(material, random_word()), random_word())
        system, material, user = map(self._seal, (self.system, material, user))
        return ModelRequest(system=system, material=material, user=user, words=words, **more)

    def _seal(self, text: str) -> str:
        known = self._sealed.get(text)
        return known if known is not None else self._sealed.setdefault(text, self.redactor.redact(text))

    def file_key(self, path: str) -> bytes:
        """Return a hash of the unchanged code that is shown with a file."""
        parts = hashlib.sha256()
        for reference in self.references.get(path, ()):
            parts.update(f"{reference.path}\0{reference.why}\0{reference.text}\0".encode("utf-8", "surrogatepass"))
        return parts.digest()

    def tasks(self, files: Sequence[ChangedFile], max_tokens: int) -> list[PromptTask]:
        """Split some of the files into tasks."""
        views = [self.views[file.path] for file in files if file.path in self.views]
        return pack(views, self.references, max_tokens)

    def show(self, task: PromptTask) -> str:
        """Return the subject of a task's questions."""
        return self.prompts.material(self._body(task.views), self._reference(task.references))

    def overview(self, text: str) -> str:
        """Return the subject of the question about the whole change."""
        return self.prompts.material(self._safe(text), "")

    def verify(self, claims: Sequence[str]) -> str:
        """Return the question that tries to refute claims."""
        return self.prompts.verify([self._safe(claim) for claim in claims])

    def _body(self, views: Sequence[FileView]) -> str:
        return self._safe("\n\n".join([*self.submodules, *map(render, views)]))

    def _reference(self, references: Sequence[Reference]) -> str:
        parts = [f"## {r.path}, lines {r.line_start}-{r.line_end}: {r.why}\n{r.text}" for r in references]
        return self._safe("\n\n".join(parts))

    def _safe(self, text: str) -> str:
        return escape(self.redactor.redact(text))


def gather(
    context: ReviewContext,
    files: Sequence[ChangedFile],
    settings: ModelSettings,
    patterns: Sequence[str],
    *,
    named: bool = False,
) -> Material:
    """Gather the material of a change.

    Args:
        context: The change.
        files: Its files that are reviewed.
        settings: How much is shown.
        patterns: Globs of the documents that say what the change is meant to do.
        named: Whether the person named these for this run.
    """
    source = Instructions(context)
    texts = load_texts(source)
    key = hashlib.sha256(digest(texts))
    exclusions = Exclusions.parse(texts.pop("exclusions.toml", ""))
    views = {file.path: view_of(file, context) for file in files}
    fences = Fences()
    redactor = Redactor(spared=[fences.mark])
    references = related(list(views.values()), context, settings.reference_tokens)
    # A value that is seen in one text is taken out of all.
    learn_beginning(redactor, context.config, context.read_paths)
    for text in (*map(render, views.values()), *(reference.text for some in references.values() for reference in some)):
        redactor.learn(text)
    documents = guidelines.guidelines(source)
    required = guidelines.requirements(source, patterns, named=named)
    prompts = Prompts(texts, fences)
    safe = [[_redacted(document, redactor) for document in some] for some in (documents, required)]
    words = [escape(redactor.redact(word)) for word in exclusions.words]
    system = prompts.system(exclusions=words, guidelines=safe[0], requirements=safe[1])
    prompts.try_all()
    for document in (*documents, *required):
        key.update(f"{document.path}\0{document.text}\0".encode("utf-8", "surrogatepass"))
    moved = submodules(context)
    for text in moved:
        key.update(text.encode())
    return Material(
        views=views,
        submodules=moved,
        references=references,
        prompts=prompts,
        system=system,
        exclusions=exclusions,
        redactor=redactor,
        key=key.digest(),
        notes=(*_held(source.held), *source.notes),
    )


def _held(paths: Sequence[str]) -> list[str]:
    """Return a note on the files that the model was given as they were before the change, which edits them."""
    if not paths:
        return []
    names = ", ".join(display_path(path) for path in dict.fromkeys(paths))
    return [f"the model was given these as they were before the change, which edits them: {names}"]


def _redacted(document: Document, redactor: Redactor) -> Document:
    return Document(*(escape(redactor.redact(part)) for part in document))
