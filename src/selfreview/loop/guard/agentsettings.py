"""Settings that coding agents, editors, shells and package managers read, and run, by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.llm.transport.withheld import agent_settings as agent_config
from selfreview.llm.transport.withheld import instructs, keeps_secrets
from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_RUN = re.compile(
    r"(?:.*/)?(?:\.(?:specify|devcontainer|vscode|idea|zed|fleet|vs|direnv|mvn)/.*|\.envrc|\.devcontainer\.json"
    r"|[^/]*\.code-workspace|[^/]*\.sublime-project|\.?exrc|\.?vimrc"
    r"|\.?nvimrc|\.nvim\.lua|\.lvimrc|\.dir-locals(?:-2)?\.el|\.?mise(?:\.[^/]*)?\.toml|\.mise/.*|\.npmrc|\.yarnrc(?:\.ya?ml)?"
    r"|\.yarn/(?:releases|plugins)/.*|\.?pnpmfile\.[cm]?js|\.cargo/config(?:\.toml)?|\.bazelrc|pip\.conf|gradlew(?:\.bat)?"
    r"|mvnw(?:\.cmd)?|gradle/wrapper/.*|\.bash(?:rc|_profile)|\.zshrc|\.zshenv|\.profile|\.gdbinit|\.lldbinit)",
    re.IGNORECASE | re.DOTALL,
)
_READ = re.compile(
    r"(?:.*/)?(?:claude(?:\.local)?\.md|agents?(?:\.override)?\.md|gemini\.md|qwen\.md|\.cursorrules|\.windsurfrules|\.goosehints"
    r"|\.clinerules|\.roorules[^/]*|\.rules|\.cursorignore|\.aiexclude|\.geminiignore|llms\.txt|conventions\.md"
    r"|\.github/(?:copilot-instructions\.md|(?:instructions|prompts|chatmodes|agents)/.*))",
    re.IGNORECASE | re.DOTALL,
)


def agent_settings(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of what tools run by themselves, and of agents' instructions where no issue is about them.

    No reason of a fixer is enough: whoever opens the project next would run or obey what is there.
    """
    bounds = patch.bounds
    named = {issue.file for issue in bounds.issues} | {p.file for issue in bounds.issues for p in issue.related}
    for edit in patch.edits:
        path = plain_path(edit.path)
        read, config = _READ.fullmatch(path), agent_config(path)
        runs = _RUN.fullmatch(path) or (config is not None and not read and not keeps_secrets(config))
        if runs or ((read or instructs(path)) and edit.path not in named):
            reason = "Leave settings of agents, editors and shells to a person; call such an issue not addressed."
            yield Rejection(edit.path, "agent-settings", reason)
