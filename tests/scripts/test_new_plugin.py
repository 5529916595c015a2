"""What ``scripts/new_plugin.py`` writes passes its own tests as it stands, and the page about plugins is true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from scripts.new_plugin import EXTERNAL_ONLY, KINDS, builtin, external, main, package_of

from selfreview.api import Agent, Fixer, Forge, Notifier, Reporter, Reviewer
from selfreview.api import forge as forge_api
from selfreview.api import notifier as notifier_api

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "guides" / "plugin.md").read_text(encoding="utf-8")


def passes(folder: Path, *tests: Path, sources: list[Path]) -> str:
    """Run tests as the author of a plugin does, and return what pytest says; it must say that they pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "selfreview.testing.plugin", "-p", "no:cacheprovider"]
    command += ["-p", "no:xdist", "--basetemp", "temp", "--rootdir", ".", "--import-mode", "importlib"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    done = subprocess.run(
        [*command, *map(str, tests)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("kind", "name"),
    [("reviewer", "ruff"), ("reviewer", "json"), ("reviewer", "auto"), ("reporter", "json"), ("fixer", "rules"),
     ("fixer", "fix-rules"), ("agent", "claude"), ("reviewer", "gate"), ("command", "run"), ("command", "pr"),
     ("notifier", "email"), ("notifier", "slack"), ("forge", "github")],
)  # fmt: skip
def test_a_name_that_is_taken_is_refused(
    kind: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([kind, name, "--external", str(tmp_path / "mine")]) != 0
    assert f"{name!r} is taken" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def examples() -> dict[str, str]:
    """Return the files that the page shows, by name: blocks that begin with the name as a comment."""
    blocks = re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return dict(blocks)


@pytest.mark.long
def test_packages_of_their_own_the_sample_and_the_examples_pass_their_tests(tmp_path: Path) -> None:
    kinds = ("reviewer", "reporter", "notifier", "forge", "command")
    for kind in kinds:
        assert main([kind, f"my-{kind}", "--external", str(tmp_path / kind)]) == 0
    shutil.copytree(ROOT / "tests" / "sample_plugin", tmp_path / "sample")
    (tmp_path / "examples").mkdir()
    for name, text in examples().items():
        (tmp_path / "examples" / name).write_text(text, encoding="utf-8")
    folders = [tmp_path / name for name in (*kinds, "sample")]
    sources = [*(folder / "src" for folder in folders), tmp_path / "examples"]
    said = passes(tmp_path, *(folder / "tests" for folder in folders), tmp_path / "examples", sources=sources)
    assert re.search(r"\b\d\d+ passed", said)


def test_plugins_of_the_tree_pass_their_tests(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.pyc.*", ".*_cache"))
    kinds = ("fixer", "agent", "notifier", "forge")
    for kind in kinds:
        assert main([kind, f"my-{kind}", "--root", str(tmp_path)]) == 0
        assert (tmp_path / "docs" / "guides" / f"plugin-my-{kind}.md").exists()
    tests = [tmp_path / "tests" / package_of(kind) / f"test_my_{kind}.py" for kind in kinds]
    assert re.search(r"\b\d\d+ passed", passes(tmp_path, *tests, sources=[tmp_path / "src"]))
    ruff = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "--no-cache", "--quiet"]
    written = [tmp_path / path for kind in kinds for path in builtin(kind, f"my-{kind}")]
    code = [str(path) for path in written if path.suffix == ".py"]
    done = subprocess.run([*ruff, *code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    ruff[3] = "format"
    subprocess.run([*ruff, "--check", *code], cwd=tmp_path, check=True)


def test_a_command_is_a_package_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["command", "my-tool"]) == 2
    assert "--external DIR" in capsys.readouterr().err
    assert main(["command", "my-tool", "--external", str(tmp_path)]) == 0
    assert '"command-my-tool" = "selfreview_my_tool.plugin"' in (tmp_path / "pyproject.toml").read_text()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in EXTERNAL_ONLY])
def test_both_forms_are_the_same_plugin(kind: str) -> None:
    inside, outside = builtin(kind, "my-tool"), external(kind, "my-tool")
    package = package_of(kind)
    assert inside[f"src/selfreview/{package}/my_tool.py"] == outside["src/selfreview_my_tool/plugin.py"]
    module = f"selfreview.{package.replace('/', '.')}.my_tool"
    test = inside[f"tests/{package}/test_my_tool.py"].replace(module, "selfreview_my_tool.plugin")
    assert test == outside["tests/test_my_tool.py"]


def test_nothing_is_overwritten_and_nothing_is_written_halfway(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine\n")
    assert main(["agent", "mine", "--external", str(tmp_path)]) == 2
    assert f"{tmp_path / 'README.md'} exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine\n"


@pytest.mark.parametrize("name", ["", "My", "a_b", "a--b", "../a", "a.b", "a-"])
def test_a_name_that_cannot_be(name: str, tmp_path: Path) -> None:
    assert main(["agent", name, "--external", str(tmp_path / "x")]) == 2
    assert not (tmp_path / "x").exists()


def test_it_says_what_is_left_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "src" / "selfreview" / "fixers").mkdir(parents=True)
    assert main(["fixer", "my-tool", "--root", str(tmp_path)]) == 0
    assert '"fix-my-tool": "selfreview.fixers.my_tool",' in capsys.readouterr().out
    assert main(["reviewer", "my-tool", "--root", str(tmp_path)]) == 2
    assert "is no source tree" in capsys.readouterr().err


class TestPage:
    @pytest.mark.parametrize(
        "protocol", [Reviewer, Fixer, Agent, Reporter, Forge, Notifier], ids=lambda kind: kind.__name__
    )
    def test_every_part_of_a_protocol_is_named(self, protocol: type) -> None:
        name = protocol.__name__.lower()
        section = re.split(rf"^## An? {name}$", PAGE, flags=re.MULTILINE)[1].partition("\n## ")[0]
        parts = {name for name in vars(protocol) if not name.startswith("_")}
        missing = {name for name in parts if f"`{name}" not in section}
        assert not missing

    @pytest.mark.parametrize("kind", [forge_api, notifier_api], ids=["forge", "notifier"])
    def test_every_capability_is_named_with_what_it_has(self, kind: ModuleType) -> None:
        found = {name: value for name, value in vars(kind).items() if getattr(value, "_is_runtime_protocol", False)}
        assert found
        lines = [line for line in PAGE.splitlines() if "`" in line]
        for name, capability in found.items():
            parts = {part for part in vars(capability) if not part.startswith("_")}
            named = [line for line in lines if f"`{name}`" in line]
            assert any(all(f"`{part}" in line for part in parts) for line in named), name

    def test_it_shows_a_plugin_and_its_test(self) -> None:
        assert [name.startswith("test_") for name in examples()] == [False, True] * 5
