from __future__ import annotations

import random
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.llm.context.related import Reference, related
from selfreview.llm.context.tasks import PromptTask, cost, pack
from selfreview.llm.context.view import FileView, render, view_of
from selfreview.testing.context import MemoryContext

Sides = tuple[str | None, str | None]

lines = st.lists(st.sampled_from(["", "a", "b", "  if x:", "y" * 90, "é" * 40]), max_size=40)
texts = st.none() | lines.map(lambda some: "".join(line + "\n" for line in some))
sides = st.tuples(texts, texts).filter(lambda pair: pair != (None, None))
names = st.sampled_from(["a.py", "b/c.py", "b/test_c.py", "d.txt", "tests/test_a.py", "e.go"])
changes = st.dictionaries(names, sides, max_size=6)


def views_of(files: Mapping[str, Sides]) -> list[FileView]:
    context = MemoryContext(files)
    return [view_of(file, context) for file in context.change.files]


def added(tasks: list[PromptTask]) -> list[tuple[str, int]]:
    return sorted((view.file.path, number) for task in tasks for view in task.views for number in view.added)


@settings(deadline=None, max_examples=60)
@given(changes, st.integers(20, 400))
def test_every_added_line_is_in_exactly_one_task(files: Mapping[str, Sides], limit: int) -> None:
    tasks = pack(views_of(files), {}, limit)
    expected = [
        (file.path, number)
        for file in MemoryContext(files).change.files
        for span in file.added
        for number in range(span.first, span.last + 1)
    ]
    assert added(tasks) == sorted(expected)


@settings(deadline=None, max_examples=60)
@given(changes, st.integers(20, 400))
def test_every_removed_line_is_in_exactly_one_task(files: Mapping[str, Sides], limit: int) -> None:
    tasks = pack(views_of(files), {}, limit)
    shown = [line for task in tasks for view in task.views for piece in view.pieces for line in piece.lines]
    assert sum(line.mark == "-" for line in shown) == MemoryContext(files).change.removed_lines


@settings(deadline=None, max_examples=60)
@given(changes, st.integers(20, 400))
def test_only_a_single_line_makes_a_task_larger_than_allowed(files: Mapping[str, Sides], limit: int) -> None:
    for task in pack(views_of(files), {}, limit):
        if sum(map(cost, task.views)) > limit:
            (view,) = task.views
            assert sum(len(piece.lines) for piece in view.pieces) == 1


@settings(deadline=None, max_examples=60)
@given(changes, st.integers(20, 400), st.randoms())
def test_the_order_of_files_makes_no_difference(files: Mapping[str, Sides], limit: int, order: random.Random) -> None:
    views = views_of(files)
    shuffled = views.copy()
    order.shuffle(shuffled)
    assert pack(views, {}, limit) == pack(shuffled, {}, limit)


def test_a_file_with_a_new_name_only_is_in_a_task() -> None:
    (view,) = views_of({"a.txt": ("", "")})
    assert [task.views for task in pack([view], {})] == [(view,)]


def test_a_long_piece_is_cut_at_blank_lines() -> None:
    text = "".join(f"first {n}\n" for n in range(20)) + "\n" + "".join(f"second {n}\n" for n in range(15))
    first, second = pack(views_of({"a.txt": (None, text)}), {}, 200)
    assert "second" not in render(first.views[0])
    assert "first" not in render(second.views[0])


def test_a_task_has_the_references_of_its_files_once() -> None:
    reference = Reference("z.py", 1, 2, "def z():\n    pass", "called")
    files: dict[str, Sides] = {"a.py": ("", "z()\n"), "b.py": ("", "z()\n")}
    (task,) = pack(views_of(files), {"a.py": (reference,), "b.py": (reference,)})
    assert task.references == (reference,)


def paths(files: Mapping[str, Sides], references: Mapping[str, tuple[Reference, ...]], limit: int) -> list[list[str]]:
    return [[view.file.path for view in task.views] for task in pack(views_of(files), references, limit)]


def test_a_test_stands_with_its_source_and_files_of_a_folder_together() -> None:
    names = ["src/a.py", "src/b.py", "src/c.py", "tests/test_b.py", "tests/test_a.py"]
    files: dict[str, Sides] = dict.fromkeys(names, (None, "word " * 30 + "\n"))
    size = cost(views_of(files)[0])
    assert paths(files, {}, 2 * size + 10)[0] == ["src/a.py", "tests/test_a.py"]
    assert paths(files, {}, 9 * size)[0][:2] == ["src/a.py", "tests/test_a.py"]


def test_a_file_stands_with_the_one_that_it_uses() -> None:
    files: dict[str, Sides] = dict.fromkeys(("a.py", "b.py", "z/c.py"), (None, "word " * 30 + "\n"))
    size = cost(views_of(files)[0])
    used = Reference("z/c.py", 1, 1, "word", "called")
    assert paths(files, {"a.py": (used,)}, 2 * size + 10) == [["a.py", "z/c.py"], ["b.py"]]


def test_each_part_of_a_long_function_says_what_it_stands_in() -> None:
    text = "class Box:\n    def fill(self):\n" + "        step()\n" * 200
    first, *others = pack(views_of({"a.py": (None, text)}), {}, 400)
    assert first.views[0].pieces[0].heading is None
    assert others
    assert {task.views[0].pieces[0].heading for task in others} == {"class Box: > def fill(self):"}


def test_what_a_task_shows_is_no_reference_of_it() -> None:
    context = MemoryContext(
        {
            "calls.py": ("", "from helper import help_out\n\n\ndef go():\n    return help_out(1)\n"),
            "helper.py": (None, "def help_out(value):\n    return value\n"),
        }
    )
    views = [view_of(file, context) for file in context.change.files]
    references = related(views, context, 1_000)
    assert any(reference.path == "helper.py" for reference in references["calls.py"])
    (together,) = pack(views, references, 6_000)
    assert [reference.path for reference in together.references] == []
    alone = pack([view for view in views if view.file.path == "calls.py"], references, 6_000)
    assert [reference.path for reference in alone[0].references] == ["helper.py"]
