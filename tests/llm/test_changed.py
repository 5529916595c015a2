from __future__ import annotations

from selfreview.llm.changed import changed_definitions
from selfreview.llm.view import view_of
from selfreview.testing.context import MemoryContext

OLD = """\
class Box:
    def open(self):
        return 1

    def close(self, now):
        return 2

def spare():
    return 3
"""


def changes(old: str | None, new: str | None) -> list[tuple[str, bool]]:
    context = MemoryContext({"a.py": (old, new)})
    found = changed_definitions(view_of(context.change.files[0], context))
    return [(item.name, item.signature_changed) for item in found]


def test_a_body_that_changed_is_no_changed_signature_and_its_class_did_not_change() -> None:
    assert changes(OLD, OLD.replace("return 1", "return 9")) == [("open", False)]


def test_a_removed_line_changes_its_function() -> None:
    assert changes(OLD.replace("return 3", "x()\n    return 3"), OLD) == [("spare", False)]


def test_a_changed_signature() -> None:
    assert changes(OLD, OLD.replace("now", "later")) == [("close", True)]


def test_a_removed_definition_and_a_new_one() -> None:
    assert changes(OLD, OLD.replace("spare", "other")) == [("other", True), ("spare", True)]
    assert [name for name, _ in changes(OLD, None)] == ["Box", "open", "close", "spare"]


def test_a_function_that_moved_unchanged_is_not_changed() -> None:
    assert changes(OLD, "import x\n\n" + OLD) == []
