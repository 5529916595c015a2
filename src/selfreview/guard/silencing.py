"""Silencing in place of a fix: suppression comments, code in comments, swallowed errors, stubs, detection of tests."""

from __future__ import annotations

import ast
import collections
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.guard.patch import File, Patch, Rejection, issues_of
from selfreview.guard.pysource import Function, functions, last_name, statements, tree_of
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.pytext import code_lines
from selfreview.syntax.suppression_comments import KINDS, Ranges, counts, is_of_faults, is_of_more

_COMMENT = re.compile(r"#|(?<!:)//|/\*|--\s|<!--")
_NAME = re.compile(r"[\w@/-]*\w")
_ANYWHERE = re.compile(
    r"(?:else|try|finally|do|then|fi|done|begin|end|esac|pass|break|continue|return(?:none|nil|null|true|false|\d)?)?\W*",
    re.IGNORECASE,
)
"""Lines that are common in any code, so that they identify none."""


class Silenced(NamedTuple):
    """Code that suppression comments silence, compared without white space and comments.

    Attributes:
        code: All lines of code.
        beside: The kinds of marks that are about one line, each with its code, once a line.
        rules: By kind and rule, the code that is silenced; the rule is empty where a mark names none.
    """

    code: Counter[str]
    beside: Counter[tuple[str, str]]
    rules: dict[tuple[str, str], Counter[str]]

    def gone_since(self, old: Silenced) -> Counter[tuple[str, str]]:
        """Return the suppression comments that are gone with the code that they were about."""
        gone = old.beside - self.beside
        return Counter({mark: min(count, old.code[mark[1]] - self.code[mark[1]]) for mark, count in gone.items()})

    def more_than(self, old: Silenced) -> list[str]:
        """Return the kinds of suppression comments that silence code that existed before and was not silenced."""
        found = []
        for (kind, rule), codes in self.rules.items():
            for code, now in codes.items():
                was = max(old.rules[kind, rule][code], old.rules[kind, ""][code])
                if now > was and self.code[code] - now < old.code[code] - was:
                    found.append(kind)
        return found


def silenced(path: str, lines: Sequence[str]) -> Silenced:
    """Return the code that suppression comments of a text silence, but for those of its format and its tests."""
    text = "\n".join(lines)
    code = [_bare(line) for line in lines]
    ranges = Ranges(lines)
    found = Silenced(Counter(code), Counter(), defaultdict(Counter))
    for kind, pattern in KINDS:
        if not counts(kind, path, text):
            continue
        number, at, counted_on = 1, 0, 0
        reached: dict[str, int] = defaultdict(int)
        for match in pattern.finditer(text):
            number, at = number + text.count("\n", at, match.start()), match.start()
            last = number + match.group().rstrip().count("\n")
            names = _NAME.findall(match.groupdict().get("rules") or "") or [""]
            behind = _bare(text[text.rfind("\n", 0, at) + 1 : at])
            if not is_of_faults(kind, match):
                continue
            if not is_of_more(lines[number - 1]):
                about = code[number - 1] if behind else _next(code[last:])
                found.beside[kind, about] += counted_on != number
                counted_on = number
                for name in names:
                    found.rules[kind, name][about] += 1
                continue
            covered = ranges.of(match, last) or range(last + 1, len(lines) + 1)
            for name in names:
                first = max(covered.start, reached[name])
                inside = code[first - 1 : covered.stop - 1]
                found.rules[kind, name].update(line for line in inside if _ANYWHERE.fullmatch(line) is None)
                reached[name] = max(reached[name], covered.stop)
    return found


def _bare(line: str) -> str:
    """Return a line without white space, up to where a comment may begin."""
    return "".join(_COMMENT.split(line, maxsplit=1)[0].split())


def _next(code: Sequence[str]) -> str:
    """Return the first line that is neither empty nor an annotation."""
    return next((line for line in code if line and not line.startswith(("@", "["))), "")


_BLANKET = 100
"""Weight of a suppression comment that names no rule: naming one instead is less, dropping the names is more."""
_MAKES_NAMES = re.compile(
    r"\b(?:globals|vars)\(\)|(?:(?<![\w.])(?<!def )|\bbuiltins\.)exec\(|\bsetattr\(\s*sys\.modules"
)
"""Code that defines names dynamically, so that none can be proved undefined."""
_SEPARATOR = re.compile(r"[\w@/.-]+")


def suppression(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that silences more than before, or other code; comments moved from another file do not count."""
    lines = {file.path: (_lines(file.old_text), _lines(file.new_text)) for file in patch.files}
    gone = sum((old - new for old, new in lines.values()), collections.Counter[str]())
    shifted = _shifted([file for file in patch.files if any(lines[file.path])])
    for file in patch.files:
        before, after = lines[file.path]
        kept = _without(file.new_text, (after - before) & gone)
        old, new = _weigh(file.old_text), _weigh(kept)
        more = sorted(name for name, weight in new.items() if weight > old[name] and counts(name, file.path, kept))
        if more:
            reason = f"Fix what is reported instead of silencing it: take out the new {more[0]}."
            yield Rejection(file.path, "suppression", reason)
        elif file.path in shifted:
            reason = f"Leave each {shifted[file.path]}, and where it ends, with its code, and fix what is reported."
            yield Rejection(file.path, "suppression", reason)
        elif file.language == "python" and _makes_names(file.new_lines) > _makes_names(file.old_lines):
            reason = "Do without globals(), vars() or exec(): no name can be told to be undefined where they are."
            yield Rejection(file.path, "suppression", reason)


def _makes_names(lines: Sequence[str]) -> int:
    """Return how many lines of code make names that no definition shows."""
    return sum(_MAKES_NAMES.search(line) is not None for line in live("python", lines))


def _shifted(files: Sequence[File]) -> dict[str, str]:
    """Return the kind of a suppression comment that now is about other code, by path.

    What stood beside code that stays is not free for other code; what stood beside code that is gone is, for the code
    may have become another, and so is what came with its code from another file.
    """
    sides = {
        file.path: (silenced(file.old_path, file.old_lines), silenced(file.path, file.new_lines)) for file in files
    }
    gone = {path: new.gone_since(old) for path, (old, new) in sides.items()}
    everywhere = sum(gone.values(), collections.Counter[tuple[str, str]]())
    found = {}
    for path, (old, new) in sides.items():
        come = new.beside - old.beside - everywhere
        free = collections.Counter(kind for kind, _ in gone[path].elements())
        more = collections.Counter(kind for kind, _ in come.elements()) - free
        kinds = [*new.more_than(old), *more]
        if kinds:
            found[path] = kinds[0]
    return found


def _weigh(text: str) -> dict[str, int]:
    weights: dict[str, int] = collections.Counter()
    for name, pattern in KINDS:
        for match in pattern.finditer(text):
            rules = match.groupdict().get("rules")
            weights[name] += len(_SEPARATOR.findall(rules)) if rules else _BLANKET
    return weights


def _lines(text: str) -> collections.Counter[str]:
    found = (line.strip() for line in text.split("\n"))
    return collections.Counter(line for line in found if any(pattern.search(line) for _, pattern in KINDS))


def _without(text: str, moved: collections.Counter[str]) -> str:
    if not moved:
        return text
    kept, remaining = [], moved.copy()
    for line in text.split("\n"):
        if remaining[line.strip()] > 0:
            remaining[line.strip()] -= 1
        else:
            kept.append(line)
    return "\n".join(kept)


LONGEST = 2_000
"""Characters of a line above which it is not parsed: nobody writes such lines, and parsing them takes very long."""


def live(language: str, lines: Sequence[str]) -> list[str]:
    """Return the code of lines, each at its place; of a line that is too long, all of it.

    Python is not parsed: that takes very long where there are many comments.

    Args:
        language: Their language.
        lines: The lines.
    """
    if language == "python":
        code = code_lines("\n".join(lines))
    else:
        short = [line.encode("utf-8", "replace").decode() if len(line) <= LONGEST else "" for line in lines]
        code = live_lines(parse("\n".join(short), language), language, short)
    return [alive if len(line) <= LONGEST else line for line, alive in zip(lines, code, strict=True)]


_OPENING = re.compile(r"//+|#+|--|/\*|\*|;+|<!--")
_CODE = re.compile(r"[=(){}\[\];:.]|^(?:return|raise|break|continue|end)\b")
_SHORTEST = 6
_NEVER = re.compile(r"\bif\s*\(?\s*(?:[Ff]alse|0)\s*(?:$|[:;{)]|and\b|&&)|^\s*#\s*if\s+0\s*$")


def commented_out(patch: Patch) -> Iterator[Rejection]:
    """Reject code that was turned into comments, is now inside a comment or a string, or behind ``if False``."""
    for file in patch.files:
        if file.language is not None and (_has_commented(file, file.language) or _has_taken_out(file, file.language)):
            reason = "Correct the code or delete it; do not leave it as a comment, or where it never runs."
            yield Rejection(file.path, "commented-out", reason)


def _has_commented(file: File, language: str) -> bool:
    """Return whether code of a hunk stands in its comments, whatever else was written elsewhere."""
    for hunk in file.hunks:
        (code, text), (code_now, text_now) = (
            _sorted(language, lines, ["" if _OPENING.match(line.strip()) else line for line in lines])
            for lines in (hunk.old, hunk.new)
        )
        if any(map(_CODE.search, (code - code_now).keys() & (text_now - text).keys())):
            return True
    return False


def _has_taken_out(file: File, language: str) -> bool:
    """Return whether former lines of code are still there, but inside a comment or a string, or never run."""
    if language not in GRAMMARS:
        return False
    old, new = live(language, file.old_lines), live(language, file.new_lines)
    (code, text), (code_now, text_now) = _sorted(language, file.old_lines, old), _sorted(language, file.new_lines, new)
    never, never_now = (sum(_NEVER.search(line) is not None for line in lines) for lines in (old, new))
    return (never_now > never and not file.has_tests) or bool((code - code_now).keys() & (text_now - text).keys())


def _sorted(language: str, lines: Sequence[str], alive: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Return the code of lines without their comments, and what their comments and texts hold, as code is written.

    Args:
        language: Their language.
        lines: The lines.
        alive: By line, its code; empty where all of it is a comment or a text.
    """
    code, text = Counter[str](), Counter[str]()
    for line, living in zip(lines, alive, strict=True):
        bare = without_comments(line, language).rstrip() if living.strip() else ""
        rest = line[len(bare) :].strip()
        opening = _OPENING.match(rest)
        inside = rest[opening.end() :].removesuffix("*/").removesuffix("-->") if opening is not None else rest
        for found, of in ((bare, code), (without_comments(inside, language), text)):
            if len(found.strip()) >= _SHORTEST:
                of[found.strip()] += 1
    return code, text


_STRINGS = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_SLASHES = re.compile(rf"({_STRINGS})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_HASHES = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(?<![\w$\[{])#(?![\[{])[^\n]*", re.DOTALL)
_HASHED = frozenset({"ruby", "bash", "bats", "python"})


def without_comments(text: str, language: str | None) -> str:
    """Return a text in which comments are blanked; the remaining code keeps its place."""
    pattern = _HASHES if language in _HASHED else _SLASHES
    return pattern.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


_BROAD = frozenset({"Exception", "BaseException", "AssertionError"})
_EMPTY = {
    "braces": re.compile(r"\bcatch\b\s*(?:\([^)]*\))?\s*(?:when\s*\([^)]*\)\s*)?\{\s*\}"
                         r"|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined)\s*\)"),
    "ruby": re.compile(r"\brescue\b(?:\s+(?:Exception"
                       r"|StandardError))?(?:\s*=>\s*\w+)?\s*(?:then\s*)?\n?\s*(?:nil\s*)?\bend\b|\brescue\s+nil\b"),
    "go": re.compile(r"\bif\b[^{\n]*\berr\s*!=\s*nil\s*\{\s*\}|^\s*_\s*=\s*err\s*$"
                     r"|\brecover\(\)\s*\}\(\)", re.MULTILINE),
}  # fmt: skip
_BRACES = frozenset({"javascript", "typescript", "tsx", "java", "csharp", "php", "cpp", "kotlin"})


def error_swallowed(patch: Patch) -> Iterator[Rejection]:
    """Reject additional places where any error is caught and ignored."""
    for file in patch.files:
        if file.new_text and _count(file, file.new_text) > _count(file, file.old_text):
            reason = "Catch only the errors that are expected, and handle them; do not catch and ignore any error."
            yield Rejection(file.path, "error-swallowed", reason)


def _count(file: File, text: str) -> int:
    if file.language == "python":
        tree = tree_of(text)
        return sum(map(_swallows, ast.walk(tree))) if tree is not None else 0
    kind = "braces" if file.language in _BRACES else file.language
    pattern = _EMPTY.get(kind or "")
    return len(pattern.findall(without_comments(text, file.language))) if pattern else 0


def _swallows(node: ast.AST) -> bool:
    if isinstance(node, ast.ExceptHandler):
        return _is_broad(node.type) and all(map(_does_nothing, node.body))
    if isinstance(node, ast.With | ast.AsyncWith):
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        return any(last_name(call) == "suppress" and any(map(_is_broad, call.args)) for call in calls)
    return False


def _is_broad(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Tuple):
        return any(map(_is_broad, node.elts))
    return node is None or last_name(node) in _BROAD


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return):
        return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.Pass | ast.Continue) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


_IGNORED = re.compile(
    r"\|\|\s*(?:true|:|exit\s+0|/bin/true)(?![\w/.-])|(?<![\w-])set\s+\+(?:e\b|o\s+(?:errexit|pipefail)\b)"
    r"|;\s*true\s*$|--exit-zero\b|\bcontinue-on-error:\s*true\b|\ballow_failure:\s*true\b|\bignore_errors:\s*(?:true|yes)\b",
    re.MULTILINE,
)
_STRICT = (
    re.compile(r"(?<![\w-])set\s+-(?:[a-df-z]*e[a-z]*\b|[a-z]*o\s+errexit\b)"),
    re.compile(r"\bset\s[^\n]*\bpipefail\b"),
)
"""Commands that make a script end at the first failure."""
_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|da|k|z)?sh\b")
_DASHED = re.compile(r"^\t-[@\w]", re.MULTILINE)
_SHELL_NAMES = re.compile(
    r"(?:gnu)?makefile|[^/]*\.mk|dockerfile[^/]*|containerfile|justfile|procfile|[^/]*\.(?:ya?ml|json|toml|cfg|ini|bats|zsh|ksh|env)"
)


def shell_error_ignored(patch: Patch) -> Iterator[Rejection]:
    """Reject additional ``|| true``, ``set +e`` and the like, and fewer ``set -e``."""
    for file in patch.files:
        if file.new is None or not _has_commands(file):
            continue
        old, new = (without_comments(text, "bash") for text in (file.old_text, file.new_text))
        weaker = any(pattern.search(old) and not pattern.search(new) for pattern in _STRICT)
        if _count_ignored(new, file) > _count_ignored(old, file) or weaker:
            reason = "Handle the failure of the command instead of ignoring it (no `|| true`, no `set +e`)."
            yield Rejection(file.path, "shell-error-ignored", reason)


def _has_commands(file: File) -> bool:
    name = file.path.rpartition("/")[2].casefold()
    script = file.language is None and _SHEBANG.match(file.new_text) is not None
    return file.language == "bash" or script or _SHELL_NAMES.fullmatch(name) is not None


def _count_ignored(text: str, file: File) -> int:
    dashes = len(_DASHED.findall(text)) if file.path.casefold().endswith(("makefile", ".mk")) else 0
    return len(_IGNORED.findall(text)) + dashes


_NOT_DONE = re.compile(
    r"\b(?:unimplemented|todo)!\s*\(|\bNotImplementedException\b|\braise\s+NotImplementedError\b"
    r"|\bUnsupportedOperationException\s*\(|\b(?:Error|Exception|panic|fatalError|TODO|RuntimeException)\s*\(\s*"
    r"[\"'`](?:not (?:yet )?(?:implemented|supported)|todo|unimplemented)[^\"'`]*[\"'`]",
    re.IGNORECASE,
)


def stub(patch: Patch) -> Iterator[Rejection]:
    """Reject a function whose body was removed."""
    for file in patch.files:
        if file.is_test or not file.new_text:
            continue
        name = _python(file) if file.language == "python" else _other(file)
        if name is not None:
            yield Rejection(file.path, "stub", f"Write the code of {name}; do not leave a stub in its place.")


def _python(file: File) -> str | None:
    new = functions(tree_of(file.new_text))
    for name, old in functions(tree_of(file.old_text)).items():
        function = new.get(name)
        if function is None or _is_stub(old) or not _is_stub(function) or _is_abstract(function):
            continue
        if not (_returns_none(function) and len(statements(old)) == 1):
            return name
    return None


def _other(file: File) -> str | None:
    if file.language is None or not file.old_text:
        return None
    old, new = (
        len(_NOT_DONE.findall(without_comments(text, file.language))) for text in (file.old_text, file.new_text)
    )
    return "what is not implemented" if new > old else None


def _is_stub(function: Function) -> bool:
    body = statements(function)
    if not body:
        return True
    first = body[0]
    if isinstance(first, ast.Raise) and first.exc is not None:  # nothing that follows it runs
        return last_name(first.exc) == "NotImplementedError"
    return _returns_none(function)


def _returns_none(function: Function) -> bool:
    body = statements(function)
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    value = body[0].value
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _is_abstract(function: Function) -> bool:
    return any(last_name(node) in ("abstractmethod", "overload") for node in function.decorator_list)


_LOOKS = re.compile(
    r"['\"](?:pytest|unittest|_pytest|nose2?|pydevd|jest|mocha|vitest)['\"]\s+(?:not\s+)?in\s+[\w.]*sys\.(?:modules|argv)"
    r"|\bsys\.modules\.get\(\s*['\"](?:_?pytest|unittest)|\bPYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER|ADDOPTS)\b|\b_called_from_test\b"
    r"|\b(?:JEST|VITEST)_(?:WORKER|POOL)_ID\b|\benv\.VITEST\b|\bNODE_ENV\s*={2,3}\s*['\"`]test|\btypeof\s+(?:jest|describe|it)\b"
    r"|\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\.|\bcfg!\(\s*test\s*\)|\bos\.Args\[0\],\s*\"\.test\""
    r"|\bXCTestConfigurationFilePath\b|\bRSPEC_VERSION\b|\bPHPUNIT_COMPOSER_INSTALL\b|\borg\.junit\.\w+.*\b(?:forName|StackTrace)"
)
_SERVICES = re.compile(
    r"(?:environ(?:\.get\(|\[)|getenv\(|Getenv\(|ENV(?:\.fetch\(|\[)|env::var\(|LookupEnv\()\s*['\"](?:CI|GITHUB_ACTIONS|GITLAB_CI"
    r"|SELFREVIEW\w*|TOX_ENV_NAME)['\"]|\bprocess\.env\.(?:CI|GITHUB_ACTIONS)\b"
)
_ABOUT_SERVICES = re.compile(r"\bCI\b|continuous integration|github|gitlab", re.IGNORECASE)


def detects_tests(patch: Patch) -> Iterator[Rejection]:
    """Reject additional code that detects whether a test runner or a CI service runs it.

    An issue that is about such a service may have the code look for it.
    """
    for file in patch.files:
        if file.is_test or file.language is None or not file.new_text:
            continue
        old, new = (without_comments(text, file.language) for text in (file.old_text, file.new_text))
        about = any(_ABOUT_SERVICES.search(issue.description) for issue in issues_of(file, patch.bounds))
        patterns = (_LOOKS,) if about else (_LOOKS, _SERVICES)
        if any(len(pattern.findall(new)) > len(pattern.findall(old)) for pattern in patterns):
            reason = "Behave the same whoever runs the code: do not ask whether it is being tested."
            yield Rejection(file.path, "detects-tests", reason)
