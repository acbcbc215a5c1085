"""Frames that a well-behaved client does not send, written by hand."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import struct

import websockets
from hearing import PATIENCE, closed, hear
from world import World


class _Raw:
    """A WebSocket of which every byte is ours."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, world: World, query: str = "") -> "_Raw":
        reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /v1/stream{query} HTTP/1.1\r\nHost: 127.0.0.1:{world.port}\r\n"
            f"Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        assert head.startswith(b"HTTP/1.1 101 "), head
        assert b"transfer-encoding" not in head.lower() and b"content-length" not in head.lower()
        return cls(reader, writer)

    def frame(self, opcode: int, data: bytes, mask: bool = True, fin: bool = True) -> bytes:
        first = bytes([(0x80 if fin else 0) | opcode])
        bit = 0x80 if mask else 0
        if len(data) < 126:
            length = bytes([bit | len(data)])
        elif len(data) < 1 << 16:
            length = bytes([bit | 126]) + struct.pack(">H", len(data))
        else:
            length = bytes([bit | 127]) + struct.pack(">Q", len(data))
        if not mask:
            return first + length + data
        key = os.urandom(4)
        return first + length + key + bytes(b ^ key[i % 4] for i, b in enumerate(data))

    async def close_code(self) -> int:
        """The code of the close frame that comes, and that the connection ends after it."""
        while True:
            head = await asyncio.wait_for(self.reader.readexactly(2), PATIENCE)
            length = head[1] & 127
            if length == 126:
                length = struct.unpack(">H", await self.reader.readexactly(2))[0]
            data = await self.reader.readexactly(length)
            if head[0] & 15 == 8:
                rest = await asyncio.wait_for(self.reader.read(), PATIENCE)
                assert rest == b"", rest
                return struct.unpack(">H", data[:2])[0]

    async def end(self) -> None:
        self.writer.close()


async def garbage_is_closed_with_a_code(program: str) -> None:
    with World(program) as world:
        text = json.dumps({"everything": True}).encode()
        cases = [
            ("binary", lambda raw: raw.frame(2, b"\x00\xff\x00"), 1003),
            ("no UTF-8", lambda raw: raw.frame(1, b"\xff\xfe"), 1007),
            ("unmasked", lambda raw: raw.frame(1, text, mask=False), 1002),
            ("too long", lambda raw: raw.frame(1, b"x" * 70_000), 1009),
            ("too long, in parts", lambda raw: raw.frame(1, b"x" * 60_000, fin=False)
             + raw.frame(0, b"x" * 60_000), 1009),
            ("a long ping", lambda raw: raw.frame(9, b"x" * 126), 1002),
            ("a part of a ping", lambda raw: raw.frame(9, b"x", fin=False), 1002),
            ("the end of nothing", lambda raw: raw.frame(0, b"x"), 1002),
            ("an unknown frame", lambda raw: raw.frame(3, b"x"), 1002),
            ("an extension", lambda raw: bytes([0xC1]) + raw.frame(1, text)[1:], 1002),
            ("no JSON", lambda raw: raw.frame(1, b"hello"), 4000),
            ("an empty message", lambda raw: raw.frame(1, b""), 4000),
            ("nothing asked for", lambda raw: raw.frame(1, b"{}"), 4000),
            ("an unknown member", lambda raw: raw.frame(1, b'{"key":"a"}'), 4000),
            ("too much", lambda raw: raw.frame(
                1, json.dumps({"keys": [str(n) for n in range(65)]}).encode()), 4000),
            ("two messages", lambda raw: raw.frame(1, text) * 1 + raw.frame(1, text), 4000),
            ("a wrong code", lambda raw: raw.frame(8, struct.pack(">H", 999)), 1002),
            ("goodbye", lambda raw: raw.frame(8, struct.pack(">H", 1001)), 1001),
        ]
        for name, make, code in cases:
            raw = await _Raw.open(world)
            raw.writer.write(make(raw))
            found = await raw.close_code()
            assert found == code, (name, found)
            await raw.end()
        await _still_serves(world)


async def a_message_may_come_in_parts_and_byte_by_byte(program: str) -> None:
    with World(program) as world:
        raw = await _Raw.open(world)
        parts = raw.frame(1, b'{"every', fin=False) + raw.frame(9, b"ping") + raw.frame(
            0, b'thing":true}')
        for byte in parts:
            raw.writer.write(bytes([byte]))
            await raw.writer.drain()
        pong = await asyncio.wait_for(raw.reader.readexactly(6), PATIENCE)
        assert pong == b"\x8a\x04ping", pong
        head = await asyncio.wait_for(raw.reader.readexactly(2), PATIENCE)
        assert head[0] == 0x81, head
        await raw.end()


async def random_bytes_end_a_connection_and_nothing_else(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream("?everything")) as neighbour:
            await hear(neighbour)
            for _ in range(100):
                raw = await _Raw.open(world)
                raw.writer.write(os.urandom(4_096))
                raw.writer.write_eof()
                await asyncio.wait_for(raw.reader.read(), PATIENCE)
                await raw.end()
            position = world.invalidate(keys=["a"])
            assert (await hear(neighbour))["position"] == position


async def who_says_nothing_is_told_to(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream()) as socket:
            messages, code, _ = await closed(socket)
            assert code == 4000, (messages, code)


async def _still_serves(world: World) -> None:
    async with websockets.connect(world.stream("?everything")) as socket:
        assert (await hear(socket))["type"] == "hello"
        position = world.invalidate(keys=["a"])
        assert (await hear(socket))["position"] == position
