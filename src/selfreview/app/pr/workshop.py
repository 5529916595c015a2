"""Ports of a fix cycle on this machine: the working tree, the model, the fixers, the checks."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Sequence
from pathlib import Path

from selfreview.api import Analysis, ChangeRequest, CreatesRequests, Cycle, Document, Feedback, FeedbackItem, Judged
from selfreview.app.loading import find_repo, load_project, open_store, patches_folder, why_off
from selfreview.app.pr.fix import check_fix, feedback_policy, fix_feedback, occasion
from selfreview.app.pr.forge import is_of
from selfreview.app.pr.opened import OpenedRequest
from selfreview.app.pr.readers import (
    AgentReader,
    ChosenAgent,
    ModelReader,
    NoReader,
    choose_reader,
    read_nothing,
    read_nothing_because,
)
from selfreview.app.pr.request import FeedbackRequest
from selfreview.app.pr.worktrees import tree_of
from selfreview.app.request import RunRequest
from selfreview.app.state import Run, RunScope
from selfreview.app.ui import Ui
from selfreview.apply.applier import Applier
from selfreview.apply.patches import PatchStore
from selfreview.config.sources import commit_reader
from selfreview.errors import CycleError, NotHereError
from selfreview.git.objects import REGULAR, list_tree, read_blobs
from selfreview.git.repo import Repo
from selfreview.git.revisions import only_commit
from selfreview.git.worktree_files import read_file
from selfreview.model.change import path_bytes, path_from_bytes
from selfreview.model.wire import utc_now
from selfreview.pullrequest.feedback.analysis import CachedReader, analyse
from selfreview.pullrequest.feedback.issues import as_issues, in_place_already, key_of
from selfreview.pullrequest.feedback.marks import block_key
from selfreview.pullrequest.feedback.trust import Policy
from selfreview.pullrequest.fix_outcome import Fixed
from selfreview.pullrequest.git.branch import Branch
from selfreview.pullrequest.git.landing import Landing
from selfreview.pullrequest.git.remotes import demand_one_place
from selfreview.refine.recorder import Recorder

_BLAMED = re.compile(r"([0-9a-f]{40,64}) \d+ \d+ \d+$")


class LocalWorkshop:
    """Ports that work in the person's repository, and in the branch's working tree.

    Args:
        found: The pull request.
        asked: How its feedback is to be answered.
        ui: The front end.
        scope: What cancels the runs within it; None: nothing does.
        recorder: Of the branch's session, which is told of the reviews; None: nobody is.
    """

    def __init__(
        self,
        found: OpenedRequest,
        asked: FeedbackRequest,
        ui: Ui,
        scope: RunScope | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._project = found.project
        self._repo = found.repo
        self._place = found.place
        self._own = found.own
        self._asked = asked
        self._ui = ui
        self._scope = scope or RunScope()
        self._recorder = recorder

    def branch(self, request: ChangeRequest) -> Branch:
        """Return the pull request's branch in its working tree.

        Raises:
            NotHereError: If no working tree has it.
            CycleError: If it is another repository's, or would be pushed to one, or is the default branch.
            ForgeError: If the forge cannot be asked which one that is.
        """
        if not request.same_repository:
            where = request.head_repository or "a repository that is gone"
            may = "people who may write here can push there" if request.may_push else "its author alone can push there"
            raise CycleError(f"the branch is in {where}, where nothing is pushed by selfreview: {may}")
        config = self._project.config
        if config["feedback.max_fix_cycles"]:  # else nothing is pushed
            if not config["feedback.fix_default_branch"]:
                self._demand_other_than_default(request)
            demand_one_place(self._repo, self._place.remote, lambda url: is_of(self._place, url, config))
        recreate = config["feedback.recreate_worktree"]
        folder = tree_of(self._repo, self._place.remote, request.head, recreate=recreate)
        repo = find_repo(folder, self._ui)
        if repo.root.resolve() != Path(folder).resolve():
            raise NotHereError(f"{folder} is no working tree any more")
        return Branch(repo, self._place.remote, request.head, os.environ)

    def _demand_other_than_default(self, request: ChangeRequest) -> None:
        """Refuse the default branch: what is pushed there is merged already.

        Raises:
            CycleError: If it is that.
            ForgeError: If the forge cannot be asked.
        """
        connection = self._place.connection
        if isinstance(connection, CreatesRequests) and connection.default_branch() == request.head:
            raise CycleError(
                f"{request.head} is the repository's default branch, where nothing is pushed by selfreview",
                hint="feedback.fix_default_branch = true allows it",
            )

    def why_off(self, branch: Branch) -> str | None:
        """Return that selfreview is switched off by the base's settings, as a sentence, or None."""
        options = self._asked.loading
        if self._own:
            return why_off(load_project(branch.repo, self._ui, options).config)
        commit = only_commit(branch.repo.git, self._base(self._request))
        if commit is None:
            return None
        read = commit_reader(branch.repo.git, commit)
        options = dataclasses.replace(options, read_repo_file=read)
        return why_off(load_project(branch.repo, self._ui, options).config)

    def landing(self, branch: Branch, request: ChangeRequest) -> Landing:
        """Return the port that lands fixes on the branch."""
        return Landing(
            branch,
            Applier(branch.repo, PatchStore(patches_folder(branch.repo)), self._ui.uninterrupted),
            f"{self._place.location.path}#{request.number}",
            self._base(request),
            hooks=self._own,
            now=utc_now,
        )

    def _base(self, request: ChangeRequest) -> str:
        return f"refs/remotes/{self._place.remote}/{request.base}"

    def analyse(
        self,
        feedback: Feedback,
        policy: Policy,
        handled: frozenset[str],
        anew: frozenset[str] = frozenset(),
        *,
        asks: bool = True,
    ) -> Analysis:
        """Analyse the meaning of feedback; with ``asks=False`` without a model."""
        project = self._project

        def plugin(item: FeedbackItem) -> Judged | None:
            answer: Judged | None = project.manager.call(
                "selfreview_classify_feedback", item=item, config=project.config
            )
            return answer

        who = choose_reader(self._project, self._asked.fixers)
        if isinstance(who, NoReader) or not asks:
            reads = read_nothing_because(who, self._ui) if isinstance(who, NoReader) else read_nothing
            return analyse(feedback, policy, handled, plugin=plugin, reader=reads)
        name = f"{self._place.name}#{feedback.request.number}"
        with open_store(self._repo) as store:
            asked = self._reader(who, feedback)
            reader = CachedReader(asked, store.cache, name, about=asked.about, anew=anew, note=self._ui.warn)
            return analyse(feedback, policy, handled, plugin=plugin, reader=reader)

    def _reader(self, who: ChosenAgent | None, feedback: Feedback) -> AgentReader | ModelReader:
        config = self._project.config
        requirements = _requirements(self._repo, config["requirements"], self._base(feedback.request), self._ui)
        if who is None:
            return ModelReader(config, feedback, requirements, self._ui)
        return AgentReader(who, config, feedback, requirements, self._ui)

    def in_place(self, branch: Branch, work: Sequence[Judged]) -> dict[str, str]:
        """Return the keys of suggestions that the remote's branch has already, each with the commit, or nothing."""
        there = branch.seen()
        renames = _renames(branch, self._base(self._request), work)
        found = {}
        for piece in work:
            place = in_place_already(piece, lambda commit, path: _read(branch, commit or there, path), renames)
            if place is not None:
                found[piece.item.key] = _last_edit(branch, there, *place)
        return found

    def fix(self, branch: Branch, work: Sequence[Judged]) -> Fixed:
        """Fix feedback in a workspace."""
        request = self._request
        base = self._base(request)
        issues = as_issues(work, lambda commit, path: _read(branch, commit, path), _renames(branch, base, work))
        prompt = self._project.config["feedback.prompt"]
        read = {key_of(issue) for issue in issues if not issue.edits}
        read_by_fixers = [piece for piece in work if read & {piece.item.key, block_key(piece.item.key)}]
        fixed = fix_feedback(self._run(branch), issues, occasion(request.number, request.url, read_by_fixers, prompt))
        places = {key_of(issue): (issue.file, issue.line_start, issue.line_end) for issue in issues}
        return dataclasses.replace(fixed, places=places)

    def begin(self, request: ChangeRequest) -> None:
        """Set the pull request under work."""
        self._request = request

    def check(self, branch: Branch) -> str | None:
        """Review and check the fix that is checked out; return why it may not be pushed, or None."""
        return check_fix(self._run(branch), branch.parent("HEAD"))

    def _run(self, branch: Branch) -> Run:
        """Return a run on the branch; the configuration of somebody else's pull request is that of its base."""
        base = self._base(self._request)
        trusted = None if self._own else only_commit(branch.repo.git, base)
        asked = self._asked
        request = RunRequest(
            folder=branch.repo.root,
            base=base,
            formats=("json",),
            fixers=asked.fixers,
            plugins=asked.plugins,
            overrides=asked.overrides,
        )
        return Run(
            request=request, policy=feedback_policy(trusted, self._recorder), ui=self._ui, scope=self._scope.nested()
        )

    def veto(self, cycle: Cycle) -> str | None:
        """Ask plugins whether a commit may be pushed."""
        project = self._project
        answer = project.manager.call("selfreview_before_push", cycle=cycle, config=project.config)
        return None if answer is None else str(answer)


def _requirements(repo: Repo, patterns: Sequence[str], base: str, ui: Ui) -> list[Document]:
    """Return the requirements documents of the project.

    They are those of the base: no pull request waives what it is asked for.

    Raises:
        GitError: If git cannot read it.
    """
    if not patterns:
        return []
    commit = only_commit(repo.git, base)
    if commit is None:
        ui.note(f"note: no requirements are shown: there is no {base} here")
        return []
    from pathspec import GitIgnoreSpec

    from selfreview.llm.context import guidelines

    matches = GitIgnoreSpec.from_lines(patterns).match_file
    files = {path_from_bytes(entry.path): entry.oid for entry in list_tree(repo.git, commit) if entry.mode in REGULAR}
    named = {path: oid for path, oid in files.items() if matches(path)}
    blobs = read_blobs(repo.git, named.values())
    found = []
    for path, oid in named.items():
        data = blobs.get(oid, b"")
        text = "" if b"\0" in data else data.decode("utf-8-sig", "replace").strip()
        if text:
            found.append(Document(path, text))
    return guidelines.fitting(found, guidelines.REQUIREMENT_TOKENS)


def _read(branch: Branch, commit: str | None, path: str) -> bytes | None:
    if commit is None:
        try:
            entry = read_file(branch.repo.root, path)
        except OSError:
            return None
        return entry.data if entry is not None else None
    if len(commit) < 40 or not set(commit) <= set("0123456789abcdef"):
        return None
    done = branch.repo.git.call([b"cat-file", b"blob", commit.encode() + b":" + path_bytes(path)], fixed=True)
    return done.stdout if done.returncode == 0 else None


def _last_edit(branch: Branch, commit: str, path: str, first: int, last: int) -> str:
    """Return the newest commit that lines of a file come from, or an empty text where there are none."""
    if last < first:
        return ""
    options = ["blame", "--porcelain", "-L", f"{first},{last}", commit, "--", path]
    lines = branch.repo.git.call(options).stdout.decode("ascii", "replace").split("\n")
    known = dict.fromkeys(match[1] for line in lines if (match := _BLAMED.match(line)) is not None)
    newest = branch.repo.git.line(["merge-base", "--independent", *known]) if known else None
    return newest.split("\n")[0] if newest else ""


def _renames(branch: Branch, base: str, work: Sequence[Judged]) -> dict[str, str]:
    """Return the new names of commented files that were renamed since."""
    from selfreview.git.parse_diff import DIFF_OPTIONS, parse

    found: dict[str, str] = {}
    for piece in work:
        spot = piece.item.spot
        if spot is None or spot.path in found or _read(branch, None, spot.path) is not None:
            continue
        for commit in dict.fromkeys(c for c in (spot.commit, spot.original_commit, base) if c):
            done = branch.repo.git.call(["diff", *DIFF_OPTIONS, commit, "HEAD", "--"])
            files = parse(done.stdout).files if done.returncode == 0 else []
            new = next((file.path for file in files if file.old_path == spot.path), None)
            if new is not None:
                found[spot.path] = new
                break
    return found
