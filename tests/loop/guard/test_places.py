"""Where a fixer may not write."""

from __future__ import annotations

import pytest

from selfreview.git.entry import Entry
from tests.loop.guard.edits import Content, Edit, judge

OLD, NEW = "x = 1\n", "x = 2\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n"


def link(target: str) -> Entry:
    return Entry("120000", target.encode())


BAD: list[tuple[str, str, Content, Content]] = [
    ("git-folder", ".git/config", None, NEW),
    ("git-folder", ".git", None, "gitdir: elsewhere\n"),
    ("git-folder", "sub/.GIT/hooks/pre-commit", None, NEW),
    ("git-folder", "sub/.git ./config", None, NEW),
    ("git-folder", "git~1/config", None, NEW),
    ("git-folder", ".g\u200cit/config", None, NEW),
    ("submodule", "lib", None, None),
    ("submodule", "lib", Entry("160000", b"a" * 40), Entry("160000", b"b" * 40)),
    ("submodule", ".gitmodules", OLD, NEW),
    ("lfs-pointer", "logo.svg", POINTER, POINTER.replace("4d7a", "5e8b")),
    ("lfs-pointer", "logo.svg", POINTER, "<svg/>\n"),
    ("ci-workflow", ".github/workflows/test.yml", OLD, NEW),
    ("ci-workflow", ".gitlab-ci.yml", OLD, NEW),
    ("ci-workflow", ".circleci/config.yml", OLD, NEW),
    ("ci-workflow", "azure-pipelines.yml", OLD, NEW),
    ("ci-workflow", "ci/Jenkinsfile", OLD, NEW),
    ("ci-workflow", ".buildkite/pipeline.yml", OLD, NEW),
    ("ci-workflow", ".drone.yml", OLD, None),
    ("git-hooks", ".husky/pre-commit", OLD, NEW),
    ("git-hooks", ".githooks/pre-push", None, NEW),
    ("git-hooks", ".pre-commit-config.yaml", OLD, NEW),
    ("git-hooks", "lefthook.yml", OLD, NEW),
    ("own-configuration", "selfreview.toml", OLD, NEW),
    ("own-configuration", "selfreview_conf.py", None, NEW),
    ("own-configuration", ".selfreview/rules/x.yml", None, NEW),
    ("own-configuration", "selfreview-baseline.json", OLD, NEW),
    ("own-configuration", ".gitattributes", None, "*.py -diff\n"),
    ("own-configuration", "pyproject.toml", "[tool.selfreview]\nmax_iterations = 3\n", "[tool.selfreview]\n"),
    ("own-configuration", "pyproject.toml", "", "[tool.selfreview.claude]\neffort = 'low'\n"),
    ("tool-configuration", "ruff.toml", OLD, NEW),
    ("tool-configuration", ".flake8", OLD, None),
    ("tool-configuration", "sub/.eslintrc.json", "{}\n", '{"rules": {}}\n'),
    ("tool-configuration", ".golangci.yml", OLD, NEW),
    ("tool-configuration", "tox.ini", OLD, NEW),
    ("tool-configuration", "pyproject.toml", "[tool.ruff]\nselect = ['E']\n", "[tool.ruff]\nselect = []\n"),
    ("tool-configuration", "pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy\n"),
    ("tool-configuration", "setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\n[flake8]\nignore = E\n"),
    ("tool-configuration", "package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "true"}}'),
    ("tool-configuration", "tsconfig.json", '{"compilerOptions": {"strict": true}}', '{"compilerOptions": {}}'),
    ("tool-configuration", "Cargo.toml", "[lints.rust]\nunused = 'deny'\n", "[package]\nname = 'a'\n"),
    ("tool-configuration", "tests/conftest.py", "import x\n", "import x\ncollect_ignore = ['test_a.py']\n"),
    ("tool-configuration", "pyproject.toml", "[project]\n", "[project.entry-points.pytest11]\na = 'a'\n"),
    ("tool-configuration", "package.json", '{"name": "a"}', '{"name": "a", "trustedDependencies": ["b"]}'),
    ("tool-configuration", "Ruff.toml.", OLD, NEW),
    ("ci-workflow", ".github./workflows/a.yml", None, NEW),
    ("ci-workflow", ".git\u200chub/workflows/a.yml", None, NEW),
    ("git-hooks", ".husky /pre-commit", None, NEW),
    ("own-configuration", "self\u200dreview.toml", None, NEW),
    ("agent-settings", ".claude/settings.json", None, "{}\n"),
    ("agent-settings", "sub/.Claude/commands/a.md", None, NEW),
    ("agent-settings", ".mcp.json", None, "{}\n"),
    ("agent-settings", ".cursor/mcp.json", None, "{}\n"),
    ("agent-settings", ".specify/spec.md", OLD, NEW),
    ("agent-settings", ".vscode/tasks.json", None, "{}\n"),
    ("agent-settings", "a.code-workspace", None, "{}\n"),
    ("agent-settings", ".idea/runConfigurations/a.xml", OLD, NEW),
    ("agent-settings", ".devcontainer/devcontainer.json", None, "{}\n"),
    ("agent-settings", ".envrc", None, NEW),
    ("agent-settings", ".envrc.", None, NEW),
    ("agent-settings", ".npmrc", None, NEW),
    ("agent-settings", ".cargo/config.toml", None, NEW),
    ("agent-settings", "gradlew", OLD, NEW),
    ("symbolic-link", "a.py", OLD, link("b.py")),
    ("symbolic-link", "data", None, link("/etc/passwd")),
    ("symbolic-link", "src/data", None, link("../../outside")),
    ("symbolic-link", "data", link("a"), link(".git/config")),
    ("symbolic-link", "data", None, link("C:\\Windows")),
    ("path-escape", "../evil.py", None, NEW),
    ("path-escape", "/tmp/evil.py", None, NEW),
    ("path-escape", "a\\..\\..\\evil.py", None, NEW),
    ("path-escape", "src/../../evil.py", None, NEW),
]


@pytest.mark.parametrize(
    ("rule", "path", "old", "new"), BAD, ids=[f"{rule}:{path!a}-{n}" for n, (rule, path, *_) in enumerate(BAD)]
)
def test_rejects_what_is_written_to_a_place_of_its_own(rule: str, path: str, old: Content, new: Content) -> None:
    found = judge(Edit({path: (old, new)}, issues=((path, 1, "it is wrong"),)))

    assert [(r.path, r.rule) for r in found] == [(path, rule)]
    assert found[0].reason.endswith(".")


GOOD: list[tuple[str, Content, Content]] = [
    (".gitignore", "build\n", "build\ndist\n"),
    ("src/git/config.py", OLD, NEW),
    ("docs/.github/readme.md", OLD, NEW),
    (
        "pyproject.toml",
        "[project]\nname = 'a'\n[tool.ruff]\nselect = ['E']\n",
        "[project]\nname = 'b'\n[tool.ruff]\nselect = ['E']\n",
    ),
    ("setup.cfg", "[metadata]\nname = a\n[flake8]\nignore = E\n", "[metadata]\nname = b\n[flake8]\nignore = E\n"),
    ("package.json", '{"version": "1", "scripts": {"test": "jest"}}', '{"version": "2", "scripts": {"test": "jest"}}'),
    ("tsconfig.json", '{"compilerOptions": {"target": "es5"}} // old', '{"compilerOptions": {"target": "es6"}} // old'),
    ("tests/conftest.py", "import x\n", "import x\nimport y\n"),
    (".pre-commit-hooks.yaml", OLD, NEW),
    ("pyproject.toml", "[project]\n", "[project.entry-points.'console_scripts']\na = 'a'\n"),
    ("CLAUDE.md", OLD, NEW),
    ("docs/agents.md", OLD, NEW),
    ("src/claude/settings.json", "{}\n", "[]\n"),
    ("src/vscode/tasks.json", "{}\n", "[]\n"),
    ("latest", link("v1"), link("v2")),
    ("docs/readme", None, link("../README.md")),
    ("docs/up", None, link("..")),
    ("a.py", link("b.py"), OLD),
]


@pytest.mark.parametrize(("path", "old", "new"), GOOD, ids=[path for path, *_ in GOOD])
def test_lets_other_files_and_other_parts_of_shared_files_be_edited(path: str, old: Content, new: Content) -> None:
    assert judge(Edit({path: (old, new)}, issues=((path, 1, "it is wrong"),))) == []


def test_hooks_that_a_project_offers_are_no_new_work() -> None:
    edit = Edit(
        {".pre-commit-hooks.yaml": (OLD, NEW)}, changed=("a.py",), reasons={".pre-commit-hooks.yaml": "because"}
    )

    assert [r.rule for r in judge(edit)] == ["git-hooks"]


@pytest.mark.parametrize("path", ["CLAUDE.md", "AGENTS.md", "sub/GEMINI.md", ".github/copilot-instructions.md"])
@pytest.mark.parametrize("old", [OLD, None])
def test_a_reason_is_not_enough_to_tell_agents_something_else(path: str, old: Content) -> None:
    edit = Edit({path: (old, NEW)}, changed=("a.py",), reasons={path: "because"})

    assert [(r.path, r.rule) for r in judge(edit)] == [(path, "agent-settings")]


@pytest.mark.parametrize(
    ("there", "new"), [("src/a.py", "src/A.py"), ("src/a.py", "SRC/b.py"), ("caf\u00e9.py", "cafe\u0301.py")]
)
def test_rejects_a_name_that_some_systems_take_for_another(there: str, new: str) -> None:
    edit = Edit({new: (None, NEW)}, changed=(there,), reasons={new: "needed"})

    assert [(r.path, r.rule) for r in judge(edit)] == [(new, "path-collision")]


def test_a_file_may_be_renamed_by_case_only() -> None:
    assert judge(Edit({"README": (OLD, None), "readme": (None, OLD)})) == []
