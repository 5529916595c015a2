"""Make ``docs/images/run.svg``: what a terminal shows when ``selfreview run --apply`` reviews the tutorial's change.

python -m scripts.terminal_picture
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "run.svg"
TITLE = "selfreview run --apply"
_FILES = re.compile(r'^```python title="([\w.]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_SGR = re.compile(r"\x1b\[([0-9;]*)m")
_COLOURS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea"}
_LINE, _CHAR, _MARGIN, _COLUMNS = 19, 8.4, 16, 80
_LEFT_OUT = ("GIT_", "SELFREVIEW_", "ANTHROPIC_", "NO_COLOR")
_WHO = {"NAME": "Shop", "EMAIL": "shop@localhost", "DATE": "2026-01-01T00:00:00Z"}


def files() -> list[tuple[str, str]]:
    """Return the files that the tutorial has its reader write, in its order."""
    return _FILES.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))


def make_repository(folder: Path) -> dict[str, str]:
    """Make the tutorial's repository with its first change; return the environment for it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    env = kept | {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in _WHO.items()}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "COLUMNS": str(_COLUMNS)}
    env |= {"SELFREVIEW_CONFIG_DIR": str(folder / ".git"), "SELFREVIEW_DATA_DIR": str(folder / ".git" / "data")}
    (rates, first), (postage, second) = files()[:2]
    folder.mkdir(parents=True)
    _git(folder, env, "init", "--quiet", "--initial-branch=main")
    (folder / rates).write_text(first, encoding="utf-8", newline="\n")
    _git(folder, env, "add", rates)
    _git(folder, env, "commit", "--quiet", "--message=Add rates")
    _git(folder, env, "switch", "--quiet", "--create", "postage")
    (folder / postage).write_text(second, encoding="utf-8", newline="\n")
    return env


def shown(folder: Path) -> str:
    """Return what the program prints there, with its colours."""
    env = make_repository(folder)
    argv = [sys.executable, "-m", "selfreview", *TITLE.split()[1:], "--color", "always"]
    done = subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.PIPE, check=False)
    return done.stdout.decode("utf-8")


def svg(text: str) -> str:
    """Return a terminal's picture that shows a text with ANSI colours."""
    lines = [f"\x1b[1m$ {TITLE}\x1b[0m", *text.rstrip("\n").split("\n")]
    width, height = 2 * _MARGIN + _CHAR * _COLUMNS, 2 * _MARGIN + _LINE * len(lines)
    rows = [
        f'<text x="{_MARGIN}" y="{_MARGIN + _LINE * number + 14}" xml:space="preserve">{"".join(_spans(line))}</text>'
        for number, line in enumerate(lines)
    ]
    font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" role="img">\n'
        f"<title>{TITLE}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
        f'<g font-family="{font}" font-size="14" fill="#e6edf3">\n'
    )
    return head + "\n".join(rows) + "\n</g>\n</svg>\n"


def _spans(line: str) -> Iterator[str]:
    """Yield a line's text, in spans where it is styled; each style ends before the next begins."""
    style = ""
    for index, part in enumerate(_SGR.split(line)):
        if index % 2:
            style = _style([int(code) for code in part.split(";") if code])
        elif part:
            # A length of its own keeps columns in line whatever the font.
            yield f'<tspan textLength="{_CHAR * len(part):g}"{style}>{escape(part, quote=False)}</tspan>'


def _style(codes: list[int]) -> str:
    known = {0: "", 1: ' font-weight="bold"', 2: ' opacity="0.65"', **{k: f' fill="{v}"' for k, v in _COLOURS.items()}}
    return "".join(known[code] for code in codes)


def _git(folder: Path, env: dict[str, str], *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True)


def main() -> int:
    """Write the picture; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        PICTURE.write_text(svg(shown(Path(folder) / "shop")), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{PICTURE}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
