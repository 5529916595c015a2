"""Configuration of linters, type checkers, tests and coverage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch, text_of
from selfreview.loop.guard.tables import Table, part_changed, read_ini, read_json, read_toml

_WHOLE = re.compile(
    r"(?:.*/)?(?:\.?ruff\.toml|\.?flake8|\.?mypy\.ini|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|noxfile\.py|\.coveragerc"
    r"|\.isort\.cfg|\.?pylintrc(?:\.toml)?|\.?bandit(?:\.ya?ml)?|pyrightconfig\.json|\.importlinter|ty\.toml|pyrefly\.toml"
    r"|\.style\.yapf|\.pydocstyle|\.eslintrc(?:\.[^/]*)?|\.eslintignore|eslint\.config\.[^/]*|biome\.jsonc?|\.oxlintrc\.json"
    r"|tslint\.json|\.stylelintrc(?:\.[^/]*)?|stylelint\.config\.[^/]*|\.stylelintignore|\.prettierrc(?:\.[^/]*)?"
    r"|prettier\.config\.[^/]*|\.prettierignore|(?:jest|vitest|karma|playwright|cypress|ava|nyc|wdio)\.(?:conf|config|workspace)"
    r"\.[^/]*|\.mocharc\.[^/]*|\.nycrc(?:\.[^/]*)?|\.c8rc(?:\.[^/]*)?|\.golangci\.[^/]*|clippy\.toml|\.clippy\.toml"
    r"|\.?rustfmt\.toml|deny\.toml|\.rubocop(?:_todo)?\.ya?ml|\.rspec|\.standard\.ya?ml|\.reek\.ya?ml|phpunit\.[^/]*"
    r"|phpstan[^/]*\.(?:neon|dist)|phpstan-baseline\.php|psalm[^/]*\.xml|\.?phpcs\.xml[^/]*|\.php-cs-fixer[^/]*|checkstyle[^/]*"
    r"\.xml|pmd[^/]*\.xml|spotbugs[^/]*\.xml|detekt[^/]*\.ya?ml|\.swiftlint\.ya?ml|\.clang-tidy|\.clang-format|\.editorconfig"
    r"|[^/]*\.ruleset|\.globalconfig|stylecop\.json|[^/]*\.runsettings|\.shellcheckrc|\.?hadolint\.ya?ml|\.yamllint(?:\.ya?ml)?"
    r"|\.markdownlint[^/]*|\.gitleaks\.toml|\.gitleaksignore|\.betterleaks\.toml|\.secrets\.baseline|\.trivyignore(?:\.ya?ml)?"
    r"|\.semgrepignore|\.semgrep\.ya?ml|\.semgrep/.*|\.snyk|sonar-project\.properties|\.?codecov\.ya?ml|\.codeclimate\.ya?ml"
    r"|\.deepsource\.toml|\.?zizmor\.ya?ml|\.?typos\.toml|\.codespellrc|\.?cspell[^/]*\.(?:json|ya?ml))",
    re.IGNORECASE | re.DOTALL,
)
_PY_TOOLS = frozenset(
    """
    ruff black isort flake8 pylint mypy pyright basedpyright pytype pyre pyrefly ty pytest coverage tox nox bandit
    pydocstyle pydoclint vulture interrogate codespell typos semgrep importlinter deptry mutmut yapf autopep8
    docformatter poe taskipy pytest-enabler cibuildwheel pre-commit lefthook djlint sqlfluff refurb xdoctest
    """.split()  # noqa: SIM905 - a table to read
)
_PLUGINS = frozenset({"pytest11", "tox", "flake8.extension", "flake8.report", "hypothesis", "nose.plugins.0.10"})
"""Entry points by which tools load plugins by themselves."""
_SETUP_SECTIONS = re.compile(
    r"(?:flake8|mypy|pylint|pycodestyle|pydocstyle|pytest|tool:pytest|coverage|isort|bandit|tox|testenv|yapf|pep8|aliases"
    r"|importlinter|doc8|codespell|pyright)(?:[-:.].*)?",
    re.IGNORECASE,
)
_NPM = tuple(
    """
    scripts eslintConfig eslintIgnore jest vitest mocha ava nyc c8 tap prettier stylelint xo standard husky lint-staged
    pre-commit simple-git-hooks commitlint lefthook wireit nx pnpm trustedDependencies preinstall install postinstall
    prepare prepublish pretest posttest
    """.split()  # noqa: SIM905 - a table to read
)
_TS_OPTIONS = re.compile(
    r"strict.*|no[A-Z].*|skip.*LibCheck|allowUn.*|allowJs|checkJs|exact.*|force.*|isolated.*|verbatim.*"
)
_COLLECTION = re.compile(
    r"\b(?:collect_ignore\w*|pytest_(?:ignore_collect|collection\w*|runtest_\w+|sessionfinish|report\w*|collect_\w+"
    r"|configure|pyfunc_call|terminal_summary)|filterwarnings|deselect\w*)\b"
)


def tool_configuration(patch: Patch) -> Iterator[Rejection]:
    """Reject edits that change what linters, type checkers and tests look at; other parts of shared files are free."""
    for edit in patch.edits:
        if _is_changed(plain_path(edit.path), text_of(edit.old), text_of(edit.new)):
            reason = (
                "Fix the code, not its checks: leave the configuration of linters, type checkers and tests as it is."
            )
            yield Rejection(edit.path, "tool-configuration", reason)


def _is_changed(path: str, old: str, new: str) -> bool:
    if _WHOLE.fullmatch(path):
        return True
    name = path.rpartition("/")[2].casefold()
    if name == "conftest.py":
        return sorted(_collecting(old)) != sorted(_collecting(new))
    for pattern, read, part in _PARTS:
        if pattern.fullmatch(name):
            return part_changed(old, new, read, part)
    return False


def _collecting(text: str) -> list[str]:
    """Return the lines of a ``conftest.py`` that decide which tests run, and how."""
    return [line.strip() for line in text.split("\n") if _COLLECTION.search(line)]


def _pyproject(document: Table) -> Any:
    tool, project = document.get("tool"), document.get("project")
    points = project.get("entry-points") if isinstance(project, dict) else None
    plugins = {name: value for name, value in points.items() if name in _PLUGINS} if isinstance(points, dict) else {}
    if not isinstance(tool, dict):
        return plugins
    found = plugins | {name: value for name, value in tool.items() if name in _PY_TOOLS}
    for name, key in (("hatch", "envs"), ("pdm", "scripts")):
        part = tool.get(name)
        found[name] = part.get(key) if isinstance(part, dict) else None
    return found


def _setup(document: Table) -> Any:
    return {name: value for name, value in document.items() if _SETUP_SECTIONS.fullmatch(name)}


def _npm(document: Table) -> Any:
    return {name: document.get(name) for name in _NPM}


def _composer(document: Table) -> Any:
    return document.get("scripts")


def _typescript(document: Table) -> Any:
    options = document.get("compilerOptions")
    strict = {n: v for n, v in options.items() if _TS_OPTIONS.fullmatch(n)} if isinstance(options, dict) else {}
    return strict, document.get("extends"), document.get("exclude"), document.get("include"), document.get("files")


def _cargo(document: Table) -> Any:
    workspace = document.get("workspace")
    return document.get("lints"), workspace.get("lints") if isinstance(workspace, dict) else None


_Reader = Callable[[str], Table | None]
_PARTS: tuple[tuple[re.Pattern[str], _Reader, Callable[[Table], Any]], ...] = (
    (re.compile(r"pyproject\.toml"), read_toml, _pyproject),
    (re.compile(r"setup\.cfg"), read_ini, _setup),
    (re.compile(r"package\.json"), read_json, _npm),
    (re.compile(r"composer\.json"), read_json, _composer),
    (re.compile(r"[tj]sconfig[^/]*\.json"), read_json, _typescript),
    (re.compile(r"cargo\.toml"), read_toml, _cargo),
)
