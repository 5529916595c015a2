"""What a change does to its own review."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Review,
    ReviewContext,
    Severity,
    Side,
)
from selfreview.guard import patch
from selfreview.model.change import HunkSpan
from selfreview.reviewers.gate import RULES, GateReviewer
from selfreview.testing.context import MemoryConfig, MemoryContext

CONFIG = {"baseline": "selfreview-baseline.json", "exclude": [], "max_file_bytes": 2_000_000}


def look(
    files: dict[str, tuple[str | None, str | None]], *, lenient: bool = False, **changes: dict[str, Any]
) -> list[Finding]:
    context = MemoryContext(files, config=CONFIG)
    assert isinstance(context.config, MemoryConfig)
    context.change = msgspec.structs.replace(
        context.change,
        files=tuple(
            msgspec.structs.replace(file, **changes.get(file.path.replace(".", "_").replace("/", "_"), {}))
            for file in context.change.files
        ),
    )
    findings = GateReviewer(lenient=lenient).review((), context).findings
    assert all(finding.category is Category.SECURITY and finding.line_start == 0 for finding in findings)
    assert all(finding.suggested_fix for finding in findings)
    assert {finding.rule for finding in findings} <= {rule.id for rule in RULES}
    return list(findings)


def told(findings: list[Finding]) -> list[tuple[str, str | None, Severity]]:
    return [(finding.file, finding.rule, finding.severity) for finding in findings]


def test_an_ordinary_change_is_no_concern_of_it() -> None:
    assert look({"a.py": ("x = 1\n", "x = 2\n"), "b.py": (None, "y = 1\n")}) == []


def test_it_takes_every_file_and_is_never_cached() -> None:
    reviewer, context = GateReviewer(lenient=False), MemoryContext({"a.bin": (None, "x")})
    assert (reviewer.name, reviewer.default, reviewer.sees_excluded) == ("gate", True, True)
    assert reviewer.selects(context.change.files[0])
    assert reviewer.cache_key(context) is None


@pytest.mark.parametrize(
    ("path", "rule", "said"),
    [
        ("selfreview.toml", "own-configuration", "the next will use this"),
        ("mypy.ini", "tool-configuration", "reviewers used the base's version"),
        (".github/workflows/ci.yml", "ci-workflow", "which may be this gate itself"),
    ],
)
def test_settings_are_listed(path: str, rule: str, said: str) -> None:
    for sides in ((None, "x: 1\n"), ("x: 1\n", "x: 2\n"), ("x: 1\n", None)):
        (finding,) = look({path: sides})
        assert told([finding]) == [(path, rule, Severity.LOW)]
        assert finding.description.startswith("The change changes")
        assert said in finding.description


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".gitattributes", "own-configuration"),
        ("pyproject.toml", "own-configuration"),
        ("selfreview-baseline.json", "own-configuration"),
        ("mypy.ini", "tool-configuration"),
        ("setup.cfg", "tool-configuration"),
        (".github/workflows/run.bin", "ci-workflow"),
    ],
)
def test_a_nul_byte_hides_no_settings(path: str, rule: str) -> None:
    text = "[mypy]\nx = 1\n#\0\n" if path == "setup.cfg" else "[tool.selfreview]\nx = 1\n#\0\n"
    for sides in ((None, text), ("", text), (text, None)):
        found = look({path: sides}, **{path.replace(".", "_").replace("/", "_"): {"binary": True}})
        assert (path, rule, Severity.LOW) in told(found)


def test_settings_that_are_too_large_are_listed_as_such() -> None:
    found = look({"mypy.ini": (None, "x")}, mypy_ini={"excluded": "larger than 2 bytes", "too_large": True})
    assert [finding.rule for finding in found] == ["tool-configuration", "too-large"]


@pytest.mark.parametrize(("lenient", "severity"), [(True, Severity.LOW), (False, Severity.HIGH)])
def test_a_mark_that_silences_a_tool(lenient: bool, severity: Severity) -> None:
    (finding,) = look({"a.py": ("x = 1\n", "x = 1  # noqa\n")}, lenient=lenient)
    assert told([finding]) == [("a.py", "suppression", severity)]
    assert finding.description == "The change silences a tool that reviews it: `# noqa` (line 1)."
    assert [(place.file, place.line_start) for place in finding.related] == [("a.py", 1)]


class Other:
    """A reviewer of ``.py`` and ``.json`` by any name."""

    default = True

    def __init__(self, name: str, *, depth: Depth = Depth.STATIC, missing: bool = False) -> None:
        self.name, self.depth, self._missing = name, depth, missing

    def selects(self, file: ChangedFile) -> bool:
        return file.path.endswith((".py", ".json"))

    def unavailable(self) -> tuple[str, str] | None:
        return ("it is not installed", "install it") if self._missing else None

    def cache_key(self, context: ReviewContext) -> bytes | None:
        raise NotImplementedError

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("path", "text", "other", "said"),
    [
        ("a.py", "x  # noqa", Other("ruff"), "silences ruff in"),
        ("a.py", "x  # isort: skip", Other("ruff"), "silences ruff in"),
        ("a.py", "x  # type: ignore", Other("ruff"), None),
        ("a.py", "x  # zizmor: ignore[x]", Other("zizmor"), "silences zizmor in"),
        ("a.py", "x  # zizmor: ignore[x]", Other("zizmor", missing=True), None),
        ("a.sql", "x -- noqa", Other("ruff"), None),
        ("a.py", "x  # type: ignore", Other("mine"), "may silence mine in"),
        ("a.py", "x  # type: ignore", Other("claude", depth=Depth.MODEL), None),
        ("a.json", '["x nosemgrep"]', Other("semgrep"), "silences semgrep in"),
        ("a.py", "x  # selfreview: " + "ignore[x] y", Other("text"), "silences selfreview in"),
        ("a.py", "x  # pylint: disable=eval-used", Other("rules"), "silences rules in"),
        ("a.py", "x  # pylint: disable=line-too-long", Other("rules"), None),
        ("a.py", "x  # noqa", Other("rules"), None),
        ("a.py", "x  # nosec B307", Other("ruff"), "silences ruff in"),
        ("a.py", "x  # gitleaks:allow", Other("secrets"), "silences secrets in"),
    ],
)
def test_whoever_reviews_the_file_and_honours_a_mark_is_named(
    path: str, text: str, other: Other, said: str | None
) -> None:
    reviewer = GateReviewer(lenient=False, reviewers=[other])
    (finding,) = reviewer.review((), MemoryContext({path: (None, text + "\n")}, config=CONFIG)).findings
    assert finding.severity is (Severity.HIGH if said else Severity.LOW)
    assert (said or "silences tools that take no part in this review: ") in finding.description


def test_a_mark_does_not_excuse_another() -> None:
    """Not one of other rules, nor one that is gone, be it of this file or of another."""
    (finding,) = look({"a.py": ("x = 1  # noqa: E501\n", "x = y  # noqa: F821\n"), "b.py": ("# ruff: noqa\n", None)})
    assert "`# noqa: F821` (line 1)." in finding.description
    gone = {"b.py": ("# ruff: noqa\nimport os\n", None)}
    (finding,) = look({"a.py": (None, "# ruff: noqa\nx = y\n"), **gone})
    assert told([finding]) == [("a.py", "suppression", Severity.HIGH)]


def test_a_mark_of_a_renamed_file_is_not_new() -> None:
    text = "# ruff: noqa\nx = 1\n"
    assert look({"a.py": (text, text + "y = 1\n")}, a_py={"old_path": "b.py", "status": FileStatus.RENAMED}) == []
    (finding,) = look({"a.py": (text, text)}, a_py={"old_path": "b.py", "status": FileStatus.COPIED})
    assert finding.rule == "suppression"


def test_git_says_which_lines_differ_and_what_was_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """To find it out once more takes minutes in a large change."""
    mark, other = "a = 1  # noqa\n", "b = 1  # noqa\n"
    assert look({"a.py": (mark + "x\n", other + "y\n")}, a_py={"spans": (HunkSpan(2, 1, 2, 1),)}) == []
    monkeypatch.setattr(patch, "differing", None)
    monkeypatch.setattr(patch, "make_patch", None)
    changes = {"old_path": "old.py", "status": FileStatus.RENAMED, "spans": (HunkSpan(1, 0, 2, 1),)}
    (finding,) = look({"a.py": (mark, mark + other), "old.py": (mark, None)}, a_py=changes)
    assert "`# noqa` (line 2)." in finding.description


def test_many_marks_are_counted() -> None:
    (finding,) = look({"a.py": (None, "x = 1  # noqa\n" * 300)})
    assert finding.description.endswith("(line 20) and 280 more.")
    assert len(finding.related) == 100


def test_an_end_that_is_taken_out_is_told_on_the_side_where_it_was() -> None:
    old = "# ruff: disable[F821]\nx\n# ruff: enable[F821]\n"
    (finding,) = look({"a.py": (old, "# ruff: disable[F821]\nx\n")})
    assert "takes out `# ruff: enable` (line 3 before)" in finding.description
    assert finding.related[0].side is Side.OLD


def test_what_is_said_of_a_file_is_said_of_one_content() -> None:
    workflow, lib = ".github/workflows/ci.yml", {"new_mode": "160000", "old_mode": "160000", "binary": True}

    def states(mark: str, flow: str, commit: str) -> list[str | None]:
        files = {"a.py": ("", f"x  # {mark}\n"), workflow: ("a: 1\n", flow), "lib": ("a\n", "b\n")}
        return [finding.evidence for finding in look(dict(files), lib={**lib, "new_oid": commit})]

    first = states("noqa", "a: 2\n", "1" * 40)
    assert len(set(first)) == len(first) == 3
    assert states("noqa", "a: 2\n", "1" * 40) == first
    assert not set(first) & set(states("noqa: F821", "a: 3\n", "2" * 40))
    (deleted,) = look({workflow: ("a: 1\n", None)})
    assert deleted.evidence is not None
    assert deleted.evidence.endswith("deleted")


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        (None, "env:\n  SELFREVIEW_DATA_DIR: /x\n", Severity.HIGH),
        ("a: 1\n", "a: 1\nSELFREVIEW_BASE: x\n", Severity.HIGH),
        (None, 'env:\n  "SELFREVIEW\\x5FBASE": x\n', Severity.HIGH),
        (None, 'env:\n  "\\u0053ELFREVIEW\\U0000005fBASE": x\n', Severity.HIGH),
        (None, '? "SELF\\\n  REVIEW_BASE"\n: x\n', Severity.HIGH),
        (None, "run: echo SELF''REVIEW_BASE=x >> $GITHUB_ENV\n", Severity.HIGH),
        (None, "env:\n  selfreview_base: x\n", Severity.HIGH),
        (None, 'a: "\\U7fffffff"\n', Severity.LOW),
        ("a: 1\nSELFREVIEW_BASE: x\n", "a: 2\nSELFREVIEW_BASE: x\n", Severity.LOW),
        ("a: 1\nSELFREVIEW_BASE: x\n", "a: 1\n", Severity.LOW),
    ],
)
def test_a_variable_of_ours_in_ci_can_loosen_a_gate(old: str | None, new: str, severity: Severity) -> None:
    workflow = ".github/workflows/ci.yml"
    (finding,) = look({workflow: (old, new)})
    assert told([finding]) == [(workflow, "ci-workflow", severity)]
    sets = finding.description == "The change sets a variable SELFREVIEW_* in CI, which can loosen this gate."
    assert sets is (severity is Severity.HIGH)


def test_the_variable_of_another_file_does_not_count() -> None:
    findings = look({".gitlab-ci.yml": ("a: 1\n", "a: 2\n"), "a.md": (None, "SELFREVIEW_BASE\n")})
    assert told(findings) == [(".gitlab-ci.yml", "ci-workflow", Severity.LOW)]


def test_a_renamed_file_is_looked_at_under_both_names() -> None:
    moved = {"ci_yml": {"old_path": ".github/workflows/ci.yml"}}
    findings = look({"ci.yml": ("a: 1\n", "a: 1\n")}, **moved)
    assert told(findings) == [(".github/workflows/ci.yml", "ci-workflow", Severity.LOW)]
    moved = {"_github_workflows_ci_yml": {"old_path": "ci.yml"}}
    findings = look({".github/workflows/ci.yml": ("a: 1\n", "a: 1\nSELFREVIEW_BASE: 1\n")}, **moved)
    assert told(findings) == [(".github/workflows/ci.yml", "ci-workflow", Severity.HIGH)]


def test_a_file_that_is_too_large_is_said_to_be_unread() -> None:
    large = {
        "a_py": {"excluded": "larger than 9 bytes", "too_large": True},
        "b_py": {"excluded": "larger than a plugin likes it"},
    }
    (finding,) = look({"a.py": (None, "x = 1  # noqa\n"), "b.py": (None, "x\n")}, **large)
    assert told([finding]) == [("a.py", "too-large", Severity.MEDIUM)]
    assert finding.description == "Nobody reviewed this file: it is larger than 9 bytes."
    assert finding.unreviewed


def test_marks_in_what_is_excluded_count_and_those_in_binary_files_do_not() -> None:
    files: dict[str, tuple[str | None, str | None]] = {"a.py": (None, "x  # noqa\n"), "b.so": (None, "x  # noqa\n")}
    findings = look(files, a_py={"excluded": "generated"}, b_so={"binary": True})
    assert told(findings) == [("a.py", "suppression", Severity.HIGH)]


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("path", [".gitmodules", ".GitModules"])
def test_submodules_from_another_place(path: str, lenient: bool) -> None:
    findings = [f for f in look({path: ("a\n", "b\n")}, lenient=lenient) if f.rule == "submodule"]
    assert told(findings) == [(path, "submodule", Severity.LOW if lenient else Severity.MEDIUM)]
    assert "come from other places" in findings[0].description
    assert findings[0].unreviewed is not lenient
    assert findings[0].side is Side.NEW


def test_a_gitmodules_that_is_moved_away_counts_too() -> None:
    findings = look({"a.txt": ("a\n", "a\n")}, a_txt={"old_path": ".gitmodules"})
    assert ("a.txt", "submodule", Severity.MEDIUM) in told(findings)


def test_another_state_of_a_submodule() -> None:
    (finding,) = look({"lib": ("a\n", "b\n")}, lib={"new_mode": "160000", "old_mode": "160000", "binary": True})
    assert told([finding]) == [("lib", "submodule", Severity.LOW)]
    assert finding.description == "The change takes another state of a submodule: nobody reviewed what is there."


def test_one_that_is_deleted_is_said_on_the_side_where_it_was() -> None:
    (finding,) = look({"lib": ("a\n", None)}, lib={"old_mode": "160000", "binary": True})
    assert finding.side is Side.OLD


def test_a_link_is_not_taken_for_text() -> None:
    """Its target may hold anything that looks like a mark."""
    (finding,) = look({"a.py": (None, "x  # noqa")}, a_py={"new_mode": "120000"})
    assert finding.rule == "linked-code"


@pytest.mark.parametrize(
    ("path", "rule", "severity"),
    [
        ("selfreview.toml", "own-configuration", Severity.LOW),
        ("mypy.ini", "tool-configuration", Severity.LOW),
        (".github/workflows/ci.yml", "ci-workflow", Severity.HIGH),
    ],
)
def test_settings_that_nobody_can_read_are_told_as_such_too(path: str, rule: str, severity: Severity) -> None:
    name = path.replace(".", "_").replace("/", "_")
    findings = look({path: ("x: 1\n", "x: SELFREVIEW_BASE\n")}, **{name: {"binary": True}})  # type: ignore[arg-type]
    assert told(findings) == [(path, rule, severity), (path, "unreadable", Severity.MEDIUM)]


def test_an_emptied_file_has_a_state_of_its_own() -> None:
    (finding,) = look({"selfreview.toml": ("x: 1\n", "")})
    assert finding.evidence == f"100644 {hashlib.sha256(b'').hexdigest()}"


FAR = [
    "/dev/zero",
    "~/ruff.toml",
    "$HOME/ruff.toml",
    "${X}",
    "../ruff.toml",
    "a/../../x.toml",
    "..",
    "..\\\\x.toml",
    "a\\u0000b",
    "a" * 300,
]


@pytest.mark.parametrize("target", FAR)
@pytest.mark.parametrize("lenient", [True, False])
def test_settings_of_ruff_that_reach_out_of_the_repository(target: str, lenient: bool) -> None:
    text = f'extend = "{target}"\n'
    for path, before, after in (
        ("ruff.toml", None, text),
        ("base.toml", "line-length = 90\n", "\ufeff" + text),
        ("config/base.toml", None, 'extend = "../../ruff.toml"\n'),
        ("pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\n" + text),
        (".ruff.toml", 'extend = "/elsewhere"\n', text),
    ):
        found = [
            finding for finding in look({path: (before, after)}, lenient=lenient) if finding.rule == "outside-settings"
        ]
        assert told(found) == [(path, "outside-settings", Severity.CRITICAL)]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("ruff.toml", None, 'extend = "config/ruff.toml"\n'),
        ("sub/ruff.toml", None, 'extend = "../ruff.toml"\n'),
        ("ruff.toml", 'extend = "~/ruff.toml"\n', 'extend = "~/ruff.toml"\nline-length = 90\n'),
        ("ruff.toml", 'extend = "/ruff.toml"\n', None),
        ("pyproject.toml", None, 'extend = "/x"\n[tool.ruff]\nextend-select = ["I"]\n'),
        (".gitleaks.toml", None, '[extend]\npath = "x.toml"\n'),
        ("ruff.toml", None, "bro ken\n"),
        ("notes.txt", None, 'extend = "/dev/zero"\n'),
    ],
)
def test_settings_of_ruff_that_do_not(path: str, before: str | None, after: str | None) -> None:
    assert "outside-settings" not in {finding.rule for finding in look({path: (before, after)})}
