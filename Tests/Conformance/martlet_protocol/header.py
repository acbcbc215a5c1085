"""The 24 bytes that every message begins with (section 2) and the types (section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Tuple

from .errors import Code, ProtocolError, malformed
from .reading import U64, Reader, u8, u16, u32, u64

MAGIC = b"ML"
VERSION = 1
BYTES = 24


class Type(IntEnum):
    """The type of a message."""

    GET = 0x01
    SET = 0x02
    DELETE = 0x03
    TOUCH = 0x04
    CHUNK = 0x05
    RESULTS = 0x06
    INVALIDATE = 0x10
    RECEIPT = 0x11
    STATUS = 0x12
    STATUS_REPORT = 0x13
    TOPOLOGY = 0x14
    TOPOLOGY_REPORT = 0x15
    EXPLAIN = 0x16
    EXPLANATION = 0x17
    SCAN = 0x18
    SCAN_PAGE = 0x19
    DRAIN = 0x1A
    FORGET = 0x1B
    CONFIG = 0x1C
    CONFIG_REPORT = 0x1D
    DONE = 0x1E
    HELLO = 0x20
    WELCOME = 0x21
    RESUME = 0x22
    REPLAY = 0x23
    TRUNCATED = 0x24
    PING = 0x25
    PONG = 0x26
    ACK = 0x27
    BYE = 0x28
    FLOORS = 0x29
    FLOOR_SNAPSHOT = 0x2A
    NOT_LEADER = 0x2B
    STEP_DOWN = 0x2C
    RECORDS = 0x30
    HEARTBEAT = 0x31
    COUNT = 0x40
    COUNTED = 0x41
    AWAIT = 0x42
    PACE = 0x44
    PACING_REPORT = 0x45
    QUEUE = 0x46
    QUEUE_REPORT = 0x47
    COMPARE = 0x48
    COMPARISON = 0x49
    FOLLOW = 0x4A
    FOLLOWED = 0x4B
    ERROR = 0x7F


TOPIC_RECORDS = MAGIC + u8(VERSION) + u8(Type.RECORDS)
TOPIC_HEARTBEAT = MAGIC + u8(VERSION) + u8(Type.HEARTBEAT)


@dataclass
class Header:
    """What the header says of a frame whose lengths have been checked."""

    type: Type
    count: int
    request_id: U64


def frame(
    type: int, count: int, request_id: int, fields: bytes = b"", body: bytes = b""
) -> bytes:
    """A whole frame of the given parts, unchecked."""
    return (
        MAGIC + u8(VERSION) + u8(type) + u16(0) + u16(count) + u64(request_id)
        + u16(0) + u16(len(fields)) + u32(len(body)) + fields + body
    )


def split(data: bytes) -> Tuple[Header, bytes, bytes]:
    """The header, the fields and the body of a frame, checked in the order of the page."""
    if len(data) < BYTES:
        raise malformed(f"a frame of {len(data)} bytes has no header")
    reader = Reader(data, "the header")
    if reader.take(2) != MAGIC:
        raise malformed("the magic is wrong")
    version = reader.u8()
    if version != VERSION:
        raise ProtocolError(Code.unsupportedVersion, f"version {version}")
    number = reader.u8()
    if number not in Type.__members__.values():
        raise ProtocolError(Code.unknownType, f"type {number:02X}")
    if reader.u16():
        raise malformed("the flags are not zero")
    count = reader.u16()
    request_id = reader.u64()
    stream = reader.u16()
    if stream:
        raise ProtocolError(Code.wrongStream, f"stream {stream}")
    fields_bytes = reader.u16()
    body_bytes = reader.u32()
    if BYTES + fields_bytes + body_bytes != len(data):
        raise malformed("the lengths do not add up to the frame")
    fields = reader.take(fields_bytes)
    return Header(Type(number), count, request_id), fields, reader.take(body_bytes)
