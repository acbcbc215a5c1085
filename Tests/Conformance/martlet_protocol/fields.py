"""Fields: id, length, bytes (section 2), and those that may follow a header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, List, Optional, Set, Tuple

from .errors import Code, ProtocolError, malformed
from .header import Type
from .reading import U64, Reader, u8, u32, u64

NAMESPACE = 0x81
AT_LEAST = 0x82
OPERATION = 0x83
DEADLINE = 0x04
TOPOLOGY = 0x05
FRESH = 0x86
TRACE = 0x07
RETRY_AFTER = 0x08
ISSUER = 0x0A
PREVIOUS_RUN = 0x0B
CLUSTER = 0x10
READ_POLICY = 0x8C
MAX_AGE = 0x8D
MAX_STALE = 0x8E
FROM_PEER = 0x8F
MOVE = 0x9C
FORWARDED = 0x9D
CONTENT_TYPE = 0x14
CONTENT_ENCODING = 0x15
CONTENT_LANGUAGE = 0x16

_NAMESPACE = re.compile(rb"[a-zA-Z0-9._-]{1,64}\Z")
_DESCRIPTION = re.compile(rb"[!-~](?:[ -~\t]{0,253}[!-~])?\Z")


@dataclass
class Position:
    """A place in the log: an epoch and a sequence within it."""

    epoch: int
    sequence: U64

    def encode(self) -> bytes:
        """Epoch u32, sequence u64."""
        return u32(self.epoch) + u64(self.sequence)


@dataclass
class Fields:
    """The fields of a header; what is absent is `None`."""

    namespace: Optional[str] = None
    at_least: Optional[Position] = None
    operation: Optional[bytes] = None
    deadline: Optional[int] = None
    topology: Optional[int] = None
    fresh: bool = False
    trace: Optional[bytes] = None
    retry_after: Optional[int] = None
    issuer: Optional[str] = None
    previous_run: Optional[U64] = None
    cluster: Optional[U64] = None
    read_policy: Optional[int] = None
    max_age: Optional[int] = None
    max_stale: Optional[int] = None
    from_peer: Optional[int] = None
    content_type: Optional[str] = None
    content_encoding: Optional[str] = None
    content_language: Optional[str] = None
    move: Optional[Position] = None
    forwarded: Optional[Position] = None


def field(id: int, value: bytes) -> bytes:
    """One field."""
    return u8(id) + u8(len(value)) + value


def split(data: bytes) -> List[Tuple[int, bytes]]:
    """The fields in `data`, in their order."""
    reader = Reader(data, "the fields")
    found: List[Tuple[int, bytes]] = []
    while reader.offset < len(data):
        id = reader.u8()
        found.append((id, reader.take(reader.u8())))
    return found


def refuse_unknown(id: int) -> None:
    """Refuses an unknown field if it is critical."""
    if id >= 128:
        raise ProtocolError(Code.unknownCriticalField, f"field {id:02X}")


def once(id: int, seen: Set[int]) -> None:
    """Refuses the second field of an id that may not repeat."""
    if id in seen:
        raise malformed(f"field {id:02X} repeats")
    seen.add(id)


def sized(id: int, value: bytes, low: int, high: Optional[int] = None) -> bytes:
    """`value`, if its length is within the bounds of its field."""
    if not low <= len(value) <= (low if high is None else high):
        raise malformed(f"field {id:02X} has {len(value)} bytes")
    return value


def number(id: int, value: bytes, size: int) -> int:
    """The integer of `size` bytes that a field holds."""
    return int.from_bytes(sized(id, value, size), "little")


def position(id: int, value: bytes) -> Position:
    """The position that a field holds."""
    reader = Reader(sized(id, value, 12), "a position")
    return Position(reader.u32(), reader.sequence())


def checked_namespace(value: bytes) -> str:
    """The namespace in `value`, if its length and its characters are allowed."""
    if not _NAMESPACE.match(value):
        raise malformed("a namespace has a wrong length or character")
    return value.decode("ascii")


def checked_issuer(id: int, value: bytes) -> str:
    """The issuer in `value`, if it is UTF-8 without control characters."""
    try:
        name = sized(id, value, 1, 64).decode("utf-8")
    except UnicodeDecodeError:
        raise malformed("an issuer is not UTF-8") from None
    if any(ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0 for each in name):
        raise malformed("an issuer has a control character")
    return name


def is_description(value: bytes) -> bool:
    """Whether a content type, encoding or language may have these bytes."""
    return _DESCRIPTION.match(value) is not None


def checked_description(id: int, value: bytes) -> str:
    """The content type, encoding or language in `value`, if it may have these bytes."""
    if not is_description(value):
        raise malformed(f"field {id:02X} is no content type, encoding or language")
    return value.decode("ascii")


def described(of: Any, ids: Tuple[int, int, int]) -> List[bytes]:
    """The fields that say what the bytes of a value are, by their ids."""
    texts = (of.content_type, of.content_encoding, of.content_language)
    return [field(id, text.encode("latin-1"))
            for id, text in zip(ids, texts) if text is not None]


def encode(fields: Fields, type: int) -> bytes:
    """The fields in the order of the page's table."""
    parts = []
    if fields.namespace is not None:
        parts.append(field(NAMESPACE, fields.namespace.encode("ascii")))
    if fields.at_least is not None:
        parts.append(field(AT_LEAST, fields.at_least.encode()))
    if fields.operation is not None:
        parts.append(field(OPERATION, fields.operation))
    if fields.deadline is not None:
        parts.append(field(DEADLINE, u32(fields.deadline)))
    if fields.topology is not None:
        parts.append(field(TOPOLOGY, u32(fields.topology)))
    if fields.fresh:
        parts.append(field(FRESH, b""))
    if fields.trace is not None:
        parts.append(field(TRACE, fields.trace))
    if fields.retry_after is not None:
        parts.append(field(RETRY_AFTER, u32(fields.retry_after)))
    if fields.issuer is not None:
        parts.append(field(ISSUER, fields.issuer.encode("utf-8")))
    if fields.read_policy is not None:
        parts.append(field(READ_POLICY, u8(fields.read_policy)))
    if fields.max_age is not None:
        parts.append(field(MAX_AGE, u32(fields.max_age)))
    if fields.max_stale is not None:
        parts.append(field(MAX_STALE, u32(fields.max_stale)))
    if fields.from_peer is not None:
        parts.append(field(FROM_PEER, u8(fields.from_peer)))
    if fields.previous_run is not None:
        parts.append(field(PREVIOUS_RUN, u64(fields.previous_run)))
    if fields.cluster is not None:
        parts.append(field(CLUSTER, u64(fields.cluster)))
    parts += described(fields, (CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE))
    if fields.move is not None:
        parts.append(field(MOVE, fields.move.encode()))
    if fields.forwarded is not None:
        parts.append(field(FORWARDED, fields.forwarded.encode()))
    return b"".join(parts)


def decode(data: bytes, type: int) -> Fields:
    """The fields that follow a header of the given type."""
    fields = Fields()
    seen: Set[int] = set()
    for id, value in split(data):
        if id not in (NAMESPACE, AT_LEAST, OPERATION, DEADLINE, TOPOLOGY, FRESH, TRACE,
                      RETRY_AFTER, ISSUER, PREVIOUS_RUN, READ_POLICY, MAX_AGE, MAX_STALE,
                      FROM_PEER, CLUSTER, CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, MOVE,
                      FORWARDED):
            refuse_unknown(id)
            continue
        once(id, seen)
        _take(fields, id, value, type)
    return fields


def _take(fields: Fields, id: int, value: bytes, type: int) -> None:
    if id == NAMESPACE:
        fields.namespace = checked_namespace(value)
    elif id == AT_LEAST:
        fields.at_least = position(id, value)
    elif id == MOVE:
        fields.move = position(id, value)
    elif id == FORWARDED:
        fields.forwarded = position(id, value)
    elif id == OPERATION:
        fields.operation = sized(id, value, 16)
    elif id == DEADLINE:
        fields.deadline = number(id, value, 4)
    elif id == TOPOLOGY:
        fields.topology = number(id, value, 4)
    elif id == FRESH:
        sized(id, value, 0)
        fields.fresh = True
    elif id == ISSUER:
        fields.issuer = checked_issuer(id, value)
    elif id == PREVIOUS_RUN:
        fields.previous_run = U64(number(id, value, 8))
    elif id == CLUSTER:
        fields.cluster = U64(number(id, value, 8))
    elif id == RETRY_AFTER:
        fields.retry_after = number(id, value, 4)
    elif id in (READ_POLICY, MAX_AGE, MAX_STALE, FROM_PEER):
        _take_reading(fields, id, value)
    elif id == CONTENT_TYPE:
        fields.content_type = checked_description(id, value)
    elif id == CONTENT_ENCODING:
        fields.content_encoding = checked_description(id, value)
    elif id == CONTENT_LANGUAGE:
        fields.content_language = checked_description(id, value)
    else:
        fields.trace = sized(id, value, 1, 64)


def _take_reading(fields: Fields, id: int, value: bytes) -> None:
    """What a GET says of how it is to be answered."""
    if id == MAX_AGE:
        fields.max_age = number(id, value, 4)
    elif id == MAX_STALE:
        fields.max_stale = number(id, value, 4)
    elif id == READ_POLICY:
        fields.read_policy = _within(id, number(id, value, 1), 1, 5)
    else:
        fields.from_peer = _within(id, number(id, value, 1), 0, 2)


def _within(id: int, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise malformed(f"field {id:02X} is {value}")
    return value
