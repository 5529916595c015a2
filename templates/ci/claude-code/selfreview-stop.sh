#!/bin/sh
# Claude Code runs this before it stops: while the change does not pass, it is told why and goes on, once.
# The embedded reviewers only: nothing is sent anywhere, and nothing is changed.
set -u
cd "${CLAUDE_PROJECT_DIR:-.}" || exit 1

# Whether it went on once already; in text of the conversation, the quotes would be escaped.
again=false
case $(cat) in
*'"stop_hook_active":true'* | *'"stop_hook_active": true'*) again=true ;;
esac

if ! command -v selfreview >/dev/null 2>&1; then
    echo 'selfreview is not on PATH, so nothing was reviewed' >&2
    exit 1 # shown to the person; Claude Code stops
fi
report=$(selfreview run --no-fix --offline --format concise 2>&1)
code=$?
case $code in
0) exit 0 ;;
1) ;;
*)
    printf '%s\n' "$report" "selfreview could not review (exit code $code)" >&2
    exit 1
    ;;
esac
if [ "$again" = true ]; then
    echo '{"systemMessage": "selfreview still finds issues that block: selfreview status lists them"}'
    exit 0
fi
printf '%s\n' "$report" '' \
    'selfreview found issues that block. Mend them, or tell the person why one of them is wrong. Suppress none.' >&2
exit 2 # what stands on standard error is for Claude Code, and it goes on
