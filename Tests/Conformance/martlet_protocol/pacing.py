"""PACE and PACING REPORT (section 7.11)."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from typing import List, Tuple

from .admin import HARD, SOFT, Scope, decode_scope
from .errors import malformed, out_of_range
from .fields import Position
from .reading import U64, Reader, u8, u16, u32, u64

LIST, BEGIN, CANCEL = 0, 1, 2
RUNNING, OVER, CANCELLED = 1, 2, 3
DURABLE = 1
SCOPES = 16


@dataclass
class Pace:
    """The body of PACE."""

    order: int
    strength: int = HARD
    span: int = 0
    id: U64 = U64(0)
    scopes: List[Scope] = member(default_factory=list)


@dataclass
class Pacing:
    """One invalidation that takes its time."""

    id: U64
    state: int
    strength: int
    options: int
    span: int
    slices: int
    done: int
    left: int
    first: Position
    last: Position
    scopes: List[Scope]


@dataclass
class PacingReport:
    """The body of PACING REPORT."""

    pacings: List[Pacing] = member(default_factory=list)


def encode_pace(body: Pace) -> Tuple[int, bytes]:
    """Count and body of PACE."""
    head = u8(body.order) + u8(body.strength) + u16(0) + u32(body.span) + u64(body.id)
    return len(body.scopes), head + b"".join(scope.encode() for scope in body.scopes)


def decode_pace(count: int, body: bytes) -> Pace:
    """The PACE in a body."""
    reader = Reader(body, "PACE")
    order = reader.one_of((LIST, BEGIN, CANCEL), "order")
    strength = reader.one_of((HARD, SOFT), "strength")
    reader.reserved(2)
    span, id = reader.u32(), reader.u64()
    if count > SCOPES:
        raise out_of_range(f"{count} scopes")
    scopes = [decode_scope(reader) for _ in range(count)]
    reader.end()
    begins = order == BEGIN
    if begins != bool(scopes) or begins != (span > 0) or (order == CANCEL) != (id > 0):
        raise malformed("scopes, span or number do not belong to the order")
    return Pace(order, strength, span, id, scopes)


def encode_report(body: PacingReport) -> Tuple[int, bytes]:
    """Count and body of PACING REPORT."""
    return len(body.pacings), b"".join(_encode(pacing) for pacing in body.pacings)


def _encode(pacing: Pacing) -> bytes:
    data = u64(pacing.id) + u8(pacing.state) + u8(pacing.strength) + u8(pacing.options) + u8(0)
    data += u32(pacing.span) + u32(pacing.slices) + u32(pacing.done) + u32(pacing.left)
    data += u16(0) + u16(len(pacing.scopes))
    for position in (pacing.first, pacing.last):
        data += u32(position.epoch) + u64(position.sequence)
    return data + b"".join(scope.encode() for scope in pacing.scopes)


def decode_report(count: int, body: bytes) -> PacingReport:
    """The PACING REPORT in a body."""
    reader = Reader(body, "PACING REPORT")
    report = PacingReport([_decode(reader) for _ in range(count)])
    reader.end()
    return report


def _decode(reader: Reader) -> Pacing:
    id = reader.u64()
    state = reader.one_of((RUNNING, OVER, CANCELLED), "state")
    strength = reader.one_of((HARD, SOFT), "strength")
    options = reader.u8()
    if options & ~DURABLE:
        raise malformed(f"options {options:02X} of a pacing")
    reader.reserved(1)
    span, slices, done, left = (reader.u32() for _ in range(4))
    reader.reserved(2)
    count = reader.u16()
    first, last = (Position(reader.u32(), reader.sequence()) for _ in range(2))
    if not 1 <= count <= SCOPES or done > slices:
        raise out_of_range(f"{count} scopes, {done} of {slices} slices")
    scopes = [decode_scope(reader) for _ in range(count)]
    return Pacing(id, state, strength, options, span, slices, done, left, first, last, scopes)
