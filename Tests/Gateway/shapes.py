"""What is no request, or two requests to one reader and one to another: HTTP/1.1 and WebSockets."""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path
from typing import Callable, List

sys.path.append(str(Path(__file__).resolve().parent.parent / "Hostile"))

import zmtp  # noqa: E402

HOST = b"Host: localhost\r\n"
HIDDEN = b"GET /v1/default/smuggled HTTP/1.1\r\n" + HOST + b"\r\n"
"""A request where a body or a field ought to be: nobody may answer it."""
VALUE = "/v1/default/hit"

Make = Callable[[random.Random], bytes]


def _put(fields: bytes, rest: bytes) -> bytes:
    return b"PUT /v1/default/torn HTTP/1.1\r\n" + HOST + fields + b"\r\n" + rest


def _chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


OTHER_CODINGS = {"chunked twice", "chunks that are not the last coding", "an unknown coding"}
"""Of those that follow."""

SMUGGLED: "dict[str, bytes]" = {
    "a length and chunks": _put(
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + HIDDEN),
    "chunks and a length": _put(
        b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n" % (5 + len(HIDDEN)),
        b"0\r\n\r\n" + HIDDEN),
    "two lengths": _put(
        b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(HIDDEN), HIDDEN),
    "two lengths in one": _put(b"Content-Length: 0, %d\r\n" % len(HIDDEN), HIDDEN),
    "a signed length": _put(b"Content-Length: +0\r\n", HIDDEN),
    "a negative length": _put(b"Content-Length: -1\r\n", HIDDEN),
    "a length by hexadecimals": _put(b"Content-Length: 0x0\r\n", HIDDEN),
    "a length beyond 64 bits": _put(b"Content-Length: 18446744073709551616\r\n", HIDDEN),
    "chunked twice": _put(b"Transfer-Encoding: chunked, chunked\r\n", _chunked(HIDDEN)),
    "chunks that are not the last coding": _put(
        b"Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n" + HIDDEN),
    "an unknown coding": _put(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n" + HIDDEN),
    "a coding behind a tab": _put(
        b"Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n" + HIDDEN),
    "a space before the colon": _put(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n" + HIDDEN),
    "a folded coding": _put(
        b"Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n" + HIDDEN),
    "a folded field": _put(b"X-A: a\r\n b: c\r\nContent-Length: 0\r\n", b""),
    "a bare LF before a field": _put(b"X-A: a\nContent-Length: %d\r\n" % len(HIDDEN), b"")
    + HIDDEN,
    "a bare CR in a field": _put(b"X-A: a\rContent-Length: %d\r\n" % len(HIDDEN), b"") + HIDDEN,
    "a NUL in a field": _put(b"X-A: a\0b\r\nContent-Length: 0\r\n", b""),
    "a NUL in a name": _put(b"X-\0A: a\r\nContent-Length: 0\r\n", b""),
    "a chunk whose size is signed": _put(
        b"Transfer-Encoding: chunked\r\n", b"-1\r\n" + HIDDEN),
    "a chunk beyond 64 bits": _put(
        b"Transfer-Encoding: chunked\r\n", b"fffffffffffffffff\r\n" + HIDDEN),
    "a chunk without an end": _put(
        b"Transfer-Encoding: chunked\r\n", b"1\r\naX\r\n0\r\n\r\n" + HIDDEN),
    "chunks with bare LFs": _put(
        b"Transfer-Encoding: chunked\r\n", b"1\na\n0\n\n" + HIDDEN),
    "a field without a name": _put(b": a\r\nContent-Length: 0\r\n", b""),
    "no host": b"GET /v1/default/hit HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /v1/default/hit HTTP/1.1\r\n" + HOST + b"Host: elsewhere\r\n\r\n",
    "a version that is none": b"GET /v1/default/hit HTTP/9.9\r\n" + HOST + b"\r\n",
    "HTTP/0.9": b"GET /v1/default/hit\r\n\r\n",
    "two spaces": b"GET  /v1/default/hit HTTP/1.1\r\n" + HOST + b"\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),
}
"""Shapes that some server on the way has taken for something else."""


def _many_fields(dice: random.Random) -> bytes:
    count = dice.choice([101, 10_000, 1_000_000])
    return b"GET / HTTP/1.1\r\n" + HOST + b"x: y\r\n" * count + b"\r\n"


def _long_field(dice: random.Random) -> bytes:
    return b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * dice.choice([16_385, 1 << 20]) + b"\r\n"


def _torn(dice: random.Random) -> bytes:
    whole = dice.choice([HIDDEN, *SMUGGLED.values()])
    place = dice.randrange(len(whole))
    return whole[:place] + dice.randbytes(dice.randrange(4)) + whole[place + dice.randrange(3):]


def _half_a_body(dice: random.Random) -> bytes:
    size = dice.choice([1, 70_000, 16 << 20])
    return _put(b"Content-Length: %d\r\n" % size, dice.randbytes(min(size - 1, 100_000)))


def _chunks(dice: random.Random) -> bytes:
    return _put(b"Transfer-Encoding: chunked\r\n", b"1\r\na\r\n" * dice.choice([10, 50_000])
                + dice.choice([b"", b"zz\r\n", b"0\r\nX: y\r\n\r\n"]))


def _body_that_is_no_json(dice: random.Random) -> bytes:
    body = dice.choice([
        b"[" * 50_000, b'{"a":' * 20_000, dice.randbytes(3_000), b'"' + b"\\u" * 9_000,
        b'{"keys":[' + b",".join([b'"k"'] * 30_000) + b"]}"])
    where = dice.choice([b"/v1/invalidate", b"/v1/default:batch"])
    return b"POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (where, HOST, len(body), body)


def _pipeline(dice: random.Random) -> bytes:
    return dice.choice([HIDDEN, b"HEAD / HTTP/1.1\r\n" + HOST + b"\r\n"]) * dice.choice([9, 3_000])


HTTP: List[Make] = [
    _many_fields, _long_field, _torn, _torn, _half_a_body, _chunks, _body_that_is_no_json,
    _pipeline,
    lambda dice: dice.choice(list(SMUGGLED.values())),
    lambda dice: dice.choice(list(SMUGGLED.values())) * 20,
    lambda dice: b"GET /v1/default/%s HTTP/1.1\r\n" % dice.randbytes(40).hex().encode() + HOST
    + b"Range: bytes=%d-\r\nIf-None-Match: %s\r\n\r\n" % (
        dice.randrange(1 << 63), dice.randbytes(60).hex().encode()),
]
"""Begun with a head, so that they come further than bytes by chance."""


def tls_record(dice: random.Random) -> bytes:
    """A record of TLS with nonsense in it."""
    kind, size = dice.choice([20, 21, 22, 23, 24, 99]), dice.choice([0, 1, 512, 16_384, 65_535])
    return struct.pack(">BHH", kind, dice.choice([0x301, 0x303, 0]), size) + dice.randbytes(
        dice.choice([size, size // 2]))


def client_hello(dice: random.Random) -> bytes:
    """The beginning of a greeting, whose inside is by chance."""
    inside = dice.randbytes(508)
    return b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + inside


ANYWHERE: List[Make] = [
    lambda dice: dice.randbytes(dice.choice([1, 9, 10, 64, 65, 1_000, 100_000])),
    lambda dice: bytes([dice.choice([0, 255])]) * 70_000,
    lambda dice: HIDDEN, tls_record, client_hello,
    lambda dice: zmtp.greeting(dice.choice([b"NULL", b"CURVE", b"PLAIN"]))
    + dice.randbytes(dice.randrange(1, 3_000)),
    lambda dice: zmtp.greeting()[:dice.randrange(1, 64)],
    lambda dice: zmtp.greeting(dice.randbytes(20), dice.randbytes(2)) + dice.randbytes(200),
    lambda dice: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + dice.randbytes(500),
]
"""For every port."""


def zmtp_frames(dice: random.Random) -> bytes:
    """A right greeting of a peer without a key, and then frames by chance."""
    kind = dice.choice([b"DEALER", b"SUB", b"REQ", b"ROUTER", b"NONE"])
    ready = zmtp.command(b"READY", zmtp.properties({b"Socket-Type": kind, b"Identity": b""}))
    frames = []
    for _ in range(dice.choice([1, 40])):
        size = dice.choice([0, 1, 4, 32, 64, 300])
        frames.append(zmtp.frame(
            dice.choice([b"", b"ML", b"ML\1", b"\1"]) + dice.randbytes(size), dice.randrange(2)))
    if dice.random() < 0.2:
        frames.append(zmtp.head(zmtp.LONG, dice.choice([1 << 31, 1 << 62, (1 << 64) - 1])))
    return zmtp.greeting(b"NULL") + ready + b"".join(frames)


# WebSockets

def upgrade(target: str = "/v1/stream?everything") -> bytes:
    """What makes a WebSocket of a connection."""
    return (f"GET {target} HTTP/1.1\r\n".encode() + HOST + b"Upgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Version: 13\r\n\r\n")


def _frame(opcode: int, data: bytes, first: int = 0x80, is_masked: bool = True) -> bytes:
    bit = 0x80 if is_masked else 0
    size = len(data)
    length = (bytes([bit | size]) if size < 126 else bytes([bit | 126]) + struct.pack(">H", size)
              if size < 1 << 16 else bytes([bit | 127]) + struct.pack(">Q", size))
    return bytes([first | opcode]) + length + (bytes(4) if is_masked else b"") + data


FRAMES: List[Make] = [
    lambda dice: _frame(1, b"{}", 0x80 | dice.choice([0x10, 0x20, 0x40])),
    lambda dice: _frame(1, b"{}", is_masked=False),
    lambda dice: bytes([0x81, 0xFF]) + struct.pack(
        ">Q", dice.choice([1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])) + dice.randbytes(99),
    lambda dice: _frame(1, b"", 0) + _frame(0, b"", 0) * 100_000,
    lambda dice: _frame(1, b"", 0) + _frame(0, b"x", 0) * 100_000,
    lambda dice: _frame(9, dice.randbytes(125)) * 5_000,
    lambda dice: _frame(10, b"") * 50_000,
    lambda dice: _frame(8, dice.randbytes(dice.randrange(126))),
    lambda dice: _frame(dice.randrange(16), dice.randbytes(dice.choice([0, 1, 200, 70_000]))),
    lambda dice: dice.randbytes(dice.choice([2, 100, 10_000])),
    lambda dice: _frame(1, dice.choice([b"[" * 60_000, b'{"keys":["' + b"k" * 60_000 + b'"]}'])),
]
"""For a WebSocket."""
