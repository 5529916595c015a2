"""The console script: it answers what needs no imports, then hands over to :mod:`selfreview.cli.main`.

A hook with nothing to do is answered here, from standard streams and one git call; when in doubt, the whole program
decides.
"""

from __future__ import annotations

import os
import sys

from selfreview import __version__


def main() -> None:
    """Run the program on ``sys.argv`` and exit."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who called us: there is nowhere to write, and the exit code stands
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end
    try:
        _start_again_in_utf8()
        _main(sys.argv[1:])
    except KeyboardInterrupt:  # before the rest of the program was there to say so
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the last resort: Python would exit with 1, which means issues
        _give_up(error)


def _start_again_in_utf8() -> None:
    """Start again where the locale has another encoding: in it Python could give no tool some of git's file names."""
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - itself


def _give_up(error: BaseException) -> None:
    """Print the error in one line, and exit with 3 whatever happens."""
    try:
        from selfreview.text.masking import masking

        text = masking().hide(f"error: internal error: {type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - an exception that cannot be printed
        text = f"error: internal error: {type(error).__name__}"
    try:
        line = " ".join(text.split())[:300].replace("##", "# #")  # CI services read commands there
        sys.stderr.write(line.encode("unicode_escape").decode("ascii") + "\n")
        sys.stderr.flush()
    finally:
        os._exit(3)  # the interpreter's own end could fail once more, and choose another code


def _main(arguments: list[str]) -> None:
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"selfreview {__version__}\n")
        return
    if arguments[:2] == ["hook", "run"] and answer_hook(arguments[2:]):
        return
    from selfreview.cli.main import run

    run(arguments)


def answer_hook(arguments: list[str]) -> bool:
    """Answer ``selfreview hook run`` if there is nothing to review, or if the person said to skip it.

    Args:
        arguments: What follows ``hook run``. Only the forms that the shims and pre-commit use are understood.

    Returns:
        Whether the hook is done, and passed.
    """
    if os.environ.get("SELFREVIEW_SKIP", "") not in ("", "0"):
        _say("skipped, because SELFREVIEW_SKIP is set")
        return True
    if arguments == ["pre-commit"]:
        return _pre_commit()
    if len(arguments) == 3 and arguments[0] == "pre-push" and not any(word.startswith("-") for word in arguments):
        return _pre_push()
    return False


def _pre_commit() -> bool:
    by_pre_commit = "PRE_COMMIT" in os.environ
    if by_pre_commit and "PRE_COMMIT_FROM_REF" in os.environ:
        return False  # a range was named; what is staged is not the question
    if not _nothing_staged():
        return False
    if by_pre_commit:  # which shows this with --verbose only; a plain commit stays silent
        _say("nothing is staged, so nothing was reviewed")
    return True


def _nothing_staged() -> bool:
    """Return whether the index equals HEAD, or is as empty as an unborn HEAD; False when in doubt."""
    if sys.platform == "win32":
        return False
    from selfreview.programs import find_on_path

    options = ["--quiet", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none"]
    program = find_on_path("git", os.environ)
    if program is None:
        return False
    arguments = [
        program,
        "-c",
        "core.fsmonitor=false",
        "-c",
        "safe.bareRepository=explicit",
        "diff",
        "--cached",
        *options,
        "--",
    ]
    environ = {k: v for k, v in os.environ.items() if k not in ("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS")}
    environ["GIT_NO_REPLACE_OBJECTS"] = "1"  # what is committed is the index itself
    try:
        # Importing subprocess takes longer than git does.
        actions = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        process = os.posix_spawn(program, arguments, environ, file_actions=actions)
    except OSError:
        return False
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def _pre_push() -> bool:
    """Return whether git pushes nothing, or only deletes; else standard input can be read again."""
    import io

    if sys.stdin is None:
        return False
    try:
        refs = sys.stdin.buffer.read()
    except OSError:
        return False
    if not refs:
        _say("git names nothing to push, so nothing was reviewed")
    if all(_deletes(line) for line in refs.splitlines()):
        return True
    sys.stdin = io.TextIOWrapper(io.BytesIO(refs))
    return False


def _deletes(line: bytes) -> bool:
    """Return whether a line ``LOCAL-REF LOCAL-OID REMOTE-REF REMOTE-OID`` deletes a ref; LOCAL-REF may hold spaces."""
    parts = line.rsplit(b" ", 3)
    return len(parts) == 4 and len(parts[1]) >= 40 and not parts[1].strip(b"0")


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"selfreview: {text}\n")
