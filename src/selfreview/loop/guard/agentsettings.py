"""What coding agents, editors, shells and package managers read, and run, by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_RUN = re.compile(
    r"(?:.*/)?(?:\.(?:claude|codex|gemini|cursor|windsurf|continue|kiro|roo|cline|clinerules|amazonq|augment|junie|opencode"
    r"|aider|qwen|crush|goose|specify|devcontainer|vscode|idea|zed|fleet|vs|direnv|mvn)/.*|\.?mcp\.json|\.claude\.json"
    r"|\.aider[^/]*|opencode\.jsonc?|\.envrc|\.devcontainer\.json|[^/]*\.code-workspace|[^/]*\.sublime-project|\.?exrc|\.?vimrc"
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
    """Reject edits of what tools run by themselves, and of what agents are told where no issue is about it.

    No reason of a fixer is enough: whoever opens the project next would run or obey what is there.
    """
    bounds = patch.bounds
    named = {issue.file for issue in bounds.issues} | {p.file for issue in bounds.issues for p in issue.related}
    for edit in patch.edits:
        path = plain_path(edit.path)
        if _RUN.fullmatch(path) or (_READ.fullmatch(path) and edit.path not in named):
            reason = "Leave settings of agents, editors and shells to a person; call such an issue not addressed."
            yield Rejection(edit.path, "agent-settings", reason)
