"""The rules of the embedded pack, a table for each family of languages."""

from __future__ import annotations

from collections.abc import Iterable

from scripts.reference.text import prose, table

from selfreview.rules import Rule, load_all
from selfreview.syntax.languages import FOLDERS, spoken_name

SEVERAL = "Several languages"


def rules() -> str:
    """Return the tables, and how many rules there are."""
    pack = load_all()
    families: dict[str, list[Rule]] = {}
    for rule in pack:
        folders = {FOLDERS[name] for name in rule.languages}
        families.setdefault(folders.pop() if len(folders) == 1 else "", []).append(rule)
    parts = [f"There are {len(pack)} rules."]
    for folder in sorted(families, key=lambda folder: (folder != "", _title(folder))):
        parts += [f"## {_heading(folder)}", _table(families[folder], folder)]
    return "\n\n".join(parts)


def _title(folder: str) -> str:
    if not folder:
        return SEVERAL
    return " and ".join(spoken_name(name) for name in _members(folder) if name != "tsx")


def _heading(folder: str) -> str:
    return _title(folder).replace("#", r"\#")  # at the end of a heading it would be part of the markup


def _members(folder: str) -> list[str]:
    return [name for name, other in FOLDERS.items() if other == folder]


def _table(some: Iterable[Rule], folder: str) -> str:
    several = not folder or len(_members(folder)) > 1
    head = ("rule", "what it finds", "severity", "category", "fix", *(("languages",) if several else ()))
    rows = [
        (
            f'<span id="{rule.id}"></span>`{rule.id}`',
            prose(_message(rule)),
            rule.severity.value,
            rule.category.value,
            "yes" if rule.fix is not None else "no",
            *((_languages(rule, folder),) if several else ()),
        )
        for rule in sorted(some, key=lambda rule: rule.id)
    ]
    return table(head, rows)


def _message(rule: Rule) -> str:
    return rule.message.replace("{name}", "…") if rule.coded else rule.message


def _languages(rule: Rule, folder: str) -> str:
    if folder and set(rule.languages) == set(_members(folder)):
        return "all of these"
    return "all" if set(rule.languages) == set(FOLDERS) else ", ".join(map(spoken_name, rule.languages))
