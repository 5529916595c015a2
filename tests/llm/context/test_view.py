from __future__ import annotations

from selfreview.git.bare_patch import PatchContent, parse_patch
from selfreview.llm.context.view import ViewLine, changed_definitions, render, view_of
from selfreview.proc import Runner
from selfreview.review.context import RunContext, Workbench
from selfreview.testing.context import MemoryConfig, MemoryContext

Content = str | bytes | None


def show(old: Content, new: Content, path: str = "notes.txt") -> str:
    context = MemoryContext({path: (old, new)})
    return render(view_of(context.change.files[0], context))


def numbered(first: int, last: int) -> str:
    return "".join(f"line {n}\n" for n in range(first, last + 1))


def test_lines_are_numbered_on_the_new_side_and_removed_ones_stand_at_their_place() -> None:
    assert show("a\nb\nc\n", "a\nB\nB2\nc\n").splitlines() == [
        "## File: notes.txt",
        "",
        "@@",
        "    1   a",
        "      - b",
        "    2 + B",
        "    3 + B2",
        "    4   c",
    ]


def test_removed_first_and_last_lines_are_shown() -> None:
    assert show("a\nb\nc\n", "b\n").splitlines()[3:] == ["      - a", "    1   b", "      - c"]


def test_a_file_that_lost_all_its_lines_shows_them() -> None:
    assert show("a\nb\n", "").splitlines()[3:] == ["      - a", "      - b"]


def test_a_deleted_file_shows_what_it_held() -> None:
    assert show("a\nb\n", None).splitlines() == [
        "## File: notes.txt (deleted file)",
        "",
        "@@",
        "      - a",
        "      - b",
    ]


def test_distant_hunks_are_two_pieces_and_near_ones_are_one() -> None:
    old = numbered(1, 60)
    far = show(old, old.replace("line 5\n", "X\n").replace("line 50\n", "Y\n"))
    near = show(old, old.replace("line 5\n", "X\n").replace("line 20\n", "Y\n"))
    assert (far.count("@@"), near.count("@@")) == (2, 1)


def test_the_end_of_a_line_is_shown_only_where_it_may_be_what_changed() -> None:
    assert "\\r" not in show("a\r\nb\r\n", "a\r\nB\r\n")
    assert show("a\r\n", "a\n").splitlines()[3:] == ["      - a\\r", "    1 + a"]


def test_bytes_that_are_not_text_are_escaped_and_form_feeds_end_no_line() -> None:
    shown = show(b"a\n", b"a\n\xff\x0cb\n")
    assert "    2 + \\xff\x0cb\n" in shown
    shown.encode("utf-8")


def test_a_long_line_is_whole() -> None:
    assert "x" * 50_000 in show("a\n", "a\n" + "x" * 50_000 + "\n")


def test_the_added_lines_of_a_view_are_those_of_the_change() -> None:
    context = MemoryContext({"a.txt": (numbered(1, 40), "new\n" + numbered(1, 20) + "new\n" + numbered(22, 40))})
    file = context.change.files[0]
    assert view_of(file, context).added == {1, 22}


def test_exact_text_is_kept_for_quotes() -> None:
    context = MemoryContext({"a.txt": (None, b"\xff\r\n")})
    assert view_of(context.change.files[0], context).pieces[0].lines == (ViewLine(1, "+", "\udcff\r"),)


def function(name: str, length: int) -> str:
    return f"def {name}(a):\n" + "".join(f"    {name}_{n}()\n" for n in range(length - 1))


def shown_lines(old: str, new: str, path: str = "a.py") -> list[tuple[int, int]]:
    context = MemoryContext({path: (old, new)})
    numbers = [
        [line.number for line in piece.lines if line.number is not None]
        for piece in view_of(context.change.files[0], context).pieces
    ]
    return [(piece[0], piece[-1]) for piece in numbers]


def test_a_hunk_is_widened_to_its_function() -> None:
    old = "import a\n" * 20 + function("f", 40) + function("g", 40) + function("h", 40)
    assert shown_lines(old, old.replace("g_20()", "changed()")) == [(61, 100)]


def test_what_changes_only_blank_lines_and_the_ends_of_lines_has_one_line_of_context() -> None:
    old = "import a\n" * 20 + function("f", 40) + function("g", 40)
    assert shown_lines(old, old.replace("g_20()\n", "g_20()\n\n")) == [(82, 84)]
    assert shown_lines(old, old.replace("g_20()", "g_20()  ")) == [(81, 83)]
    assert shown_lines(old, old.replace("    g_20()", "        g_20()")) == [(61, 100)]


def test_a_hunk_at_a_function_s_edge_has_three_lines_of_context() -> None:
    old = "import a\n" * 20 + function("f", 40) + function("g", 40)
    assert shown_lines(old, old.replace("g_38()", "changed()").replace("def g", "def gg")) == [(58, 100)]


def test_a_hunk_over_two_functions_is_widened_to_both() -> None:
    old = function("f", 40) + function("g", 40)
    new = old.replace("    f_38()\ndef g(a):\n    g_0()\n", "    changed()\ndef gg(a):\n    changed()\n")
    assert shown_lines("x\n" * 20 + old, "x\n" * 20 + new) == [(21, 100)]


def test_of_a_long_function_only_the_lines_around_are_shown_under_its_signature() -> None:
    old = "class Box:\n    @cached\n" + "".join("    " + line + "\n" for line in function("f", 200).splitlines())
    new = old.replace("f_100()", "changed()")
    assert shown_lines(old, new) == [(89, 119)]
    assert "@@ class Box: > def f(a):\n" in show(old, new, "a.py")


def test_a_nested_function_is_shown_with_the_one_around_it() -> None:
    old = "x = 1\n" * 20 + "def f():\n" + "    y()\n" * 20 + "    def g():\n" + "        z()\n" * 20
    assert shown_lines(old, old[::-1].replace(")(z", ")(!", 1)[::-1]) == [(21, 62)]


def patched(body: bytes) -> list[str]:
    patch = parse_patch(body)
    context = RunContext(Workbench(patch.change, PatchContent(patch), MemoryConfig(), Runner()), 60.0)
    return render(view_of(patch.change.files[0], context)).splitlines()[3:]


def test_a_bare_patch_shows_the_lines_that_it_brings() -> None:
    body = b"--- a/f.py\n+++ b/f.py\n@@ -10,3 +10,3 @@ def f():\n     a()\n-    b()\n+    c()\n     d()\n"
    assert patched(body) == ["   10       a()", "      -     b()", "   11 +     c()", "   12       d()"]


def test_a_bare_patch_without_context_shows_no_lines_that_nobody_knows() -> None:
    body = b"--- a/f.py\n+++ b/f.py\n@@ -11 +11 @@\n-    b()\n+    c()\n"
    assert patched(body) == ["      -     b()", "   11 +     c()"]


def test_a_heading_names_what_the_change_stands_in_and_not_what_ends_before_it() -> None:
    before = "".join(f"        step_{n}()\n" for n in range(20))
    old = f"class A:\n    def f(self):\n{before}\n    def g(self):\n        return 1\n"
    shown = show(old, old.replace("return 1", "return 2"), "a.py")
    assert "@@ class A:\n" in shown
    assert "step_19" in shown
    gone = f"class A:\n    def f(self):\n{before}\n    x = 1\n\n    def g(self): ...\n"
    assert "@@ class A:\n" in show(gone, gone.replace("    x = 1\n", ""), "a.py")


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
