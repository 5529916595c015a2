from __future__ import annotations

import pytest

from selfreview.api.context import SourceText
from selfreview.llm.context.excerpts import around, decorators, head, settings_of
from selfreview.llm.context.related import Reference, related
from selfreview.llm.context.view import view_of
from selfreview.testing.context import MemoryContext

PYTHON = """\
first(
    1,
)
result = outer(
    inner(2),
    keep=")",  # not the end :(
    last={
        "a": 3,
    },
)
after(
    4,
)

def f(
    a,
):
    pass
"""


@pytest.mark.parametrize(("number", "expected"), [(1, (1, 3)), (4, (4, 10)), (5, (4, 10)), (8, (4, 10)), (9, (4, 13))])
def test_a_statement_is_whole_and_so_is_what_stands_around_it(number, expected):
    assert around(PYTHON.splitlines(), number, 2) == expected


def test_a_block_of_braces_is_no_part_of_a_statement():
    lines = ["function f() {", "  compute(", "    1);", "  if (compute(2)) {", "    go();", "  }", "}"]
    assert around(lines, 3, 0) == (2, 3)
    assert around(lines, 4, 0) == (4, 4)
    assert around(["use({", "  a: compute(1),", "});"], 2, 0) == (1, 3)


def test_what_is_too_far_is_not_followed():
    assert around(["f(", *["1,"] * 50, ")"], 1, 0) == (1, 1)


def test_decorators_and_head():
    lines = ["@once", "@route(", "    '/x',", ")", "def f(", "    a,", "):", "    pass"]
    assert (decorators(lines, 1), head(lines, 1)) == (range(1, 5), range(5, 8))
    assert (decorators(lines, 8), head(lines, 8)) == (range(8, 8), range(8, 9))


FILLER = "\n".join(f"    # {n}" for n in range(40))


def settings(path: str, old: str, new: str) -> list[tuple[int, str]]:
    context = MemoryContext({path: (old, new)})
    (file,) = context.change.files
    return [(s.line, s.name) for s in settings_of(view_of(file, context), SourceText.from_bytes(new.encode()))]


@pytest.mark.parametrize(
    ("path", "setting", "other", "use"),
    [
        ("a.py", "    self.limit = None", "    self.limit == 1", "    return self.limit + 1"),
        ("a.py", "    self.limit: int | None = None", "    x = self.limit", "    return self.limit"),
        ("a.js", "    this.limit = 0", "    this.limits = 0", "    return this.limit"),
        ("a.rb", "    @limit ||= 0", "    @limit =~ x", "    @limit.succ"),
        ("a.cpp", "    this->limit = 0;", "    that->limit = 0;", "    return this->limit;"),
    ],
)
def test_where_an_attribute_is_set(path: str, setting: str, other: str, use: str) -> None:
    old = f"{setting}\n{other}\n{FILLER}\n"
    assert settings(path, old, f"{old}{use}\n") == [(1, "limit")]


def test_what_is_shown_is_not_said_again_and_many_are_a_few() -> None:
    many = "".join(f"    self.limit = {n}\n" for n in range(20)) + f"    self.other = 1\n{FILLER}\n"
    found = settings("a.py", many, f"{many}    return self.limit + self.other\n")
    assert len(found) == 6
    assert (21, "other") in found[:2]
    assert settings("a.py", "self.a = 1\n", "self.a = 1\nprint(self.a)\n") == []


def test_it_is_a_reference_of_the_file() -> None:
    old = (
        f"class A:\n    def __init__(self):\n        self.limit = None\n{FILLER}\n    def f(self):\n        return 1\n"
    )
    context = MemoryContext({"a.py": (old, old.replace("return 1", "return self.limit + 1"))})
    (file,) = context.change.files
    references = related([view_of(file, context)], context, 1_000)["a.py"]
    assert [(r.line_start, r.text, r.why) for r in references] == [(3, "        self.limit = None", "sets limit")]


def test_what_decides_whether_an_attribute_is_set_is_shown() -> None:
    old = (
        "class A:\n    def __init__(self, x):\n        if x is None:\n            log()\n            return\n"
        "        for y in x:\n            while y:\n                pass\n        with x:\n            log()\n"
        f"            self.limit = x\n{FILLER}\n    def f(self):\n        return 1\n"
    )
    context = MemoryContext({"a.py": (old, old.replace("return 1", "return self.limit + 1"))})
    (file,) = context.change.files
    (found,) = related([view_of(file, context)], context, 1_000)["a.py"]
    assert (found.line_start, found.line_end, found.why) == (3, 11, "sets limit")
    assert [line.strip() for line in found.text.split("\n")] == [
        "if x is None:", "log()", "return", "…", "with x:", "…", "self.limit = x",
    ]  # fmt: skip


@pytest.mark.parametrize(("length", "is_whole"), [(10, True), (11, False)])
def test_what_a_function_sets_is_said_once_with_the_short_branches_that_leave_it(
    length: int, *, is_whole: bool
) -> None:
    branch = "".join(f"            self.other_{n} = x\n" for n in range(length))
    old = (
        f"class A:\n    def __init__(self, x):\n        if x is None:\n{branch}            return\n"
        f"        if x.bad:\n            raise ValueError\n        self.low = x\n        y = 1\n        self.high = x\n"
        f"{FILLER}\n    def f(self):\n        return 1\n"
    )
    context = MemoryContext({"a.py": (old, old.replace("return 1", "return self.low + self.high"))})
    (file,) = context.change.files
    (found,) = related([view_of(file, context)], context, 1_000)["a.py"]
    assert found.why == "sets low, high"
    assert found.text.count("if x.bad:") == 1
    assert ("other_5" in found.text) is is_whole
    assert found.text.split("\n")[-3:] == ["        self.low = x", "…", "        self.high = x"]


STEPS = "".join(f"    step_{n}()\n" for n in range(60))


def find(old: str, new: str) -> tuple[Reference, ...]:
    context = MemoryContext({"a.py": (old, new)})
    return related([view_of(file, context) for file in context.change.files], context, 1500)["a.py"]


def test_its_head_its_exits_and_the_lines_with_the_names_that_changed() -> None:
    old = (
        'def meter(\n    count,\n    elapsed,\n):\n    """Say what elapsed is.\n\n    elapsed: seconds.\n    """\n'
        "    elapsed = elapsed or None\n    # elapsed is known\n"
        f"{STEPS}    rate = 1\n{STEPS}    if rate is None:\n        return ''\n    use(rate)\n"
    )
    (found,) = find(old, old.replace("rate = 1", "rate = count / elapsed"))
    assert found == Reference(
        "a.py",
        1,
        134,
        "def meter(\n    count,\n    elapsed,\n):\n…\n    elapsed = elapsed or None\n…\n"
        "    if rate is None:\n        return ''\n    use(rate)",
        "lines of meter that are not shown above",
    )


def test_a_removed_line_counts_and_a_name_that_is_everywhere_does_not() -> None:
    everywhere = STEPS.replace("step_", "state.step_")
    old = f"def meter(state):\n{everywhere}    limit = state.limit\n{everywhere}    use(limit)\n"
    (found,) = find(old, old.replace("    limit = state.limit\n", "    state.reset()\n"))
    assert found.text == "def meter(state):\n…\n    use(limit)"


def test_lines_of_another_branch_stand_under_what_begins_it() -> None:
    branches = "    try:\n        rate = ask()\n    except OSError:\n        log()\n        rate = None\n"
    branches += "    else:\n        log()\n"
    old = f"def meter(count):\n    base = 1\n{STEPS * 2}{branches}"
    (found,) = find(old, old.replace("base = 1", "rate = 1"))
    assert found.text == "        rate = ask()\n    except OSError:\n…\n        rate = None"


def test_a_function_that_is_shown_needs_nothing() -> None:
    old = "def meter(count):\n    rate = 1\n    return rate\n"
    assert find(old, old.replace("= 1", "= count")) == ()


def test_an_exit_is_whole_and_stands_with_its_condition() -> None:
    exits = "    if broken:\n        raise Broken(\n            1,\n        )"
    old = f"def meter(count):\n    rate = 1\n{STEPS * 2}{exits}\n"
    (found,) = find(old, old.replace("= 1", "= count"))
    assert found.text == exits
