"""Prompts from ``templates/prompts/``, each a file that a repository may replace, and the settings of a review."""

from __future__ import annotations

import dataclasses
import hashlib
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from selfreview.errors import ConfigError
from selfreview.llm.context import exclusions
from selfreview.llm.context.guidelines import Instructions
from selfreview.llm.transport.fences import Fences
from selfreview.model.issue import DEFAULT_THRESHOLD, Severity, lowest_blocking
from selfreview.resources import folder

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

    from selfreview.api import Document

FOLDER = ".selfreview/prompts"
"""Folder of a repository's own prompts."""

_SUFFIX = ".md.j2"

OVERVIEW = "overview"
"""The question about a change that is asked about in parts, as a whole."""

LENSES = ("correctness", "seams", "security")
"""The finders' jobs, in the order in which they are added as the effort grows."""


def load_texts(source: Instructions) -> dict[str, str]:
    """Return every template by name, the repository's own in place of ours.

    A template that the change itself touches is taken as it was before: a change does not write its own reviewer's
    instructions.
    """
    ours = {path.name: path for path in sorted(folder("templates").joinpath("prompts").iterdir())}
    own = source.read(f"{FOLDER}/{name}" for name in ours if name != exclusions.FILE)
    texts = {}
    for name, path in ours.items():
        if name == exclusions.FILE:
            texts[name] = exclusions.load(source, path.read_text("utf-8"))
            continue
        data = own.get(f"{FOLDER}/{name}")
        texts[name] = data.decode("utf-8", "replace") if data is not None else path.read_text("utf-8")
    return texts


def digest(texts: Mapping[str, str]) -> bytes:
    """Return a digest of a set of templates for a cache key."""
    parts = hashlib.sha256()
    for name, text in sorted(texts.items()):
        parts.update(f"{name}\0{len(text)}\0{text}".encode("utf-8", "surrogatepass"))
    return parts.digest()


def template_environment(texts: Mapping[str, str], fences: Fences) -> SandboxedEnvironment:
    """Return the sandbox in which templates, which may be a repository's own, are rendered.

    Args:
        texts: Templates by name.
        fences: The delimiters of the prompt, for the function ``fence``.
    """
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=FunctionLoader(lambda name: (texts[name], name, None) if name in texts else None),
        undefined=StrictUndefined,
        autoescape=False,
    )
    environment.globals["fence"] = fences.fence
    return environment


class Prompts:
    """Renders prompts.

    Args:
        texts: Templates by name.
        fences: The delimiters of this run.
    """

    def __init__(self, texts: Mapping[str, str], fences: Fences) -> None:
        self._environment = template_environment(texts, fences)

    def system(
        self, *, exclusions: Sequence[str], guidelines: Sequence[Document], requirements: Sequence[Document]
    ) -> str:
        """Return the part that all requests of a run share."""
        return self._render("system", exclusions=exclusions, guidelines=guidelines, requirements=requirements)

    def material(self, body: str, reference: str) -> str:
        """Return what a question is about.

        Args:
            body: The change.
            reference: Unchanged code, or the empty string.
        """
        return self._render("material", body=body, reference=reference)

    def find(self, lens: str) -> str:
        """Return a finder's question.

        Args:
            lens: One of :data:`LENSES`, or :data:`OVERVIEW`.
        """
        return self._render(lens)

    def verify(self, claims: Sequence[str]) -> str:
        """Return the question that tries to refute claims."""
        return self._render("verify", claims=claims)

    def try_all(self) -> None:
        """Render every question once, so that a mistake in a prompt is known before anything is paid for.

        Raises:
            ConfigError: If one cannot be rendered.
        """
        for lens in (*LENSES, OVERVIEW):
            self.find(lens)
        for reference in ("", "x"):
            self.material("x", reference)
        for count in (1, 2):
            self.verify(["x"] * count)

    def _render(self, name: str, **values: Any) -> str:
        try:
            return self._environment.get_template(f"{name}{_SUFFIX}").render(**values).strip() + "\n"
        except Exception as error:  # an expression in a file of the repository raises anything
            file, line = _place(error, f"{name}{_SUFFIX}")
            what = " ".join(str(error).split()) or type(error).__name__
            raise ConfigError(
                f"the prompt {file}{f', line {line},' if line else ''} cannot be rendered: {what}",
                hint=f"see {FOLDER}/ of the repository",
            ) from error


def _place(error: Exception, template: str) -> tuple[str, int]:
    """Return the template and the line where an error arose, or the line 0 where it is not known."""
    name, line = getattr(error, "name", None), getattr(error, "lineno", None)
    if isinstance(name, str) and isinstance(line, int):
        return name, line
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(_SUFFIX):
            return frame.filename, frame.lineno or 0
    return template, 0


_Effort = Literal["quick", "normal", "thorough"]

_THOROUGHNESS: Mapping[str, tuple[str, ...]] = {
    "quick": LENSES[:1],
    "normal": LENSES[:2],
    "thorough": LENSES,
}
"""Finders' passes of each effort. A repeat of one lens finds nothing new; another lens does."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Settings from the configuration.

    Attributes:
        model: The finders' model.
        verify_model: The verifier's.
        effort: How many passes there are, and what is verified: nothing, what would block, or everything.
        concurrency: Requests at once.
        task_tokens: Most tokens of the change in one finder's request, references included.
        reference_tokens: Most tokens of unchanged code that are shown with one file.
        answer_tokens: Most tokens of an answer, thinking included.
        threshold: The configured severity threshold.
    """

    model: str
    verify_model: str
    effort: _Effort = "normal"
    concurrency: int = 4
    task_tokens: int = 6_000
    reference_tokens: int = 1_500
    answer_tokens: int = 16_000
    threshold: str | Mapping[str, str] = DEFAULT_THRESHOLD

    @property
    def lenses(self) -> tuple[str, ...]:
        """Passes of the finders."""
        return _THOROUGHNESS[self.effort]

    @property
    def thinking(self) -> str | None:
        """Thinking effort, as the service names it; None leaves that to the model."""
        return {"quick": "low", "normal": None, "thorough": "high"}[self.effort]

    def is_verified(self, severity: Severity, category: str) -> bool:
        """Return whether a finding of that severity is verified."""
        if self.effort == "quick":
            return False
        return self.effort == "thorough" or self._blocks(severity, category)

    def _blocks(self, severity: Severity, category: str) -> bool:
        lowest = lowest_blocking(self.threshold, category)
        return lowest is not None and severity.at_least(lowest)
