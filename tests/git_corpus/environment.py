"""Environment variables that change what git prints, which repository it looks at, or what it runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .mixed import PENDING, SINCE_FIRST, STAGED, WHOLE, mixed
from .registry import case, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


def injected(**settings: str) -> dict[str, str]:
    """Configuration through GIT_CONFIG_COUNT; `__` stands for the dot."""
    pairs = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        pairs |= {f"GIT_CONFIG_KEY_{number}": key.replace("__", "."), f"GIT_CONFIG_VALUE_{number}": value}
    return pairs


VARIABLES: dict[str, dict[str, str]] = {
    "diff_opts": {"GIT_DIFF_OPTS": "-u7"},
    "config_count": injected(diff__noprefix="true", diff__renames="false", color__ui="always", core__quotePath="true"),
    "config_parameters": {"GIT_CONFIG_PARAMETERS": "'diff.noprefix'='true' 'diff.renames'='false'"},
    "literal_pathspecs": {"GIT_LITERAL_PATHSPECS": "1"},
    "glob_pathspecs": {"GIT_GLOB_PATHSPECS": "1"},
    "noglob_pathspecs": {"GIT_NOGLOB_PATHSPECS": "1"},
    "icase_pathspecs": {"GIT_ICASE_PATHSPECS": "1"},
    "trace": {"GIT_TRACE": "1", "GIT_TRACE_SETUP": "1", "GIT_TRACE_PERFORMANCE": "2"},
    "of_other_commands": {
        "GIT_FLUSH": "1",
        "GIT_PROGRESS_DELAY": "0",
        "GIT_PREFIX": "src/",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "1",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_REFLOG_ACTION": "review",
    },
    "locale_c": {"LC_ALL": "C", "LANG": "C"},
    "locale_missing": {"LC_ALL": "xx_YY.ISO-8859-1", "LANGUAGE": "de:fr"},
    "latin_1_output": {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0", "LC_ALL": "C"},
    "terminal": {
        "TERM": "xterm-256color",
        "FORCE_COLOR": "1",
        "CLICOLOR_FORCE": "1",
        "COLUMNS": "20",
        "GIT_PAGER_IN_USE": "1",
    },
}


def under(variables: dict[str, str], lab: Lab) -> Iterator[Check]:
    """Commits, index and tree under one set of variables."""
    yield mixed(lab).check(*SINCE_FIRST, files=WHOLE, env=variables)


for situation, values in VARIABLES.items():
    register(f"environment.{situation}", partial(under, values))


@case("posix")
def programs(lab: Lab) -> Iterator[Check]:
    """None of these may run."""
    program, marker = lab.trap()
    names = (
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
        "PAGER",
        "GIT_EDITOR",
        "EDITOR",
        "VISUAL",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND",
    )
    repo, variables = mixed(lab), dict.fromkeys(names, str(program))
    yield repo.check(*SINCE_FIRST, files=WHOLE, env=variables, never=(marker,))
    yield repo.check("--staged", files=STAGED, env=variables, never=(marker,))


@case("posix")
def injected_programs(lab: Lab) -> Iterator[Check]:
    program, marker = lab.trap()
    variables = injected(diff__external=str(program), core__fsmonitor=str(program), core__pager=str(program))
    repo = mixed(lab)
    yield repo.check(*SINCE_FIRST, files=WHOLE, env=variables, never=(marker,))


@case()
def another_index(lab: Lab) -> Iterator[Check]:
    """A person who sets GIT_INDEX_FILE means it."""
    repo = mixed(lab)
    other = {"GIT_INDEX_FILE": str(lab.root / "other-index")}
    repo.git("read-tree", "HEAD", env=other)
    yield repo.check("--staged", files=[], env=other)
    yield repo.check("--staged", files=STAGED)


@case()
def ceiling(lab: Lab) -> Iterator[Check]:
    """GIT_CEILING_DIRECTORIES stops the search for a repository before it is found."""
    repo = mixed(lab)
    yield repo.refuses(sub="src", env={"GIT_CEILING_DIRECTORIES": str(repo.path)})
    yield repo.check(sub="src", files=PENDING, env={"GIT_CEILING_DIRECTORIES": str(lab.root)})


@case()
def empty_home(lab: Lab) -> Iterator[Check]:
    """Build machines run with odd homes, and without any identity."""
    repo = mixed(lab)
    yield repo.check(
        files=PENDING, env={"HOME": str(lab.root / "no-such-home"), "GIT_CONFIG_GLOBAL": str(lab.root / "no")}
    )


@case()
def temporary_folder_inside_the_repository(lab: Lab) -> Iterator[Check]:
    """What the tool writes for itself is not part of the change."""
    repo = mixed(lab)
    repo.at("scratch").mkdir()
    yield repo.check(files=PENDING, env={"TMPDIR": str(repo.at("scratch"))})
