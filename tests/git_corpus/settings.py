"""Configuration that changes what `git diff` prints, or names a program: the review must not notice."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .expect import added, renamed
from .mixed import COMMITTED, PENDING, SINCE_FIRST, STAGED, WHOLE, mixed
from .registry import case, register
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

SETTINGS: dict[str, dict[str, str]] = {
    "noprefix": {"diff.noprefix": "true"},
    "mnemonic_prefix": {"diff.mnemonicPrefix": "true"},
    "src_and_dst_prefix": {"diff.srcPrefix": "old/", "diff.dstPrefix": "new/"},
    "colour_always": {"color.ui": "always", "color.diff": "always", "color.status": "always"},
    "colour_moved": {"color.diff": "always", "diff.colorMoved": "zebra", "diff.wsErrorHighlight": "all"},
    "no_context": {"diff.context": "0"},
    "much_context": {"diff.context": "25", "diff.interHunkContext": "10"},
    "patience": {"diff.algorithm": "patience"},
    "histogram": {"diff.algorithm": "histogram", "diff.indentHeuristic": "false"},
    "suppress_blank_empty": {"diff.suppressBlankEmpty": "true"},
    "renames_copies": {"diff.renames": "copies"},
    "renames_off": {"diff.renames": "false", "merge.renames": "false", "status.renames": "false"},
    "quote_path": {"core.quotePath": "false"},
    "abbreviation": {"core.abbrev": "4"},
    "big_file_threshold": {"core.bigFileThreshold": "10"},
    "status": {
        "status.showUntrackedFiles": "no",
        "status.short": "true",
        "status.branch": "true",
        "status.relativePaths": "true",
    },
    "untracked_cache": {"core.untrackedCache": "true"},
    "ignore_case": {"core.ignoreCase": "true"},
    "many_files": {"feature.manyFiles": "true", "feature.experimental": "true"},
    "no_preload": {"core.preloadIndex": "false", "core.checkStat": "minimal", "core.trustctime": "false"},
    "log_settings": {
        "log.showSignature": "true",
        "log.decorate": "full",
        "log.diffMerges": "off",
        "format.pretty": "oneline",
        "i18n.logOutputEncoding": "latin1",
        "log.follow": "true",
        "log.date": "relative",
        "log.showRoot": "false",
    },
    "submodule_settings": {"diff.submodule": "log", "diff.ignoreSubmodules": "all", "submodule.recurse": "true"},
    "of_other_commands": {
        "diff.wordRegex": "[a-z]+",
        "diff.dirstat": "lines",
        "diff.statGraphWidth": "3",
        "diff.tool": "none",
        "diff.noSuchKey": "1",
        "push.default": "nothing",
        "pull.rebase": "true",
    },
}


def under(settings: dict[str, str], lab: Lab) -> Iterator[Check]:
    """Commits, index and tree under one set of settings."""
    yield mixed(lab).config(settings).check(*SINCE_FIRST, files=WHOLE)


for situation, values in SETTINGS.items():
    register(f"settings.{situation}", partial(under, values), needs="linux" if situation == "ignore_case" else "any")


@case()
def everything_at_once(lab: Lab) -> Iterator[Check]:
    """All of these settings together, in every scope."""
    repo = mixed(lab)
    for settings in SETTINGS.values():
        repo.config(settings)
    yield repo.check(files=PENDING)
    yield repo.check("--staged", files=STAGED)
    yield repo.check("--commit", "HEAD", files=COMMITTED)
    yield repo.check("--base", "HEAD~1", "--head", "HEAD", files=COMMITTED)


@case()
def relative(lab: Lab) -> Iterator[Check]:
    """`diff.relative` hides what is outside the current folder."""
    repo = mixed(lab).config({"diff.relative": "true"})
    yield repo.check(files=PENDING, sub="src")
    yield repo.check("--staged", files=STAGED, sub="src")
    yield repo.check("--commit", "HEAD", files=COMMITTED, sub="src")


@case()
def order_file(lab: Lab) -> Iterator[Check]:
    order = lab.root / "order"
    order.write_text("src/*\nmoved.txt\n*\n")
    repo = mixed(lab).config({"diff.orderFile": str(order)})
    yield repo.check(*SINCE_FIRST, files=WHOLE)


@case()
def order_file_that_is_missing(lab: Lab) -> Iterator[Check]:
    """Plain `git diff` dies of this."""
    repo = mixed(lab).config({"diff.orderFile": str(lab.root / "missing")})
    yield repo.check(*SINCE_FIRST, files=WHOLE)


@case()
def attributes_file_of_the_person(lab: Lab) -> Iterator[Check]:
    attributes = lab.home / "attributes"
    attributes.write_text("* -diff\n")
    repo = mixed(lab).config({"core.attributesFile": str(attributes)})
    yield repo.check(*SINCE_FIRST, files=WHOLE)


@case()
def the_same_in_the_persons_own_configuration(lab: Lab) -> Iterator[Check]:
    repo = mixed(lab)
    lab.global_config.write_text(
        "[diff]\n\tnoprefix = true\n\trenames = false\n\tcontext = 9\n[color]\n\tui = always\n"
    )
    yield repo.check(files=PENDING)
    yield repo.check("--staged", files=STAGED)
    yield repo.check("--commit", "HEAD", files=COMMITTED)


PROGRAMS: dict[str, tuple[str, ...]] = {
    "external_diff": ("diff.external",),
    "pagers": ("core.pager", "pager.diff", "pager.log", "pager.status", "pager.show", "pager.ls-files"),
    "editors_and_helpers": ("core.editor", "core.askPass", "credential.helper", "core.sshCommand", "gpg.program"),
    "filter_nobody_uses": ("filter.f.clean", "filter.f.smudge", "filter.f.process"),
}


def with_programs(keys: tuple[str, ...], lab: Lab) -> Iterator[Check]:
    """None of the programs may run, in any scope."""
    program, marker = lab.trap()
    repo = mixed(lab).config(dict.fromkeys(keys, str(program)))
    yield repo.check(*SINCE_FIRST, files=WHOLE, never=(marker,))


for situation, names in PROGRAMS.items():
    register(f"settings.program_{situation}", partial(with_programs, names), needs="posix")


@case("posix")
def program_fsmonitor(lab: Lab) -> Iterator[Check]:
    """Git asks this program before it looks at the tree; a repository can bring it along."""
    program, marker = lab.trap()
    repo = mixed(lab).config({"core.fsmonitor": str(program), "core.fsmonitorHookVersion": "2"})
    yield repo.check(files=PENDING, never=(marker,))
    yield repo.check("--base", "HEAD~1", "--head", "HEAD", files=COMMITTED, never=(marker,))


HOOKS = (
    "post-index-change",
    "reference-transaction",
    "post-checkout",
    "pre-commit",
    "fsmonitor-watchman",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "applypatch-msg",
)


def with_hooks(lab: Lab, folder: Path) -> Iterator[Check]:
    """Every hook that a command could set off sets a mark instead."""
    marker = lab.trap()[1]
    repo = mixed(lab)
    target = repo.path / folder
    target.mkdir(exist_ok=True)
    for name in HOOKS:
        (target / name).write_text(f'#!/bin/sh\n: >"{marker}"\n')
        (target / name).chmod(0o755)
    if folder.name != "hooks":
        repo.config({"core.hooksPath": str(folder)})
    repo.at("src/app.txt").touch()  # the index has old stat data, so a careless command would refresh it
    yield repo.check(*SINCE_FIRST, files=WHOLE, never=(marker,))
    yield repo.check("--staged", files=STAGED, never=(marker,))


@case("posix")
def program_hooks(lab: Lab) -> Iterator[Check]:
    yield from with_hooks(lab, Path(".git/hooks"))


@case("posix")
def program_hooks_path(lab: Lab) -> Iterator[Check]:
    yield from with_hooks(lab, Path(".git/elsewhere"))


@case()
def root_commit_without_show_root(lab: Lab) -> Iterator[Check]:
    """`log.showRoot=false` makes `git show` of a root commit empty."""
    repo = mixed(lab).config({"log.showRoot": "false"})
    root = [("gone.txt", 3), ("old name.txt", 12), ("src/app.txt", 20)]
    yield repo.check("--commit", "HEAD~1", files=[added(name, count) for name, count in root])


@case()
def included_file(lab: Lab) -> Iterator[Check]:
    """`include.path` brings settings from anywhere."""
    (lab.root / "more").write_text("[diff]\n\tnoprefix = true\n\trenames = false\n[core]\n\tquotePath = true\n")
    repo = mixed(lab).config({"include.path": str(lab.root / "more")})
    yield repo.check(*SINCE_FIRST, files=WHOLE)


@case()
def configuration_of_the_worktree(lab: Lab) -> Iterator[Check]:
    repo = mixed(lab).config({"extensions.worktreeConfig": "true"})
    repo.git("config", "--worktree", "diff.noprefix", "true")
    yield repo.check(files=PENDING)


@case()
def rename_limit(lab: Lab) -> Iterator[Check]:
    """A limit of one would turn edited renames into deletions and additions."""
    repo = lab.repo({f"{number}.txt": text(20, tag=f"tag{number}") for number in range(4)})
    for number in range(4):
        repo.at(f"{number}.txt").unlink()
        repo.write({f"new{number}.txt": text(20, {7: "seven"}, tag=f"tag{number}")})
    repo.config({"diff.renameLimit": "1", "merge.renameLimit": "1"})
    yield from repo.everywhere([renamed(f"{n}.txt", f"new{n}.txt", 7, removed=1) for n in range(4)], "tree", "commit")
