"""Check of the selectors in settings: each has to mean a rule or a reviewer that there is."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview import __version__
from selfreview.api import ConfigView, Registry, Reviewer, capabilities
from selfreview.config.values import KeyPath
from selfreview.errors import ConfigError, PluginError, SelfreviewError
from selfreview.model.issue import GATE, OWN
from selfreview.plugins.attribution import describe
from selfreview.review.selection import ALL, IGNORED, IN_FILES, SELECTED, SEVERITY
from selfreview.review.topics import ours_of, tools_of
from selfreview.text.layout import listing
from selfreview.text.suggestion import closest, meant

_DIGITS = "0123456789"
_MOST_OURS = 8
_LISTS = "selfreview rule lists them; a rule of a reviewer that lists none is named with it, as reviewer/rule"


class Unknown(NamedTuple):
    """A selector that means nothing.

    Attributes:
        path: Its place in the configuration.
        selector: The selector.
        hint: What to do about it.
    """

    path: KeyPath
    selector: str
    hint: str


def unknown_selectors(config: ConfigView, registry: Registry[Reviewer]) -> Iterator[Unknown]:
    """Yield the selectors of the settings that mean no rule of a reviewer; a reviewer is asked only where it matters.

    Args:
        config: The configuration.
        registry: All reviewers.

    Raises:
        PluginError: If one cannot list its rules.
    """
    names = _Names(registry)
    for path, selector in _selectors(config):
        if not names.has(selector):
            yield Unknown(path, selector, names.hint(selector))


def check_selectors(
    config: ConfigView,
    registry: Registry[Reviewer],
    place: Callable[[KeyPath], str],
    counts: Callable[[str], bool] = bool,
) -> None:
    """Check that selectors mean something.

    Args:
        config: The configuration.
        registry: All reviewers.
        place: Returns where a part of the configuration stands.
        counts: Says of such a place whether what stands there is checked.

    Raises:
        ConfigError: If one means nothing; names it and its place.
        PluginError: If a reviewer cannot list its rules.
    """
    for unknown in unknown_selectors(config, registry):
        if counts(where := place(unknown.path)):
            raise ConfigError(f"there is no rule or reviewer {unknown.selector!r} ({where})", hint=unknown.hint)


def key_of_selectors(config: ConfigView, registry: Registry[Reviewer]) -> bytes | None:
    """Return what the cache keeps a check by that passed; None where there is nothing to ask a reviewer for.

    A rule that a tool takes away later is not noticed then: its selector means nothing any more, and loosens nothing.

    Args:
        config: The configuration.
        registry: All reviewers.
    """
    names = registry.names()
    selectors = {selector for _, selector in _selectors(config)}.difference(names, [ALL])
    if not selectors:
        return None
    return hashlib.sha256(json.dumps(["selectors", __version__, sorted(names), sorted(selectors)]).encode()).digest()


def _selectors(config: ConfigView) -> Iterator[tuple[KeyPath, str]]:
    for key in (SELECTED, IGNORED):
        yield from (((key, index), selector) for index, selector in enumerate(config[key]))
    for pattern, selectors in config.table(IN_FILES).items():
        yield from (((IN_FILES, pattern, index), selector) for index, selector in enumerate(selectors))
    yield from (((SEVERITY, selector), selector) for selector in config.table(SEVERITY))


class _Names:
    """The names of reviewers and rules.

    Args:
        registry: All reviewers.
    """

    def __init__(self, registry: Registry[Reviewer]) -> None:
        self._reviewers: Mapping[str, Reviewer | None] = {OWN: None, **{each.name: each for each in registry}}
        self._known: dict[str, frozenset[str]] = {}

    def has(self, selector: str) -> bool:
        """Return whether a selector means something, or may: of a reviewer that lists nothing any rule is taken."""
        reviewer, _, rule = selector.partition("/")
        if selector == ALL or selector in self._reviewers:
            return True
        if reviewer in self._reviewers:
            rules = self._rules(reviewer)
            return not rules or _means(rule, rules)
        # One that lists its rules, and now cannot, may have had this one.
        return any(not rules or _means(selector, rules) for rules in map(self._rules, self._listing()))

    def hint(self, selector: str) -> str:
        """Return what was probably meant, or else where to look."""
        if selector.partition("/")[0] == GATE:
            return (
                "no setting turns off what a gate says; a maintainer lets it pass: selfreview gate --accept FINGERPRINT"
            )
        return next(filter(None, self._guesses(selector)), _LISTS)

    def _guesses(self, selector: str) -> Iterator[str | None]:
        """Yield hints at what was probably meant, the surest first."""
        reviewer, slash, rule = selector.rpartition("/")
        written = (
            selector.replace(":", "/", 1),
            f"{reviewer}{slash}{rule.lower()}",
            f"{reviewer}{slash}{rule.upper()}",
        )
        yield _asked([each for each in written if each != selector and self.has(each)])
        yield hint_at_ours(selector, self.has)
        if slash:
            yield _asked([f"{name}/{rule}" for name in self._listing() if rule in self._rules(name)])
        if reviewer in self._reviewers:
            yield _asked([f"{reviewer}/{near}" for near in _near(rule, self._rules(reviewer))])
        elif slash:
            named = closest(reviewer, self._reviewers)
            yield _asked([f"{named}/{rule}"] if named is not None else [])
        else:
            rules = {each for name in self._listing() for each in self._rules(name)}
            yield _asked(_near(rule, rules, self._reviewers))

    def _listing(self) -> Iterable[str]:
        """Return the reviewers that list their rules."""
        return [name for name, each in self._reviewers.items() if capabilities.of_reviewer(each).rules is not None]

    def _rules(self, reviewer: str) -> frozenset[str]:
        """Return the rules that a reviewer lists."""
        if reviewer not in self._known:
            try:
                listed = capabilities.of_reviewer(self._reviewers[reviewer]).known_rules()
                self._known[reviewer] = frozenset(rule.id for rule in listed)
            except SelfreviewError:
                raise
            except Exception as error:
                message = f"the reviewer {reviewer!r} cannot list its rules: {describe(error)}"
                raise PluginError(message, hint="this is a plugin's defect") from error
        return self._known[reviewer]


def hint_at_ours(name: str, is_known: Callable[[str], bool]) -> str | None:
    """Return a hint at the embedded rules about what another tool calls so, and whose name it is; None without any.

    Args:
        name: The rule of the other tool.
        is_known: Whether there is such a rule, ``REVIEWER/RULE``, to be named.
    """
    ours, tools = [each for each in ours_of(name) if is_known(each)], tools_of(name)
    call = "calls" if len(tools) == 1 else "call"
    return f"{meant(ours, _MOST_OURS)} {listing(tools, len(tools))} {call} it {name!r}" if ours and tools else None


def _asked(names: Sequence[str]) -> str | None:
    return meant(names) if names else None


def _means(selector: str, rules: frozenset[str]) -> bool:
    return selector in rules or (ALL in selector and any(fnmatch.fnmatchcase(rule, selector) for rule in rules))


def _near(name: str, rules: Iterable[str], others: Iterable[str] = ()) -> Sequence[str]:
    """Return what was probably meant: ruff has ``E7`` stand for all rules that begin so."""
    known = sorted(rules)
    if any(each.startswith(name) for each in known):
        return [f"{name}*"]
    if name.endswith(tuple(_DIGITS)):  # a code is like another only of the same tool
        letters = name.rstrip(_DIGITS)
        among: Iterable[str] = [each for each in known if each.rstrip(_DIGITS) == letters]
    elif ALL in name:
        families = {f"{each[: at + 1]}{ALL}" for each in known for at, letter in enumerate(each) if letter == "-"}
        among = [*known, *sorted(families)]
    else:
        among = [*known, *others]
    near = closest(name, among)
    return [] if near is None else [near]
