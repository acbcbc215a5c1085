"""A subscriber that costs next to nothing: it looks at lengths and a time, and decodes no message.

`websockets` takes some twenty microseconds for a message. Where tens of thousands arrive in a
second that is what would be measured.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import List, Optional

from world import World

_SENT = re.compile(rb'"u:\d+:(\d+)"')
_POSITION = re.compile(rb'"position":"(\d+:\d+)"')
_REQUEST = (
    "GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n")


def _frame(text: bytes) -> bytes:
    """A masked text frame with a mask of zeros."""
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


class LightReader(asyncio.Protocol):
    """Notes how late each record comes, and its position."""

    def __init__(self, ask: dict) -> None:
        self.ask = json.dumps(ask).encode()
        self.told: List[str] = []
        self.late: List[float] = []
        self.hello: asyncio.Future = asyncio.get_running_loop().create_future()
        self.transport: Optional[asyncio.Transport] = None
        self._bytes = b""
        self._is_open = False

    @classmethod
    async def opened(cls, world: World, ask: dict) -> "LightReader":
        loop = asyncio.get_running_loop()
        _, reader = await loop.create_connection(lambda: cls(ask), "127.0.0.1", world.port)
        reader.transport.write(_REQUEST.format(port=world.port).encode())
        await asyncio.wait_for(reader.hello, 60)
        return reader

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, error: Optional[Exception]) -> None:
        if not self.hello.done():
            self.hello.set_exception(error or ConnectionError("closed before its hello"))

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        if not self._is_open:
            head, found, rest = self._bytes.partition(b"\r\n\r\n")
            if not found:
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._bytes, self._is_open = rest, True
            self.transport.write(_frame(self.ask))
        now = time.monotonic_ns()
        place = 0
        while (end := self._end_of_frame(place)) is not None:
            self._take(self._bytes[place:end], now)
            place = end
        self._bytes = self._bytes[place:]

    def _end_of_frame(self, start: int) -> Optional[int]:
        data, left = self._bytes, len(self._bytes) - start
        if left < 2:
            return None
        length, head = data[start + 1], 2
        if length == 126:
            if left < 4:
                return None
            length, head = int.from_bytes(data[start + 2:start + 4], "big"), 4
        assert data[start + 1] < 127, "no message of these tests is so long"
        return start + head + length if left >= head + length else None

    def _take(self, frame: bytes, now: int) -> None:
        assert frame[0] == 0x81, frame[:40]
        if b'"record"' in frame:
            self.told.append(_POSITION.search(frame).group(1).decode())
            self.late.append((now - int(_SENT.search(frame).group(1))) / 1e9)
        elif b'"hello"' in frame:
            self.hello.set_result(None)
