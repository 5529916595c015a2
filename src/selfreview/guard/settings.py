"""Settings that a fixer leaves alone: those of CI, coding agents, test and lint tools, and selfreview."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from selfreview.guard.patch import Patch, Rejection, text_of
from selfreview.guard.paths import plain_path
from selfreview.guard.pysource import as_text, tree_of
from selfreview.llm.transport.confinement import agent_settings as agent_config
from selfreview.llm.transport.confinement import instructs, keeps_secrets
from selfreview.text.json_text import plain_json
from selfreview.text.toml import parse_toml

_Table = Mapping[str, Any]


def read_toml(text: str) -> _Table | None:
    """Return a TOML document, or None where it is none."""
    try:
        return parse_toml(text)
    except ValueError:
        return None


def read_json(text: str) -> _Table | None:
    """Return a JSON object, with comments and last commas allowed, or None where it is none."""
    try:
        value = json.loads(plain_json(text).strip() or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_ini(text: str) -> _Table | None:
    """Return the sections of an INI file, or None where it is none."""
    import configparser

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return {name: dict(parser[name]) for name in parser.sections()}


def _part_changed(old: str, new: str, read: Callable[[str], _Table | None], part: Callable[[_Table], Any]) -> bool:
    """Return whether a part differs between two texts; where either cannot be read, whether they differ at all."""
    before, after = read(old), read(new)
    if before is None or after is None:
        return old != new
    return bool(part(before) != part(after))


_RUN = re.compile(
    r"(?:.*/)?(?:\.(?:specify|devcontainer|vscode|idea|zed|fleet|vs|direnv|mvn)/.*|\.envrc|\.devcontainer\.json"
    r"|[^/]*\.code-workspace|[^/]*\.sublime-project|\.?exrc|\.?vimrc"
    r"|\.?nvimrc|\.nvim\.lua|\.lvimrc|\.dir-locals(?:-2)?\.el|\.?mise(?:\.[^/]*)?\.toml|\.mise/.*|\.npmrc|\.yarnrc(?:\.ya?ml)?"
    r"|\.yarn/(?:releases|plugins)/.*|\.?pnpmfile\.[cm]?js|\.cargo/config(?:\.toml)?|\.bazelrc|pip\.conf|gradlew(?:\.bat)?"
    r"|mvnw(?:\.cmd)?|gradle/wrapper/.*|\.bash(?:rc|_profile)|\.zshrc|\.zshenv|\.profile|\.gdbinit|\.lldbinit)",
    re.IGNORECASE | re.DOTALL,
)
_READ = re.compile(
    r"(?:.*/)?(?:claude(?:\.local)?\.md|agents?(?:\.override)?\.md|gemini\.md|qwen\.md|\.cursorrules|\.windsurfrules|\.goosehints"
    r"|\.clinerules|\.roorules[^/]*|\.rules|\.cursorignore|\.aiexclude|\.geminiignore|llms\.txt|conventions\.md"
    r"|\.github/(?:copilot-instructions\.md|(?:instructions|prompts|chatmodes|agents)/.*))",
    re.IGNORECASE | re.DOTALL,
)


def agent_settings(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of what tools run by themselves, and of agents' instructions where no issue is about them.

    No reason of a fixer is enough: whoever opens the project next would run or obey what is there.
    """
    bounds = patch.bounds
    named = {issue.file for issue in bounds.issues} | {p.file for issue in bounds.issues for p in issue.related}
    for edit in patch.edits:
        path = plain_path(edit.path)
        read, config = _READ.fullmatch(path), agent_config(path)
        runs = _RUN.fullmatch(path) or (config is not None and not read and not keeps_secrets(config))
        if runs or ((read or instructs(path)) and edit.path not in named):
            reason = "Leave settings of agents, editors and shells to a person; call such an issue not addressed."
            yield Rejection(edit.path, "agent-settings", reason)


_CI = re.compile(
    r"(?:.*/)?(?:\.github/(?:workflows|actions)/.*|\.(?:gitea|forgejo)/workflows/.*|\.circleci/.*|\.buildkite/.*"
    r"|\.woodpecker/.*|\.gitlab/ci/.*|\.teamcity/.*|\.semaphore/.*|\.azure-pipelines/.*|\.gitlab-ci[^/]*\.ya?ml"
    r"|\.travis\.ya?ml|\.?appveyor\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.ya?ml|buildspec\.ya?ml"
    r"|cloudbuild\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml|\.cirrus\.(?:ya?ml|star)|\.drone\.(?:ya?ml|star|jsonnet)"
    r"|\.woodpecker\.ya?ml|\.build\.ya?ml|\.builds/.*|buildkite\.ya?ml|jenkinsfile[^/]*|action\.ya?ml"
    r"|\.github/dependabot\.ya?ml|\.github/codeowners|codeowners)",
    re.IGNORECASE | re.DOTALL,
)


def ci_workflow(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of what a continuous integration service reads."""
    for edit in patch.edits:
        if _CI.fullmatch(plain_path(edit.path)):
            reason = "Leave CI workflows to a person; call an issue in one not addressed, and say what to change."
            yield Rejection(edit.path, "ci-workflow", reason)


_OWN = re.compile(
    r"(?:.*/)?(?:\.?selfreview\.(?:toml|lock)|selfreview_conf\.py|\.selfreview/.*|\.?selfreview[-_.]baseline[^/]*"
    r"|\.selfreviewignore|\.gitattributes)",
    re.IGNORECASE | re.DOTALL,
)


def own_configuration(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of selfreview's settings, plugins, rules and baseline, and of what hides files from a review."""
    rules = tuple(f"{entry.strip('/')}/".casefold() for entry in patch.bounds.config.get("rules_path") or ())
    for edit in patch.edits:
        path = plain_path(edit.path)
        name = path.rpartition("/")[2].casefold()
        is_rule = f"{path}/".casefold().startswith(rules)
        shared = name == "pyproject.toml" and _own(text_of(edit.old)) != _own(text_of(edit.new))
        if shared or is_rule or _OWN.fullmatch(path) or edit.path == patch.bounds.config["baseline"]:
            reason = "Fix the code, not the way it is reviewed: leave selfreview's configuration as it is."
            yield Rejection(edit.path, "own-configuration", reason)


def _own(text: str) -> _Table:
    """Return selfreview's tables of a ``pyproject.toml``; none where it cannot be read, which others look at."""
    tool = (read_toml(text) or {}).get("tool")
    return (
        {name: value for name, value in tool.items() if name.startswith("selfreview")} if isinstance(tool, dict) else {}
    )


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
    r"|\.config/nextest\.toml|\.deepsource\.toml|\.?zizmor\.ya?ml|\.?typos\.toml|\.codespellrc|\.?cspell[^/]*\.(?:json|ya?ml))",
    re.IGNORECASE | re.DOTALL,
)
_SETUP_CODE = re.compile(
    r"(?:.*/)?(?:(?:jest|vitest|mocha|karma|cypress|test|tests)[.-]?setup(?:[.-][^/]*)?\.[cm]?[jt]sx?"
    r"|setup[.-]?(?:tests?|jest|vitest|env)(?:[.-][^/]*)?\.[cm]?[jt]sx?|babel\.config\.[^/]*|\.babelrc(?:\.[^/]*)?"
    r"|(?:spec|rails|test)_helper\.rb)",
    re.IGNORECASE | re.DOTALL,
)
"""Code that runners load before any test, by the names that it has; an issue may have it corrected."""
_PY_TOOLS = frozenset(
    """
    ruff black isort flake8 pylint mypy pyright basedpyright pytype pyre pyrefly ty pytest coverage tox nox bandit
    pydocstyle pydoclint vulture interrogate codespell typos semgrep importlinter deptry mutmut yapf autopep8
    docformatter poe taskipy pytest-enabler cibuildwheel pre-commit lefthook djlint sqlfluff refurb xdoctest
    """.split()  # noqa: SIM905 - a table to read
)
_PY_PARTS = (
    ("hatch", "envs"), ("pdm", "scripts"), ("pixi", "tasks"), ("pixi", "feature"), ("rye", "scripts"),
    ("poetry", "plugins"),
)  # fmt: skip
_CARGO_PARTS = (
    ("workspace", ("lints",)), ("package", ("autotests", "autobenches")), ("lib", ("test", "doctest", "harness")),
    ("profile", ("test",)),
)  # fmt: skip
_VITE_TEST = re.compile(r"\btest[\"']?\s*[:=]")
_MAX_PARTS, _LONGEST_PART = 20, 20_000
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
    prepare prepublish pretest posttest babel
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
    """Reject edits of the configuration of linters, type checkers and tests; other parts of shared files are free."""
    for edit in patch.edits:
        path = plain_path(edit.path)
        if _is_changed(path, text_of(edit.old), text_of(edit.new)):
            reason = (
                "Fix the code, not its checks: leave the configuration of linters, type checkers and tests as it is."
            )
            yield Rejection(edit.path, "tool-configuration", reason)


def runner_setup(patch: Patch) -> Iterator[Rejection]:
    """Report edits of code that test runners load before any test, where they decide which tests run.

    In the loop, all edits of such files wait for a person; the gate reports these.
    """
    for edit in patch.edits:
        path = plain_path(edit.path)
        if path.rpartition("/")[2].casefold() == "conftest.py":
            found = sorted(_collecting(text_of(edit.old))) != sorted(_collecting(text_of(edit.new)))
        else:
            found = _SETUP_CODE.fullmatch(path) is not None and all(i.file != edit.path for i in patch.bounds.issues)
        if found:
            yield Rejection(edit.path, "tool-configuration", "Leave how tests are found and run as it was.")


def _is_changed(path: str, old: str, new: str) -> bool:
    if _WHOLE.fullmatch(path):
        return True
    name = path.rpartition("/")[2].casefold()
    for pattern, read, part in _PARTS:
        if pattern.fullmatch(name):
            return _part_changed(old, new, read, part)
    return False


def _collecting(text: str) -> list[str]:
    """Return the lines of a ``conftest.py`` that decide which tests run, and how."""
    return [line.strip() for line in text.split("\n") if _COLLECTION.search(line)]


def _pyproject(document: _Table) -> Any:
    tool, project = document.get("tool"), document.get("project")
    points = project.get("entry-points") if isinstance(project, dict) else None
    plugins = {name: value for name, value in points.items() if name in _PLUGINS} if isinstance(points, dict) else {}
    if not isinstance(tool, dict):
        tool = {}
    found = plugins | {name: value for name, value in tool.items() if name in _PY_TOOLS}
    for name, key in _PY_PARTS:
        part = tool.get(name)
        found[f"{name}.{key}"] = part.get(key) if isinstance(part, dict) else None
    return found


def _setup(document: _Table) -> Any:
    points = document.get("options.entry_points", {})
    plugins = {name: value for name, value in points.items() if name in _PLUGINS}
    return plugins | {name: value for name, value in document.items() if _SETUP_SECTIONS.fullmatch(name)}


def _read_setup(text: str) -> _Table | None:
    """Return the plugins of tools that a ``setup.py`` names, by where they stand in it."""
    tree = tree_of(text)
    if tree is None:
        return None
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            found += [as_text(value) for key, value in zip(node.keys, node.values, strict=True) if _is_plugin(key)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "[pytest11]" in node.value:
            found.append(node.value)
        elif isinstance(node, ast.Subscript) and _is_plugin(node.slice):
            found.append(as_text(node))
    return {"plugins": found}


def _is_plugin(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in _PLUGINS


def _read_vite(text: str) -> _Table:
    """Return the test settings of a vite configuration, from each ``test`` to its closing bracket."""
    found = []
    for match in list(_VITE_TEST.finditer(text))[:_MAX_PARTS]:
        depth, end = 0, match.end() + _LONGEST_PART
        for at, char in enumerate(text[match.end() : end], match.end()):
            depth += (char in "([{") - (char in ")]}")
            if depth < 0 or (depth == 0 and char in ",;\n)]}"):
                end = at
                break
        found.append("".join(text[match.start() : end].split()))
    return {"test": found}


def _all(document: _Table) -> Any:
    return document


def _npm(document: _Table) -> Any:
    return {name: document.get(name) for name in _NPM}


def _composer(document: _Table) -> Any:
    return document.get("scripts")


def _typescript(document: _Table) -> Any:
    options = document.get("compilerOptions")
    strict = {n: v for n, v in options.items() if _TS_OPTIONS.fullmatch(n)} if isinstance(options, dict) else {}
    return strict, document.get("extends"), document.get("exclude"), document.get("include"), document.get("files")


def _cargo(document: _Table) -> Any:
    found = [document.get(name) for name in ("lints", "test", "bench")]
    for name, keys in _CARGO_PARTS:
        part = document.get(name)
        found += [part.get(key) for key in keys] if isinstance(part, dict) else [None] * len(keys)
    programs = [part for name in ("bin", "example") for part in document.get(name) or () if isinstance(part, dict)]
    return found, [(part.get("name"), part["test"]) for part in programs if "test" in part]


def _bun(document: _Table) -> Any:
    return document.get("test"), document.get("preload")


def _tasks(document: _Table) -> Any:
    return [document.get(name) for name in ("tasks", "feature", "test", "lint", "environments")]


_Reader = Callable[[str], _Table | None]
_PARTS: tuple[tuple[re.Pattern[str], _Reader, Callable[[_Table], Any]], ...] = (
    (re.compile(r"pyproject\.toml"), read_toml, _pyproject),
    (re.compile(r"setup\.cfg"), read_ini, _setup),
    (re.compile(r"package\.json"), read_json, _npm),
    (re.compile(r"composer\.json"), read_json, _composer),
    (re.compile(r"[tj]sconfig[^/]*\.json"), read_json, _typescript),
    (re.compile(r"cargo\.toml"), read_toml, _cargo),
    (re.compile(r"\.?bunfig\.toml"), read_toml, _bun),
    (re.compile(r"pixi\.toml"), read_toml, _tasks),
    (re.compile(r"deno\.jsonc?"), read_json, _tasks),
    (re.compile(r"setup\.py"), _read_setup, _all),
    (re.compile(r"vite\.config\.[^/]*"), _read_vite, _all),
)
