"""Where a mutable default or a closure over a loop variable does harm."""

from __future__ import annotations

import textwrap

import pytest

from selfreview.api import Severity, SourceText
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.ruff.python_file import PythonFile
from tests.reviewers.fakes import only, run


def severity(code: str, rule: str) -> Severity:
    """Return the severity of a rule's one finding."""
    return only(run(RuffReviewer(), {"a.py": textwrap.dedent(code)}), rule).severity


@pytest.mark.parametrize(
    "body",
    [
        "a.append(1)",
        "a[0] = 1",
        "a[0] += 1",
        "del a[0]",
        "del b, a[0]",
        "a += [1]",
        "return a",
        "yield a",
        "self.a = a",
        "if x:\n        for y in z:\n            a.extend(y)",
    ],
)
@pytest.mark.parametrize("parameter", ["a=[]", "a: list = []", "*, ü='😀', a=[]"])
def test_a_default_that_is_changed_or_handed_out_blocks(body: str, parameter: str) -> None:
    assert severity(f"def f({parameter}):\n    {body}\n", "B006") is Severity.MEDIUM


@pytest.mark.parametrize(
    "code",
    [
        "def f(a=[]):\n    for x in a:\n        print(x)\n",
        "def f(a=[]):\n    return len(a), a[0], a.count(1)\n",
        "def f(a=[]):\n    g(a, b=a)\n    x[a] = 1\n    x.a = 1\n    b.a.append(1)\n",
        "def f(a=[]):\n    a = a or [1]\n",
        "def f(_cache={}):\n    _cache[1] = 2\n",
        "def f(a=[]):\n    b.append(a)\n    a.append\n",
        "def f(a=[]): ...\n\n\na = []\na.append(1)\n",
    ],
)
def test_one_that_is_only_read_does_not(code: str) -> None:
    assert severity(code, "B006") is Severity.LOW


@pytest.mark.parametrize(
    "body",
    [
        "fs.append(lambda: i)",
        "fs[i] = lambda x: i",
        "fs = [*fs, lambda: i]",
        "fs = {'a': (lambda: i) if x else None}",
        "button.connect(lambda: i)",
        "Button(command=lambda: i)",
        "run(on_click=lambda: i)",
        "run(done_callback=lambda: i)",
        "threading.Thread(target=lambda: i)",
        "def g():\n        return i\n    fs.append(g)",
        "def g():\n        return i\n    fs[i] = g",
        "@route\n    def g():\n        return i",
        "class C:\n        def g(self):\n            return i",
        "yield lambda: i",
        "fs.append(lambda: use(lambda: i))",
    ],
)
def test_a_closure_that_is_kept_blocks(body: str) -> None:
    assert severity(f"def f(fs, x):\n  for i in range(3):\n    {body}\n", "B023") is Severity.MEDIUM


def test_so_does_one_in_a_comprehension() -> None:
    assert severity("fs = [lambda: i for i in range(3)]\n", "B023") is Severity.MEDIUM


@pytest.mark.parametrize(
    "body",
    [
        "use(lambda: i)",
        "x = use(1, lambda: i)",
        "x.use(predicate=lambda: i)",
        "def g():\n        return i\n    print(g())",
        "def g():\n        return i\n    use(g)",
        "x = [y for y in use(lambda: i)]",
    ],
)
def test_one_that_is_used_at_once_does_not(body: str) -> None:
    assert severity(f"def f(fs, x):\n  for i in range(3):\n    {body}\n", "B023") is Severity.LOW


def test_what_is_not_found_is_taken_for_harmful() -> None:
    shape = PythonFile(SourceText.from_bytes(b"x = 1\n")).shape
    assert shape.default_is_kept(5, 5)
    assert shape.closure_is_kept(5, 5)


MANY = 5_000


@pytest.mark.parametrize(
    ("piece", "rule", "place", "kept"),
    [
        ("def f{n}(a=[]):\n    a.append(1)\n", "default", (0, 12), True),
        ("for i in x:\n    def f{n}():\n        return i\n    f{n}()\n", "closure", (2, 16), False),
        ("def o{n}():\n  for i in x:\n    def f():\n        return i\n    f()\n", "closure", (3, 16), False),
    ],
)
def test_as_many_findings_as_functions_take_no_long_time(
    piece: str, rule: str, place: tuple[int, int], kept: bool
) -> None:
    """They would take minutes if the tree were searched anew for each."""
    text = "".join(piece.replace("{n}", f"{n:04}") for n in range(MANY))
    shape = PythonFile(SourceText.from_bytes(text.encode())).shape
    ask = shape.default_is_kept if rule == "default" else shape.closure_is_kept
    row, column = place
    assert {ask(1 + row + piece.count("\n") * n, column) for n in range(MANY)} == {kept}
