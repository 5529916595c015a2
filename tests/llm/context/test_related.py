from __future__ import annotations

from collections.abc import Mapping

import pytest

from selfreview.llm.context.excerpts import Reference
from selfreview.llm.context.related import related
from selfreview.llm.context.tasks import overview
from selfreview.llm.context.view import view_of
from selfreview.testing.context import MemoryContext

Sides = tuple[str | None, str | None]


def find(files: Mapping[str, Sides], others: Mapping[str, str], tokens: int = 2000) -> dict[str, tuple[Reference, ...]]:
    context = MemoryContext(files, others=others)
    return related([view_of(file, context) for file in context.change.files], context, tokens)


def places(references: tuple[Reference, ...]) -> list[tuple[str, int, int]]:
    return [reference[:3] for reference in references]


def test_the_definition_of_what_a_changed_line_calls() -> None:
    found = find(
        {"a.py": ("", "from b import *\ncompute_total(1)\n")},
        {"b.py": "import x\n\ndef compute_total(n):\n    return n\n"},
    )
    expected = "definition of compute_total, called on a changed line"
    assert found["a.py"] == (Reference("b.py", 3, 4, "def compute_total(n):\n    return n", expected),)


def test_words_of_strings_and_comments_lead_nowhere() -> None:
    found = find({"a.py": ("", "x = 'compute_total'  # compute_total(1)\n")}, {"b.py": "def compute_total(): ...\n"})
    assert found["a.py"] == ()


def test_another_language_is_not_looked_at() -> None:
    found = find({"a.py": ("", "from b import *\ncompute_total(1)\n")}, {"b.js": "function compute_total() {}\n"})
    assert found["a.py"] == ()


def test_the_nearest_definition_wins() -> None:
    others = {f"{folder}/m.go": "func ComputeTotal() {}\n" for folder in ("x", "app", "lib")}
    files: dict[str, Sides] = {"app/a.go": ("", "ComputeTotal(1)\n")}
    assert places(find(files, others)["app/a.go"])[0][0] == "app/m.go"
    files = {"app/a.go": ("", 'import "lib/m"\nComputeTotal(1)\n')}
    assert places(find(files, {**others, "lib/n.go": "func ComputeTotal() {}\n"})["app/a.go"])[0][0] == "app/m.go"


def test_in_python_a_function_of_another_file_must_be_imported_and_a_method_not() -> None:
    others = {"b.py": "def compute_total(): ...\n", "c.py": "class Sum:\n    def compute_total(self): ...\n"}
    files: dict[str, Sides] = {"a.py": ("", "x.compute_total()\n")}
    assert places(find(files, others)["a.py"]) == [("c.py", 2, 2)]


def test_variables_and_fields_lead_nowhere() -> None:
    others = {"b.py": "class Amounts:\n    amount: int\n\ndef spare(): ...\nLIMIT = 3\n"}
    files: dict[str, Sides] = {"a.py": ("", "from b import LIMIT, Amounts\nspare = amount + LIMIT\n")}
    assert places(find(files, others)["a.py"]) == [("b.py", 5, 5), ("b.py", 1, 2)]


def test_a_name_that_is_defined_everywhere_is_dropped() -> None:
    others = {f"m{n}/b.py": "def compute_total(): ...\n" for n in range(6)}
    assert find({"a.py": ("", "from b import *\ncompute_total(1)\n")}, others)["a.py"] == ()


def test_callers_of_a_changed_function_and_what_it_was_before() -> None:
    old, new = "def compute_total(a):\n    return a\n", "def compute_total(a, b):\n    return a\n"
    found = find({"a.py": (old, new)}, {"b.py": "x = 1\ny = 2\nz = compute_total(x)\nw = 3\nv = 4\nu = 5\n"})["a.py"]
    assert found == (
        Reference(
            "b.py",
            *(1, 5, "x = 1\ny = 2\nz = compute_total(x)\nw = 3\nv = 4"),
            "uses compute_total, which changed",
            is_use=True,
        ),
    )


def test_a_signature_of_which_only_a_part_was_removed_is_shown_as_it_was() -> None:
    old = "def compute_total(\n    a,\n    b,\n):\n    return a\n"
    (found,) = find({"a.py": (old, old.replace("    b,\n", ""))}, {})["a.py"]
    assert found.why == "signature of compute_total before the change (changed)"


def test_callers_of_a_function_whose_body_changed() -> None:
    old, new = "def compute_total(a):\n    return a\n", "def compute_total(a):\n    return -a\n"
    found = find({"a.py": (old, new)}, {"b.py": "compute_total(1)\n"})["a.py"]
    assert places(found) == [("b.py", 1, 1)]


def test_callers_of_a_removed_function() -> None:
    found = find({"a.py": ("def compute_total(a):\n    return a\n", None)}, {"b.py": "compute_total(1)\n"})["a.py"]
    assert [reference.why for reference in found] == ["uses compute_total, which was removed"]


def test_of_what_was_removed_it_is_said_that_nothing_uses_it() -> None:
    old = "x = 1\ndef compute_total(a):\n    return a\n\ndef round_off(n): ...\n"
    found = find({"a.py": (old, "x = 1\n")}, {"b.py": "round_off(1)\n", "b.js": "compute_total(1)\n"})["a.py"]
    assert [(one.text, one.why) for one in found] == [
        ("compute_total", "names that were removed, and that nothing uses any more"),
        ("round_off(1)", "uses round_off, which was removed"),
    ]


PIES = "class Generic(Base):\n    WHITE = 1\n\nclass Pie:\n    WHITE = 2\n\nclass Base:\n    BLACK = 3\n"


def test_a_name_is_that_of_the_type_before_it() -> None:
    for use, expected in (
        ("Generic.WHITE", [2]),
        ("Pie.WHITE", [5]),
        ("Generic.BLACK", [8]),
        ("Pie.BLACK", []),
        ("Pie.WHITE + WHITE", [2]),
    ):
        found = find({"app.py": ("", f"from colors import *\nx = {use}\n")}, {"colors.py": PIES})["app.py"]
        assert [one.line_start for one in found if one.line_start == one.line_end] == expected, use


def test_the_lines_of_a_definition_that_are_shown_are_left_out() -> None:
    filler = "".join(f"    step_{n} = {n}\n" for n in range(24))
    old = f"class Sums:\n{filler}    last = 1\n\nx = 1\n"
    new = old.replace("last = 1", "last = 2").replace("x = 1", "x = Sums()")
    (found,) = find({"a.py": (old, new)}, {})["a.py"]
    assert found.text.startswith("class Sums:\n")
    assert "last" not in found.text
    assert found.line_end < 24


def test_callers_in_tests_come_last() -> None:
    old, new = "def compute_total(a):\n    return a\n", "def compute_total(a):\n    return -a\n"
    others = {"tests/test_a.py": "compute_total(1)\n", "z.py": "compute_total(2)\n"}
    assert [place[0] for place in places(find({"a.py": (old, new)}, others)["a.py"])] == ["z.py", "tests/test_a.py"]


def test_what_is_shown_already_is_not_repeated() -> None:
    assert find({"a.py": ("", "def compute_total(): ...\n\ncompute_total()\n")}, {})["a.py"] == ()


def test_references_fit_their_budget() -> None:
    others = {"b.py": "def compute_total(n):\n" + "    step(n)\n" * 30 + "\ndef round_off(n): ...\n"}
    found = find({"a.py": ("", "from b import *\ncompute_total(1)\nround_off(2)\n")}, others, tokens=40)
    assert places(found["a.py"]) == [("b.py", 33, 33)]


def test_of_a_long_definition_its_beginning_is_shown() -> None:
    others = {"b.py": "def compute_total(n):\n" + "    step(n)\n" * 100}
    (reference,) = find({"a.py": ("", "from b import *\ncompute_total(1)\n")}, others)["a.py"]
    assert (reference.line_start, reference.line_end) == (1, 25)
    assert "beginning" in reference.why


def test_an_overview_shows_changed_signatures_and_their_users() -> None:
    files: dict[str, Sides] = {
        "a.py": ("def compute_total(a):\n    return a\n", "def compute_total(a, b):\n    return a\n"),
        "c.py": ("def keep(a):\n    return a\n", "def keep(a):\n    return 2\n"),
    }
    context = MemoryContext(files, others={"b.py": "compute_total(1)\n"})
    views = [view_of(file, context) for file in context.change.files]
    references = related(views, context, 1000)
    assert overview(views, references, 1000).splitlines() == [
        "## File: a.py",
        "      - def compute_total(a):",
        "    1 + def compute_total(a, b):",
        "b.py, lines 1-1, uses compute_total, which changed:",
        "compute_total(1)",
    ]
    assert overview(views, references, 25).endswith("more left out for want of room]")


def test_a_stand_in_of_a_test_is_no_definition_of_what_the_program_calls() -> None:
    fixture = "class FakeThing:\n    def launch_it(self):\n        return 1\n"
    change = {"app.py": ("", "def go(thing):\n    return thing.launch_it()\n")}
    for path, expected in (("tests/test_app.py", []), ("thing.py", ["thing.py"])):
        context = MemoryContext(change, others={path: fixture})
        views = [view_of(file, context) for file in context.change.files]
        assert [reference.path for reference in related(views, context, 1_000)["app.py"]] == expected


def test_the_decorators_of_what_changed() -> None:
    old = "from b import only_once, send_to\n\n@only_once\n@send_to(1)\ndef compute_total(a):\n    return a\n"
    others = {"b.py": "def only_once(f): ...\n\ndef send_to(n): ...\n"}
    found = find({"a.py": (old, old.replace("return a", "return -a"))}, others)["a.py"]
    assert [(one.path, one.line_start, one.why) for one in found] == [
        ("b.py", 1, "definition of only_once, which decorates what changed"),
        ("b.py", 3, "definition of send_to, which decorates what changed"),
    ]


def test_a_call_that_spans_lines_is_shown_whole() -> None:
    old, new = "def compute_total(a):\n    return a\n", "def compute_total(a):\n    return -a\n"
    call = "show(\n    1,\n    2,\n    compute_total(\n        a,\n        b,\n        c,\n    ),\n)\n"
    (found,) = find({"a.py": (old, new)}, {"b.py": f"x = [\n  1,\n]\n{call}"})["a.py"]
    assert found.text == call.rstrip()


def test_all_places_of_the_program_come_before_those_of_tests() -> None:
    old, new = "def compute_total(a):\n    return a\n", "def compute_total(a):\n    return -a\n"
    others = {"tests/test_a.py": "compute_total(1)\n", "z.py": "compute_total(2)\n\n\n\n\n\n\ncompute_total(3)\n"}
    found = places(find({"a.py": (old, new)}, others)["a.py"])
    assert [place[0] for place in found] == ["z.py", "z.py", "tests/test_a.py"]


def test_stand_ins_of_tests_hide_neither_a_definition_nor_its_callers() -> None:
    fakes = {f"tests/test_{n}.py": "class Fake:\n    def launch_it(self): ...\n" for n in range(8)}
    real = {"thing.py": "class Thing:\n    def launch_it(self): ...\n", "use.py": "thing.launch_it()\n"}
    found = find({"a.py": ("", "def go(thing):\n    thing.launch_it()\n")}, {**fakes, **real})["a.py"]
    assert places(found) == [("thing.py", 2, 2)]
    old = real.pop("thing.py")
    found = find({"thing.py": (old, old.replace("...", "pass"))}, {**fakes, **real})["thing.py"]
    assert places(found) == [("use.py", 1, 1)]


def test_in_a_test_the_program_comes_before_other_tests() -> None:
    others = {"tests/test_b.py": "MAX_SIZE = 1\ndef make_it(): ...\n", "z.py": "def fetch_it(): ...\n"}
    text = "from tests.test_b import make_it\nfrom z import fetch_it\nmake_it()\nfetch_it()\n"
    found = places(find({"tests/test_a.py": ("", text)}, others)["tests/test_a.py"])
    assert [place[0] for place in found] == ["z.py", "tests/test_b.py"]


PADDING = "".join(f"    def other_{n}(self): ...\n\n" for n in range(30))
BASE = f"""\
class Column:
{PADDING}
    @abstractmethod
    def width(self): ...

    def render(self, task,
               style=None):
        return task
"""
SIBLING = (
    "from base import Column\n\nclass Bar(Column):\n    x = 1\n    def render(self, task, style=None):\n        ...\n"
)
NEW = "from base import Column\n\nclass Gauge(Column):\n    def render(self, task):\n        return 1\n"


def found_beside(new: str, others: dict[str, str], old: str | None = None) -> list[Reference]:
    context = MemoryContext({"gauge.py": (old, new)}, others=others)
    return list(related([view_of(file, context) for file in context.change.files], context, 2000)["gauge.py"])


def test_a_new_type_is_shown_with_its_base_a_sibling_and_who_uses_the_base() -> None:
    loader = 'for one in all_of(vars()):\n    if issubclass(one, Column):\n        add(one)\n"""\nAn `Column`.\n"""\n'
    base, sibling, user = found_beside(NEW, {"base.py": BASE, "bar.py": SIBLING, "load.py": loader})
    assert base.why == "Column, which Gauge inherits from"
    assert [line.strip() for line in base.text.split("\n")] == [
        "class Column:", "…", "@abstractmethod", "def width(self): ...", "…",
        "def render(self, task,", "style=None):",
    ]  # fmt: skip
    assert (sibling.path, sibling.line_start, sibling.line_end) == ("bar.py", 3, 5)
    assert sibling.text == "class Bar(Column):\n…\n    def render(self, task, style=None):"
    assert (user.path, user.line_start, user.why) == ("load.py", 1, "uses Column, which Gauge inherits from")


def test_a_changed_method_is_shown_with_the_one_that_it_overrides() -> None:
    found = found_beside(NEW.replace("return 1", "return 2"), {"base.py": BASE, "bar.py": SIBLING}, NEW)
    (base,) = [one for one in found if one.path == "base.py"]
    assert "def render(self, task,\n               style=None):" in base.text
    assert "width" not in base.text
    assert not any("as Gauge does" in one.why for one in found)


def test_a_short_base_is_shown_whole_and_one_that_is_nowhere_is_not_missed() -> None:
    short = "class Column:\n    def render(self, task):\n        return task\n"
    assert found_beside(NEW, {"base.py": short}) == [
        Reference("base.py", 1, 3, short.rstrip("\n"), "Column, which Gauge inherits from")
    ]
    assert found_beside(NEW, {"use.py": "Column.run()\n"}) == []


@pytest.mark.parametrize(
    ("path", "base", "new"),
    [
        ("a.java", "class Column {\n  int render(int task) { return 1; }\n}\n",
         "class Gauge extends Column {\n  int render(int task) { return 2; }\n}\n"),
        ("a.rs", "trait Column {\n    fn render(&self, task: i32);\n}\n",
         "struct Gauge;\nimpl Column for Gauge {\n    fn render(&self, task: i32) {}\n}\n"),
        ("a.ts", "interface Column {\n  render(task: number): void;\n}\n",
         'import { Column } from "./base";\nclass Gauge implements Column {\n  render(task: number) {}\n}\n'),
    ],
)  # fmt: skip
def test_in_other_languages(path: str, base: str, new: str) -> None:
    context = MemoryContext({path: (None, new)}, others={"base" + path[1:]: base})
    found = related([view_of(file, context) for file in context.change.files], context, 2000)[path]
    assert found[0].why == "Column, which Gauge inherits from"
