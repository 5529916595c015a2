#!/usr/bin/env bash
# Run the gate with the action's inputs. Its exit code is the step's.
set -euo pipefail

reports=$RUNNER_TEMP/selfreview
mkdir -p "$reports"

say() { # LEVEL TEXT
  echo "::$1 title=selfreview::$2"
}

output() { # NAME VALUE
  echo "$1=$2" >>"$GITHUB_OUTPUT"
}

refuse() { # TEXT
  say error "$1"
  exit 4
}

is_true() { # NAME VALUE
  case $2 in
  true) return 0 ;;
  false | '') return 1 ;;
  *) refuse "the input $1 is neither true nor false" ;;
  esac
}

# 1 means issues, and only the gate says so.
decided=false
trap '[[ $decided == true || $? == 4 ]] || refuse "The step broke off: the log says why."' EXIT

# Until a report says otherwise: a step that broke off has not passed.
output status error
output verdict ''
output passed false
output open-issues ''

# There, what is checked out is the base: nothing would be reviewed, and code of a fork must not run beside secrets.
if [[ ${GITHUB_EVENT_NAME:-} == pull_request_target ]]; then
  refuse 'pull_request_target does not check out the change; run the gate on pull_request'
fi

# A pull request of a fork, and one of Dependabot, has no secrets and a token that only reads.
limited=false
if [[ -n ${PULL_REQUEST:-} ]]; then
  if [[ ${PULL_REQUEST_FROM:-} != "$GITHUB_REPOSITORY" || ${PULL_REQUEST_AUTHOR:-} == 'dependabot[bot]' ]]; then
    limited=true
  fi
fi

if [[ -n ${INPUT_API_KEY:-} ]]; then
  export ANTHROPIC_API_KEY=$INPUT_API_KEY
fi
unset INPUT_API_KEY

words() { # TEXT: one word a line
  tr -s ', \t\r\n' '\n' <<<"$1" | sed '/^$/d'
}

arguments=(gate)

each() { # OPTION TEXT
  local word
  while IFS= read -r word; do
    arguments+=("$1=$word")
  done < <(words "$2")
}

if [[ $limited == true && -z ${ANTHROPIC_API_KEY:-} ]] && words "$INPUT_REVIEWERS" | grep -x claude >/dev/null; then
  say notice 'This pull request gets no secrets, so no model reviewed it: the built-in reviewers did.'
  INPUT_REVIEWERS=$(words "$INPUT_REVIEWERS" | grep -vx claude || true)
fi
each --reviewer "$INPUT_REVIEWERS"
each --require "$INPUT_REQUIRE"
each --accept "$INPUT_ACCEPT"
[[ -z $INPUT_FAIL_ON ]] || arguments+=("--fail-on=$INPUT_FAIL_ON")
[[ -z $INPUT_BASE ]] || arguments+=("--base=$INPUT_BASE")
if is_true allow-head-code "$INPUT_ALLOW_HEAD_CODE"; then
  arguments+=(--allow-head-code)
fi
if is_true annotations "$INPUT_ANNOTATIONS"; then
  arguments+=(--format=github)
else # the outputs and the summary all the same
  arguments+=(--format=terminal "--format=github:$reports/annotations.txt")
fi

comment=
if is_true comment "$INPUT_COMMENT"; then
  comment=$reports/comment.md
  arguments+=("--format=markdown:$comment")
fi

upload=false
if is_true upload-sarif "$INPUT_UPLOAD_SARIF"; then
  upload=true
fi
sarif=${INPUT_SARIF_FILE//[$'\r\n']/}
case $sarif in
'') [[ $upload == false ]] || sarif=$reports/selfreview.sarif ;;
/* | [A-Za-z]:*) ;;
*) sarif=$GITHUB_WORKSPACE/$sarif ;;
esac
[[ -z $sarif ]] || arguments+=("--format=sarif:$sarif")

while IFS= read -r line; do # the last ones: a line "--" ends the options
  line=${line%$'\r'}
  [[ -z $line ]] || arguments+=("$line")
done <<<"$INPUT_ARGS"

# The change can make a folder of the workspace a link to elsewhere, where nothing is for it to remove.
stays() { # FILE
  local folder workspace
  [[ $1 == "$GITHUB_WORKSPACE"/* ]] || return 0
  workspace=$(cd -P -- "$GITHUB_WORKSPACE" && pwd -P)
  folder=$(cd -P -- "$(dirname -- "$1")" 2>/dev/null && pwd -P) || return 0 # not there yet
  [[ $folder/ == "$workspace"/* ]]
}
[[ -z $sarif ]] || stays "$sarif" || refuse 'the folder of sarif-file leads out of the workspace'

# What is there is of an earlier step, or a link that the change made. The gate refuses a folder.
for file in "$comment" "$sarif"; do
  [[ -z $file || -d $file ]] || rm -f -- "$file"
done

cd "$GITHUB_WORKSPACE/$INPUT_WORKING_DIRECTORY" ||
  refuse 'working-directory names no folder of the workspace that can be entered'

# A report for people quotes the change, and the runner must find no commands in it.
quiet=
if [[ " ${arguments[*]} " == *' --format=terminal '* ]]; then
  quiet=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$quiet"
fi
code=0
"$INPUT_PROGRAM" "${arguments[@]}" || code=$?
[[ -z $quiet ]] || echo "::$quiet::"

status=$(sed -n 's/^status=//p' "$GITHUB_OUTPUT" | tail -n 1) # what the report said, if there is one
whole=false # code scanning closes the alerts that an uploaded report does not repeat
[[ $code != 1 || $status != error ]] || code=3 # no report of issues: it broke off
case $code in
0 | 1) [[ $status != complete ]] || whole=true ;;
5) ;;
*) say error "The gate could not run (exit code $code): the log says why." ;;
esac

if [[ -n $sarif && -f $sarif ]]; then
  output sarif-file "$sarif"
  if [[ $upload == true && $whole == true && $limited == false ]]; then
    output upload-file "$sarif"
  elif [[ $upload == true && $whole == true ]]; then
    say notice 'This pull request has a token that only reads: nothing was uploaded to code scanning.'
  fi
fi
if [[ -n $comment && -f $comment && -n ${PULL_REQUEST:-} ]]; then
  if [[ $limited == false ]]; then
    output comment-file "$comment"
  else
    say notice 'This pull request has a token that only reads: the report is in the summary, and no comment was posted.'
  fi
fi
decided=true
exit "$code"
