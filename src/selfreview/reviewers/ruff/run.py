"""Runs of ruff over the files of a change, held against the version before it."""

from __future__ import annotations

import functools
import itertools
import os
import posixpath
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from selfreview.api import Category, ChangedFile, Finding, Place, Review, ReviewContext, Severity, Side, SourceText
from selfreview.errors import ToolError
from selfreview.git.private_folder import PrivateFolder
from selfreview.model.wire import display_path
from selfreview.programs import as_argument, batches
from selfreview.reviewers.evidence import is_on_change, state_of, trigger, trigger_of
from selfreview.reviewers.ruff import rules
from selfreview.reviewers.ruff.judge import judge, named
from selfreview.reviewers.ruff.python_file import PythonFile
from selfreview.reviewers.ruff.rules import Diagnostic, PositionMap
from selfreview.reviewers.tools.results import PathReader
from selfreview.reviewers.tools.ruff_config import NAMES, ConfigFinder, RuffConfig
from selfreview.syntax.pytext import ENCODING

_ARGUMENTS = (
    "check", "--no-cache", "--no-fix", "--no-fix-only", "--exit-zero", "--output-format=json", "--no-respect-gitignore",
    f"--extend-select={rules.READ_ERROR}",
)  # fmt: skip
_ISOLATED = (
    "--isolated",
    "--target-version=py315",  # the newest: no alarm about a built-in that the project's own Python may have
    f"--select={','.join(rules.CURATED)}",
)
_BAD_CONFIGURATION = 2
"""Exit status of ruff for errors that keep it from starting."""

_CHECKING = "[DEBUG] Checking: "
_CAUSE = "Cause: "
_MAX_TEXT = 300


class RuffRun:
    """Runs ruff once for every configuration among the files; usually there is one.

    Args:
        program: The executable.
        context: What is under review.
    """

    def __init__(self, program: Path, context: ReviewContext) -> None:
        self._program = str(program)
        self._context = context
        self._root = Path()
        self._review = Review()
        self._findings: dict[str, list[Finding]] = {}
        self._stand_ins: dict[str, ChangedFile] = {}

    def review(self, files: Sequence[ChangedFile]) -> Review:
        """Review files that are valid UTF-8.

        Raises:
            ToolError: If ruff fails or cannot be understood.
        """
        finder = ConfigFinder(files, self._context)
        groups: dict[RuffConfig | None, list[ChangedFile]] = {}
        for file in files:
            groups.setdefault(finder.find(file.path), []).append(file)
        self._root = self._context.workspace({*NAMES, *map(posixpath.basename, finder.seen)})
        _complete(self._root, finder.seen)
        self._stand_ins = stand_ins(files, self._root, self._context)
        hints = []
        for config, members in groups.items():
            if config is not None:
                problem = self._configured(config, members)
                if problem is None:
                    continue
                name = display_path(config.path)
                hints.append(f"{name} cannot be used, so rules that find bugs were used instead: {problem}")
            self._isolated(members)
        self._review.hint = "; ".join(hints) or None
        self._hold_against_base(files)
        return self._review

    def _configured(self, config: RuffConfig, files: list[ChangedFile]) -> str | None:
        """Review with the repository's configuration; return an error of it, or None."""
        problem = self._unfit(config)
        if problem is not None:
            return problem
        arguments = [] if config.selects else [f"--select={','.join((*rules.CURATED, *config.extra))}"]
        arguments += ["--force-exclude", "--verbose"] if config.excludes else []
        arguments += _languages(files)
        done = []
        for batch in self._batches(files, arguments, config.folder):
            done.append((self._ruff(arguments, batch, config.folder), batch))
            if done[-1][0].returncode == _BAD_CONFIGURATION:
                return self._cause(done[-1][0].stderr)
        for process, batch in done:
            self._take(process.stdout, batch, config)
            if config.excludes:
                checked = self._checked(process.stderr, batch, config.folder)
                self._review.not_applicable += [file.path for file in batch if file.path not in checked]
        return None

    def _unfit(self, config: RuffConfig) -> str | None:
        """Return why ruff must not read a configuration that extends a file outside of the repository, or None.

        A device never ends. In a gate no such file counts: what is merged could name any of the machine.
        """
        gate = self._context.settings_of_base
        if gate and config.unread:
            return "it is no TOML 1.0, or extends what is none"
        if config.outside is None:
            return None
        # Path fails on a name that is too long, that no file can have, or of nobody.
        named = os.path.expanduser(os.path.expandvars(config.outside))  # noqa: PTH111
        target = os.path.join(self._root, named)  # noqa: PTH118
        if gate or (os.path.exists(target) and not os.path.isfile(target)):  # noqa: PTH110, PTH113
            return f"it extends {display_path(config.outside)}, which is no file of the repository"
        return None

    def _isolated(self, files: list[ChangedFile]) -> None:
        """Review with our own selection."""
        for batch in self._batches(files, _ISOLATED, ""):
            self._take(self._must(self._ruff(_ISOLATED, batch, "")), batch, None)

    def _hold_against_base(self, files: Sequence[ChangedFile]) -> None:
        """Compare findings that the change may have caused elsewhere in the file with those of the file before."""
        by_path = {file.path: file for file in files}
        suspects = [p for p, found in self._findings.items() if any(is_suspect(f, by_path[p]) for f in found)]
        before = count_before([by_path[path] for path in suspects], self._context, self._run_old)
        for path, found in self._findings.items():
            self._review.findings += compare(found, by_path[path], before.get(path), self._context)

    def _run_old(self, root: Path, names: Sequence[str]) -> Iterable[rules.Diagnostic]:
        for batch in batches(names, used=(self._program, *_ARGUMENTS, *_ISOLATED)):
            argv = [self._program, *_ARGUMENTS, *_ISOLATED, "--", *batch]
            yield from rules.decode(self._must(self._context.run(argv, cwd=root, ok=(0, _BAD_CONFIGURATION))))

    def _batches(self, files: list[ChangedFile], arguments: Sequence[str], folder: str) -> Iterator[list[ChangedFile]]:
        by_argument = {self._argument(file, folder): file for file in files}
        for batch in batches(by_argument, used=(self._program, *_ARGUMENTS, *arguments)):
            yield [by_argument[argument] for argument in batch]

    def _ruff(
        self, arguments: Sequence[str], files: list[ChangedFile], folder: str
    ) -> subprocess.CompletedProcess[bytes]:
        argv = [self._program, *_ARGUMENTS, *arguments, "--", *(self._argument(file, folder) for file in files)]
        return self._context.run(argv, cwd=self._root / folder, ok=(0, _BAD_CONFIGURATION))

    def _must(self, process: subprocess.CompletedProcess[bytes]) -> bytes:
        """Return a run's output where our own arguments were used, which ruff has to accept."""
        if process.returncode == _BAD_CONFIGURATION:
            raise ToolError(f"ruff failed: {self._cause(process.stderr)}")
        return process.stdout

    def _take(self, stdout: bytes, files: list[ChangedFile], config: RuffConfig | None) -> None:
        """Turn output into findings by file."""
        read_path = self._reader(files, config.folder if config else "")
        texts = {file.path: text for file in files if (text := self._context.text(file)) is not None}
        sources = {path: (PythonFile(text), PositionMap(text)) for path, text in texts.items()}
        for diagnostic in rules.decode(stdout):
            path = read_path(diagnostic.filename)
            source = sources.get(path or "")
            if path is None or source is None:
                raise ToolError(f"ruff reported a file that it was not given: {diagnostic.filename}")
            if diagnostic.rule == rules.READ_ERROR or diagnostic.severity == "fatal":
                self._review.unreviewed[path] = diagnostic.message
                continue
            if diagnostic.rule == rules.SYNTAX_ERROR:
                line = diagnostic.location.row
                self._review.text_only[path] = f"its syntax is not understood at line {line}"
            if diagnostic.rule not in rules.UNRELIABLE and not _turned_off(diagnostic.rule, config):
                finding = judge(rules.make_finding(diagnostic, path, source[1]), source[0])
                self._findings.setdefault(path, []).extend([finding] if finding else [])

    def _checked(self, stderr: bytes, files: list[ChangedFile], folder: str) -> set[str | None]:
        """Return the files that ruff lists as checked, without those that its configuration excludes."""
        read_path = self._reader(files, folder)
        entries = stderr.decode("utf-8", "replace").split("\n[")  # a name may hold a line feed
        return {read_path(entry.partition(_CHECKING)[2].rstrip("\n")) for entry in entries if _CHECKING in entry}

    def _argument(self, file: ChangedFile, folder: str) -> str:
        return as_argument(posixpath.relpath(self._stand_ins.get(file.path, file).path, folder or "."))

    def _reader(self, files: Sequence[ChangedFile], folder: str) -> Callable[[str], str | None]:
        """Return a function that maps paths printed by ruff to those of files."""
        read_path = PathReader(self._root, [self._stand_ins.get(file.path, file) for file in files], base=folder)
        meant = {stand_in.path: path for path, stand_in in self._stand_ins.items()}

        def read(printed: str) -> str | None:
            path = read_path(printed)
            return meant.get(path or "", path)

        return read

    def _cause(self, stderr: bytes) -> str:
        """Return the end of ruff's explanation, in one line and without the excerpt that it draws."""
        text = stderr.decode("utf-8", "replace")
        for root in (self._root.resolve(), self._root):
            text = text.replace(f"{root}/", "").replace(f"{root.parent}/", "../")  # what the file itself calls it
        lines = [line.strip() for line in text.splitlines() if "warning:" not in line and "|" not in line[:8]]
        first = max((number for number, line in enumerate(lines) if line.startswith(_CAUSE)), default=0)
        said = ": ".join(line.removeprefix(_CAUSE) for line in lines[max(first - 1, 0) :] if line)
        return said[:_MAX_TEXT] or "no reason given"


def _complete(root: Path, wanted: dict[str, bytes]) -> None:
    """Write the configuration files that others extend and that stand in no folder above a changed file."""
    for path, data in wanted.items():
        target = root / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _languages(files: Iterable[ChangedFile]) -> list[str]:
    """Return the arguments by which files are Python whatever the settings call it: a notebook is no module."""
    extensions = {posixpath.splitext(file.path)[1].removeprefix(".") for file in files}
    plain = sorted(extension for extension in extensions if extension.isascii() and extension.isalnum())
    return [f"--extension={extension}:{'pyi' if extension == 'pyi' else 'python'}" for extension in plain]


def _turned_off(rule: str, config: RuffConfig | None) -> bool:
    """Return whether the repository turns off a rule of our own selection, which ruff does not know to be ours."""
    return config is not None and not config.selects and config.ignores(rule)


_NO_PYTHON = re.compile(r"(?i).*\.(?:md|toml|ipynb)|(?:.*/)?(?:pipfile|poetry\.lock)", re.DOTALL)
"""File names that ruff takes for text, settings or a notebook, whatever the content."""


def stand_ins(files: Sequence[ChangedFile], root: Path, context: ReviewContext) -> dict[str, ChangedFile]:
    """Write the files that ruff would pass over, next to themselves, under names of modules; return them by path.

    Args:
        files: What is Python, by its name or its first line.
        root: The folder that stands for the top level.
        context: What is under review.
    """
    found: dict[str, ChangedFile] = {}
    for file in files:
        data = context.read(file) if _NO_PYTHON.fullmatch(file.path) else None
        if data is not None:
            folder = posixpath.dirname(file.path)
            names = (posixpath.join(folder, f"script_{number}.py") for number in itertools.count(1))
            name = next(name for name in names if not (root / name).exists())
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
            found[file.path] = msgspec.structs.replace(file, path=name)
    return found


_SURROGATE = re.compile(r"[\udc80-\udcff]")


def add_undecodable(review: Review, files: Sequence[ChangedFile], context: ReviewContext) -> None:
    """Add files that are not UTF-8 to a review.

    One that declares another encoding is valid Python and nothing that ruff can review, which is reported: it may be
    the change's way around the review. One that declares none cannot be imported.
    """
    for file in files:
        text, old = context.text(file), context.text(file, Side.OLD)
        if text is None:
            continue
        if _declares_another(text):
            review.not_applicable.append(file.path)
            known = old is not None and not old.is_utf8 and _declares_another(old)
            review.findings.append(_unread(file, text, known=known))
            continue
        line = next((number for number, line in enumerate(text.lines, 1) if _SURROGATE.search(line)), 1)
        was_so = old is not None and not old.is_utf8 and not _declares_another(old)
        review.findings.append(
            Finding(
                file=file.path,
                line_start=line,
                line_end=line,
                severity=Severity.LOW if was_so else Severity.HIGH,
                category=Category.LOGIC,
                description="The file is not UTF-8 and declares no other encoding: Python refuses to import it.",
                suggested_fix="Save the file as UTF-8, or declare its encoding in the first line.",
                rule=rules.INVALID_ENCODING,
            )
        )


def _unread(file: ChangedFile, text: SourceText, *, known: bool) -> Finding:
    return Finding(
        file=file.path,
        line_start=0,
        severity=Severity.LOW if known else Severity.MEDIUM,
        category=Category.SECURITY,
        description="Ruff reads UTF-8 alone, so it has not reviewed this file, which declares another encoding.",
        suggested_fix="Save the file as UTF-8, and delete the declaration.",
        rule=rules.OTHER_ENCODING,
        evidence=state_of(text.text),
        unreviewed=not known,
    )


def _declares_another(text: SourceText) -> bool:
    for line in text.lines[:2]:
        declared = ENCODING.match(line)
        if declared:
            return declared[1].lower().replace("_", "-") not in ("utf-8", "utf8")
    return False


RunRuff = Callable[[Path, Sequence[str]], Iterable[Diagnostic]]
"""Looks for bugs in files of a folder, given by their names in it."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def compare(
    findings: Iterable[Finding], file: ChangedFile, before: Counter[str] | None, context: ReviewContext
) -> list[Finding]:
    """Return a file's findings with those tied to the change that it caused elsewhere in the file.

    A syntax error is reported once, and is of low severity where the file could not be parsed before either.

    Args:
        findings: Those of one file.
        file: The file.
        before: How often each was there before the change, as :func:`count_before` says; None for a new file.
        context: What is under review.
    """
    errors, kept, changed = [], [], _ChangedLines(file, context)
    for finding in findings:
        if finding.rule == rules.SYNTAX_ERROR:
            errors.append(finding)
        elif before is None or not is_suspect(finding, file):
            kept.append(finding)
        elif before[key := _key(finding.rule or "", finding.description)] > 0:
            before[key] -= 1
            kept.append(finding)
        else:
            kept.append(_blame(finding, file, changed))
    if errors:
        error = next((error for error in errors if is_on_change(error, file)), errors[0])
        kept.append(error if before is None else _syntax_error(error, file, before, changed))
    return kept


def is_suspect(finding: Finding, file: ChangedFile) -> bool:
    """Return whether to check the version before the change, which may have caused this elsewhere in the file."""
    if finding.rule == rules.SYNTAX_ERROR:
        return True
    return finding.rule in rules.BUGS and finding.severity.at_least(Severity.MEDIUM) and not is_on_change(finding, file)


def count_before(files: Sequence[ChangedFile], context: ReviewContext, run: RunRuff) -> dict[str, Counter[str]]:
    """Return how often each finding was there before the change, for the files that existed then."""
    counts: dict[str, Counter[str]] = {}
    with PrivateFolder() as folder:
        root = Path(folder).resolve()
        names: dict[str, str] = {}
        for number, file in enumerate(files):
            data = context.read(file, Side.OLD)
            if data is not None:
                name = f"module{number}{'.pyi' if file.path.endswith('.pyi') else '.py'}"
                (root / name).write_bytes(data)
                names[name] = file.path
                counts[file.path] = Counter()
        for diagnostic in run(root, list(names)) if names else ():
            path = names[Path(diagnostic.filename).name]
            counts[path][_key(diagnostic.rule, rules.description(diagnostic.rule, diagnostic.message))] += 1
    return counts


def _key(rule: str, description: str) -> str:
    """Return a key of a finding that stays the same when lines move."""
    return rule if rule == rules.SYNTAX_ERROR else f"{rule} {_NUMBER.sub('', description)}"


def _syntax_error(error: Finding, file: ChangedFile, before: Counter[str], changed: _ChangedLines) -> Finding:
    if before[rules.SYNTAX_ERROR]:
        description = f"{error.description} (the file could not be parsed before the change either)"
        return msgspec.structs.replace(error, severity=Severity.LOW, description=description)
    return error if is_on_change(error, file) else _blame(error, file, changed)


def _blame(finding: Finding, file: ChangedFile, changed: _ChangedLines) -> Finding:
    """Name the changed line that most likely triggers a finding elsewhere in the file."""
    trigger = changed.with_name(named(finding)) or _nearest(finding.line_start, file)
    return finding if trigger is None else msgspec.structs.replace(finding, related=(*finding.related, trigger))


class _ChangedLines:
    """The lines that a change takes out of a file and adds, by the words in them: there may be a finding of each."""

    def __init__(self, file: ChangedFile, context: ReviewContext) -> None:
        self._file = file
        self._context = context

    def with_name(self, name: str | None) -> Place | None:
        """Return the first line with a name, one that was taken out before one that was added."""
        if name is None:
            return None
        if _WORD.fullmatch(name):
            found = self._first.get(name)
        else:
            parts = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            found = next(((number, side) for number, side, line in self._lines() if parts.search(line)), None)
        return None if found is None else trigger(self._file, *found)

    @functools.cached_property
    def _first(self) -> dict[str, tuple[int, Side]]:
        first: dict[str, tuple[int, Side]] = {}
        for number, side, line in self._lines():
            for word in _WORD.findall(line):
                first.setdefault(word, (number, side))
        return first

    def _lines(self) -> Iterator[tuple[int, Side, str]]:
        for side, ranges in ((Side.OLD, self._file.removed), (Side.NEW, self._file.added)):
            text = self._context.text(self._file, side)
            for lines in ranges if text is not None else ():
                for number in range(lines.first, lines.last + 1):
                    if text is not None:
                        yield number, side, text.line(number)


def _nearest(line: int, file: ChangedFile) -> Place | None:
    """Return the changed line nearest to a line of the new side, an earlier one where two are as near."""
    if not file.spans:
        return None
    return trigger_of(file, min(file.spans, key=lambda span: abs(span.new_start - line)))
