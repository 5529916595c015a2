#!/usr/bin/env bash
# Post the report on the pull request, or edit the one that an earlier run posted. A hidden mark tells it apart.
set -euo pipefail

mark='<!-- selfreview: gate -->'
limit=60000 # GitHub takes 65,536 characters
body=$RUNNER_TEMP/selfreview/body.md
export GH_HOST=${GITHUB_SERVER_URL#*://}
cd "$RUNNER_TEMP"

# Only what this token posted: anybody can write the mark.
# shellcheck disable=SC2016 # GraphQL's variables, not the shell's
query='query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $endCursor) {
        pageInfo { hasNextPage endCursor }
        nodes { databaseId viewerDidAuthor body }
      }
    }
  }
}'

post() {
  local found
  found=$(gh api graphql --paginate -f owner="${GITHUB_REPOSITORY%%/*}" -f name="${GITHUB_REPOSITORY#*/}" \
    -F number="$PULL_REQUEST" -f query="$query" --jq ".data.repository.pullRequest.comments.nodes[]
      | select(.viewerDidAuthor and (.body | startswith(\"$mark\"))) | .databaseId") || return 1
  found=${found%%$'\n'*}
  if [[ -n $found ]]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$found" -F body=@"$body"
  elif [[ $PASSED == true && $OPEN_ISSUES == 0 ]]; then
    echo 'selfreview: nothing to say, and no earlier comment to edit'
  else
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" -F body=@"$body"
  fi
}

{
  echo "$mark"
  awk -v limit="$limit" '{ size += length($0) + 1 } size > limit { print "\n(cut off here)"; exit } { print }' "$COMMENT_FILE"
} >"$body"

# The gate has decided already: a comment that cannot be posted changes nothing of that.
if ! post; then
  echo '::warning title=selfreview::The comment could not be posted: the job needs pull-requests: write.'
fi
