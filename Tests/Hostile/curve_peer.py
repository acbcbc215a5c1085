"""A CURVE client by hand (RFC 26 over ZMTP 3.0): it says of itself what it likes, and sends half
messages."""

from __future__ import annotations

import struct
from typing import Dict, Optional

import zmtp
from key_pair import KeyPair
from sodium import Box, Pair, random
from zmtp import MORE, PATIENCE, Cut, Wire


class Refused(Exception):
    """It was not let in."""


class CurvePeer:
    """One connection, let in or not, over a wire that the caller has made."""

    def __init__(self, wire: Wire, server: bytes, keys: KeyPair) -> None:
        self.wire, self.server, self.keys = wire, server, keys
        self.short = Pair()
        self._number = 0
        self._box: Optional[Box] = None

    def enter(self, kind: bytes, more: Optional[Dict[bytes, bytes]] = None) -> "CurvePeer":
        """The whole handshake, as a socket of that kind. `Refused` if it comes to nothing."""
        try:
            self.say_hello()
            self.initiate(self.hear_welcome(), {b"Socket-Type": kind, **(more or {})})
            self._hear_ready()
        except (Cut, TimeoutError, ValueError) as error:
            raise Refused(str(error)) from error
        return self

    def say_hello(self) -> None:
        """Greeting and HELLO."""
        hello = Box(self.server, self.short.secret).close(
            bytes(64), b"CurveZMQHELLO---" + self._nonce())
        self.wire.send(zmtp.greeting() + zmtp.command(
            b"HELLO", b"\1\0" + bytes(72) + self.short.public + self._last + hello))

    def hear_welcome(self) -> bytes:
        """The cookie."""
        self.wire.read(zmtp.GREETING_BYTES)
        body = self._expect(b"WELCOME")
        inside = Box(self.server, self.short.secret).open(body[16:], b"WELCOME-" + body[:16])
        self._box = Box(inside[:32], self.short.secret)
        self._theirs = inside[:32]
        return inside[32:]

    def initiate(self, cookie: bytes, of: Dict[bytes, bytes]) -> None:
        """Says who it is, and proves it."""
        assert self._box is not None
        nonce = random(16)
        vouch = Box(self._theirs, self.keys.secret).close(
            self.short.public + self.server, b"VOUCH---" + nonce)
        inside = self.keys.public + nonce + vouch + zmtp.properties(of)
        box = self._box.close(inside, b"CurveZMQINITIATE" + self._nonce())
        self.wire.send(zmtp.command(b"INITIATE", cookie + self._last + box))

    def _hear_ready(self) -> None:
        assert self._box is not None
        body = self._expect(b"READY")
        self._box.open(body[8:], b"CurveZMQREADY---" + body[:8])

    def _expect(self, name: bytes) -> bytes:
        came = self.wire.read_frame().body
        if not came.startswith(zmtp.named(name)):
            raise Refused(f"{came[:40]!r} instead of {name.decode()}")
        return came[len(name) + 1:]

    def _nonce(self) -> bytes:
        self._number += 1
        self._last = struct.pack(">Q", self._number)
        return self._last

    def packed(self, body: bytes, flags: int = 0) -> bytes:
        """A frame as it goes over the wire; with `MORE` it is not the last of its message."""
        assert self._box is not None
        box = self._box.close(bytes([flags]) + body, b"CurveZMQMESSAGEC" + self._nonce())
        return zmtp.frame(zmtp.named(b"MESSAGE", self._last + box))

    def send(self, body: bytes, more: bool = False) -> None:
        """Sends a frame."""
        self.wire.send(self.packed(body, MORE if more else 0))

    def receive(self, seconds: float = PATIENCE) -> bytes:
        """The next frame."""
        assert self._box is not None
        came = self.wire.read_frame(seconds).body
        if not came.startswith(b"\x07MESSAGE"):
            raise Refused(f"{came[:40]!r} instead of MESSAGE")
        return self._box.open(came[16:], b"CurveZMQMESSAGES" + came[8:16])[1:]

    def close(self) -> None:
        """Ends it."""
        self.wire.close()
