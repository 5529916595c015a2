"""Files of a repository's own rules, in ast-grep's YAML: the rules, and the tests of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
import yaml

from selfreview.api import Category, ConfigView, RuleExample, RuleInfo, Severity
from selfreview.config.tables import too_much_of
from selfreview.errors import ConfigError
from selfreview.model.wire import display_path
from selfreview.reviewers.rules.own import OwnRule, why_wrong
from selfreview.rules import load_all
from selfreview.syntax.languages import EXTENSIONS, FOLDERS, spoken_name

KEY = "rules_path"
"""Key that names the files."""

SUFFIXES = (".yml", ".yaml")
_MAX_BYTES = 256 * 1024
_MAX_TOTAL = 4 * 1024 * 1024
_MAX_RULES = 1_000
_MAX_DEPTH = 60
_MAX_TEXT = 2_000
"""Characters of a pattern: the parser, which is native code, ends the program where one is nested by the thousand."""
_MAX_MESSAGE = 500
_NOT_RULES = ("sgconfig.yml", "sgconfig.yaml")
_ID = re.compile(r"[\w.-]{1,100}")
_SEVERITIES = {
    "error": Severity.HIGH,
    "warning": Severity.MEDIUM,
    "info": Severity.LOW,
    "hint": Severity.SUGGESTION,
}
OFF = "off"
_ALIASES = {
    "c#": "csharp", "cs": "csharp", "c++": "cpp", "cc": "cpp", "cxx": "cpp", "golang": "go", "js": "javascript",
    "jsx": "javascript", "kt": "kotlin", "py": "python", "rb": "ruby", "rs": "rust", "ts": "typescript", "sh": "bash",
    "shell": "bash",
}  # fmt: skip
"""Names of languages besides those of :mod:`selfreview.syntax.languages`, in lower case."""


class _Fix(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A fix in the form of a table; with an expansion, it brings no edit."""

    template: str
    expand_start: Any = None
    expand_end: Any = None
    title: str | None = None


class _Glob(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A pattern of paths in the form of a table."""

    glob: str
    case_insensitive: bool = False


class _Document(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A rule as its file has it; what is not for us is taken and left alone."""

    id: str
    language: str
    rule: dict[str, Any]
    constraints: dict[str, Any] = {}
    utils: dict[str, Any] = {}
    transform: dict[str, Any] = {}
    severity: str = "hint"
    message: str = ""
    note: str | None = None
    fix: str | _Fix | None = None
    files: list[str | _Glob] | None = None
    ignores: list[str | _Glob] = []
    url: str | None = None
    labels: Any = None
    metadata: dict[str, Any] = {}


class _Test(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Tests of a rule: code that it leaves alone, and code that it reports."""

    id: str
    valid: list[str] = []
    invalid: list[str] = []


class OwnRules(NamedTuple):
    """The repository's own rules, in the order of the files, and what they are listed as, those that are off too."""

    rules: tuple[OwnRule, ...] = ()
    infos: tuple[RuleInfo, ...] = ()


def own_rules(config: ConfigView) -> OwnRules:
    """Return the rules in the files that ``rules_path`` names.

    Raises:
        ConfigError: If a file, or a rule in it, is not as it has to be; the message has its place.
    """
    return _read(tuple(sorted(config.files(KEY, *SUFFIXES).items())))


@functools.lru_cache(maxsize=4)
def _read(files: tuple[tuple[str, bytes], ...]) -> OwnRules:
    if sum(len(data) for _, data in files) > _MAX_TOTAL:
        raise ConfigError(f"the files of {KEY} are larger than {_MAX_TOTAL // (1024 * 1024)} MiB together")
    rules: dict[str, tuple[OwnRule, bool]] = {}
    tests: list[tuple[str, _Test]] = []
    taken = {rule.id for rule in load_all()}
    for path, data in files:
        for line, lines, value in _documents(path, data):
            place = f"{display_path(path)}:{line}"
            if "snapshots" in value:
                continue  # what ast-grep keeps of its own tests
            if "rule" not in value and ("valid" in value or "invalid" in value):
                tests.append((place, _converted(value, _Test, place)))
                continue
            rule_place = f"{display_path(path)}:{lines.get('rule', line)}"
            rule, is_on = _rule(_converted(value, _Document, place), place, rule_place)
            if rule.id in taken:
                raise ConfigError(f"{place}: there is a rule {rule.id!r} in the embedded pack", hint="rename this one")
            if rule.id in rules:
                raise ConfigError(f"{place}: the rule {rule.id!r} is in {rules[rule.id][0].place}, too")
            if len(rules) == _MAX_RULES:
                raise ConfigError(f"{place}: there are more than {_MAX_RULES:,} rules in {KEY}")
            rules[rule.id] = rule, is_on
    examples: dict[str, tuple[list[RuleExample], list[RuleExample]]] = {name: ([], []) for name in rules}
    for place, test in tests:
        if test.id not in rules:
            raise ConfigError(f"{place}: tests of a rule {test.id!r}, which is not there")
        path = rules[test.id][0].example_path
        bad, good = examples[test.id]
        bad += [RuleExample(path, code, place=place) for code in test.invalid]
        good += [RuleExample(path, code, place=place) for code in test.valid]
    return OwnRules(
        tuple(rule for rule, is_on in rules.values() if is_on),
        tuple(
            msgspec.structs.replace(
                rule.info(), bad=tuple(examples[name][0]), good=tuple(examples[name][1]), tested=is_on
            )
            for name, (rule, is_on) in rules.items()
        ),
    )


def _converted(value: Any, kind: type[Any], place: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{place}: {_plain(str(error))}", hint="https://ast-grep.github.io/reference/yaml.html"
        ) from error


def _rule(document: _Document, place: str, rule_place: str) -> tuple[OwnRule, bool]:
    """Return a rule, and whether it is on.

    Raises:
        ConfigError: If something of it is wrong.
    """
    if not _ID.fullmatch(document.id):
        raise ConfigError(f"{place}: the id {document.id!r} is not made of letters, digits, '.', '-' and '_'")
    name = document.language.lower()
    language = _ALIASES.get(name, name)
    if language not in FOLDERS:
        known = ", ".join(map(spoken_name, FOLDERS))
        raise ConfigError(f"{place}: the rule {document.id!r} is for {document.language!r}, which is not reviewed here",
                          hint=f"there are: {known}")  # fmt: skip
    if document.severity not in (*_SEVERITIES, OFF):
        raise ConfigError(
            f"{place}: severity must be one of {', '.join((*_SEVERITIES, OFF))}, not {document.severity!r}"
        )
    fix = document.fix
    if isinstance(fix, _Fix):
        fix = fix.template if fix.expand_start is None and fix.expand_end is None else None
    extension = next(extension for extension, name in EXTENSIONS.items() if name == language)
    rule = OwnRule(
        id=document.id,
        severity=_SEVERITIES.get(document.severity, Severity.SUGGESTION),
        category=_category(document.metadata),
        message=_plain(document.message) or document.id,
        suggestion=_plain(document.note or ""),
        needs=(),
        bad=(),
        good=(),
        languages=(language,),
        match=document.rule,
        constraints=document.constraints,
        utils=document.utils,
        transform=document.transform,
        fix=fix,
        files=None if document.files is None else tuple(_pattern(glob, place) for glob in document.files),
        ignores=tuple(_pattern(glob, place) for glob in document.ignores),
        url=document.url,
        place=place,
        example_path=f"selfreview-example{extension}",
    )
    if any(len(text) > _MAX_TEXT for text in _texts([rule.match, rule.constraints, rule.utils, rule.transform])):
        raise ConfigError(f"{rule_place}: a text of the rule {rule.id!r} has more than {_MAX_TEXT:,} characters")
    if (wrong := why_wrong(rule)) is not None:
        raise ConfigError(f"{rule_place}: the rule {rule.id!r} cannot be used: {_plain(wrong)}")
    return rule, document.severity != OFF


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _category(metadata: Mapping[str, Any]) -> Category:
    """Return the category that the metadata of a rule names, or else that of a mistake."""
    named = metadata.get("category")
    return Category(named) if named in set(Category) else Category.LOGIC


def _plain(text: str) -> str:
    return " ".join(text.split())[:_MAX_MESSAGE]


_PART = re.compile(r"\*\*/|\*+|\?|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


def _pattern(written: str | _Glob, place: str) -> str:
    """Return the regular expression of a pattern of paths, as in ast-grep: a star stands for slashes, too.

    Of a comma only one within braces parts alternatives.

    Raises:
        ConfigError: If it is none, or could take long to match.
    """
    glob = written if isinstance(written, str) else written.glob
    flags = "(?is)" if isinstance(written, _Glob) and written.case_insensitive else "(?s)"
    pattern, depth = flags, 0
    for part in _PART.findall(glob.removeprefix("./")):
        depth += (part == "{") - (part == "}")
        pattern += "|" if part == "," and depth > 0 else _part(part)
    wrong = too_much_of(glob)
    try:
        re.compile(pattern)
    except re.error:
        wrong = wrong or "is no pattern of paths"
    if wrong is not None:
        raise ConfigError(f"{place}: {glob!r} {wrong}")
    return pattern


def _part(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part[0] == "[" and len(part) > 1:
        inside = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
        return f"[{'^' + inside[1:] if inside[:1] in '!^' else inside}]"
    simple = {"?": ".", "{": "(?:", "}": ")"}
    return ".*" if part[0] == "*" else simple.get(part, re.escape(part))


# --- YAML ------------------------------------------------------------------------------------------------------------

_Base: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Loader of plain data in which only ``true`` and ``false`` are truth values, as in YAML 1.2 and in ast-grep."""

    yaml_implicit_resolvers: Mapping[str, Any] = {}


for _tag, _written, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?[0-9]+\.[0-9]+", "-+0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_written})\\Z"), list(_first))


def _documents(path: str, data: bytes) -> Iterator[tuple[int, dict[str, int], dict[str, Any]]]:
    """Yield the documents of a file that hold something, each with its line and those of its keys.

    Raises:
        ConfigError: If it is no YAML, too large or nested too deeply, or if it has an alias, which could stand for more
            than any memory holds.
    """
    name = display_path(path)
    if path.rpartition("/")[2] in _NOT_RULES:
        return
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{name} is larger than {_MAX_BYTES // 1024} KiB")
    text = _text(name, data)
    try:
        _check_events(name, text)
        loader = _Loader(text)
        while loader.check_node():
            node = loader.get_node()
            line = node.start_mark.line + 1
            _check_nodes(name, node)
            try:
                value = loader.construct_document(node)
            except (ValueError, AttributeError) as error:  # PyYAML itself is not ready for what its tags may hold
                raise ConfigError(f"{name}:{line}: a number or a date in this document cannot be read") from error
            if value is None:
                continue
            if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
                raise ConfigError(f"{name}:{line}: this is no rule: it has no `id`, `language` and `rule`")
            yield line, {key.value: key.start_mark.line + 1 for key, _ in node.value}, value
    except yaml.YAMLError as error:
        mark, at = getattr(error, "problem_mark", None), getattr(error, "position", None)
        why = getattr(error, "problem", None) or getattr(error, "reason", None)
        line = text.count("\n", 0, at) if isinstance(at, int) else mark and mark.line
        place = name if line is None else f"{name}:{line + 1}"
        raise ConfigError(f"{place}: {_plain(why or str(error))}") from error


def _text(name: str, data: bytes) -> str:
    """Return the text of a file.

    Raises:
        ConfigError: If it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}:{line}: this is not UTF-8", hint="save the file as UTF-8") from error


def _check_events(name: str, data: str) -> None:
    depth = 0
    for event in yaml.parse(data, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        place = f"{name}:{event.start_mark.line + 1 if event.start_mark else 1}"
        if isinstance(event, yaml.AliasEvent):
            raise ConfigError(f"{place}: aliases (*{event.anchor}) are not read", hint="write it out")
        if depth > _MAX_DEPTH:
            raise ConfigError(f"{place}: this is nested too deeply")


def _check_nodes(name: str, node: yaml.Node) -> None:
    """Check that no table of a document has a key twice: the last would silently count.

    Raises:
        ConfigError: If one has.
    """
    if isinstance(node, yaml.SequenceNode):
        for part in node.value:
            _check_nodes(name, part)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise ConfigError(
                        f"{name}:{key.start_mark.line + 1}: {key.value!r} is there twice", hint="leave one"
                    )
                seen.add(key.value)
            _check_nodes(name, key)
            _check_nodes(name, value)
