"""What a person has set in git changes nothing of what is read from it, or of what is done with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import (
    RENAMED,
    SUGGESTED,
    commits,
    configure,
    fix,
    hook,
    model,
    push_there,
    suggest,
    talk,
)

pytestmark = pytest.mark.long

SETTINGS = {
    "log": {"log.showSignature": "true", "log.follow": "true", "log.decorate": "full", "log.date": "raw",
            "log.abbrevCommit": "true", "log.diffMerges": "on", "format.pretty": "oneline"},
    "colours": dict.fromkeys(("color.ui", "color.diff", "color.status", "color.branch", "color.remote", "color.push",
                              "color.transport", "color.grep"), "always"),
    "diff": {"diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.external": "false", "diff.renames": "copies",
             "diff.context": "0", "diff.submodule": "log", "diff.relative": "true", "diff.algorithm": "patience",
             "diff.wsErrorHighlight": "all", "diff.colorMoved": "zebra", "diff.interHunkContext": "9"},
    "status": {"status.short": "true", "status.branch": "true", "status.showStash": "true", "status.renames": "copies",
               "status.relativePaths": "true", "status.showUntrackedFiles": "no", "column.ui": "always"},
    "encodings": {"i18n.commitEncoding": "ISO-8859-1", "i18n.logOutputEncoding": "UTF-16", "core.quotePath": "true"},
    "pagers": {"core.pager": "false", "pager.log": "false", "pager.diff": "false", "pager.config": "false",
               "core.editor": "false", "sequence.editor": "false"},
    "remotes": {"push.default": "nothing", "push.followTags": "true", "push.recurseSubmodules": "only",
                "fetch.prune": "true", "fetch.pruneTags": "true", "remote.origin.tagOpt": "--tags",
                "push.useForceIfIncludes": "true", "fetch.output": "compact"},
    "moves": {"merge.ff": "false", "merge.autoStash": "true", "branch.topic.mergeOptions": "--squash",
              "rebase.updateRefs": "true", "rebase.autoStash": "true", "rebase.autoSquash": "true",
              "rebase.backend": "apply", "rebase.forkPoint": "true", "pull.rebase": "true"},
    "commits": {"commit.cleanup": "scissors", "commit.verbose": "true", "commit.template": "no-such-file",
                "commit.status": "true", "core.commentChar": "S", "add.ignoreErrors": "true"},
}  # fmt: skip


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_fix_is_made_found_again_and_brought_on_top_whatever_is_set(lab: Lab, kind: str) -> None:
    configure(lab)
    hook(lab.workspace.root / ".git" / "hooks", "post-commit", "git branch --force kept")
    for name, value in SETTINGS[kind].items():
        lab.workspace.git("config", name, value)
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED
    assert "nothing" in fix(lab, pull).out
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk(during=lambda: push_there(lab, "théirs.py", "theirs = 1\n"))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == RENAMED.replace("n * 2", "n + n")
    assert len(commits(lab)) == 2
    assert lab.workspace.git("rev-parse", "kept") != lab.head()  # what else is at a commit stays there
    assert lab.workspace.git("diff-index", "--name-only", "HEAD") == ""


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="makes no keys here")
def test_signed_commits_whose_signatures_are_shown_are_read(lab: Lab, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    shown = {"gpg.format": "ssh", "user.signingKey": str(key), "commit.gpgSign": "true", "log.showSignature": "true"}
    for name, value in shown.items():
        lab.workspace.git("config", name, value)
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (len(commits(lab)), lab.file() == APP) == (1, False)
    assert "nothing" in fix(lab, pull).out
