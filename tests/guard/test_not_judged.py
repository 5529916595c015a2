"""What no rule can read ends nothing: it is rejected where it could not be judged, and read where it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import selfreview.guard as rules
from selfreview.errors import ToolError
from selfreview.guard import Bounds, Edited, Rejection, examine
from selfreview.guard.patch import Patch
from selfreview.model.change import Change, ChangedFile, Scope
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import CONFIG, Edit, entry, judge

LONG = " + ".join(f"'s{n}'" for n in range(350))
DEEP = {
    "a long sum": f"assert f(1) == {LONG}",
    "a long sum called": f"assert ({LONG}).f",
    "many nots": f"assert {'not ' * 700}f(1)",
    "many calls": f"assert f{'(1)' * 700}",
    "many parts": f"assert f{'.a' * 900}",
}


@pytest.mark.parametrize("code", DEEP.values(), ids=DEEP)
def test_deep_code_is_read(code: str) -> None:
    old = f"def test_one():\n    {code}\n"
    more = "\n\ndef test_two():\n    assert f(2) == 4\n"

    assert judge(Edit({"tests/test_app.py": (old, old + more)})) == []
    gone = judge(Edit({"tests/test_app.py": (old + more, more)}, issues=(("app.py", 1, "wrong"),)))
    assert "held" in [r.rule for r in gone]


@pytest.mark.parametrize("path", ["a.toml", "pyproject.toml", "Cargo.toml"])
def test_a_deep_table_is_no_table(path: str) -> None:
    found = judge(Edit({path: ("a = 1\n", f"a = {'[' * 1000}{']' * 1000}\n")}))

    assert {r.rule for r in found} <= {"syntax-error", "tool-configuration"}
    assert found


@pytest.mark.parametrize("error", [RecursionError("too deep"), ZeroDivisionError("a defect"), MemoryError()])
def test_a_rule_that_fails_rejects_what_it_fails_on(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def strange(patch: Patch) -> Iterator[Rejection]:
        if any("b" in file.path for file in patch.files):
            raise error
        yield from ()

    monkeypatch.setattr(rules, "CONTENT", (strange,))
    files = tuple(ChangedFile(path=path) for path in ("a.py", "b.py"))
    bounds = Bounds(Change(scope=Scope(mode="branch"), files=files), [], MemoryConfig(CONFIG))
    told: list[str] = []

    def report(who: str, what: BaseException) -> str:
        told.append(f"{who}: {type(what).__name__}")
        return "crash.txt"

    found = examine([Edited(path, entry("x = 1\n"), entry("x = 2\n")) for path in ("a.py", "b.py")], bounds, report)

    assert [(r.path, r.rule) for r in found] == [("b.py", "not-judged")]
    assert "crash.txt" in found[0].reason
    assert told == [f"guard strange: {type(error).__name__}"]


@pytest.mark.parametrize(
    ("fails", "rejected"),
    [
        (lambda patch: len(patch.files) > 1, ["a.py"]),
        (lambda patch: len(patch.edits) > 1, ["a.py"]),
        (lambda patch: any(edit.path == "b.py" for edit in patch.edits), ["b.py"]),
    ],
)
def test_a_rule_that_fails_is_shown_each_file_with_its_edits_alone(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[Patch], bool], rejected: list[str]
) -> None:
    def strange(patch: Patch) -> Iterator[Rejection]:
        if fails(patch):
            raise ValueError
        yield from ()

    monkeypatch.setattr(rules, "CONTENT", (strange,))
    found = judge(Edit(dict.fromkeys(("a.py", "b.py", "c.py"), ("x = 1\n", "x = 2\n"))))

    assert [(r.path, r.rule) for r in found] == [(path, "not-judged") for path in rejected]


def test_an_error_for_people_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Patch) -> Iterator[Rejection]:
        raise ToolError("the library is broken")

    monkeypatch.setattr(rules, "CONTENT", (broken,))

    with pytest.raises(ToolError, match="the library is broken"):
        judge(Edit({"a.py": ("x = 1\n", "x = 2\n")}))
