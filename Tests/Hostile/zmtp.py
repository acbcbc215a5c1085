"""ZMTP by hand over plain TCP: whatever a hostile peer may send, and no socket of libzmq would."""

from __future__ import annotations

import select
import socket
import struct
import time
from typing import Callable, Dict, List, NamedTuple, Optional

MORE, LONG, COMMAND = 1, 2, 4
"""The bits of a frame's first byte."""
GREETING_BYTES = 64
PATIENCE = 5.0


class Cut(Exception):
    """The other side has ended the connection."""


class Frame(NamedTuple):
    """What comes after the greeting."""

    flags: int
    body: bytes


def greeting(mechanism: bytes = b"CURVE", version: bytes = b"\x03\x00") -> bytes:
    """The first 64 bytes."""
    return b"\xff" + bytes(8) + b"\x7f" + version + mechanism.ljust(20, b"\0") + bytes(32)


def head(flags: int, size: int) -> bytes:
    """What announces a frame of that length, which need not follow."""
    if size > 255 or flags & LONG:
        return struct.pack(">BQ", flags | LONG, size)
    return struct.pack("BB", flags, size)


def frame(body: bytes, flags: int = 0) -> bytes:
    """A whole frame."""
    return head(flags, len(body)) + body


def named(name: bytes, body: bytes = b"") -> bytes:
    """The inside of a command."""
    return bytes([len(name)]) + name + body


def command(name: bytes, body: bytes = b"") -> bytes:
    """A whole command."""
    return frame(named(name, body), COMMAND)


def properties(of: Dict[bytes, bytes]) -> bytes:
    """What a peer says of itself."""
    return b"".join(bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
                    for name, value in of.items())


class Wire:
    """A TCP connection. Every wait has an end."""

    def __init__(self, host: str, port: int, closed: Optional[Callable[[], None]] = None) -> None:
        self._closed = closed
        self._held = b""
        self.socket = socket.create_connection((host, port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, what: bytes) -> None:
        """Sends all of it; `Cut` if the other side has gone."""
        try:
            self.socket.sendall(what)
        except (ConnectionError, BrokenPipeError, socket.timeout) as error:
            raise Cut(str(error)) from error

    def send_until_cut(self, what: Callable[[], bytes], seconds: float, most: int) -> int:
        """Sends on and on, until it is cut, time is over or so much is sent; how much was."""
        end, sent = time.monotonic() + seconds, 0
        self.socket.settimeout(0.05)
        rest = b""
        try:
            while sent < most and time.monotonic() < end:
                rest = rest or what()
                try:
                    count = self.socket.send(rest)
                except socket.timeout:
                    continue
                sent, rest = sent + count, rest[count:]
        except OSError:
            pass
        return sent

    def read(self, count: int, seconds: float = PATIENCE) -> bytes:
        """So many bytes."""
        end = time.monotonic() + seconds
        while len(self._held) < count:
            left = end - time.monotonic()
            if left < 0 or not self._is_readable(left):
                raise TimeoutError(f"{len(self._held)} of {count} bytes within {seconds} s")
            try:
                piece = self.socket.recv(max(65_536, count - len(self._held)))
            except OSError as error:
                raise Cut(str(error)) from error
            if not piece:
                raise Cut("the other side has ended it")
            self._held += piece
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def read_frame(self, seconds: float = PATIENCE) -> Frame:
        """The next frame."""
        flags = self.read(1, seconds)[0]
        size = int.from_bytes(self.read(8 if flags & LONG else 1, seconds), "big")
        return Frame(flags, self.read(size, seconds))

    def is_cut(self, seconds: float = 0.0) -> bool:
        """Whether the other side ends it within that time. What it says meanwhile is lost."""
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            if not self._is_readable(left):
                return False
            try:
                if not self.socket.recv(65_536):
                    return True
            except OSError:
                return True

    def _is_readable(self, seconds: float) -> bool:
        poller = select.poll()
        poller.register(self.socket, select.POLLIN)
        return bool(poller.poll(1_000 * seconds))

    def close(self) -> None:
        """Ends it with a reset, so that no port is left behind."""
        if self._closed is not None:
            self._closed()
            self._closed = None
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.socket.close()


def cut_times(wires: List[Wire], seconds: float) -> List[Optional[float]]:
    """When each of many was ended by the other side, from now; `None`: not within that time."""
    began = time.monotonic()
    times: List[Optional[float]] = [None] * len(wires)
    poller = select.poll()
    index = {each.socket.fileno(): place for place, each in enumerate(wires)}
    for number in index:
        poller.register(number, select.POLLIN | select.POLLHUP | select.POLLERR)
    while index and time.monotonic() - began < seconds:
        for number, _ in poller.poll(50):
            wire = wires[index[number]]
            try:
                piece = wire.socket.recv(65_536)
            except OSError:
                piece = b""
            if not piece:
                times[index.pop(number)] = time.monotonic() - began
                poller.unregister(number)
    return times
