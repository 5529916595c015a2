"""GitLab CI: its predefined variables.

Source: https://docs.gitlab.com/ci/variables/predefined_variables/
"""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.ci.found import CiChange, commit_or_none, remote_branch


def from_gitlab(environ: Mapping[str, str]) -> CiChange | None:
    """Return the change of a merge request's pipeline or a branch's on GitLab, or None elsewhere."""
    if environ.get("GITLAB_CI") != "true":
        return None
    if environ.get("CI_MERGE_REQUEST_IID"):
        return _merge_request(environ)
    # Pipelines of other sources may be about anything, such as a pull request of an external repository.
    fork = False if environ.get("CI_PIPELINE_SOURCE") == "push" else None
    default, branch = environ.get("CI_DEFAULT_BRANCH") or None, environ.get("CI_COMMIT_BRANCH") or None
    if default is not None and branch != default:
        return CiChange(system="GitLab CI", bases=remote_branch(default), fork=fork, target=default)
    before = commit_or_none(environ.get("CI_COMMIT_BEFORE_SHA"))
    kind = environ.get("CI_PIPELINE_SOURCE", "")
    if before is None and kind == "push":
        kind = "push, the first one of its branch"
    return CiChange(system="GitLab CI", bases=(before,) if before else (), fork=fork, target=branch, kind=kind)


def _merge_request(environ: Mapping[str, str]) -> CiChange:
    target = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or None
    # The tip is known to pipelines for merged results only; the merge base to all.
    tip = commit_or_none(environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"))
    ancestor = commit_or_none(environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"))
    source, project = environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"), environ.get("CI_MERGE_REQUEST_PROJECT_ID")
    bases = (*((tip,) if tip else ()), *remote_branch(target), *((ancestor,) if ancestor else ()))
    return CiChange(
        system="GitLab CI",
        bases=bases,
        merged=commit_or_none(environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")),
        fork=source != project if source and project else None,
        target=target,
    )
