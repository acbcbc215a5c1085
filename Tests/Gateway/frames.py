"""HTTP/2 by hand: frames that a client does not send, or not so many of."""

from __future__ import annotations

import random
import struct
import time
from typing import Callable, Iterator, List

import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED, HAS_PRIORITY = 1, 4, 8, 32
ACK = 1


def frame(kind: int, flags: int, stream: int, data: bytes = b"", size: int = -1) -> bytes:
    """One frame; its size may be a lie."""
    size = len(data) if size < 0 else size
    return struct.pack(">I", size)[1:] + struct.pack(">BBI", kind, flags, stream) + data


def settings(*pairs: "tuple[int, int]") -> bytes:
    """A frame of settings."""
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *each) for each in pairs))


def block(method: str = "GET", path: str = "/v1/default/hit", *more: "tuple[str, str]") -> bytes:
    """A head, compressed without what was said before."""
    encoder = hpack.Encoder()
    encoder.header_table_size = 0
    return encoder.encode([(":method", method), (":scheme", "https"), (":authority", "localhost"),
                           (":path", path), *more])


def get(stream: int, path: str = "/v1/default/hit") -> bytes:
    """A request on a stream."""
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, block(path=path))


def _by_chance(dice: random.Random) -> Iterator[bytes]:
    for _ in range(200):
        size = dice.choice([0, 1, 4, 5, 6, 8, 9, 40, 300])
        yield frame(dice.randrange(12), dice.randrange(256), dice.choice([0, 1, 2, 3, 1 << 31, 7]),
                    dice.randbytes(size), dice.choice([-1, -1, -1, size + 1, 16_385, 0xFFFFFF]))


def _mangled(dice: random.Random) -> Iterator[bytes]:
    whole = bytearray(b"".join(get(number) for number in range(1, 41, 2)))
    for _ in range(dice.randrange(1, 20)):
        whole[dice.randrange(len(whole))] = dice.randrange(256)
    yield bytes(whole)


def _rapid_reset(dice: random.Random) -> Iterator[bytes]:
    head = block()
    for first in range(1, 20_001, 200):
        yield b"".join(
            frame(HEADERS, END_HEADERS | END_STREAM, stream, head)
            + frame(RESET, 0, stream, struct.pack(">I", 8))
            for stream in range(first, first + 200, 2))


def _reset_of_long_values(dice: random.Random) -> Iterator[bytes]:
    head = block(path="/v1/default/large")
    for first in range(1, 4_001, 100):
        yield b"".join(
            frame(HEADERS, END_HEADERS | END_STREAM, stream, head)
            + frame(RESET, 0, stream, struct.pack(">I", 8))
            for stream in range(first, first + 100, 2))
        time.sleep(0.02)


def _made_to_reset(dice: random.Random) -> Iterator[bytes]:
    # Faults on a stream, so that the other side resets it.
    head = block("POST", "/v1/invalidate")
    for stream in range(1, 4_001, 2):
        yield frame(HEADERS, END_HEADERS, stream, head) + dice.choice([
            frame(WINDOW, 0, stream, struct.pack(">I", 0)), frame(PRIORITY, 0, stream, bytes(4)),
            frame(WINDOW, 0, stream, struct.pack(">I", (1 << 31) - 1)),
            frame(DATA, END_STREAM, stream, b"x") * 2])


def _endless_head(dice: random.Random) -> Iterator[bytes]:
    yield frame(HEADERS, END_STREAM, 1, block())
    piece = dice.choice([b"", b"\x00\x01a\x01b" * 2_000, b"\x82" * 16_000])
    for _ in range(2_000 if not piece else 400):
        yield frame(CONTINUATION, 0, 1, piece) * (100 if not piece else 1)


def _bomb(dice: random.Random) -> Iterator[bytes]:
    # A field of 4 000 bytes goes into the table, and is then named by a byte each.
    large = b"\x40\x01x" + b"\x7f" + bytes([0x80 | (3_900 - 127) % 128, (3_900 - 127) // 128])
    first = block() + large + b"a" * 3_900
    for stream in range(1, 101, 2):
        yield frame(HEADERS, END_HEADERS | END_STREAM, stream,
                    (first if stream == 1 else block()) + b"\xbe" * 12_000)


def _settings_flood(dice: random.Random) -> Iterator[bytes]:
    for _ in range(300):
        yield settings(*[(dice.choice([1, 2, 3, 4, 5, 6, 99]), dice.choice(
            [0, 1, 65_535, 16_384, (1 << 31) - 1, 1 << 31]))]) * dice.choice([1, 100])


def _good_settings_flood(dice: random.Random) -> Iterator[bytes]:
    for _ in range(300):
        yield settings((3, dice.randrange(1, 200)), (1, dice.choice([0, 4_096]))) * 100


def _pings(dice: random.Random) -> Iterator[bytes]:
    for _ in range(1_000):
        yield frame(PING, 0, 0, bytes(8)) * 100


def _window_games(dice: random.Random) -> Iterator[bytes]:
    yield settings((4, dice.choice([0, 1])))
    yield b"".join(get(stream, "/v1/default/large") for stream in range(1, 201, 2))
    for _ in range(200):
        yield b"".join(frame(WINDOW, 0, stream, struct.pack(">I", 1))
                       for stream in range(1, 201, 2))
    yield dice.choice([frame(WINDOW, 0, 0, struct.pack(">I", (1 << 31) - 1)), settings(
        (4, (1 << 31) - 1)), frame(WINDOW, 0, 1, bytes(4)), b""])


def _too_many_streams(dice: random.Random) -> Iterator[bytes]:
    head = block("PUT", "/v1/default/torn")
    for first in range(1, 2_001, 200):
        yield b"".join(frame(HEADERS, END_HEADERS, stream, head)
                       for stream in range(first, first + 200, 2))


def _empty_data(dice: random.Random) -> Iterator[bytes]:
    yield frame(HEADERS, END_HEADERS, 1, block("PUT", "/v1/default/torn"))
    for _ in range(500):
        yield frame(DATA, 0, 1) * 100


def _wrong_heads(dice: random.Random) -> Iterator[bytes]:
    stream = 1
    for more in ([("connection", "close")], [("transfer-encoding", "chunked")], [("X-A", "b")],
                 [("x a", "b")], [("x-a", "b\r\nx-b: c")], [("x-a", "\0")],
                 [("content-length", "5")],
                 [("content-length", "x")], [(":path", "/v1/default/a")], [(":status", "200")],
                 [("te", "gzip")], [("host", "elsewhere")], [("", "a")]):
        yield frame(HEADERS, END_HEADERS | END_STREAM, stream, block("GET", "/v1/default/a", *more))
        stream += 2
    for path in ("", "*", "/v1/default/a b", "http://x/", "/v1/default/\xff", "//"):
        yield frame(HEADERS, END_HEADERS | END_STREAM, stream, block(path=path))
        stream += 2
    yield frame(HEADERS, END_HEADERS | END_STREAM, stream, hpack.Encoder().encode([("a", "b")]))


def _padding(dice: random.Random) -> Iterator[bytes]:
    yield get(1) + frame(DATA, PADDED, 1, b"\xff")
    yield frame(HEADERS, PADDED | END_HEADERS, 3, b"\x09")
    yield frame(GOAWAY, 0, 0, bytes(8)) + frame(PUSH, END_HEADERS, 5, bytes(4) + block())


FLOODS: List[Callable[[random.Random], Iterator[bytes]]] = [
    _by_chance, _mangled, _rapid_reset, _reset_of_long_values,
    _made_to_reset, _endless_head, _bomb, _settings_flood,
    _good_settings_flood, _pings, _window_games, _too_many_streams, _empty_data, _wrong_heads,
    _padding,
]
"""Each hands out what is sent, piece by piece, behind the preface."""
