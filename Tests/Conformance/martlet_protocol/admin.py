"""The admin channel (section 7): INVALIDATE, STATUS, TOPOLOGY, CONFIG, SCAN and answers."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from enum import IntEnum
from typing import List, Optional, Tuple

from . import limits
from .errors import malformed, out_of_range
from .fields import checked_namespace
from .reading import U64, Reader, short_text, u8, u16, u32, u64
from .slots import SlotTable

HARD, SOFT = 0, 1
WAIT_NONE, WAIT_QUORUM, WAIT_ALL = 0, 1, 2
PUBLISHER, SHARD = 1, 2
SHARDED, REPLICATED = 1, 2
COUNT_ONLY = 1
HOTTEST = 2
AT_MOST = 1

_MINIMUM_VERSION = 1
_HASH_RANGE = 2


class Kind(IntEnum):
    """What a scope names."""

    key = 1
    tag = 2
    prefix = 3
    namespace = 4
    everything = 5


_NAME_BYTES = {
    Kind.key: limits.KEY_BYTES, Kind.tag: limits.TAG_BYTES, Kind.prefix: limits.KEY_BYTES
}


@dataclass
class HashRange:
    """A range of route hashes, both ends included."""

    first: U64
    last: U64


@dataclass
class Scope:
    """What one part of an invalidation is about; an empty namespace is `default`."""

    kind: int
    name: bytes = b""
    namespace: str = ""
    minimum_version: Optional[U64] = None
    hash_range: Optional[HashRange] = None

    def encode(self) -> bytes:
        """The bytes of the scope."""
        options = (_MINIMUM_VERSION if self.minimum_version is not None else 0) | (
            _HASH_RANGE if self.hash_range is not None else 0
        )
        namespace = self.namespace.encode("ascii")
        data = u8(self.kind) + u8(options) + u8(len(namespace)) + u8(0)
        data += u16(len(self.name)) + u16(0)
        if self.minimum_version is not None:
            data += u64(self.minimum_version)
        if self.hash_range is not None:
            data += u64(self.hash_range.first) + u64(self.hash_range.last)
        return data + namespace + self.name


def decode_scope(reader: Reader) -> Scope:
    """The scope that comes next."""
    kind = reader.one_of(range(1, 6), "scope kind")
    options, namespace_bytes = reader.u8(), reader.u8()
    reader.reserved(1)
    name_bytes = reader.u16()
    reader.reserved(2)
    allowed = _MINIMUM_VERSION if kind == Kind.key else _HASH_RANGE
    if options & ~allowed:
        raise malformed(f"options {options:02X} of a scope of kind {kind}")
    if kind == Kind.everything and namespace_bytes:
        raise malformed("a scope of everything names a namespace")
    _check_name(kind, name_bytes)
    minimum = reader.u64() if options & _MINIMUM_VERSION else None
    hashes = HashRange(reader.u64(), reader.u64()) if options & _HASH_RANGE else None
    namespace = ""
    if namespace_bytes:
        namespace = checked_namespace(reader.take(namespace_bytes))
    return Scope(kind, reader.take(name_bytes), namespace, minimum, hashes)


def _check_name(kind: int, name_bytes: int) -> None:
    longest = _NAME_BYTES.get(Kind(kind))
    if longest is None:
        if name_bytes:
            raise malformed(f"a scope of kind {kind} has a name")
    elif not 1 <= name_bytes <= longest:
        raise out_of_range(f"a scope's name of {name_bytes} bytes")


@dataclass
class Invalidate:
    """The body of INVALIDATE."""

    wait: int
    strength: int
    timeout: int
    scopes: List[Scope]
    purpose: int = 0


@dataclass
class NodeElapsed:
    """A node of a receipt, and the microseconds from the append until it got there."""

    id: str
    elapsed: int


@dataclass
class Receipt:
    """The body of RECEIPT."""

    epoch: int
    wait: int
    complete: int
    sequence: U64
    near_cache: int
    applied: List[NodeElapsed] = member(default_factory=list)
    expired: List[NodeElapsed] = member(default_factory=list)
    pending: List[NodeElapsed] = member(default_factory=list)


@dataclass
class Await:
    """The body of AWAIT."""

    wait: int
    timeout: int
    epoch: int
    sequence: U64


@dataclass
class Empty:
    """The body of a request that has none."""


@dataclass
class Figure:
    """A named number of a status report."""

    name: str
    value: U64


@dataclass
class NodeStatus:
    """What the reporter knows of one node."""

    id: str
    state: int
    epoch: int
    sequence: U64
    incarnation: U64
    grant_left: int


@dataclass
class StatusReport:
    """The body of STATUS REPORT."""

    role: int
    state: int
    epoch: int
    sequence: U64
    digest: U64
    name: str
    figures: List[Figure]
    nodes: List[NodeStatus]


@dataclass
class TopologyNode:
    """A node of the topology; the endpoint of a shard is empty while unknown."""

    id: str
    state: int
    weight: int
    endpoints: List[str]


@dataclass
class TopologyReport:
    """The body of TOPOLOGY REPORT."""

    version: int
    kind: int
    control: str
    live: str
    nodes: List[TopologyNode]
    several: bool = False
    slots: Optional[SlotTable] = None


@dataclass
class ConfigReport:
    """The body of CONFIG REPORT."""

    version: int
    text: str


@dataclass
class Scan:
    """The body of SCAN."""

    cursor: U64
    limit: int
    kind: int
    options: int
    name: bytes


@dataclass
class ScanKey:
    """A key of a page."""

    key: bytes
    value_bytes: int
    ttl: U64
    heat: int = 0


@dataclass
class ScanPage:
    """The body of SCAN PAGE."""

    next_cursor: U64
    entries: U64
    bytes: U64
    keys: List[ScanKey]


@dataclass
class Count:
    """The body of COUNT."""

    scopes: List[Scope]


@dataclass
class Counted:
    """The body of COUNTED."""

    entries: U64
    bytes: U64
    options: int


def encode_empty(_: Empty) -> Tuple[int, bytes]:
    """Count and body of a request without one."""
    return 0, b""


def decode_empty(count: int, body: bytes) -> Empty:
    """Nothing, if nothing is there."""
    Reader(body, "an empty body").end()
    return Empty()


def encode_invalidate(body: Invalidate) -> Tuple[int, bytes]:
    """Count and body of INVALIDATE."""
    head = u8(body.wait) + u8(body.strength) + u8(body.purpose) + u8(0) + u32(body.timeout)
    return len(body.scopes), head + b"".join(scope.encode() for scope in body.scopes)


def decode_invalidate(count: int, body: bytes) -> Invalidate:
    """The INVALIDATE in a body."""
    if not 1 <= count <= limits.SCOPES:
        raise out_of_range(f"{count} scopes")
    reader = Reader(body, "INVALIDATE")
    wait = reader.one_of(range(3), "wait")
    strength = reader.one_of(range(2), "strength")
    purpose = reader.one_of(range(2), "purpose")
    reader.reserved(1)
    timeout = reader.u32()
    scopes = [decode_scope(reader) for _ in range(count)]
    reader.end()
    if limits.RECORD_HEADER_BYTES + len(body) - 8 > limits.RECORD_BYTES:
        raise out_of_range("the record would be too long")
    return Invalidate(wait, strength, timeout, scopes, purpose)


def encode_receipt(body: Receipt) -> Tuple[int, bytes]:
    """Count and body of RECEIPT."""
    data = u32(body.epoch) + u8(body.wait) + u8(body.complete) + u16(0) + u64(body.sequence)
    data += u32(body.near_cache) + u16(len(body.applied)) + u16(len(body.expired))
    data += u16(len(body.pending)) + bytes(6)
    nodes = body.applied + body.expired + body.pending
    data += b"".join(u32(node.elapsed) + short_text(node.id) for node in nodes)
    return len(nodes), data


def decode_receipt(count: int, body: bytes) -> Receipt:
    """The RECEIPT in a body."""
    reader = Reader(body, "RECEIPT")
    epoch = reader.u32()
    wait, complete = reader.one_of(range(3), "wait"), reader.one_of(range(2), "complete")
    reader.reserved(2)
    sequence, near_cache = reader.sequence(), reader.u32()
    counts = [reader.u16() for _ in range(3)]
    reader.reserved(6)
    if sum(counts) != count:
        raise malformed("the nodes of a receipt do not add up to its count")
    groups = [[_node_elapsed(reader) for _ in range(each)] for each in counts]
    reader.end()
    return Receipt(epoch, wait, complete, sequence, near_cache, *groups)


def _node_elapsed(reader: Reader) -> NodeElapsed:
    elapsed = reader.u32()
    return NodeElapsed(reader.text(reader.u8()), elapsed)


def encode_await(body: Await) -> Tuple[int, bytes]:
    """Count and body of AWAIT."""
    data = u8(body.wait) + bytes(3) + u32(body.timeout)
    return 0, data + u32(body.epoch) + u64(body.sequence)


def decode_await(count: int, body: bytes) -> Await:
    """The AWAIT in a body."""
    reader = Reader(body, "AWAIT")
    wait = reader.one_of(range(3), "wait")
    reader.reserved(3)
    question = Await(wait, reader.u32(), reader.u32(), reader.sequence())
    reader.end()
    return question


def encode_status_report(body: StatusReport) -> Tuple[int, bytes]:
    """Count and body of STATUS REPORT."""
    name = body.name.encode("utf-8")
    parts = [u8(body.role) + u8(body.state) + u8(len(name)) + u8(0) + u32(body.epoch)]
    parts.append(u64(body.sequence) + u64(body.digest) + name)
    for figure in body.figures:
        label = figure.name.encode("utf-8")
        parts.append(u8(len(label)) + u64(figure.value) + label)
    parts.append(u16(len(body.nodes)))
    for node in body.nodes:
        id = node.id.encode("utf-8")
        parts.append(u8(node.state) + u8(len(id)) + u16(0) + u32(node.epoch))
        parts.append(u64(node.sequence) + u64(node.incarnation))
        parts.append(u32(node.grant_left) + u32(0) + id)
    return len(body.figures), b"".join(parts)


def decode_status_report(count: int, body: bytes) -> StatusReport:
    """The STATUS REPORT in a body."""
    reader = Reader(body, "STATUS REPORT")
    role, state, name_bytes = reader.one_of((1, 2), "role"), reader.u8(), reader.u8()
    reader.reserved(1)
    epoch, sequence, digest = reader.u32(), reader.sequence(), reader.u64()
    name = reader.text(name_bytes)
    figures = []
    for _ in range(count):
        label_bytes, value = reader.u8(), reader.u64()
        figures.append(Figure(reader.text(label_bytes), value))
    nodes = [_node_status(reader) for _ in range(reader.u16())]
    reader.end()
    return StatusReport(role, state, epoch, sequence, digest, name, figures, nodes)


def _node_status(reader: Reader) -> NodeStatus:
    state, id_bytes = reader.u8(), reader.u8()
    reader.reserved(2)
    epoch, sequence, incarnation = reader.u32(), reader.sequence(), reader.u64()
    grant_left = reader.u32()
    reader.reserved(4)
    return NodeStatus(reader.text(id_bytes), state, epoch, sequence, incarnation, grant_left)


def encode_topology_report(body: TopologyReport) -> Tuple[int, bytes]:
    """Count and body of TOPOLOGY REPORT."""
    options = (1 if body.several else 0) | (2 if body.slots else 0)
    parts = [u32(body.version) + u8(body.kind) + u8(options) + bytes(2)]
    parts += [short_text(body.control), short_text(body.live)]
    for node in body.nodes:
        id = node.id.encode("utf-8")
        parts.append(u8(len(id)) + u8(node.state) + u16(len(node.endpoints)))
        parts.append(u32(node.weight) + id)
        parts += [short_text(endpoint) for endpoint in node.endpoints]
    if body.slots:
        parts.append(body.slots.encode())
    return len(body.nodes), b"".join(parts)


def decode_topology_report(count: int, body: bytes) -> TopologyReport:
    """The TOPOLOGY REPORT in a body."""
    reader = Reader(body, "TOPOLOGY REPORT")
    version, kind = reader.u32(), reader.one_of((1, 2), "topology kind")
    options = reader.u8()
    if options > 3:
        raise malformed("an option of the topology is not known")
    reader.reserved(2)
    control, live = reader.text(reader.u8()), reader.text(reader.u8())
    nodes = []
    for _ in range(count):
        id_bytes, state, shards = reader.u8(), reader.u8(), reader.u16()
        weight = reader.u32()
        id = reader.text(id_bytes)
        endpoints = [reader.text(reader.u8()) for _ in range(shards)]
        nodes.append(TopologyNode(id, state, weight, endpoints))
    table = SlotTable.read(reader) if options & 2 else None
    reader.end()
    return TopologyReport(version, kind, control, live, nodes, bool(options & 1), table)


def encode_config_report(body: ConfigReport) -> Tuple[int, bytes]:
    """Count and body of CONFIG REPORT."""
    text = body.text.encode("utf-8")
    return 0, u32(body.version) + u32(len(text)) + text


def decode_config_report(count: int, body: bytes) -> ConfigReport:
    """The CONFIG REPORT in a body."""
    reader = Reader(body, "CONFIG REPORT")
    report = ConfigReport(reader.u32(), reader.text(reader.u32()))
    reader.end()
    return report


def encode_scan(body: Scan) -> Tuple[int, bytes]:
    """Count and body of SCAN."""
    head = u64(body.cursor) + u32(body.limit) + u8(body.kind) + u8(body.options)
    return 0, head + u16(len(body.name)) + body.name


def decode_scan(count: int, body: bytes) -> Scan:
    """The SCAN in a body."""
    reader = Reader(body, "SCAN")
    cursor, limit = reader.u64(), reader.u32()
    kind, options = reader.one_of(range(1, 6), "scope kind"), reader.u8()
    if options not in (0, COUNT_ONLY, HOTTEST):
        raise malformed(f"options {options:02X} of SCAN are not known")
    scan = Scan(cursor, limit, kind, options, reader.take(reader.u16()))
    reader.end()
    if not 1 <= limit <= limits.SCAN_KEYS:
        raise out_of_range(f"a page of {limit} keys")
    _check_name(kind, len(scan.name))
    return scan


def encode_scan_page(body: ScanPage) -> Tuple[int, bytes]:
    """Count and body of SCAN PAGE."""
    parts = [u64(body.next_cursor) + u64(body.entries) + u64(body.bytes)]
    for each in body.keys:
        parts.append(u16(len(each.key)) + u16(each.heat) + u32(each.value_bytes))
        parts.append(u64(each.ttl) + each.key)
    return len(body.keys), b"".join(parts)


def decode_scan_page(count: int, body: bytes) -> ScanPage:
    """The SCAN PAGE in a body."""
    reader = Reader(body, "SCAN PAGE")
    page = ScanPage(reader.u64(), reader.u64(), reader.u64(), [])
    for _ in range(count):
        key_bytes, heat = reader.u16(), reader.u16()
        value_bytes, ttl = reader.u32(), reader.u64()
        page.keys.append(ScanKey(reader.take(key_bytes), value_bytes, ttl, heat))
    reader.end()
    return page


def encode_count(body: Count) -> Tuple[int, bytes]:
    """Count and body of COUNT."""
    return len(body.scopes), b"".join(scope.encode() for scope in body.scopes)


def decode_count(count: int, body: bytes) -> Count:
    """The COUNT in a body."""
    if not 1 <= count <= limits.SCOPES:
        raise out_of_range(f"{count} scopes")
    reader = Reader(body, "COUNT")
    scopes = [decode_scope(reader) for _ in range(count)]
    reader.end()
    return Count(scopes)


def encode_counted(body: Counted) -> Tuple[int, bytes]:
    """Count and body of COUNTED."""
    return 0, u64(body.entries) + u64(body.bytes) + u8(body.options) + bytes(7)


def decode_counted(_: int, body: bytes) -> Counted:
    """The COUNTED in a body."""
    reader = Reader(body, "COUNTED")
    entries, bytes_, options = reader.u64(), reader.u64(), reader.u8()
    if options & ~AT_MOST:
        raise malformed(f"options {options:02X} of COUNTED are not known")
    reader.reserved(7)
    reader.end()
    return Counted(entries, bytes_, options)
