"""QUEUE and QUEUE REPORT (section 7.12)."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from typing import List, Tuple

from . import limits
from .errors import out_of_range
from .reading import U64, Reader, u8, u16, u32, u64

LIST, DROP, RETRY = 0, 1, 2
NO_VALUE = 0xFFFFFFFF
UNASKABLE = 0xFFFF


@dataclass
class Queue:
    """The body of QUEUE."""

    order: int
    key: bytes = b""


@dataclass
class QueuedWrite:
    """One write that an origin has not got."""

    number: U64
    age: U64
    value: int
    attempts: int
    status: int
    failure: int
    namespace: str
    key: bytes
    words: bytes


@dataclass
class QueueReport:
    """The body of QUEUE REPORT."""

    changed: int = 0
    waiting: int = 0
    rejected: int = 0
    writes: List[QueuedWrite] = member(default_factory=list)


def encode_queue(body: Queue) -> Tuple[int, bytes]:
    """Count and body of QUEUE."""
    return 0, u8(body.order) + u8(0) + u16(len(body.key)) + u32(0) + body.key


def decode_queue(_: int, body: bytes) -> Queue:
    """The QUEUE in a body."""
    reader = Reader(body, "QUEUE")
    order = reader.one_of((LIST, DROP, RETRY), "order")
    reader.reserved(1)
    key_bytes = reader.u16()
    reader.reserved(4)
    key = reader.take(key_bytes)
    if key_bytes > limits.KEY_BYTES:
        raise out_of_range(f"a key of {key_bytes} bytes")
    reader.end()
    return Queue(order, key)


def encode_report(body: QueueReport) -> Tuple[int, bytes]:
    """Count and body of QUEUE REPORT."""
    head = u32(body.changed) + u32(body.waiting) + u32(body.rejected) + u32(0)
    return len(body.writes), head + b"".join(_encode(write) for write in body.writes)


def _encode(write: QueuedWrite) -> bytes:
    name = write.namespace.encode()
    data = u64(write.number) + u64(write.age) + u32(write.value) + u32(write.attempts)
    data += u16(write.status) + u8(write.failure) + u8(0)
    data += u16(len(name)) + u16(len(write.key)) + u16(len(write.words)) + u16(0)
    return data + name + write.key + write.words


def decode_report(count: int, body: bytes) -> QueueReport:
    """The QUEUE REPORT in a body."""
    reader = Reader(body, "QUEUE REPORT")
    changed, waiting, rejected = (reader.u32() for _ in range(3))
    reader.reserved(4)
    writes = [_decode(reader) for _ in range(count)]
    reader.end()
    return QueueReport(changed, waiting, rejected, writes)


def _decode(reader: Reader) -> QueuedWrite:
    number, age = reader.u64(), reader.u64()
    value, attempts = reader.u32(), reader.u32()
    status, failure = reader.u16(), reader.u8()
    reader.reserved(1)
    name_bytes, key_bytes, word_bytes = (reader.u16() for _ in range(3))
    reader.reserved(2)
    name, key, words = (reader.take(count) for count in (name_bytes, key_bytes, word_bytes))
    if not 1 <= key_bytes <= limits.KEY_BYTES:
        raise out_of_range(f"a key of {key_bytes} bytes")
    return QueuedWrite(
        number, age, value, attempts, status, failure, name.decode(), key, words)
