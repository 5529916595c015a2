"""Files that should not be committed, by name."""

from __future__ import annotations

import re
from typing import NamedTuple

from selfreview.api import ChangedFile


class NameRule(NamedTuple):
    """One kind of file.

    Attributes:
        check: Id in the table of checks.
        what: What it is, with its article.
        pattern: Matches the whole path.
        folder: Matches the path up to the folder that is at fault as a whole; then one finding stands for all of it.
        binary: Whether only a binary file is meant.
    """

    check: str
    what: str
    pattern: re.Pattern[str]
    folder: re.Pattern[str] | None = None
    binary: bool = False


def _file(check: str, what: str, *names: str, binary: bool = False) -> NameRule:
    pattern = re.compile(rf"(?:.*/)?(?:{'|'.join(names)})", re.IGNORECASE)
    return NameRule(check, what, pattern, binary=binary)


def _folder(check: str, what: str, *names: str) -> NameRule:
    folder = rf"(?:.*?/)??(?:{'|'.join(names)})/"
    return NameRule(check, what, re.compile(folder + ".+"), re.compile(folder))


_TEMPLATE = r"(?:[^/]*[._-])?(?:example|sample|template|dist|tpl|tmpl|defaults?|schema|test|testing|ci|j2|md)"

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
    _file("sensitive-file", "An environment file", rf"\.env(?:\.(?!{_TEMPLATE}$)[^/]+)?"),
    _file("sensitive-file", "An SSH private key", r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"),
    _file("sensitive-file", "A store of private keys", r"[^/]+\.(?:p12|pfx|jks|keystore|ppk|kdbx|agekey)"),
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
