"""EXPLAIN and EXPLANATION (section 7.6)."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from enum import IntEnum
from typing import List, Optional, Tuple

from . import limits
from .errors import malformed, out_of_range
from .fields import Position
from .reading import U64, Reader, u8, u16, u32, u64

ENTRY, UNFENCED, SOFT = 1, 2, 4
ABOVE_ENTRY = 1
HISTORY = 255


class Verdict(IntEnum):
    """What a GET would come to."""

    fresh = 0
    absent = 1
    expired = 2
    invalidated = 3
    soft = 4
    withheld = 5
    forgotten = 6
    suspect_served = 7
    suspect_refused = 8
    suspect_hidden = 9


@dataclass
class Explain:
    """The body of EXPLAIN, and of COMPARE."""

    key: bytes


@dataclass
class ExplainedEntry:
    """What is there, shown or not."""

    value_bytes: int
    charged_bytes: int
    version: U64
    age: U64
    ttl: U64
    soft_age: U64
    fill: Position
    etag: bytes = b""
    tags: List[bytes] = member(default_factory=list)


@dataclass
class ExplainedFloor:
    """A scope that covers the key, and how far it was invalidated."""

    cover: int
    options: int
    name: bytes
    hard: Position
    soft: Position
    minimum_version: U64


@dataclass
class Explanation:
    """The body of EXPLANATION."""

    verdict: int
    state: int
    options: int
    lease_left: int
    load_left: int
    applied: Position
    token_base: Position
    entry: Optional[ExplainedEntry]
    floors: List[ExplainedFloor]


def encode_explain(body: Explain) -> Tuple[int, bytes]:
    """Count and body of EXPLAIN, and of COMPARE."""
    return 0, u16(len(body.key)) + body.key


def decode_explain(count: int, body: bytes) -> Explain:
    """The EXPLAIN or COMPARE in a body."""
    reader = Reader(body, "a question about a key")
    key = reader.take(reader.u16())
    if not 1 <= len(key) <= limits.KEY_BYTES:
        raise out_of_range(f"a key of {len(key)} bytes")
    reader.end()
    return Explain(key)


def encode_explanation(body: Explanation) -> Tuple[int, bytes]:
    """Count and body of EXPLANATION."""
    parts = [u8(body.verdict) + u8(body.state) + u8(body.options) + u8(0)]
    parts.append(u32(body.lease_left) + u32(body.load_left))
    parts.append(_position(body.applied) + _position(body.token_base))
    if body.entry is not None:
        parts.append(_entry(body.entry))
    for floor in body.floors:
        parts.append(u8(floor.cover) + u8(floor.options) + u16(len(floor.name)))
        parts.append(_position(floor.hard) + _position(floor.soft))
        parts.append(u64(floor.minimum_version) + floor.name)
    return len(body.floors), b"".join(parts)


def decode_explanation(count: int, body: bytes) -> Explanation:
    """The EXPLANATION in a body."""
    reader = Reader(body, "EXPLANATION")
    verdict = reader.one_of(range(len(Verdict)), "verdict")
    state = reader.one_of(range(7), "state")
    options = _options(reader, ENTRY | UNFENCED | SOFT)
    reader.reserved(1)
    lease_left, load_left = reader.u32(), reader.u32()
    applied, base = _read_position(reader), _read_position(reader)
    entry = _read_entry(reader) if options & ENTRY else None
    floors = [_read_floor(reader) for _ in range(count)]
    reader.end()
    return Explanation(
        verdict, state, options, lease_left, load_left, applied, base, entry, floors)


def _entry(entry: ExplainedEntry) -> bytes:
    head = u32(entry.value_bytes) + u32(entry.charged_bytes) + u64(entry.version)
    head += u64(entry.age) + u64(entry.ttl) + u64(entry.soft_age) + _position(entry.fill)
    head += u8(len(entry.etag)) + u8(len(entry.tags)) + entry.etag
    return head + b"".join(u8(len(tag)) + tag for tag in entry.tags)


def _read_entry(reader: Reader) -> ExplainedEntry:
    value_bytes, charged_bytes = reader.u32(), reader.u32()
    version, age, ttl, soft_age = reader.u64(), reader.u64(), reader.u64(), reader.u64()
    fill = _read_position(reader)
    etag_bytes, tag_count = reader.u8(), reader.u8()
    etag = reader.take(etag_bytes)
    tags = [reader.take(reader.u8()) for _ in range(tag_count)]
    if not all(tags):
        raise out_of_range("a tag of 0 bytes")
    return ExplainedEntry(
        value_bytes, charged_bytes, version, age, ttl, soft_age, fill, etag, tags)


def _read_floor(reader: Reader) -> ExplainedFloor:
    cover = reader.one_of((1, 2, 3, 4, 5, HISTORY), "what a floor covers")
    options = _options(reader, ABOVE_ENTRY)
    name_bytes = reader.u16()
    hard, soft = _read_position(reader), _read_position(reader)
    version = reader.u64()
    return ExplainedFloor(cover, options, reader.take(name_bytes), hard, soft, version)


def _options(reader: Reader, known: int) -> int:
    options = reader.u8()
    if options & ~known:
        raise malformed(f"options {options:02X} are not known")
    return options


def _position(position: Position) -> bytes:
    return u32(position.epoch) + u64(position.sequence)


def _read_position(reader: Reader) -> Position:
    return Position(reader.u32(), reader.sequence())
