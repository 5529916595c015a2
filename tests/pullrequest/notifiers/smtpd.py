"""A mail server on this machine, with a certificate of its own making, that does as it is told."""

from __future__ import annotations

import base64
import socket
import ssl
import subprocess
import threading
from collections.abc import Mapping
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from types import TracebackType
from typing import Self


def make_certificate(folder: Path) -> Path:
    """Make a key and a certificate for ``localhost`` in one file."""
    file = folder / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    file.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return file


class MailServer:
    """Takes mail.

    Args:
        certificate: For TLS; None: there is none.
        implicit: Whether TLS begins at once.
        login: The user and password that it asks for, or None.
        answers: What it says instead of yes, by the beginning of a command (``RCPT TO:<b@``), ``.`` for the end of a
            mail; ``drop`` hangs up.

    Attributes:
        mails: What it took, each with its sender and receivers.
        commands: Everything that it was told, in order; passwords among them.
    """

    def __init__(
        self,
        *,
        certificate: Path | None = None,
        implicit: bool = False,
        login: tuple[str, str] | None = None,
        answers: Mapping[str, str] | None = None,
    ) -> None:
        self.mails: list[tuple[str, list[str], EmailMessage]] = []
        self.raw: list[bytes] = []
        self.commands: list[str] = []
        self._login, self._answers, self._implicit = login, dict(answers or {}), implicit
        self._context: ssl.SSLContext | None = None
        if certificate is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._ended = False
        self._lines: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended = True
        socket.create_connection(("127.0.0.1", self.port)).close()  # wakes the listener
        self._thread.join(30)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            line, _ = self._listener.accept()
            if self._ended:
                line.close()
                return
            line.settimeout(20)
            self._lines = [line]
            try:
                if self._implicit and self._context is not None:
                    self._lines.append(self._context.wrap_socket(line, server_side=True))
                self._talk(self._lines[-1])
            except (OSError, EOFError):  # the client went away
                pass
            finally:
                for each in self._lines:
                    each.close()

    def _talk(self, line: socket.socket) -> None:
        stream = line.makefile("rwb")
        encrypted, sender, receivers = self._implicit, "", list[str]()

        def say(text: str) -> None:
            stream.write(text.encode() + b"\r\n")
            stream.flush()

        def answer(command: str, text: str) -> bool:
            """Say yes, or what was asked for; whether that was a yes."""
            instead = next(
                (said for start, said in self._answers.items() if command.upper().startswith(start.upper())), text
            )
            if instead == "drop":
                raise EOFError
            say(instead)
            return instead == text

        say("220 localhost ready")
        while data := stream.readline():
            command = data.decode().strip()
            self.commands.append(command)
            word = command.split(" ")[0].upper()
            if word == "EHLO":
                offers = ["localhost"]
                offers += ["STARTTLS"] if self._context is not None and not encrypted else []
                offers += ["AUTH PLAIN"] if self._login is not None else []
                say("\r\n".join(f"250{'-' if n < len(offers) - 1 else ' '}{offer}" for n, offer in enumerate(offers)))
            elif word == "STARTTLS" and self._context is not None:
                if answer(command, "220 go"):
                    stream.close()
                    line = self._context.wrap_socket(line, server_side=True)
                    self._lines.append(line)
                    stream, encrypted = line.makefile("rwb"), True
            elif word == "AUTH":
                given = base64.b64decode(command.split(" ")[2]).decode().split("\0")[1:]
                say("235 welcome" if self._login is not None and given == list(self._login) else f"535 no: {given}")
            elif word == "MAIL":
                if answer(command, "250 ok"):
                    sender = command.partition("<")[2].partition(">")[0]
            elif word == "RCPT":
                if answer(command, "250 ok"):
                    receivers.append(command.partition("<")[2].partition(">")[0])
            elif word == "DATA":
                if answer(command, "354 go"):
                    body = b""
                    while (part := stream.readline()) != b".\r\n":
                        if not part:
                            raise EOFError
                        body += part[1:] if part.startswith(b"..") else part
                    if answer(".", "250 taken"):
                        self.raw.append(body)
                        parsed = message_from_bytes(body, policy=policy.default)
                        assert isinstance(parsed, EmailMessage)
                        self.mails.append((sender, receivers, parsed))
            elif word == "QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")
