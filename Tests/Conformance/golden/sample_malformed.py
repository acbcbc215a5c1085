"""The frames of malformed.json: those that must be refused, and some that look like it."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional

from martlet_protocol import data, limits
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.fields import Position, field
from martlet_protocol.header import Type, frame
from martlet_protocol.reading import U64, u8, u16, u32, u64
from sample_frames import ENDPOINT, LOG_ID, MARK, TOKEN

GET_K = u16(1) + u16(0) + b"k"
SHARD, PUBLISHER, EITHER = "shard", "publisher", "either"


class Malformed:
    """The lists in the making; request ids count up from 1000."""

    def __init__(self) -> None:
        self.refused: List[Dict[str, Any]] = []
        self.accepted: List[Dict[str, Any]] = []

    @property
    def id(self) -> int:
        """The request id of the frame that is made next."""
        return 1_000 + len(self.refused) + len(self.accepted)

    def error(self, code: str, wrong: str, frame: bytes, to: str = SHARD) -> None:
        """Adds a frame that is answered with an ERROR."""
        self._refuse("ERROR", code, wrong, frame, to)

    def operation(self, wrong: str, frame: bytes) -> None:
        """Adds a frame of one operation that is answered with REFUSED outOfRange."""
        self._refuse("REFUSED", "outOfRange", wrong, frame, SHARD)

    def accept(self, name: str, frame: bytes, to: str = SHARD, answer: str = "RESULTS") -> None:
        """Adds a frame that looks suspicious and must be served."""
        self.accepted.append({"name": name, "hex": frame.hex(), "to": to, "answer": answer})

    def _refuse(self, answer: str, code: str, wrong: str, frame: bytes, to: str) -> None:
        entry = {"wrong": wrong, "hex": frame.hex(), "to": to, "answer": answer, "code": code}
        self.refused.append(entry)

    def get(self, fields: bytes = b"", body: bytes = GET_K, count: int = 1) -> bytes:
        """A GET frame of the given parts."""
        return frame(Type.GET, count, self.id, fields, body)

    def patched(self, *patches: "tuple[int, bytes]", status: bool = False) -> bytes:
        """A good GET, or STATUS, which both roles serve, with some bytes replaced."""
        good = bytearray(frame(Type.STATUS, 0, self.id) if status else self.get())
        for offset, replacement in patches:
            good[offset : offset + len(replacement)] = replacement
        return bytes(good)


def _headers(m: Malformed) -> None:
    def bad(code: str, wrong: str, *patches: "tuple[int, bytes]") -> None:
        m.error(code, wrong, m.patched(*patches, status=True), EITHER)

    for length in (0, 1, 3, 23):
        short = m.patched(status=True)[:length]
        m.error("malformed", f"only {length} bytes of a frame", short, EITHER)
    bad("malformed", "the magic is wrong", (0, b"XX"))
    bad("malformed", "the magic is the other way round", (0, b"LM"))
    bad("unsupportedVersion", "version 2", (2, b"\x02"))
    bad("unsupportedVersion", "version 0", (2, b"\x00"))
    bad("unsupportedVersion", "version 255", (2, b"\xff"))
    for type in (0x00, 0x07, 0x1F, 0x2D, 0x32, 0x7E, 0x80, 0xFF):
        bad("unknownType", f"type {type:02X}", (3, u8(type)))
    bad("malformed", "flags are 1", (4, u16(1)))
    bad("malformed", "flags are 8000", (4, u16(0x8000)))
    bad("wrongStream", "stream 1", (16, u16(1)))
    bad("wrongStream", "stream 65535", (16, u16(65_535)))
    bad("malformed", "magic and version are wrong", (0, b"XX"), (2, b"\x02"))
    bad("unsupportedVersion", "version and type are wrong", (2, b"\x02"), (3, b"\x00"))
    bad("unknownType", "type and flags are wrong", (3, b"\x00"), (4, b"\x01"))
    bad("malformed", "flags and stream are wrong", (4, b"\x01"), (16, b"\x01"))
    bad("wrongStream", "stream and lengths are wrong", (16, b"\x01"), (20, u32(99)))


def _lengths(m: Malformed) -> None:
    m.error("malformed", "a body that ends too early", m.get()[:-1])
    m.error("malformed", "a body that is not there", m.get()[:24])
    m.error("malformed", "a byte behind the frame", m.get() + b"\0")
    m.error("malformed", "body bytes beyond the frame", m.patched((20, u32(6))))
    m.error("malformed", "body bytes of 4 GiB", m.patched((20, u32(0xFFFFFFFF))))
    m.error("malformed", "fields bytes beyond the frame", m.patched((18, u16(65_535))))
    m.error("malformed", "lengths whose sum would wrap to the right one",
            m.patched((18, u16(6)), (20, u32(0xFFFFFFFF))))
    m.error("malformed", "lengths and a field are wrong",
            m.get(field(0xFE, b"")) + b"\0")
    m.error("malformed", "a byte behind an empty body",
            frame(Type.STATUS, 0, m.id, b"", b"\0"), EITHER)
    m.error("malformed", "a count where the type has none",
            frame(Type.STATUS, 1, m.id), EITHER)


def _fields(m: Malformed) -> None:
    m.error("unknownCriticalField", "critical field FE", m.get(field(0xFE, b"?")))
    m.error("unknownCriticalField", "critical field 80, empty", m.get(field(0x80, b"")))
    m.error("unknownCriticalField", "a critical field and a wrong body",
            m.get(field(0xFE, b""), b"\0"))
    m.error("unknownCriticalField", "critical field of a STATUS",
            frame(Type.STATUS, 0, m.id, field(0xFE, b"?")), EITHER)
    m.error("malformed", "a field without a length", m.get(b"\x05"))
    m.error("malformed", "a field that ends too early", m.get(b"\x05\x04\x00\x00\x00"))
    namespace = (("empty", b""), ("of 65 bytes", b"n" * 65), ("with a slash", b"a/b"),
                 ("with a zero byte", b"a\0"), ("with a byte above 127", b"\xc3\xa9"),
                 ("with a space", b"a b"), ("that ends with a newline", b"a\n"))
    for what, name in namespace:
        m.error("malformed", f"a namespace {what}", m.get(field(0x81, name)))
    sizes = ((0x82, 11), (0x82, 13), (0x82, 0), (0x83, 15), (0x83, 17), (0x04, 3), (0x04, 5),
             (0x05, 0), (0x05, 8), (0x86, 1), (0x07, 0), (0x07, 65))
    for id, size in sizes:
        # OPERATION belongs to DELETE, not to GET.
        type = Type.DELETE if id == 0x83 else Type.GET
        made = frame(type, 1, m.id, field(id, bytes(size)), GET_K)
        m.error("malformed", f"field {id:02X} of {size} bytes", made)
    for id, value in ((0x81, b"a"), (0x82, bytes(12)), (0x04, u32(9)), (0x05, u32(1)),
                      (0x07, b"t")):
        m.error("malformed", f"field {id:02X} twice", m.get(field(id, value) * 2))
    m.error("outOfRange", "AT LEAST of sequence 2^48",
            m.get(field(0x82, Position(1, U64(1 << 48)).encode())))
    m.error("malformed", "field 08 of 3 bytes", m.get(field(0x08, bytes(3))))
    fresh = field(0x86, b"")
    m.error("unsupported", "TOUCH with FRESH", frame(
        Type.TOUCH, 1, m.id, fresh, u16(1) + u16(0) + u32(0) + u64(5) + b"k"))


def _gets(m: Malformed) -> None:
    m.error("outOfRange", "GET of 0 keys", m.get(body=b"", count=0))
    m.error("outOfRange", "GET of 1025 keys", m.get(body=GET_K * 1_025, count=1_025))
    m.error("outOfRange", "GET of 65535 keys", m.get(body=GET_K, count=65_535))
    m.error("malformed", "GET of 2 keys with a body of 1", m.get(count=2))
    m.error("malformed", "GET of 1 key with a body of 2", m.get(body=GET_K * 2))
    m.error("malformed", "GET of 1 key without a body", m.get(body=b""))
    m.error("malformed", "GET whose key ends too early", m.get(body=u16(9) + u16(0) + b"k"))
    for bit in (5, 9, 15):
        body = u16(1) + u16(1 << bit) + b"k"
        m.error("malformed", f"GET with option bit {bit}", m.get(body=body))
    body = u16(1) + u16(data.RANGE) + b"k"
    m.error("malformed", "GET with RANGE whose range is not there", m.get(body=body))
    m.operation("GET of a key of 0 bytes", m.get(body=u16(0) + u16(0)))
    m.operation("GET of a key of 4097 bytes", m.get(body=u16(4_097) + u16(0) + b"k" * 4_097))
    for length in (0, 524_289, 0xFFFFFFFF):
        body = u16(1) + u16(data.RANGE) + u64(1) + u32(0) + u32(length) + b"k"
        m.operation(f"GET of a range of {length} bytes", m.get(body=body))


def _set(
    m: Malformed, key: bytes = b"k", fields: bytes = b"", value: bytes = b"v",
    ttl: int = 60_000, reserved: Optional[int] = None, count: int = 1, options: int = 0,
) -> bytes:
    body = u16(len(key)) + u16(options) + u16(len(fields)) + u16(reserved == 6)
    body += u64(ttl) + u32(len(value)) + u32(reserved == 20)
    return frame(Type.SET, count, m.id, b"", (body + key + fields + value) * max(count, 1))


def _sets(m: Malformed) -> None:
    m.error("outOfRange", "SET of 0 entries", frame(Type.SET, 0, m.id))
    m.error("outOfRange", "SET of 1025 entries", _set(m, count=1_025))
    for offset in (6, 20):
        m.error("malformed", f"SET with reserved byte {offset}", _set(m, reserved=offset))
    m.error("malformed", "SET whose value ends too early", frame(
        Type.SET, 1, m.id, b"", u16(1) + bytes(6) + u64(0) + u32(5) + u32(0) + b"kv"))
    m.error("malformed", "SET whose fields end within a field", _set(m, fields=b"\x81\x08\0"))
    m.error("unknownCriticalField", "SET with critical field 86",
            _set(m, fields=field(0x86, b"")))
    for id, size in ((0x81, 7), (0x82, 0), (0x83, 0), (0x84, 31), (0x84, 33), (0x85, 11)):
        m.error("malformed", f"SET with field {id:02X} of {size} bytes",
                _set(m, fields=field(id, b"\1" * size)))
    for id, value in ((0x81, u64(1)), (0x82, b"e"), (0x84, TOKEN), (0x85, u64(1) + u32(1))):
        m.error("malformed", f"SET with field {id:02X} twice",
                _set(m, fields=field(id, value) * 2))
    tags = b"".join(field(0x83, b"tag%d" % index) for index in range(65))
    m.operation("SET with 65 tags", _set(m, fields=tags))
    m.operation("SET with a key of 0 bytes", _set(m, key=b""))
    m.operation("SET with a key of 4097 bytes", _set(m, key=b"k" * 4_097))
    m.operation("SET with a ttl of 36500 days and 1 ms", _set(m, ttl=limits.TTL_MAXIMUM + 1))
    m.operation("SET with a ttl of 2^64 - 2", _set(m, ttl=(1 << 64) - 2))
    for bit in (1, 9, 15):
        m.error("malformed", f"SET with option bit {bit}", _set(m, options=1 << bit))
    token, etag = field(0x84, TOKEN), field(0x82, b"e")
    upload = field(0x85, u64(1) + u32(1))
    for wrong, fields, value in (
        ("a value", token + etag, b"v"), ("a tag", token + etag + field(0x83, b"t"), b""),
        ("an upload", token + etag + upload, b""), ("no token", etag, b""),
        ("neither ETag nor version", token, b""),
    ):
        m.operation(f"SET that renews with {wrong}",
                    _set(m, fields=fields, value=value, options=data.RENEW))
    m.operation("SET with version 0", _set(m, fields=field(0x81, u64(0))))


def _other_data(m: Malformed) -> None:
    for type, name in ((Type.DELETE, "DELETE"), (Type.TOUCH, "TOUCH")):
        rest = b"" if type == Type.DELETE else bytes(4) + u64(1_000)

        def one(key: bytes, reserved: int = 0, count: int = 1) -> bytes:
            body = u16(len(key)) + u16(reserved) + rest + key
            return frame(type, count, m.id, b"", body * max(count, 1))

        m.error("outOfRange", f"{name} of 0 keys", frame(type, 0, m.id))
        m.error("outOfRange", f"{name} of 1025 keys", one(b"k", count=1_025))
        m.error("malformed", f"{name} with options", one(b"k", reserved=1))
        m.error("malformed", f"{name} with a byte too many", frame(
            type, 1, m.id, b"", u16(1) + u16(0) + rest + b"k\0"))
        m.operation(f"{name} of a key of 0 bytes", one(b""))
        m.operation(f"{name} of a key of 4097 bytes", one(b"k" * 4_097))
    body = u16(1) + u16(0) + u32(1) + u64(1_000) + b"k"
    m.error("malformed", "TOUCH with reserved bytes", frame(Type.TOUCH, 1, m.id, b"", body))
    body = u16(1) + u16(0) + u32(0) + u64(limits.TTL_MAXIMUM + 1) + b"k"
    m.operation("TOUCH with a ttl of 36500 days and 1 ms", frame(Type.TOUCH, 1, m.id, b"", body))


def _chunks(m: Malformed) -> None:
    def chunk(id: int, chunk_bytes: int, held: bytes, reserved: int = 0) -> bytes:
        body = struct.pack("<QIIII", id, 600_000, 0, chunk_bytes, reserved)
        return frame(Type.CHUNK, 1, m.id, b"", body + held)

    m.error("malformed", "CHUNK that ends too early", chunk(1, 4, b"abc"))
    m.error("malformed", "CHUNK with a byte too many", chunk(1, 2, b"abc"))
    m.error("malformed", "CHUNK with reserved bytes", chunk(1, 3, b"abc", 1))
    for count in (0, 2):
        body = struct.pack("<QIIII", 1, 600_000, 0, 3, 0) + b"abc"
        m.error("outOfRange", f"CHUNK of {count} chunks",
                frame(Type.CHUNK, count, m.id, b"", body * count))
    m.operation("CHUNK of 0 bytes", chunk(1, 0, b""))
    m.operation("CHUNK of upload 0", chunk(0, 3, b"abc"))


def _invalidate(m: Malformed, scopes: bytes, count: int = 1, head: bytes = bytes(8)) -> bytes:
    return frame(Type.INVALIDATE, count, m.id, b"", head + scopes)


def _scope(kind: int, options: int, namespace: bytes, name: bytes, extra: bytes = b"") -> bytes:
    head = u8(kind) + u8(options) + u8(len(namespace)) + u8(0) + u16(len(name)) + u16(0)
    return head + extra + namespace + name


def _invalidations(m: Malformed) -> None:
    key = _scope(1, 0, b"", b"k")

    def bad(code: str, wrong: str, *parts: Any, **named: Any) -> None:
        m.error(code, "INVALIDATE " + wrong, _invalidate(m, *parts, **named), PUBLISHER)

    bad("outOfRange", "of 0 scopes", b"", count=0)
    bad("outOfRange", "of 0 scopes that waits for 3", b"", count=0, head=b"\x03" + bytes(7))
    bad("outOfRange", "of 1001 scopes", key * 1_001, count=1_001)
    bad("malformed", "of 2 scopes with a body of 1", key, count=2)
    bad("malformed", "with a byte too many", key + b"\0")
    bad("malformed", "that waits for 3", key, head=b"\x03" + bytes(7))
    bad("malformed", "of strength 2", key, head=b"\x00\x02" + bytes(6))
    bad("malformed", "for purpose 2", key, head=b"\x00\x00\x02" + bytes(5))
    bad("malformed", "with a reserved byte", key, head=b"\x00\x00\x00\x01" + bytes(4))
    bad("malformed", "of kind 0", _scope(0, 0, b"", b"k"))
    bad("malformed", "of kind 6", _scope(6, 0, b"", b"k"))
    bad("malformed", "with option bit 2", _scope(1, 4, b"", b"k"))
    bad("malformed", "of a tag with a minimum version", _scope(2, 1, b"", b"t", u64(1)))
    bad("malformed", "of a key with a hash range", _scope(1, 2, b"", b"k", bytes(16)))
    bad("malformed", "of a scope with reserved byte 3", key[:3] + b"\1" + key[4:])
    bad("malformed", "of a scope with reserved byte 6", key[:6] + b"\1" + key[7:])
    bad("malformed", "of a namespace with a name", _scope(4, 0, b"ns", b"x"))
    bad("malformed", "of everything with a name", _scope(5, 0, b"", b"x"))
    bad("malformed", "of everything with a namespace", _scope(5, 0, b"ns", b""))
    bad("malformed", "with a namespace that has a slash", _scope(1, 0, b"a/b", b"k"))
    bad("outOfRange", "of a key of 0 bytes", _scope(1, 0, b"", b""))
    bad("outOfRange", "of a key of 4097 bytes", _scope(1, 0, b"", b"k" * 4_097))
    bad("outOfRange", "of a tag of 0 bytes", _scope(2, 0, b"", b""))
    bad("outOfRange", "of a tag of 256 bytes", _scope(2, 0, b"", b"t" * 256))
    bad("outOfRange", "of a prefix of 0 bytes", _scope(3, 0, b"", b""))
    long = Scope(Kind.key, b"k" * 4_096).encode()
    bad("outOfRange", "whose record would have over 65536 bytes", long * 16, count=16)


def _admin(m: Malformed) -> None:
    def scan(limit: int, kind: int, options: int, name: bytes, extra: bytes = b"") -> bytes:
        body = u64(0) + u32(limit) + u8(kind) + u8(options) + u16(len(name)) + name + extra
        return frame(Type.SCAN, 0, m.id, b"", body)

    m.error("outOfRange", "SCAN of 0 keys", scan(0, 4, 0, b""))
    m.error("outOfRange", "SCAN of 1025 keys", scan(1_025, 4, 0, b""))
    m.error("malformed", "SCAN of kind 0", scan(10, 0, 0, b""))
    m.error("malformed", "SCAN of kind 6", scan(10, 6, 0, b""))
    m.error("malformed", "SCAN with option bit 2", scan(10, 4, 4, b""))
    m.error("malformed", "SCAN that counts the hottest", scan(10, 4, 3, b""))
    m.error("malformed", "SCAN of a namespace with a name", scan(10, 4, 0, b"x"))
    m.error("outOfRange", "SCAN of a prefix of 0 bytes", scan(10, 3, 0, b""))
    m.error("malformed", "SCAN with a byte too many", scan(10, 4, 0, b"", b"\0"))

    tag = Scope(Kind.tag, b"red").encode()
    m.error("outOfRange", "COUNT of 0 scopes", frame(Type.COUNT, 0, m.id))
    m.error("outOfRange", "COUNT of 1001 scopes", frame(Type.COUNT, 1_001, m.id, b"", tag * 1_001))
    m.error("malformed", "COUNT of a scope too few", frame(Type.COUNT, 2, m.id, b"", tag))
    m.error("malformed", "COUNT of a scope too many", frame(Type.COUNT, 1, m.id, b"", tag * 2))
    m.error("malformed", "COUNT of kind 6", frame(Type.COUNT, 1, m.id, b"", b"\6" + tag[1:]))

    def explain(key: bytes, extra: bytes = b"") -> bytes:
        return frame(Type.EXPLAIN, 0, m.id, b"", u16(len(key)) + key + extra)

    m.error("outOfRange", "EXPLAIN of a key of 0 bytes", explain(b""))
    m.error("outOfRange", "EXPLAIN of a key of 4097 bytes", explain(b"k" * 4_097))
    m.error("malformed", "EXPLAIN with a byte too many", explain(b"k", b"\0"))
    m.error("malformed", "EXPLAIN cut off", explain(b"key")[:-1])

    def compare(key: bytes, count: int = 0, extra: bytes = b"") -> bytes:
        return frame(Type.COMPARE, count, m.id, b"", u16(len(key)) + key + extra)

    m.error("outOfRange", "COMPARE of a key of 0 bytes", compare(b""))
    m.error("malformed", "COMPARE with a count", compare(b"k", 1))
    m.error("malformed", "COMPARE with a byte too many", compare(b"k", 0, b"\0"))
    m.error("malformed", "COMPARE cut off", compare(b"key")[:-1])


def _awaits(m: Malformed) -> None:
    def bad(code: str, wrong: str, body: bytes, count: int = 0) -> None:
        m.error(code, f"AWAIT {wrong}", frame(Type.AWAIT, count, m.id, b"", body), PUBLISHER)

    place = u32(7) + u64(42)
    bad("malformed", "without a body", b"")
    bad("malformed", "that waits for 3", u8(3) + bytes(3) + u32(5) + place)
    bad("malformed", "with a reserved byte", u8(2) + bytes(2) + u8(1) + u32(5) + place)
    bad("malformed", "that ends too early", bytes(4) + u32(5) + place[:-1])
    bad("malformed", "with a byte too many", bytes(4) + u32(5) + place + b"\0")
    bad("malformed", "with a count", bytes(4) + u32(5) + place, count=1)
    bad("outOfRange", "of sequence 2^48", bytes(4) + u32(5) + u32(7) + u64(1 << 48))
    for what, name in (("of 0 bytes", b""), ("of 65 bytes", b"i" * 65), ("not UTF-8", b"\xff"),
                       ("with a newline", b"a\nb"), ("with a delete", b"a\x7f"),
                       ("with U+0085", b"\xc2\x85")):
        m.error("malformed", f"an issuer {what}", m.get(field(0x0A, name)))
    m.error("malformed", "an issuer twice", m.get(field(0x0A, b"ada") * 2))
    m.accept("an issuer, which belongs to INVALIDATE", m.get(field(0x0A, b"ada")))
    for what, value in (("of 7 bytes", bytes(7)), ("of 9 bytes", bytes(9))):
        m.error("malformed", f"a previous run {what}", m.get(field(0x0B, value)))
    m.error("malformed", "a previous run twice", m.get(field(0x0B, u64(98)) * 2))
    m.accept("a previous run, which belongs to WELCOME", m.get(field(0x0B, u64(98))))


def _control(m: Malformed) -> None:
    def bad(code: str, wrong: str, type: Type, body: bytes) -> None:
        m.error(code, f"{type.name} {wrong}", frame(type, 0, m.id, b"", body), PUBLISHER)

    mark = MARK.encode()
    hello = u64(9) + u64(LOG_ID) + mark + u8(5) + u8(0) + u16(1) + u32(0) + b"node1"
    hello += u8(len(ENDPOINT)) + ENDPOINT.encode()
    resume = u64(0) + u64(0) + mark
    ping = u64(9) + u64(1) + mark
    m.error("malformed", "HELLO with a count", frame(Type.HELLO, 1, m.id, b"", hello), PUBLISHER)
    m.error("outOfRange", "PING of sequence 2^48", frame(
        Type.PING, 0, m.id, b"",
        u64(9) + u64(1) + u32(7) + u32(0) + u64(1 << 48) + u64(0) + u8(3) + bytes(7)), PUBLISHER)
    bad("malformed", "without a body", Type.HELLO, b"")
    bad("malformed", "that ends too early", Type.HELLO, hello[:-1])
    bad("malformed", "with a byte too many", Type.HELLO, hello + b"\0")
    bad("malformed", "with reserved byte 41", Type.HELLO, hello[:41] + b"\1" + hello[42:])
    bad("malformed", "that ends too early", Type.RESUME, resume)
    bad("malformed", "with reserved bytes", Type.RESUME, resume + u32(1) + u32(1))
    bad("malformed", "with a mark whose reserved bytes are set", Type.RESUME,
        u64(0) + u64(0) + mark[:4] + u32(1) + mark[8:] + u32(1) + u32(0))
    bad("outOfRange", "of 0 records", Type.RESUME, resume + u32(0) + u32(0))
    bad("outOfRange", "of 4097 records", Type.RESUME, resume + u32(4_097) + u32(0))
    floors = u64(99) + u64(1) + mark
    bad("malformed", "that ends too early", Type.FLOORS, floors)
    bad("malformed", "with reserved bytes", Type.FLOORS, floors + u32(0) + u32(1))
    bad("outOfRange", "of a bucket too many", Type.FLOORS,
        floors + u32(limits.FLOOR_BUCKETS) + u32(0))
    bad("malformed", "that ends too early", Type.PING, ping)
    bad("malformed", "with reserved bytes", Type.PING, ping + u8(3) + u8(0) + b"\1" + bytes(5))
    bad("malformed", "for purpose 2", Type.PING, ping + u8(3) + u8(2) + bytes(6))
    bad("malformed", "in state 7", Type.PING, ping + u8(7) + bytes(7))


def _orders(m: Malformed) -> None:
    def order(
        type: Type, id: bytes, extra: bytes = b"", reserved: int = 0, count: int = 0
    ) -> bytes:
        return frame(type, count, m.id, b"", u8(len(id)) + bytes(2) + u8(reserved) + id + extra)

    for type, to in ((Type.DRAIN, SHARD), (Type.FORGET, PUBLISHER)):
        name = type.name
        m.error("outOfRange", f"{name} of an id of 0 bytes", order(type, b""), to)
        m.error("outOfRange", f"{name} of an id of 65 bytes", order(type, b"n" * 65), to)
        m.error("outOfRange", f"{name} of an id with a space", order(type, b"a b"), to)
        m.error("malformed", f"{name} of an id that is not UTF-8", order(type, b"\xff"), to)
        m.error("malformed", f"{name} with a byte too many", order(type, b"node1", b"\0"), to)
        m.error("malformed", f"{name} with a reserved byte", order(type, b"node1", reserved=1), to)
        m.error("malformed", f"{name} with a count", order(type, b"node1", count=1), to)


def _pacings(m: Malformed) -> None:
    everything = u8(5) + bytes(7)

    def pace(
        order: int = 1, strength: int = 0, span: int = 1_000, id: int = 0, *,
        scopes: bytes = everything, count: int = 1, reserved: int = 0,
    ) -> bytes:
        body = u8(order) + u8(strength) + u16(reserved) + u32(span) + u64(id) + scopes
        return frame(Type.PACE, count, m.id, field(0x83, b"o" * 16), body)

    def bad(code: str, wrong: str, made: bytes) -> None:
        m.error(code, f"PACE {wrong}", made, PUBLISHER)

    bad("malformed", "of order 3", pace(3))
    bad("malformed", "of strength 2", pace(1, 2))
    bad("malformed", "with a reserved byte", pace(reserved=1))
    bad("malformed", "that begins without scopes", pace(scopes=b"", count=0))
    bad("malformed", "that begins without a span", pace(span=0))
    bad("malformed", "that begins with a number", pace(id=1))
    bad("malformed", "that cancels with a scope", pace(2, span=0, id=1))
    bad("malformed", "that cancels nothing", pace(2, span=0, scopes=b"", count=0))
    bad("malformed", "that lists with a span", pace(0, scopes=b"", count=0))
    bad("malformed", "with a byte too many", pace(scopes=everything + b"\0"))
    bad("malformed", "with a scope of kind 6", pace(scopes=u8(6) + bytes(7)))
    bad("outOfRange", "with 17 scopes", pace(scopes=everything * 17, count=17))


def _following(m: Malformed) -> None:
    mark = MARK.encode()

    def bad(
        code: str, wrong: str, limit: int = 1, options: int = 0, after: bytes = mark,
        reserved: int = 0, count: int = 0,
    ) -> None:
        body = u32(limit) + u32(0) + u8(options) + bytes(6) + u8(reserved) + after
        m.error(code, f"FOLLOW {wrong}", frame(Type.FOLLOW, count, m.id, b"", body), PUBLISHER)

    bad("outOfRange", "of 0 records", 0)
    bad("outOfRange", "of 4097 records", 4_097)
    bad("malformed", "with option bit 1", 1, 2)
    bad("malformed", "from the head, with a place", 1, 1)
    bad("malformed", "that ends too early", after=mark[:-1])
    bad("malformed", "with a byte too many", after=mark + b"\0")
    bad("malformed", "with a reserved byte", reserved=1)
    bad("malformed", "with a count", count=1)
    bad("malformed", "with a mark whose reserved bytes are set",
        after=mark[:4] + u32(1) + mark[8:])
    bad("outOfRange", "of sequence 2^48", after=u32(7) + u32(0) + u64(1 << 48) + u64(0))


def _accepted(m: Malformed) -> None:
    m.accept("an unknown optional field", m.get(field(0x7F, b"later")))
    m.accept("an unknown optional field twice", m.get(field(0x7F, b"a") * 2))
    m.accept("an unknown optional field of 255 bytes", m.get(field(0x20, b"x" * 255)))
    m.accept("an unknown optional field of 0 bytes", m.get(field(0x00, b"")))
    m.accept("fields in another order", m.get(field(0x04, u32(500)) + field(0x81, b"ns")))
    m.accept("the namespace default by its name", m.get(field(0x81, b"default")))
    m.accept("a trace of 64 bytes", m.get(field(0x07, b"t" * 64)))
    m.accept("a topology version that is not known", m.get(field(0x05, u32(0xFFFFFFFF))))
    m.accept("AT LEAST the beginning", m.get(field(0x82, Position(0, U64(0)).encode())))
    m.accept("the longest key", m.get(body=u16(4_096) + u16(0) + b"k" * 4_096))
    m.accept("1024 keys", m.get(body=GET_K * 1_024, count=1_024))
    m.accept("request id 0", frame(Type.GET, 1, 0, b"", GET_K))
    m.accept("greatest request id", frame(Type.GET, 1, (1 << 64) - 1, b"", GET_K))
    m.accept("RETRY AFTER, which belongs to ERROR", m.get(field(0x08, u32(1))))
    m.accept("an unknown optional field in SET", _set(m, fields=field(0x7F, b"later")))
    m.accept("64 tags", _set(m, fields=b"".join(
        field(0x83, b"tag%d" % index) for index in range(64))))
    m.accept("a ttl of 36500 days", _set(m, ttl=limits.TTL_MAXIMUM))
    m.accept("an empty value", _set(m, value=b""))
    m.accept("an unknown optional field in TOPOLOGY",
             frame(Type.TOPOLOGY, 0, m.id, field(0x7F, b"?")), EITHER, "TOPOLOGY_REPORT")
    m.accept("an unknown optional field in STATUS",
             frame(Type.STATUS, 0, m.id, field(0x7F, b"?")), EITHER, "STATUS_REPORT")


def _clusters(m: Malformed) -> None:
    for what, value in (("of 7 bytes", bytes(7)), ("of 9 bytes", bytes(9))):
        m.error("malformed", f"a cluster {what}", m.get(field(0x10, value)))
    m.error("malformed", "a cluster twice", m.get(field(0x10, u64(98)) * 2))
    m.accept("the cluster 0, which is none", m.get(field(0x10, u64(0))))


def _representations(m: Malformed) -> None:
    for id in (0x06, 0x87, 0x08):
        m.error("malformed", f"SET with field {id:02X} of 0 bytes",
                _set(m, fields=field(id, b"")))
        m.error("malformed", f"SET with field {id:02X} twice",
                _set(m, fields=field(id, b"a/b") * 2))
        m.operation(f"SET with a line break in field {id:02X}",
                    _set(m, fields=field(id, b"a\r\nb: c")))
        m.operation(f"SET with a blank at the end of field {id:02X}",
                    _set(m, fields=field(id, b"a ")))


def all_frames() -> Dict[str, List[Dict[str, Any]]]:
    """Both lists of malformed.json."""
    m = Malformed()
    for section in (_headers, _lengths, _fields, _gets, _sets, _other_data, _chunks,
                    _invalidations, _admin, _orders, _awaits, _pacings, _control, _accepted,
                    _following, _clusters, _representations):
        section(m)
    return {"refused": m.refused, "accepted": m.accepted}
