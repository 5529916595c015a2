#!/usr/bin/env bash
# Install the selfreview of this very checkout, so that a version of the action is a version of the tool.
set -euo pipefail

# 1 would mean issues.
trap '[[ $? == 0 ]] || { echo "::error title=selfreview::It could not be installed: the log says why."; exit 4; }' EXIT

# -I: the current folder holds the change under review, and nothing is imported from there.
venv=$RUNNER_TEMP/selfreview/venv
"$INPUT_PYTHON" -I -m venv "$venv"
programs=$venv/bin
[[ -d $programs ]] || programs=$venv/Scripts
"$programs/python" -I -m pip install --quiet --disable-pip-version-check --only-binary :all: "$GITHUB_ACTION_PATH"
echo "program=$programs/selfreview" >>"$GITHUB_OUTPUT"
