"""Files that define or run a project's checks: makefiles, build files, scripts, what check commands name."""

from __future__ import annotations

import collections
import dataclasses
import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

from selfreview.api.config import ConfigView
from selfreview.guard.patch import File, Patch, Rejection, asks_for_removal, issues_of

_FILES = re.compile(
    r"(?:.*/)?(?:(?:gnu|bsd)?makefile(?:\.[^/]*)?|[^/]*\.(?:mk|mak|just|cmake|gradle|gradle\.kts|bzl|bazel|sh|bash|zsh|fish"
    r"|bat|cmd|ps1|bats)|\.?justfile|taskfile(?:\.[^/]*)?\.ya?ml|magefile\.go|rakefile|tasks\.py|dodo\.py|fabfile\.py"
    r"|cmakelists\.txt|meson\.build|build|pom\.xml|build\.xml|build\.sbt|mix\.exs|deno\.jsonc?|procfile|earthfile|dockerfile"
    r"(?:\.[^/]*)?|(?:docker-)?compose[^/]*\.ya?ml|(?:scripts?|bin|ci|tools|hack|dev)/[^/.]+|turbo\.json|nx\.json|project\.json"
    r"|directory\.build\.(?:props|targets)|[^/]*\.(?:cs|fs|vb)proj)",
    re.IGNORECASE | re.DOTALL,
)
_CHECK = re.compile(
    r"(?<!\w)(?<!\w-)(?<!--)(?:node\s+--test|py\.?test|tox|nox|unittest|ruff|flake8|pylint|mypy|pyright|bandit|black|isort|coverage|hypothesis|jest|vitest"
    r"|mocha|ava|cypress|playwright|karma|eslint|tsc|biome|prettier|stylelint|go\s+(?:test|vet)|golangci-lint|staticcheck"
    r"|cargo\s+(?:\+\w+\s+)?(?:test|clippy|nextest|fmt)|clippy|ctest|gtest_discover_tests|add_test|enable_testing"
    r"|(?:npm|pnpm|yarn|bun|deno|mvn|mvnw|gradle|gradlew|sbt|mix|dotnet|rails|rake|bazel|make|just|task|composer"
    r"|php\s+artisan|swift)[ \t]+[\w$\"'{-]\S*|\$\(MAKE\)|rspec|rubocop|minitest"
    r"|phpunit|phpstan|psalm|pest|bats|shellcheck|hadolint|surefire|failsafe|checkstyle|spotbugs|detekt|ktlint"
    r"|selfreview|pre-commit|semgrep|gitleaks)(?![\w-]|\.\w)"
    r"|(?<!\w)(?:py|cc|go|java|rust|sh)_test\s*\(|(?<![\w.])test\s*\(\s*['\"]",
    re.IGNORECASE,
)
_TESTS = re.compile(r"test|spec|jest|mocha|ava|cypress|playwright|karma|tox|nox|phpunit|pest|bats", re.IGNORECASE)
_OFF = re.compile(
    r"(?<!/)skipTests\b(?!\s*(?:>|=)\s*false)|(?<!/)skipITs\b(?!\s*(?:>|=)\s*false)|(?<!/)maven\.test\.skip\b(?!\s*(?:>|=)\s*false)"
    r"|\btestFailureIgnore\s*>\s*true|\bignoreFailures\s*[=(]?\s*(?:set\()?true|\bignore(?:Exit|Fail)\w*\s*[=:]\s*true"
    r"|\benabled\s*=\s*false|\bonlyIf\s*\{\s*false|<skip>\s*true|haltonfailure\s*=\s*[\"'](?:false|no)|\bWILL_FAIL\b|\bDISABLED\s+TRUE"
    r"|ignore_error:\s*true|\bshould_fail\s*:\s*true|IsTestProject>\s*false"
    r"|ContinueOnError\s*=\s*[\"']true|--collect-only\b|--co\b|--deselect\b|--passWithNoTests\b"
    r"|--continue-on-collection-errors\b|--setup-(?:only|plan)\b|--if-present\b|--no-run\b|--list-?tests\b|-x\s+(?:test|check)\b"
    r"|--ignore(?:-glob)?[= ]\S|-run\s+['\"]?\^\$|--exit-code[= ]0|--allow-no-tests|--no-error-on-unmatched-pattern"
    r"|-p\s+no:(?!cacheprovider|randomly|warnings)\w+|--suppress-no-test-exit-code"
    r"|^\s*MAKEFLAGS\s*[+:?]?=.*(?:-i|-k|-n)\b|^\.IGNORE\b|^SHELL\s*[:?]?=\s*\S*(?:true|echo)\b",
    re.MULTILINE,
)
_HASHED = re.compile(r"(?m)(?:^|(?<=\s))#(?!!)[^\n]*|<!--(?:.|\n)*?-->|^\s*(?:REM|::)\b[^\n]*|^\s*@?echo\b[^\n|&;]*")
_INSTALLED = re.compile(
    r"\b(?:pip3?|uv|pipx|npm|pnpm|yarn|apt(?:-get)?|apk|dnf|gem|poetry|pdm|go|cargo|brew|dotnet|composer)[ \t]+"
    r"(?:(?:pip|tool)[ \t]+)?(?:install|add|i|get|ci|require)\b[^\n&|;]*|^\.PHONY\b[^\n]*",
    re.MULTILINE,
)
_SHELL = re.compile(r"#![^\n]*\b(?:ba|da|k|z)?sh\b")
_EXIT = re.compile(r"^(?:exit|return|exec\s+true)\b(?![^\n]*\|\|)[^\n]*\n", re.MULTILINE)


def check_removed(patch: Patch) -> Iterator[Rejection]:
    """Reject fewer calls of test runners and linters than before, and settings that turn their results off."""
    calls: collections.Counter[str] = collections.Counter()
    files = [file for file in patch.files if file.old_text and _FILES.fullmatch(file.old_path)]
    for file in patch.files:
        if _FILES.fullmatch(file.path):
            calls.update(_calls(file, file.new_text))
            calls.subtract(_calls(file, file.old_text))
    for file in files:
        if any(map(asks_for_removal, issues_of(file, patch.bounds))):
            continue
        was, now = _calls(file, file.old_text), _calls(file, file.new_text)
        gone = was.total() > now.total() and calls.total() < 0
        if gone or _turned_off(file):
            reason = "Let every check that this file starts run and count as before; correct the code instead."
            yield Rejection(file.path, "check-removed", reason)


def runs_checks(words: Sequence[str]) -> bool:
    """Return whether the words of a command call a known test runner or linter."""
    return _CHECK.search(" ".join(word.rpartition("/")[2] for word in words)) is not None


def runs_tests(words: Sequence[str]) -> bool:
    """Return whether the words of a command call a known test runner, and not a linter."""
    match = _CHECK.search(" ".join(word.rpartition("/")[2] for word in words))
    return match is not None and _TESTS.search(match[0]) is not None


def _turned_off(file: File) -> bool:
    """Return whether a new setting turns results off, or a script now ends before its former commands."""
    texts = [_clean(file, text) for text in (file.old_text, file.new_text)]
    old, new = (len(_OFF.findall(code)) for code, _ in texts)
    return new > old or (bool(texts[1][1].strip()) and not texts[0][1].strip())


def _calls(file: File, text: str) -> collections.Counter[str]:
    return collections.Counter(match[0].casefold() for match in _CHECK.finditer(_clean(file, text)[0]))


def _clean(file: File, text: str) -> tuple[str, str]:
    """Return the commands of a text, and those behind its end, without comments, messages and installations."""
    clean = _INSTALLED.sub("", _HASHED.sub("", text))
    is_shell = file.language == "bash" or (text.startswith("#!") and _SHELL.match(text) is not None)
    match = _EXIT.search(clean) if is_shell else None
    return (clean[: match.start()], clean[match.end() :]) if match is not None else (clean, "")


_APART = re.compile(r"[|&;\n()]+")
_SHORT_FLAG = re.compile(r"-(?:[qvxsl]+|r[a-zA-Z]+|\w\d+)")
_LOADS = re.compile(r"conf|rc|require|import|load|plugin|setup|preset|env|init|setting|project|report|format|hook|file")
"""Names of long options whose value is a part of the check."""
_WORDS = re.compile(r"[\s\"'`$={}<>,]+")


def check_script(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of a file that the command of a check names, unless an issue is about that file.

    A new file that a command reads by itself, in place of one that was there, counts as named. What a known runner or
    linter is given to look at is no part of the check: other rules see to tests.
    """
    commands = list(_commands(patch.bounds.config))
    for file in patch.files:
        named = any(_before(file, words, part=True) or _read_by(words, file) for words in commands)
        if named and not any(issues_of(file, patch.bounds)):
            reason = "Correct the code, and leave the file that a configured check runs as it is."
            yield Rejection(file.path, "check-removed", reason)


_READ = {
    "make": re.compile(r"(?:gnu|bsd)?makefile"),
    "just": re.compile(r"\.?justfile"),
    "task": re.compile(r"taskfile(?:\.dist)?\.ya?ml"),
    "rake": re.compile(r"rakefile(?:\.rb)?"),
}
"""By program, names of files of which it reads the first that is there."""
_ALSO = {"gmake": "make", "bmake": "make", "go-task": "task"}


def _read_by(words: Sequence[str], file: File) -> bool:
    """Return whether a file is new under a name that a program among the words reads by itself."""
    if file.old is not None and file.path == file.old_path:
        return False
    name = posixpath.basename(file.path).casefold()
    programs = {posixpath.basename(word) for word in words}
    return any(_READ[tool].fullmatch(name) for tool in {_ALSO.get(one, one) for one in programs} & _READ.keys())


def with_tests(patch: Patch) -> Patch:
    """Return a patch in which a file counts as one with tests where a check gives it to a test runner by name."""
    commands = list(_commands(patch.bounds.config))
    files = [
        dataclasses.replace(file, given_to_tests=True)
        if any(runs_tests(before) for words in commands for before in _before(file, words, part=False))
        else file
        for file in patch.files
    ]
    return Patch(patch.edits, files, patch.bounds)


def _commands(config: ConfigView) -> Iterator[Sequence[str]]:
    """Yield the words of each command that the checks start."""
    for value in config.table("checks").values():
        run = value["run"] if isinstance(value, dict) else value
        if not isinstance(run, str):
            yield list(run)
            # A shell is given its commands as one word.
            yield from (word for text in run for word in _split(text) if len(word) > 1)
        else:
            yield from _split(run)


def _split(text: str) -> Iterator[Sequence[str]]:
    folder = ""
    for part in _APART.split(text):
        try:
            words = shlex.split(part)
        except ValueError:
            words = []
        words = [*words, *(word for word in _WORDS.split(part) if word not in words)]
        if folder:
            words += [posixpath.join(folder, word) for word in words]
        yield words
        if len(words) > 1 and words[0] == "cd":
            folder = posixpath.join(folder, words[1])


def _before(file: File, words: Sequence[str], *, part: bool) -> list[Sequence[str]]:
    """Return the words before each word of a command that names a file, as part of the command or to be checked."""
    found = []
    for path in dict.fromkeys((file.path, file.old_path)):
        for number, word in enumerate(words):
            if path in _names(word, after=words[number - 1] if number else ""):
                before = words[:number]
                checked = runs_checks(before) and file.language is not None and not _takes_next(before[-1])
                if checked is not part:
                    found.append(before)
    return found


def _takes_next(word: str) -> bool:
    """Return whether a word is an option whose value, the next word, is part of the check, such as a configuration."""
    word = word.rpartition("/")[2]
    if word.startswith("--"):
        return "=" not in word and _LOADS.search(word) is not None
    return word.startswith("-") and _SHORT_FLAG.fullmatch(word) is None


def _names(word: str, *, after: str) -> set[str]:
    """Return the paths that a word may name."""
    plain = posixpath.normpath(word.rpartition("=")[2].replace("\\", "/"))
    names = {plain, f"{plain}/__main__.py"}
    if after == "-m":
        module = word.replace(".", "/")
        names |= {f"{module}.py", f"{module}/__main__.py"}
    return names
