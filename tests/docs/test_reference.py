"""The reference is what the code says, and says something of everything."""

from __future__ import annotations

import re
from pathlib import Path

import click
import msgspec
import pytest
from scripts.generate_reference import FOLDER, PARTS, generated, parts_of
from scripts.reference.builtins import all_formats
from scripts.reference.commands import walk
from scripts.reference.hooks import RAISED, all_hooks
from scripts.reference.keys import all_keys
from scripts.reference.text import attributes, paragraphs, prose, table

from scripts import generate_reference
from selfreview.cli.commands import COMMANDS
from selfreview.config.sources import OTHER_VARIABLES, variable
from selfreview.errors import ExitCode
from selfreview.model.result import Result
from selfreview.plugins.builtins import Builtins
from selfreview.rules import load_all
from selfreview.syntax.languages import spoken_name

PAGES = sorted(FOLDER.glob("*.md"))


def page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    """Return what the first cells of a page's tables name."""
    return re.findall(r"^\| (?:<[^|]*>)?`?([^`|]+?)`? \|", text, re.MULTILINE)


def section(text: str, title: str) -> str:
    """Return a page's part below a heading, down to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_is_stale(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert generated(text) == text, "python -m scripts.generate_reference"


def test_every_part_is_on_one_page() -> None:
    assert sorted(name for path in PAGES for name in parts_of(path.read_text(encoding="utf-8"))) == sorted(PARTS)


def test_a_stale_part_is_written_anew_and_the_rest_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate_reference, "FOLDER", tmp_path)
    stale = "By hand.\n\n<!-- generated: exit codes -->\nSTALE\n<!-- end of exit codes -->\n\nBy hand, too.\n"
    (tmp_path / "a.md").write_text(stale, encoding="utf-8")
    assert generate_reference.main() == 0
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert text.startswith("By hand.\n")
    assert text.endswith("\n\nBy hand, too.\n")
    assert "| 0 | `PASSED` | Passed" in text
    assert "STALE" not in text


def test_every_command_and_option_has_its_place_and_a_meaning() -> None:
    text = page("commands")
    contexts = list(walk())
    assert {context.info_name for context in contexts} >= set(COMMANDS)
    for context in contexts:
        part = section(text, context.command_path)
        rows = dict(re.findall(r"^\| (.+?) \| (.*) \|$", part, re.MULTILINE))
        for option in context.command.get_params(context):
            if isinstance(option, click.Option) and option.name != "help" and not option.hidden:
                (row,) = [row for row in rows if all(f"`{name}`" in row for name in option.opts)]
                assert rows[row].strip(), f"{context.command_path}: {option.opts} says nothing of itself"


def test_every_key_has_its_row_with_default_variable_and_meaning() -> None:
    rows = {
        name: (default, shown, meaning)
        for name, default, shown, meaning in re.findall(
            r"^\| `([\w.]+)` \| [\w ]+ \| (.*?) \| `?(\w*)`? ?\| (.+) \|$", page("configuration"), re.MULTILINE
        )
    }
    declared = {key.name: key for key in all_keys()}
    assert rows.keys() == declared.keys()
    for name, key in declared.items():
        default, shown, meaning = rows[name]
        assert shown == (variable(key) or "")
        assert (default == "none") == (key.default in (None, {}, "")), name
        assert meaning.strip().endswith((".", "**")), name
        assert ("Not in a repository's file" in meaning) == key.user_only
        assert ("only after `selfreview trust`" in meaning) == key.executes
        assert all(f"`{choice}`" in meaning for choice in key.choices)


def test_every_variable_is_documented() -> None:
    text = page("configuration") + (FOLDER.parent / "explanation" / "gate.md").read_text(encoding="utf-8")
    assert not [name for name in OTHER_VARIABLES if not re.search(rf"`{name}\b", text)]


@pytest.mark.parametrize("hook", all_hooks())
def test_every_hook_says_what_it_returns_and_what_happens_if_it_raises(hook: str) -> None:
    part = section(page("hooks"), hook)
    assert re.search(rf"^{hook}\(\w+: ", part, re.MULTILINE)
    assert re.search(r"^- \*\*Returns:\*\* \S", part, re.MULTILINE)
    assert re.search(r"^- \*\*I/O:\*\* (none|allowed)$", part, re.MULTILINE)
    assert part.count("- **If it raises:** ") == 1
    assert sum(said in part for said in RAISED.values()) == 1


def test_every_exit_code_has_its_row() -> None:
    assert first_cells(page("exit-codes"))[1:] == ["---", *(str(int(code)) for code in ExitCode)]


def test_every_format_has_its_row() -> None:
    formats = [name for name, _ in all_formats()]
    assert [name for name in first_cells(page("formats")) if name in formats][: len(formats)] == formats
    assert len(formats) == sum(".reporters." in module for module in Builtins().modules.values())


def test_every_plugin_has_its_row() -> None:
    assert first_cells(page("plugins"))[2:] == list(Builtins().modules)


def test_every_rule_has_its_row_below_its_languages() -> None:
    row = re.compile(
        r'^\| <span id="([\w-]+)"></span>`\1` \| (.+?) \| (\w+) \| (\w+) \| (yes|no) \|(?: (.+) \|)?$', re.MULTILINE
    )
    pack = {rule.id: rule for rule in load_all()}
    found = []
    for title, part in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page("rules"), re.MULTILINE | re.DOTALL):
        for name, _, severity, category, fix, languages in row.findall(part):
            rule = pack[name]
            found.append(name)
            assert (severity, category) == (rule.severity.value, rule.category.value)
            assert (fix == "yes") == (rule.fix is not None)
            said = (
                title.replace(r"\#", "#").split(" and ") if languages in ("", "all of these") else languages.split(", ")
            )
            if "all" not in said:
                assert {spoken_name(each) for each in rule.languages} - {"TSX"} == set(said) - {"TSX"}
    assert sorted(found) == sorted(pack)


def test_every_key_of_the_verdict_has_a_meaning() -> None:
    text = page("verdict")
    schema = msgspec.json.schema(Result)["$defs"]
    for name, entry in schema.items():
        rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", section(text, name), re.MULTILINE))
        assert list(rows) == list(entry.get("properties", ())), name
        assert all(rows.values()), f"{name}: {[key for key, said in rows.items() if not said]}"


class TestText:
    def test_only_code_is_marked_up(self) -> None:
        assert prose("a ``b_c`` of :mod:`x.y` <b> *d* [e]") == r"a `b_c` of `x.y` &lt;b&gt; \*d\* \[e\]"

    def test_a_bar_ends_no_cell(self) -> None:
        assert table(("a",), [("b|c",)]).splitlines()[-1] == r"| b\|c |"

    def test_a_docstring_is_taken_apart(self) -> None:
        text = (
            "One\n    line.\n\n    Two.\n\n    Attributes:\n        a, b: What they\n            are.\n        c: It."
        )
        assert paragraphs(text) == ["One line.", "Two."]
        assert attributes(text) == {"a": "What they are.", "b": "What they are.", "c": "It."}
