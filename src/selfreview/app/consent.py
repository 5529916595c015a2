"""The question whether a model may review too: asked once per repository, on a terminal, when a key is there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from selfreview.api import Change, Registry, Reviewer
from selfreview.app.state import ConfiguredRun, RepoSource
from selfreview.review.select_reviewers import AUTO, MODEL_REVIEWER
from selfreview.text.layout import plural
from selfreview.trust.store import ConsentStore

_SERVICES = {"anthropic": "api.anthropic.com", "bedrock": "Amazon Bedrock", "vertex": "Google Vertex AI"}


class Uploads:
    """The decision whether automatically chosen reviewers may send code to a model.

    Args:
        run: The run. For a bare patch, which can be from anywhere, no answer is remembered; hooks and gates send
            nothing that was not configured, and ask nothing.
        reviewers: All reviewers.

    Attributes:
        given: Whether the person agreed.
    """

    def __init__(self, run: ConfiguredRun, reviewers: Registry[Reviewer]) -> None:
        config, chosen = run.config, run.request.reviewers
        self._repo = run.source.repo if isinstance(run.source, RepoSource) else None
        self._environ = os.environ
        self._ui = run.ui
        configured = config["reviewers"]
        names = chosen or ([configured] if isinstance(configured, str) else configured)
        self._matters = (
            run.policy.waits
            and self._repo is not None
            and MODEL_REVIEWER in reviewers
            and AUTO in names
            and MODEL_REVIEWER not in names
        )
        self._may_ask = self._matters and not chosen and configured == AUTO and not config["offline"]
        self._provider: Any = config.get("claude.provider") or "anthropic"
        self._base_url = config.get("claude.base_url")
        self.receiver = receiver(self._provider, self._base_url, self._environ)
        self.given = self._answer() is True

    def _answer(self) -> bool | None:
        if not self._matters or self._repo is None:
            return None
        return ConsentStore.of_user(self._environ).answer(self._repo.common_dir, self.receiver)

    def ask_if_new(self, change: Change) -> bool:
        """Ask where there is no answer yet, and return whether the answer is a new yes.

        Where nobody can be asked, a hint says what is possible. Nothing is said where no key is there, or nothing is to
        be reviewed.

        Args:
            change: What would be reviewed.
        """
        if not self._may_ask or self._repo is None or not change.reviewable or self._answer() is not None:
            return False
        from selfreview.llm.transport.credentials import find_credentials

        source = find_credentials(self._provider, self._environ, self._base_url)
        if source is None:
            return False
        answer = self._ask(change, source) if self._ui.is_interactive else None
        if answer is None:
            self._ui.note(
                f"hint: a model can review too, with {source}: "
                f"selfreview run --reviewer {AUTO} --reviewer {MODEL_REVIEWER}"
            )
            return False
        ConsentStore.of_user(self._environ).remember(self._repo.common_dir, self.receiver, given=answer)
        self._ui.note("note: the answer is remembered for this repository; to be asked again: selfreview untrust")
        self.given = answer
        return answer

    def _ask(self, change: Change, source: str) -> bool | None:
        """Return yes or no, or None at the end of the input. Standard output is the report's, so it stays clean."""
        files = plural(len(change.reviewable), "changed file")
        self._ui.note(
            f"A model can review this change, too, with {source}. The built-in reviewers do not understand logic."
        )
        self._ui.note(
            f"It would be sent: {files} (+{change.added_lines} lines), code around them, and the project's guidelines."
        )
        self._ui.note(f"It would go to: {self.receiver}, now and at each selfreview run here; not from hooks.")
        self._ui.note("Secrets that are recognised are replaced before. What it costs is billed to that key.")
        while True:
            word = self._ui.ask("Send this repository's changes to a model? [y/N]")
            if word is None:
                self._ui.note("")
                return None
            if word in ("y", "yes"):
                return True
            if word in ("", "n", "no"):
                return False


def receiver(provider: str, base_url: str | None, environ: Mapping[str, str]) -> str:
    """Return where a model's requests go, as a person knows it."""
    url = base_url or (environ.get("ANTHROPIC_BASE_URL") if provider == "anthropic" else None)
    host = urlsplit(url).netloc.rpartition("@")[2] if url else ""
    return host or url or _SERVICES.get(provider, provider)
