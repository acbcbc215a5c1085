"""The data channel (section 5): GET, SET, DELETE, TOUCH, CHUNK, RESULTS and ERROR."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from enum import IntEnum
from typing import List, Optional, Set, Tuple

from . import fields, limits
from .errors import Cause, OperationRefused, malformed, out_of_range
from .fields import Position
from .reading import U64, Reader, u8, u16, u32, u64

TOKEN = 1
DETAILS = 2
ALLOW_STALE = 4
RANGE = 8
PREFETCH = 16
"""The option bits of a GET."""

UNFENCED = 1
SUSPECT = 2
SOFT = 4
OVERTAKEN = 8
NEGATIVE = 16
TOLERATED = 64
"""The flag bits of a result."""


class Status(IntEnum):
    """The status of a result."""

    HIT = 1
    MISS = 2
    STALE = 3
    BEHIND = 4
    STORED = 5
    REMOVED = 6
    TOUCHED = 7
    RECEIVED = 8
    REFUSED = 9
    BUSY = 10
    DEFERRED = 11
    CHANGED = 12
    FAILED = 13


@dataclass
class Token:
    """A fill token, for those who look inside."""

    epoch: int
    valid: int
    sequence: U64
    incarnation: U64
    nonce: U64

    def encode(self) -> bytes:
        """The 32 bytes of the token."""
        head = u32(self.epoch) + u32(self.valid) + u64(self.sequence)
        return head + u64(self.incarnation) + u64(self.nonce)

    @staticmethod
    def decode(data: bytes) -> "Token":
        """The token in 32 bytes."""
        reader = Reader(data, "a fill token")
        token = Token(reader.u32(), reader.u32(), reader.u64(), reader.u64(), reader.u64())
        reader.end()
        return token


@dataclass
class Range:
    """The part of a large value that a GET asks for."""

    identity: U64
    offset: int
    length: int


@dataclass
class GetOperation:
    """One key to get."""

    key: bytes
    options: int = 0
    range: Optional[Range] = None


@dataclass
class Get:
    """The body of a GET."""

    operations: List[GetOperation]


@dataclass
class Upload:
    """The value of a SET that was sent before by CHUNK."""

    id: U64
    total: int


@dataclass
class SetOperation:
    """One entry to store."""

    key: bytes
    value: bytes
    ttl: U64 = U64(limits.DEFAULT_TTL)
    version: Optional[U64] = None
    etag: Optional[bytes] = None
    tags: List[bytes] = member(default_factory=list)
    token: Optional[bytes] = None
    upload: Optional[Upload] = None
    options: int = 0
    content_type: Optional[str] = None
    content_encoding: Optional[str] = None
    content_language: Optional[str] = None


@dataclass
class SetBody:
    """The body of a SET."""

    operations: List[SetOperation]


@dataclass
class DeleteOperation:
    """One key to delete."""

    key: bytes


@dataclass
class Delete:
    """The body of a DELETE."""

    operations: List[DeleteOperation]


@dataclass
class TouchOperation:
    """One key to give a new time to live."""

    key: bytes
    ttl: U64


@dataclass
class Touch:
    """The body of a TOUCH."""

    operations: List[TouchOperation]


@dataclass
class Chunk:
    """The body of a CHUNK: one part of a value sent ahead."""

    upload: U64
    total: int
    offset: int
    data: bytes


@dataclass
class Proof:
    """What the answer reflects: position, state, lease and topology of the shard."""

    epoch: int
    state: int
    sequence: U64
    lease_left: int
    topology: int

    @property
    def position(self) -> Position:
        """The position that the answer reflects."""
        return Position(self.epoch, self.sequence)


@dataclass
class Whole:
    """The large value of which a result holds the first part."""

    identity: U64
    total: int


@dataclass
class Terms:
    """On what terms a peer may keep what it is given; the windows in milliseconds."""

    stale_while_revalidate: int
    stale_if_error: int
    must_not_be_kept: bool


@dataclass
class Result:
    """The answer to one operation."""

    status: int
    flags: int = 0
    detail: int = 0
    age: U64 = U64(0)
    ttl: U64 = U64(0)
    value: bytes = b""
    version: Optional[U64] = None
    etag: Optional[bytes] = None
    tags: List[bytes] = member(default_factory=list)
    token: Optional[bytes] = None
    fill_position: Optional[Position] = None
    whole: Optional[Whole] = None
    retry_after: Optional[int] = None
    message: Optional[str] = None
    terms: Optional[Terms] = None
    content_type: Optional[str] = None
    content_encoding: Optional[str] = None
    content_language: Optional[str] = None


@dataclass
class Results:
    """The body of RESULTS: the proof and one result for each operation."""

    proof: Proof
    results: List[Result]


@dataclass
class Error:
    """The body of an ERROR."""

    code: int
    message: str


class _Violations:
    """The first limit that an operation of a message breaks, told once all are read."""

    def __init__(self) -> None:
        self.first: Optional[OperationRefused] = None

    def note(self, broken: bool, index: int, why: str) -> None:
        """Remembers a broken limit."""
        if broken and self.first is None:
            self.first = OperationRefused(index, Cause.outOfRange, why)

    def key(self, key: bytes, index: int) -> None:
        """Checks the length of a key."""
        self.note(not 1 <= len(key) <= limits.KEY_BYTES, index, f"a key of {len(key)} bytes")

    def ttl(self, ttl: int, index: int) -> None:
        """Checks a time to live."""
        self.note(limits.TTL_MAXIMUM < ttl < limits.NEVER, index, f"a ttl of {ttl} ms")

    def tell(self) -> None:
        """Raises what was noted."""
        if self.first is not None:
            raise self.first


def _operations(count: int, body: bytes, what: str) -> Reader:
    if not 1 <= count <= limits.OPERATIONS:
        raise out_of_range(f"{count} operations")
    return Reader(body, what)


def encode_get(get: Get) -> Tuple[int, bytes]:
    """Count and body of a GET."""
    parts = []
    for operation in get.operations:
        parts.append(u16(len(operation.key)) + u16(operation.options))
        if operation.range is not None:
            part = operation.range
            parts.append(u64(part.identity) + u32(part.offset) + u32(part.length))
        parts.append(operation.key)
    return len(get.operations), b"".join(parts)


def decode_get(count: int, body: bytes) -> Get:
    """The GET in a body."""
    reader = _operations(count, body, "GET")
    violations = _Violations()
    operations = []
    for index in range(count):
        key_bytes, options = reader.u16(), reader.u16()
        if options & ~(TOKEN | DETAILS | ALLOW_STALE | RANGE | PREFETCH):
            raise malformed(f"options {options:04X} of GET are not known")
        part = None
        if options & RANGE:
            part = Range(reader.u64(), reader.u32(), reader.u32())
            broken = not 1 <= part.length <= limits.PART_BYTES
            violations.note(broken, index, f"a range of {part.length} bytes")
        operations.append(GetOperation(reader.take(key_bytes), options, part))
        violations.key(operations[-1].key, index)
    reader.end()
    violations.tell()
    return Get(operations)


#: An option of SET: the value that is there still holds.
RENEW = 1

_SET_VERSION, _SET_ETAG, _SET_TAG, _SET_TOKEN, _SET_UPLOAD = 0x81, 0x82, 0x83, 0x84, 0x85
_SET_TYPE, _SET_ENCODING, _SET_LANGUAGE = 0x06, 0x87, 0x08


def _encode_set_fields(operation: SetOperation) -> bytes:
    parts = []
    if operation.version is not None:
        parts.append(fields.field(_SET_VERSION, u64(operation.version)))
    if operation.etag is not None:
        parts.append(fields.field(_SET_ETAG, operation.etag))
    parts += [fields.field(_SET_TAG, tag) for tag in operation.tags]
    if operation.token is not None:
        parts.append(fields.field(_SET_TOKEN, operation.token))
    if operation.upload is not None:
        upload = u64(operation.upload.id) + u32(operation.upload.total)
        parts.append(fields.field(_SET_UPLOAD, upload))
    parts += fields.described(operation, (_SET_TYPE, _SET_ENCODING, _SET_LANGUAGE))
    return b"".join(parts)


def encode_set(set: SetBody) -> Tuple[int, bytes]:
    """Count and body of a SET."""
    parts = []
    for operation in set.operations:
        extra = _encode_set_fields(operation)
        parts.append(
            u16(len(operation.key)) + u16(operation.options) + u16(len(extra)) + u16(0))
        parts.append(u64(operation.ttl) + u32(len(operation.value)) + u32(0))
        parts += [operation.key, extra, operation.value]
    return len(set.operations), b"".join(parts)


def _decode_set_fields(data: bytes, operation: SetOperation) -> None:
    seen: Set[int] = set()
    for id, value in fields.split(data):
        if id == _SET_TAG:
            operation.tags.append(fields.sized(id, value, 1, limits.TAG_BYTES))
            continue
        if id not in (_SET_VERSION, _SET_ETAG, _SET_TOKEN, _SET_UPLOAD,
                      _SET_TYPE, _SET_ENCODING, _SET_LANGUAGE):
            fields.refuse_unknown(id)
            continue
        fields.once(id, seen)
        if id == _SET_VERSION:
            operation.version = U64(fields.number(id, value, 8))
        elif id == _SET_ETAG:
            operation.etag = fields.sized(id, value, 1, limits.ETAG_BYTES)
        elif id == _SET_TOKEN:
            operation.token = fields.sized(id, value, 32)
        elif id == _SET_UPLOAD:
            reader = Reader(fields.sized(id, value, 12), "UPLOAD")
            operation.upload = Upload(reader.u64(), reader.u32())
        else:
            text = fields.sized(id, value, 1, 255).decode("latin-1")
            if id == _SET_TYPE:
                operation.content_type = text
            elif id == _SET_ENCODING:
                operation.content_encoding = text
            else:
                operation.content_language = text


def _is_described(operation: SetOperation) -> bool:
    """Whether what it says of the value's bytes could stand in a field."""
    texts = (operation.content_type, operation.content_encoding, operation.content_language)
    return all(text is None or fields.is_description(text.encode("latin-1")) for text in texts)


def _is_renewal(operation: SetOperation) -> bool:
    """Whether it has what a RENEW needs, and nothing else."""
    names = operation.etag is not None or operation.version is not None
    brings = operation.value or operation.tags or operation.upload is not None
    return operation.token is not None and names and not brings


def decode_set(count: int, body: bytes) -> SetBody:
    """The SET in a body."""
    reader = _operations(count, body, "SET")
    violations = _Violations()
    operations = []
    for index in range(count):
        key_bytes = reader.u16()
        options = reader.u16()
        if options & ~RENEW:
            raise malformed(f"SET with options {options:#x}")
        fields_bytes = reader.u16()
        reader.reserved(2)
        ttl, value_bytes = reader.u64(), reader.u32()
        reader.reserved(4)
        operation = SetOperation(reader.take(key_bytes), b"", ttl, options=options)
        _decode_set_fields(reader.take(fields_bytes), operation)
        operation.value = reader.take(value_bytes)
        operations.append(operation)
        violations.key(operation.key, index)
        violations.ttl(ttl, index)
        violations.note(value_bytes > limits.PART_BYTES, index, f"{value_bytes} value bytes")
        violations.note(len(set(operation.tags)) > limits.TAGS, index, "too many tags")
        violations.note(operation.version == 0, index, "version 0")
        violations.note(not _is_described(operation), index, "bytes that no field may have")
        if options & RENEW:
            violations.note(not _is_renewal(operation), index, "no renewal")
    reader.end()
    violations.tell()
    return SetBody(operations)


def encode_delete(delete: Delete) -> Tuple[int, bytes]:
    """Count and body of a DELETE."""
    parts = [u16(len(each.key)) + u16(0) + each.key for each in delete.operations]
    return len(parts), b"".join(parts)


def decode_delete(count: int, body: bytes) -> Delete:
    """The DELETE in a body."""
    reader = _operations(count, body, "DELETE")
    violations = _Violations()
    operations = []
    for index in range(count):
        key_bytes = reader.u16()
        reader.reserved(2)
        operations.append(DeleteOperation(reader.take(key_bytes)))
        violations.key(operations[-1].key, index)
    reader.end()
    violations.tell()
    return Delete(operations)


def encode_touch(touch: Touch) -> Tuple[int, bytes]:
    """Count and body of a TOUCH."""
    parts = [
        u16(len(each.key)) + u16(0) + u32(0) + u64(each.ttl) + each.key
        for each in touch.operations
    ]
    return len(parts), b"".join(parts)


def decode_touch(count: int, body: bytes) -> Touch:
    """The TOUCH in a body."""
    reader = _operations(count, body, "TOUCH")
    violations = _Violations()
    operations = []
    for index in range(count):
        key_bytes = reader.u16()
        reader.reserved(6)
        ttl = reader.u64()
        operations.append(TouchOperation(reader.take(key_bytes), ttl))
        violations.key(operations[-1].key, index)
        violations.ttl(ttl, index)
    reader.end()
    violations.tell()
    return Touch(operations)


def encode_chunk(chunk: Chunk) -> Tuple[int, bytes]:
    """Count and body of a CHUNK."""
    head = u64(chunk.upload) + u32(chunk.total) + u32(chunk.offset)
    return 1, head + u32(len(chunk.data)) + u32(0) + chunk.data


def decode_chunk(count: int, body: bytes) -> Chunk:
    """The CHUNK in a body."""
    if count != 1:
        raise out_of_range(f"{count} chunks in one message")
    reader = Reader(body, "CHUNK")
    upload, total, offset, chunk_bytes = reader.u64(), reader.u32(), reader.u32(), reader.u32()
    reader.reserved(4)
    chunk = Chunk(upload, total, offset, reader.take(chunk_bytes))
    reader.end()
    violations = _Violations()
    violations.note(upload == 0, 0, "upload id 0")
    violations.note(not 1 <= chunk_bytes <= limits.PART_BYTES, 0, f"{chunk_bytes} chunk bytes")
    violations.tell()
    return chunk


_VERSION, _ETAG, _TAG, _TOKEN, _FILL, _WHOLE, _RETRY, _MESSAGE, _TERMS = range(1, 10)
_TYPE, _ENCODING, _LANGUAGE = 0x0A, 0x8B, 0x0C


def _encode_result_fields(result: Result) -> bytes:
    parts = []
    if result.version is not None:
        parts.append(fields.field(_VERSION, u64(result.version)))
    if result.etag is not None:
        parts.append(fields.field(_ETAG, result.etag))
    parts += [fields.field(_TAG, tag) for tag in result.tags]
    if result.token is not None:
        parts.append(fields.field(_TOKEN, result.token))
    if result.fill_position is not None:
        parts.append(fields.field(_FILL, result.fill_position.encode()))
    if result.whole is not None:
        whole = u64(result.whole.identity) + u32(result.whole.total)
        parts.append(fields.field(_WHOLE, whole))
    if result.retry_after is not None:
        parts.append(fields.field(_RETRY, u32(result.retry_after)))
    if result.message is not None:
        parts.append(fields.field(_MESSAGE, result.message.encode("utf-8")))
    if result.terms is not None:
        terms = result.terms
        windows = u32(terms.stale_while_revalidate) + u32(terms.stale_if_error)
        parts.append(fields.field(_TERMS, windows + u8(1 if terms.must_not_be_kept else 0)))
    parts += fields.described(result, (_TYPE, _ENCODING, _LANGUAGE))
    return b"".join(parts)


def encode_results(results: Results) -> Tuple[int, bytes]:
    """Count and body of RESULTS."""
    proof = results.proof
    parts = [u32(proof.epoch) + u8(proof.state) + bytes(3) + u64(proof.sequence)]
    parts.append(u32(proof.lease_left) + u32(proof.topology))
    for result in results.results:
        extra = _encode_result_fields(result)
        parts.append(u8(result.status) + u8(result.flags) + u8(result.detail) + u8(0))
        parts.append(u32(len(result.value)) + u64(result.age) + u64(result.ttl))
        parts += [u16(len(extra)), bytes(6), extra, result.value]
    return len(results.results), b"".join(parts)


def _decode_result_fields(data: bytes, result: Result) -> None:
    seen: Set[int] = set()
    for id, value in fields.split(data):
        if id == _TAG:
            result.tags.append(fields.sized(id, value, 1, limits.TAG_BYTES))
            continue
        if not _VERSION <= id <= _TERMS and id not in (_TYPE, _ENCODING, _LANGUAGE):
            fields.refuse_unknown(id)
            continue
        fields.once(id, seen)
        if id == _VERSION:
            result.version = U64(fields.number(id, value, 8))
        elif id == _ETAG:
            result.etag = fields.sized(id, value, 1, limits.ETAG_BYTES)
        elif id == _TOKEN:
            result.token = fields.sized(id, value, 32)
        elif id == _FILL:
            result.fill_position = fields.position(id, value)
        elif id == _WHOLE:
            reader = Reader(fields.sized(id, value, 12), "WHOLE")
            result.whole = Whole(reader.u64(), reader.u32())
        elif id == _RETRY:
            result.retry_after = fields.number(id, value, 4)
        elif id == _TERMS:
            reader = Reader(fields.sized(id, value, 9), "TERMS")
            result.terms = Terms(reader.u32(), reader.u32(), reader.u8() & 1 != 0)
        elif id == _TYPE:
            result.content_type = fields.checked_description(id, value)
        elif id == _ENCODING:
            result.content_encoding = fields.checked_description(id, value)
        elif id == _LANGUAGE:
            result.content_language = fields.checked_description(id, value)
        else:
            result.message = Reader(value, "MESSAGE").text(len(value))


def decode_results(count: int, body: bytes) -> Results:
    """The RESULTS in a body; a status that is not known is passed on as its number."""
    reader = Reader(body, "RESULTS")
    epoch, state = reader.u32(), reader.u8()
    reader.reserved(3)
    proof = Proof(epoch, state, reader.sequence(), reader.u32(), reader.u32())
    results = []
    for _ in range(count):
        result = Result(reader.u8(), reader.u8(), reader.u8())
        reader.reserved(1)
        value_bytes = reader.u32()
        result.age, result.ttl = reader.u64(), reader.u64()
        fields_bytes = reader.u16()
        reader.reserved(6)
        _decode_result_fields(reader.take(fields_bytes), result)
        result.value = reader.take(value_bytes)
        results.append(result)
    reader.end()
    return Results(proof, results)


def encode_error(error: Error) -> Tuple[int, bytes]:
    """Count and body of an ERROR."""
    message = error.message.encode("utf-8")
    return 0, u16(error.code) + u16(0) + u32(len(message)) + message


def decode_error(count: int, body: bytes) -> Error:
    """The ERROR in a body; a code that is not known is passed on as its number."""
    reader = Reader(body, "ERROR")
    code = reader.u16()
    reader.reserved(2)
    error = Error(code, reader.text(reader.u32()))
    reader.end()
    return error
