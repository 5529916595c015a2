"""The change under review, with its content, from a repository or a bare patch."""

from __future__ import annotations

import contextlib
import functools
import os
import posixpath
from collections.abc import Sequence
from pathlib import Path

import msgspec

from selfreview.app.state import (
    ConfiguredRun,
    DiffChange,
    DiffSource,
    Opened,
    OpenedRun,
    Prepared,
    RepoChange,
    RepoSource,
    SelectedRun,
)
from selfreview.errors import PluginError, UsageError
from selfreview.git.attributes import marked_files
from selfreview.git.collect_change import Collected, collect, elsewhere, is_wanted, left_out
from selfreview.git.commit_lines import Commits
from selfreview.git.content import RepoContent, tree_id
from selfreview.git.repo import Repo
from selfreview.git.scope import ScopeRequest
from selfreview.model.change import Change, ChangedFile, path_from_bytes
from selfreview.proc import Runner
from selfreview.review.context import Workbench
from selfreview.review.excluded_files import BY_CONFIGURATION, mark_by_content, mark_by_name, matcher


def open_patch(diff: bytes | Path, paths: Sequence[str], folder: Path) -> DiffChange:
    """Read a unified diff.

    Args:
        diff: Its bytes, or its file, relative to the folder.
        paths: Limit to these, as the patch names them; a folder stands for what is below.
        folder: An absolute path.

    Raises:
        UsageError: If it cannot be read.
        PatchError: If it is none.
    """
    from selfreview.git.bare_patch import PatchContent, parse_patch

    try:
        data = diff if isinstance(diff, bytes) else (folder / diff).read_bytes()
    except OSError as error:
        raise UsageError(f"{diff!s} cannot be read: {error.strerror or error}") from error
    patch = parse_patch(data)
    change = patch.change
    if paths:
        wanted = tuple(posixpath.normpath(path) for path in paths)
        files = tuple(file for file in change.files if is_wanted(file, wanted))
        others = len(change.files) - len(files)
        scope = msgspec.structs.replace(change.scope, partial=True, left_out=(elsewhere(others),) if others else ())
        change = msgspec.structs.replace(change, scope=scope, files=files)
    return DiffChange(change, PatchContent(patch))


def open_change(
    repo: Repo,
    request: ScopeRequest,
    collected: Collected | None = None,
    *,
    attributes: str | None = None,
    tells_left_out: bool = False,
) -> RepoChange:
    """Collect a change from a repository, unless that was done.

    Args:
        repo: The repository.
        request: What was asked for.
        collected: The change, where that was done.
        attributes: The commit whose ``.gitattributes`` say what is generated or vendored; by default what is there.
        tells_left_out: Whether it is looked for what the scope leaves out of the working tree.
    """
    collected = collect(repo, request) if collected is None else collected
    change = collected.change
    notes = [*change.scope.notes, *_uncommitted_note(collected), *_progress_note(repo)]
    omitted = left_out(repo, collected) if tells_left_out else ()
    if collected.elsewhere:
        omitted = (*omitted, elsewhere(collected.elsewhere, merge=not change.scope.partial))
    scope = msgspec.structs.replace(change.scope, notes=tuple(notes), left_out=omitted)
    marked = marked_files(collected.git, [file.path for file in change.files], attributes)
    files = tuple(
        msgspec.structs.replace(file, excluded=file.excluded or marked[file.path]) if file.path in marked else file
        for file in change.files
    )
    change = msgspec.structs.replace(change, scope=scope, files=files)
    return RepoChange(change, RepoContent(repo, collected), repo, collected)


def with_tree(change: Change, tree: str | None) -> Change:
    """Return the change with the id of the tree under review."""
    return msgspec.structs.replace(change, scope=msgspec.structs.replace(change.scope, tree=tree))


def read_change(run: SelectedRun) -> OpenedRun:
    """Open the change for the rest of the run, and mark its files that are not reviewed."""
    opened, prepared, bench = open_bench(run)
    return OpenedRun(**vars(run), opened=opened, bench=bench, prepared=prepared)


def open_bench(run: ConfiguredRun) -> tuple[Opened, Prepared, Workbench]:
    """Open the change for the rest of the run; the bench has it with its files marked."""
    opened = run.policy.open(run)
    with contextlib.ExitStack() as until_then:
        until_then.callback(opened.content.close)
        prepared = prepare(run, opened, whole=not run.request.collect_only)
        commits = reviewed_commits(run, opened.collected) if isinstance(opened, RepoChange) else None
        bench = Workbench(
            prepared.change, opened.content, run.config, Runner(), settings=run.terms.settings, commits=commits
        )
        until_then.pop_all()
    run.scope.whole.callback(bench.close)
    if isinstance(opened, RepoChange):
        bench.change = with_tree(bench.change, tree_id(opened.repo, opened.collected))
    run.scope.on_cancel(bench.cancel)
    return opened, prepared, bench


def open_requested(run: ConfiguredRun) -> Opened:
    """Open what the request asks for; its content is to be closed."""
    request = run.request
    if isinstance(run.source, DiffSource):
        return open_patch(run.source.diff, request.paths, request.folder)
    elsewhere = request.staged or request.commit or request.range
    configured = None if elsewhere else run.config["base"] or None
    asked = ScopeRequest(
        base=request.base if request.base is not None else configured,
        head=request.head,
        staged=request.staged,
        commit=request.commit,
        range=request.range,
        paths=run.paths,
        merge=request.merge,
        checked_out=run.terms.checked_out,
    )
    return open_change(run.source.repo, asked, attributes=run.terms.attributes, tells_left_out=run.policy.waits)


def prepare(run: ConfiguredRun, opened: Opened, *, whole: bool) -> Prepared:
    """Mark the files of a change that are not reviewed.

    Args:
        run: The run.
        opened: The change, which may be that of a workspace.
        whole: Whether reviewers will read the content.
    """
    config = run.config
    change = mark_by_name(opened.change, config["exclude"], functools.partial(_ignored, run))
    change, by_name = run.terms.reconsider(change, opened, config)
    change, unreadable = mark_by_content(change, opened.content, config["max_file_bytes"], whole=whole)
    change, by_content = run.terms.reconsider(change, opened, config)
    return Prepared(change, unreadable, {**by_name, **by_content})


def reviewed_commits(run: ConfiguredRun, collected: Collected) -> Commits | None:
    """Return the commits that are reviewed one by one, or None where there are none."""
    if not isinstance(run.source, RepoSource) or not collected.resolved.commits:
        return None
    patterns = tuple(run.config["exclude"])
    matches = matcher(patterns)

    def excluded(file: ChangedFile) -> str | None:
        return BY_CONFIGURATION if matches(file.path) else _ignored(run, file)

    return Commits(run.source.repo, collected, excluded, run.paths, (*patterns, run.policy.where))


def _ignored(run: ConfiguredRun, file: ChangedFile) -> str | None:
    """Return why a plugin says that a file is not reviewed, or None.

    Raises:
        PluginError: If it says what is none.
    """
    reason = run.manager.call("selfreview_ignore_file", file=file, config=run.config)
    if reason is not None and not (isinstance(reason, str) and reason.strip()):
        raise PluginError(
            f"a plugin answered selfreview_ignore_file with {reason!r}",
            hint="answer the reason as text, or None",
        )
    return reason or None


def _uncommitted_note(collected: Collected) -> list[str]:
    """Say how much of a branch's change is not committed."""
    total = len(collected.change.files)
    dirty = sum(1 for file in collected.change.files if file.path in collected.uncommitted)
    if collected.resolved.scope.mode != "branch" or not dirty:
        return []
    if dirty == total:
        return ["nothing of this is committed yet"]
    return [f"{dirty} of {total} files hold changes that are not committed yet"]


def _progress_note(repo: Repo) -> list[str]:
    what = repo.in_progress()
    return [f"a {what} is in progress"] if what else []


def repo_paths(repo: Repo, paths: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Turn paths, relative to a folder, into paths from the top level.

    Raises:
        UsageError: If one is outside of the repository, or neither there nor known to git.
    """
    result = []
    for text in paths:
        absolute = Path(os.path.normpath(folder / text))
        # The folder above is resolved, the last part is not: a link is reviewed as a link.
        try:
            relative = (absolute.parent.resolve() / absolute.name).relative_to(repo.root.resolve())
        except ValueError:
            if absolute.resolve() != repo.root.resolve():
                raise UsageError(f"{text!r} is outside of the repository {repo.root}") from None
            relative = Path()
        name = path_from_bytes(os.fsencode(relative.as_posix()))
        name = "" if name == "." else name
        if not os.path.lexists(absolute) and not _tracked(repo, name):
            raise UsageError(f"there is no file or folder {text!r}", hint="paths are relative to the current folder")
        result.append(name)
    return tuple(result)


def _tracked(repo: Repo, name: str) -> bool:
    """Return whether the index, HEAD or history contains a path that is missing from the working tree."""
    raw = name.encode("utf-8", "surrogateescape")
    if repo.git.run(["ls-files", "-z", "--", raw]):
        return True
    return bool(repo.git.line([b"rev-list", b"-1", b"--all", b"--", raw]))
