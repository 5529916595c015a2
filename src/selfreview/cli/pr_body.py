"""The title and the text of a pull request that we open."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Issue, IssueStatus, Result
from selfreview.feedback.texts import inert
from selfreview.git.repo import Repo
from selfreview.model.wire import display_path
from selfreview.reporters.markdown import worst_first
from selfreview.resources import read
from selfreview.scan.redact import mask_secrets
from selfreview.text.escape import visible

_MOST_COMMITS = 50
_MOST_ISSUES = 100


def title_of(repo: Repo, base: str, branch: str) -> str:
    """Return the subject of the only commit, or the branch's name in words."""
    subjects = _subjects(repo, base)
    words = branch.rpartition("/")[2].replace("-", " ").replace("_", " ")
    text = subjects[0] if len(subjects) == 1 else words[:1].upper() + words[1:]
    return mask_secrets(visible(" ".join(text.split())))[:250] or branch


def body_of(repo: Repo, base: str, result: Result | None, *, reason: str) -> str:
    """Return the body of a pull request: its commits, and the result of the self-review.

    Args:
        repo: The repository.
        base: What the branch is compared with.
        result: The last review of the branch, or None.
        reason: Why it is opened although the review does not pass, or empty.
    """
    from jinja2 import Environment, StrictUndefined

    # What stands in it was made inert before; Markdown is no HTML that could be escaped as a whole.
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True)  # noqa: S701
    subjects = _subjects(repo, base)
    named = f" --run {result.run_id}" if result is not None and result.run_id else ""
    where = f"`selfreview report{named}`, where it was reviewed, lists all"
    issues = result.issues if result is not None else []
    listed = worst_first(result) if result is not None else []
    accepted = [issue for issue in issues if issue.status is IssueStatus.ACCEPTED]

    text = environment.from_string(read("templates", "feedback/pull_request.md.j2").decode()).render(
        commits=_first(
            [inert(subject, 200) for subject in subjects], _MOST_COMMITS, "see the commits of this pull request"
        ),
        result=result,
        verdict=result.verdict.value.replace("_", " ") if result is not None and result.verdict is not None else "",
        iterations=len(result.iterations) if result is not None else 0,
        open=_first([_line(issue) for issue in listed], _MOST_ISSUES, where),
        accepted=_first(
            [f"{_line(issue)} — {inert(issue.status_reason or '', 300)}" for issue in accepted], _MOST_ISSUES, where
        ),
        reason=inert(reason),
    )
    return mask_secrets(text.strip() + "\n")


def _first(lines: Sequence[str], most: int, where: str) -> list[str]:
    """Return the first lines, and one that says how many more there are, and where these can be seen."""
    more = len(lines) - most
    return [*lines[:most], f"and {more} more: {where}"] if more > 0 else list(lines)


def _line(issue: Issue) -> str:
    place = display_path(issue.file) + (f":{issue.line_start}" if issue.line_start else "")
    return f"{issue.severity}: {inert(place)}: {inert(issue.description, 300)}"


def _subjects(repo: Repo, base: str) -> list[str]:
    """Return the subjects of the branch's own commits, oldest first."""
    done = repo.git.call(["log", "-z", "--reverse", "--format=%s", "HEAD", "--not", base, "--"])
    return [line for line in done.stdout.decode("utf-8", "replace").split("\0") if line] if done.returncode == 0 else []
