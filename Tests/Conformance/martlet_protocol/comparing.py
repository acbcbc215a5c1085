"""COMPARE and COMPARISON (section 7.13)."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from enum import IntEnum
from typing import Tuple

from .errors import malformed
from .fields import Position
from .reading import U64, Reader, u8, u16, u32, u64

SHOWN, ORIGIN, UNFENCED = 1, 2, 4


class ComparisonVerdict(IntEnum):
    """What a comparison came to."""

    same = 0
    differs = 1
    not_shown = 2
    changed = 3
    pending = 4
    failed = 5


@dataclass
class Side:
    """A value, by what tells it from others; all zero where there is none."""

    value_bytes: int = 0
    digest: U64 = U64(0)
    version: U64 = U64(0)
    etag: bytes = b""


@dataclass
class Comparison:
    """The body of COMPARISON."""

    verdict: int
    state: int
    options: int
    failure: int
    took: int
    applied: Position
    fill: Position = member(default_factory=lambda: Position(0, U64(0)))
    age: U64 = U64(0)
    shown: Side = member(default_factory=Side)
    origin: Side = member(default_factory=Side)


def encode_comparison(body: Comparison) -> Tuple[int, bytes]:
    """Count and body of COMPARISON."""
    head = u8(body.verdict) + u8(body.state) + u8(body.options) + u8(body.failure)
    head += u32(body.took) + _position(body.applied) + _position(body.fill) + u64(body.age)
    return 0, head + _side(body.shown) + _side(body.origin)


def decode_comparison(count: int, body: bytes) -> Comparison:
    """The COMPARISON in a body."""
    reader = Reader(body, "COMPARISON")
    verdict = reader.one_of(range(len(ComparisonVerdict)), "verdict")
    state = reader.one_of(range(7), "state")
    options = reader.u8()
    if options & ~(SHOWN | ORIGIN | UNFENCED):
        raise malformed(f"options {options:02X} are not known")
    if options and verdict not in (ComparisonVerdict.same, ComparisonVerdict.differs):
        raise malformed(f"options {options:02X} of what was not compared")
    failure = reader.u8()
    if (failure != 0) != (verdict == ComparisonVerdict.failed):
        raise malformed(f"failure {failure} with verdict {verdict}")
    took = reader.u32()
    applied, fill = _read_position(reader), _read_position(reader)
    age = reader.u64()
    shown, origin = _read_side(reader), _read_side(reader)
    reader.end()
    return Comparison(verdict, state, options, failure, took, applied, fill, age, shown, origin)


def _side(side: Side) -> bytes:
    head = u32(side.value_bytes) + u8(len(side.etag)) + u8(0) + u16(0)
    return head + u64(side.digest) + u64(side.version) + side.etag


def _read_side(reader: Reader) -> Side:
    value_bytes, etag_bytes = reader.u32(), reader.u8()
    reader.reserved(3)
    digest, version = reader.u64(), reader.u64()
    return Side(value_bytes, digest, version, reader.take(etag_bytes))


def _position(position: Position) -> bytes:
    return u32(position.epoch) + u64(position.sequence)


def _read_position(reader: Reader) -> Position:
    return Position(reader.u32(), reader.sequence())
