"""CI workflows, which run on the servers of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

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
