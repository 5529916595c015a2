"""Tests belong to the person: which edits of a fixer wait for their word.

Held is every edit of a test, snapshot or fixture that was there, and every new file that a runner loads by itself. Free
are new test files, and whole new tests with new names in those that are there; and lines that an issue points at.
"""

from __future__ import annotations

import ast
import bisect
import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.checkscripts import with_tests
from selfreview.guard.patch import Bounds, Edited, File, Held, Hunk, Patch, is_binary, issues_of, make_patch
from selfreview.guard.pysource import as_text, dotted, is_own_part, last_name, tree_of
from selfreview.model.issue import Side
from selfreview.syntax.file_kinds import is_loaded_by_runner, is_snapshot, is_test
from selfreview.syntax.parsing import parse
from selfreview.syntax.source import Source, Unit, keeps_tests, only_adds_tests

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MAX_HUNKS = 200
_IMPORT = re.compile(
    r"""\s*(?:(?:(?:import|from\s+\S+\s+import|use|using)\s+[^;()=]+|\#\s*include\s+[<"][^>"]+[>"]
    |require(?:_relative)?\b\s*\(?\s*['"][^'"]+['"]\s*\)?|const\s+[\w{}\s,:]+=\s*require\(\s*['"][^'"]+['"]\s*\))
    \s*;?\s*(?:(?:\#|//).*)?)?""",
    re.VERBOSE,
)
"""A whole line that imports and does nothing else, or an empty one."""
_CLASS = re.compile(r"^\s*class\s+([A-Z]\w*)\s*(?:$|[;#])", re.MULTILINE)
_COLLECTION = re.compile(
    r"\b(?:collect_ignore\w*|pytest_(?:ignore_collect|collection\w*|runtest_\w+|sessionfinish|report\w*|collect_\w+"
    r"|configure|pyfunc_call|terminal_summary)|filterwarnings|deselect\w*|pytest_plugins)\b"
)
"""What decides in a ``conftest.py`` which tests run, and how."""


@dataclasses.dataclass(frozen=True)
class Split:
    """A fixer's edits, by what may be kept at once.

    Attributes:
        free: The edits without what waits; of a file of which all waits, nothing.
        held: What waits, and why.
    """

    free: Sequence[Edited]
    held: Sequence[Held]


def split(edits: Sequence[Edited], bounds: Bounds, original: Mapping[str, Entry | None] | None = None) -> Split:
    """Split edits into those that may be kept, and those that wait for a person.

    Args:
        edits: All that a fixer changed since what it wrote was last kept.
        bounds: What they are measured against.
        original: By path, the file as the person has it, where a fixer has edited it before: its own tests are free.
    """
    if bounds.config["tests"] == "allow":
        return Split(edits, ())
    patch = with_tests(make_patch(edits, bounds))
    by_path = {edit.path: edit for edit in edits}
    free: dict[str, Edited] = dict(by_path)
    held: list[Held] = []
    for file in patch.files:
        first = (original or {}).get(file.old_path, file.old) if original is not None else file.old
        found = _judge(file, patch, first)
        if not found.held:
            continue
        held += found.held
        for path in {file.path, file.old_path}:
            edit = by_path.get(path)
            if edit is not None:
                free.pop(path, None)
        if found.kept is not None and file.path == file.old_path:
            free[file.path] = by_path[file.path]._replace(new=found.kept)
    return Split([free[edit.path] for edit in edits if edit.path in free], held)


@dataclasses.dataclass(frozen=True)
class _Found:
    held: Sequence[Held] = ()
    kept: Entry | None = None


def _judge(file: File, patch: Patch, original: Entry | None) -> _Found:
    bounds = patch.bounds
    if file.old is None or original is None:
        why = _why_new(file, patch) if file.old is None else None  # else a fixer's own, that was let pass before
        return _Found([Held(file.path, 1, why)]) if why is not None else _Found()
    kind = _kind(file)
    if kind is None and (file.language is None or file.new is None):
        return _Found()
    if _is_pointed_at_as_a_whole(file, bounds) and _decides_the_same(file):
        return _Found()
    if kind is not None and (file.new is None or file.path != file.old_path):
        what = "is gone" if file.new is None else f"is {file.path} now"
        return _Found([Held(file.old_path, 1, f"{kind} that you have {what}")])
    if is_binary(file.old) or is_binary(file.new) or LINK in (file.old.mode, file.new.mode if file.new else ""):
        return _Found([Held(file.path, 1, f"{kind} that you have is edited")]) if kind is not None else _Found()
    return _by_hunks(file, kind, bounds, original)


def _kind(file: File) -> str | None:
    """Return what a file is that belongs to the person as a whole, or None for one of the product."""
    if is_snapshot(file.old_path):
        return "a snapshot"
    if is_test(file.old_path) or file.old_path.endswith(".bats"):
        return "a test file" if file.language is not None else "a file of the tests"
    if is_loaded_by_runner(file.old_path):
        return "a file that test runners load"
    return None


def _why_new(file: File, patch: Patch) -> str | None:
    if is_loaded_by_runner(file.path) and file.new is not None and file.new.data.strip():
        return "a new file that test runners load by themselves"
    if not is_test(file.path):
        return None
    if load_effects(file.new_text, file.language, is_shared=False) or _reopens(file, patch):
        return "a new file with code that runs for the tests of other files, too"
    return None


def _reopens(file: File, patch: Patch) -> bool:
    """Return whether a new test in Ruby adds to a class of the files that are edited, for all tests of the run."""
    if file.language != "ruby":
        return False
    others = "\n".join(other.new_text for other in patch.files if other.language == "ruby" and not other.is_test)
    return not set(_CLASS.findall(others)).isdisjoint(_CLASS.findall(file.new_text))


def _is_pointed_at_as_a_whole(file: File, bounds: Bounds) -> bool:
    return any(issue.line_start == 0 for issue in issues_of(file, bounds))


def _by_hunks(file: File, kind: str | None, bounds: Bounds, original: Entry) -> _Found:
    """Judge a text line by line: lines that an issue points at are free, and others by what they are."""
    old = Source(file.old_path, file.old_text)
    judge = _judge_of(file, kind, original)
    if judge(file.old_text, file.new_text):
        return _Found()
    hunks = file.hunks
    if file.hunks and len(hunks) <= _MAX_HUNKS:
        pointed = _pointed(file, old, bounds) if _decides_the_same(file) else []
        free = [hunk for hunk in hunks if _is_free(hunk, pointed)]
        base = _applied(file, free)
        rest = [hunk for hunk in hunks if hunk not in free]
        if judge(base, file.new_text):
            return _Found()
        more = [hunk for hunk in rest if judge(base, _applied(file, [*free, hunk]))]
        text = _applied(file, [*free, *more])
        if not judge(base, text):
            more, text = [], base
        waits = [hunk for hunk in rest if hunk not in more]
    else:
        waits, text = hunks, file.old_text
    what = kind if kind is not None else "a test inside of this file"
    held = [
        Held(file.path, max(hunk.new_start, 1), f"{_test_at(old, hunk) or what} that you have is edited")
        for hunk in waits
    ]
    if not held:  # other line ends, or a mode
        held = [Held(file.path, 1, f"{what} that you have is edited")]
    kept = None if text == file.old_text else Entry(_mode(file), text.encode("utf-8", "surrogateescape"))
    return _Found(held, kept)


def _test_at(source: Source, hunk: Hunk) -> str | None:
    """Return which test a hunk is in, or None."""
    numbers = range(hunk.old_start - (not hunk.old), hunk.old_start + max(len(hunk.old), 1))
    names = [unit.test for unit in source.tests if unit.lines.start <= numbers[0] and numbers[-1] < unit.lines.stop]
    return f"the test {names[-1]!a}" if names else None


def _decides_the_same(file: File) -> bool:
    """Return whether the code is the same that decides which tests of others run, and how: no issue lets it change."""

    def decides(text: str) -> Counter[str]:
        lines = (line.strip() for line in text.split("\n") if _COLLECTION.search(line))
        return load_effects(text, file.language, is_shared=True) + Counter(lines)

    return decides(file.old_text) == decides(file.new_text)


def _mode(file: File) -> str:
    assert file.old is not None  # noqa: S101 - the caller has looked
    return file.old.mode


def _judge_of(file: File, kind: str | None, original: Entry) -> Callable[[str, str], bool]:
    """Return what says whether one text may become another."""
    own = _own_tests(file, original)

    def judge(old: str, new: str) -> bool:
        if old == new:
            return kind is None or (file.old is not None and file.new is not None and file.old.mode == file.new.mode)
        before, after = Source(file.path, _without(old, own, file)), Source(file.path, _without(new, own, file))
        if kind is None:
            return keeps_tests(before, after, runs_functions=file.given_to_tests)
        if file.language is None or not only_adds_tests(before, after):
            return False
        was, now = (load_effects(text, file.language, is_shared=True) for text in (old, new))
        return not now - was

    return judge


def _own_tests(file: File, original: Entry) -> set[str]:
    """Return the names of tests that a fixer added to a file before: they are its own."""
    first = original.data.decode("utf-8", "surrogateescape")
    if first == file.old_text:
        return set()
    theirs = {unit.test for unit in Source(file.path, first).tests}
    return {unit.test for unit in Source(file.path, file.old_text).tests if unit.test is not None} - theirs


def _without(text: str, own: set[str], file: File) -> str:
    """Return a text without the tests of some names."""
    if not own:
        return text
    lines = text.split("\n")
    for unit in Source(file.path, text).tests:
        if unit.test in own:
            for number in unit.lines:
                lines[number - 1] = ""
    return "\n".join(lines)


def _pointed(file: File, old: Source, bounds: Bounds) -> list[int]:
    """Return, sorted, the lines of the old side that issues point at, with the tests that they are in."""
    found: set[int] = set()
    for issue in issues_of(file, bounds):
        if issue.side is Side.OLD:
            continue
        lines = range(issue.line_start, max(issue.line_end, issue.line_start) + 1)
        found.update(lines)
        for unit in _innermost(old.units or (), lines):
            found.update(unit.lines)
    return sorted(found)


def _innermost(units: Sequence[Unit], lines: range) -> list[Unit]:
    """Return the smallest units that some lines are in."""
    found: list[Unit] = []
    for unit in units:
        if unit.lines.start < lines.stop and lines.start < unit.lines.stop:
            inner = _innermost(unit.members, lines) if unit.members is not None else []
            if inner or unit.members is None:
                found += inner or [unit]
    return found


def _is_free(hunk: Hunk, pointed: Sequence[int]) -> bool:
    if not pointed:
        return False
    if not hunk.old and all(_IMPORT.fullmatch(line.rstrip("\r\n")) for line in hunk.new):
        return True  # what an issue asks for may need another import
    above = max(hunk.old_start - 1, 1)  # of what is inserted at the top, it is the line below
    numbers = range(hunk.old_start, hunk.old_start + len(hunk.old)) or (above,)
    return all(_has(pointed, number) for number in numbers)


def _has(numbers: Sequence[int], number: int) -> bool:
    at = bisect.bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def _applied(file: File, hunks: Sequence[Hunk]) -> str:
    """Return the text before with some of the hunks applied."""
    lines = file.old_text.split("\n")
    new = file.new_text.split("\n")
    for hunk in sorted(hunks, key=lambda hunk: hunk.old_start, reverse=True):
        start, end = hunk.old_start - 1, hunk.old_start - 1 + len(hunk.old)
        lines[start:end] = new[hunk.new_start - 1 : hunk.new_start - 1 + len(hunk.new)]
    return "\n".join(lines)


_RUNS_FOR_ALL = {
    "python": re.compile(
        r"^(?:async\s+)?def\s+(?:pytest_(?!addoption\b|addhooks\b)\w+|load_tests)\s*\(|^(?:pytest_\w+|load_tests)\s*="
        r"|\bsession\.(?:items|shouldstop|shouldfail)\b",
        re.MULTILINE,
    ),
    "go": re.compile(
        r"\bfunc\s+(?:TestMain|init)\s*\(|^var\s+\w+[^=\n]*=\s*func\s*\([^)]*\)[^{\n]*\{(?:[^\n]*|[^}]*^)\}\(",
        re.MULTILINE,
    ),
    "ruby": re.compile(
        r"\bRSpec\.configure\b|^[A-Z]\w*(?:::[A-Z]\w*)*\.(?:\w+_eval|\w+_exec|prepend|include|extend|send|define_\w+)\b",
        re.MULTILINE,
    ),
    "php": re.compile(r"^(?:register_shutdown_function\s*\(|exit\b|die\b)", re.MULTILINE),
    "csharp": re.compile(r"\[assembly:|\[(?:SetUpFixture|AssemblyInitialize|AssemblyCleanup|ModuleInitializer)\b"),
    "rust": re.compile(r"#\[(?:ctor::)?[cd]tor\b"),
}
"""Code in a test file that a runner runs for the tests of other files, too, by language."""
_RUNS_FOR_ALL_JVM = re.compile(r"@ControlAll|\bextends\s+AbstractProjectConfig\b|\bRegisterExtension\b.*static")
_FOCUSED = re.compile(
    r"\b(?:describe|context|suite|it|test|specify)\.only\b|(?<![\w.])f(?:describe|context|it)\s*[( ]\s*['\"`A-Z]"
    r"|[,(]\s*(?::focus\b|focus:\s*true\b|:focus\s*=>\s*true\b)"
)
"""Marks by which a runner leaves out every test that has none."""
_HOISTED = re.compile(r"\b(?:vi|jest|mock)\.(?:mock|doMock|hoisted|module|unstable_mockModule)\(")
"""Calls that replace a module for a whole file, wherever in the file they stand."""
_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_CALLS = frozenset({"exec", "atexit.register", "importlib.reload"})
_METHODS = frozenset({"update", "setdefault", "pop", "clear", "__setitem__"})
_TABLES = frozenset({"globals", "vars", "sys.modules", "os.environ"})
_FREE = frozenset({"os.environ.setdefault"})
_GLOBALS = frozenset({"global", "globalThis", "window", "process"})
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_ASSIGNS = ("assignment_expression", "augmented_assignment_expression", "unary_expression", "call_expression")
_CHANGES = re.compile(r"Object\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\.(?:set|defineProperty)")


def load_effects(text: str, language: str | None, *, is_shared: bool) -> Counter[str]:
    """Return what a test file does to the tests of others, as code.

    Args:
        text: The file.
        language: Its language.
        is_shared: Whether others' tests are in the file itself.
    """
    pattern = _RUNS_FOR_ALL.get(language or "", _RUNS_FOR_ALL_JVM)
    found = Counter(match[0].strip() for match in pattern.finditer(text))
    if language in _SCRIPTS or language == "ruby":
        found.update(match[0] for match in _FOCUSED.finditer(text))
    if language == "python":
        found.update(_python(text, is_shared=is_shared))
    elif language in _SCRIPTS:
        found.update(_script(text, language))
        if is_shared:
            found.update(match[0] for match in _HOISTED.finditer(text))
    return found


def _python(text: str, *, is_shared: bool) -> Iterator[str]:
    tree = tree_of(text)
    if tree is None:
        return
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in _at_load(tree):
        is_target = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
        if (is_target and _root(node) not in own) or (isinstance(node, ast.Call) and _replaces(node, own)):
            yield as_text(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(_is_for_all(decorator, is_shared=is_shared) for decorator in node.decorator_list):
                yield f"fixture {node.name}"
        elif isinstance(node, ast.Global) and is_shared:
            yield as_text(node)


def _at_load(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that run when a module is loaded: all but the bodies of functions and a script's own part."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [*node.decorator_list, node.args]
        elif is_own_part(node):
            pending += node.orelse
        else:
            pending += ast.iter_child_nodes(node)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _replaces(call: ast.Call, own: set[str]) -> bool:
    """Return whether a call replaces a part of a module, or starts a patch that nothing ends."""
    name = dotted(call)
    if name in _CALLS:
        return True
    if last_name(call) in _SETTERS:
        return not (call.args and _root(call.args[0]) in own)
    if not isinstance(call.func, ast.Attribute) or name in _FREE:
        return False
    if call.func.attr == "start":
        return "patch" in name
    of = dotted(call.func.value)
    return call.func.attr in _METHODS and (of in _TABLES or of.endswith("__dict__")) and _root(call.func) not in own


def _is_for_all(decorator: ast.expr, *, is_shared: bool) -> bool:
    """Return whether a fixture is used by tests that do not name it, beyond the file or by others' tests in it."""
    if last_name(decorator) != "fixture" or not isinstance(decorator, ast.Call):
        return False
    values = {word.arg: word.value.value for word in decorator.keywords if isinstance(word.value, ast.Constant)}
    return bool(values.get("autouse")) and (is_shared or values.get("scope") in ("session", "package"))


def _script(text: str, language: str) -> Iterator[str]:
    root = parse(text.encode("utf-8", "replace").decode("utf-8"), language)
    imported = _GLOBALS | _imported(root)
    for kind in _ASSIGNS:
        for node in root.find_all(kind=kind):
            target = _target(node)
            head = re.match(r"[\w$]+", target)
            if head is not None and head[0] in imported and not any(map(_is_function, node.ancestors())):
                yield node.text()


def _target(node: SgNode) -> str:
    """Return what an expression writes to; ``""`` where it writes to no member."""
    if node.kind() == "unary_expression":
        return node.text().removeprefix("delete").strip() if node.text().startswith("delete ") else ""
    if node.kind() == "call_expression":
        function, arguments = node.field("function"), node.field("arguments")
        if function is None or arguments is None or _CHANGES.fullmatch(function.text()) is None:
            return ""
        return arguments.text().lstrip("( \n\t")
    left = node.field("left")
    return left.text() if left is not None and left.kind() in ("member_expression", "subscript_expression") else ""


def _is_function(node: SgNode) -> bool:
    return "function" in node.kind() or node.kind() == "method_definition"


def _imported(root: SgNode) -> set[str]:
    """Return the names that a script imports or requires."""
    heads = [node.text().rpartition("from")[0] for node in root.find_all(kind="import_statement")]
    declared = root.find_all(kind="variable_declarator")
    heads += [node.text().partition("=")[0] for node in declared if re.search(r"=\s*(?:await\s+)?(?:require|import)\(",
                                                                             node.text())]  # fmt: skip
    return {name for head in heads for name in re.findall(r"[\w$]+", head)}
