"""The control and live channels (section 8): marks, records, HELLO … BYE, HEARTBEAT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

from . import limits
from .admin import Kind, Scope, decode_scope
from .errors import ProtocolError, malformed, out_of_range
from .fields import checked_namespace
from .reading import U64, Reader, short_text, u8, u16, u32, u64
from .routing import xxh64

ENVELOPE_BYTES = 24
"""What every record begins with, whatever its form."""


@dataclass
class Mark:
    """A position and the log's digest there."""

    epoch: int
    sequence: U64
    digest: U64

    def encode(self) -> bytes:
        """The 24 bytes of the mark."""
        return u32(self.epoch) + u32(0) + u64(self.sequence) + u64(self.digest)


def decode_mark(reader: Reader) -> Mark:
    """The mark that comes next."""
    epoch = reader.u32()
    reader.reserved(4)
    return Mark(epoch, reader.sequence(), reader.u64())


@dataclass
class Record:
    """One record of the invalidation log (8.1).

    Of a record of a newer form `newer` is what stands behind its envelope; the rest is what a
    receiver takes it for.
    """

    epoch: int
    sequence: U64
    previous_digest: U64
    operation: bytes
    strength: int
    scopes: List[Scope]
    newer: Optional[bytes] = None

    def encode(self) -> bytes:
        """All bytes of the record."""
        if self.newer is not None:
            head = u32(ENVELOPE_BYTES + len(self.newer)) + u32(self.epoch) + u64(self.sequence)
            return head + u64(self.previous_digest) + self.newer
        scopes = b"".join(scope.encode() for scope in self.scopes)
        head = u32(limits.RECORD_HEADER_BYTES + len(scopes)) + u32(self.epoch)
        head += u64(self.sequence) + u64(self.previous_digest) + self.operation
        return head + u8(self.strength) + u8(0) + u16(len(self.scopes)) + u32(0) + scopes

    @property
    def digest(self) -> U64:
        """The log's digest after this record."""
        return U64(xxh64(self.encode()))

    @property
    def mark(self) -> Mark:
        """The mark after this record."""
        return Mark(self.epoch, self.sequence, self.digest)


def decode_record(reader: Reader) -> Record:
    """The record that comes next."""
    record_bytes = reader.u32()
    if record_bytes < limits.RECORD_HEADER_BYTES:
        raise malformed(f"a record of {record_bytes} bytes")
    if record_bytes > limits.RECORD_BYTES:
        raise out_of_range(f"a record of {record_bytes} bytes")
    inner = Reader(reader.take(record_bytes - 4), "a record")
    epoch, sequence, previous = inner.u32(), inner.sequence(), inner.u64()
    if sequence == 0:
        raise out_of_range("a record's sequence")
    rest = inner.take(record_bytes - ENVELOPE_BYTES)
    try:
        return Record(epoch, sequence, previous, *_decode_content(Reader(rest, "a record")))
    except ProtocolError:
        everything = [Scope(Kind.everything)]
        return Record(epoch, sequence, previous, bytes(16), 0, everything, rest)


def _decode_content(reader: Reader) -> Tuple[bytes, int, List[Scope]]:
    """Operation, strength and scopes: what stands behind the envelope."""
    operation, strength = reader.take(16), reader.one_of(range(2), "strength")
    reader.reserved(1)
    scopes = reader.u16()
    reader.reserved(4)
    if not 1 <= scopes <= limits.SCOPES:
        raise out_of_range("a record's scopes")
    decoded = [decode_scope(reader) for _ in range(scopes)]
    reader.end()
    return operation, strength, decoded


@dataclass
class Hello:
    """The body of HELLO."""

    incarnation: U64
    log_id: U64
    applied: Mark
    id: str
    endpoints: List[str]
    weight: int = 0


@dataclass
class Welcome:
    """The body of WELCOME."""

    log_id: U64
    head: Mark
    tail: U64
    lease: int
    heartbeat: int
    config: int
    topology: int
    live: str


@dataclass
class Resume:
    """The body of RESUME."""

    incarnation: U64
    log_id: U64
    applied: Mark
    limit: int


@dataclass
class Replay:
    """The body of REPLAY."""

    head: Mark
    records: List[Record]


@dataclass
class Truncated:
    """The body of TRUNCATED."""

    log_id: U64
    head: Mark
    tail: U64


@dataclass
class NotLeader:
    """The body of NOT LEADER."""

    control: str
    name: str
    may_have_happened: bool = False


@dataclass
class StepDown:
    """The body of STEP DOWN."""


@dataclass
class Floors:
    """The body of FLOORS."""

    incarnation: U64
    log_id: U64
    applied: Mark
    first_bucket: int


@dataclass
class TouchedNamespace:
    """A namespace of a floor snapshot."""

    namespace: str
    sequence: U64


@dataclass
class TouchedPrefix:
    """A prefix of a floor snapshot."""

    namespace: str
    prefix: bytes
    sequence: U64


@dataclass
class TouchedBucket:
    """A bucket of a floor snapshot."""

    bucket: int
    sequence: U64


@dataclass
class FloorSnapshot:
    """The body of FLOOR SNAPSHOT."""

    log_id: U64
    as_of: Mark
    complete_since: U64
    everything: U64
    first_bucket: int
    next_bucket: int
    namespaces: List[TouchedNamespace]
    prefixes: List[TouchedPrefix]
    buckets: List[TouchedBucket]


@dataclass
class Ping:
    """The body of PING."""

    incarnation: U64
    sent_at: U64
    applied: Mark
    state: int
    purpose: int = 0


@dataclass
class Pong:
    """The body of PONG."""

    sent_at: U64
    log_id: U64
    head: Mark
    lease: int
    config: int
    topology: int


@dataclass
class Ack:
    """The body of ACK."""

    incarnation: U64
    applied: Mark


@dataclass
class Bye:
    """The body of BYE."""

    incarnation: U64


@dataclass
class Records:
    """The body of RECORDS."""

    records: List[Record]


@dataclass
class Heartbeat:
    """The body of HEARTBEAT."""

    log_id: U64
    head: Mark
    config: int
    topology: int


def encode_hello(body: Hello) -> Tuple[int, bytes]:
    """Count and body of HELLO."""
    id = body.id.encode("utf-8")
    head = u64(body.incarnation) + u64(body.log_id) + body.applied.encode()
    head += u8(len(id)) + u8(0) + u16(len(body.endpoints)) + u32(body.weight) + id
    return 0, head + b"".join(short_text(endpoint) for endpoint in body.endpoints)


def decode_hello(count: int, body: bytes) -> Hello:
    """The HELLO in a body."""
    reader = Reader(body, "HELLO")
    incarnation, log_id, applied = reader.u64(), reader.u64(), decode_mark(reader)
    id_bytes = reader.u8()
    reader.reserved(1)
    shards = reader.u16()
    weight = reader.u32()
    id = reader.text(id_bytes)
    endpoints = [reader.text(reader.u8()) for _ in range(shards)]
    reader.end()
    return Hello(incarnation, log_id, applied, id, endpoints, weight)


def encode_welcome(body: Welcome) -> Tuple[int, bytes]:
    """Count and body of WELCOME."""
    data = u64(body.log_id) + body.head.encode() + u64(body.tail)
    data += u32(body.lease) + u32(body.heartbeat) + u32(body.config) + u32(body.topology)
    return 0, data + short_text(body.live)


def decode_welcome(count: int, body: bytes) -> Welcome:
    """The WELCOME in a body."""
    reader = Reader(body, "WELCOME")
    log_id, head, tail = reader.u64(), decode_mark(reader), reader.sequence()
    numbers = [reader.u32() for _ in range(4)]
    welcome = Welcome(log_id, head, tail, *numbers, reader.text(reader.u8()))
    reader.end()
    return welcome


def encode_resume(body: Resume) -> Tuple[int, bytes]:
    """Count and body of RESUME."""
    data = u64(body.incarnation) + u64(body.log_id) + body.applied.encode()
    return 0, data + u32(body.limit) + u32(0)


def decode_resume(count: int, body: bytes) -> Resume:
    """The RESUME in a body."""
    reader = Reader(body, "RESUME")
    resume = Resume(reader.u64(), reader.u64(), decode_mark(reader), reader.u32())
    reader.reserved(4)
    reader.end()
    if not 1 <= resume.limit <= limits.RESUME_RECORDS:
        raise out_of_range(f"{resume.limit} records wanted")
    return resume


def encode_replay(body: Replay) -> Tuple[int, bytes]:
    """Count and body of REPLAY."""
    records = b"".join(record.encode() for record in body.records)
    return len(body.records), body.head.encode() + records


def decode_replay(count: int, body: bytes) -> Replay:
    """The REPLAY in a body."""
    reader = Reader(body, "REPLAY")
    replay = Replay(decode_mark(reader), [decode_record(reader) for _ in range(count)])
    reader.end()
    return replay


def encode_truncated(body: Truncated) -> Tuple[int, bytes]:
    """Count and body of TRUNCATED."""
    return 0, u64(body.log_id) + body.head.encode() + u64(body.tail)


def decode_truncated(count: int, body: bytes) -> Truncated:
    """The TRUNCATED in a body."""
    reader = Reader(body, "TRUNCATED")
    truncated = Truncated(reader.u64(), decode_mark(reader), reader.sequence())
    reader.end()
    return truncated


def encode_not_leader(body: NotLeader) -> Tuple[int, bytes]:
    """Count and body of NOT LEADER."""
    options = u8(1 if body.may_have_happened else 0) + bytes(3)
    return 0, options + short_text(body.control) + short_text(body.name)


def decode_not_leader(count: int, body: bytes) -> NotLeader:
    """The NOT LEADER in a body."""
    reader = Reader(body, "NOT LEADER")
    options = reader.u8()
    if options > 1:
        raise malformed("an option of NOT LEADER is not known")
    reader.reserved(3)
    not_leader = NotLeader(
        reader.text(reader.u8()), reader.text(reader.u8()), options == 1)
    reader.end()
    return not_leader


def encode_step_down(body: StepDown) -> Tuple[int, bytes]:
    """Count and body of STEP DOWN."""
    return 0, u32(0)


def decode_step_down(count: int, body: bytes) -> StepDown:
    """The STEP DOWN in a body."""
    reader = Reader(body, "STEP DOWN")
    reader.reserved(4)
    reader.end()
    return StepDown()


def encode_floors(body: Floors) -> Tuple[int, bytes]:
    """Count and body of FLOORS."""
    data = u64(body.incarnation) + u64(body.log_id) + body.applied.encode()
    return 0, data + u32(body.first_bucket) + u32(0)


def decode_floors(count: int, body: bytes) -> Floors:
    """The FLOORS in a body."""
    reader = Reader(body, "FLOORS")
    floors = Floors(reader.u64(), reader.u64(), decode_mark(reader), reader.u32())
    reader.reserved(4)
    reader.end()
    if floors.first_bucket >= limits.FLOOR_BUCKETS:
        raise out_of_range(f"bucket {floors.first_bucket}")
    return floors


def encode_floor_snapshot(body: FloorSnapshot) -> Tuple[int, bytes]:
    """Count and body of FLOOR SNAPSHOT."""
    data = u64(body.log_id) + body.as_of.encode() + u64(body.complete_since)
    data += u64(body.everything) + u32(body.first_bucket) + u32(body.next_bucket)
    data += u16(len(body.namespaces)) + u16(len(body.prefixes)) + u32(0)
    for touched in body.namespaces:
        data += u64(touched.sequence) + short_text(touched.namespace)
    for prefix in body.prefixes:
        name = prefix.namespace.encode("ascii")
        data += u64(prefix.sequence) + u8(len(name)) + u8(0) + u16(len(prefix.prefix))
        data += name + prefix.prefix
    for bucket in body.buckets:
        data += u32(bucket.bucket) + bucket.sequence.to_bytes(6, "little")
    return len(body.buckets), data


def decode_floor_snapshot(count: int, body: bytes) -> FloorSnapshot:
    """The FLOOR SNAPSHOT in a body."""
    reader = Reader(body, "FLOOR SNAPSHOT")
    log_id, as_of = reader.u64(), decode_mark(reader)
    complete_since, everything = reader.sequence(), reader.sequence()
    first, following = reader.u32(), reader.u32()
    namespaces, prefixes = reader.u16(), reader.u16()
    reader.reserved(4)
    if not first < following <= limits.FLOOR_BUCKETS:
        raise out_of_range(f"buckets {first} to {following}")
    snapshot = FloorSnapshot(
        log_id, as_of, complete_since, everything, first, following,
        [_touched_namespace(reader) for _ in range(namespaces)],
        [_touched_prefix(reader) for _ in range(prefixes)], [])
    lowest = first
    for _ in range(count):
        bucket = reader.u32()
        if not lowest <= bucket < following:
            raise malformed(f"bucket {bucket} of a part is not in its order")
        lowest = bucket + 1
        sequence = U64(int.from_bytes(reader.take(6), "little"))
        snapshot.buckets.append(TouchedBucket(bucket, sequence))
    reader.end()
    return snapshot


def _namespace(reader: Reader, count: int) -> str:
    """A namespace of `count` bytes; of none: `default`."""
    return checked_namespace(reader.take(count)) if count else ""


def _touched_namespace(reader: Reader) -> TouchedNamespace:
    sequence = reader.sequence()
    return TouchedNamespace(_namespace(reader, reader.u8()), sequence)


def _touched_prefix(reader: Reader) -> TouchedPrefix:
    sequence, name_bytes = reader.sequence(), reader.u8()
    reader.reserved(1)
    prefix_bytes = reader.u16()
    namespace = _namespace(reader, name_bytes)
    if not 1 <= prefix_bytes <= limits.KEY_BYTES:
        raise out_of_range(f"a prefix of {prefix_bytes} bytes")
    return TouchedPrefix(namespace, reader.take(prefix_bytes), sequence)


def encode_ping(body: Ping) -> Tuple[int, bytes]:
    """Count and body of PING."""
    data = u64(body.incarnation) + u64(body.sent_at) + body.applied.encode()
    return 0, data + u8(body.state) + u8(body.purpose) + bytes(6)


def decode_ping(count: int, body: bytes) -> Ping:
    """The PING in a body."""
    reader = Reader(body, "PING")
    incarnation, sent_at, applied = reader.u64(), reader.u64(), decode_mark(reader)
    state = reader.one_of(range(7), "state")
    ping = Ping(incarnation, sent_at, applied, state, reader.one_of(range(2), "purpose"))
    reader.reserved(6)
    reader.end()
    return ping


def encode_pong(body: Pong) -> Tuple[int, bytes]:
    """Count and body of PONG."""
    data = u64(body.sent_at) + u64(body.log_id) + body.head.encode()
    return 0, data + u32(body.lease) + u32(body.config) + u32(body.topology) + u32(0)


def decode_pong(count: int, body: bytes) -> Pong:
    """The PONG in a body."""
    reader = Reader(body, "PONG")
    sent_at, log_id, head = reader.u64(), reader.u64(), decode_mark(reader)
    pong = Pong(sent_at, log_id, head, reader.u32(), reader.u32(), reader.u32())
    reader.reserved(4)
    reader.end()
    return pong


def encode_ack(body: Ack) -> Tuple[int, bytes]:
    """Count and body of ACK."""
    return 0, u64(body.incarnation) + body.applied.encode()


def decode_ack(count: int, body: bytes) -> Ack:
    """The ACK in a body."""
    reader = Reader(body, "ACK")
    ack = Ack(reader.u64(), decode_mark(reader))
    reader.end()
    return ack


def encode_bye(body: Bye) -> Tuple[int, bytes]:
    """Count and body of BYE."""
    return 0, u64(body.incarnation)


def decode_bye(count: int, body: bytes) -> Bye:
    """The BYE in a body."""
    reader = Reader(body, "BYE")
    bye = Bye(reader.u64())
    reader.end()
    return bye


def encode_records(body: Records) -> Tuple[int, bytes]:
    """Count and body of RECORDS."""
    return len(body.records), b"".join(record.encode() for record in body.records)


def decode_records(count: int, body: bytes) -> Records:
    """The RECORDS in a body."""
    reader = Reader(body, "RECORDS")
    records = [decode_record(reader) for _ in range(count)]
    reader.end()
    return Records(records)


def encode_heartbeat(body: Heartbeat) -> Tuple[int, bytes]:
    """Count and body of HEARTBEAT."""
    return 0, u64(body.log_id) + body.head.encode() + u32(body.config) + u32(body.topology)


def decode_heartbeat(count: int, body: bytes) -> Heartbeat:
    """The HEARTBEAT in a body."""
    reader = Reader(body, "HEARTBEAT")
    heartbeat = Heartbeat(reader.u64(), decode_mark(reader), reader.u32(), reader.u32())
    reader.end()
    return heartbeat
