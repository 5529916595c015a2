"""Settings of agents, editors, CI services and of the review itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.guard.model import Rejection
from selfreview.guard.patch import Patch, text_of
from selfreview.guard.paths import plain_path
from selfreview.guard.tables import Table, read_toml
from selfreview.llm.transport.withheld import agent_settings as agent_config
from selfreview.llm.transport.withheld import instructs, keeps_secrets

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


_CI = re.compile(
    r"(?:.*/)?(?:\.github/(?:workflows|actions)/.*|\.(?:gitea|forgejo)/workflows/.*|\.circleci/.*|\.buildkite/.*"
    r"|\.woodpecker/.*|\.gitlab/ci/.*|\.teamcity/.*|\.semaphore/.*|\.azure-pipelines/.*|\.gitlab-ci[^/]*\.ya?ml"
    r"|\.travis\.ya?ml|\.?appveyor\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.ya?ml|buildspec\.ya?ml"
    r"|cloudbuild\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml|\.cirrus\.(?:ya?ml|star)|\.drone\.(?:ya?ml|star|jsonnet)"
    r"|\.woodpecker\.ya?ml|\.build\.ya?ml|\.builds/.*|buildkite\.ya?ml|jenkinsfile[^/]*|action\.ya?ml"
    r"|\.github/dependabot\.ya?ml|\.github/codeowners|codeowners)",
    re.IGNORECASE | re.DOTALL,
)


def ci_workflow(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of what a continuous integration service reads."""
    for edit in patch.edits:
        if _CI.fullmatch(plain_path(edit.path)):
            reason = "Leave CI workflows to a person; call an issue in one not addressed, and say what to change."
            yield Rejection(edit.path, "ci-workflow", reason)


_OWN = re.compile(
    r"(?:.*/)?(?:\.?selfreview\.(?:toml|lock)|selfreview_conf\.py|\.selfreview/.*|\.?selfreview[-_.]baseline[^/]*"
    r"|\.selfreviewignore|\.gitattributes)",
    re.IGNORECASE | re.DOTALL,
)


def own_configuration(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of selfreview's configuration, plugins and baseline, and of what takes files out of a review."""
    for edit in patch.edits:
        name = plain_path(edit.path).rpartition("/")[2].casefold()
        shared = name == "pyproject.toml" and _own(text_of(edit.old)) != _own(text_of(edit.new))
        if shared or _OWN.fullmatch(plain_path(edit.path)) or edit.path == patch.bounds.config["baseline"]:
            reason = "Fix the code, not the way it is reviewed: leave selfreview's configuration as it is."
            yield Rejection(edit.path, "own-configuration", reason)


def _own(text: str) -> Table:
    """Return selfreview's tables of a ``pyproject.toml``; none where it cannot be read, which others look at."""
    tool = (read_toml(text) or {}).get("tool")
    return (
        {name: value for name, value in tool.items() if name.startswith("selfreview")} if isinstance(tool, dict) else {}
    )
