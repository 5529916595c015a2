"""Confinement of an agent: the files that it may read and write, where the system can enforce that."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview import confine
from selfreview.api import Agent, AgentTask, ConfigView
from selfreview.api.capabilities import of_agent
from selfreview.errors import GitError
from selfreview.git.repo import Repo, discover

_AGENTS = (
    r"agents?|aider|amazonq|amp|augment|claude|clinerules|cline|codex|continue|copilot|crush|cursor|devin|factory|gemini|goose"
    r"|iflow|junie|kilocode|kiro|opencode|openhands|qoder|qwen|roo|trae|warp|windsurf|zencoder"
)
_SETTINGS = re.compile(
    rf"\.({_AGENTS})(rules|modes|hints|ignore|rc)?([-._].*)?|\.rules|\.aiexclude|\.?mcp\.json|(opencode|crush)\.jsonc?|\.env",
    re.IGNORECASE | re.DOTALL,
)
"""Files and folders of agents, by their name."""
_IN_HIDDEN = re.compile(
    r"(skills?|commands?|agents?|prompts?|rules|instructions|chatmodes|modes|hooks|steering|memory|memories)(-.*)?"
    r"|mcp[^/]*\.json",
    re.IGNORECASE | re.DOTALL,
)
"""Names that mark any hidden folder as an agent's: new agents use them, and so does GitHub in ``.github``."""
_LAUNCH = re.compile(
    r"bunfig\.toml|\.bin|\.tool-versions|\.prototools|\.?mise(\.[^/]+)?\.toml|\.(node|python)-version|\.nvmrc",
    re.IGNORECASE | re.DOTALL,
)
"""Files that decide, in the folder that a program starts in, which code it runs: Bun loads code that its settings
name, and managers of versions choose Node, or take the program from ``node_modules/.bin``."""
_INSTRUCTIONS = re.compile(
    r"(agents?|claude|gemini|qwen|crush|copilot-instructions)(\.(override|local))?\.md|skill\.md"
    r"|.+\.(instructions|prompt|chatmode|agent)\.md",
    re.IGNORECASE | re.DOTALL,
)
_PRIVATE = re.compile(
    r"\.env(\..+)?|\.envrc|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(rsa|dsa|ecdsa|ed25519)"
    r"|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r".*\.(example|sample|template|dist)", re.IGNORECASE)


def keeps_secrets(path: str) -> bool:
    """Return whether a file usually keeps secrets, by its name."""
    name = path.rpartition("/")[2]
    return _PRIVATE.fullmatch(name) is not None and not _HARMLESS.fullmatch(name)


def instructs(path: str) -> bool:
    """Return whether agents take a file for instructions, by its name."""
    return _INSTRUCTIONS.fullmatch(path.rpartition("/")[2]) is not None


def agent_settings(path: str) -> str | None:
    """Return the part of a path that holds an agent's settings, skills, commands or rules, or None.

    The repository has no say in who reviews it: hooks, servers to start, addresses for keys, orders.
    """
    return _part(path, _SETTINGS)


def withheld(path: str) -> str | None:
    """Return the part of a path that is kept from the folder that an agent starts in, settings or code; or None."""
    return _part(path, _SETTINGS, _LAUNCH)


def _part(path: str, *patterns: re.Pattern[str]) -> str | None:
    parts = path.split("/")
    for depth, part in enumerate(parts, 1):
        in_hidden = depth > 1 and parts[depth - 2].startswith(".") and _IN_HIDDEN.fullmatch(part)
        if in_hidden or any(pattern.fullmatch(part) for pattern in patterns):
            return "/".join(parts[:depth])
    return None


OWN_ROOT = "refining.root"
"""Key of a workspace's configuration: top level of the person's own tree. No person sets it."""

SECRET_PATHS = (
    *(".ssh", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".password-store"),
    *(".aws", ".azure", ".config/gcloud", ".kube", ".docker", ".config/containers", ".terraform.d", ".terraformrc"),
    *(".config/gh", ".config/hub", ".config/glab-cli", ".npmrc", ".yarnrc.yml", ".pypirc", ".config/pip", ".pip"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".gradle", ".pgpass"),
    *(".my.cnf", ".vault-token", ".config/op", ".local/share/keyrings", ".mozilla", ".config/google-chrome"),
    *(".config/chromium", ".config/github-copilot", ".config/selfreview"),
    *(".config/BraveSoftware", ".config/microsoft-edge", ".config/rclone", ".config/sops", ".config/doctl", ".oci"),
    *(".env", ".s3cfg", ".boto", ".databrickscfg", ".authinfo", ".authinfo.gpg", ".composer/auth.json"),
    *(".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".local/share/fish"),
    *(".psql_history", ".mysql_history"),
)
"""Files and folders below the home folder with secrets: no agent reads them, unless its own sign-in is there."""

_SIGN_IN = re.compile(r".*(auth|credential|token|secret).*|\.env", re.IGNORECASE)
"""Names of files with a sign-in, in the folders of agents."""

_BLOCKS_TRUNCATION = 3
"""First version of Landlock that prevents every write: earlier ones let files be cut short."""


class Confinement(NamedTuple):
    """Bounds of an agent.

    Attributes:
        root: Top level of the person's tree, which it may not read; None outside of a repository.
        enforced: Whether Landlock enforces them.
        note: Sentence for the report, or None.
        state: Paths outside of its folder that the program itself writes.
    """

    root: Path | None
    enforced: bool
    note: str | None = None
    state: Sequence[Path] = ()

    @property
    def blocks_writes(self) -> bool:
        """Return whether Landlock prevents every write outside of the bounds."""
        return self.enforced and confine.version() >= _BLOCKS_TRUNCATION


def confinement_of(config: ConfigView, agent: Agent) -> Confinement:
    """Return the bounds that a configuration sets an agent."""
    root: Path | None = config.get(OWN_ROOT, config.root)
    home = home_folder()
    state = [] if home is None else [home / path for path in of_agent(agent).state]
    if not config["agent_confinement"] or of_agent(agent).sandboxes:
        return Confinement(root, enforced=False, state=state)
    if not confine.version():
        note = (
            f"agent-{agent.name} was not confined to its folder: this system has no Landlock; your files were compared "
            "before and after instead"
        )
        return Confinement(root, enforced=False, note=note, state=state)
    return Confinement(root, enforced=True, state=state)


def confined_command(
    argv: Sequence[str], agent: Agent, confinement: Confinement, task: AgentTask, reads: Sequence[str]
) -> tuple[list[str], Mapping[str, str]]:
    """Return a command line that runs an agent confined and ends what it started, and variables that go with it.

    Args:
        argv: The agent's own; its program as a path.
        agent: The agent.
        confinement: Its bounds.
        task: Its task; one that fixes borrows the objects of the person's repository.
        reads: Paths below the home folder that it may read though secrets are there, for its sign-in.
    """
    (task.folder / "tmp").mkdir()
    variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(task.folder / "tmp"))
    wrapper = [sys.executable, "-I", "-S", confine.__file__] if sys.platform == "linux" else []
    if not confinement.enforced:
        return [*wrapper, *(["null"] if wrapper else []), *argv], variables
    home = home_folder()
    for path in confinement.state:
        if not path.suffix and not path.exists():
            with contextlib.suppress(OSError):  # a home folder that cannot be written, or a link to nothing
                path.mkdir(parents=True, mode=0o700)  # nothing can be made beside what it may write
    secret = [name for name in SECRET_PATHS if not any(map(Path(name).is_relative_to, reads))]
    hidden = [] if home is None else [home / name for name in secret]
    if home is not None and "" not in reads:
        hidden += _sign_ins_of_others(home, agent)
    # Copies of trees, secrets set aside and other calls' settings lie in the temporary folder.
    temporary = Path(tempfile.gettempdir()).resolve()
    hidden.append(temporary)
    # A program of the same Python environment, wherever that lies, starts from there.
    readable = [Path(sys.prefix).resolve(), *_brought_along(Path(argv[0]), temporary)]
    if home is not None and home.is_relative_to(temporary):
        readable.append(home)
    repository = None if confinement.root is None else repository_of(confinement.root)
    if repository is not None:
        hidden += [repository.git_dir, repository.common_dir]
        if home is None or not home.is_relative_to(repository.root.resolve()):
            hidden.append(repository.root)
            readable += _brought_along(Path(argv[0]), repository.root)
        readable += [repository.common_dir / "objects"] if task.fixing else []
    rules = {
        "hidden": sorted({str(path) for path in hidden}),
        "read": [str(path) for path in readable],
        "write": [str(path) for path in (task.start, task.folder, *confinement.state)],
    }
    return [*wrapper, json.dumps(rules), *argv], variables


def agent_folders(home: Path) -> list[Path]:
    """Return the folders, and files of JSON, below a home folder and elsewhere in which agents keep what is theirs."""
    hidden = [home / name for name in names_in(home) if name.startswith(".") and agent_settings(name) is not None]
    below = [home / part for part in (".config", ".local/share")]
    below += [Path(os.environ[name]) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME") if os.environ.get(name)]
    inside = [folder / name for folder in below for name in names_in(folder) if agent_settings(f".{name}") is not None]
    moved = [Path(os.environ[name]) for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME") if os.environ.get(name)]
    found = dict.fromkeys((*hidden, *inside, *moved))
    return [path for path in found if path.is_dir() or path.suffix == ".json"]


def _sign_ins_of_others(home: Path, agent: Agent) -> list[Path]:
    """Return the files with the sign-ins of all other agents."""
    own = {agent.name, *(Path(word).stem for word in agent.argv)}
    others = [path for path in agent_folders(home) if path.name.lstrip(".") not in own]
    found = [folder / name for folder in others for name in names_in(folder) if _SIGN_IN.fullmatch(name)]
    return [*found, *(path for path in others if path.is_file())]


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, sorted; none where it cannot be listed."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def make_start_folder(private: str) -> Path:
    """Make a folder to start an agent in, below a private one where its search for settings in parent folders ends.

    Above lies the temporary folder, where on many systems anybody can write: Gemini CLI takes variables, such as the
    server that is given the key, from the first ``.env`` on that way.
    """
    above = Path(private).resolve()
    (above / ".env").touch()
    (above / "tree").mkdir()
    return above / "tree"


def _brought_along(program: Path, root: Path) -> list[Path]:
    """Return the entry of a folder that holds a program, such as ``.venv`` of a tree: it runs from there."""
    try:
        parts = program.resolve().relative_to(root.resolve()).parts
    except ValueError:
        return []
    return [root / parts[0]]


def repository_of(root: Path) -> Repo | None:
    """Return the repository of a tree, or None where there is none."""
    try:
        return discover(root, os.environ)
    except GitError:
        return None


def home_folder() -> Path | None:
    """Return the person's home folder, or None for a user who has none."""
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None
