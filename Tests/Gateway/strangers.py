"""One of those who send garbage: a process of its own, from a seed."""

from __future__ import annotations

import json
import os
import random
import re
import select
import socket
import ssl
import struct
import time
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple

import frames
import shapes
from wire import tls_context

GRAVE = 10
"""The niceness of strangers: they share two cores with those they attack."""
SEND_MAX = 8 << 20
SEND_SECONDS = 1.0
HELD_MAX = 120
"""Connections that a stranger leaves open, silent or dripping, at a time."""
FAULTS_TOLD = 20
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


class Door(NamedTuple):
    """A port, and what speaks there: `zmq`, `http`, `https` or `health`."""

    name: str
    kind: str
    port: int


class Stranger:
    """Knocks at one door after another until the time is over."""

    def __init__(self, seed: str, doors: List[Door]) -> None:
        self.dice = random.Random(seed)
        self.doors = doors
        self.kinds = sorted({each.kind for each in doors})
        self.held: List[socket.socket] = []
        self.counts: Counter = Counter()
        """Connections by door and shape, bytes, statuses."""
        self.faults: List[str] = []

    def live(self, until: float, report: Path) -> None:
        """Until then, and then a report."""
        os.nice(GRAVE)
        while time.monotonic() < until:
            kind = self.dice.choice(self.kinds)
            door = self.dice.choice([each for each in self.doors if each.kind == kind])
            try:
                self._knock(door)
            except (OSError, ssl.SSLError):
                self.counts["cut"] += 1
        for each in self.held:
            each.close()
        report.write_text(json.dumps({"counts": dict(self.counts), "faults": self.faults}))

    def _knock(self, door: Door) -> None:
        acts = [self._anything, self._anything, self._left]
        acts += {
            "zmq": [self._zmtp], "health": [self._http],
            "http": [self._http, self._http, self._websocket, self._stream],
            "https": [self._tls, self._frames, self._frames, self._frames],
        }[door.kind]
        act = self.dice.choice(acts)
        self.counts[f"{door.kind} {act.__name__.strip('_')}"] += 1
        act(door)

    # Acts

    def _anything(self, door: Door) -> None:
        with self._dial(door) as wire:
            self._exchange(wire, door, self.dice.choice(shapes.ANYWHERE)(self.dice))

    def _zmtp(self, door: Door) -> None:
        with self._dial(door) as wire:
            self._exchange(wire, door, shapes.zmtp_frames(self.dice))

    def _http(self, door: Door) -> None:
        with self._dial(door) as wire:
            self._exchange(wire, door, self.dice.choice(shapes.HTTP)(self.dice))

    def _websocket(self, door: Door) -> None:
        with self._dial(door) as wire:
            target = self.dice.choice(["/v1/stream", "/v1/stream?everything", "/v1/stream?key=a"])
            made = [self.dice.choice(shapes.FRAMES)(self.dice)
                    for _ in range(self.dice.randrange(1, 4))]
            self._exchange(wire, door, shapes.upgrade(target) + b"".join(made))

    def _stream(self, door: Door) -> None:
        # Subscribed, and not read.
        wire = self._dial(door)
        wire.sendall(b"GET /v1/stream?everything HTTP/1.1\r\n" + shapes.HOST + b"\r\n")
        self._leave(wire)

    def _tls(self, door: Door) -> None:
        with self._dial(door, "http/1.1") as wire:
            self._exchange(wire, door, self.dice.choice(shapes.HTTP)(self.dice))

    def _frames(self, door: Door) -> None:
        flood = self.dice.choice(frames.FLOODS)
        self.counts[f"flood {flood.__name__.strip('_')}"] += 1
        with self._dial(door, "h2") as wire:
            wire.sendall(frames.PREFACE + frames.settings())
            end = time.monotonic() + SEND_SECONDS
            reads = self.dice.random() < 0.7
            wire.settimeout(0.3)
            for piece in flood(self.dice):
                self.counts["bytes"] += len(piece)
                wire.sendall(piece)
                if time.monotonic() > end:
                    break
                if reads:
                    self._drain(wire)
            if self.dice.random() < 0.2:
                time.sleep(0.2)
                self._drain(wire)

    def _left(self, door: Door) -> None:
        # Half open, or a byte now and then.
        beginning = self.dice.choice([
            b"", b"G", b"GET /v1/default/hit HTTP/1.1\r\nHost: loc", b"\x16\x03\x01\x02\x00",
            b"\xff" + bytes(8), frames.PREFACE, shapes.upgrade(),
            b"PUT /v1/default/torn HTTP/1.1\r\n" + shapes.HOST
            + b"Content-Length: 16000000\r\n\r\n"])
        wire = self._dial(door)
        wire.sendall(beginning)
        if self.dice.random() < 0.3:
            wire.shutdown(socket.SHUT_WR)
        self._leave(wire)

    def _leave(self, wire: socket.socket) -> None:
        self.held.append(wire)
        for each in self.dice.sample(self.held, min(len(self.held), 10)):
            try:
                each.send(b"x", socket.MSG_DONTWAIT)
            except OSError:
                pass
        if len(self.held) > HELD_MAX:
            self.held.pop(self.dice.randrange(len(self.held))).close()

    # Connections

    def _dial(self, door: Door, protocol: str = "") -> socket.socket:
        wire = socket.create_connection(("127.0.0.1", door.port), 5.0)
        self.counts["connections"] += 1
        if self.dice.random() < 0.3:
            # Ends with a reset.
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if not protocol:
            return wire
        try:
            return tls_context(protocol).wrap_socket(wire, server_hostname="localhost")
        except BaseException:
            wire.close()
            raise

    def _exchange(self, wire: socket.socket, door: Door, what: bytes) -> None:
        """Sends, and looks at what comes back."""
        end, sent, heard = time.monotonic() + SEND_SECONDS, 0, b""
        wire.settimeout(0.1)
        try:
            while sent < min(len(what), SEND_MAX) and time.monotonic() < end:
                try:
                    piece = what[sent:sent + 65_536]
                    if isinstance(wire, ssl.SSLSocket):
                        wire.sendall(piece)
                        sent += len(piece)
                    else:
                        sent += wire.send(piece)
                except TimeoutError:
                    heard += self._drain(wire)
        except OSError:
            pass
        self.counts["bytes"] += sent
        heard += self._drain(wire, 0.05)
        self._judge(door, what, heard)

    def _drain(self, wire: socket.socket, seconds: float = 0.0) -> bytes:
        heard = b""
        try:
            while len(heard) < 1 << 20 and select.select([wire], [], [], seconds)[0]:
                piece = wire.recv(65_536)
                if not piece:
                    break
                heard += piece
        except (OSError, ValueError):
            pass
        return heard

    def _judge(self, door: Door, what: bytes, heard: bytes) -> None:
        """Counts statuses of the gateway's answers."""
        if door.kind == "zmq":
            return
        for status in STATUS.findall(heard):
            self.counts[f"{door.kind} status {status.decode()}"] += 1
        if b"HTTP/1.1 500" in heard and len(self.faults) < FAULTS_TOLD:
            self.faults.append(f"{door.name}: {what[:300]!r} came to {heard[:600]!r}")


def statuses(counts: Dict[str, int], kind: str) -> Dict[int, int]:
    """How often each status was answered at doors of a kind."""
    mark = f"{kind} status "
    return {int(name.removeprefix(mark)): count for name, count in sorted(counts.items())
            if name.startswith(mark)}
