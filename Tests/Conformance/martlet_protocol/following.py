"""FOLLOW and FOLLOWED (section 7.14)."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from typing import List, Tuple

from . import limits
from .admin import HARD, SOFT, Kind, Scope, decode_scope
from .control import Mark, decode_mark
from .errors import malformed, out_of_range
from .fields import Position
from .reading import U64, Reader, u8, u16, u32, u64

FROM_HEAD = 1
PART, LOST = 1, 2
NEWER_FORM = 1


@dataclass
class Follow:
    """The body of FOLLOW."""

    limit: int
    hold: int
    options: int = 0
    after: Mark = member(default_factory=lambda: Mark(0, U64(0), U64(0)))


@dataclass
class Seen:
    """A record as the asker may see it."""

    sequence: U64
    operation: bytes
    strength: int
    options: int
    scopes: List[Scope]


@dataclass
class Followed:
    """The body of FOLLOWED."""

    through: Mark
    head: Position
    options: int = 0
    records: List[Seen] = member(default_factory=list)


def encode_follow(body: Follow) -> Tuple[int, bytes]:
    """Count and body of FOLLOW."""
    head = u32(body.limit) + u32(body.hold) + u8(body.options) + bytes(7)
    return 0, head + body.after.encode()


def decode_follow(count: int, body: bytes) -> Follow:
    """The FOLLOW in a body."""
    reader = Reader(body, "FOLLOW")
    limit, hold, options = reader.u32(), reader.u32(), reader.u8()
    if options & ~FROM_HEAD:
        raise malformed(f"options {options:02X}")
    reader.reserved(7)
    after = decode_mark(reader)
    reader.end()
    if options and after != Mark(0, U64(0), U64(0)):
        raise malformed("a request from the head has no mark")
    if not 1 <= limit <= limits.RESUME_RECORDS:
        raise out_of_range(f"{limit} records")
    return Follow(limit, hold, options, after)


def encode_followed(body: Followed) -> Tuple[int, bytes]:
    """Count and body of FOLLOWED."""
    data = body.through.encode() + body.head.encode() + u8(body.options) + bytes(3)
    for record in body.records:
        data += u64(record.sequence) + record.operation + u8(record.strength)
        data += u8(record.options) + u16(len(record.scopes)) + u32(0)
        data += b"".join(scope.encode() for scope in record.scopes)
    return len(body.records), data


def decode_followed(count: int, body: bytes) -> Followed:
    """The FOLLOWED in a body."""
    reader = Reader(body, "FOLLOWED")
    through = decode_mark(reader)
    head = Position(reader.u32(), reader.sequence())
    options = reader.u8()
    if options & ~(PART | LOST):
        raise malformed(f"options {options:02X}")
    reader.reserved(3)
    if count > limits.RESUME_RECORDS:
        raise out_of_range(f"{count} records")
    records: List[Seen] = []
    last = 0
    for _ in range(count):
        records.append(_record(reader))
        if not last < records[-1].sequence <= through.sequence:
            raise malformed("the records are not in order")
        last = records[-1].sequence
    reader.end()
    if (head.epoch, head.sequence) < (through.epoch, through.sequence):
        raise malformed("a place beyond the head")
    if options & LOST and records:
        raise malformed("records of what is lost")
    return Followed(through, head, options, records)


def _record(reader: Reader) -> Seen:
    sequence, operation = reader.sequence(), reader.take(16)
    strength = reader.one_of((HARD, SOFT), "strength")
    options = reader.u8()
    if options & ~NEWER_FORM:
        raise malformed(f"options {options:02X} of a record")
    count = reader.u16()
    reader.reserved(4)
    if not 1 <= count <= limits.SCOPES:
        raise out_of_range(f"{count} scopes")
    scopes = [decode_scope(reader) for _ in range(count)]
    plain = operation == bytes(16) and strength == HARD and scopes == [Scope(Kind.everything)]
    if options and not plain:
        raise malformed("a record of a newer form says everything, hard")
    return Seen(sequence, operation, strength, options, scopes)
