"""A stream of ZeroMQ seen as messages, so that single ones can be lost on their way."""

from __future__ import annotations

import random
from typing import List

GREETING = 64
"""Bytes that each side sends before its first frame (ZMTP 3)."""
MORE, LONG, COMMAND = 1, 2, 4
"""The bits of a frame's first byte."""


class Messages:
    """One direction of one connection. Commands are never lost: they hold the connection up."""

    def __init__(self) -> None:
        self.carried = 0
        self.lost = 0
        self._left = GREETING
        self._is_losing = False
        self._is_within = False
        self._rest = b""

    def feed(self, piece: bytes, share: float) -> bytes:
        """What is left of a piece when that share of the messages is lost."""
        data, self._rest = self._rest + piece, b""
        kept: List[bytes] = []
        at = 0
        while at < len(data):
            if self._left == 0 and not self._begin_frame(data, at, share):
                self._rest = data[at:]
                break
            end = min(len(data), at + self._left)
            if not self._is_losing:
                kept.append(data[at:end])
            self._left -= end - at
            at = end
        return b"".join(kept)

    def _begin_frame(self, data: bytes, at: int, share: float) -> bool:
        """Looks at a frame's head; whether it is there as a whole."""
        flags = data[at]
        head = 9 if flags & LONG else 2
        if len(data) - at < head:
            return False
        self._left = head + int.from_bytes(data[at + 1:at + head], "big")
        if flags & COMMAND:
            self._is_losing = False
            return True
        if not self._is_within:
            self._is_losing = random.random() < share
            self.lost += self._is_losing
            self.carried += not self._is_losing
        self._is_within = bool(flags & MORE)
        return True
