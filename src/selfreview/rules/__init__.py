'''The rule pack of the embedded ``rules`` reviewer: tables, grouped by language and theme.

Add a rule by adding one table to the ``RULES`` of the language's file, of one in its folder, or of a new one there;
nothing else names it. It is for the ``LANGUAGES`` of that file or folder, unless it names others itself. The tables are
Python literals, because TOML or YAML of this size takes longer to parse than to apply::

    Rule(
        id="python-eval",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="The expression can run anything; who controls the text controls the process.",
        suggestion="Use ast.literal_eval or json.loads for data.",
        needs=("eval(",),
        match={"pattern": "eval($CODE)"},
        constraints={"CODE": {"not": {"kind": "string"}}},
        where="product",
        bad=(
            """
            def load(text):
                return eval(text)  <--
            """,
        ),
        good=("eval('1 + 1')", "model.eval()"),
    )

- ``match`` is an ast-grep rule object (``pattern``, ``kind``, ``regex``, ``any``, ``not``, ``inside``, ``has``) as
  https://ast-grep.github.io/reference/rule.html describes it; ``constraints`` narrow single meta variables.
- ``needs`` spares a file without any of these literals the parse, and ``hint``, a pattern that such code cannot help
  but match, the search. They decide speed: choose rare literals, and where they are common add a hint.
- What people write apart is read as if they did not: ``eval /* */ (x)``, ``a?.b ()`` and ``a["b"]()`` in JavaScript,
  ``EVAL(x)`` in PHP. Patterns need to allow white space behind an opening bracket, around operators and commas.
- ``bad`` and ``good`` are the rule's tests: every bad one is reported by this rule, on the lines that end with ``<--``
  (or else the first), no good one is, and no other rule that blocks speaks up unless ``also`` names it. They are
  dedented.
- ``severity`` from ``MEDIUM`` blocks by default. Choose it only for what a maintainer would want mended before merging,
  and prefer silence to a guess: an alarm that is wrong costs more than one that is missing.

Where another rule or another tool reports the same weakness, declare both as one topic in
``selfreview/review/topics.py``: it is then reported once.
'''

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType

import msgspec

from selfreview.rules.rule import Removal, Rule
from selfreview.syntax.languages import FOLDERS

__all__ = ["Removal", "Rule", "load", "load_all"]


def load(languages: Iterable[str]) -> list[Rule]:
    """Return the rules for some languages, in the order of the files; only their files are imported.

    Args:
        languages: Names as :func:`~selfreview.syntax.languages.language_of` gives them; unknown ones have no rules.
    """
    import importlib
    import pkgutil

    wanted = set(languages)
    rules: list[Rule] = []
    for folder in sorted({"common", *(FOLDERS[language] for language in wanted if language in FOLDERS)}):
        family = importlib.import_module(f"{__name__}.{folder}")
        inside = sorted(info.name for info in pkgutil.iter_modules(getattr(family, "__path__", ())))
        for module in [importlib.import_module(f"{family.__name__}.{name}") for name in inside] or [family]:
            rules.extend(rule for rule in _table(module, family) if not wanted.isdisjoint(rule.languages))
    return rules


def _table(module: ModuleType, family: ModuleType) -> Iterator[Rule]:
    """Yield the rules of a module; those that name no languages are for all of its family."""
    table: Iterable[Rule] = module.RULES
    for rule in table:
        yield rule if rule.languages else msgspec.structs.replace(rule, languages=family.LANGUAGES)


def load_all() -> list[Rule]:
    """Return the whole pack."""
    return load(FOLDERS)
