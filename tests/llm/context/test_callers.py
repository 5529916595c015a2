"""What a type of a change inherits from is shown with what it overrides, another heir, and who uses it."""

from __future__ import annotations

import pytest

from selfreview.llm.context.reference import Reference
from selfreview.llm.context.related import related
from selfreview.llm.context.view import view_of
from selfreview.testing.context import MemoryContext

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


def find(new: str, others: dict[str, str], old: str | None = None) -> list[Reference]:
    context = MemoryContext({"gauge.py": (old, new)}, others=others)
    return list(related([view_of(file, context) for file in context.change.files], context, 2000)["gauge.py"])


def test_a_new_type_is_shown_with_its_base_a_sibling_and_who_uses_the_base() -> None:
    loader = 'for one in all_of(vars()):\n    if issubclass(one, Column):\n        add(one)\n"""\nAn `Column`.\n"""\n'
    base, sibling, user = find(NEW, {"base.py": BASE, "bar.py": SIBLING, "load.py": loader})
    assert base.why == "Column, which Gauge inherits from"
    assert [line.strip() for line in base.text.split("\n")] == [
        "class Column:", "…", "@abstractmethod", "def width(self): ...", "…",
        "def render(self, task,", "style=None):",
    ]  # fmt: skip
    assert (sibling.path, sibling.line_start, sibling.line_end) == ("bar.py", 3, 5)
    assert sibling.text == "class Bar(Column):\n…\n    def render(self, task, style=None):"
    assert (user.path, user.line_start, user.why) == ("load.py", 1, "uses Column, which Gauge inherits from")


def test_a_changed_method_is_shown_with_the_one_that_it_overrides() -> None:
    found = find(NEW.replace("return 1", "return 2"), {"base.py": BASE, "bar.py": SIBLING}, NEW)
    (base,) = [one for one in found if one.path == "base.py"]
    assert "def render(self, task,\n               style=None):" in base.text
    assert "width" not in base.text
    assert not any("as Gauge does" in one.why for one in found)


def test_a_short_base_is_shown_whole_and_one_that_is_nowhere_is_not_missed() -> None:
    short = "class Column:\n    def render(self, task):\n        return task\n"
    assert find(NEW, {"base.py": short}) == [
        Reference("base.py", 1, 3, short.rstrip("\n"), "Column, which Gauge inherits from")
    ]
    assert find(NEW, {"use.py": "Column.run()\n"}) == []


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
