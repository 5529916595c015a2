"""Of a function that is too long to show, what has to do with the change is shown beside it."""

from __future__ import annotations

from selfreview.llm.related import Reference, related
from selfreview.llm.view import view_of
from selfreview.testing.context import MemoryContext

FILLER = "".join(f"    step_{n}()\n" for n in range(60))


def find(old: str, new: str) -> tuple[Reference, ...]:
    context = MemoryContext({"a.py": (old, new)})
    return related([view_of(file, context) for file in context.change.files], context, 1500)["a.py"]


def test_its_head_its_exits_and_the_lines_with_the_names_that_changed() -> None:
    old = (
        'def meter(\n    count,\n    elapsed,\n):\n    """Say what elapsed is.\n\n    elapsed: seconds.\n    """\n'
        "    elapsed = elapsed or None\n    # elapsed is known\n"
        f"{FILLER}    rate = 1\n{FILLER}    if rate is None:\n        return ''\n    use(rate)\n"
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
    everywhere = FILLER.replace("step_", "state.step_")
    old = f"def meter(state):\n{everywhere}    limit = state.limit\n{everywhere}    use(limit)\n"
    (found,) = find(old, old.replace("    limit = state.limit\n", "    state.reset()\n"))
    assert found.text == "def meter(state):\n…\n    use(limit)"


def test_lines_of_another_branch_stand_under_what_begins_it() -> None:
    branches = "    try:\n        rate = ask()\n    except OSError:\n        log()\n        rate = None\n"
    branches += "    else:\n        log()\n"
    old = f"def meter(count):\n    base = 1\n{FILLER * 2}{branches}"
    (found,) = find(old, old.replace("base = 1", "rate = 1"))
    assert found.text == "        rate = ask()\n    except OSError:\n…\n        rate = None"


def test_a_function_that_is_shown_needs_nothing() -> None:
    old = "def meter(count):\n    rate = 1\n    return rate\n"
    assert find(old, old.replace("= 1", "= count")) == ()


def test_an_exit_is_whole_and_stands_with_its_condition() -> None:
    exits = "    if broken:\n        raise Broken(\n            1,\n        )"
    old = f"def meter(count):\n    rate = 1\n{FILLER * 2}{exits}\n"
    (found,) = find(old, old.replace("= 1", "= count"))
    assert found.text == exits
