"""HTTP by hand: whatever bytes are wanted go out, and each answer is taken apart."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from typing import Dict, List, NamedTuple, Optional

PATIENCE = 10.0
BODILESS = (204, 304)


class Ended(Exception):
    """The other side has ended the connection."""


class Answer(NamedTuple):
    """One answer."""

    status: int
    fields: Dict[str, str]
    body: bytes

    @property
    def says_close(self) -> bool:
        """Whether no other comes on its connection."""
        return "close" in self.fields.get("connection", "").lower()


def tls_context(*protocols: str) -> ssl.SSLContext:
    """One that trusts anybody and offers these."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


class Wire:
    """A connection of which every byte is ours."""

    def __init__(self, port: int, context: Optional[ssl.SSLContext] = None,
                 patience: float = PATIENCE) -> None:
        self.held = b""
        raw = socket.create_connection(("127.0.0.1", port), patience)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket = raw if context is None else context.wrap_socket(
                raw, server_hostname="localhost")
        except BaseException:
            raw.close()
            raise

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """With a reset, so that no port is left behind."""
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.socket.close()

    def say(self, what: bytes) -> None:
        """Sends all of it."""
        self.socket.sendall(what)

    def _more(self) -> None:
        try:
            piece = self.socket.recv(65_536)
        except ConnectionError as error:
            raise Ended(str(error)) from error
        if not piece:
            raise Ended("the other side has ended it")
        self.held += piece

    def until(self, mark: bytes) -> bytes:
        """What comes up to a mark, and the mark."""
        while mark not in self.held:
            self._more()
        end = self.held.index(mark) + len(mark)
        taken, self.held = self.held[:end], self.held[end:]
        return taken

    def bytes(self, count: int) -> bytes:
        """So many."""
        while len(self.held) < count:
            self._more()
        taken, self.held = self.held[:count], self.held[count:]
        return taken

    def rest(self) -> bytes:
        """All up to the end of the connection."""
        try:
            while True:
                self._more()
        except Ended:
            taken, self.held = self.held, b""
            return taken

    def answer(self, to: str = "GET") -> Answer:
        """The next answer, with its body; those of the kind 100 are passed over."""
        status, fields = self.head()
        while status == 100:
            status, fields = self.head()
        body = b""
        if to == "HEAD" or status in BODILESS:
            pass
        elif "chunked" in fields.get("transfer-encoding", ""):
            while size := int(self.until(b"\r\n"), 16):
                body += self.bytes(size)
                assert self.bytes(2) == b"\r\n"
            assert self.until(b"\r\n") == b"\r\n"
        else:
            body = self.bytes(int(fields["content-length"]))
        return Answer(status, fields, body)

    def head(self) -> "tuple[int, Dict[str, str]]":
        """Status and fields."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        assert lines[0].startswith("HTTP/1.1 "), lines[0]
        fields: Dict[str, str] = {}
        for line in lines[1:-2]:
            name, _, value = line.partition(":")
            name = name.lower()
            fields[name] = f"{fields[name]}, {value.strip()}" if name in fields else value.strip()
        return int(lines[0].split()[1]), fields

    def is_ended(self, within: float = PATIENCE) -> bool:
        """Whether the other side ends it in time, and says nothing more before."""
        self.socket.settimeout(within)
        try:
            return not self.held and not self.socket.recv(1)
        except ConnectionError:
            return True
        except TimeoutError:
            return False


def request(method: str, target: str, *fields: str, body: bytes = b"",
            host: str = "localhost") -> bytes:
    """A request; a body has its length announced."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def answers(port: int, what: bytes, methods: List[str], patience: float = 3.0) -> List[Answer]:
    """All answers that come to something until the end, or until nothing comes any more."""
    found: List[Answer] = []
    end = time.monotonic() + patience
    with Wire(port, patience=patience) as wire:
        try:
            wire.say(what)
        except ConnectionError:
            pass
        wire.socket.settimeout(0.7)
        try:
            while time.monotonic() < end:
                found.append(wire.answer(methods[min(len(found), len(methods) - 1)]))
        except (Ended, TimeoutError):
            pass
    return found
