#!/bin/sh
# Reviews a change in any CI system, and fails at the severity threshold. Options of selfreview gate may follow.
#
# SELFREVIEW_CI_BASE    what to compare with, and whose configuration is used: a branch, a tag or a commit. Else the target
#                       branch as Jenkins, Azure Pipelines, Bitbucket, Buildkite or Woodpecker name it.
# SELFREVIEW_CI_FORK    true for a change of another repository, false for one of this; nothing takes the careful side.
# SELFREVIEW_PROGRAM    the selfreview to run; else the one on PATH, or one that is installed for this run.
set -eu
trap '[ $? = 0 ] || { echo "error: the gate could not be started" >&2; exit 4; }' EXIT # 1 would mean issues

source='selfreview @ git+https://example.com/selfreview@TAG-OR-COMMIT'

target=${CHANGE_TARGET:-${SYSTEM_PULLREQUEST_TARGETBRANCH:-${BITBUCKET_PR_DESTINATION_BRANCH:-}}}
target=${target:-${BUILDKITE_PULL_REQUEST_BASE_BRANCH:-${CI_COMMIT_TARGET_BRANCH:-}}}
target=${target#refs/heads/}

if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    git fetch --quiet --unshallow origin
fi
if [ -z "${SELFREVIEW_CI_BASE:-}" ] && [ -n "$target" ]; then
    git fetch --quiet origin "+refs/heads/$target:refs/remotes/origin/$target"
    SELFREVIEW_CI_BASE=refs/remotes/origin/$target
    export SELFREVIEW_CI_BASE
fi

program=${SELFREVIEW_PROGRAM:-$(command -v selfreview || true)}
unset SELFREVIEW_PROGRAM
if [ -z "$program" ]; then
    venv=$(mktemp -d)
    # -I: nothing is imported from the change under review.
    python3 -I -m venv "$venv"
    "$venv/bin/python" -I -m pip install --quiet "$source"
    program=$venv/bin/selfreview
fi
exec "$program" gate "$@"
