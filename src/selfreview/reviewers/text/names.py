"""Files that should not be committed, by name, at the head or in a commit on the way to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import ChangedFile, CommittedLines, FileStatus, Finding, ReviewContext, Side
from selfreview.reviewers.text.table import CHECKS, Hit, findings_of
from selfreview.secrets.match import REWRITE
from selfreview.syntax.file_kinds import is_sample


class NameRule(NamedTuple):
    """One kind of file.

    Attributes:
        check: Id in the table of checks.
        what: What it is, with its article.
        pattern: Matches the whole path.
        folder: Matches the path up to the folder that is at fault as a whole; then one finding stands for all of it.
        binary: Whether only a binary file is meant.
        harmful: What a text of that name must hold to be as bad as its name; None: anything.
    """

    check: str
    what: str
    pattern: re.Pattern[str]
    folder: re.Pattern[str] | None = None
    binary: bool = False
    harmful: re.Pattern[str] | None = None

    def folder_of(self, path: str) -> str | None:
        """Return the folder at fault with its slash, or None where the file itself is."""
        match = self.folder.match(path) if self.folder else None
        return match[0] if match else None


def _file(check: str, what: str, *names: str, binary: bool = False, harmful: str | None = None) -> NameRule:
    pattern = re.compile(rf"(?:.*/)?(?:{'|'.join(names)})", re.IGNORECASE)
    content = re.compile(harmful, re.IGNORECASE | re.MULTILINE) if harmful else None
    return NameRule(check, what, pattern, binary=binary, harmful=content)


def _folder(check: str, what: str, *names: str) -> NameRule:
    folder = rf"(?:.*?/)??(?:{'|'.join(names)})/"
    return NameRule(check, what, re.compile(folder + ".+"), re.compile(folder))


_TEMPLATE = r"(?:[^/]*[._-])?(?:example|sample|template|dist|tpl|tmpl|defaults?|schema|test|testing|ci|j2|md)"
_ASSIGNED = (
    r"^[ \t]*(?:export[ \t]+)?\w*(?:KEY|SECRET|TOKEN|PASS|PWD|CREDENTIAL|DSN|DATABASE_URL)\w*"
    r"[ \t]*=[ \t]*[\"']?[^\s\"'#<${]"
)
"""A setting with a value whose name marks it as secret."""

NAMES = (
    _folder("local-file", "A folder of installed packages (node_modules)", "node_modules", "bower_components"),
    _folder("local-file", "A virtual environment or its packages", r"\.venv", "site-packages"),
    _folder("local-file", "A cache of Python byte code", "__pycache__"),
    _folder("local-file", "Terraform's working folder", r"\.terraform"),
    _folder(
        "local-file",
        "A tool's cache",
        r"\.(?:pytest|mypy|ruff|parcel|sass)[-_]cache",
        r"\.(?:tox|nox|gradle|hypothesis)",
    ),
    _folder("local-file", "A build's metadata folder", r"[^/]+\.egg-info"),
    _folder("local-file", "An editor's own state", r"\.vs", r"\.idea/shelf"),
    _file(
        "sensitive-file",
        "An environment file",
        rf"\.env(?:\.(?!{_TEMPLATE}$)[^/]+)?",
        r"(?:[^/]*[._-])?(?:secrets?|credentials?|prod|production|private)\.env",
        harmful=_ASSIGNED,
    ),
    _file("sensitive-file", "An SSH private key", r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"),
    _file(
        "sensitive-file",
        "A store of private keys",
        r"[^/]+\.(?:p12|pfx|jks|ppk|kdbx|agekey)",
        r"(?!debug\.)[^/]+\.keystore",
    ),
    _file("sensitive-file", "A file of passwords", r"[._]netrc", r"\.pgpass", r"\.htpasswd", r"\.git-credentials"),
    _file(
        "sensitive-file",
        "A client's credentials",
        r"\.aws/credentials",
        r"\.docker/config\.json",
        r"\.kube/config",
        "kubeconfig",
    ),
    _file("sensitive-file", "Terraform state", r"[^/]+\.tfstate(?:\.backup)?"),
    _file(
        "local-file",
        "A desktop's own file",
        r"\.DS_Store",
        r"Thumbs\.db",
        r"ehthumbs\.db",
        r"desktop\.ini",
        r"\._[^/]+",
    ),
    _file("local-file", "A leftover of a merge or a patch", r"[^/]+\.(?:orig|rej)"),
    _file("local-file", "An editor's leftover", r"[^/]+\.sw[nop]", r"[^/]+~", r"\#[^/]+\#", r"\.\#[^/]+"),
    _file("local-file", "A memory dump", r"core(?:\.\d+)?", r"[^/]+\.(?:stackdump|dmp|hprof)", binary=True),
    _file("local-file", "A crash log", r"hs_err_pid\d+\.log", r"(?:npm|yarn|pnpm)-(?:debug|error)\.log(?:\.\d+)?"),
    _file("local-file", "Python byte code", r"[^/]+\.py[co]"),
    _file(
        "local-file",
        "An editor's own state",
        r"\.idea/(?:workspace|tasks|usage\.statistics)\.xml",
        r"[^/]+\.(?:suo|csproj\.user)",
    ),
    _file("local-file", "A database", r"[^/]+\.(?:sqlite3?|db3)", r"[^/]+\.(?:sqlite3?|db)-(?:journal|wal|shm)"),
    _file("local-file", "A coverage record", r"\.coverage(?:\.[^/]+\.\d+\.[^/]+)?"),
)


def name_rule(file: ChangedFile) -> NameRule | None:
    """Return the rule that a file falls under, or None."""
    return next((r for r in NAMES if (file.binary or not r.binary) and r.pattern.fullmatch(file.path)), None)


def _folders_before(files: Iterable[ChangedFile]) -> set[str]:
    """Return the folders at fault that were there before the change: it touches older files in them."""
    older = [file.path for file in files if file.status is not FileStatus.ADDED]
    found = (rule.folder_of(path) for path in older for rule in NAMES if rule.folder)
    return {folder for folder in found if folder}


def name_findings(files: Sequence[ChangedFile], context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for every file that should not be added; one for a whole folder.

    Args:
        files: The files.
        context: The change.
    """
    known: set[str] | None = None
    for file in files:
        rule = name_rule(file)
        is_added = file.status in (FileStatus.ADDED, FileStatus.COPIED)
        if rule is None or not (is_added or _is_filled(file, rule, context)):
            continue
        known = _folders_before(context.change.files) if known is None else known
        folder = rule.folder_of(file.path)
        if folder is not None and folder in known:
            continue
        known.add(folder or file.path)
        mild = _is_harmless(rule, file, context) or ("tests" in CHECKS[rule.check].lenient and is_sample(file.path))
        yield from findings_of(Hit(rule.check, 0, None, rule.what), file.path, mild=mild)


def _is_filled(file: ChangedFile, rule: NameRule, context: ReviewContext) -> bool:
    """Return whether a file that was there already, and harmless, is not so any more."""
    if rule.harmful is None or file.binary or file.excluded is not None or file.status is FileStatus.DELETED:
        return False
    old, new = (context.text(file, side) for side in (Side.OLD, Side.NEW))
    return bool(old and new and rule.harmful.search(new.text) and not rule.harmful.search(old.text))


def _is_harmless(rule: NameRule, file: ChangedFile, context: ReviewContext) -> bool:
    """Return whether the text of a file is not as bad as its name."""
    if rule.harmful is None or file.binary or file.excluded is not None:
        return False
    source = context.text(file)
    return source is not None and rule.harmful.search(source.text) is None


_CHECK = "sensitive-file"


def files_that_went(context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for every such file that a commit adds or fills, unless base or head have one of that path.

    Raises:
        ToolError: If the commits cannot be read in full.
    """
    added: dict[str, tuple[CommittedLines, NameRule]] = {}
    for part in context.committed_lines():
        rule = _rule(part)
        if rule is not None:
            added.setdefault(part.path, (part, rule))
    if not added:
        return
    there = _paths_with_harm(added.values(), context)
    for path, (part, rule) in added.items():
        if there.isdisjoint((path, part.path_now)):
            for found in findings_of(Hit(_CHECK, 0, None, rule.what), path, mild=is_sample(path)):
                gone = f" That is gone by now; whoever fetches commit {part.commit[:8]} has it all the same."
                yield msgspec.structs.replace(
                    found,
                    description=found.description + gone,
                    suggested_fix=f"Revoke what it holds, {REWRITE}",
                    commit=part.commit,
                )


def _paths_with_harm(added: Iterable[tuple[CommittedLines, NameRule]], context: ReviewContext) -> set[str]:
    """Return the paths, of those that commits add, at which base or head have such a file."""
    # What is not of the change may lie on the disk all the same, ignored: it is no part of the head then.
    changed = {file.path for file in context.change.files if file.status is not FileStatus.DELETED}
    named = {name: rule for part, rule in added for name in (part.path, part.path_now) if _rule_of(name)}
    sides = context.read_paths(named, Side.OLD), context.read_paths(named.keys() & changed, Side.NEW)
    return {path for side in sides for path, data in side.items() if _is_harmful(named[path], data)}


def _rule(part: CommittedLines) -> NameRule | None:
    """Return the rule for files of credentials that a file falls under, by a name that it has in a commit, or None."""
    rule = _rule_of(part.path) or _rule_of(part.path_now)
    return rule if rule and _is_harmful(rule, b"\n".join(lines for _, lines in part.hunks)) else None


def _rule_of(path: str) -> NameRule | None:
    rule = name_rule(ChangedFile(path=path))
    return rule if rule is not None and rule.check == _CHECK else None


def _is_harmful(rule: NameRule, data: bytes) -> bool:
    return rule.harmful is None or rule.harmful.search(data.decode("utf-8", "replace")) is not None
